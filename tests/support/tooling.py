"""Tools for tests, and a kind of job that uses them: a retriever finds tables, a developer opens them and writes."""

import threading
from typing import Any, Literal

from contracts.base import Contract, Json
from contracts.pointers import AnyPointer, SourcePointer, TablePointer
from contracts.reports import Report, completed
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from contracts.tools import ActiveSkill, CallOutcome, Effect
from workers.coordinator.playbooks import Playbook, register_playbook
from workers.errors import InvalidInput, TransientError
from workers.roles.base import StepContext
from workers.roles.registry import register_task
from workers.tools import Tool, ToolContext, register_tool


class TableName(Contract):
    table: str


class Card(Contract):
    table: str
    columns: tuple[str, ...]


class Search(Contract):
    words: str


class Found(Contract):
    pointers: tuple[AnyPointer, ...]


class Line(Contract):
    text: str
    after: Literal["nothing", "business", "transport", "bug"] = "nothing"


class Written(Contract):
    key: str
    text: str


def table(name: str, *keys: str, **more: Any) -> TablePointer:
    return TablePointer(place=name, table=name, line=f"table {name}", score=1.0, keys=keys or ("test.card",), **more)


def source(*keys: str) -> SourcePointer:
    return SourcePointer(place="shop", line="the shop", score=1.0, keys=keys)


OUTSIDE: list[Written] = []
"""What was written to the system outside, in order."""
READS: list[str] = []
FAILING: list[int] = []
"""Numbers of coming tries of `test.write` that lose their connection."""
_lock = threading.Lock()


def _card(ctx: ToolContext, arguments: TableName) -> Card:
    READS.append(arguments.table)
    return Card(table=arguments.table, columns=("id", "name"))


def _search(ctx: ToolContext, arguments: Search) -> Found:
    return Found(pointers=(table("found"),))


def _write(ctx: ToolContext, arguments: Line) -> Written:
    if arguments.after == "business":
        raise InvalidInput("The page is full.")
    if arguments.after == "bug":
        raise KeyError("a secret")
    with _lock:
        if FAILING:
            FAILING.pop()
            raise TransientError("The line is dead.")
        written = Written(key=str(ctx.key), text=arguments.text)
        OUTSIDE.append(written)
        return written


CARD = Tool(
    "test.card", "Opens a table.", TableName, Card, _card, effect=Effect.READ, opens=frozenset({"table"}), card="table"
)  # fmt: skip
SEARCH = Tool("test.search", "Finds tables.", Search, Found, _search, opens=frozenset({"source"}))
WRITE = Tool("test.write", "Writes a line.", Line, Written, _write, effect=Effect.WRITE, opens=frozenset({"source"}), keyed=True)
for tool in (CARD, SEARCH, WRITE):
    register_tool(tool.name, tool)


class ToolingRequest(Contract):
    kind: Literal["tooling"] = "tooling"
    text: str = ""
    pointers: Json | list[Any] | None = None
    """Anything that a user claims to hold."""
    calls: list[tuple[str, Json]] = []
    fail_after: int = 0
    """Attempts of the developer that fail after their calls."""
    skill: list[str] | None = None


class Held(Contract):
    pointers: tuple[AnyPointer, ...]
    active_skill: ActiveSkill | None = None
    note: str = ""


class Done(Contract):
    offered: tuple[str, ...]
    outcomes: tuple[str, ...]
    messages: tuple[str, ...]
    results: tuple[Json | None, ...]


def hold(ctx: StepContext) -> Report[Held]:
    asked = ctx.need(ToolingRequest, INPUT)
    skill = None if asked.skill is None else ActiveSkill(name="test", allowed_tools=tuple(asked.skill))
    return completed(Held(pointers=(table("orders"), source("test.search", "test.write")), active_skill=skill, note=asked.text), "holds")


def use(ctx: StepContext) -> Report[Done]:
    asked = ctx.need(ToolingRequest, INPUT)
    offered = tuple(offer.name for offer in ctx.tools.offers())
    answers = [ctx.tools.call(name, arguments) for name, arguments in asked.calls]
    if ctx.attempt <= asked.fail_after:
        raise TransientError("fails as ordered")
    return completed(
        Done(
            offered=offered,
            outcomes=tuple(answer.outcome.value + ("+" if answer.repeated else "") for answer in answers),
            messages=tuple(answer.message for answer in answers),
            results=tuple(answer.result for answer in answers if answer.outcome is CallOutcome.ANSWERED),
        ),
        "used",
    )


register_task(RoleName.RETRIEVER, "tooling_hold", hold)
register_task(RoleName.DEVELOPER, "tooling_use", use, tools=("test.card", "test.search", "test.write"))
register_task(RoleName.REVIEWER, "tooling_look", use)
register_playbook(
    Playbook(
        "tooling",
        ToolingRequest,
        (
            StageSpec(name="held", role=RoleName.RETRIEVER, task="tooling_hold", needs=(INPUT,)),
            StageSpec(name="used", role=RoleName.DEVELOPER, task="tooling_use", needs=(INPUT, "held")),
            StageSpec(name="looked", role=RoleName.REVIEWER, task="tooling_look", needs=(INPUT, "held")),
        ),
        words="text",
        result="used",
    )
)
