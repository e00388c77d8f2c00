"""A step of ten model calls with tools, and a process that dies in it wherever a test wants."""

import os
import signal
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from contracts.base import Contract, Json
from contracts.reports import Report, completed
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from contracts.tools import Effect
from tests.support.death import die_with_the_test
from tests.support.openai_server import Heard, Say
from tests.support.tooling import Held, ToolingRequest
from tests.support.weather import PROMPT, RAINY, Weather
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.coordinator.playbooks import Playbook, register_playbook
from workers.coordinator.sweeper import take_back_expired
from workers.roles.base import StepContext
from workers.roles.registry import register_task
from workers.settings import Settings
from workers.tools import Tool, ToolContext, register_tool

NOTES = Path("notes.txt")
"""The system outside, relative to the folder in the environment variable `TEN_CALLS`."""


class Note(Contract):
    text: str


class Noted(Contract):
    text: str


class Trip(Contract):
    days: tuple[str, ...]


def _lines() -> list[str]:
    path = Path(os.environ["TEN_CALLS"]) / NOTES
    return path.read_text("utf-8").splitlines() if path.exists() else []


def _note(ctx: ToolContext, arguments: Note) -> Noted:
    """A system that recognises the key of a call."""
    line = f"{ctx.key} {arguments.text}"
    if line not in _lines():
        with (Path(os.environ["TEN_CALLS"]) / NOTES).open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    return Noted(text=arguments.text)


def _post(ctx: ToolContext, arguments: Note) -> Noted:
    """A system that does everything it is asked to, however often. It dies with its work done where the test wants it."""
    with (Path(os.environ["TEN_CALLS"]) / NOTES).open("a", encoding="utf-8") as file:
        file.write(arguments.text + "\n")
    if arguments.text == "die" and len(_lines()) == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return Noted(text=arguments.text)


OPENS = frozenset({"source"})
for tool in (
    Tool("test.note", "Writes a note.", Note, Noted, _note, effect=Effect.WRITE, opens=OPENS, keyed=True),
    Tool("test.post", "Posts a note.", Note, Noted, _post, effect=Effect.WRITE, opens=OPENS),
):
    register_tool(tool.name, tool)


class TripRequest(ToolingRequest):
    kind: Literal["trip"] = "trip"  # pyright: ignore[reportIncompatibleVariableOverride]


def hold(ctx: StepContext) -> Report[Held]:
    from tests.support.tooling import source, table

    return completed(Held(pointers=(table("orders"), source("test.search", "test.note", "test.post"))), "holds")


def travel(ctx: StepContext) -> Report[Trip]:
    """Two questions, work of seven calls with tools, and a last question."""
    chat = ctx.chat
    assert chat is not None
    hints: Any = []
    days = [chat.ask(Weather, prompt=PROMPT, report=f"day {day} of {ctx.clock():%Y}", hints=hints).value.sky.value for day in (1, 2)]
    worked = chat.work(Weather, tools=ctx.tools, prompt=PROMPT, report="all days", hints=hints)
    days += [answer.tool for answer in worked.calls]
    days.append(chat.ask(Weather, prompt=PROMPT, report=" ".join(days), hints=hints, say_field="sky").value.sky.value)
    return completed(Trip(days=tuple(days)), "travelled")


TOOLS = ("test.card", "test.search", "test.note", "test.post")
register_task(RoleName.RETRIEVER, "trip_hold", hold)
register_task(RoleName.DEVELOPER, "trip_travel", travel, tools=TOOLS)
register_playbook(
    Playbook(
        "trip",
        TripRequest,
        (
            StageSpec(name="held", role=RoleName.RETRIEVER, task="trip_hold", needs=(INPUT,)),
            StageSpec(name="trip", role=RoleName.DEVELOPER, task="trip_travel", needs=(INPUT, "held")),
        ),
        words="text",
        result="trip",
    )
)

STEPS: tuple[tuple[tuple[str, Json], ...], ...] = (
    (("test.card", {"table": "orders"}),),
    (("test.search", {"words": "x"}), ("test.note", {"text": "first"})),
    (("test.card", {"table": "found"}),),
    (("test.note", {"text": "second"}), ("test.note", {"text": "third"})),
    (("test.nothing", {}),),
    (("test.note", {"text": "first"}),),
)
"""What the model calls, message by message."""


def trip_answer(heard: Heard, steps: tuple[tuple[tuple[str, Json], ...], ...] = STEPS) -> Say:
    """What the model says to this conversation, the same each time."""
    from json import dumps

    messages = heard.body["messages"]
    if "all days" not in messages[1]["content"]:
        return Say(dumps(RAINY))
    turn = sum(message["role"] == "assistant" for message in messages)
    if turn == len(steps):
        return Say(dumps({"step": {"final": RAINY}}))
    return Say("\n".join(dumps({"step": {"tool": tool, "arguments": arguments}}) for tool, arguments in steps[turn]))


def run_in_child(settings: Settings, *, on_statement: Callable[[str, bool], None] | None = None) -> int:
    """Run every queued step in a forked process; its exit status, -9 when it was killed. `on_statement` hears each statement of the
    journal in the child, before and after it."""
    if (child := os.fork()) == 0:
        try:
            die_with_the_test()
            if on_statement is not None:
                _listen(on_statement)
            services = ProcessServices(settings)
            run_all(services)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _listen(on_statement: Callable[[str, bool], None]) -> None:
    run = Database.statement

    def statement(db: Database, sql: Any, parameters: Any = None) -> Any:
        is_journal = "INTO calls" in sql or "UPDATE calls" in sql or "tool_calls" in sql
        if is_journal:
            on_statement(sql, False)
        rows = run(db, sql, parameters)
        if is_journal:
            on_statement(sql, True)
        return rows

    Database.statement = statement  # pyright: ignore[reportAttributeAccessIssue] in a process of its own


def give_back(db: Database) -> None:
    """The lease of a killed process has expired, and the sweep has seen it."""
    db.statement("UPDATE steps SET lease_until = now() - interval '1 second' WHERE status = 'running'")
    take_back_expired(db)
    db.statement("UPDATE steps SET due_at = now() WHERE status = 'queued'")


def native_trip_answer(heard: Heard) -> Say:
    """The same in the server's own form of calls."""
    from json import dumps

    messages = heard.body["messages"]
    if "tools" not in heard.body:
        return trip_answer(heard)
    turn = sum(message["role"] == "assistant" for message in messages)
    if turn == len(STEPS):
        return Say(calls=(("final_answer", dumps(RAINY)),), finish="tool_calls")
    made = tuple((tool.replace(".", "__"), dumps(arguments)) for tool, arguments in STEPS[turn])
    return Say(calls=made, finish="tool_calls")
