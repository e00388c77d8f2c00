"""The tools that a procedure names, beside those that this machine knows: a name or an argument that is misspelt fails in every job."""

from collections.abc import Collection, Iterator

from contracts.base import Json
from contracts.procedures import AskStep, CallStep, GateStep, Procedure, SayStep, Step
from contracts.refusals import at, unknown
from contracts.refusals import near as near_name
from contracts.refusals import near as nearest
from contracts.statements import Statement, code, name, quote, say
from workers.engines.procedures.expressions import constant
from workers.engines.procedures.reading import ProcedureRead
from workers.errors import ToolsUnavailable
from workers.kinds.analyze.rules.constants import refused
from workers.tools.registry import find_tool, tool_names

_NO_SENTENCES = frozenset({"yes", "no", "true", "false", "on", "off", "null", "none"})


LIKENESS = 0.8
"""Of a misspelt name. Other names are of tools that another agent has."""


def is_known(tool: str) -> bool:
    """Whether a tool of this name is registered on this machine."""
    return tool in tool_names()


def near(tool: str) -> str:
    """The tool that was perhaps meant; empty if none is close."""
    return nearest(tool, tool_names(), LIKENESS)


def no_tool(tool: str) -> Statement:
    """That a tool is unknown, with the name that was perhaps meant."""
    meant, given = near(tool), name(tool[:100])
    return say("analyze.tool.perhaps", tool=given, near=name(meant)) if meant else say("analyze.tool.unknown", tool=given)


def tool_remarks(read: ProcedureRead, procedure: Procedure) -> Iterator[tuple[int, Statement]]:
    """Line and remark for each tool that is not known."""
    for place, step in enumerate(procedure.steps):
        if isinstance(step, AskStep) and not is_known(step.tool):
            yield read.line("steps", place, "tool"), no_tool(step.tool)
        for path, tool in _called(step):
            if not is_known(tool):
                yield read.line("steps", place, *path), no_tool(tool)


def tool_faults(read: ProcedureRead, procedure: Procedure, allowed: Collection[str] | None) -> Iterator[tuple[int, Statement]]:
    """Line and fault for each call that would be refused in every job: of a tool that the skill does not allow itself (`allowed`; None: it
    allows all), or with arguments that the tool does not take."""
    for place, step in enumerate(procedure.steps):
        for path, tool in _called(step):
            if allowed is not None and tool not in allowed and is_known(tool):
                values = {"tool": name(tool), "field": code("allowed-tools")}
                yield read.line("steps", place, *path), say("analyze.tool.not_allowed", **values)
        if isinstance(step, CallStep) and is_known(step.call):
            yield from ((read.line("steps", place, *path), fault) for path, fault in _arguments(step))


def text_remarks(read: ProcedureRead, procedure: Procedure) -> Iterator[tuple[int, Statement]]:
    """Line and remark for each sentence that an author hardly meant, such as `gate: yes`: every value in the file is a text."""
    for place, step in enumerate(procedure.steps):
        match step:
            case GateStep():
                part, phrase = "gate", step.gate
            case AskStep():
                part, phrase = "ask", step.ask
            case SayStep():
                part, phrase = "say", step.say
            case _:
                continue
        for text in phrase.values():
            if text.casefold() in _NO_SENTENCES or text.isdigit():
                yield read.line("steps", place, part), say("analyze.procedure.no_sentence", part=name(part), text=quote(text))


def sources_named(procedure: Procedure) -> set[str] | None:
    """The sources that the steps name; None if one of them is only known in a job."""
    found: set[str] = set()
    for step in procedure.steps:
        if isinstance(step, CallStep) and "source" in step.arguments:
            is_fixed, value = constant(step.arguments["source"])
            if not is_fixed:
                return None
            found.add(str(value))
    return found


def _called(step: Step) -> Iterator[tuple[tuple[str, ...], str]]:
    """The tools that a step calls, with their places in it."""
    if isinstance(step, CallStep):
        yield ("call",), step.call
        if step.table is not None and step.table.pages is not None:
            yield ("table", "pages"), step.table.pages


def _arguments(step: CallStep) -> Iterator[tuple[tuple[str, ...], Statement]]:
    schema = _schema(step.call)
    known: Json = schema.get("properties", {})
    if not known and schema.get("additionalProperties") is not False:
        return
    strange = [given for given in step.arguments if given not in known]
    meant = {near_name(given, known) for given in strange}
    for given in strange:
        yield ("with", given), say("analyze.tool.argument", tool=name(step.call), argument=at(f"with.{given}", unknown(given, known)))
    for needed in schema.get("required", ()):
        if needed not in step.arguments and needed not in meant:
            yield ("call",), say("analyze.tool.needs", tool=name(step.call), argument=name(needed))
    for given, expression in step.arguments.items():
        is_fixed, value = constant(expression)
        if is_fixed and given in known and (fault := refused(value, known[given], schema)) is not None:
            yield ("with", given), say("analyze.tool.argument", tool=name(step.call), argument=at(f"with.{given}", fault))


def _schema(tool: str) -> Json:
    """The arguments of a tool as JSON schema; empty if its server does not answer."""
    try:
        found = find_tool(tool)
    except ToolsUnavailable:
        return {}
    if found is None:
        return {}
    return found.argument_schema()
