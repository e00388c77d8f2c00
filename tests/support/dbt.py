"""dbt, in an environment of its own: it needs versions of packages that our own tools do not take."""

import atexit
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.support.death import die_with_the_test

DBT = Path(sys.prefix, "dbt", "bin", "dbt")
"""Made by `make test` from requirements-dbt.lock."""

needs_dbt = pytest.mark.skipif(not DBT.exists(), reason=f"dbt is not installed in {DBT.parent}: run `make test`, which tries")

_QUIET = {"DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "DO_NOT_TRACK": "1", "NO_COLOR": "1", "PYTHONUTF8": "1"}
_ARGUMENTS = ("--warn-error-options", '{"error": ["Deprecations"]}', "build", "--profiles-dir", ".")
_LOADED = """
import json, os, sys
from dbt.cli.main import cli
import dbt.adapters.duckdb, dbt.task.build
for line in sys.stdin:
    order = json.loads(line)
    if (pid := os.fork()) == 0:
        os.chdir(order["project"])
        os.environ["HOME"] = order["project"]
        output = os.open(order["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        sys.argv = ["dbt", *order["arguments"]]
        cli()
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""
"""A dbt that has loaded itself, which takes longer than a build: it forks for each build."""


def build(project: Path) -> subprocess.CompletedProcess[str]:
    """`dbt build` in a project, offline."""
    return subprocess.run(
        [str(DBT), *_ARGUMENTS], cwd=project, capture_output=True, text=True, env=_environment() | {"HOME": str(project)}, check=False
    )


def build_again(project: Path) -> subprocess.CompletedProcess[str]:
    """The same, in a process that did not have to load dbt."""
    output = project.with_name(f"{project.name}.output")
    host = _host()
    assert host.stdin is not None
    assert host.stdout is not None
    host.stdin.write(json.dumps({"project": str(project), "output": str(output), "arguments": _ARGUMENTS}) + "\n")
    host.stdin.flush()
    answer = host.stdout.readline()
    assert answer, "the process that forks dbt has ended; what it wrote to stderr says why"
    return subprocess.CompletedProcess(["dbt", *_ARGUMENTS], int(answer), output.read_text("utf-8"), "")


@cache
def _host() -> subprocess.Popen[str]:
    host = subprocess.Popen(
        [str(DBT.with_name("python")), "-c", _LOADED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment(), text=True,
        preexec_fn=die_with_the_test,
    )  # fmt: skip
    atexit.register(host.__exit__, None, None, None)  # closes the pipes and waits
    return host


def _environment() -> dict[str, str]:
    return {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ} | _QUIET
