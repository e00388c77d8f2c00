"""The answer to a question as its user reads it: figures first, then how it was understood, then the SQL."""

from collections.abc import Iterator

from pydantic import ValidationError

from contracts.ask.results import LogsFound, PassagesFound, Queried, Refused, Said, SqlExplained, SqlFixed, SqlMade, TablesFound, ToolResult
from contracts.ask.steps import AskPlan, Ending
from contracts.base import Json
from contracts.catalogue import Passage
from contracts.log_sources import LogSeries
from contracts.questions import UsedDefinition
from contracts.statements import Join, Sayable, Shown, Target, count, listing, name, names, number, passage, quote, ref, say, term
from contracts.statements import code as code_value
from workers.engines.results.places import places_of
from workers.kinds.ask.rows import BRIEF_ROWS, more_rows, page_block, queried_in, table_block
from workers.kinds.base import ShowOptions
from workers.saying.document import (
    Align,
    Block,
    CodeBlock,
    Column,
    Diff,
    Document,
    Heading,
    Paragraph,
    Reference,
    References,
    Table,
    Tone,
    bullets,
)
from workers.saying.sql_review import review_blocks

MOST_COLUMNS = 12
"""Columns of a table that are listed, unless details are asked for."""


MOST_PLACE = 200
"""Characters of a reference."""


def show_result(content: Json, options: ShowOptions) -> Document | None:
    """The answer; None when the content is none."""
    try:
        plan = AskPlan.model_validate(content)
    except ValidationError:
        return None
    if plan.answer is None:
        return None
    if options.page is not None and (found := queried_in(plan)) is not None:
        return Document(title=passage(plan.question), blocks=(page_block(found, options.page), *more_rows(found, options)))
    tone = Tone.WARNING if plan.answer.ends_with is Ending.REFUSAL else Tone.NORMAL
    blocks: list[Block] = []
    if plan.instead_of:
        blocks.append(Paragraph(text=say("ask.instead_of", question=quote(plan.instead_of)), tone=Tone.DIM))
    blocks += [block for result in plan.answer.results for block in _blocks(result, options)]
    blocks.extend(_closing(plan.answer.ends_with, options))
    return Document(title=passage(plan.question), tone=tone, blocks=tuple(blocks))


def _blocks(result: ToolResult, options: ShowOptions) -> Iterator[Block]:
    match result:
        case TablesFound():
            yield from _tables(result, options)
        case SqlMade():
            yield from _made(result)
        case SqlFixed():
            yield from _fixed(result)
        case SqlExplained():
            yield from _explained(result)
        case Queried():
            yield from _queried(result, options)
        case LogsFound():
            yield from _logs(result, options)
        case PassagesFound():
            yield from passages_shown(result)
        case Refused():
            yield Paragraph(text=result.reason, tone=Tone.WARNING)
            yield Paragraph(text=say("ask.can_do"), tone=Tone.DIM)
        case Said():
            yield Paragraph(text=result.text)


def _problems(problems: tuple[Sayable, ...]) -> Iterator[Block]:
    for problem in problems:
        yield Paragraph(text=problem, tone=Tone.WARNING)


def _understood(says: tuple[Sayable, ...]) -> Iterator[Block]:
    if says:
        yield Heading(text=term("ask.heading.understood"), level=3)
        yield bullets(says)


def _defined(definitions: tuple[UsedDefinition, ...]) -> Iterator[Block]:
    """The definitions on which an answer rests, each with its place in the catalogue."""
    for used in definitions:
        values = {"name": name(used.name), "text": passage(used.text)}
        if 0 < len(used.place) <= MOST_PLACE:
            yield Paragraph(text=say("ask.defined_at", place=ref(Target.DEFINITION, used.place), **values), tone=Tone.DIM)
        else:
            yield Paragraph(text=say("ask.defined", **values), tone=Tone.DIM)


def _by_words(found: TablesFound | PassagesFound) -> Iterator[Block]:
    if found.words_only:
        yield Paragraph(text=say("ask.words_only"), tone=Tone.DIM)


def _tables(found: TablesFound, options: ShowOptions) -> Iterator[Block]:
    if not found.tables:
        yield Paragraph(text=found.reading.question or say("ask.refuse.no_data"), tone=Tone.WARNING)
    yield from _by_words(found)
    for table in found.tables:
        yield Heading(text=name(f"{table.source}.{table.name}" if table.source else table.name), level=3)
        if table.description:
            yield Paragraph(text=passage(table.description))
        yield Paragraph(text=table.reason, tone=Tone.DIM)
        columns = table.columns if options.details else table.columns[:MOST_COLUMNS]
        rows = tuple((name(column.name), name(column.type), passage(column.description)) for column in columns)
        if rows:
            titles = (term("ask.column.name"), term("ask.column.type"), term("ask.column.description"))
            yield Table(columns=tuple(Column(title=title) for title in titles), rows=rows)
        hidden = table.more_columns + len(table.columns) - len(columns)
        if hidden:
            yield Paragraph(text=say("ask.more_columns", n=count(hidden)), tone=Tone.DIM)
    if found.more_tables:
        yield Paragraph(
            text=say("ask.more_tables", n=count(found.more_tables), command=code_value("bullpen catalogue search WORDS")), tone=Tone.DIM
        )
    if found.joins:
        yield Heading(text=term("ask.heading.joins"), level=3)
        yield bullets(
            tuple(
                say(
                    "ask.join",
                    on=code_value(
                        " AND ".join(
                            f"{join.left}.{left} = {join.right}.{right}"
                            for left, right in zip(join.left_columns, join.right_columns, strict=True)
                        )
                    ),
                )
                for join in found.joins
            )
        )
    if found.documents:
        yield Heading(text=term("ask.heading.documents"), level=3)
        for cited in found.documents:
            yield Paragraph(text=passage(cited.text if cited.path else f"{cited.title}: {cited.text}"))
        yield References(references=tuple(Reference(text=name(cited.path or cited.title)) for cited in found.documents))
    if found.queries:
        yield Heading(text=term("ask.heading.queries"), level=3)
        for query in found.queries[:3]:
            yield CodeBlock(text=query.sql, language="sql", title=passage(query.question) if query.question else None)


def _made(made: SqlMade) -> Iterator[Block]:
    yield from _problems(made.problems)
    if made.by:
        yield Paragraph(text=say("ask.by_model", model=name(made.by)), tone=Tone.DIM)
    if not made.is_verified:
        yield Paragraph(text=say("ask.not_verified"), tone=Tone.WARNING)
    if made.sql:
        yield CodeBlock(text=made.sql, language="sql", title=name(f"{made.source} ({made.dialect})" if made.source else made.dialect))
    yield from _understood(made.says)
    yield from _defined(made.definitions)
    yield from _phrases(made)
    if made.other:
        yield Heading(text=term("ask.heading.other_draft"), level=3)
        yield CodeBlock(text=made.other, language="sql")
    if made.findings:
        yield Heading(text=term("ask.heading.findings"), level=3)
        yield bullets(made.findings)
    if made.review.findings or made.review.checked:
        yield from review_blocks(made.review, (made.sql,))


def _phrases(made: SqlMade) -> Iterator[Block]:
    """What a model made of the question's words: what it left out first."""
    if made.not_used:
        yield Paragraph(text=say("ask.not_used", phrases=listing(*map(quote, made.not_used), join=Join.PLAIN)), tone=Tone.WARNING)
    for text in made.assumed:
        yield Paragraph(text=say("ask.assumed", text=passage(text)), tone=Tone.WARNING)
    if made.uses:
        yield Heading(text=term("ask.heading.phrases"), level=3)
        yield bullets(tuple(say("ask.used", phrase=passage(use.phrase), part=code_value(use.part)) for use in made.uses))


def _fixed(fixed: SqlFixed) -> Iterator[Block]:
    yield from _problems(fixed.problems)
    if fixed.by and fixed.sql:
        checked = term("ask.fixed.dry_run") if fixed.checked else term("ask.fixed.parsed")
        yield Paragraph(text=say("ask.fixed_by_model", model=name(fixed.by), checked=checked), tone=Tone.DIM)
    if fixed.sql:
        yield CodeBlock(text=fixed.sql, language="sql", title=name(fixed.dialect))
    if fixed.changes:
        yield Heading(text=term("ask.heading.changes"), level=3)
        yield bullets(fixed.changes)
    if fixed.diff:
        yield Diff(text=fixed.diff, language="sql")


def _explained(explained: SqlExplained) -> Iterator[Block]:
    yield from _problems(explained.problems)
    yield from (Paragraph(text=passage(text)) for text in explained.words)
    if explained.says:
        yield bullets(explained.says)
    if explained.findings:
        yield Heading(text=term("ask.heading.findings"), level=3)
        yield bullets(explained.findings)
    yield CodeBlock(text=explained.sql, language="sql", title=name(explained.dialect))
    if explained.review.findings or explained.review.checked:
        yield from review_blocks(explained.review, (explained.sql,))


def _queried(found: Queried, options: ShowOptions) -> Iterator[Block]:
    yield from _problems(found.problems)
    yield from (Paragraph(text=passage(text)) for text in found.words)
    if found.columns:
        yield table_block(found, options)
        yield from more_rows(found, options)
        area = places_of(found.columns, found.rows, row_count=found.row_count)
        yield from () if area is None else (area,)
    yield from (Paragraph(text=note, tone=Tone.WARNING) for note in found.notes)
    if found.findings:
        yield Heading(text=term("ask.heading.findings"), level=3)
        yield bullets(tuple(finding.text for finding in found.findings))
    for chart in (found.chart, *found.further_charts):
        if chart is not None:
            yield chart
            if chart.left_out:
                drawn = count(len(chart.data), exact=True)
                text = say("ask.chart.left_out", n=drawn, of=count(len(chart.data) + chart.left_out, exact=True))
                yield Paragraph(text=text, tone=Tone.DIM)
            if chart.partial:
                yield Paragraph(text=say("ask.chart.partial", periods=names(chart.partial)), tone=Tone.DIM)
    yield from _understood(found.says)
    yield from _defined(found.definitions or (found.made.definitions if found.made is not None else ()))
    if found.made is not None:
        yield from _phrases(found.made)
    yield CodeBlock(text=found.sql, language="sql", title=name(found.source))


def _logs(found: LogsFound, options: ShowOptions) -> Iterator[Block]:
    yield from _problems(found.problems)
    yield from (Paragraph(text=say("ask.assumed", text=passage(text)), tone=Tone.WARNING) for text in found.assumed)
    shown = found.lines if options.details else found.lines[:BRIEF_ROWS]
    if shown:
        yield CodeBlock(text="\n".join(f"{line.at:%Y-%m-%d %H:%M:%S}  {line.line}" for line in shown), title=name(found.logs))
    if len(shown) < len(found.lines) or found.is_cut:
        yield Paragraph(text=say("ask.more_lines", n=count(len(found.lines))), tone=Tone.DIM)
    if found.series and found.query is not None and found.query.step_ns and found.query.start and found.query.end:
        from workers.logs import Window  # reads SQL, which takes a quarter of a second to import
        from workers.logs.view import show_series

        yield from show_series(found.series, found.logql, Window(found.query.start, found.query.end, found.query.step_ns / 1e9))
    elif found.series:
        titles = (Column(title=term("ask.column.labels")), Column(title=term("ask.column.value"), align=Align.RIGHT))
        rows = tuple((name(_labels(series)), _last(series)) for series in found.series)
        yield Table(columns=titles, rows=rows)
    if found.has_run and not found.lines and not found.series:
        yield Paragraph(text=say("ask.no_lines"), tone=Tone.WARNING)
    if found.logql:
        yield CodeBlock(text=found.logql, language="logql")
    yield from _understood(found.says)


def _labels(series: LogSeries) -> str:
    return ", ".join(f"{key}={value}" for key, value in series.labels.items()) or "{}"


def _last(series: LogSeries) -> Shown:
    value = series.points[-1].value if series.points else None
    return name("–") if value is None else number(value)


def passages_shown(found: PassagesFound) -> Iterator[Block]:
    """The passages, each below its heading, and where they are from."""
    if not found.passages:
        yield Paragraph(text=say("ask.not_in_documents"), tone=Tone.WARNING)
        yield from _by_words(found)
        return
    yield from _by_words(found)
    if found.answer:
        yield Paragraph(text=passage(found.answer))
    for cited in found.passages:
        yield Heading(text=passage(cited.heading or _named_with_source(cited)), level=3)
        yield Paragraph(text=passage(cited.text))
    yield References(references=tuple(Reference(text=name(cited.path or _named_with_source(cited))) for cited in found.passages))


def _named_with_source(term_found: Passage) -> str:
    """A term with the source that defines it so: another may define it otherwise."""
    return f"{term_found.title} ({term_found.source})" if term_found.source else term_found.title


def suggestions(content: Json) -> tuple[Sayable, ...]:
    """The messages that continue an answer."""
    try:
        plan = AskPlan.model_validate(content)
    except ValidationError:
        return ()
    return (say("ask.suggest.run"),) if plan.answer and plan.answer.ends_with is Ending.SQL_FOR_CONFIRMATION else ()


def _closing(ending: Ending, options: ShowOptions) -> Iterator[Block]:
    """What the user may say next."""
    if ending is Ending.SQL_FOR_CONFIRMATION and options.has_buttons:
        yield Paragraph(text=term("ask.next.button"), tone=Tone.STRONG)
    elif ending is Ending.SQL_FOR_CONFIRMATION:
        yield Paragraph(text=say("ask.next.run", command=code_value('bullpen ask --follow "yes, run it"')), tone=Tone.STRONG)
    elif ending is Ending.TABLES:
        yield Paragraph(text=say("ask.next.sql"), tone=Tone.DIM)
