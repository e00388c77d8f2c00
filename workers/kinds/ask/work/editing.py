"""The plan of an answer, edited: by options, or by words below an answer that options have changed."""

from contextlib import suppress

from contracts.ask.steps import Carried
from contracts.queries import QueryPlan, TimeUnit
from contracts.questions import Verdict
from contracts.statements import say
from workers.engines.plan_changes import Changes, NotChanged, PlanEditor
from workers.engines.questions import Reader
from workers.engines.questions.asked import NotAsked
from workers.engines.times import TimeWords
from workers.engines.worded_changes import changes_of
from workers.kinds.ask.work.floor import Floor


def edited(floor: Floor, source: str, plan: QueryPlan, changes: Changes) -> QueryPlan:
    """A plan over a source with changes. Raises `NotChanged`."""
    week = TimeWords(floor.now, floor.ctx.services.settings.times).unit(TimeUnit.WEEK)
    synonyms = dict(floor.catalogue.terms(source, owner=floor.owner).synonyms or {})
    return PlanEditor(floor.tables(source), floor.joins(source), week=week, synonyms=synonyms).changed(plan, changes)


def changes_a_plan(reader: Reader, carried: Carried | None, before: str, line: str) -> bool:
    """Whether a message changes an answer whose question, `before`, is not read again: options have changed its plan."""
    return (
        carried is not None
        and carried.plan is not None
        and "\n" not in line
        and reader.is_change(line)
        and reader.read(before).verdict is Verdict.UNPLACED
    )


def reworded(floor: Floor, source: str, plan: QueryPlan, reader: Reader, line: str) -> QueryPlan:
    """The plan as a message changes it. Raises `NotChanged`, also where it is not clear what the words mean for it."""
    plans: list[QueryPlan] = []
    refused = NotChanged(say("ask.change.in_words"))
    for worded in reader.worded_changes(line):
        with suppress(NotAsked):
            try:
                made = edited(floor, source, plan, changes_of(worded, plan))
            except NotChanged as not_changed:
                refused = not_changed
                continue
            plans += [made] if made not in plans else []
    if len(plans) != 1:
        raise refused
    return plans[0]
