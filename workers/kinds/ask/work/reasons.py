"""What the data can say to "why did it drop?": by what the last figure can be split, so that one sees where it changed."""

from contracts.ask.results import Reading, ReadingStatus, Understood
from contracts.ask.steps import Understanding
from contracts.statements import name, say
from workers.engines.questions.understood import understood
from workers.engines.sql.plan_check import plan_problems
from workers.kinds.ask.rules.splits import splits
from workers.kinds.ask.work.floor import Floor


def where_it_changed(floor: Floor, understanding: Understanding) -> Reading | None:
    """The splits of the conversation's last plan, to choose from; without any it is only said that data do not hold reasons. None where the
    conversation has no plan."""
    before = understanding.carried
    if before is None or before.plan is None:
        return None
    tables, paths = floor.tables(before.source), floor.joins(before.source)
    found = [(column, plan) for column, plan in splits(before.plan, tables, paths) if not plan_problems(plan, tables)]
    candidates = tuple(
        Understood(source=before.source, says=understood(plan), plan=plan, label=say("ask.why.by", column=name(column)))
        for column, plan in found
    )
    if not candidates:
        return Reading(status=ReadingStatus.UNPLACED, question=say("ask.why.unknown"))
    return Reading(status=ReadingStatus.AMBIGUOUS, candidates=candidates, question=say("ask.why.where"))
