"""The what-if replay against reality: `python -m tests.bench.spark_pairs run --spark-python PATH --out DIR [--rounds 5] [--only NAMES]`.

`run` needs an interpreter with PySpark 3.5 and Java 17 (docs/tuning-whatif.md).
"""

import argparse
import sys
from pathlib import Path

from tests.bench.spark_pairs.running import measure


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.spark_pairs", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run the pairs on local Spark and keep what they took")
    run.add_argument("--spark-python", type=Path, required=True, help="an interpreter that has PySpark")
    run.add_argument("--out", type=Path, required=True, help="a folder for data and logs")
    run.add_argument("--rounds", type=int, default=5)
    run.add_argument("--only", default="", help="names of pairs, comma-separated")
    told = parser.parse_args()
    measure(told.spark_python, told.out, told.rounds, tuple(filter(None, told.only.split(","))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
