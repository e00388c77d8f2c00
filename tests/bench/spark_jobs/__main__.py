"""The jobs: `python -m tests.bench.spark_jobs run --spark-python PATH --out DIR [--rows N] [--only NAMES]` makes the tables and runs

them; `... judge --out DIR [--half held_out]` takes each run through the product; `... apply --spark-python PATH --out DIR` applies
the first fix of each job as the report gives it, and runs it. `run` and `apply` need an interpreter with PySpark 3.5, and Java 17.
`... ranges` takes what was measured so far.
"""

import argparse
import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from contracts.tune.plan import Fix
from tests.bench.spark_jobs import applying, judging, ranges
from tests.bench.spark_jobs.bundles import HALVES, SETS, Label, labels
from workers.evaluation.bench import EmbeddedBench

ROWS = 1_000_000


def main() -> int:
    """The exit code: 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.spark_jobs")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("run", "judge", "apply"):
        command = commands.add_parser(name)
        command.add_argument("--out", type=Path, required=True, help="a folder for tables and logs")
        command.add_argument("--only", default="", help="names of jobs, comma-separated")
        command.add_argument("--set", choices=SETS, default="shop", help="whose tables and jobs; each set needs a folder of its own")
        command.add_argument("--half", choices=HALVES, help="one half of the split")
        if name != "judge":
            command.add_argument("--spark-python", type=Path, required=True, help="an interpreter that has PySpark")
    commands.choices["run"].add_argument("--rows", type=int, default=ROWS)
    commands.choices["apply"].add_argument("--rounds", type=int, default=3, help="0: read the logs of earlier rounds")
    commands.add_parser("ranges", help="how often the likely ranges hold, by cross-validation over pairs and applied fixes")
    options = parser.parse_args()
    if options.command == "ranges":
        ranges.show()
        return 0
    wanted = [label for label in labels(options.half, options.set) if not options.only or label.id in options.only.split(",")]
    if options.command == "run":
        run(options.spark_python, options.out, options.rows, wanted, options.set)
    elif options.command == "judge":
        judge(options.out, wanted)
    else:
        apply(options.spark_python, options.out, wanted, options.rounds, options.set)
    return 0


def run(python: Path, out: Path, rows: int, wanted: list[Label], of: str) -> None:
    """Make the tables, unless they are there, and run the jobs."""
    script = str(Path(__file__).with_name("on_spark.py"))
    out.mkdir(parents=True, exist_ok=True)
    if not (out / "data" / "tables.json").exists():
        subprocess.run([str(python), script, "tables", str(out / "data"), str(rows), of], check=True)
    listed = out / "jobs.json"
    listed.write_text(json.dumps([{"id": label.id, "conf": label.conf, "script": str(label.script.resolve())} for label in wanted]))
    subprocess.run([str(python), script, "run", str(out / "data"), str(out / "logs"), str(listed), of], check=True)


def judge(out: Path, wanted: list[Label]) -> None:
    """Print each case and the figures of each half."""
    cases: list[judging.Judged] = []
    with judging.bench() as bench:
        for label in wanted:
            report = judging.report_of(bench, label, out)
            if report is None:
                print(f"{label.id}: not run", file=sys.stderr)
                continue
            cases.append(judging.judged(label, report))
            print(json.dumps(judging.as_row(cases[-1])))
    for half in HALVES:
        of_half = [case for case in cases if case.half == half]
        if of_half:
            print(json.dumps({"half": half, **judging.figures(of_half)}))


def apply(python: Path, out: Path, wanted: list[Label], rounds: int, of: str) -> None:
    """Run each job with its first fix, and print what it brought. The estimate is the one of the first round's run before the fix, which
    a run of the same job has warmed up like those it is compared with; the run that was judged was not."""
    with judging.bench() as bench:
        pairs = [(label, fix) for label in wanted if (fix := first_fix(bench, label, out))]
        if rounds:
            applying.run_pairs(python, out, pairs, rounds, of)
        again = [(label, first_fix(bench, label, out, applying.first_logs(label, out)), fix) for label, fix in pairs]
    applied = applying.collected(out, [(label, same if same and same.kind == fix.kind else fix) for label, same, fix in again])
    for case in applied:
        error = None if case.error is None else round(case.error, 3)
        print(json.dumps({**asdict(case), "got": round(case.got, 3), "error": error, "inside": case.is_inside}))
    applying.kept(applied, of)
    print(json.dumps(applying.figures(applied)))


def first_fix(bench: EmbeddedBench, label: Label, out: Path, logs: Path | None = None) -> Fix | None:
    """The first fix of a run's report, where it can be applied."""
    report = judging.report_of(bench, label, out, logs)
    return applying.can_be_applied(report) if report else None


if __name__ == "__main__":
    sys.exit(main())
