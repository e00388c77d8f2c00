"""Runs every pair a number of times, before and after in turn, and keeps the times of all runs and one log of each."""

import json
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from contracts.spark import RunFacts
from tests.bench.spark_pairs.logs import kept
from tests.bench.spark_pairs.pairs import FIXTURES, MEASURED, PAIRS, Pair
from workers.engines.spark.eventlog import read_run

JOBS = Path(__file__).with_name("jobs.py")
LIMIT_S = 900
"""Of all rounds of a pair; they take one to three minutes."""


@dataclass
class Times:
    """What a pair's runs took, in the order they were made."""

    before_ms: list[int] = field(default_factory=list)
    after_ms: list[int] = field(default_factory=list)
    load: list[float] = field(default_factory=list)
    """Of the machine over the last minute, after each round: others work on it too."""


def action_ms(run: RunFacts) -> int:
    """From the first job's submission to the last one's end: start and end of the application are not the jobs'."""
    began = [job.submitted_at for job in run.jobs if job.submitted_at is not None]
    ended = [job.completed_at for job in run.jobs if job.completed_at is not None]
    return max(ended) - min(began)


def measure(python: Path, folder: Path, rounds: int, only: tuple[str, ...]) -> None:
    """Run so many rounds of each pair and keep what they took; the log kept is that of the run before the fix that is nearest to the
    median."""
    FIXTURES.mkdir(exist_ok=True)
    for pair in PAIRS:
        if only and pair.name not in only:
            continue
        logs = folder / "logs" / pair.name
        shutil.rmtree(logs, ignore_errors=True)
        times = Times(load=_run(python, folder, pair, logs, rounds)[1:])
        for number in range(1, rounds + 1):
            times.before_ms.append(action_ms(read_run(_log(logs, "before", number))))
            times.after_ms.append(action_ms(read_run(_log(logs, "after", number))))
        middle = statistics.median(times.before_ms)
        nearest = min(range(rounds), key=lambda place: abs(times.before_ms[place] - middle))
        kept(_log(logs, "before", nearest + 1), pair.log, (folder, JOBS.parent))
        _store(pair, times)
        print(f"{pair.name}: {times}", file=sys.stderr, flush=True)


def _run(python: Path, folder: Path, pair: Pair, logs: Path, rounds: int) -> list[float]:
    """The machine's load after each round, the first one included, which is not counted."""
    command = [str(python), str(JOBS), pair.name, str((folder / "data" / pair.name).resolve()), str(logs), str(rounds)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    if done.returncode:
        raise RuntimeError(f"{pair.name} failed:\n{done.stderr[-2000:]}")
    return [float(line) for line in done.stdout.split()]


def _log(logs: Path, mode: str, number: int) -> Path:
    return next(iter((logs / f"{mode}-{number}").iterdir()))


def _store(pair: Pair, times: Times) -> None:
    held = json.loads(MEASURED.read_text()) if MEASURED.exists() else {}
    held[pair.name] = vars(times)
    ordered = {pair.name: held[pair.name] for pair in PAIRS if pair.name in held}
    MEASURED.write_text("{\n" + ",\n".join(f' "{name}": {json.dumps(taken)}' for name, taken in ordered.items()) + "\n}\n")
