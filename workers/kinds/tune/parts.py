"""The pages of a tuning report that go beyond what is read first: drawings of its time, every fix with its diff, the evidence."""

from collections.abc import Iterator

from pydantic import ValidationError

from contracts.base import Json
from contracts.statements import term
from contracts.tune.plan import TuningReport
from workers.kinds.base import Part, ShowOptions
from workers.kinds.tune.report.basis import code_shown, gaps_shown, generated_shown, hypotheses_shown, reading_shown
from workers.kinds.tune.report.findings import findings_shown, scores_shown
from workers.kinds.tune.report.fixes import fixes_shown
from workers.kinds.tune.report.stages import parts_shown, spreads_shown, timeline_shown
from workers.kinds.tune.report.time import time_shown
from workers.saying.document import Block, Document


def parts(content: Json, options: ShowOptions) -> tuple[Part, ...]:
    """The pages that have something on them; none for content that is no report."""
    del options
    try:
        report = TuningReport.model_validate(content)
    except ValidationError:
        return ()
    made = (
        ("time", term("tune.part.time"), tuple(_time(report))),
        ("fixes", term("tune.part.fixes"), tuple(fixes_shown(report, details=True))),
        ("evidence", term("tune.part.evidence"), tuple(_evidence(report))),
    )
    return tuple(Part(name=name, document=Document(title=title, blocks=blocks)) for name, title, blocks in made if blocks)


def _time(report: TuningReport) -> Iterator[Block]:
    if report.time is None:
        return
    yield from time_shown(report, details=True)
    yield from parts_shown(report.time)
    yield from timeline_shown(report)
    yield from spreads_shown(report)


def _evidence(report: TuningReport) -> Iterator[Block]:
    yield from scores_shown(report)
    yield from findings_shown(report, details=True)
    yield from code_shown(report)
    yield from generated_shown(report)
    yield from hypotheses_shown(report)
    yield from reading_shown(report, details=True)
    yield from gaps_shown(report, details=True)
