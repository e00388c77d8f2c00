"""Runs a script of Scala in Spark's shell. Runs beside `on_spark.py`."""

import os
import re
import subprocess
import time
from pathlib import Path

import pyspark

HOME = Path(pyspark.__file__).parent
ERROR = re.compile(r"^(?:\S+\.)?\w+(?:Exception|Error)\b.*|.*: error: .*", re.MULTILINE)
LIMIT_S = 600


def run_scala(script: Path, name: str, master: str, settings: dict[str, str]) -> tuple[float, str]:
    """(seconds with the start of the shell, the error's first line). The whole file is one unit, as `:paste` takes it; at the end of its
    input the shell ends."""
    command = [str(HOME / "bin" / "spark-shell"), "--master", master, "--name", name, "-i", str(script)]
    for key, value in settings.items():
        command += ["--conf", f"{key}={value}"]
    started = time.perf_counter()
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        env={**os.environ, "SPARK_HOME": str(HOME)},
        check=False,
    )
    found = ERROR.search(done.stdout + done.stderr)
    return round(time.perf_counter() - started, 2), found[0][:200] if found else ""
