"""A question that comes again says why the answer to it was not read."""

from collections.abc import Sequence

from contracts.pipelines.analysis import Ambiguity, EtlClarification
from contracts.statements import Sayable, as_value, names, quote, say
from contracts.tables import TableDetail
from workers.engines.requirements import unplaced_words

LONGEST_REPLY = 120
"""Characters of an answer that are said again."""


def not_read(point: Ambiguity, asked: Sequence[tuple[EtlClarification, str]], tables: Sequence[TableDetail]) -> Sayable | None:
    """The question with the reason; None where the last answer was about something else, or was read."""
    if not asked:
        return None
    before, reply = asked[-1][0].ambiguities[0], asked[-1][1].strip()
    if not reply or before.part != point.part or not _labels(before) & _labels(point):
        return None
    again = _labels(before) & _labels(point)
    mine = "\n".join(line for line in reply.split("\n") if any(label in line.lower() for label in again)) or reply
    answer, question = quote(mine[:LONGEST_REPLY]), as_value(point.question)
    unknown = unplaced_words(mine, tables, again)
    if unknown:
        return say("etl.ask.again_unknown", reply=answer, words=names(unknown), question=question)
    return say("etl.ask.again", reply=answer, question=question)


def is_stuck(point: Ambiguity, asked: Sequence[tuple[EtlClarification, str]]) -> bool:
    """Whether the same was asked twice before, so that another way has to be shown."""
    same = [clarification.ambiguities[0] for clarification, _ in asked[-2:]]
    return len(same) == 2 and all(before.part == point.part and (_labels(before) & _labels(point) or not before.words) for before in same)


def _labels(point: Ambiguity) -> set[str]:
    return {word.strip().lower() for word in point.words.replace("\n", ", ").split(", ") if word.strip()}
