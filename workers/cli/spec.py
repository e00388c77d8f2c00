"""`bullpen spec`: specifications of tables, which a kind of job takes in the place of a requirement."""

from pathlib import Path
from typing import Annotated

import typer

from contracts.base import Contract, Json
from contracts.existing_sql import ExistingSql
from contracts.statements import as_value, say
from contracts.statements import name as identifier
from workers.catalogue import Catalogue
from workers.cli.context import console, database, print_json, services, settings
from workers.cli.existing import OF_EXISTING, existing_of, source_of
from workers.cli.forms import options_of, with_options
from workers.cli.requests import read_text
from workers.cli.telling import reader, tell, words
from workers.errors import InvalidInput
from workers.kinds.base import Specification, WrongSpec
from workers.kinds.registry import all_kinds, load_kinds
from workers.kinds.shown import deliverable_document
from workers.saying.terminal import print_document

app = typer.Typer(add_completion=False, help="Specifications of tables: write, check and show them.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Owner = Annotated[str, typer.Option("--as", help="The owner who asks.")]
SourceOption = Annotated[str | None, typer.Option("--source", help="The source whose tables are read. Default: the only one.")]
File = Annotated[str, typer.Argument(help="The file of the specification.")]
WRONG = 1
"""Exit code of a specification that cannot be taken."""


def new(
    target: Annotated[str, typer.Argument(help="The table that you need, with its schema where it has one.", show_default=False)] = "",
    source: SourceOption = None,
    file: Annotated[str | None, typer.Option("--from", help="A requirement in words: likely tables and columns are filled in.")] = None,
    table: Annotated[list[str] | None, typer.Option("--table", help="A table that it is made of. May be repeated.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file. Default: standard output.")] = None,
    owner: Owner = "default",
    *,
    values: Json,
) -> None:
    """Make a specification to edit: the likely tables with their columns, keys and joins, and TODO where nothing is known.

    Search fills it in; nothing is understood. From SQL that you have already (--sql, --dbt) it says what that says.

    `bullpen submit etl --spec FILE` then reviews it, tries it and makes the package.
    """
    _, form = _form()
    own = existing_of({**values, "target": target} if values else {})
    if own is not None:
        text = form.existing.load()(own, *source_of(source, owner)).text
    elif target or table:
        requirement, known = read_text(file) if file else "", Catalogue(database(), services().embedder)
        text = form.draft.load()(known, source_of(source, owner), target, requirement, owner, table or ())
    else:
        raise InvalidInput.of(say("refused.cli.spec_of_what", option=identifier("--sql"), other=identifier("--dbt")))
    if output is None:
        console.print(text, markup=False, highlight=False, soft_wrap=True)
        return
    if output.exists():
        raise InvalidInput.of(say("refused.cli.spec_exists", file=identifier(str(output))))
    output.write_text(text, "utf-8")
    tell(say("said.spec.written", file=identifier(str(output))))


app.command("new")(with_options(new, options_of(ExistingSql, leave_out=("target",), panel=OF_EXISTING), new.__doc__ or ""))


@app.command()
def check(file: File, source: SourceOption = None, owner: Owner = "default", as_json: AsJson = False) -> None:
    """Check a specification: its form, its names against the catalogue, its columns. Exit code 1: it cannot be taken."""
    faults: list[Json] = []
    _, form = _form()
    try:
        _content(form, read_text(file), source, owner)
    except WrongSpec as wrong:
        faults = [
            {"line": fault.line, "column": fault.column or None, "place": fault.place, "text": words(fault.text)} for fault in wrong.faults
        ]
    if as_json:
        print_json({"file": file, "valid": not faults, "faults": faults})
    elif faults:
        for fault in faults:
            console.print(f"{file}:{fault['place']}: {fault['text']}", markup=False, highlight=False, soft_wrap=True)
    else:
        tell(say("said.spec.valid", file=identifier(file)))
    if faults:
        raise typer.Exit(WRONG)


@app.command()
def show(file: File, source: SourceOption = None, owner: Owner = "default", as_json: AsJson = False) -> None:
    """Show what a specification amounts to: tables that are read, columns, grain, mode."""
    kind, form = _form()
    try:
        content = _content(form, read_text(file), source, owner).to_json()
    except WrongSpec as wrong:
        fault = wrong.faults[0]
        raise InvalidInput.of(
            say("refused.cli.spec_fault", file=identifier(file), line=identifier(fault.place), text=as_value(fault.text))
        ) from None
    if as_json:
        print_json(content)
        return
    document = deliverable_document(kind, form.task, content)
    if document is not None:
        print_document(console, document, reader().language)


def _form() -> tuple[str, Specification]:
    """The kind that takes specifications, and what it does with them."""
    load_kinds(settings().extensions)
    return next((kind.name, kind.specification) for kind in all_kinds() if kind.specification is not None)


def _content(form: Specification, text: str, source: str | None, owner: str) -> Contract:
    """What the task would yield. Raises `WrongSpec`, `InvalidInput`."""
    named = form.source.load()(text)
    name, dialect = source_of(source or named, owner)
    return form.read.load()(text, name, dialect, Catalogue(database(), None).tables(name, owner=owner))
