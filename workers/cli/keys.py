"""`bullpen keys`: create, list and revoke keys of the gateway."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from contracts.access import Scope
from contracts.statements import name as identifier
from contracts.statements import say
from workers.cli.context import console, print_json
from workers.cli.display import brief, shortened
from workers.cli.lines import table
from workers.cli.list_words import ListLanguage, list_words
from workers.cli.reach.doing import do
from workers.cli.telling import note, tell
from workers.gateway.access import key_operations as operations

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Keys for the gateway: who may call it, for whom, and for what.")


@app.command()
def create(
    owner: Annotated[str, typer.Option(help="Whose jobs the key makes and sees.")] = "default",
    scope: Annotated[
        list[Scope] | None, typer.Option(help="What it allows; may be given several times. Default: submit, answer, read.")
    ] = None,
    label: Annotated[str, typer.Option(help="What it is for.")] = "",
    days: Annotated[int | None, typer.Option(min=1, max=3650, help="Days until it expires. Default: never.")] = None,
    per_minute: Annotated[int | None, typer.Option(min=1, max=1_000_000, help="Most requests a minute.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a key. It is shown once."""
    expires = None if days is None else datetime.now(UTC) + timedelta(days=days)
    made = do(operations.create_key, owner, scopes=scope, label=label, expires_at=expires, per_minute=per_minute)
    if as_json:
        print_json(dict(made))
        return
    console.print(made.key, soft_wrap=True)
    note(say("said.keys.keep"))


@app.command("list")
def list_command(language: ListLanguage = "en", as_json: AsJson = False) -> None:
    """List the keys, without their secrets."""
    keys = do(operations.keys)
    if as_json:
        print_json(keys)
        return
    words = list_words(language)
    wide = (words.wide(name) for name in ("scopes", "label"))
    listed = table(*words.words("key", "owner"), *wide, *words.words("expires", "last_used", "state"))
    for key in keys:
        state = "revoked" if key.revoked_at else "expired" if key.expires_at and key.expires_at <= datetime.now(UTC) else "valid"
        listed.add_row(
            key.id, brief(key.owner, 20), " ".join(key.scopes), brief(key.label, 40), _day(key.expires_at), _day(key.last_used_at),
            words.word(state),
        )  # fmt: skip
    console.print(listed)


@app.command()
def revoke(key: Annotated[str, typer.Argument(help="The key's id: the part between bp_ and the next _.")], as_json: AsJson = False) -> None:
    """Refuse a key from now on, and log out the browsers that logged in with it."""
    gone = do(operations.revoke_key, key)
    if as_json:
        print_json(gone)
    else:
        tell(say("said.keys.revoked", key=identifier(gone.id), owner=identifier(shortened(gone.owner, 40))))


def _day(at: datetime | None) -> str:
    return "-" if at is None else f"{at:%Y-%m-%d}"
