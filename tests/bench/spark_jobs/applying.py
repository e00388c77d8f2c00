"""The first fix of a job, applied as the report gives it and run: what it promised, and what it brought."""

import json
import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from contracts.spark import RunFacts
from contracts.tune.plan import Fix, TuningReport
from tests.bench.spark_jobs.bundles import Label
from workers.engines.likely import UNMODELLED
from workers.engines.spark.eventlog import read_run
from workers.kinds.tune.rules.advice.rewrites.patches import apply_diff

ON_SPARK = Path(__file__).with_name("on_spark.py")
MEASURED = Path(__file__).with_name("measured.jsonl")
"""What the fixes brought that were applied and run."""

LIMIT_S = 3000
SLOWER = 0.05
"""Of the time before: a fix that makes a job slower by more has done harm."""


@dataclass(frozen=True)
class Applied:
    """A fix that was run."""

    id: str
    kind: str
    estimated_ms: tuple[int, int, int, int] | None
    """(before, after, low, high) as the report gives them; None where it estimates nothing."""
    before_ms: tuple[int, ...]
    """Of each round, as the next."""
    after_ms: tuple[int, ...]
    unmodelled: float = UNMODELLED
    """The part of the likely range that is not drawn, when it was estimated."""

    @property
    def left(self) -> float:
        """The share of the time that is left, by the median of the rounds: both runs of a round had about the same share of the machine."""
        return statistics.median(after / before for before, after in zip(self.before_ms, self.after_ms, strict=True))

    @property
    def got(self) -> float:
        """The share that was saved."""
        return 1 - self.left

    @property
    def estimated(self) -> tuple[float, float, float] | None:
        """(middle, low, high) of the share that is left."""
        if self.estimated_ms is None:
            return None
        before, after, low, high = self.estimated_ms
        return after / before, low / before, high / before

    @property
    def error(self) -> float | None:
        """Of the estimated time after, in proportion to the measured one."""
        return abs(self.estimated[0] / self.left - 1) if self.estimated else None

    @property
    def is_inside(self) -> bool:
        """What was measured lies in the likely range."""
        return self.estimated is not None and self.estimated[1] <= self.left <= self.estimated[2]


def can_be_applied(report: TuningReport) -> Fix | None:
    """The first fix, where it is lines or settings and not words alone."""
    fix = next(iter(report.fixes), None)
    return fix if fix is not None and (fix.diff or fix.configuration) else None


def jobs_of(label: Label, fix: Fix, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """(the job as it was, the job with the fix), as `on_spark.py` takes them."""
    text = label.script.read_text()
    changed = apply_diff(fix.diff, text) if fix.diff else text
    if changed is None:
        raise RuntimeError(f"the diff for {label.id} does not apply")
    script = folder / f"{label.id}-fixed{label.script.suffix}"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(changed)
    settings = {**label.conf, **{setting.name: setting.value for setting in fix.configuration}}
    before = {"id": f"{label.id}-before", "conf": label.conf, "script": str(label.script.resolve())}
    return before, {"id": f"{label.id}-after", "conf": settings, "script": str(script.resolve())}


def first_logs(label: Label, folder: Path) -> Path:
    """Of the first round's run before the fix."""
    return folder / "applied" / "0" / f"{label.id}-before"


def warming(job: dict[str, Any]) -> dict[str, Any]:
    """The same job, under a name of which nothing is collected."""
    return {**job, "id": f"{job['id']}-warming"}


def run_pairs(python: Path, folder: Path, pairs: Sequence[tuple[Label, Fix]], rounds: int, of: str) -> None:
    """Each pair so many times; the median counts. In every other round the fixed job goes first, and before each pair the job runs once
    uncounted: they share a Java machine, in which the second of two alike runs is faster."""
    made = [jobs_of(label, fix, folder / "fixed") for label, fix in pairs]
    for number in range(rounds):
        listed = folder / f"applied-{number}.json"
        turns = [(warming(before), *((after, before) if number % 2 else (before, after))) for before, after in made]
        listed.write_text(json.dumps([job for turn in turns for job in turn]))
        command = [str(python), str(ON_SPARK), "run", str(folder / "data"), str(folder / "applied" / str(number)), str(listed), of]
        subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=True)


def collected(folder: Path, pairs: Sequence[tuple[Label, Fix]]) -> list[Applied]:
    """From the logs that are there: of each pair the rounds that have both."""
    taken: dict[tuple[str, str], int] = {}
    for log in sorted((folder / "applied").glob("*/*/*")):
        if not log.name.endswith(".inprogress"):
            taken[log.parent.parent.name, log.parent.name] = _wall_ms(read_run(log))
    rounds = sorted({number for number, _ in taken})
    found: list[Applied] = []
    for label, fix in pairs:
        whole = [number for number in rounds if {(number, f"{label.id}-before"), (number, f"{label.id}-after")} <= taken.keys()]
        if whole:
            before, after = (tuple(taken[number, f"{label.id}-{which}"] for number in whole) for which in ("before", "after"))
            found.append(Applied(label.id, str(fix.kind), _estimated(fix), before, after))
    return found


def _wall_ms(run: RunFacts) -> int:
    return max(1, run.wall_ms or 1)


def _estimated(fix: Fix) -> tuple[int, int, int, int] | None:
    gain = fix.gain
    return (gain.before_ms, gain.after_ms, gain.low_ms, gain.high_ms) if gain else None


def figures(cases: Sequence[Applied]) -> dict[str, float]:
    """How many helped, how far the estimates were off (as a share of the time after), how often the range held, and harm done."""
    errors = [case.error for case in cases if case.error is not None]
    return {
        "applied": len(cases),
        "helped": round(sum(case.got > 0 for case in cases) / max(1, len(cases)), 3),
        "median_error": round(statistics.median(errors), 3) if errors else 0.0,
        "estimated": len(errors),
        "inside": sum(case.is_inside for case in cases),
        "slower": sum(case.got < -SLOWER for case in cases),
    }


def kept(cases: Sequence[Applied], of: str) -> None:
    """Write what was measured of a set beside the labels, in place of what was there of the set."""
    others = [row for row in _rows() if row["set"] != of]
    rows = [*others, *({"set": of, **asdict(case)} for case in cases)]
    MEASURED.write_text("".join(json.dumps(row) + "\n" for row in rows))


def measured() -> list[tuple[str, Applied]]:
    """(set, fix) of all that was kept."""
    return [
        (
            row["set"],
            Applied(
                id=row["id"],
                kind=row["kind"],
                estimated_ms=tuple(row["estimated_ms"]) if row["estimated_ms"] else None,
                before_ms=tuple(row["before_ms"]),
                after_ms=tuple(row["after_ms"]),
                unmodelled=row["unmodelled"],
            ),
        )
        for row in _rows()
    ]


def _rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in MEASURED.read_text().splitlines()] if MEASURED.exists() else []
