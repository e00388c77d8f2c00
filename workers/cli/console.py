"""`bullpen console`: an address that logs a browser in to the console, once."""

import json
from typing import Annotated

import typer

from contracts.access import Scope
from contracts.statements import count, say
from workers.cli.context import console as terminal
from workers.cli.context import database, print_json, settings
from workers.cli.gateway import address_of
from workers.cli.telling import note
from workers.console.offered import login_address
from workers.gateway.access.logins import CODE_LASTS_MIN
from workers.local.fleet import addresses_path
from workers.settings import load_settings


def console(
    owner: Annotated[str, typer.Option(help="Owner of the jobs that the browser submits.")] = "default",
    scope: Annotated[
        list[Scope] | None, typer.Option(help="What the login allows; may be given several times. Default: everything.")
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="The gateway, as browsers reach it. Default: that of `bullpen up`, or of the settings.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print an address that logs a browser in to the console. It works once, within 15 minutes."""
    address = login_address(database(), url or gateway_url(), owner, scopes=tuple(scope or (Scope.ADMIN,)))
    if as_json:
        print_json({"address": address, "owner": owner, "minutes": CODE_LASTS_MIN})
        return
    terminal.print(address, soft_wrap=True, markup=False)
    note(say("said.console.open", n=count(CODE_LASTS_MIN)))


def gateway_url() -> str:
    """The gateway of a running `bullpen up`, else the one that the settings describe."""
    try:
        found = json.loads(addresses_path(load_settings().data_dir).read_text("utf-8")).get("gateway_url")
    except (OSError, ValueError, AttributeError):
        found = None
    known = settings()
    return str(found or address_of(known.gateway_address, known.gateway_port))
