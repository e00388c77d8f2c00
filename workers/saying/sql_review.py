"""A review of SQL as blocks of a document: each finding with the rows on which it shows."""

from collections.abc import Iterator, Sequence

from contracts.sql_review import Counterexample, ReviewCheck, SampleTable, Severity, SqlFinding, SqlReview
from contracts.statements import Listing, Statement, listing, member_term, name, say, term
from workers.saying.document import Block, CodeBlock, Column, Heading, Paragraph, Table, Tone
from workers.saying.spans import text_of


def review_blocks(review: SqlReview, script: Sequence[str] = (), *, level: int = 3) -> tuple[Block, ...]:
    """The findings in their order. `script`: the texts of the statements, from which the lines in question are shown."""
    if not review.findings:
        return (Paragraph(text=say("saying.review.nothing_found"), tone=Tone.GOOD), *checks_shown(review.checked, review.not_checked))
    found = tuple(block for finding in review.findings for block in _finding(finding, script, level))
    return (*found, *checks_shown(review.checked, review.not_checked))


def checks_shown(checked: Sequence[ReviewCheck], not_checked: Sequence[ReviewCheck]) -> tuple[Block, ...]:
    """What a review looked at, and what it did not."""
    texts = list[Statement]()
    if checked:
        texts.append(say("saying.review.checked", checks=_listed(checked)))
    if not_checked:
        texts.append(say("saying.review.not_checked", checks=_listed(not_checked)))
    return tuple(Paragraph(text=text, tone=Tone.DIM) for text in texts)


def _listed(checks: Sequence[ReviewCheck]) -> Listing:
    return listing(*(member_term("saying.review.check", check) for check in checks))


def _finding(finding: SqlFinding, script: Sequence[str], level: int) -> Iterator[Block]:
    is_blocker = finding.severity is Severity.BLOCKER
    yield Heading(text=_title(finding), level=level)
    yield Paragraph(text=finding.summary, tone=Tone.BAD if is_blocker else Tone.WARNING)
    place = finding.place
    if place is not None and place.statement <= len(script):
        lines = script[place.statement - 1].splitlines()
        if place.line <= len(lines) and len(lines) > 1:
            yield CodeBlock(text=lines[place.line - 1], language="sql", first_line=place.line)
    if finding.counterexample is not None:
        yield from _shown(finding.counterexample)
    yield Paragraph(text=finding.advice)


def _title(finding: SqlFinding) -> Statement:
    place = finding.place
    is_blocker = finding.severity is Severity.BLOCKER
    severity = term("saying.review.blocker") if is_blocker else term("saying.review.warning")
    if place is None:
        return say("saying.review.title", severity=severity)
    return say("saying.review.title_at", severity=severity, statement=name(place.statement), line=name(place.line))


def _shown(example: Counterexample) -> Iterator[Block]:
    for number, tables in enumerate(example.rounds, 1):
        if len(example.rounds) > 1:
            yield Paragraph(text=say("saying.review.rows_of_run", n=name(number)))
        else:
            yield Paragraph(text=say("saying.review.rows"))
        yield from (_table(table) for table in tables)
    yield Paragraph(text=say("saying.review.given"))
    yield _result(example.given)
    if example.meant is not None:
        yield Paragraph(text=say("saying.review.meant"))
        yield _result(example.meant)


def _result(table: SampleTable) -> Block:
    return _table(table) if table.rows else Paragraph(text=say("saying.review.no_rows"))


def _table(table: SampleTable) -> Table:
    rows = tuple(tuple(name(cell) if cell is not None else term("saying.review.null") for cell in row) for row in table.rows)
    columns = tuple(Column(title=name(column)) for column in table.columns)
    return Table(columns=columns, rows=rows, caption=name(table.name) if table.name else None)


def objection_text(finding: SqlFinding) -> str:
    """A defect with the rows that show it, as a model reads it."""
    parts = [f"{text_of(finding.summary, 'en')} {text_of(finding.advice, 'en')}"]
    example = finding.counterexample
    if example is not None:
        for tables in example.rounds:
            parts += [rows_text(f"With these rows of {table.name}", table) for table in tables]
        parts.append(rows_text("the statement gives", example.given))
        if example.meant is not None:
            parts.append(rows_text("where it should give", example.meant))
    return "\n".join(parts)


def example_lines(finding: SqlFinding, language: str) -> list[str]:
    """What a finding advises, with the rows that show it, a table on a line: for a text beside which the script is not shown."""
    example, found = finding.counterexample, [text_of(finding.advice, language)]
    if example is None:
        return found
    for number, tables in enumerate(example.rounds, 1):
        heading = say("saying.review.rows_of_run", n=name(number)) if len(example.rounds) > 1 else say("saying.review.rows")
        found += [text_of(heading, language), *(rows_text(table.name, table) for table in tables)]
    results = ((say("saying.review.given"), example.given), (say("saying.review.meant"), example.meant))
    return found + [rows_text(text_of(heading, language), table) for heading, table in results if table is not None]


def rows_text(title: str, table: SampleTable) -> str:
    """Rows in one line, as a model reads them."""
    lines = ["(" + ", ".join("NULL" if cell is None else cell for cell in row) + ")" for row in table.rows]
    return f"{title} ({', '.join(table.columns)}): {'; '.join(lines) or 'no rows'}"
