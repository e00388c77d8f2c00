"""`bullpen secrets`: URLs and keys that every process of the fleet reads by name."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Annotated

import typer

from contracts.statements import name as identifier
from contracts.statements import say, term
from workers.cli.context import console, print_json
from workers.cli.reach.remote import gateway
from workers.cli.telling import reader, tell
from workers.errors import InvalidInput
from workers.named_secrets import LONGEST, drop_secret, keep_secret, keeping, kept_secrets, secrets_place

app = typer.Typer(add_completion=False, no_args_is_help=True, help="URLs and keys that every process of the fleet reads by name.")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Name = Annotated[str, typer.Argument(help="BULLPEN_SOURCE_SALES_URL, BULLPEN_MODEL_API_KEY, ...")]


@app.command("set")
def set_(
    name: Name,
    value: Annotated[str | None, typer.Argument(help="Its value, where that is no secret, such as the name of a model.")] = None,
    as_json: AsJson = False,
) -> None:
    """Keep a secret. It is asked for without being shown, or read from standard input.

    Workers that run use the URL of a source or a log from the next statement on. Settings, such as those of a model, are read when a
    process starts. The environment of a process goes before the file.
    """
    file = keep_secret(name, secret_typed(name) if value is None else value)
    if as_json:
        print_json({"name": name, "file": str(file)})
        return
    tell(say("said.secret.kept", name=identifier(name), file=identifier(file)))


@app.command("list")
def list_(as_json: AsJson = False) -> None:
    """List the names of the secrets that are kept, never their values."""
    known = sorted(kept_secrets())
    if as_json:
        print_json(known)
        return
    for name in known:
        console.print(name, soft_wrap=True)
    if not known:
        tell(say("said.secret.none", file=identifier(secrets_place())))


@app.command()
def remove(name: Name, as_json: AsJson = False) -> None:
    """Forget a secret."""
    drop_secret(name)
    if as_json:
        print_json({"removed": name})
        return
    tell(say("said.secret.removed", name=identifier(name), file=identifier(secrets_place())))


Url = Annotated[
    str | None,
    typer.Option(
        "--url",
        help="Where it is. It is kept in the secrets file, from which workers read it. - reads it from standard input.",
    ),
]


@contextmanager
def with_url(name: str, url: str) -> Generator[None]:
    """Keep a URL on this machine under the name of its secret, unless what follows fails. `url`: as `--url` gives it. Raises
    `InvalidInput`."""
    with keeping(name, given_url(name, url)):
        yield


def given_url(name: str, url: str) -> str:
    """The URL that `--url` gives for a secret, `-` being typed. Raises `InvalidInput` where the fleet is on another machine."""
    if gateway() is not None:
        raise InvalidInput.of(say("refused.cli.url_at_gateway", variable=identifier(name)))
    return secret_typed(name) if url == "-" else url


def secret_typed(name: str) -> str:
    """A secret as somebody types it unseen, or from standard input."""
    if sys.stdin.isatty():
        asked = say("saying.labelled", label=identifier(name), value=term("said.secret.unseen"))
        return str(typer.prompt(reader().plain(asked), hide_input=True, err=True))
    return sys.stdin.read(LONGEST + 1)
