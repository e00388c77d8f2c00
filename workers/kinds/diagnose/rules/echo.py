"""What a person reads back of their last answer: how each item was read, what was noted, corrected and not understood."""

from collections.abc import Sequence

from contracts.diagnose.deliverables import AnswerReading
from contracts.statements import Statement, listing, say
from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.known import Dialogue, changed_by_latest
from workers.kinds.diagnose.rules.wording import as_read, corrected, note, understood


def echo(dialogue: Dialogue, readings: Sequence[AnswerReading], evidence: TicketEvidence) -> list[Statement]:
    """The notes on the latest answer, and on what was reported besides. `readings`: of all answers."""
    before = dialogue[-1][0].reported if dialogue else ()
    new = [as_read(text, evidence) for text in evidence.reported if text not in before]
    added = [say("diagnose.note.added", noted=listing(*new))] if new else []
    if not readings:
        return added
    latest = readings[-1]
    read = understood(dialogue[-1][0], latest, evidence)
    changed = corrected(changed_by_latest(dialogue)) if latest.corrects else []
    return [*added, *changed, *([read] if read else []), *[note(problem) for problem in latest.problems]]
