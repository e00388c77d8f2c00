"""The answer of an analysis as its user reads it: findings first, then tables and charts, then what may be said next."""

from collections.abc import Iterator, Sequence
from math import floor, log10

from pydantic import ValidationError

from contracts.analyze.answer import AnalyzeAnswer, Ending, TableShown
from contracts.analyze.steps import ActOutcome, CheckItem
from contracts.base import Json
from contracts.drawings import Places
from contracts.procedure_results import Cell
from contracts.procedures import in_language
from contracts.statements import Join, Sayable, Shown, Statement, as_value, count, listing, name, names, number, passage, say, term
from workers.engines.results.places import places_of
from workers.kinds.base import ShowOptions
from workers.saying.document import Align, Block, Column, Document, Fold, Heading, Item, Items, Paragraph, Table, Tone, bullets

BRIEF_ROWS = 20
"""Rows that are shown, unless details are asked for. A page and JSON have all of them."""


def show_result(content: Json, options: ShowOptions) -> Document | None:
    """The answer; None for content that is not an answer."""
    try:
        answer = AnalyzeAnswer.model_validate(content)
    except ValidationError:
        return None
    tone = Tone.WARNING if answer.ending in (Ending.FAILED, Ending.NO_SKILL) else Tone.NORMAL
    return Document(title=passage(answer.question), tone=tone, blocks=tuple(_blocks(answer, options)))


def _blocks(answer: AnalyzeAnswer, options: ShowOptions) -> Iterator[Block]:
    if answer.skill_title:
        about, skill = passage(answer.about), name(answer.skill_title)
        shown = say("analyze.by_skill_about", skill=skill, about=about) if answer.about else say("analyze.by_skill", skill=skill)
        yield Paragraph(text=shown, tone=Tone.DIM)
    if answer.summary:
        yield Paragraph(text=passage(answer.summary))
    tone = Tone.WARNING if answer.ending is Ending.FAILED else Tone.NORMAL
    if len(answer.says) == 1:
        yield Paragraph(text=as_value(answer.says[0]), tone=tone)
    elif answer.says:
        yield Items(items=tuple(Item(text=as_value(text), tone=tone) for text in answer.says))
    if answer.checklist:
        yield _checklist(answer.checklist)
    for table in answer.tables:
        yield _table(table, answer.language, options)
        area = _map(table, answer.language)
        yield from () if area is None else (area,)
    for chart in answer.charts:
        yield chart
        if chart.left_out:
            names_drawn = {item.get(chart.x.field) for item in chart.data} if chart.color is not None else chart.data
            drawn = count(len(names_drawn), exact=True)
            of = count(len(names_drawn) + chart.left_out, exact=True)
            yield Paragraph(text=say("analyze.chart.left_out", n=drawn, of=of), tone=Tone.DIM)
    for sentence in answer.verbatim:
        yield Paragraph(text=passage(sentence), tone=Tone.STRONG)
    if answer.suggestions and not options.has_buttons:
        yield Heading(text=term("analyze.heading.next_several") if answer.several else term("analyze.heading.next"), level=3)
        yield bullets(passage(item.text) for item in answer.suggestions)
    if options.details and answer.taken:
        yield Fold(summary=term("analyze.heading.steps"), blocks=(bullets(_taken(answer)),))


def _taken(answer: AnalyzeAnswer) -> Iterator[Shown]:
    for taken in answer.taken:
        if taken.call is None:
            yield name(taken.step)
            continue
        arguments = ", ".join(f"{key}={value}" for key, value in taken.call.arguments.items())
        failed = f": {taken.message}" if taken.outcome is ActOutcome.FAILED else ""
        yield passage(f"{taken.step}: {taken.call.tool}({arguments}){failed}")


def _checklist(items: tuple[CheckItem, ...]) -> Items:
    return Items(
        is_numbered=True,
        items=tuple(
            Item(
                text=say("analyze.check.done", text=passage(item.text)) if item.is_done else passage(item.text),
                tone=Tone.DIM if item.is_done else Tone.NORMAL,
                blocks=(Paragraph(text=say("analyze.check.tools", tools=name(", ".join(item.tools))), tone=Tone.DIM),)
                if item.tools
                else (),
            )
            for item in items
        ),
    )


def _table(table: TableShown, language: str, options: ShowOptions) -> Table:
    rows = table.rows if options.details else table.rows[:BRIEF_ROWS]
    wanted = range(len(table.columns)) if options.details or not table.brief else table.brief
    places = [place for place in wanted if any(row[place] is not None for row in table.rows)] or [0]
    digits = [_digits([row[place] for row in table.rows]) for place in range(len(table.columns))]
    numeric = [all(isinstance(row[place], int | float) or row[place] is None for row in table.rows) for place in range(len(table.columns))]
    cut = len(rows) < table.row_count
    hidden = [place for place in range(len(table.columns)) if place not in places]
    shown = say("analyze.rows_shown", n=count(len(rows), exact=True), of=count(table.row_count, exact=True))
    title = table.title
    return Table(
        columns=tuple(
            Column(title=passage(in_language(table.labels[place], language)), align=Align.RIGHT if numeric[place] else Align.LEFT)
            for place in places
        ),
        rows=tuple(tuple(_cell(row[place], digits[place]) for place in places) for row in rows),
        caption=_caption(title, shown if cut else None, [in_language(table.labels[n], language) for n in hidden]),
        left_out=len(table.rows) - len(rows),
    )


def _caption(title: Sayable, shown: Statement | None, hidden: Sequence[str]) -> Shown:
    """The title, with how many rows are shown and which columns are not."""
    parts = [*([shown] if shown else []), *([say("analyze.columns_hidden", columns=names(hidden))] if hidden else [])]
    whole: Shown = passage(title) if isinstance(title, str) else title
    return say("analyze.table_cut", title=whole, shown=listing(*parts, join=Join.CLAUSES)) if parts else whole


def _map(table: TableShown, language: str) -> Places | None:
    """Where the rows are, coloured by the columns that matter; None: they are nowhere."""
    titles = {column: name(in_language(label, language) or column) for column, label in zip(table.columns, table.labels, strict=True)}
    coloured_by = [table.columns[place] for place in table.brief] if table.brief else None
    return places_of(table.columns, table.rows, titles=titles, coloured_by=coloured_by, row_count=table.row_count)


MOST_DIGITS = 4


def _digits(cells: Sequence[Cell]) -> int:
    """Digits after the point for all numbers of a column: enough for the smallest of them not to read as zero."""
    smallest = min((abs(cell) for cell in cells if isinstance(cell, float) and not cell.is_integer()), default=None)
    return 0 if smallest is None else min(MOST_DIGITS, max(1, 1 - floor(log10(smallest)) if smallest < 0.1 else 1))


def _cell(cell: Cell, digits: int) -> Shown:
    if cell is None:
        return name("–")
    if isinstance(cell, bool | str):
        return passage(str(cell))
    return number(cell, digits) if digits else count(int(cell), exact=True)
