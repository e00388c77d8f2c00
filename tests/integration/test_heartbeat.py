"""Who judges a process by its heartbeat, whatever hangs it: itself without the interpreter, its supervisor, and a probe."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.servers import lasting_port
from workers import heartbeat
from workers.heartbeat import FILE, Heartbeat, Listener
from workers.local import group
from workers.local.group import ProcessGroup

HOLDER = """
import ctypes, sys, threading
from workers.heartbeat import Heartbeat

def hold_the_interpreter():
    ctypes.PyDLL(None).sleep(3600)

Heartbeat(float(sys.argv[1])).start()
print("holds", flush=True)
hold_the_interpreter()
"""
STOPPED = """
import os, signal
from pathlib import Path
from workers.heartbeat import Heartbeat
Heartbeat(3600, Path(os.environ["BULLPEN_HEARTBEAT"])).start()
os.kill(os.getpid(), signal.SIGSTOP)
"""
GATEWAY = """
import sys, time
from types import SimpleNamespace
from fastapi import FastAPI
from workers.gateway.serving import serve
from workers.heartbeat import Heartbeat

app = FastAPI()
app.state.gateway = SimpleNamespace(feed=SimpleNamespace(close=lambda: None))

@app.get("/hang")
async def hang() -> None:
    time.sleep(3600)  # not the interpreter: only the event loop

serve(app, "127.0.0.1", int(sys.argv[1]), heart=Heartbeat(3))
"""
PATIENCE_S = 120.0


def python(code: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", code, *arguments]


def test_a_process_whose_interpreter_is_held_ends_itself_with_the_place_in_its_log() -> None:
    done = subprocess.run(python(HOLDER, "2"), capture_output=True, text=True, timeout=PATIENCE_S, check=False)

    assert (done.returncode, done.stdout) == (1, "holds\n")
    assert "hold_the_interpreter" in done.stderr


def test_a_gateway_whose_event_loop_is_blocked_ends_itself() -> None:
    port = lasting_port()
    process = subprocess.Popen(python(GATEWAY, str(port)), stderr=subprocess.PIPE, text=True)
    try:
        give_up_at = time.monotonic() + PATIENCE_S
        while process.poll() is None and time.monotonic() < give_up_at:
            subprocess.run(
                python(f"import urllib.request as r; r.urlopen('http://127.0.0.1:{port}/hang', timeout=10)"),
                capture_output=True,
                check=False,
            )
        assert process.poll() == 1
        assert "in hang" in process.communicate()[1]
    finally:
        process.kill()


def test_a_member_that_does_not_even_end_itself_is_killed_and_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group, "JUDGED_LATER_S", 0.0)
    members = ProcessGroup({"a": python(STOPPED)}, {}, tmp_path, hung_after_s=2.0)
    members.start()
    before, give_up_at = members.pids(), time.monotonic() + PATIENCE_S
    try:
        while members.pids() == before or not members.pids():
            assert time.monotonic() < give_up_at
            members.watch_once()
            time.sleep(0.05)
    finally:
        for pid in members.pids().values():
            os.kill(pid, signal.SIGKILL)
        members.stop()


def test_a_member_without_a_heartbeat_is_not_judged(tmp_path: Path) -> None:
    members = ProcessGroup({"a": python("import time; time.sleep(3600)")}, {}, tmp_path, hung_after_s=1.0)
    members.start()
    before = members.pids()
    for member in members._members:
        assert member.heart is not None
        member.heart.silent_s = 1e9

    members.watch_once()

    assert members.pids() == before
    members.stop()


def test_only_time_in_which_somebody_listened_is_silence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that slept, or a supervisor that was stopped, finds nobody dead."""
    now = 1000.0
    monkeypatch.setattr(heartbeat.time, "monotonic", lambda: now)
    listener = Listener(tmp_path / "a.beat")
    assert listener.look() == 0.0, "it has not begun to beat"
    listener.path.touch()
    assert listener.look() == 0.0

    now += 3600
    assert listener.look() <= heartbeat.BEAT_S
    for _ in range(20):
        now += 0.5
        listener.look()
    assert listener.silent_s >= 10.0
    os.utime(listener.path, ns=(1, 1))
    assert listener.look() == 0.0


def test_the_probe_asks_for_the_heartbeat_of_its_own_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "deep" / "a.beat"
    monkeypatch.delenv(FILE, raising=False)
    assert heartbeat.main([]) == 2
    monkeypatch.setenv(FILE, str(path))
    assert heartbeat.main([]) == 1
    beating = Heartbeat(3600, path)
    try:
        beating.beat()
        assert heartbeat.main([]) == 0
        os.utime(path, (time.time() - 60, time.time() - 60))
        assert heartbeat.main([]) == 1
        assert heartbeat.main(["90"]) == 0
        beating.beat()
        assert heartbeat.main([]) == 0
    finally:
        heartbeat.faulthandler.cancel_dump_traceback_later()
    assert "60 s ago" in capsys.readouterr().err


def test_the_probe_imports_nothing_of_the_fleet() -> None:
    """It runs every few seconds in every container."""
    code = (
        "import sys, workers.heartbeat; print(*sorted(m for m in sys.modules if m.split('.')[0] in ('workers', 'contracts', 'pydantic')))"
    )
    done = subprocess.run(python(code), capture_output=True, text=True, timeout=PATIENCE_S, check=True)

    assert done.stdout.split() == ["workers", "workers.heartbeat"]
