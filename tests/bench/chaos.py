"""Fifteen kinds of faults on the real fleet: `make chaos`, or `python -m tests.bench.chaos [--jobs 1000] [--only mixed] [--seed 1]`.

Each kind has servers and a fleet of its own: two coordinators, a worker for each of two roles, and a gateway. Jobs of three stages stream
in as rows, by the Redis stream (or the queue of RabbitMQ) and by HTTP, while a fault happens every few seconds. The table says how many
were lost, doubled, stuck or failed, how many effects happened twice, and how many poisonous steps were not set aside.
"""

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from tests.support.chaos import KINDS, Outcome, brew
from tests.support.rabbitmq import why_not


def width(name: str) -> int:
    """Of a column."""
    return max(len(name) + 1, 5)


def main() -> int:
    """Run the kinds one after the other, and print their table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1_000)
    parser.add_argument("--only", action="append", help="a part of the name of a kind; may be given more than once")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=float, default=4.0, help="seconds between two faults")
    parser.add_argument(
        "--within", type=float, default=1_800.0, help="seconds for which each kind is played; fewer jobs if it takes longer"
    )
    parser.add_argument("--together", action="store_true", help="all roles and the coordinator in one process, twice")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    outcomes: list[Outcome] = []
    counted = ("lost", "doubled", "stuck", "failed", "effects twice", "not set aside")
    print(f"{'fault':26} {'jobs':>6} {'faults':>7} {' '.join(f'{name:>{width(name)}}' for name in counted)} {'s':>7}")
    for kind in KINDS:
        if given.only and not any(part.lower() in kind.lower() for part in given.only):
            continue
        if "RabbitMQ" in kind and (reason := why_not()):
            print(f"{kind:26} not run: {reason}")
            continue
        with tempfile.TemporaryDirectory(prefix="bullpen-chaos-") as folder:
            done = brew(
                Path(folder), kind, jobs=given.jobs, seed=given.seed, every_s=given.every, within_s=given.within, together=given.together
            )
        outcomes.append(done)
        figures = " ".join(f"{getattr(done, name.replace(' ', '_')):{width(name)}}" for name in counted)
        print(f"{done.kind:26} {done.jobs:6} {done.faults:7} {figures} {done.took_s:7.0f}", flush=True)
    if given.json:
        given.json.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=1))
    return 0 if all(outcome.is_clean for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
