"""The demo as the README shows it: each line that it prints there is a line that the demo prints, with vectors and without."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(600)]

README = Path(__file__).parents[2] / "README.md"


def test_the_demo_prints_what_the_readme_shows(tmp_path: Path) -> None:
    shown = re.search(r"```text\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    assert shown is not None
    wanted = [line for line in shown[1].splitlines() if line.strip() not in ("", "...")]
    assert len(wanted) > 8
    ways = ("auto", "none")
    with ThreadPoolExecutor(len(ways)) as at_once:  # each waits for its servers and processes most of the time
        played = list(at_once.map(lambda embeddings: play_the_demo(tmp_path / embeddings, embeddings), ways))
    for embeddings, printed in zip(ways, played, strict=True):
        assert [line for line in wanted if line.rstrip() not in printed] == [], embeddings
        assert all(len(line) <= 80 for line in printed)


def play_the_demo(home: Path, embeddings: str) -> list[str]:
    """The lines that the demo prints on 80 columns."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BULLPEN_")}
    environment |= {"COLUMNS": "80", "BULLPEN_EMBEDDINGS": embeddings, "BULLPEN_HOME": str(home), "LANG": "C.UTF-8"}
    command = [sys.executable, "-m", "workers.cli.main", "demo"]
    played = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert played.returncode == 0, played.stderr[-2000:]
    return [line.rstrip() for line in played.stdout.splitlines()]
