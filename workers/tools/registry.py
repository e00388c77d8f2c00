"""The tools that this process knows, by name, and the pointers that every step of an owner holds."""

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from importlib import import_module

from pydantic import TypeAdapter, ValidationError

from contracts.pointers import AnyPointer
from contracts.tools import ToolName
from workers.errors import ConfigurationError
from workers.llm.tool_steps import FINAL_FUNCTION
from workers.tools.tool import AnyTool, Tool, ToolServices

StandingPointers = Callable[[ToolServices, str], Iterable[AnyPointer]]
"""Services and owner → pointers. It reads them from rows of the blackboard, never from a message or a text."""

MakeTool = Callable[[], AnyTool]
"""Makes a tool when it is first needed, because a server has to be asked about it."""

_tools: dict[str, AnyTool | str | MakeTool] = {
    "query_source": "workers.tools.source_tools:QUERY_SOURCE",
    "get_column_valuedomain": "workers.tools.source_tools:GET_COLUMN_VALUEDOMAIN",
    "list_component": "workers.tools.component_tools:LIST_COMPONENT",
    "search_catalogue": "workers.tools.catalogue_tools:SEARCH_CATALOGUE",
    "get_table_detail": "workers.tools.catalogue_tools:GET_TABLE_DETAIL",
    "get_table_lineage": "workers.tools.catalogue_tools:GET_TABLE_LINEAGE",
    "get_lineage_sql": "workers.tools.catalogue_tools:GET_LINEAGE_SQL",
    "get_query": "workers.tools.catalogue_tools:GET_QUERY",
    "get_document": "workers.tools.catalogue_tools:GET_DOCUMENT",
    "get_metric": "workers.tools.catalogue_tools:GET_METRIC",
    "read_skill_reference": "workers.tools.skill_tools:READ_SKILL_REFERENCE",
    "search_terminology": "workers.tools.network.tools:SEARCH_TERMINOLOGY",
    "search_design_doc": "workers.tools.network.tools:SEARCH_DESIGN_DOC",
    "match_scenario": "workers.tools.network.tools:MATCH_SCENARIO",
    "query_root_cause_analysis": "workers.tools.network.tools:QUERY_ROOT_CAUSE_ANALYSIS",
    "query_simulation_results": "workers.tools.network.tools:QUERY_SIMULATION_RESULTS",
    "compare_simulation_data": "workers.tools.network.tools:COMPARE_SIMULATION_DATA",
    "get_network_rows": "workers.tools.network.tools:GET_NETWORK_ROWS",
    "find_drive_test_cause": "workers.tools.network.tools:FIND_DRIVE_TEST_CAUSE",
}
"""Name → the tool, its place (`module:NAME`) or a function that makes it, so that a worker loads only the tools that its steps may
call. The tools of this release are registered here."""
_standing: dict[str, StandingPointers | str] = {
    "sources": "workers.tools.source_tools:source_pointers",
    "network": "workers.tools.network.pointers:network_pointers",
}
_NAME: TypeAdapter[str] = TypeAdapter(ToolName)


def register_tool(name: str, tool: AnyTool | str | MakeTool) -> None:
    """Make a tool known: the tool, its place, or a function that makes it. Raises `ConfigurationError` if the name is malformed or
    belongs to another tool."""
    try:
        _NAME.validate_python(name)
    except ValidationError:
        form = "lower case letters, digits and _, with dots between parts"
        raise ConfigurationError(f"{name[:80]!r} is not a tool's name: {form}.") from None
    if name == FINAL_FUNCTION:
        raise ConfigurationError(f"{name!r} ends a model's work, so no tool may be called that.")
    if _tools.get(name, tool) != tool:
        raise ConfigurationError(f"Two tools are called {name!r}. Rename the tool of your extension.")
    _tools.setdefault(name, tool)


def register_standing(name: str, find: StandingPointers | str) -> None:
    """Add a function that yields the pointers which every step of an owner holds: the sources that the owner may query, say."""
    if _standing.get(name, find) != find:
        raise ConfigurationError(f"Two sets of standing pointers are called {name!r}. Rename the set of your extension.")
    _standing.setdefault(name, find)


def find_tool(name: str) -> AnyTool | None:
    """The tool of this name, loaded if necessary. None for an unknown name. Raises `ToolsUnavailable` if a server has to be asked and
    does not answer."""
    known = _tools.get(name)
    if known is None:
        return None
    loaded: AnyTool
    if isinstance(known, Tool):
        return known  # pyright: ignore[reportUnknownVariableType] the types of a tool are its own affair
    if isinstance(known, str):
        module, _, attribute = known.partition(":")
        loaded = getattr(import_module(module), attribute)
    else:
        loaded = known()
    if loaded.name != name:
        raise ConfigurationError(f"The tool that is registered as {name!r} calls itself {loaded.name!r}.")
    _tools[name] = loaded
    return loaded


def tool_names() -> list[str]:
    """All registered names."""
    return sorted(_tools)


@contextmanager
def replaced(tools: Mapping[str, AnyTool], standing: Mapping[str, StandingPointers]) -> Generator[None]:
    """These tools and standing pointers in the place of those of the same names, until the block ends: for an evaluation that plays
    with prepared data in one process."""
    before, before_standing = dict(_tools), dict(_standing)
    _tools.update(tools)
    _standing.update(standing)
    try:
        yield
    finally:
        _tools.clear()
        _tools.update(before)
        _standing.clear()
        _standing.update(before_standing)


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
