"""The page to hand over: what was reported, what was checked and what came of it, what is likely, and what to check next.

It can be made at any time: while the job waits for an answer, and after it has ended.
"""

from collections.abc import Iterator, Sequence

from pydantic import ValidationError

from contracts.checks import Gathered
from contracts.diagnose.deliverables import AnswerReading, Diagnosis, Finding, Hypothesis, PhenomenonItem, PhenomenonQuestion
from contracts.diagnose.request import DiagnoseRequest
from contracts.statements import Shown, code, name, passage, quote, say, share, term
from workers.checks.view import gathered_blocks, title_of
from workers.kinds.base import Handing
from workers.kinds.diagnose.playbook import EVIDENCE
from workers.kinds.diagnose.rules.known import Dialogue, latest_findings, read_all, unread_words, with_heard
from workers.kinds.diagnose.view import solution_blocks
from workers.saying.document import Block, CodeBlock, Column, Document, Fact, Facts, Heading, Item, Items, Paragraph, Table

_LIKELY = 5
"""Causes that are named."""
_RESULT = {
    Finding.CONFIRMED: term("diagnose.handover.confirmed"),
    Finding.DENIED: term("diagnose.handover.denied"),
    Finding.UNKNOWN: term("diagnose.handover.unknown"),
}
_ORDER = (Finding.CONFIRMED, Finding.DENIED, Finding.UNKNOWN)


def hand_over(job: Handing) -> Document | None:
    """The page. None for a job whose content is of another form."""
    try:
        request = DiagnoseRequest.model_validate(job.request)
        dialogue = [(PhenomenonQuestion.model_validate(detail), answer) for detail, answer in job.answered]
        waiting = None if job.open is None else PhenomenonQuestion.model_validate(job.open)
        found = None if job.result is None else Diagnosis.model_validate(job.result)
    except ValidationError:
        return None
    return Document(title=say("diagnose.handover.title"), blocks=tuple(_blocks(job, request, dialogue, waiting, found)))


def _blocks(
    job: Handing, request: DiagnoseRequest, dialogue: Dialogue, waiting: PhenomenonQuestion | None, found: Diagnosis | None
) -> Iterator[Block]:
    dialogue = with_heard(dialogue, waiting.heard if waiting is not None else found.heard if found is not None else ())
    readings = read_all(dialogue)
    yield Facts(facts=(Fact(label=term("diagnose.handover.job"), value=name(str(job.job_id))),))
    yield Heading(text=term("diagnose.handover.reported"))
    yield Paragraph(text=passage(request.description))
    reported = waiting.reported if waiting is not None else found.reported if found is not None else ()
    if given := [*(text for reading in readings for text in reading.observations), *reported]:
        yield Items(items=tuple(Item(text=passage(text)) for text in given))
    if unread := unread_words(dialogue):
        yield Paragraph(text=term("diagnose.report.unread"))
        yield Items(items=tuple(Item(text=passage(text)) for text in unread))
    looked = found.gathered if found is not None else _looked(job)
    if looked is None or dialogue:
        yield Heading(text=term("diagnose.handover.checked"))
        yield from _checked(dialogue, readings)
    if looked is not None:
        yield Heading(text=title_of(looked))
        yield from gathered_blocks(looked)
    if found is None and waiting is None:
        yield from _at_work(dialogue)
        return
    yield from _likely(found, waiting)
    yield from _next(job, found, waiting)
    if found is not None:
        yield from solution_blocks(found, by_person=job.by_person)


def _looked(job: Handing) -> Gathered | None:
    """What was found in the system before anything was asked."""
    content = job.stage(EVIDENCE)
    try:
        return None if content is None else Gathered.model_validate(content)
    except ValidationError:  # the stage does not apply
        return None


def _checked(dialogue: Dialogue, readings: Sequence[AnswerReading]) -> Iterator[Block]:
    findings = sorted(latest_findings(dialogue, readings).values(), key=lambda pair: _ORDER.index(pair[1]))
    if not findings:
        yield Paragraph(text=say("diagnose.handover.nothing_checked"))
        return
    columns = (
        Column(title=term("diagnose.handover.result"), wraps=False),
        Column(title=term("diagnose.handover.what")),
        Column(title=term("diagnose.handover.how")),
    )
    yield Table(columns=columns, rows=tuple(_row(item, finding) for item, finding in findings))


def _row(item: PhenomenonItem, finding: Finding) -> tuple[Shown, ...]:
    method = item.observation_method.strip()
    how: Shown = passage(method) if method else say("diagnose.handover.no_method")
    return _RESULT[finding], passage(item.description), how


def _likely(found: Diagnosis | None, waiting: PhenomenonQuestion | None) -> Iterator[Block]:
    causes: list[tuple[str, float]] = []
    if found is not None and found.root_cause is not None:
        causes.append((found.root_cause, found.confidence))
    rest: Sequence[Hypothesis] = found.alternatives if found is not None else waiting.hypotheses if waiting is not None else ()
    causes += [(hypothesis.root_cause, hypothesis.confidence) for hypothesis in rest]
    yield Heading(text=term("diagnose.handover.likely"))
    if not causes:
        yield Paragraph(text=say("diagnose.headline.nothing_near"))
        return
    stated = [say("diagnose.handover.cause", cause=quote(cause), share=share(part)) for cause, part in causes[:_LIKELY]]
    yield Items(items=tuple(Item(text=text) for text in stated))


def _at_work(dialogue: Dialogue) -> Iterator[Block]:
    """Nothing is asked and nothing is found while the fleet works: what stood before the last answer still says what is likely."""
    yield Paragraph(text=say("diagnose.handover.at_work_since") if dialogue else say("diagnose.handover.at_work"))
    if dialogue:
        yield from _likely(None, dialogue[-1][0])


def _next(job: Handing, found: Diagnosis | None, waiting: PhenomenonQuestion | None) -> Iterator[Block]:
    """What is asked now with its checks; of an ended job what it would have asked, or what else the named cause shows."""
    items = waiting.items if waiting is not None else found.to_check if found is not None else ()
    open_ones = found.not_checked if found is not None else ()
    yield Heading(text=term("diagnose.handover.next"))
    if items:
        yield Items(items=tuple(_to_check(item) for item in items), is_numbered=True)
    elif open_ones:
        yield Items(items=tuple(Item(text=passage(text)) for text in open_ones))
    elif found is not None:
        yield Paragraph(text=say("diagnose.handover.nothing_next"))
    if found is not None:
        yield Paragraph(text=say("diagnose.handover.add", command=code(f'bullpen instruct {job.job_id} "..."')))


def _to_check(item: PhenomenonItem) -> Item:
    method = item.observation_method.strip()
    return Item(text=passage(item.description), blocks=(CodeBlock(text=method),) if method else ())
