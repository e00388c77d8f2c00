"""`bullpen purge`, `db` and `settings`: what an operator does now and then."""

import os
import sys
from datetime import timedelta
from typing import Annotated, Any

import typer

from contracts.base import Json
from contracts.statements import Join, Name, Statement, Term, count, listing, name, say, size, term
from workers.blackboard.schema import current, head, migrate
from workers.cli import context
from workers.cli.ages import read_age
from workers.cli.context import console, database, errors, print_json
from workers.cli.display import shown
from workers.cli.lines import table, wide
from workers.cli.reach.doing import do
from workers.cli.telling import confirmed, tell, words
from workers.errors import ConfigurationError, DatabaseNotMigrated, InvalidInput
from workers.operations import fleet as operations
from workers.secrets import redact_url
from workers.settings import Settings, load_settings

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

HIDDEN = "***"
KEPT = "secrets file"
CAME_FROM = {
    "environment": term("said.settings.environment"),
    KEPT: term("said.settings.kept"),
    "default": term("said.settings.default"),
}
"""Where a setting comes from, in words."""
SECRET_WORDS = ("auth", "password", "webhook_secret", "token", "api_key")

db = typer.Typer(add_completion=False, help="The database's schema.", no_args_is_help=True)


def purge(
    older_than: Annotated[str, typer.Option(help="Age since the job ended, or the entry was settled: 30d, 12h.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count; delete nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    keep_files: Annotated[bool, typer.Option("--keep-files", help="Keep the artefact store: jobs of another database use it too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete finished jobs with everything that belongs to them, settled quarantine entries, and files that no job needs any more. Jobs
    that run or wait are kept."""
    age = read_age(older_than)
    done: Json = {}
    if dry_run or not yes:
        done = _purged(age, dry_run=True, keep_files=keep_files)
        if not dry_run and _is_any(done):
            if not sys.stdin.isatty():
                raise InvalidInput.of(say("refused.cli.would_delete", what=_with_files(_rows(done), done)))
            if not confirmed(say("said.purge.sure", what=_with_files(_rows(done), done))):
                raise typer.Abort
    if not dry_run:
        with errors.status(words(say("said.purge.deleting"))):
            done = _purged(age, dry_run=False, keep_files=keep_files)
    if as_json:
        print_json(done)
        return
    if dry_run:
        tell(say("said.purge.would", what=_with_files(_rows(done), done)))
        return
    of_jobs = (
        say("said.purge.events", n=count(done["events"], exact=True)),
        say("said.purge.decisions", n=count(done["decisions"], exact=True)),
        say("said.purge.sessions", n=count(done["sessions"], exact=True)),
    )
    rows = say("said.purge.with", rows=_rows(done), more=listing(*of_jobs, join=Join.PLAIN))
    tell(say("said.purge.deleted", what=_with_files(rows, done)))


def _purged(age: timedelta, *, dry_run: bool, keep_files: bool) -> Json:
    return do(operations.purge, age.total_seconds(), dry_run=dry_run, keep_files=keep_files).model_dump()


def _is_any(purged: Json) -> bool:
    files = purged["artefacts"]
    return purged["jobs"] + purged["quarantine"] + files["bundles"] + files["files"] > 0


def _rows(purged: Json) -> Statement:
    jobs = say("said.purge.jobs", n=count(purged["jobs"], exact=True))
    return say("said.purge.rows", jobs=jobs, entries=say("said.purge.entries", n=count(purged["quarantine"], exact=True)))


def _with_files(rows: Statement, purged: Json) -> Statement:
    """The rows, and what goes of the artefact store."""
    found = purged["artefacts"]
    if not found["bundles"] + found["files"]:
        return rows
    bundles = say("said.purge.bundles", n=count(found["bundles"], exact=True))
    files = say("said.purge.files", n=count(found["files"], exact=True))
    return say("said.purge.with_files", rows=rows, bundles=bundles, files=files, size=size(found["bytes"]))


@db.command("migrate")
def migrate_schema(as_json: AsJson = False) -> None:
    """Upgrade the database to this release's schema. It is safe to run this repeatedly and concurrently."""
    before = current(database())
    after = migrate(database())
    from workers.catalogue import import_own_documents  # reads SQL, which takes a second to import

    import_own_documents(database())  # `ask` answers from the documents of this release
    if as_json:
        print_json({"before": before, "revision": after})
    else:
        now = name(after)
        tell(say("said.db.as_before", now=now) if before == after else say("said.db.migrated", now=now, before=_revision(before)))


def _revision(found: str | None) -> Name | Term:
    return name(found) if found else term("doctor.none")


@db.command("current")
def current_schema(as_json: AsJson = False) -> None:
    """Print the database's revision and the revision that this release needs. Exit code 6 if they differ."""
    have, want = current(database()), head()
    if as_json:
        print_json({"revision": have, "needed": want, "current": have == want})
    else:
        tell(_revision(have) if have == want else say("said.db.needs", have=_revision(have), needed=name(want)))
    if have != want:
        raise DatabaseNotMigrated(f"The database is at revision {have or 'none'}, this release needs {want}. Run `bullpen db migrate`.")


def settings(as_json: AsJson = False) -> None:
    """Print the settings in effect and where each comes from. Passwords are hidden."""
    read = load_settings()
    try:
        used = context.settings()
    except (ConfigurationError, context.AtAGateway):  # no servers at all: the rest is worth seeing all the same
        used = read
    rows = {
        name: {"variable": f"BULLPEN_{name.upper()}", "value": _shown_value(name, used), "from": _source(name, read, used)}
        for name in Settings.model_fields
    }
    if as_json:
        print_json(rows)
        return
    listed = table(words(term("said.settings.variable")), wide(words(term("said.settings.value"))), words(term("said.settings.from")))
    for row in rows.values():
        value, came_from = "-" if row["value"] in (None, "") else row["value"], row["from"]
        listed.add_row(row["variable"], shown(value), words(CAME_FROM.get(came_from, came_from)))
    console.print(listed)


def _shown_value(name: str, used: Settings) -> Any:
    value = getattr(used, name)
    if value is None or isinstance(value, bool | int | float):
        return value
    if value in ({}, (), ""):
        return None  # what is not set is no secret
    if not Settings.model_fields[name].repr or any(word in name for word in SECRET_WORDS):
        return HIDDEN
    return redact_url(_as_variable(value))


def _as_variable(value: Any) -> str:
    """A value as it would be set: lists and pairs by comma, prices as IN/OUT."""
    if isinstance(value, dict):
        return ",".join(f"{key}={_as_variable(item)}" for key, item in value.items())  # pyright: ignore[reportUnknownVariableType] by its field
    if isinstance(value, tuple):
        parts: tuple[Any, ...] = value  # pyright: ignore[reportUnknownVariableType] as above
        return ("/" if parts and isinstance(parts[0], float) else ",").join(
            f"{part:g}" if isinstance(part, float) else str(part) for part in parts
        )
    return str(value)


def _source(name: str, read: Settings, used: Settings) -> str:
    if getattr(read, name) != getattr(used, name):
        return "bullpen up"
    if name not in read.model_fields_set:
        return "default"
    return "environment" if f"BULLPEN_{name.upper()}" in os.environ else KEPT
