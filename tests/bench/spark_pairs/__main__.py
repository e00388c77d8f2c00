"""The what-if replay against reality: `python -m tests.bench.spark_pairs predict [--json]`, and

`python -m tests.bench.spark_pairs run --spark-python PATH --out DIR [--rounds 5] [--only NAMES]`.

`predict` reads what is kept of the runs. `run` makes them again: it needs an interpreter with PySpark 3.5, and Java 17
(workers/engines/spark/whatif/README.md).
"""

import argparse
import sys
from pathlib import Path

from tests.bench.spark_pairs import prediction
from tests.bench.spark_pairs.running import measure


def main() -> int:
    """The exit code: 0 when the pairs ran, or when the median error is within the target."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.spark_pairs")
    commands = parser.add_subparsers(dest="command", required=True)
    predict = commands.add_parser("predict", help="the replay's speed-up of each pair beside the measured one")
    predict.add_argument("--json", action="store_true")
    run = commands.add_parser("run", help="run the pairs on local Spark and keep what they took")
    run.add_argument("--spark-python", type=Path, required=True, help="an interpreter that has PySpark")
    run.add_argument("--out", type=Path, required=True, help="a folder for data and logs")
    run.add_argument("--rounds", type=int, default=5)
    run.add_argument("--only", default="", help="names of pairs, comma-separated")
    options = parser.parse_args()
    if options.command == "predict":
        return prediction.run(as_json=options.json)
    measure(options.spark_python, options.out, options.rounds, tuple(filter(None, options.only.split(","))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
