"""Members that are forks of the process that watches them: processes of their own in all but their imports."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.support.living import lives, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere members are executed")

ROOT = Path(__file__).parents[2]
BEGIN = """
import atexit, json, os, signal, sys, threading, time
from pathlib import Path
from workers.local.group import ProcessGroup
kept = open(os.devnull)
atexit.register(print, "the end of", os.getpid())
"""
OWNER = (
    BEGIN
    + """
def work(command):
    mine = [file.resolve() for file in Path("/proc/self/fd").iterdir() if int(file.name) > 2]
    print(json.dumps({
        "command": command, "mark": os.environ["MARK"], "leads": os.getsid(0) == os.getpid(), "folder": os.getcwd(),
        "files": [str(file) for file in mine if str(file) == os.devnull], "stdin": os.readlink("/proc/self/fd/0"),
        "main": threading.current_thread() is threading.main_thread(), "term": signal.getsignal(signal.SIGTERM) == signal.SIG_DFL,
    }), flush=True)
    time.sleep(60)
group = ProcessGroup({"a": ["bullpen", "worker", "--all", *["-"] * 40]}, {"MARK": "here"}, Path(sys.argv[1]), run=work)
signal.signal(signal.SIGTERM, lambda *_: None)
group.start()
print(group.pids()["a"], flush=True)
time.sleep(60)
"""
)
ENDS = (
    BEGIN
    + """
def work(command):
    threading.Thread(target=lambda: (time.sleep(0.3), print("a thread was waited for")), daemon=False).start()
    atexit.register(print, "its own end")
    raise SystemExit(3)
group = ProcessGroup({"a": ["bullpen"]}, {}, Path(sys.argv[1]), run=work)
group.start()
child = group._members[0].child
child._process.wait(60)
print(child.exit_code, flush=True)
"""
)


def owner(code: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True, cwd=ROOT)


def test_a_forked_member_has_its_own_session_environment_log_name_and_signals_and_ends_with_its_owner(tmp_path: Path) -> None:
    with owner(OWNER, tmp_path) as running:
        assert running.stdout is not None
        pid = int(running.stdout.readline())
        log = tmp_path / "a.log"
        wait_until(lambda: log.exists() and log.read_text().endswith("\n"))

        found = json.loads(log.read_text())
        command = ["bullpen", "worker", "--all", *["-"] * 40]
        shown = psutil.Process(pid).cmdline()
        variables = psutil.Process(running.pid).environ()
        running.send_signal(signal.SIGKILL)

    assert found == {
        "command": command, "mark": "here", "leads": True, "folder": str(ROOT), "files": [],
        "stdin": os.devnull, "main": True, "term": True,
    }  # fmt: skip
    assert shown == command
    assert "PATH" in variables, "only the fork gave its place up"
    wait_until(lambda: not lives(pid))


def test_a_forked_member_ends_as_a_program_does_and_its_owner_has_the_code(tmp_path: Path) -> None:
    with owner(ENDS, tmp_path) as running:
        output = running.communicate(timeout=60)[0]

    assert output == f"3\nthe end of {running.pid}\n"
    assert (tmp_path / "a.log").read_text() == f"a thread was waited for\nits own end\nthe end of {running.pid}\n"
