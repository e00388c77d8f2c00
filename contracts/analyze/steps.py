"""What the stages of `analyze` yield before the answer: what the message is, the skill, and its steps."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from contracts.base import Contract, Json, Text
from contracts.charts import Chart
from contracts.pointers import AnyPointer
from contracts.procedure_results import HeldTable, Progress, Wishes
from contracts.procedures import Procedure, StepId
from contracts.statements import LanguageCode, Sayable, Statement
from contracts.tools import ActiveSkill, ToolName


class HeldSkill(Contract):
    """A skill as it was when it was chosen. A change of its folder does not change a conversation that follows it."""

    name: Text
    title: Text
    hash: str
    """Of its text and its procedure."""
    text: Text
    procedure: Procedure | None = None
    left_out: Statement | None = None
    """Why its procedure is not used, if it has one that has a fault."""
    allowed_tools: tuple[ToolName, ...] | None = None
    """None: the skill names none, so it does not narrow the choice."""


class Suggestion(Contract):
    """Something that the user may say next, and what it means."""

    text: Text
    gate: bool | None = None
    """The word at the open gate."""
    step: StepId | None = None
    """A step that is asked for."""
    values: tuple[Text, ...] = ()
    """The rows with these kinds of problems."""
    worst: int = 0
    """This many of the worst rows."""
    level: Text = ""
    """What such a row is."""


class CheckItem(Contract):
    """A step of a skill without a procedure."""

    text: Text
    detail: Text = ""
    tools: tuple[ToolName, ...] = ()
    """Tools that it names."""
    is_done: bool = False


class ToolUse(Contract):
    """A call."""

    tool: Text
    arguments: Json = {}


class State(Contract):
    """Where a conversation is after an answer."""

    question: Text = ""
    """What is being analysed, in the user's words."""
    topic: Text = ""
    skill: HeldSkill | None = None
    pointers: tuple[AnyPointer, ...] = ()
    """To the skill's own files."""
    progress: Progress = Progress()
    gate: StepId | None = None
    """The gate that waits for the user's word."""
    offered: tuple[Suggestion, ...] = ()
    checklist: tuple[CheckItem, ...] = ()
    pending_call: ToolUse | None = None
    """A call that changes something outside, and waits for the user's yes."""

    @property
    def is_pending(self) -> bool:
        """Whether the skill's work is not finished (K10)."""
        return self.gate is not None or self.pending_call is not None or any(not item.is_done for item in self.checklist)


class Move(StrEnum):
    """What a message is."""

    START = "start"
    """A new question."""
    SWITCH = "switch"
    """A new question, with the explicit wish to change the skill."""
    YES = "yes"
    NO = "no"
    HELD = "held"
    """A question about what was found."""
    WISH = "wish"
    """It asks for a step of the procedure."""
    CHECK = "check"
    """It walks the checklist."""
    AGAIN = "again"
    """The same analysis with other values of its parameters."""
    STAY = "stay"
    """It cannot be placed while the skill's work waits."""
    SMALL_TALK = "small_talk"
    """A greeting, thanks, a question what can be done."""


class Understanding(Contract):
    """What a message is in its conversation."""

    words: Text
    """As the user wrote it."""
    question: Text
    """What is being analysed: the message itself, or the one that the conversation began with."""
    move: Move
    language: LanguageCode
    carried: State | None = None
    chosen: tuple[Suggestion, ...] = ()
    """Suggestions that the user took."""
    params: Json = {}
    """Other values of parameters, with which the analysis is done again."""
    offers_skills: bool
    """Whether a skill may be selected now: `select_skill` is visible (K10)."""


class SkillChosen(Contract):
    """The skill of the message, and where its procedure begins."""

    active_skill: ActiveSkill | None = None
    pointers: tuple[AnyPointer, ...] = ()
    skill: HeldSkill | None = None
    reason: Statement | None = None
    """Why this skill, or why no skill."""
    subject: Text = ""
    """The text that the procedure works on."""
    wishes: Wishes = Wishes()
    progress: Progress = Progress()
    available: tuple[Text, ...] = ()
    """Titles of skills that could be chosen."""


class ActOutcome(StrEnum):
    """How a step ended."""

    DONE = "done"
    FAILED = "failed"
    """A tool could not answer: the work ends with its message."""
    CANCELLED = "cancelled"
    """The user cancelled a form."""


class Act(Contract):
    """One step of a procedure."""

    number: int = Field(ge=1)
    step: Text
    kind: Literal["call", "ask", "gate", "say", "find", "compare", "chart", "follow", "check"]
    outcome: ActOutcome = ActOutcome.DONE
    call: ToolUse | None = None
    result: Json | None = None
    table: HeldTable | None = None
    params: Json = {}
    """What the user filled in."""
    chart: Chart | None = None
    says: tuple[Sayable, ...] = ()
    message: Text = ""
    """Of a tool that failed."""
    calls: tuple[ToolUse, ...] = ()
    """Of a model that followed a skill's text."""
    answer: Text = ""
    """Its answer."""
    pending_call: ToolUse | None = None
    checklist: tuple[CheckItem, ...] = ()


class ParamsRequest(Contract):
    """A question to the user for the parameters of a tool (K16)."""

    kind: Literal["params_request"] = "params_request"
    step: StepId
    tool_name: ToolName
    known_params: Json = {}
    missing_params: tuple[Text, ...]
    options: dict[Text, tuple["Option", ...]] = {}
    labels: dict[Text, Text] = {}
    """The missing parameters in words, where the procedure has some."""
    types: dict[Text, Literal["text", "number", "date"]] = {}
    """What a value has to be, where it is not any text."""


class Option(Contract):
    """A value to choose."""

    value: Text
    label: Text = ""


ParamsRequest.model_rebuild()
