"""What a person reads back of their last answer: how each item was read, what was noted, corrected and not understood."""

from collections.abc import Sequence

from contracts.diagnose.deliverables import AnswerReading
from contracts.statements import Statement
from workers.kinds.diagnose.rules.known import Dialogue, changed_by_latest
from workers.kinds.diagnose.rules.wording import note, other_system, taken_back, understood


def echo(dialogue: Dialogue, readings: Sequence[AnswerReading]) -> list[Statement]:
    """The notes on the latest answer; none before the first. `readings`: of all answers."""
    if not readings:
        return []
    latest = readings[-1]
    corrected = taken_back(*changed_by_latest(dialogue)) if latest.corrections else []
    read = understood(dialogue[-1][0], latest)
    system = [other_system(latest.system)] if latest.wrong_system else []
    return [*corrected, *([read] if read else []), *system, *[note(problem) for problem in latest.problems]]
