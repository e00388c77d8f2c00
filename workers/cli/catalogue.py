"""`bullpen catalogue`: what is known of the users' data; importing it and looking things up in it."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from contracts.catalogue import CatalogueReport, KindCounts, NodeKind
from contracts.pointers import POINTER_CAP, AnyPointer
from contracts.statements import Join, Value, code, count, listing, names, passage, say, seconds, term
from contracts.statements import name as identifier
from contracts.tables import JoinEvidence, JoinPath, TableDetail
from workers.catalogue import Form, guess_form
from workers.cli.context import console, errors, print_json
from workers.cli.display import brief, shown
from workers.cli.lines import print_line, table
from workers.cli.list_words import WORDS, ListLanguage, ListWords, list_words
from workers.cli.reach.doing import do
from workers.cli.reach.files import import_catalogue
from workers.cli.telling import reader, tell, tell_encoding
from workers.cli.telling import words as in_words
from workers.errors import InvalidInput, NotFound
from workers.operations import catalogue as operations
from workers.operations.base import Tell
from workers.operations.sources import sources

REFUSED = 3
"""Exit code of an import of which a part could not be taken."""

PROGRESS = {
    "Tables": term("said.progress.tables"),
    "Nodes": term("said.progress.nodes"),
    "Texts": term("said.progress.texts"),
    "Vectors": term("said.progress.vectors"),
}
"""What is being done, by the word that the catalogue gives."""
_SHOWN_PROBLEMS = 20

app = typer.Typer(
    add_completion=False, help="What is known of your data: tables, columns, values, queries, documents, terms.", no_args_is_help=True
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Owner = Annotated[str | None, typer.Option("--as", help="See only what this owner may see. Default: everything.")]


@app.command("import")
def import_(
    what: Annotated[str, typer.Argument(help="The name of a source, or a file or folder.")],
    form: Annotated[Form | None, typer.Option(help="What the file or folder holds, if it is not recognised.")] = None,
    source: Annotated[str, typer.Option(help="The source that a file is about.")] = "",
    dialect: Annotated[str, typer.Option(help="SQL dialect of a file. Default: that of the source.")] = "",
    samples: Annotated[bool, typer.Option(help="For a source: also sample its values (smallest, greatest, distinct, short lists).")] = True,
    owner: Annotated[str | None, typer.Option("--as", help="For a source: read its values as this owner.")] = None,
    name: Annotated[str | None, typer.Option(help="A name for the file that stays when it is moved.")] = None,
    encoding: Annotated[str, typer.Option(help="Encoding of the files. Default: recognised from each text.")] = "",
    as_json: AsJson = False,
) -> None:
    """Import a source, or a file: new things are added, changed ones replaced, and what is no longer there is marked as gone.

    A source describes itself: names, types, comments, keys, sizes, and samples of its values. Files: tables described in JSON, YAML or
    CSV; dbt (`target` folder); DDL; SQL that was run, query logs; documents in Markdown or HTML. docs/catalogue.md shows the forms.
    Exit code 3: a part could not be imported; the rest was.
    """
    with _progress() as progress:
        if _is_source(what, form):
            report = do(operations.import_source, what, samples=samples, owner=owner, tell=progress)
        else:
            path = Path(what).expanduser()
            form = form or guess_form(path)
            report = import_catalogue(path, form=form, source=source, dialect=dialect, origin=name, encoding=encoding, tell=progress)
    if as_json:
        print_json(reader().json(report.to_json()))
    else:
        _say_report(report)
    if report.problems:
        raise typer.Exit(REFUSED)


def _is_source(what: str, form: Form | None) -> bool:
    """Whether the name of a source is meant rather than a path. Raises `NotFound` for what is neither."""
    if form is not None or "/" in what or Path(what).suffix:
        return False
    names = [source.name for source in do(sources)]
    if what in names:
        return True
    if Path(what).exists():
        return False
    if names:
        raise NotFound.of(
            say("refused.cli.no_source_nor_file", what=identifier(what), there=listing(*map(identifier, names), join=Join.PLAIN))
        )
    raise NotFound.of(say("refused.cli.no_source_yet", what=identifier(what), command=code("bullpen source add")))


@app.command()
def search(
    question: Annotated[str, typer.Argument(help="What you look for, in any words, English or Chinese.")],
    source: Annotated[str | None, typer.Option(help="Only in this source, and in what belongs to no source.")] = None,
    kind: Annotated[list[NodeKind] | None, typer.Option(help="Only this kind; may be given several times.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=POINTER_CAP, help="Most entries to show.")] = 10,
    owner: Owner = None,
    language: ListLanguage = "en",
    as_json: AsJson = False,
) -> None:
    """Find tables, columns, values, queries, metrics and documents that bear on a question."""
    found = do(operations.catalogue, question, owner=owner, source=source, kinds=kind, limit=limit)
    if as_json:
        print_json([pointer.to_json() for pointer in found])
        return
    if not found:
        tell(say("said.catalogue.nothing", command=code("bullpen catalogue import")))
        return
    words = list_words(language)
    rows = table(*words.words("kind", "score"), words.wide("place", share=2), words.wide("is", share=3))
    for pointer in found:
        rows.add_row(words.word(pointer.kind), f"{pointer.score:.2f}", shown(pointer.place), brief(_line(pointer), 160))
    console.print(rows)


def _line(pointer: AnyPointer) -> str:
    return f"{pointer.title}: {pointer.line}" if pointer.kind == "document" and pointer.title else pointer.line


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="A table, SOURCE.TABLE; or the place of a document or query, as a search prints it.")],
    owner: Owner = None,
    language: ListLanguage = "en",
    as_json: AsJson = False,
) -> None:
    """Show a table with its columns, keys, values and joins, a section of a document, or a query."""
    with suppress(NotFound):
        entry = do(operations.catalogue_entry, name, owner=owner)
        if as_json:
            print_json(entry.to_json())
        else:
            _say_text(entry)
        return
    seen = _find_table(name, owner)
    if as_json:
        print_json(seen.to_json())
        return
    _say_table(seen.source, seen.table, list_words(language))
    for path in seen.joins:
        pairs = zip(path.left_columns, path.right_columns, strict=True)
        on = listing(*(identifier(f"{path.left}.{left} = {path.right}.{right}") for left, right in pairs))
        tell(say("said.catalogue.joins", on=on, why=_evidence(path)))


def _evidence(path: JoinPath) -> Value:
    """Why a join is known."""
    match path.evidence:
        case JoinEvidence.DECLARED:
            return term("said.catalogue.foreign_key")
        case JoinEvidence.QUERIES:
            return say("said.catalogue.runs", n=count(path.queries, exact=True))
        case JoinEvidence.NAMES:
            return term("said.catalogue.equal_names")


def _find_table(name: str, owner: str | None) -> operations.TableSeen:
    """The table with its joins that `shop.orders` or `shop.main.orders.status` names. Raises `NotFound`."""
    parts = name.split(".")
    for end in range(len(parts), 1, -1):
        with suppress(NotFound):
            return do(operations.catalogue_table, parts[0], ".".join(parts[1:end]), owner=owner)
    raise NotFound.of(say("refused.cli.not_in_catalogue", name=identifier(name), command=code("bullpen catalogue search")))


@app.command()
def lineage(
    name: Annotated[str, typer.Argument(help="SOURCE.TABLE or SOURCE.TABLE.COLUMN.")],
    depth: Annotated[int, typer.Option(min=1, max=20, help="Steps to follow.")] = 5,
    owner: Owner = None,
    as_json: AsJson = False,
) -> None:
    """Show what a table or column is computed from, and what is computed from it."""
    source, _, rest = name.partition(".")
    if not rest:
        raise InvalidInput.of(say("refused.cli.table_form"))
    edges = do(operations.lineage, source, rest, owner=owner, depth=depth)
    if as_json:
        print_json([edge.to_json() for edge in edges])
        return
    if not edges:
        tell(say("said.catalogue.no_lineage", command=code("bullpen catalogue import")))
    for edge in edges:
        arrow = f"{shown(edge.result)} ← {shown(edge.origin)}"
        print_line(arrow, indent=2 * (abs(edge.distance) - 1))


@app.command("reindex")
def reindex_(as_json: AsJson = False) -> None:
    """Rebuild what is derived from the imports (texts, words, vectors), after an upgrade or a change of the embedding model."""
    with _progress() as progress:
        report = do(operations.reindex_catalogue, tell=progress)
    if as_json:
        print_json(report.to_json())
        return
    tell(say("said.catalogue.read", n=count(report.nodes, exact=True), time=seconds(round(report.duration_s, 1))))
    found = {what: number for what, number in report.differed.items() if number}
    parts = (
        say("said.catalogue.part", n=count(number, exact=True), what=WORDS.get(what, identifier(what))) for what, number in found.items()
    )
    tell(say("said.catalogue.differed", parts=listing(*parts, join=Join.PLAIN)) if found else say("said.catalogue.same"))


@contextmanager
def _progress() -> Generator[Tell]:
    """What is being done, on stderr; nothing without a terminal."""
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=errors,
        transient=True,
        disable=not errors.is_terminal,
    ) as bar:
        task = bar.add_task(in_words(term("said.progress.reading")), total=None)

        def update(what: str, done: int, total: int | None) -> None:
            description = say("said.progress", what=PROGRESS.get(what, identifier(what)), n=count(done, exact=True))
            bar.update(task, description=in_words(description))

        yield update


def _say_report(report: CatalogueReport) -> None:
    if not report.kinds and not report.problems:
        tell(say("said.catalogue.nothing_imported"))
        return
    for file, encoding in report.encodings.items():
        tell_encoding(file, encoding)
    words = ListWords(reader())
    rows = table(*words.words("what", *KindCounts.model_fields))
    for kind, counts in report.kinds.items():
        rows.add_row(words.word(kind), *(f"{number:,}" for number in counts.model_dump().values()))
    console.print(rows)
    found = [source for source in report.sources if source]
    about = names(found) if found else term("said.catalogue.no_source")
    tell(say("said.catalogue.took", sources=about, time=seconds(round(report.duration_s, 1))))
    if report.waiting:
        tell(say("lists.import.waiting", n=count(report.waiting, exact=True), command=code("bullpen catalogue reindex")))
    if report.problems:
        title = words(say("said.catalogue.problems", n=count(len(report.problems), exact=True)))
        problems = table(words.wide("place"), words.wide("why_not_taken", share=2), title=title)
        for problem in report.problems[:_SHOWN_PROBLEMS]:
            problems.add_row(shown(problem.place), words.voice(problem.reason))
        console.print(problems)
        if len(report.problems) > _SHOWN_PROBLEMS:
            more = count(len(report.problems) - _SHOWN_PROBLEMS, exact=True)
            tell(say("said.more", n=more, option=identifier("--json")))


def _say_text(entry: Any) -> None:
    if hasattr(entry, "sql"):
        for label, value in (
            (term("said.query.question"), entry.question), (term("said.query.tables"), ", ".join(entry.tables)),
            (term("said.query.target"), entry.target), (term("said.query.joins"), "; ".join(entry.joins)),
            (term("said.query.filters"), "; ".join(entry.filters)),
        ):  # fmt: skip
            if value:
                tell(say("saying.labelled", label=label, value=passage(value)))
        tell(say("saying.labelled", label=term("said.query.run"), value=say("said.times", n=count(entry.runs, exact=True))))
        print_line("")
        print_line(shown(entry.sql))
        return
    print_line(f"[bold]{shown(entry.title)}[/]" + (f" · {shown(entry.heading)}" if entry.heading else ""))
    print_line("")
    print_line(shown(entry.text))


def _say_table(source: str, found: TableDetail, words: ListWords) -> None:
    rows = "" if found.rows is None else f", {words(say('lists.rows_of', n=count(found.rows)))}"
    print_line(f"[bold]{shown(source)}.{shown(found.full_name)}[/] ({words.word('view' if found.is_view else 'table')}{rows})")
    if found.description:
        print_line(shown(found.description))
    columns = table(*words.words("column", "type"), words.wide("is", share=2), words.wide("values"))
    keys = frozenset(found.primary_key)
    for column in found.columns:
        name = f"{shown(column.name)} [yellow]{words.word('key_column')}[/]" if column.name in keys else shown(column.name)
        columns.add_row(
            name, shown(column.type), brief(column.description, 200), brief(_values(column.values, column.minimum, column.maximum), 200)
        )
    console.print(columns)


def _values(values: Sequence[str], minimum: str | None, maximum: str | None) -> str:
    if values:
        return ", ".join(values)
    return f"{minimum or ''} … {maximum or ''}".strip() if minimum is not None or maximum is not None else ""
