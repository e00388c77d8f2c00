"""PostgreSQL 18 with pgvector, run from a wheel. It needs no installation, configuration or Docker."""

import secrets
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, ClassVar

import psycopg

from workers.local.account import Account, hand_over, unprivileged_account, way_to
from workers.local.binaries import postgres_programs
from workers.local.errors import DataFolderInUse, ServerStartFailed
from workers.local.orphans import read_pid, serves
from workers.local.postgres_roles import ADMIN, FLEET, drop_helper, provide, split_role
from workers.local.process import LOOPBACK, Child, Launch
from workers.local.server import EmbeddedServer
from workers.loggers import get_logger

log = get_logger(__name__)

_INITDB_TIMEOUT_S = 120.0
_SETTINGS = {
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "",  # TCP only: the path of a socket may have at most 107 bytes
    "max_connections": "200",
}
_UNSAFE_BUT_FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class EmbeddedPostgres(EmbeddedServer):
    """A cluster with one database, `bullpen`, on its own data folder.

    The folder holds `data` (the cluster), `password` and `admin-password` (mode 0600), `server.log`, and the owner's lock. If root starts
    it, the server runs under an unprivileged account, which then owns `data`. The fleet's role is no superuser (`postgres_roles.py`).
    """

    name: ClassVar[str] = "postgres"
    programs: ClassVar[tuple[str, ...]] = ("postgres",)
    stop_signal: ClassVar[signal.Signals] = signal.SIGINT  # "fast": SIGTERM would wait for every client

    _account: Account | None = None
    _programs_dir: Path = Path()

    @property
    def url(self) -> str:
        """A libpq URL with the password. Raises `ServerStartFailed` before the first start."""
        return f"postgresql://{FLEET}:{self._password()}@{LOOPBACK}:{self.port}/{FLEET}"

    @property
    def admin_url(self) -> str:
        """The URL of the administrator, who is a superuser. No process of the fleet uses it."""
        return f"postgresql://{ADMIN}:{self._admin_password()}@{LOOPBACK}:{self.port}/postgres"

    def _connect(self, role: str, database: str) -> psycopg.Connection[Any]:
        password = self._password() if role == FLEET else self._admin_password()
        return psycopg.connect(
            host=LOOPBACK, port=self.port, user=role, password=password, dbname=database, connect_timeout=5, autocommit=True
        )

    def _prepare(self) -> None:
        self._account = unprivileged_account(self.store)
        self._programs_dir = postgres_programs(self._account)
        if not self.store.exists():
            self._create_cluster()
        elif self._account and self.store.stat().st_uid == 0:
            hand_over(self.store, self._account)  # root may have restored the folder from a copy
        self._drop_stale_pid_file()

    def _spawn(self, port: int) -> Child:
        speed = {} if self.durable else _UNSAFE_BUT_FAST
        settings = {**_SETTINGS, "port": str(port), **speed, **self.options}
        with way_to(self.store, self._account) as (folder, pass_fds):
            command = [self._programs_dir / "postgres", "-D", folder]
            for key, value in settings.items():
                command += ["-c", f"{key}={value}"]
            return Child(Launch(self.name, command, self.stop_signal, self.log_path, self._account, pass_fds))

    def _why_not_ready(self) -> str | None:
        """Only our own server accepts the random password."""
        try:
            self._settle_roles()
        except psycopg.OperationalError as error:
            return str(error).strip()
        return None

    def _settle_roles(self) -> None:
        """The administrator, the fleet's role and its database, also on a cluster of a release that had one role."""
        if not self._admin_password_path().exists():
            _keep_password(self._admin_password_path(), secrets.token_urlsafe(24))
        try:
            provide(self._connect, self._password())
        except psycopg.OperationalError as refused:
            if "authentication failed" not in str(refused):
                raise
            split_role(self._connect, self._password(), self._admin_password())
            provide(self._connect, self._password())
        drop_helper(self._connect)

    def _may_retry(self, failure: ServerStartFailed) -> bool:
        """After a kill -9 of the server, its children may need a moment to end."""
        if "pre-existing shared memory block" in str(failure):
            time.sleep(0.5)
            return True
        return super()._may_retry(failure)

    def _create_cluster(self) -> None:
        """Run initdb in a temporary folder and rename it, so that a cluster is either complete or absent."""
        unfinished = self.data_dir / "data.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        if self._account:
            hand_over(unfinished, self._account)
        _keep_password(self._password_path(), secrets.token_urlsafe(24))
        password = secrets.token_urlsafe(24)
        _keep_password(self._admin_password_path(), password)
        with tempfile.TemporaryDirectory(prefix="bullpen-") as folder:
            password_file = Path(folder, "password")
            password_file.write_text(password)
            if self._account:
                hand_over(Path(folder), self._account)
            self._run_initdb(unfinished, password_file)
        unfinished.rename(self.store)
        log.info("cluster_created", folder=str(self.store), uid=self.store.stat().st_uid)

    def _run_initdb(self, cluster: Path, password_file: Path) -> None:
        with (
            way_to(cluster, self._account) as (folder, cluster_fds),
            way_to(password_file.parent, self._account) as (password_folder, password_fds),
        ):
            command = [
                *(self._programs_dir / "initdb", "-D", folder, "-U", ADMIN),
                *("--auth=scram-sha-256", f"--pwfile={password_folder / password_file.name}"),
                # Postgres' own C.UTF-8: the sort order of texts is the same on every machine and never changes.
                *("--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
                # The system's locale is used only to classify characters for text search; macOS has no C.UTF-8.
                "--locale=C.UTF-8" if sys.platform == "linux" else "--locale=en_US.UTF-8",
                *(() if self.durable else ("--no-sync",)),
            ]
            fds = cluster_fds + password_fds
            child = Child(Launch("initdb", command, signal.SIGTERM, self.log_path, self._account, fds))
            try:
                child.wait_done(_INITDB_TIMEOUT_S)
            finally:
                child.stop()

    def _drop_stale_pid_file(self) -> None:
        """Remove the pid file of a dead server: Postgres would take any process with that pid for the server."""
        note = self.store / "postmaster.pid"
        pid = read_pid(note)
        if pid is not None and serves(pid, self.programs, self.store):
            raise DataFolderInUse(
                f"A PostgreSQL server that Bullpen did not start (process {pid}) runs on {self.store}. "
                f"Stop it (kill -INT {pid}), or choose another data folder."
            )
        if note.exists():
            note.unlink()
            log.warning("stale_pid_file_removed", path=str(note), pid=pid)

    def _password_path(self) -> Path:
        return self.data_dir / "password"

    def _admin_password_path(self) -> Path:
        return self.data_dir / "admin-password"

    def _admin_password(self) -> str:
        return self._admin_password_path().read_text()

    def _password(self) -> str:
        try:
            return self._password_path().read_text()
        except FileNotFoundError:
            raise ServerStartFailed(
                f"The password of the database is missing ({self._password_path()}). Call start() first; if "
                f"the file was lost, restore it, or remove {self.data_dir} to begin with an empty database."
            ) from None


def _keep_password(path: Path, password: str) -> None:
    """Write a file that only its owner can read, from its first moment on."""
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_text(password)
