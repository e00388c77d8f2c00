"""Readers attacked in a process of their own: one that falls, falls alone."""

import json
import subprocess
import sys

from tests.support.campaign import IS_LONG


def attacked(module: str, *arguments: str, timeout_s: float) -> tuple[int, list[str]]:
    """How many attacks the readers of `python -m tests.support.MODULE` were read with, and those to which one fell. `timeout_s`: of the
    short form."""
    run = subprocess.run(
        [sys.executable, "-m", f"tests.support.{module}", *arguments],
        capture_output=True,
        text=True,
        timeout=3_000 if IS_LONG else timeout_s,
        check=False,
    )
    lines = run.stdout.splitlines()
    assert run.returncode == 0, f"the system ended the process, or it failed: {lines[-1:]} {run.stderr[-2000:]}"
    return json.loads(lines[-1])["attacks"], lines[:-1]
