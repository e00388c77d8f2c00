"""A RabbitMQ node of a test's own, from the system's package (Debian: rabbitmq-server): own name, ports and folder."""

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import uuid4

from tests.support.death import die_with_the_test
from tests.support.servers import lasting_port

PROGRAMS = (Path("/usr/lib/rabbitmq/bin"), Path("/usr/local/sbin"), Path("/opt/homebrew/sbin"))
START_S = 240.0


def why_not() -> str | None:
    """Why no RabbitMQ can be started here; None when one can."""
    if sys.platform != "linux":
        return "the RabbitMQ test node needs Linux"
    if _program("rabbitmq-server") is None or shutil.which("erl") is None:
        return "RabbitMQ is not installed (Debian: apt-get install rabbitmq-server)"
    return None


def _program(name: str) -> str | None:
    """The package's own script: the one on PATH of a Debian package insists on being root or rabbitmq."""
    return next((str(folder / name) for folder in PROGRAMS if (folder / name).exists()), shutil.which(name))


class RabbitMQ:
    """One node on loopback, a child of this process. `kill` and `start` again keep its data."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port, self._dist_port, self._epmd_port = lasting_port(), lasting_port(), lasting_port()
        self._name = f"bullpen-{uuid4().hex[:8]}@localhost"
        self._child: subprocess.Popen[bytes] | None = None
        self._log = folder / "output.log"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "home").mkdir(exist_ok=True)
        (folder / "enabled_plugins").write_text("[].\n")
        (folder / "rabbitmq.conf").write_text(f"listeners.tcp.1 = 127.0.0.1:{self._port}\nloopback_users.guest = true\n")

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@127.0.0.1:{self._port}//"

    @property
    def _env(self) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": str(self._folder / "home"),  # of the Erlang cookie
            "LANG": "C.UTF-8",
            "ERL_EPMD_PORT": str(self._epmd_port),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RUNNING_UNDER_SYSTEMD": "true",  # no shell between us and the node, so that it ends with us
            "RABBITMQ_NODENAME": self._name,
            "RABBITMQ_NODE_PORT": str(self._port),
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_DIST_PORT": str(self._dist_port),
            "RABBITMQ_MNESIA_BASE": str(self._folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(self._folder / "log"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self._folder / "enabled_plugins"),
            "RABBITMQ_CONFIG_FILE": str(self._folder / "rabbitmq"),
            "RABBITMQ_CONF_ENV_FILE": str(self._folder / "no-such-file"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 2:2 -kernel inet_dist_use_interface {127,0,0,1}",
        }

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def start(self) -> None:
        """Return once it takes connections."""
        program = _program("rabbitmq-server")
        assert program is not None
        with self._log.open("ab") as output:
            self._child = subprocess.Popen(
                [program], stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=self._folder,
                env=self._env, start_new_session=True, preexec_fn=die_with_the_test,
            )  # fmt: skip
        deadline = time.monotonic() + START_S
        while not self._answers():
            assert self._child.poll() is None, f"RabbitMQ ended at its start:\n{self._log.read_text()[-3000:]}"
            assert time.monotonic() < deadline, f"RabbitMQ was not ready in time:\n{self._log.read_text()[-3000:]}"
            time.sleep(0.2)

    def _answers(self) -> bool:
        """A greeting, not only a port that listens: the node has to know its users by then."""
        import amqp

        try:
            with amqp.Connection(f"127.0.0.1:{self._port}", userid="guest", password="guest", connect_timeout=5):  # noqa: S106
                return True
        except (OSError, amqp.exceptions.AMQPError):
            return False

    def control(self, *command: str) -> None:
        """Run `rabbitmqctl`."""
        program = _program("rabbitmqctl")
        assert program is not None
        subprocess.run([program, "-n", self._name, *command], env=self._env, check=True, capture_output=True, timeout=START_S)

    def kill(self) -> None:
        """End the node at once, its helpers too."""
        if self._child is None:
            return
        for pid in _session(self._child.pid):
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                continue
        self._child.wait()
        self._child = None

    def restart(self) -> None:
        """kill -9 and start again on the same data."""
        self.kill()
        self._wait_port_free()
        self.start()

    def _wait_port_free(self) -> None:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self._port)) != 0:
                    return
            time.sleep(0.1)

    def stop(self) -> None:
        """End the node, and the port mapper that it brought along."""
        self.kill()
        for pid in _by_environment(f"ERL_EPMD_PORT={self._epmd_port}"):
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                continue


def _session(leader: int) -> list[int]:
    """The processes of a session that we started."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                session = int((entry / "stat").read_text().rpartition(")")[2].split()[3])
            except (OSError, ValueError, IndexError):
                continue
            if session == leader:
                found.append(int(entry.name))
    return found


def _by_environment(entry: str) -> list[int]:
    """Processes with this in their environment, as only those have that our node started."""
    found: list[int] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                if entry.encode() in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
            except OSError:
                continue
    return found
