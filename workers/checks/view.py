"""How a look at a system is shown: what is the matter with its rows, what is fine, and what could not be seen."""

from collections.abc import Iterator
from typing import Any

from contracts.checks import CheckFinding, CheckOutcome, Gathered, SensorKind
from contracts.log_sources import LogSeries
from contracts.statements import Join, Shown, Statement, as_value, count, listing, milliseconds, name, names, passage, say, term
from workers.prometheus.view import curves
from workers.saying.document import Block, CodeBlock, Column, Fold, Item, Items, Paragraph, Table, Tone

_ROWS = 3
"""Rows of a finding that a report shows."""
_COLUMNS = 5
_CELL = 60
"""Characters of a cell."""
_MOST_OPEN = 3
"""Checks of one reason that are named."""
_ALARMING = 0.5


def title_of(found: Gathered) -> Statement:
    """The title of a look."""
    return say("check.report.title", system=name(found.system))


def gathered_blocks(found: Gathered, *, with_sql: bool = False) -> Iterator[Block]:
    """The blocks of a look, below its title. `with_sql`: every finding with its query; else those that are a cause, folded."""
    confirmed = found.of(CheckOutcome.CONFIRMED)
    if confirmed:
        yield Items(items=tuple(_item(item, with_sql) for item in confirmed))
    fine, unseen = found.of(CheckOutcome.DENIED), found.of(CheckOutcome.UNDECIDED)
    took = milliseconds(found.ms)
    if not confirmed and fine:
        yield Paragraph(text=say("check.report.healthy", n=count(len(fine)), time=took), tone=Tone.GOOD)
    elif fine:
        yield Paragraph(text=say("check.report.fine", n=count(len(fine)), time=took))
    if unseen:
        yield Paragraph(text=say("check.report.unseen", n=count(len(unseen))), tone=Tone.WARNING)
        yield Items(items=tuple(Item(text=text) for text in _reasons(unseen)))


def _item(found: CheckFinding, with_sql: bool) -> Item:
    blocks = list[Block]()
    if found.because_of:
        blocks.append(Paragraph(text=say("check.report.because", checks=names(found.because_of)), tone=Tone.DIM))
    if len(found.rows) > 1:
        blocks.append(_rows(found))
    if len(found.curve) > 1:
        blocks.append(curves(found.check, (LogSeries(labels={}, points=found.curve),)))
    if found.advice:
        blocks.append(Paragraph(text=found.advice))
    is_root = found.is_cause and not found.because_of
    if found.sql and (with_sql or is_root):
        query = CodeBlock(text=found.sql.strip(), language="" if found.sensor in tuple(SensorKind) else "sql")
        blocks.append(query if with_sql else Fold(summary=term("check.report.query"), blocks=(query,)))
    tone = Tone.BAD if is_root and found.severity >= _ALARMING else Tone.NORMAL
    return Item(text=say("check.report.finding", check=name(found.check), says=as_value(found.says)), tone=tone, blocks=tuple(blocks))


def _rows(found: CheckFinding) -> Table:
    columns = found.columns[:_COLUMNS]
    caption = None if found.count <= _ROWS else say("check.report.rows", shown=count(_ROWS), n=count(found.count))
    rows = tuple(tuple(_cell(cell) for cell in row[: len(columns)]) for row in found.rows[:_ROWS])
    return Table(columns=tuple(Column(title=passage(column)) for column in columns), rows=rows, caption=caption)


def _cell(cell: Any) -> Shown:
    text = "-" if cell is None else f"{cell:.4g}" if isinstance(cell, float) else " ".join(str(cell).split())
    return passage(text if len(text) <= _CELL else f"{text[: _CELL - 1]}…")


def _reasons(unseen: tuple[CheckFinding, ...]) -> Iterator[Shown]:
    """Each reason once, with the checks that have it."""
    by_reason: dict[str, list[CheckFinding]] = {}
    for found in unseen:
        key = found.says if isinstance(found.says, str) else found.says.model_dump_json()
        by_reason.setdefault(key, []).append(found)
    for same in by_reason.values():
        rest = len(same) - _MOST_OPEN
        named = listing(*(name(found.check) for found in same[:_MOST_OPEN]), join=Join.PLAIN)
        if rest > 0:
            named = listing(named, say("check.report.more", n=count(rest)), join=Join.PLAIN)
        yield say("check.report.reason", checks=named, reason=as_value(same[0].says))
