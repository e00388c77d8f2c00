"""A MariaDB of a test's own, from the system's package (Debian: mariadb-server): own port and folder."""

import os
import pwd
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import mkdtemp
from types import TracebackType
from typing import Any, Self

import pymysql

from tests.support.death import die_with_the_test
from tests.support.servers import lasting_port

START_S = 60.0


def why_not() -> str | None:
    """Why no MariaDB can be started here; None when one can."""
    if sys.platform != "linux":
        return "the MariaDB test server needs Linux"
    if shutil.which("mariadb-install-db") is None or _server() is None:
        return "MariaDB is not installed (Debian: apt-get install mariadb-server)"
    return None


def _server() -> str | None:
    return shutil.which("mariadbd") or next((path for path in ("/usr/sbin/mariadbd", "/usr/libexec/mariadbd") if Path(path).exists()), None)


class MariaDB:
    """One server on loopback, a child of this process."""

    def __init__(self) -> None:
        self._folder = Path(mkdtemp(prefix="mdb-"))  # short: the path of a socket has at most 107 bytes
        self._port = lasting_port()
        self._child: subprocess.Popen[bytes] | None = None
        self._account = "mysql" if os.getuid() == 0 and _exists("mysql") else None

    def __enter__(self) -> Self:
        data = self._folder / "data"
        tables = self._folder / "tmp"  # a server that starts removes each `#sql*` of its tmpdir, also those of others
        for folder in (data, tables):
            folder.mkdir()
        if self._account:
            for path in (self._folder, data, tables):
                shutil.chown(path, self._account)
        user = [f"--user={self._account}"] if self._account else []
        made = subprocess.run(
            [
                "mariadb-install-db",
                "--no-defaults",
                f"--datadir={data}",
                f"--tmpdir={tables}",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                *user,
            ],
            capture_output=True,
            timeout=120,
        )
        assert made.returncode == 0, made.stderr.decode()[-2000:]
        program = _server()
        assert program is not None
        log = (self._folder / "server.log").open("ab")
        self._child = subprocess.Popen(
            [
                program,
                "--no-defaults",
                f"--datadir={data}",
                f"--tmpdir={tables}",
                f"--port={self._port}",
                "--bind-address=127.0.0.1",
                "--innodb-flush-log-at-trx-commit=0",
                f"--socket={self._folder / 's'}",
                f"--pid-file={self._folder / 'pid'}",
                *user,
            ],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=die_with_the_test,
        )
        log.close()
        deadline = time.monotonic() + START_S
        while not ((self._folder / "s").exists() and (self._folder / "pid").exists()):  # a connection that fails leaves its socket open
            assert self._child.poll() is None, (self._folder / "server.log").read_text()[-2000:]
            assert time.monotonic() < deadline, "MariaDB was not ready in time"
            time.sleep(0.1)
        self.execute("CREATE USER admin@'127.0.0.1' IDENTIFIED BY 'secret'", "GRANT ALL ON *.* TO admin@'127.0.0.1' WITH GRANT OPTION")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def execute(self, *statements: str) -> list[Any]:
        """As root, over the socket; the rows of the last statement."""
        connection = pymysql.connect(unix_socket=str(self._folder / "s"), user="root", autocommit=True)
        rows: list[Any] = []
        try:
            with connection.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
                    rows = list(cursor.fetchall())
        finally:
            connection.close()
        return rows

    def url(self, user: str, database: str) -> str:
        return f"mysql://{user}:secret@127.0.0.1:{self._port}/{database}"


def _exists(account: str) -> bool:
    try:
        pwd.getpwnam(account)
    except KeyError:
        return False
    return True
