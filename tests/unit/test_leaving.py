"""The end of a command, as a shell sees it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def ended(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", f"from workers.cli.leaving import leave\n{script}"],
        capture_output=True, text=True, cwd=ROOT, timeout=120, check=False,
    )  # fmt: skip


def test_a_command_leaves_with_its_code_its_output_and_what_was_registered_for_the_end() -> None:
    """Nothing that was printed is lost in a pipe, and temporary folders and servers are cleared away."""
    done = ended(
        "import atexit, tempfile, pathlib, sys\n"
        "folder = tempfile.TemporaryDirectory()\n"
        "atexit.register(lambda: print('registered', pathlib.Path(folder.name).is_dir()))\n"
        "print('printed'); print('told', file=sys.stderr); print(folder.name)\n"
        "leave(7)\nprint('never')"
    )

    printed, folder, registered = done.stdout.splitlines()
    assert (done.returncode, printed, registered, done.stderr) == (7, "printed", "registered True", "told\n")
    assert not Path(folder).exists()


def test_a_thread_that_still_works_is_waited_for() -> None:
    done = ended(
        "import threading\n"
        "go = threading.Event()\n"
        "threading.Thread(target=lambda: (go.wait(60), print('worked'))).start()\n"
        "leave(0)\nprint('the long way'); go.set()"
    )

    assert (done.returncode, done.stdout.splitlines()) == (0, ["the long way", "worked"])
