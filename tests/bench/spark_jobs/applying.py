"""The first fix of a job, applied as the report gives it and run: what it promised, and what it brought."""

import json
import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.spark import RunFacts
from contracts.tune.plan import Fix, TuningReport
from tests.bench.spark_jobs.bundles import Label
from workers.engines.spark.eventlog import read_run
from workers.kinds.tune.rules.advice.rewrites.patches import apply_diff

ON_SPARK = Path(__file__).with_name("on_spark.py")
LIMIT_S = 3000
SLOWER = 0.05
"""Of the time before: a fix that makes a job slower by more has done harm."""


@dataclass(frozen=True)
class Applied:
    """A fix that was run."""

    id: str
    kind: str
    promised: float | None
    """Share of the time before."""
    low: float | None
    high: float | None
    """The likely range of the saved share."""
    before_ms: int
    after_ms: int

    @property
    def got(self) -> float:
        """The share that was saved."""
        return 1 - self.after_ms / self.before_ms


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


def run_pairs(python: Path, folder: Path, pairs: Sequence[tuple[Label, Fix]], rounds: int, of: str) -> list[Applied]:
    """Each pair so many times, before and after in turn; the median counts."""
    made = [job for label, fix in pairs for job in jobs_of(label, fix, folder / "fixed")]
    for number in range(rounds):
        listed = folder / f"applied-{number}.json"
        listed.write_text(json.dumps(made))
        command = [str(python), str(ON_SPARK), "run", str(folder / "data"), str(folder / "applied" / str(number)), str(listed), of]
        subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=True)
    return collected(folder, pairs)


def collected(folder: Path, pairs: Sequence[tuple[Label, Fix]]) -> list[Applied]:
    """From the logs that are there, of the pairs that have some of both."""
    taken: dict[str, list[int]] = {}
    for log in sorted((folder / "applied").glob("*/*/*")):
        if not log.name.endswith(".inprogress"):
            taken.setdefault(log.parent.name, []).append(_wall_ms(read_run(log)))
    whole = [(label, fix) for label, fix in pairs if {f"{label.id}-before", f"{label.id}-after"} <= taken.keys()]
    return [_applied(label, fix, taken) for label, fix in whole]


def _wall_ms(run: RunFacts) -> int:
    return max(1, run.wall_ms or 1)


def _applied(label: Label, fix: Fix, taken: dict[str, list[int]]) -> Applied:
    gain = fix.gain
    return Applied(
        id=label.id,
        kind=str(fix.kind),
        promised=gain.saved_share if gain else None,
        low=1 - gain.high_ms / gain.before_ms if gain else None,
        high=1 - gain.low_ms / gain.before_ms if gain else None,
        before_ms=round(statistics.median(taken[f"{label.id}-before"])),
        after_ms=round(statistics.median(taken[f"{label.id}-after"])),
    )


def figures(cases: Sequence[Applied]) -> dict[str, float]:
    """How many helped, how far the estimates were off (as a share of the time after), how often the range held, and harm done."""
    given = [case for case in cases if case.promised is not None]
    errors = [abs((1 - (case.promised or 0)) * case.before_ms - case.after_ms) / case.after_ms for case in given]
    held = [(case.low or 0) <= case.got <= (case.high or 0) for case in given]
    return {
        "applied": len(cases),
        "helped": round(sum(case.got > 0 for case in cases) / max(1, len(cases)), 3),
        "median_error": round(statistics.median(errors), 3) if errors else 0.0,
        "interval_held": round(sum(held) / max(1, len(held)), 3),
        "slower": sum(case.got < -SLOWER for case in cases),
    }
