"""A group of processes: started, restarted, stopped together, and never left behind."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from tests.support.living import lives, wait_until
from workers.cli import init
from workers.errors import ConfigurationError
from workers.local.fleet import flower_socket, gateway_socket
from workers.local.group import ProcessGroup
from workers.local.process import Keeper
from workers.settings import Settings

SLEEPER = [sys.executable, "-c", "import time; time.sleep(60)"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)",
]

OWNER = """
import sys, time
from pathlib import Path
from workers.local.group import ProcessGroup
from workers.local.process import Keeper
group = ProcessGroup({"a": [sys.executable, "-c", "import time; time.sleep(60)"]}, {}, Path(sys.argv[1]))
group.start()
print(group.pids()["a"], flush=True)
time.sleep(60)
"""


def test_a_member_that_dies_is_started_again(tmp_path: Path) -> None:
    group = ProcessGroup({"a": SLEEPER, "b": SLEEPER}, {}, tmp_path)
    group.start()
    before = group.pids()

    os.kill(before["a"], signal.SIGKILL)
    wait_until(lambda: "a" not in group.pids())
    group.watch_once()

    after = group.pids()
    group.stop()
    assert after["b"] == before["b"]
    assert after["a"] != before["a"]


def test_a_fleet_of_a_command_is_watched_on_after_an_error_and_stopped_whatever_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of another kind ended the keeper: nobody watched the processes any more, and they were left behind."""

    class Failing(ProcessGroup):
        fails = True

        def watch_once(self) -> None:
            if self.fails:
                self.fails = False
                raise OSError("no memory")
            super().watch_once()

    group = Failing({"a": SLEEPER}, {}, tmp_path)
    monkeypatch.setattr(init, "_is_working", lambda: False)
    monkeypatch.setattr(init, "load_settings", lambda: Settings(home=tmp_path))
    monkeypatch.setattr(init, "local_servers", nullcontext)
    monkeypatch.setattr(init, "fleet_group", lambda *_: (group, {}))
    monkeypatch.setattr(init, "write_addresses", lambda *_: None)

    with init._fleet():
        wait_until(lambda: not group.fails)
        before = group.pids()["a"]
        os.kill(before, signal.SIGKILL)
        wait_until(lambda: group.pids().get("a", before) != before)
        after = group.pids()["a"]
    assert not lives(after)


GREETER = """
import os, socket, time
client, _ = socket.socket(fileno=int(os.environ["BULLPEN_LISTENING_FD"])).accept()
client.sendall(b"here")
time.sleep(60)
"""


def test_a_member_takes_over_the_port_that_was_taken_for_it_and_a_second_fleet_gets_another_one(tmp_path: Path) -> None:
    """Two fleets that started at once both found 8420 free, and the gateway of one started for ever."""
    taken = socket.create_server(("127.0.0.1", 0))
    settings = Settings(gateway_address="127.0.0.1", gateway_port=taken.getsockname()[1])
    other = gateway_socket(settings)
    group = ProcessGroup({"gateway": [sys.executable, "-c", GREETER]}, {}, tmp_path, sockets={"gateway": taken})

    group.start()

    assert other.getsockname()[1] != settings.gateway_port
    with socket.create_connection(("127.0.0.1", settings.gateway_port), timeout=60) as client:
        assert client.recv(4) == b"here"
    group.stop()
    other.close()


TAKES_OVER = """
import os, socket, flower.app
from workers.cli.flower_tasks import prepare_flower
prepare_flower(os.environ["BULLPEN_LISTENING_FD"])
print(flower.app.bind_sockets(5555, address="127.0.0.1")[0].getsockname()[1], flush=True)
"""


def test_flower_takes_over_the_port_that_was_taken_for_it(tmp_path: Path) -> None:
    """Its port was one that had been free a moment before."""
    first = socket.create_server(("127.0.0.1", 0))
    taken = flower_socket(Settings(flower_address="127.0.0.1", flower_port=first.getsockname()[1]))
    first.close()
    port = taken.getsockname()[1]
    group = ProcessGroup({"flower": [sys.executable, "-c", TAKES_OVER]}, {}, tmp_path, sockets={"flower": taken})

    group.start()

    wait_until(lambda: str(port) in (tmp_path / "flower.log").read_text())
    group.stop()


def test_a_keeper_s_thread_starts_a_member_again_that_was_killed(tmp_path: Path) -> None:
    """The fleet of `bullpen init` lost a member for good: another thread than the main one started nothing."""
    group = ProcessGroup({"a": SLEEPER}, {}, tmp_path)
    group.start()
    before = group.pids()["a"]
    os.kill(before, signal.SIGKILL)
    found: list[int] = []

    def look_after() -> None:
        wait_until(lambda: (group.watch_once(), group.pids().get("a", before) != before)[1])
        found.append(group.pids()["a"])
        group.stop()

    keeper = Keeper(target=look_after)
    keeper.start()
    keeper.join()

    assert found
    assert group.pids() == {}


def test_an_address_that_is_not_this_machine_s_is_said_at_once() -> None:
    with pytest.raises(ConfigurationError, match="BULLPEN_GATEWAY_ADDRESS"):
        gateway_socket(Settings(gateway_address="192.0.2.1"))


def test_members_run_in_the_folder_of_their_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative `PYTHONPATH` means the same to them as to the command that started them."""
    (tmp_path / "naming.py").write_text("print('my kind', flush=True)\n")
    monkeypatch.chdir(tmp_path)
    group = ProcessGroup({"a": [sys.executable, "-P", "-c", "import naming"]}, {"PYTHONPATH": "."}, tmp_path / "logs")

    group.start()

    wait_until(lambda: "my kind" in (tmp_path / "logs" / "a.log").read_text())
    group.stop()


def test_a_member_that_keeps_dying_is_given_pauses(tmp_path: Path) -> None:
    group = ProcessGroup({"a": [sys.executable, "-c", "raise SystemExit('no such module')"]}, {}, tmp_path)
    pauses: list[float] = []

    def died_three_times() -> bool:
        group.watch_once()
        pauses[:] = [entry["again_in_s"] for entry in told if entry["event"] == "process_died"]
        return len(pauses) == 3

    with capture_logs() as told:
        group.start()
        wait_until(died_three_times)
    running = group.pids()
    group.stop()

    assert pauses == [0.0, 1.0, 2.0]
    assert {entry["last"] for entry in told if entry["event"] == "process_died"} == {"no such module"}
    assert running == {}, "it has its pause"


def test_a_member_that_does_not_listen_is_ended_after_the_grace(tmp_path: Path) -> None:
    group = ProcessGroup({"deaf": STUBBORN}, {}, tmp_path, grace_s=0.3)
    group.start()
    pid = group.pids()["deaf"]
    wait_until(lambda: "up" in (tmp_path / "deaf.log").read_text())

    group.stop()

    assert not lives(pid)


def test_an_orderly_stop_leaves_nothing_and_starts_nothing_again(tmp_path: Path) -> None:
    group = ProcessGroup({"a": SLEEPER, "b": SLEEPER}, {}, tmp_path)
    group.start()
    pids = list(group.pids().values())

    group.stop()
    group.watch_once()

    assert group.pids() == {}
    assert not any(lives(pid) for pid in pids)


@pytest.mark.skipif(sys.platform != "linux", reason="only the Linux kernel ends children with their owner")
def test_a_killed_owner_takes_its_members_with_it(tmp_path: Path) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
    assert owner.stdout is not None
    member = int(owner.stdout.readline())
    assert lives(member)

    owner.kill()
    owner.wait()
    owner.stdout.close()

    wait_until(lambda: not lives(member))
