"""The demands of a requirement, as its analyst lists them: what meets each of them, and what is open."""

from collections.abc import Sequence

from contracts.etl.answers import ProposedMeeting
from contracts.pipelines.analysis import AnalysisResult, Demand, EtlTarget
from contracts.pipelines.script import SqlScript
from workers.llm.quotes import plain, quoted


def settings_of(target: EtlTarget, schedule: str) -> dict[str, str]:
    """What of a target meets a demand beside its query, by the name under which a model may give it."""
    given = {
        "mode": target.mode.value,
        "key": ", ".join(target.key),
        "partition_by": ", ".join(target.partition_by),
        "schedule": schedule,
        "keeps_all": target.keeps_all,
        "only": "; ".join(f"{table}: {condition}" for table, condition in target.only),
        "totals": "; ".join(f"{column}: {query}" for column, query in target.totals),
        "late_days": str(target.late_days or ""),
        "valid_from": target.history.valid_from if target.history is not None else "",
        "closes_missing": "true" if target.history is not None and target.history.closes_missing else "",
    }
    return {name: value for name, value in given.items() if value}


def met_demands(
    proposed: Sequence[ProposedMeeting], todos: Sequence[str], sql: str, target: EtlTarget, schedule: str
) -> tuple[Demand, ...]:
    """Of what a model gives as met what is there: a part of its query, to the letter, a column or a setting of the target."""
    there = {*settings_of(target, schedule), *(column.name.lower() for column in target.columns)}
    found: dict[int, Demand] = {}
    for item in proposed:
        if item.demand <= len(todos) and (plain(item.by) in there or quoted(item.by, sql)):
            found.setdefault(item.demand, Demand(text=todos[item.demand - 1], by=item.by.strip()))
    return tuple(found[number] for number in sorted(found))


def demands_of(analysis: AnalysisResult, scripts: Sequence[SqlScript]) -> tuple[Demand, ...]:
    """All demands, each with the first script's part that meets it."""
    met = {demand.text: demand for script in reversed(scripts) for demand in script.meets}
    return tuple(met.get(todo, Demand(text=todo)) for todo in analysis.todos)
