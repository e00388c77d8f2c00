"""`bullpen purge`, `db` and `settings`: what an operator does now and then."""

import sys
from typing import Annotated, Any

import typer
from rich.table import Column, Table

from contracts.base import Json
from contracts.statements import passage, say
from workers.blackboard.schema import current, head, migrate
from workers.cli import context
from workers.cli.ages import read_age
from workers.cli.context import console, database, errors, print_json
from workers.cli.display import MIB, counted, shown
from workers.cli.reach import fleet as reach
from workers.errors import ConfigurationError, DatabaseNotMigrated, InvalidInput
from workers.secrets import redact_url
from workers.settings import Settings, load_settings

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

HIDDEN = "***"
SECRET_WORDS = ("auth", "password", "secret", "token", "api_key")

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
        done = reach.purge(age, dry_run=True, keep_files=keep_files)
        if not dry_run and _is_any(done):
            if not sys.stdin.isatty():
                raise InvalidInput.of(say("refused.cli.would_delete", what=passage(f"{_rows(done)}{_and(done)}")))
            typer.confirm(f"Delete {_rows(done)}{_and(done)} for good?", abort=True, err=True)
    if not dry_run:
        with errors.status("Deleting ..."):
            done = reach.purge(age, dry_run=False, keep_files=keep_files)
    if as_json:
        print_json(done)
        return
    verb = "Would delete" if dry_run else "Deleted"
    with_it = [counted(done["events"], "event"), counted(done["decisions"], "decision"), counted(done["sessions"], "empty session")]
    console.print(f"{verb} {_rows(done)}{'' if dry_run else ', with ' + ', '.join(with_it)}{_and(done)}.", soft_wrap=True)


def _is_any(purged: Json) -> bool:
    files = purged["artefacts"]
    return purged["jobs"] + purged["quarantine"] + files["bundles"] + files["files"] > 0


def _rows(purged: Json) -> str:
    return f"{counted(purged['jobs'], 'job')} and {counted(purged['quarantine'], 'quarantine entry', 'quarantine entries')}"


def _and(purged: Json) -> str:
    files = purged["artefacts"]
    if not files["bundles"] + files["files"]:
        return ""
    kept = f"{counted(files['bundles'], 'bundle')} and {counted(files['files'], 'file')}"
    return f"; of the artefact store {kept} ({files['bytes'] / MIB:.1f} MiB)"


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
        console.print(f"The database is at revision {after}" + (", as it was." if before == after else f" (before: {before or 'none'})."))


@db.command("current")
def current_schema(as_json: AsJson = False) -> None:
    """Print the database's revision and the revision that this release needs. Exit code 6 if they differ."""
    have, want = current(database()), head()
    if as_json:
        print_json({"revision": have, "needed": want, "current": have == want})
    else:
        console.print(f"{have or 'none'}" + ("" if have == want else f" (this release needs {want})"))
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
    table = Table("variable", Column("value", overflow="fold"), "from", box=None, padding=(0, 2, 0, 0))
    for row in rows.values():
        table.add_row(row["variable"], shown("-" if row["value"] in (None, "") else row["value"]), row["from"])
    console.print(table)


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
    return "environment" if name in read.model_fields_set else "default"
