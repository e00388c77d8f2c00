"""The example of docs/extending.md is a working kind: played by its commands, and its parts by themselves."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from workers.cli.main import app

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "naming.py"
COLUMNS = "id, customerName, order_date, Total, qty, unitPrice, note"


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kind") / "naming.py"
    path.write_text(EXAMPLE.read_text("utf-8"), "utf-8")
    return path


def run(*arguments: str, module: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    """The program itself: a module registers its kind once a process."""
    program = [sys.executable, "-m", "workers.cli.main", *arguments]
    return subprocess.run(program, cwd=module.parent, capture_output=True, text=True, timeout=120, env={**environment(module), **more})


def environment(module: Path) -> dict[str, str]:
    root = str(Path(__file__).parents[2])
    return {
        **os.environ,
        "PYTHONPATH": f"{root}:{module.parent}",
        "BULLPEN_EMBEDDINGS": "none",
        "BULLPEN_HOME": str(module.parent / "home"),
    }


def test_the_example_asks_grows_its_plan_and_reports(module: Path) -> None:
    """The answer is given; three batches of columns are checked, each stage added by the one before."""
    done = run("try", "naming.py", COLUMNS, "--answer", "snake", "--json", module=module)

    said = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert said["status"] == "succeeded"
    assert said["result"] == {"style": "snake", "columns": 7, "wrong": ["customerName", "Total", "unitPrice"]}


def test_the_example_s_report_is_printed_as_its_view_makes_it(module: Path) -> None:
    """The fleet may have the module as an extension already."""
    done = run("try", "naming.py", COLUMNS, "--set", "style=camel", module=module, BULLPEN_EXTENSIONS="naming")

    assert done.returncode == 0, done.stderr
    assert "2 of 7 columns are not in camel style." in done.stdout
    assert "check/3" in done.stdout


def test_the_example_s_option_and_feedback_are_in_the_help(module: Path) -> None:
    env = {**environment(module), "BULLPEN_EXTENSIONS": "naming", "COLUMNS": "120"}
    program = [sys.executable, "-m", "workers.cli.main"]
    submit = subprocess.run([*program, "submit", "naming", "--help"], capture_output=True, text=True, timeout=180, env=env, check=True)
    feedback = subprocess.run([*program, "feedback", "--help"], capture_output=True, text=True, timeout=180, env=env, check=True)

    assert "--style" in submit.stdout
    assert "The style that is right." in submit.stdout
    assert "--useful" in feedback.stdout


def test_a_module_that_cannot_be_tried_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("", "utf-8")
    (tmp_path / "broken.py").write_text("import nothing_like_this", "utf-8")

    nothing = CliRunner().invoke(app, ["try", str(tmp_path / "empty.py")])
    broken = CliRunner().invoke(app, ["try", str(tmp_path / "broken.py")])
    missing = CliRunner().invoke(app, ["try", str(tmp_path / "missing.py")])

    assert (nothing.exit_code, broken.exit_code, missing.exit_code) == (2, 2, 2)
    assert "registers no kind of job" in nothing.output
    assert "nothing_like_this" in broken.output
    assert "There is no file" in missing.output
