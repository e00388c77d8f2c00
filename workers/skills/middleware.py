"""Skills in any LangChain agent: `create_agent(model, tools, middleware=[SkillMiddleware(["./skills"])])`.

Put it first in the chain, so that what it hides from the model is hidden from the other middleware too. The state of a conversation is in
the agent's state and nowhere else, so conversations cannot mix their skills; with a checkpointer, the text that a conversation follows
stays the same when the folder changes. The rules of the selection are those of `workers.skills.choosing` (K6 to K13).
"""

import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NotRequired, cast

from jinja2 import StrictUndefined
from jinja2.sandbox import SandboxedEnvironment
from langchain.agents.middleware.types import AgentMiddleware, AgentState, ModelRequest, ModelResponse, ToolCallRequest
from langchain_core.messages import SystemMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.types import Command
from pydantic import BaseModel, Field

from workers.engines.language import language_of
from workers.loggers import get_logger
from workers.skills.choosing import Answer, Selected, State, may_select, offer_text, read_answer
from workers.skills.loading import load_skills, read_reference
from workers.skills.skill import READ_REFERENCE, Library, Skill, Unusable

log = get_logger(__name__)

SELECT_SKILL = "select_skill"
"""The tool's name. Exclude it from context editing: `ClearToolUsesEdit(exclude_tools=(SELECT_SKILL, ...))`."""

TEMPLATE = """\
{{ base_prompt }}{% if skill_content %}

## {{ heading }}: {{ skill_title }}

{{ skill_content }}{% if references %}

{{ files_line }}{% for path in references %}
- {{ path }}{% endfor %}{% endif %}{% endif %}"""
"""The system prompt with the skill's instructions. The section is there only if a skill is active."""

_HEADINGS = {"en": "Guide for the current task", "zh": "当前任务指南"}
_FILES = {"en": f"Files of this skill; read them with `{READ_REFERENCE}`:", "zh": f"该技能的文件，用 `{READ_REFERENCE}` 读取："}
_MOST_CHARACTERS = 16_000
_VERSIONS_KEPT = 32


def _last(_old: Any, new: Any) -> Any:
    """Several selections in one message of the model: the last one counts."""
    return new


class SkillState(AgentState[Any]):
    """What the middleware adds to the agent's state."""

    active_skill: NotRequired[Annotated[str | None, _last]]
    """The name of the skill. None: no skill."""
    skill_title: NotRequired[Annotated[str | None, _last]]
    skill_content: NotRequired[Annotated[str | None, _last]]
    """Its instructions as they were when it was selected."""
    skill_hash: NotRequired[Annotated[str | None, _last]]
    skill_tools: NotRequired[Annotated[list[str] | None, _last]]
    """The tools that it names. None: it names none."""
    skill_references: NotRequired[Annotated[list[str] | None, _last]]


class _Selection(BaseModel):
    """The skill for the user's message."""

    skill_name: str | None = Field(default="", description='The name of the skill, or "none".')


class _File(BaseModel):
    """A file of the current skill."""

    path: str = Field(default="", description="As the instructions name it. An empty path lists the files.")
    offset: int = Field(default=0, ge=0, description="Characters to skip.")


class SkillMiddleware(AgentMiddleware[SkillState, Any, Any]):
    """Lets the model select a skill, shows it the skill's instructions, and narrows the tools to those that the skill names."""

    state_schema = SkillState

    def __init__(
        self, folders: Iterable[str | Path], *, kind: str | None = None, keep_tools: Iterable[str] = (), template: str = TEMPLATE
    ) -> None:
        """`folders`: skill folders; later ones replace skills of earlier ones. `kind`: offer only the skills of this kind. `keep_tools`:
        tools that no skill may hide, such as `write_todos`. `template`: a Jinja2 template of the system prompt; see `TEMPLATE`."""
        super().__init__()
        self._folders = [Path(folder).expanduser() for folder in folders]
        self._kind = kind
        self._keep_tools = frozenset({*keep_tools, SELECT_SKILL, READ_REFERENCE})
        self._template = template
        self._versions: OrderedDict[str, dict[str, str]] = OrderedDict()
        self._lock = threading.Lock()
        self.tools = [
            _tool(SELECT_SKILL, "Selects a skill.", _Selection),
            _tool(READ_REFERENCE, "Reads a file of the current skill.", _File),
        ]

    @property
    def name(self) -> str:
        """The name in the agent's graph."""
        return "skills"

    def library(self) -> Library:
        """The skills as they are in the folders now."""
        library = load_skills(self._folders)
        return library if self._kind is None else library.of_kind(self._kind)

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]) -> Any:
        """Show the skill's instructions and the tools that may be called now."""
        return handler(self._prepared(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> Any:
        """See `wrap_model_call`."""
        return await handler(self._prepared(request))

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]) -> Any:
        """Select, read a file, refuse a tool that is hidden now, or let the call pass."""
        answer = self._answered(request)
        return handler(request) if answer is None else answer

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> Any:
        """See `wrap_tool_call`."""
        answer = self._answered(request)
        return await handler(request) if answer is None else answer

    def _prepared(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        state = cast("Mapping[str, Any]", request.state)
        latest = _user_text(request.messages[-1:])
        library = self.library() if latest is not None else Library()
        tools = [tool for tool in request.tools if self._is_open(_name_of(tool), state)]
        if may_select(library, _held(state), message=latest):
            offer = _tool(SELECT_SKILL, offer_text(library), _Selection)
            tools = [offer if _name_of(tool) == SELECT_SKILL else tool for tool in tools]
        else:
            tools = [tool for tool in tools if _name_of(tool) != SELECT_SKILL]
        if not state.get("skill_references"):
            tools = [tool for tool in tools if _name_of(tool) != READ_REFERENCE]
        base = request.system_prompt or ""
        prompt = self._prompt(base, state)
        return request.override(tools=tools, system_message=request.system_message if prompt == base else SystemMessage(prompt))

    def _prompt(self, base: str, state: Mapping[str, Any]) -> str:
        """The system prompt. If it cannot be rendered, the agent works without a skill."""
        if not state.get("skill_content"):
            shown: dict[str, Any] = {"skill_content": "", "skill_title": "", "heading": "", "references": []}
        else:
            language = language_of(state["skill_content"])
            shown = {
                "skill_content": state["skill_content"],
                "skill_title": state.get("skill_title") or state.get("active_skill") or "",
                "heading": _HEADINGS[language],
                "references": state.get("skill_references") or [],
                "files_line": _FILES[language],
            }
        try:
            # A new environment each time is cheap; a skill's text and the base prompt are values and never templates.
            environment = SandboxedEnvironment(undefined=StrictUndefined, autoescape=False)
            return environment.from_string(self._template).render(base_prompt=base, **shown)
        except Exception as error:  # a template of the agent's author may raise anything
            log.warning("skill_prompt_failed", error=f"{type(error).__name__}: {error}"[:300])
            return base

    def _is_open(self, tool: str, state: Mapping[str, Any]) -> bool:
        """Whether the active skill leaves this tool visible. It can only hide what the agent has."""
        named: Sequence[str] | None = state.get("skill_tools")
        return not state.get("active_skill") or named is None or tool in self._keep_tools or tool in named

    def _answered(self, request: ToolCallRequest) -> ToolMessage | Command[Any] | None:
        call, state = request.tool_call, cast("Mapping[str, Any]", request.state)
        arguments: dict[str, Any] = call.get("args") or {}
        if call["name"] == SELECT_SKILL:
            return self._selected(arguments, state, call["id"])
        if call["name"] == READ_REFERENCE:
            return _message(self._file(arguments, state), call["name"], call["id"])
        if not self._is_open(call["name"], state):
            named = ", ".join(state.get("skill_tools") or ()) or "no tool"
            text = f"The skill {state.get('active_skill')} does not use {call['name']!r}. It uses: {named}."
            return _message(text, call["name"], call["id"], is_error=True)
        return None

    def _selected(self, arguments: Mapping[str, Any], state: Mapping[str, Any], call_id: str | None) -> ToolMessage | Command[Any]:
        library = self.library()
        if not may_select(library, _held(state), message=_user_text(_before_last_reply(state.get("messages", [])))):
            return _message("A skill may not be selected now.", SELECT_SKILL, call_id, is_error=True)
        value = arguments.get("skill_name")
        answer = read_answer(library, _held(state), None if value is None else str(value))
        message = _message(answer.message, SELECT_SKILL, call_id, is_error=answer.outcome is Selected.UNKNOWN)
        if answer.outcome is Selected.UNKNOWN:
            return message
        return Command(update={**self._update(answer), "messages": [message]})

    def _update(self, answer: Answer) -> dict[str, Any]:
        skill = answer.skill
        if skill is None:
            return dict.fromkeys(("active_skill", "skill_title", "skill_content", "skill_hash", "skill_tools", "skill_references"), None)
        self._keep(skill)
        tools = None if skill.tool_names is None else sorted({tool.partition("(")[0] for tool in skill.tool_names})
        return {
            "active_skill": skill.name,
            "skill_title": skill.title,
            "skill_content": skill.body,
            "skill_hash": skill.hash,
            "skill_tools": tools,
            "skill_references": [reference.path for reference in skill.references],
        }

    def _keep(self, skill: Skill) -> None:
        """Remember the files of this version, so that a conversation reads what it began with."""
        with self._lock:
            if skill.hash in self._versions:
                self._versions.move_to_end(skill.hash)
                return
        texts: dict[str, str] = {}
        for reference in skill.references:
            try:
                texts[reference.path] = read_reference(skill, reference.path)
            except Unusable as error:
                log.warning("skill_file_unreadable", skill=skill.name, path=reference.path, reason=error.reason.code)
        with self._lock:
            self._versions[skill.hash] = texts
            while len(self._versions) > _VERSIONS_KEPT:
                self._versions.popitem(last=False)

    def _file(self, arguments: Mapping[str, Any], state: Mapping[str, Any]) -> str:
        """A part of a file of the active skill, by its exact path in the list of files."""
        paths: list[str] = state.get("skill_references") or []
        path, offset = str(arguments.get("path") or "").removeprefix("./"), arguments.get("offset")
        if path not in paths:
            return f"The files of the current skill are: {', '.join(paths)}." if paths else "The current skill has no files."
        version = self._versions.get(str(state.get("skill_hash")))
        if version is None:  # this process did not select the skill: the folder as it is now
            skill = self.library().get(str(state.get("active_skill")))
            if skill is None:
                return "The skill is no longer in its folder."
            self._keep(skill)
            version = self._versions.get(skill.hash, {})
        text = version.get(path, "The file is no longer in the skill's folder.")
        begin = offset if isinstance(offset, int) and offset > 0 else 0
        part = text[begin : begin + _MOST_CHARACTERS]
        more = f"\n[{len(text) - begin - len(part)} more characters: offset {begin + len(part)}]" if begin + len(part) < len(text) else ""
        return part + more


def _held(state: Mapping[str, Any]) -> State:
    todos: Sequence[Mapping[str, Any]] = state.get("todos") or ()
    is_pending = any(todo.get("status") in ("pending", "in_progress") for todo in todos)
    return State(state.get("active_skill") or "", state.get("skill_hash") or "", is_pending)


def _user_text(messages: Sequence[Any]) -> str | None:
    """The text of the last of these messages, if it is the user's."""
    if not messages or getattr(messages[-1], "type", "") != "human":
        return None
    return str(messages[-1].text)


def _before_last_reply(messages: Sequence[Any]) -> Sequence[Any]:
    """The messages that the model's latest reply answered."""
    last = max((number for number, message in enumerate(messages) if getattr(message, "type", "") == "ai"), default=len(messages))
    return messages[:last]


def _name_of(tool: Any) -> str:
    """The name of a tool, which may be one of the provider's own (a dict)."""
    if not isinstance(tool, dict):
        return str(tool.name)
    described = cast("dict[str, Any]", tool)
    return str(described.get("name") or described.get("function", {}).get("name") or described.get("type") or "")


def _tool(name: str, description: str, arguments: type[BaseModel]) -> BaseTool:
    def run(**_: Any) -> str:
        return f"{name} works only inside the agent that has this middleware."

    return StructuredTool.from_function(func=run, name=name, description=description, args_schema=arguments)


def _message(text: str, name: str, call_id: str | None, *, is_error: bool = False) -> ToolMessage:
    return ToolMessage(text, tool_call_id=call_id or "", name=name, status="error" if is_error else "success")
