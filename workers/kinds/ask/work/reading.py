"""The question as a query over the tables of a source, and a follow-up as a change of the question before it."""

from collections.abc import Sequence

from contracts.ask.results import Reading, ReadingStatus, Understood
from contracts.questions import QuestionReading, Verdict
from contracts.statements import Join, Statement, listing, name, say
from workers.engines.questions import Reader
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.rules.composing import compositions
from workers.kinds.ask.work.floor import Floor

STATUS = {Verdict.ANSWERED: ReadingStatus.READ, Verdict.AMBIGUOUS: ReadingStatus.AMBIGUOUS, Verdict.UNPLACED: ReadingStatus.UNPLACED}


def read_question(floor: Floor, step: ToolStep, source: str) -> Reading:
    """The reading over one source: of the message alone, or together with the question before it, whichever takes every word."""
    tables = floor.tables(source)
    if not tables:
        return Reading(status=ReadingStatus.NOTHING, question=say("ask.refuse.not_imported", source=name(source)))
    paths = floor.catalogue.joins(source, [table.full_name for table in tables], owner=floor.owner)
    reader, now = Reader(tables, paths=paths), floor.now
    readings = [reader.read(text, now) for text in compositions(step.understanding, lambda text: reader.items(text, now))]
    best = next((reading for reading in readings if reading.verdict is Verdict.ANSWERED), None)
    best = best or next((reading for reading in readings if reading.verdict is Verdict.AMBIGUOUS), readings[0])
    return _of(best, source)


def _of(reading: QuestionReading, source: str) -> Reading:
    candidates = tuple(
        Understood(source=source, says=found.understood, plan=found.plan, label=_label(source, found.understood))
        for found in reading.readings
    )
    question = reading.remarks[0] if reading.remarks else None
    return Reading(status=STATUS[reading.verdict], candidates=candidates, unplaced=reading.unplaced, question=question)


def _label(source: str, understood: Sequence[Statement]) -> Statement:
    return say("ask.reading", source=name(source), says=listing(*understood, join=Join.SENTENCES))
