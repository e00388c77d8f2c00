"""Scenarios from files, served through the tools of network optimisation: what an evaluation plays with."""

import csv
import json
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from contracts.base import Contract, Json
from contracts.network import (
    SAMPLE_ROWS,
    ChartType,
    Comparison,
    DesignDocument,
    DesignDocuments,
    IndicatorColumn,
    Level,
    NetworkRows,
    NetworkTable,
    RootCauseAnalysis,
    ScenarioCard,
    ScenarioMatch,
    SimulationResults,
    TermFound,
    Terms,
)
from contracts.network_calls import ComparisonQuery, KnowledgeQuery, NetworkQuery, RowsQuery, ScenarioText
from contracts.pointers import ServicePointer
from contracts.procedures import Changed, Drawn, Vocabulary
from contracts.procedures import ChartType as DrawnAs
from workers.engines.procedures.words import folded
from workers.errors import InvalidInput
from workers.kinds.analyze.work.drawing import as_chart
from workers.tools import Tool, ToolContext
from workers.tools.registry import replaced

SERVICE = "prepared-scenarios"
_PLACE = {
    Level.CELL: ("cell_id", "site", "band_mhz", "azimuth_deg", "tilt_deg", "height_m"),
    Level.GRID: ("grid_id", "x_m", "y_m", "serving_cell", "samples"),
}
_CAUSE, _ACTION = "root_cause", "action"

Row = dict[str, str | float | int | None]


class Twins:
    """The scenarios of a folder, and what was asked of them."""

    def __init__(self, folder: Path, *, hides_causes: bool = False) -> None:
        self._folder = folder
        self._hides_causes = hides_causes
        self.calls: list[tuple[str, Json]] = []

    @cached_property
    def cards(self) -> list[ScenarioCard]:
        """The scenarios by their names."""
        read: list[Json] = json.loads((self._folder / "scenarios.json").read_text("utf-8"))
        return [ScenarioCard.model_validate({name: item[name] for name in ScenarioCard.model_fields}) for item in read]

    def match(self, ctx: ToolContext, arguments: ScenarioText) -> ScenarioMatch:
        """The scenarios whose names are in a text; the longest name decides."""
        text = folded(arguments.text)
        hits = [(len(alias), alias, card) for card in self.cards for alias in card.aliases if folded(alias) in text]
        longest = max((length for length, _, _ in hits), default=0)
        cards = list({card.digitaltwinsId: card for length, _, card in hits if length == longest}.values())
        if not cards:
            chinese = ctx.language.startswith("zh")
            known = ", ".join(card.name_zh if chinese else card.name_en for card in self.cards)
            named = arguments.text[:80]
            raise InvalidInput(
                f"没有与“{named}”匹配的场景。可选场景：{known}。" if chinese else f"No scenario fits {named!r}. There are: {known}."
            )
        ids = tuple(card.digitaltwinsId for card in cards)
        matched = next(alias for length, alias, _ in hits if length == longest)
        return ScenarioMatch(digitaltwinsId=ids[0] if len(ids) == 1 else None, candidates=ids, scenarios=tuple(cards), matched=matched)

    def terms(self, ctx: ToolContext, arguments: KnowledgeQuery) -> Terms:
        """Terms by their words."""
        language = "zh" if ctx.language.startswith("zh") else "en"
        scored = [
            (_overlap(arguments.query, f"{item['term_zh']} {item['term_en']} {item['text_zh']} {item['text_en']}"), item)
            for item in self._lines("terminology")
        ]
        best = sorted(scored, key=lambda pair: -pair[0])[: arguments.limit]
        return Terms(
            terms=tuple(
                TermFound(
                    id=item["id"],
                    term=item[f"term_{language}"],
                    text=item[f"text_{language}"],
                    indicators=tuple(item["indicators"]),
                    score=score,
                )
                for score, item in best
                if score
            )
        )

    def documents(self, ctx: ToolContext, arguments: KnowledgeQuery) -> DesignDocuments:
        """Design documents by their words."""
        language = "zh" if ctx.language.startswith("zh") else "en"
        scored = [
            (_overlap(arguments.query, f"{item['title_zh']} {item['title_en']} {item['topic']}"), item)
            for item in self._lines("design_docs")
        ]
        best = sorted(scored, key=lambda pair: -pair[0])[: arguments.limit]
        return DesignDocuments(
            documents=tuple(
                DesignDocument(
                    id=item["id"], topic=item["topic"], title=item[f"title_{language}"], text=item[f"body_{language}"],
                    levels=tuple(item["levels"]), indicators=item["indicators"], score=score,
                )
                for score, item in best
            )
        )  # fmt: skip

    def causes(self, ctx: ToolContext, arguments: NetworkQuery) -> RootCauseAnalysis:
        """Root causes as the files have them."""
        indicators = self._checked(ctx, arguments)
        return RootCauseAnalysis(
            digitaltwinsId=arguments.digitaltwinsId, level=arguments.level, indicators=indicators, limits=(),
            table=self._table(arguments, indicators, "rca"), groups=(),
        )  # fmt: skip

    def simulation(self, ctx: ToolContext, arguments: NetworkQuery) -> SimulationResults:
        """Before and after as the files have them."""
        indicators = self._checked(ctx, arguments)
        table = self._table(arguments, indicators, "sim")
        return SimulationResults(
            digitaltwinsId=arguments.digitaltwinsId,
            level=arguments.level,
            indicators=indicators,
            is_computed=False,
            table=table,
            effects=(),
        )

    def comparison(self, ctx: ToolContext, arguments: ComparisonQuery) -> Comparison:
        """Before and after as a chart."""
        indicators = self._checked(ctx, arguments)
        rows = self._rows(arguments.digitaltwinsId, arguments.level, indicators, "sim")
        column = indicators[0]
        changed = [
            Changed(key=str(row[_PLACE[arguments.level][0]]), before=before, after=after)
            for row in rows
            if isinstance(before := row[column], float | int) and isinstance(after := row[f"{column}_after"], float | int)
        ]
        moved = [item for item in changed if item.before != item.after] or changed
        drawn = Drawn(type=DrawnAs(arguments.chart_type.value), key=_PLACE[arguments.level][0], column=column, rows=tuple(moved))
        return Comparison(
            digitaltwinsId=arguments.digitaltwinsId, level=arguments.level, indicators=indicators, chart_type=arguments.chart_type,
            chart=None if arguments.chart_type is ChartType.TABLE else as_chart(drawn, Vocabulary(), ctx.language),
            table=self._table(arguments, indicators, "sim"),
        )  # fmt: skip

    def rows(self, ctx: ToolContext, arguments: RowsQuery) -> NetworkRows:
        """A page of a table."""
        del ctx
        twin, level, state, names = arguments.reference.split("/")
        rows = self._rows(twin, Level(level), tuple(names.split(",")), state)
        columns = list(rows[0]) if rows else []
        page = rows[arguments.offset : arguments.offset + arguments.limit]
        return NetworkRows(
            columns=tuple(IndicatorColumn(name=name) for name in columns), rows=tuple(tuple(row[name] for name in columns) for row in page),
            offset=arguments.offset, row_count=len(rows),
        )  # fmt: skip

    def _lines(self, name: str) -> list[Json]:
        return [json.loads(line) for line in (self._folder / f"{name}.jsonl").read_text("utf-8").splitlines()]

    def _checked(self, ctx: ToolContext, arguments: NetworkQuery) -> tuple[str, ...]:
        """The indicators. Raises `InvalidInput` that lists the known ones."""
        if arguments.digitaltwinsId not in {card.digitaltwinsId for card in self.cards}:
            raise InvalidInput(f"There is no scenario {arguments.digitaltwinsId[:64]!r}.")
        known = self._known(arguments.digitaltwinsId, arguments.level)
        wrong = [name for name in arguments.indicators if name not in known]
        if wrong:
            chinese = ctx.language.startswith("zh")
            listed = ", ".join(known)
            named = ", ".join(wrong)[:200]
            raise InvalidInput(
                f"没有指标“{named}”。可用指标：{listed}。" if chinese else f"There is no indicator {named!r}. There are: {listed}."
            )
        return arguments.indicators or known

    def _known(self, twin: str, level: Level) -> tuple[str, ...]:
        first = _read(self._folder / "scenarios" / twin / f"{level}_rca.csv")[0]
        return tuple(name for name in first if name not in (*_PLACE[level], _CAUSE))

    def _table(self, arguments: NetworkQuery, indicators: Sequence[str], state: str) -> NetworkTable:
        rows = self._rows(arguments.digitaltwinsId, arguments.level, indicators, state)
        columns = list(rows[0]) if rows else []
        return NetworkTable(
            reference=f"{arguments.digitaltwinsId}/{arguments.level}/{state}/{','.join(indicators)}",
            columns=tuple(IndicatorColumn(name=name, is_indicator=name in indicators) for name in columns),
            row_count=len(rows),
            sample=tuple(tuple(row[name] for name in columns) for row in rows[:SAMPLE_ROWS]),
        )

    def _rows(self, twin: str, level: Level, indicators: Sequence[str], state: str) -> list[Row]:
        folder = self._folder / "scenarios" / twin
        before = _read(folder / f"{level}_rca.csv")
        key = _PLACE[level][0]
        if state == "rca":
            wanted = (*_PLACE[level], *indicators, *(() if self._hides_causes else (_CAUSE,)))
            return [{name: row[name] for name in wanted} for row in before]
        after = {row[key]: row for row in _read(folder / f"{level}_sim.csv")}
        found: list[Row] = []
        for row in before:
            changed = after.get(row[key], {})
            values: Row = {key: row[key]}
            for name in indicators:
                values |= {name: row[name], f"{name}_after": changed.get(name)}
            found.append(values | ({_ACTION: changed[_ACTION]} if _ACTION in changed else {}))
        return found


@contextmanager
def served(twins: Twins) -> Generator[None]:
    """The scenarios behind the tools of network optimisation, until the block ends."""
    made = {tool.name: tool for tool in _tools(twins)}
    pointer = ServicePointer(place=SERVICE, line="prepared scenarios", score=1.0, keys=tuple(made))
    with replaced(made, {"network": lambda services, owner: (pointer,)}):
        yield


def _tools(twins: Twins) -> list[Tool[Any, Any]]:
    def tool(name: str, arguments: type[Contract], result: type[Contract], run: Callable[[ToolContext, Any], Contract]) -> Tool[Any, Any]:
        def noted(ctx: ToolContext, given: Any) -> Contract:
            twins.calls.append((name, given.to_json()))
            return run(ctx, given)

        return Tool(name, f"{name} over prepared scenarios.", arguments, result, noted, opens=frozenset({"service"}))

    return [
        tool("search_terminology", KnowledgeQuery, Terms, twins.terms),
        tool("search_design_doc", KnowledgeQuery, DesignDocuments, twins.documents),
        tool("match_scenario", ScenarioText, ScenarioMatch, twins.match),
        tool("query_root_cause_analysis", NetworkQuery, RootCauseAnalysis, twins.causes),
        tool("query_simulation_results", NetworkQuery, SimulationResults, twins.simulation),
        tool("compare_simulation_data", ComparisonQuery, Comparison, twins.comparison),
        tool("get_network_rows", RowsQuery, NetworkRows, twins.rows),
    ]


def _read(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return [{name: _typed(name, value) for name, value in row.items()} for row in csv.DictReader(file)]


def _typed(name: str, value: str) -> str | float | int | None:
    if name.endswith("_id") or name in ("site", "serving_cell"):
        return value
    try:
        return (int(value) if value.lstrip("-").isdecimal() else float(value)) if value else None
    except ValueError:
        return value


def _overlap(query: str, text: str) -> float:
    """Share of the pairs of characters (Chinese) or words of a query that a text has."""
    parts = {folded(query)[place : place + 2] for place in range(len(query) - 1)} if not query.isascii() else set(folded(query).split())
    hay = folded(text)
    return sum(part in hay for part in parts) / len(parts) if parts else 0.0
