"""`bullpen init`: from files in a folder to the first answers about them, on a fleet that is started for it."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.servers import lasting_port

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(900)]  # a guard against a hang, on a busy machine too

ROOT = Path(__file__).parents[2]
TICKETS = """ticket_id,description,root_cause,solution
T1,"Checkout hangs. Sessions wait on locks, pg_stat_activity shows idle in transaction.",Idle transaction holds locks,Terminated it
T2,"Reports are slow after the import. EXPLAIN shows a nested loop.",Stale planner statistics,ANALYZE
"""


def test_what_lies_in_a_folder_is_taken_in_answered_and_said_as_commands(tmp_path: Path):
    folder, home = tmp_path / "mine", tmp_path / "home"
    folder.mkdir()
    (folder / "incidents.csv").write_text(TICKETS, encoding="utf-8")
    with sqlite3.connect(folder / "shop.db") as shop:
        shop.execute("CREATE TABLE orders (order_id INTEGER PRIMARY KEY, city TEXT)")
        shop.executemany("INSERT INTO orders (city) VALUES (?)", [("Ulm",), ("Ulm",), ("Kiel",)])
    port = str(lasting_port())  # the usual one is free for each fleet that looks before another's gateway listens
    environment = {**os.environ, "BULLPEN_HOME": str(home), "PYTHONPATH": str(ROOT), "COLUMNS": "80", "BULLPEN_GATEWAY_PORT": port}
    environment.pop("BULLPEN_SECRETS", None)

    ended = subprocess.run(
        [sys.executable, "-m", "workers.cli.main", "init", "--yes"],
        env=environment, cwd=folder, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip

    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "Idle transaction holds locks" in ended.stdout.partition("$ bullpen submit diagnose")[2]
    assert "Ulm   2" in ended.stdout.partition("$ bullpen ask")[2]
    commands = ended.stdout.partition("What was done, as commands:")[2]
    assert "bullpen tickets import incidents.csv\n" in commands
    assert "bullpen source add shop --url shop.db\n" in commands
    assert "bullpen ask 'How many orders are there per city?' --source shop\n" in commands
    assert (home / "secrets.env").stat().st_mode & 0o777 == 0o600
    assert json.loads((home / "init.json").read_text())["left"] == []
