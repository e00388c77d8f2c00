"""Every job through the product, and how its report compares with what is known of the job."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from contracts.jobs import EngineChoice
from contracts.statements import Name
from contracts.tune.plan import TuningReport
from contracts.verdicts import Severity
from tests.bench.spark_jobs.bundles import Label, bundle
from workers.bundles import bring
from workers.evaluation.bench import EmbeddedBench, embedded_bench
from workers.kinds.registry import load_kinds
from workers.kinds.tune.rules.saying import parts_of
from workers.settings import Settings, load_settings


@dataclass(frozen=True)
class Judged:
    """What the product says of a job."""

    id: str
    half: str
    is_healthy: bool
    found: str
    class_right: bool
    kind_right: bool
    place_right: bool
    advice_right: bool
    """The first fix is one of those that help; of a healthy job, nothing is advised."""
    forbidden: tuple[str, ...] = ()
    fixes: tuple[dict[str, Any], ...] = ()
    problems: tuple[str, ...] = field(default=())


@contextmanager
def bench() -> Generator[EmbeddedBench]:
    """The product in this process, without vectors."""
    settings: Settings = load_settings().model_copy(update={"embeddings": "none"})
    load_kinds(settings.extensions)
    with embedded_bench(settings, lambda what, total: _Silent(), print) as made:
        yield made


class _Silent:
    def __enter__(self) -> Callable[[int], None]:
        return self._note

    def _note(self, done: int) -> None:
        """Show nothing."""

    def __exit__(self, *error: object) -> None:
        return None


def report_of(made: EmbeddedBench, label: Label, folder: Path, logs: Path | None = None) -> TuningReport | None:
    """The product's report of a job, by default of the run that is judged; None where the job was not run, or failed."""
    path = bundle(label, folder, logs)
    if path is None:
        return None
    ref = bring(made.database, made.settings, [path], owner="default").ref
    done = made.run_job({"kind": "tune", "bundle": ref}, EngineChoice.RULES)
    return TuningReport.model_validate(done.result) if done.result is not None else None


def judged(label: Label, report: TuningReport) -> Judged:
    """The report held against the label."""
    found = report.classification.tuning_class.value
    problems = [verdict for verdict in report.verdicts if verdict.severity is Severity.PROBLEM]
    kinds = [str(fix.kind) for fix in report.fixes]
    first = report.fixes[0] if report.fixes else None
    lead = next((report.verdicts[place] for place in first.verdicts[:1]), None) if first else next(iter(problems), None)
    lines = {spot.line for spot in lead.blame.spots[:1]} if lead else set[int]()
    named = " ".join(fix.diff for fix in report.fixes[:1])
    line = label.line() if label.place else 0
    return Judged(
        id=label.id,
        half=label.half,
        is_healthy=label.is_healthy,
        found=found,
        class_right=found == label.label,
        kind_right=label.is_healthy or (lead is not None and str(lead.kind) in label.kinds),
        place_right=label.is_healthy or line in lines or label.place in named or _names_line(report, line),
        advice_right=not kinds if label.is_healthy else next(iter(kinds), "") in label.advice,
        forbidden=tuple(kind for kind in kinds if kind in label.forbidden),
        fixes=tuple(
            {"kind": str(fix.kind), "saved": fix.gain.saved_share if fix.gain else None, "diff": bool(fix.diff)} for fix in report.fixes
        ),
        problems=tuple(str(verdict.kind) for verdict in problems),
    )


def _names_line(report: TuningReport, line: int) -> bool:
    """The text of the first fix names the line."""
    wanted = str(line)
    texts = [text for fix in report.fixes[:1] for text in (fix.title, fix.what)]
    return any(isinstance(part, Name) and part.text == wanted for text in texts for part in parts_of(text))


def figures(cases: Sequence[Judged]) -> dict[str, float]:
    """The shares over some cases; of the problems, and of the healthy ones."""
    ill = [case for case in cases if not case.is_healthy]
    well = [case for case in cases if case.is_healthy]
    return {
        "jobs": len(cases),
        "class_right": _share([case.class_right for case in cases]),
        "kind_right": _share([case.kind_right for case in ill]),
        "place_right": _share([case.place_right for case in ill]),
        "advice_right": _share([case.advice_right for case in ill]),
        "healthy_left_alone": _share([case.advice_right for case in well]),
        "forbidden_advice": sum(bool(case.forbidden) for case in cases),
    }


def as_row(case: Judged) -> dict[str, Any]:
    """For a file of details."""
    return asdict(case)


def _share(right: Sequence[bool]) -> float:
    return round(sum(right) / len(right), 3) if right else 0.0
