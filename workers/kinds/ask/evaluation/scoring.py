"""Is the answer of a turn what was expected: route, intent, ending, tables, result. Each is right or wrong."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from contracts.ask.results import Cell, LogsFound, PassagesFound, Queried, SqlFixed, SqlMade, TablesFound, ToolResult
from contracts.base import Json
from workers.engines.results.comparing import same_rows


@dataclass(frozen=True, slots=True)
class Played:
    """What a turn led to."""

    route: tuple[str, ...]
    final_intent: str
    ends_with: str
    results: tuple[ToolResult, ...] = ()
    text: str = ""
    """All that the user reads."""
    options: tuple[str, ...] = ()
    rewritten: str = ""
    took_ms: int = 0


@dataclass(frozen=True, slots=True)
class Score:
    """What was right in a turn; None: nothing was expected."""

    parts: dict[str, bool] = field(default_factory=dict[str, bool])
    forbidden: int = 0
    """Calls that the turn must not make."""

    @property
    def is_right(self) -> bool:
        """Everything that was expected is there, and nothing forbidden was called."""
        return all(self.parts.values()) and not self.forbidden


def score(played: Played, expect: Json, rows: Sequence[Sequence[Cell]] | None) -> Score:
    """`rows`: the result of the turn's SQL where it only made SQL, run for the comparison."""
    parts: dict[str, bool] = {
        "route": route_fits(played.route, expect),
        "intent": played.final_intent == expect["final_intent"],
        "ending": played.ends_with == expect["ends_with"],
    }
    if "tables" in expect:
        named = {name.rpartition(".")[2].lower() for name in tables_in(played.results)}
        parts["tables"] = set(expect["tables"]) <= named and (expect["ends_with"] != "answer" or named == set(expect["tables"]))
    if "result" in expect and expect["ends_with"] in ("answer", "sql", "sql_for_confirmation"):
        found = rows if rows is not None else result_rows(played.results)
        parts["result"] = found is not None and same_rows(found, expect["result"]["rows"], ordered=bool(expect.get("ordered")))
    if "cites" in expect:
        parts["cites"] = all(any(cite in place for place in cites_in(played.results)) for cite in expect["cites"])
    if "log" in expect:
        parts["log"] = _finds(played.results, expect["log"])
    parts |= _words(played, expect)
    if "chart" in expect:
        parts["chart"] = any(isinstance(result, Queried) and _draws(result, expect["chart"]) for result in played.results)
    return Score(parts, sum(call in expect.get("must_not_call", ()) for call in played.route))


def _finds(results: Sequence[ToolResult], wanted: Json) -> bool:
    """The same number of lines within the same time, or the same figures of the same groups."""
    found = next((result for result in results if isinstance(result, LogsFound)), None)
    if found is None or not found.has_run:
        return False
    if "series" in wanted:
        ours = {(tuple(sorted(series.labels.items())), series.points[-1].value if series.points else None) for series in found.series}
        return ours == {(tuple(sorted(series["labels"].items())), float(series["value"])) for series in wanted["series"]}
    return len(found.lines) == len(wanted["lines"]) and all(
        line.labels.get(name) == value for line in found.lines for name, value in wanted["selector"].items()
    )


def _words(played: Played, expect: Json) -> dict[str, bool]:
    parts: dict[str, bool] = {}
    for key, text in (
        ("must_say_any", played.text),
        ("options_any", " ".join(played.options)),
        ("rewritten_question_any", played.rewritten),
    ):
        if key in expect:
            parts[key] = all(any(word.lower() in text.lower() for word in group) for group in expect[key])
    if "must_not_say" in expect:
        parts["must_not_say"] = not any(word.lower() in played.text.lower() for word in expect["must_not_say"])
    return parts


def _draws(result: Queried, wanted: Json) -> bool:
    return result.chart is not None and result.chart.mark.value in wanted["kind"]


def route_fits(route: Sequence[str], expect: Json) -> bool:
    """The expected calls in their order; others only where the turn allows them."""
    wanted, may = list(expect["route"]), set(expect.get("may_call", ()))
    first = expect.get("first_call_any_of")
    if first and route and route[0] in first:
        return True
    rest = list(wanted)
    for call in route:
        if rest and call == rest[0]:
            rest.pop(0)
        elif call not in may:
            return False
    return not rest


def tables_in(results: Sequence[ToolResult]) -> set[str]:
    """The tables that the last result with tables names."""
    for result in reversed(results):
        if isinstance(result, TablesFound):
            return {table.name for table in result.tables}
        if isinstance(result, Queried | SqlMade | SqlFixed) or result.kind == "explained":
            return set(result.tables)
    return set()


def cites_in(results: Sequence[ToolResult]) -> list[str]:
    """The places and titles of what is cited."""
    return [passage.path for result in results if isinstance(result, PassagesFound) for passage in result.passages]


def result_rows(results: Sequence[ToolResult]) -> Sequence[Sequence[Cell]] | None:
    """The rows of the last result that has some."""
    return next((result.rows for result in reversed(results) if isinstance(result, Queried)), None)
