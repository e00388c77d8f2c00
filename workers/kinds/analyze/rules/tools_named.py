"""The tools that a procedure names, beside those that this machine knows: a name or an argument that is misspelt fails in every job."""

from collections.abc import Iterator
from difflib import get_close_matches

from contracts.base import Json
from contracts.procedures import AskStep, CallStep, Procedure
from contracts.statements import Statement, listing, name, say
from workers.engines.procedures.reading import ProcedureRead
from workers.errors import ToolsUnavailable
from workers.tools.registry import find_tool, tool_names


def is_known(tool: str) -> bool:
    """Whether a tool of this name is registered on this machine."""
    return tool in tool_names()


def near(tool: str) -> str:
    """The tool that was perhaps meant; empty if none is close."""
    return next(iter(get_close_matches(tool, tool_names(), 1, 0.8)), "")


def no_tool(tool: str) -> Statement:
    """That a tool is unknown, with the name that was perhaps meant."""
    meant, given = near(tool), name(tool[:100])
    return say("analyze.tool.perhaps", tool=given, near=name(meant)) if meant else say("analyze.tool.unknown", tool=given)


def tool_remarks(read: ProcedureRead, procedure: Procedure) -> Iterator[tuple[int, Statement]]:
    """Line and remark for each tool and argument that is not known."""
    for place, step in enumerate(procedure.steps):
        if isinstance(step, AskStep) and not is_known(step.tool):
            yield read.line("steps", place, "tool"), no_tool(step.tool)
        if not isinstance(step, CallStep):
            continue
        if step.table is not None and step.table.pages is not None and not is_known(step.table.pages):
            yield read.line("steps", place, "table", "pages"), no_tool(step.table.pages)
        if not is_known(step.call):
            yield read.line("steps", place, "call"), no_tool(step.call)
            continue
        yield from ((read.line("steps", place, *path), remark) for path, remark in _arguments(step))


def _arguments(step: CallStep) -> Iterator[tuple[tuple[str, ...], Statement]]:
    schema = _schema(step.call)
    known: Json = schema.get("properties", {})
    if not known and schema.get("additionalProperties") is not False:
        return
    for given in step.arguments:
        if given not in known:
            there = listing(*map(name, known)) if known else name("-")
            yield ("with", given), say("analyze.tool.no_argument", tool=name(step.call), argument=name(given[:100]), there=there)
    for needed in schema.get("required", ()):
        if needed not in step.arguments:
            yield ("call",), say("analyze.tool.needs", tool=name(step.call), argument=name(needed))


def _schema(tool: str) -> Json:
    """The arguments of a tool as JSON schema; empty if its server does not answer."""
    try:
        found = find_tool(tool)
    except ToolsUnavailable:
        return {}
    if found is None:
        return {}
    return found.schema if found.schema is not None else found.arguments.model_json_schema()
