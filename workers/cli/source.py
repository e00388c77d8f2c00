"""`bullpen source` and `bullpen audit`: the users' databases, what each owner may see of them, and what was run on them."""

from collections.abc import Generator
from contextlib import contextmanager
from functools import reduce
from typing import Annotated

import typer
from rich.table import Column

from contracts.sources import EVERYONE, Execution, QueryResult, Source, SourceKind, SourceLimits, SourcePolicy, Verdict
from contracts.statements import (
    Join,
    Shown,
    Statement,
    Value,
    as_value,
    code,
    count,
    listing,
    milliseconds,
    names,
    number,
    passage,
    quote,
    say,
    seconds,
    sentences,
    size,
    term,
)
from contracts.statements import name as identifier
from workers.cli.context import console, database, job_id, print_json
from workers.cli.display import brief, shown
from workers.cli.lines import table
from workers.cli.list_words import WORDS, ListLanguage, address_here, list_words, owners_shown
from workers.cli.named_secrets import given_url
from workers.cli.reach.doing import do
from workers.cli.reach.remote import gateway
from workers.cli.result_table import result_table
from workers.cli.telling import note, reader, tell, warn
from workers.cli.typed import contract_of
from workers.errors import InvalidInput
from workers.named_secrets import kept_secrets
from workers.operations import sources as operations
from workers.reading.values import as_json as plain_json
from workers.sources.addresses import kind_of_address, url_of_place, variable

CUT_AT = {"rows": term("said.limit.rows"), "bytes": term("said.limit.bytes"), "time": term("said.limit.time")}
"""The limits at which a result may be cut."""

MOST_VERDICT = 26
"""Cells of a verdict before it wraps: the statement needs the room."""

app = typer.Typer(
    add_completion=False, help="Databases and files that jobs may query, and what each owner sees of them.", no_args_is_help=True
)
policies = typer.Typer(add_completion=False, help="The rows and columns that an owner sees.", no_args_is_help=True)
app.add_typer(policies, name="policy")

Name = Annotated[str, typer.Argument(help="The source's name: lower case letters, digits and _.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def add(
    name: Name,
    kind: Annotated[SourceKind | None, typer.Option(help="The database engine of the source. Default: the one of its URL.")] = None,
    url: Annotated[
        str | None,
        typer.Option(
            "--url",
            help="Where it is: a database's URL, or the path of a DuckDB or SQLite file or of a folder. It is kept in the secrets "
            "file, from which workers read it. - reads it from standard input, so that a password does not get into the shell's history.",
        ),
    ] = None,
    sample: Annotated[
        bool, typer.Option("--sample", help="Create a sample source: a small shop in DuckDB with two years of orders.")
    ] = False,
    timeout_s: Annotated[float, typer.Option("--timeout", help="Seconds that a statement may take.")] = SourceLimits().timeout_s,
    rows: Annotated[int, typer.Option(help="Largest result, in rows.")] = SourceLimits().rows,
    result_bytes: Annotated[int, typer.Option("--bytes", help="Largest result, in bytes.")] = SourceLimits().result_bytes,
    cost: Annotated[float | None, typer.Option(help="Highest cost, as the engine itself estimates it (Postgres, MySQL).")] = None,
    owner: Annotated[
        list[str] | None, typer.Option("--owner", help="Who may query it; may be given several times. Default: everyone.")
    ] = None,
    insist: Annotated[bool, typer.Option("--insist", help="Accept an account that can write, or whose rights cannot be verified.")] = False,
    as_json: AsJson = False,
) -> None:
    """Add a source. It is checked first: it must be reachable, and its account must only be able to read.

    Its URL is a secret: BULLPEN_SOURCE_<NAME>_URL in the secrets file (`bullpen secrets`) or in the environment of every process that
    may open it, never in the database.
    """
    if url is not None:
        with _kept_url(name, url):
            add(name, kind, None, sample, timeout_s, rows, result_bytes, cost, owner, insist, as_json)
        return
    kind = kind or (None if sample else kind_of_address(name))
    if kind is None and not sample:
        raise InvalidInput.of(say("refused.cli.source_kind", variable=identifier(variable(name))))
    if sample and kind not in (None, SourceKind.DUCKDB):
        raise InvalidInput.of(say("refused.cli.source_sample"))
    source = contract_of(
        Source,
        name=name,
        kind=kind or SourceKind.DUCKDB,
        limits={"timeout_s": timeout_s, "rows": rows, "result_bytes": result_bytes, "cost": cost},
        owners=owner or [],
        insisted=insist,
        sample=sample,
    )
    checked = do(operations.add_source, source)
    if as_json:
        _print_checked(name, checked)
        return
    tell(say("said.source.added", source=identifier(name), **_sizes(checked)))
    _warn(checked)
    tell(say("said.try", command=identifier(f'bullpen source query {name} "SELECT ..." --as default')))
    if not sample:
        tell(say("said.source.catalogue", command=identifier(f"bullpen catalogue import {name}")))
        if gateway() is None and variable(name) not in kept_secrets():
            keep = identifier(f"bullpen secrets set {variable(name)}")
            tell(say("said.source.workers", variable=identifier(variable(name)), command=keep))


@contextmanager
def _kept_url(name: str, url: str) -> Generator[None]:
    """Keep the URL of a source on this machine, in the form that its engine reads; not if what follows fails. Raises `InvalidInput`."""
    contract_of(Source, name=name, kind=SourceKind.DUCKDB)  # a name that is refused has no secret
    given = given_url(variable(name), url)
    from workers.sources import with_url  # reads SQL, which takes a quarter of a second to import

    with with_url(database(), name, url_of_place(given)):
        yield


@app.command("list")
def list_(language: ListLanguage = "en", as_json: AsJson = False) -> None:
    """List the sources with their limits. URLs are never shown."""
    words, found = list_words(language), do(operations.sources)
    if as_json:
        print_json([source.to_json() for source in found])
        return
    if not found:
        tell(say("lists.no.sources", command=code("bullpen source add shop --sample")))
        return
    listed = table(*words.words("source", "kind"), *(words.wide(column) for column in ("owners", "limits", "url_here")))
    for source in found:
        here = address_here(variable(source.name), words, is_needed=not source.sample)
        listed.add_row(shown(source.name), source.kind, owners_shown(source.owners, words), words(_limits(source.limits)), here)
    console.print(listed)


def _limits(limits: SourceLimits) -> Statement:
    rows = say("lists.rows_of", n=count(limits.rows, exact=True))
    most = say("lists.limits.source", time=seconds(limits.timeout_s), rows=rows, bytes=size(limits.result_bytes))
    return most if not limits.cost else say("lists.limits.source_cost", limits=most, cost=number(limits.cost))


@app.command()
def check(name: Name, as_json: AsJson = False) -> None:
    """Connect, read the schema, and check the account's rights and the policies again. Exit code 1 if there is a problem."""
    source = do(operations.source, name)
    checked = do(operations.check_source, name)
    if as_json:
        _print_checked(name, checked)
    else:
        tell(say("said.source.answers", source=identifier(name), **_sizes(checked)))
        _warn(checked)
    if checked.broken_policies or (checked.faults and not source.insisted):
        raise typer.Exit(1)


@app.command()
def remove(name: Name, as_json: AsJson = False) -> None:
    """Remove a source, its policies, and its entries of the catalogue. Its data is not touched, and the audit is kept."""
    forgotten = do(operations.remove_source, name).catalogue_entries
    if as_json:
        print_json({"source": name, "removed": True, "catalogue_entries": forgotten})
        return
    tell(
        say("said.source.removed_with", source=identifier(name), n=count(forgotten, exact=True))
        if forgotten
        else say("said.source.removed", source=identifier(name))
    )


@app.command()
def query(
    name: Name,
    statement: Annotated[str, typer.Argument(help="One SELECT in the source's dialect; `:name` for a value.")],
    owner: Annotated[str, typer.Option("--as", help="The owner whose policies apply.")],
    value: Annotated[list[str] | None, typer.Option("--value", help="NAME=TEXT: the value of `:NAME`; may be given several times.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a statement with the rights of an owner's job, through all five locks, and print the result."""
    result = do(operations.query, name, statement, owner=owner, values=_values(value or []))
    if as_json:
        print_json(result.to_json())
    else:
        _print_result(result)


@app.command()
def writable(
    name: Name,
    schema: Annotated[str | None, typer.Argument(help="A schema into which approved scripts may write. Without it: list them.")] = None,
    close: Annotated[bool, typer.Option("--close", help="Scripts may no longer write into it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Open a schema of a Postgres source to scripts that a human has approved, or list the open ones. By default there is none.

    Writing takes an account of its own, BULLPEN_SOURCE_<NAME>_WRITE_URL, which may change these schemas only.
    """
    found = do(operations.writable, name) if schema is None else do(operations.set_writable, name, schema, is_open=not close)
    if as_json:
        print_json({"source": name, "writable": found})
        return
    tell(say("said.source.writable", schemas=names(found)) if found else say("said.source.not_writable", source=identifier(name)))


@policies.command("set")
def set_(
    name: Name,
    table: Annotated[str, typer.Argument(help="A table or view: orders, sales.orders.")],
    owner: Annotated[str, typer.Option("--owner", help="The owner to whom it applies; * for everyone.")] = EVERYONE,
    where: Annotated[str | None, typer.Option(help='Rows that may be seen: "region = \'EU\'", "seller = :owner".')] = None,
    hide: Annotated[list[str] | None, typer.Option(help="A column that the owner does not see; may be given several times.")] = None,
    deny: Annotated[bool, typer.Option("--deny", help="The owner does not see the table.")] = False,
    exempt: Annotated[bool, typer.Option("--exempt", help="The policies for everyone on this table do not apply to this owner.")] = False,
    as_json: AsJson = False,
) -> None:
    """Define what an owner sees of a table. It replaces this owner's policy on the table; policies for everyone also apply."""
    policy = contract_of(SourcePolicy, owner=owner, table=table, predicate=where, hidden=hide or [], denied=deny, exempt=exempt)
    do(operations.set_policy, name, policy)
    if as_json:
        print_json(policy.to_json())
        return
    tell(sentences(say("said.policy.kept"), _said(policy)))


@policies.command("list")
def list_policies_(name: Name, language: ListLanguage = "en", as_json: AsJson = False) -> None:
    """List the policies of a source."""
    list_words(language)  # an unknown language is refused
    found = do(operations.policies, name)
    if as_json:
        print_json([policy.to_json() for policy in found])
        return
    for policy in found:
        tell(_said(policy))
    if not found:
        tell(say("lists.no.policies", source=identifier(name)))


@policies.command("remove")
def remove_policy_(
    name: Name,
    table: Annotated[str, typer.Argument(help="The table, as the policy names it.")],
    owner: Annotated[str, typer.Option("--owner", help="The owner whose policy it is; * for the policy for everyone.")] = EVERYONE,
    as_json: AsJson = False,
) -> None:
    """Remove a policy: the owner then sees more."""
    do(operations.remove_policy, name, owner, table)
    if as_json:
        print_json({"source": name, "table": table, "owner": owner, "removed": True})
        return
    tell(say("said.policy.removed"))


def audit(
    source: Annotated[str | None, typer.Option(help="Only statements on this source.")] = None,
    owner: Annotated[str | None, typer.Option(help="Only statements of this owner.")] = None,
    job: Annotated[str | None, typer.Option(help="Only statements of this job.")] = None,
    refused: Annotated[bool, typer.Option("--refused", help="Only statements that were refused or failed.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Most rows to show.")] = 50,
    language: ListLanguage = "en",
    as_json: AsJson = False,
) -> None:
    """Show what was run on the sources, the newest first: owner, statement, rows, time, and the verdict of each lock."""
    wanted = None if job is None else job_id(job)
    found = do(operations.audit, source=source, owner=owner, job_id=wanted, refused=refused, limit=limit)
    if as_json:
        print_json([execution.to_json() for execution in found])
        return
    words = list_words(language)
    if not found:
        tell(say("lists.no.statements"))
        return
    verdict = Column(words.word("verdict"), overflow="fold", max_width=MOST_VERDICT)
    listed = table(*words.words("when", "source", "owner", "rows", "ms"), verdict, words.wide("statement"))
    for execution in found:
        rows, ms = (f"{value:,}" if value is not None else "-" for value in (execution.rows, execution.duration_ms))
        listed.add_row(
            words.age(execution.started_at), shown(execution.source), brief(execution.owner, 16), rows, ms,
            brief(words.voice.plain(_verdict(execution)), 120), brief(execution.statement, 120),
        )  # fmt: skip
    console.print(listed)


def _verdict(execution: Execution) -> Shown:
    for lock in execution.locks:
        if lock.verdict is Verdict.REFUSED:
            return say("lists.refused_by", lock=identifier(lock.lock), reason=passage(lock.reason or ""))
    if execution.error:
        return execution.error
    if execution.duration_ms is None:
        return WORDS["not_ended"]
    changed = [
        say("lists.lock", lock=identifier(lock.lock), verdict=WORDS[lock.verdict])
        for lock in execution.locks
        if lock.verdict in (Verdict.REWRITTEN, Verdict.CUT)
    ]
    return listing(*changed, join=Join.PLAIN) if changed else WORDS["passed"]


def _values(items: list[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for item in items:
        name, equals, text = item.partition("=")
        if not equals:
            raise InvalidInput.of(say("refused.cli.value_form", given=quote(item[:60])))
        values[name] = text
    return values


def _print_checked(name: str, checked: operations.Look) -> None:
    print_json(reader().json({"source": name, **plain_json(checked)}))


def _sizes(checked: operations.Look) -> dict[str, Value]:
    """How much a source has."""
    views = sum(table.view for table in checked.tables)
    columns = sum(len(table.columns) for table in checked.tables)
    return {
        "tables": say("said.source.tables", n=count(len(checked.tables) - views, exact=True)),
        "views": say("said.source.views", n=count(views, exact=True)),
        "columns": say("said.source.columns", n=count(columns, exact=True)),
    }


def _warn(checked: operations.Look) -> None:
    """What is wrong with a source's account and its policies, and how its files were read."""
    for read in checked.notes:
        note(read, style="yellow")
    for fault in checked.faults:
        warn(say("said.source.account", fault=as_value(fault)))
    for broken in checked.broken_policies:
        warn(say("said.source.policy", fault=as_value(broken)))


def _print_result(result: QueryResult) -> None:
    table, hidden = result_table(result, console.width)
    console.print(table)
    if hidden:
        columns = say("said.source.columns", n=count(len(hidden), exact=True))
        tell(say("said.result.no_room", columns=columns, names=names(hidden), option=identifier("--json")))
    rows = say("lists.rows_of", n=count(len(result.rows), exact=True))
    found = [say("said.result.rows", rows=rows, time=milliseconds(result.duration_ms))]
    if result.cut:
        found.append(say("said.result.cut", limit=CUT_AT.get(result.cut, identifier(result.cut))))
    if any(lock.verdict is Verdict.REWRITTEN for lock in result.locks):
        found.append(say("said.result.policies"))
    note(sentences(*found), style=None)


def _said(policy: SourcePolicy) -> Statement:
    """What an owner sees of a table."""
    parts: list[Value] = []
    if policy.denied:
        parts.append(say("said.policy.denied"))
    if policy.predicate:
        parts.append(say("said.policy.rows", predicate=identifier(policy.predicate)))
    if policy.hidden:
        parts.append(say("said.policy.hidden", columns=names(policy.hidden)))
    if policy.exempt:
        parts.append(say("said.policy.exempt"))
    who = WORDS["everyone"] if policy.owner == EVERYONE else identifier(policy.owner)
    return say(
        "said.policy",
        table=identifier(policy.table),
        who=who,
        parts=reduce(lambda before, after: say("said.policy.and", before=before, after=after), parts),
    )
