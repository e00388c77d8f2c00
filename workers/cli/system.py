"""`bullpen system`: systems that incidents are about, where each is looked at, and what a look finds."""

from typing import Annotated

import typer
from pydantic import ValidationError

from contracts.checks import CheckOutcome, System
from contracts.log_sources import LogKind
from contracts.sources import SourceKind
from contracts.statements import code, count, listing, say
from contracts.statements import name as identifier
from workers.checks.library import library
from workers.checks.reading import fine_of
from workers.checks.systems import read_sensor, sensor_text
from workers.checks.view import gathered_blocks, title_of
from workers.cli.context import console, print_json
from workers.cli.display import shown
from workers.cli.languages import ask_for
from workers.cli.lines import table
from workers.cli.list_words import ListLanguage, list_words, owners_shown
from workers.cli.reach.doing import do
from workers.cli.telling import tell
from workers.coordinator.intake import faults
from workers.errors import InvalidInput
from workers.operations import systems as operations
from workers.saying.document import Document
from workers.saying.terminal import print_document

app = typer.Typer(
    add_completion=False, help="Systems that incidents are about: a diagnosis looks at them before it asks.", no_args_is_help=True
)

METRICS_KINDS = ("prom", "prometheus")
"""What may precede the name of a metrics server."""

Name = Annotated[str, typer.Argument(help="The system's name: lower case letters, digits, - and _.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Language = Annotated[str | None, typer.Option("--language", help="en, zh, ...: the language to print in.", callback=ask_for)]


@app.command()
def add(
    name: Name,
    source: Annotated[str | None, typer.Option("--source", help="Its database (bullpen source list).")] = None,
    logs: Annotated[
        str | None,
        typer.Option("--logs", help="Its log, with a selector of its lines: tos, loki:tos, 'tos{app=\"orders\"}' (bullpen logs list)."),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(
            "--metrics", help="Its metrics server, with a selector of its series: 'prod{instance=~\"tos.*\"}' (bullpen metrics list)."
        ),
    ] = None,
    match: Annotated[
        list[str] | None,
        typer.Option("--match", help="A word of an incident, or label=value of an alert, that means it; * for any characters. Repeatable."),
    ] = None,
    owner: Annotated[
        list[str] | None, typer.Option("--owner", help="Whose incidents it is looked at for; repeatable. Default: everyone's.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Add a system, with one sensor or several. Its source needs an account that may read the server's statistics: in Postgres one with
    the role pg_monitor. A selector narrows a log or a metrics server to what is this system's."""
    try:
        system = System(
            name=name, source=source, match=tuple(match or ()), owners=tuple(owner or ()),
            logs=None if logs is None else read_sensor(logs, [kind.value for kind in LogKind]),
            metrics=None if metrics is None else read_sensor(metrics, METRICS_KINDS),
        )  # fmt: skip
    except ValidationError as error:
        raise InvalidInput.of(faults(error)) from None
    do(operations.add_system, system)
    if as_json:
        print_json(system.to_json())
        return
    tell(say("said.system.added", system=identifier(name), sensors=listing(*map(identifier, _sensors(system)))))
    tell(say("said.try", command=identifier(f"bullpen system look {name}")))


@app.command("list")
def list_(language: ListLanguage = "en", as_json: AsJson = False) -> None:
    """List the systems."""
    words, found = list_words(language), do(operations.systems)
    if as_json:
        print_json([system.to_json() for system in found])
        return
    if not found:
        tell(say("lists.no.systems", command=code("bullpen system add NAME --source SOURCE")))
        return
    listed = table(words.word("system"), *(words.wide(column) for column in ("looked_at", "match", "owners")))
    for system in found:
        sensors = "\n".join(_sensors(system))
        listed.add_row(shown(system.name), shown(sensors), shown(", ".join(system.match)), owners_shown(system.owners, words))
    console.print(listed)


def _sensors(system: System) -> list[str]:
    """Where it is looked at, as the options are typed."""
    sensors = [f"{kind} {sensor_text(sensor)}" for kind, sensor in (("logs", system.logs), ("metrics", system.metrics)) if sensor]
    return [*([f"source {system.source}"] if system.source else []), *sensors]


@app.command()
def remove(name: Name, as_json: AsJson = False) -> None:
    """Forget a system. Its source stays."""
    do(operations.remove_system, name)
    if as_json:
        print_json({"removed": name})
        return
    tell(say("said.system.removed", system=identifier(name)))


@app.command()
def look(
    name: Name,
    owner: Annotated[str, typer.Option("--as", help="The owner for whom it is looked at.")] = "default",
    sql: Annotated[bool, typer.Option("--sql", help="Show the statement of each check that found something.")] = False,
    language: Language = None,
    as_json: AsJson = False,
) -> None:
    """Run all checks of a system now, read-only. Exit code 1: a cause of trouble was found, or nothing could be looked at."""
    found = do(operations.look_at_system, name, owner=owner)
    if as_json:
        print_json(found.to_json())
    else:
        print_document(console, Document(title=title_of(found), blocks=tuple(gathered_blocks(found, with_sql=sql))), language or "en")
    if found.causes or not found.of(CheckOutcome.DENIED):
        raise typer.Exit(1)


@app.command()
def checks(
    engine: Annotated[SourceKind, typer.Argument(help="The engine.")] = SourceKind.POSTGRES,
    as_json: AsJson = False,
) -> None:
    """List the checks of an engine, with what each says of a server that has no such fault."""
    found = library(engine)
    if as_json:
        print_json([check.to_json() for check in found])
        return
    words = list_words("en")
    listed = table(*words.words("check", "group"), words.wide("fine"))
    for check in found:
        listed.add_row(shown(check.name), shown(check.group), words(fine_of(check)))
    console.print(listed)
    tell(
        say(
            "said.system.checks", n=count(len(found)), engine=identifier(engine.value), causes=count(sum(check.is_cause for check in found))
        )
    )
