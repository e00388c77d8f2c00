"""The registered tools as they are offered to steps."""

from contracts.tools import ToolOffer
from workers.errors import Unavailable
from workers.tools.registry import find_tool, tool_names


def tool_offers() -> list[tuple[ToolOffer | None, str, list[str]]]:
    """Each tool as it is offered, its name, and the kinds of pointers that open it. Without an offer if its server does not answer."""
    return [_about(name) for name in tool_names()]


def _about(name: str) -> tuple[ToolOffer | None, str, list[str]]:
    try:
        tool = find_tool(name)
    except Unavailable:
        tool = None
    if tool is None:
        return None, name, []
    offer = ToolOffer(
        name=name, description=tool.description, effect=tool.effect, cost=tool.cost, arguments=tool.argument_schema(), card=tool.card
    )
    return offer, name, sorted(tool.opens)
