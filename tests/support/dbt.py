"""dbt, in an environment of its own: it needs versions of packages that our own tools do not take."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

DBT = Path(sys.prefix, "dbt", "bin", "dbt")
"""Made by `make test` from requirements-dbt.lock."""

needs_dbt = pytest.mark.skipif(not DBT.exists(), reason=f"dbt is not installed in {DBT.parent}: run `make test`, which tries")


def build(project: Path) -> subprocess.CompletedProcess[str]:
    """`dbt build` in a project, offline."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    quiet = {"DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "DO_NOT_TRACK": "1", "NO_COLOR": "1", "HOME": str(project), "PYTHONUTF8": "1"}
    return subprocess.run(
        [str(DBT), "--warn-error-options", '{"error": ["Deprecations"]}', "build", "--profiles-dir", "."],
        cwd=project, capture_output=True, text=True, env={**kept, **quiet}, check=False,
    )  # fmt: skip
