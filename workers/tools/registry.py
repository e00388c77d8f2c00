"""The tools that this process knows, by name, and the pointers that every step of an owner holds."""

from collections.abc import Callable, Iterable
from importlib import import_module

from pydantic import TypeAdapter, ValidationError

from contracts.pointers import AnyPointer
from contracts.tools import ToolName
from workers.errors import ConfigurationError
from workers.tools.tool import AnyTool, ToolServices

StandingPointers = Callable[[ToolServices, str], Iterable[AnyPointer]]
"""Services and owner → pointers. It reads them from rows of the blackboard, never from a message or a text."""

_tools: dict[str, AnyTool | str] = {}
"""Name → the tool, or its place (`module:NAME`), so that a worker imports only the tools that its steps may call."""
_standing: dict[str, StandingPointers | str] = {}
_NAME: TypeAdapter[str] = TypeAdapter(ToolName)


def register_tool(name: str, tool: AnyTool | str) -> None:
    """Make a tool known: the tool, or its place. Raises `ConfigurationError` if the name is malformed or belongs to another tool."""
    try:
        _NAME.validate_python(name)
    except ValidationError:
        form = "lower case letters, digits and _, with dots between parts"
        raise ConfigurationError(f"{name[:80]!r} is not a tool's name: {form}.") from None
    if _tools.get(name, tool) != tool:
        raise ConfigurationError(f"Two tools are called {name!r}. Rename the tool of your extension.")
    _tools.setdefault(name, tool)


def register_standing(name: str, find: StandingPointers | str) -> None:
    """Add a function that yields the pointers which every step of an owner holds: the sources that the owner may query, say."""
    if _standing.get(name, find) != find:
        raise ConfigurationError(f"Two sets of standing pointers are called {name!r}. Rename the set of your extension.")
    _standing.setdefault(name, find)


def find_tool(name: str) -> AnyTool | None:
    """The tool of this name, imported if necessary. None for an unknown name."""
    known = _tools.get(name)
    if not isinstance(known, str):
        return known
    module, _, attribute = known.partition(":")
    loaded: AnyTool = getattr(import_module(module), attribute)
    if loaded.name != name:
        raise ConfigurationError(f"{known} is registered as {name!r} and calls itself {loaded.name!r}.")
    return loaded


def tool_names() -> list[str]:
    """All registered names."""
    return sorted(_tools)


def standing_pointers(services: ToolServices, owner: str) -> list[AnyPointer]:
    """The pointers that every step of this owner holds."""
    found: list[AnyPointer] = []
    for name in sorted(_standing):
        find = _standing[name]
        if isinstance(find, str):
            module, _, attribute = find.partition(":")
            find = getattr(import_module(module), attribute)
        found.extend(find(services, owner))
    return found
