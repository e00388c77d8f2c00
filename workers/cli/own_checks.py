"""`bullpen checks`: what is looked up in a system, and checks of your own."""

from pathlib import Path
from typing import Annotated

import typer

from contracts.checks import SensorKind
from contracts.own_checks import OwnCheck, Tried
from contracts.sources import SourceKind
from contracts.statements import Shown, code, count, name, passage, say
from workers.checks.library import library, sensor_library
from workers.checks.own import read_check, try_planted
from workers.checks.reading import fine_of
from workers.checks.rules import text_of_check
from workers.cli.context import console, database, print_json
from workers.cli.display import shown
from workers.cli.lines import table
from workers.cli.list_words import ListLanguage, list_words
from workers.cli.reach.doing import do
from workers.cli.reach.remote import gateway
from workers.cli.requests import read_text
from workers.cli.telling import tell
from workers.operations import own_checks as operations

app = typer.Typer(add_completion=False, help="What is looked up in a system, and checks of your own.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Hash = Annotated[str, typer.Argument(help="The check's hash, or the first 8 characters of it.")]
FAILED = 1
"""Exit code of a check whose own tests fail."""
_SHORT = 12


@app.command("list")
def list_(
    own: Annotated[bool, typer.Option("--own", help="Only checks of your own.")] = False,
    language: ListLanguage = "en",
    as_json: AsJson = False,
) -> None:
    """List the checks: the shipped ones with what each says of a system that has no such fault, and your own with who approved them."""
    stored = do(operations.checks)
    shipped = [] if own else [*library(SourceKind.POSTGRES), *(check for kind in SensorKind for check in sensor_library(kind))]
    if as_json:
        print_json({"shipped": [check.to_json() for check in shipped], "own": [check.to_json() for check in stored]})
        return
    words = list_words(language)
    listed = table(*words.words("check", "kind"), words.wide("fine"))
    for check in shipped:
        fine = text_of_check(check, "fine") if isinstance(check.kind, SensorKind) else fine_of(check)  # pyright: ignore[reportArgumentType] its kind says which
        listed.add_row(shown(check.name), check.kind.value, words(fine))
    for each in stored:
        state: Shown = say("lists.checks.approved", by=name(each.approved_by)) if each.approved_by else say("lists.checks.not_approved")
        row = say("lists.checks.own", title=passage(each.check.title), hash=name(each.hash[:_SHORT]), state=state)
        listed.add_row(shown(each.check.name), each.check.language, words(row))
    console.print(listed)


@app.command()
def add(
    file: Annotated[str, typer.Argument(help="A YAML file (docs/diagnose.md); - reads standard input.")],
    as_json: AsJson = False,
) -> None:
    """Store a check of your own. It does not run unattended before it is approved."""
    stored = do(operations.add_check, read_check(read_text(file)))
    if as_json:
        print_json(stored.to_json())
        return
    tell(say("said.checks.added", check=name(stored.check.name), hash=name(stored.hash)))
    if stored.approved_at is None:
        tell(say("said.checks.approve", command=code(f"bullpen checks approve {stored.hash[:_SHORT]}")))


@app.command("test")
def try_(
    check: Annotated[str, typer.Argument(help="A YAML file, or the hash of a stored check.")],
    language: ListLanguage = "en",
    as_json: AsJson = False,
) -> None:
    """Try a check on the data that its file plants. Exit code 1: it found something else than its file says."""
    is_file = Path(check).suffix in (".yaml", ".yml")
    results = _tried(read_check(read_text(check))) if is_file else do(operations.test_check, check)
    wrong = [result for result in results if not result.is_right]
    if as_json:
        print_json({"right": not wrong, "tests": [{**result.to_json(), "right": result.is_right} for result in results]})
    else:
        words = list_words(language)
        for number, result in enumerate(results, start=1):
            console.print(words(_shown(number, result)), markup=False, highlight=False)
    if wrong:
        raise typer.Exit(FAILED)


def _tried(check: OwnCheck) -> tuple[Tried, ...]:
    """What a check of a file finds; a gateway tries only what it has stored."""
    if gateway() is None:
        return try_planted(database(), check)
    return do(operations.test_check, do(operations.add_check, check).hash)


def _shown(number: int, result: Tried) -> Shown:
    found = {"number": count(number, exact=True), "expected": name(result.expect.value), "found": name(result.found.value)}
    if result.is_right:
        return say("lists.checks.right", number=found["number"], found=found["found"])
    return say("lists.checks.wrong", **found, reason=passage(result.reason or "-"))


@app.command()
def approve(check: Hash, as_json: AsJson = False) -> None:
    """Let a stored check run unattended. Its own tests have to hold; one of the same name that was approved before gives way."""
    stored = do(operations.approve_check, check)
    if as_json:
        print_json(stored.to_json())
        return
    tell(say("said.checks.approved", check=name(stored.check.name), by=name(stored.approved_by or "-")))


@app.command()
def remove(check: Hash, as_json: AsJson = False) -> None:
    """Forget a check of your own."""
    removed = do(operations.remove_check, check).removed
    if as_json:
        print_json({"removed": removed})
        return
    tell(say("said.checks.removed", hash=name(removed[:_SHORT])))
