"""`bullpen mcp`: the fleet's tools for one agent, over standard input and output."""

import asyncio
import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from contracts.access import EVERYDAY
from workers.app.services import ProcessServices
from workers.cli.context import settings
from workers.errors import ConfigurationError
from workers.extras import install_command
from workers.gateway.access.caller import Caller
from workers.gateway.access.keys import ApiKey
from workers.gateway.context import Gateway
from workers.gateway.feed import Feed
from workers.gateway.uploads import upload_room
from workers.kinds.registry import load_kinds

SLOTS = 4


def mcp(owner: Annotated[str, typer.Option(help="Whose jobs the agent makes and sees.")] = "default") -> None:
    """Serve MCP over standard input and output: submit, watch, answer, search tickets and catalogue.

    An agent starts it: {"command": "bullpen", "args": ["mcp"]}. Over HTTP the gateway has the same at /mcp, with a key.
    """
    try:
        from workers.gateway.mcp import run_stdio
    except ImportError as error:
        raise ConfigurationError(f"MCP is not installed ({error}): {install_command('mcp')}") from None
    known = settings()
    load_kinds(known.extensions)
    services = ProcessServices(known, slots=SLOTS)
    here = Gateway(services, Feed(services.database), upload_room(services.settings))
    key = ApiKey("local", owner, EVERYDAY, "bullpen mcp", None, datetime.now(UTC), None, None, None)
    try:
        asyncio.run(run_stdio(here, Caller(key)))
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        services.close()
