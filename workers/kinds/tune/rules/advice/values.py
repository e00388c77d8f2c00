"""What the texts of a remedy may name of the verdict that it answers."""

from contracts.statements import Value, code, count, listing, name, say, share, term
from contracts.verdicts import KeyStatistics, Verdict
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.clipping import clipped
from workers.kinds.tune.rules.saying import MOST_SHOWN, key_value, line_name, names, shown_name, stages_of, value_of

MOST_KEYS = 4


def values_of(case: Case, verdict: Verdict) -> dict[str, Value]:
    """The values, by the names that the texts use."""
    column = case.column(verdict)
    keys = case.keys(verdict)[:MOST_KEYS]
    return {
        "place": _place(case, verdict),
        "stages": stages_of(verdict),
        "share": share(verdict.share),
        "column": shown_name(column.column) if column else term("tune.the_key"),
        "table": shown_name(column.table) if column and column.table else term("tune.the_table"),
        "columns": names(column.column for column in verdict.blame.columns[:MOST_SHOWN]) if column else term("tune.the_key"),
        "keys": listing(*map(_key, keys)) if keys else term("tune.unknown_keys"),
        "values": names(key_value(key) for key in keys) if keys else term("tune.the_heavy_keys"),
        "finding": value_of(verdict.summary),
    }


def where_of(values: dict[str, Value], function: str, line: str) -> Value:
    """The user's function with its line, where both are known; else the stages."""
    return say("tune.where", function=shown_name(function), line=name(line)) if function and line else values["stages"]


def _place(case: Case, verdict: Verdict) -> Value:
    spot = next(iter(verdict.blame.spots), None)
    if spot is not None:
        script = case.script_at(spot)
        where = shown_name(script.name if script else spot.artefact) if script or spot.artefact else term("tune.the_script")
        return say("tune.place", text=code(clipped(spot.text)), line=line_name(spot), script=where)
    if verdict.blame.operator:
        return say("tune.place_in_plan", operator=shown_name(verdict.blame.operator), stages=stages_of(verdict))
    return stages_of(verdict)


def _key(key: KeyStatistics) -> Value:
    return say(
        "tune.key",
        table=shown_name(key.column.table),
        column=shown_name(key.column.column),
        value=shown_name(key_value(key)),
        share=share(key.share),
        rows=count(key.table_rows),
    )
