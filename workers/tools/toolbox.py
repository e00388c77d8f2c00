"""The toolbox of a step: what it may call, and the call itself.

One set of grants is shown to the model, checks every call, and is recorded. A refused call, wrong arguments and a business error are
answers; only a transport error that outlasts its tries is raised, so that the worker tries the step again.
"""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from contracts.base import Contract, Json, canonical_json, clean_json, content_hash
from contracts.pointers import POINTER_CAP, POINTERS, AnyPointer, SourcePointer
from contracts.statements import Name, count, passage, say
from contracts.statements import name as identifier
from contracts.tools import ActiveSkill, CallOutcome, Effect, ToolAnswer, ToolOffer
from workers.blackboard.journal import Journal, Message, Part, Request
from workers.errors import BullpenError, NoTools, OutcomeUnknown, StepCancelled, ToolFailed
from workers.loggers import get_logger
from workers.saying import message_of
from workers.tools.calls import CallLog
from workers.tools.grants import Grants, grant
from workers.tools.holding import POINTERS_FIELD
from workers.tools.retrying import is_transport, with_retries
from workers.tools.tool import AnyTool, CallKey, ToolContext

log = get_logger(__name__)

MOST_RESULT_BYTES = 1024 * 1024
"""Size of a result as JSON, the same limit as for a deliverable. A tool with more to say answers with a reference."""

C = TypeVar("C", bound=Contract)


class Toolbox:
    """The tools of one attempt of a step. Safe to share between threads. The grants are computed on first use."""

    def __init__(
        self,
        find_pointers: Callable[[], Iterable[AnyPointer]] = tuple,
        *,
        allowed: Sequence[str] = (),
        find_skills: Callable[[], Iterable[ActiveSkill]] = tuple,
        context: ToolContext | None = None,
        calls: CallLog | None = None,
        journal: Journal | None = None,
    ) -> None:
        """`allowed`: the role's allow-list; empty means no tool. `context` is None only for a toolbox without tools. `journal`: of a
        step that a model works on."""
        self._find_pointers = find_pointers
        self._allowed = tuple(allowed)
        self._find_skills = find_skills
        self._context = context
        self._calls = calls
        self._journal = journal
        self._lock = threading.RLock()
        self._pointers: list[AnyPointer] = []
        self._skills: tuple[ActiveSkill, ...] = ()
        self._grants: Grants | None = None

    @property
    def grants(self) -> Grants:
        """What the step may call now."""
        with self._lock:
            if self._grants is None:
                if self._allowed and self._context is not None:
                    self._pointers, self._skills = list(self._find_pointers()), tuple(self._find_skills())
                self._compute()
            return self._grants  # pyright: ignore[reportReturnType] computed above

    def __len__(self) -> int:
        """Number of tools that may be called."""
        return len(self.grants.tools)

    def offers(self) -> tuple[ToolOffer, ...]:
        """The tools as they are shown to a model, with the cards that each may open."""
        grants = self.grants
        return tuple(_offer(tool, grants) for _, tool in sorted(grants.tools.items()))

    def hold(self, pointers: Iterable[AnyPointer]) -> None:
        """Hold pointers that the step's own code found with its owner's rights. The allow-list decides as before what they open."""
        with self._lock:
            _ = self.grants  # what the step holds already
            if self._allowed and self._context is not None:
                self._pointers.extend(pointers)
                self._compute()

    def only_place(self, name: str) -> Json:
        """The argument that names the card of a tool, where the step holds a single one: what a person who types a call need not know."""
        grants = self.grants
        tool, places = grants.tools.get(name), grants.places.get(name, frozenset())
        return {tool.card: next(iter(places))} if tool is not None and tool.card is not None and len(places) == 1 else {}

    def dialects(self) -> dict[str, str]:
        """Source that a tool of the step may open → its dialect of SQL, as sqlglot names it."""
        opened = frozenset[str]().union(*self.grants.places.values())
        sources = (pointer for pointer in self._pointers if isinstance(pointer, SourcePointer) and pointer.place in opened)
        return {source.place: source.dialect for source in sources if source.dialect}

    def call(self, name: str, arguments: Json) -> ToolAnswer:
        """Call a tool, or find what an earlier attempt of the step got. Raises only a transport error that outlasted its tries,
        `OutcomeUnknown` and `StepCancelled`."""
        arguments = clean_json(arguments)
        if self._journal is None:
            return self._called(name, arguments)
        request = Request(name[:64], (Message("arguments", (Part("arguments", canonical_json(arguments)),)),))
        call = self._journal.tool_call(request)
        if call.answer is not None:
            return self._found(name, ToolAnswer.model_validate(call.answer))
        started = time.monotonic()
        answer, outcome, message = None, CallOutcome.STARTED.value, ""
        try:
            answer = self._called(name, arguments)
            outcome, message = answer.outcome.value, answer.message
            return answer
        except Exception as error:
            outcome, message = type(error).__name__, str(error)
            raise
        finally:
            if outcome != StepCancelled.__name__:
                kept = None if answer is None else answer.to_json()
                self._journal.end(call, answer=kept, outcome=outcome, message=message, duration_ms=_milliseconds(started))

    def _found(self, name: str, answer: ToolAnswer) -> ToolAnswer:
        """What an earlier attempt got; the keys that came with it are held again."""
        tool = self.grants.tools.get(name)
        if self._calls is not None:
            self._calls.taken(answer.number)
        if tool is not None and answer.result is not None:
            self._hold(tool, answer.result)
        return answer.model_copy(update={"repeated": True})

    def _called(self, name: str, arguments: Json) -> ToolAnswer:
        fingerprint = content_hash(arguments)
        refusal = self.grants.refusal(name, arguments)
        if refusal is not None:
            return self._refused(name, fingerprint, refusal)
        tool = self.grants.tools[name]
        try:
            read = tool.arguments.model_validate(arguments)
        except ValidationError as error:
            return self._not_made(tool, fingerprint, CallOutcome.INVALID, _faults(error))
        return self._made(tool, read, fingerprint)

    def result(self, name: str, contract: type[C], **arguments: Any) -> C:
        """Call a tool from code, and return its result. Raises `ToolFailed` when it was not answered."""
        answer = self.call(name, arguments)
        if answer.outcome is not CallOutcome.ANSWERED or answer.result is None:
            raise ToolFailed.of(say("refused.tool.failed", tool=identifier(name), message=passage(answer.message)))
        return contract.model_validate(answer.result)

    def _made(self, tool: AnyTool, arguments: BaseModel, fingerprint: str) -> ToolAnswer:
        context, calls = self._parts()
        if tool.effect is Effect.NONE:
            return self._run(tool, arguments, context, None, fingerprint)
        begun = calls.begin(tool.name, tool.effect, fingerprint)
        if begun.is_unknown and tool.effect is Effect.WRITE and not tool.keyed:
            raise OutcomeUnknown.of(say("refused.tool.unknown", tool=identifier(tool.name), step=identifier(context.step_id)))
        if begun.result is None:
            return self._run(tool, arguments, context, begun.number, fingerprint)
        log.info("tool_result_found", tool=tool.name, number=begun.number)
        self._hold(tool, begun.result)
        return ToolAnswer(number=begun.number, tool=tool.name, outcome=CallOutcome.ANSWERED, result=begun.result, repeated=True)

    def _run(self, tool: AnyTool, arguments: BaseModel, context: ToolContext, number: int | None, fingerprint: str) -> ToolAnswer:
        """Run the function. `number`: of a call with an effect, whose row exists already."""
        _, calls = self._parts()
        given = ToolContext(
            owner=context.owner, services=context.services, job_id=context.job_id, step_id=context.step_id, language=context.language,
            key=None if number is None else CallKey(context.step_id, number), check_stopped=context.check_stopped,
        )  # fmt: skip
        started = time.monotonic()
        once = tool.effect is Effect.WRITE and not tool.keyed  # a lost connection does not say whether the change was made

        def ended(outcome: CallOutcome, message: str = "", result: Json | None = None) -> int:
            duration_ms = _milliseconds(started)
            log.info("tool_called", tool=tool.name, outcome=outcome.value, duration_ms=duration_ms)
            if number is None:
                return calls.record(tool.name, tool.effect, fingerprint, outcome, message, duration_ms)
            calls.end(number, outcome, message=message, result=result, duration_ms=duration_ms)
            return number

        try:
            result = _checked(tool, with_retries(lambda: tool.run(given, arguments), given.check_stopped, tries=1 if once else None))
        except StepCancelled:
            raise
        except Exception as error:
            if is_transport(error):
                ended(CallOutcome.UNAVAILABLE, _message(error, context.language))
                if once:
                    raise OutcomeUnknown.of(
                        say("refused.tool.unknown", tool=identifier(tool.name), step=identifier(context.step_id))
                    ) from error
                raise
            if not isinstance(error, BullpenError):
                log.exception("tool_broke", tool=tool.name)
            message = _message(error, context.language)
            return ToolAnswer(number=ended(CallOutcome.FAILED, message), tool=tool.name, outcome=CallOutcome.FAILED, message=message)
        place = ended(CallOutcome.ANSWERED, result=result)
        self._hold(tool, result)
        return ToolAnswer(number=place, tool=tool.name, outcome=CallOutcome.ANSWERED, result=result)

    def _refused(self, name: str, fingerprint: str, message: str) -> ToolAnswer:
        shown = name[:64]
        log.warning("tool_refused", tool=shown)
        number = 0
        if self._calls is not None:
            number = self._calls.record(shown, Effect.NONE, fingerprint, CallOutcome.REFUSED, message, 0)
            self._calls.refused(shown, message)
        return ToolAnswer(number=number, tool=shown, outcome=CallOutcome.REFUSED, message=message)

    def _not_made(self, tool: AnyTool, fingerprint: str, outcome: CallOutcome, message: str) -> ToolAnswer:
        _, calls = self._parts()
        number = calls.record(tool.name, tool.effect, fingerprint, outcome, message, 0)
        return ToolAnswer(number=number, tool=tool.name, outcome=outcome, message=message)

    def _hold(self, tool: AnyTool, result: Json) -> None:
        """Pointers in a result give their keys from now on. Only a contract of ours can declare the field; what a server outside
        sends is a plain value, and gives none."""
        if tool.schema is not None or POINTERS_FIELD not in tool.result.model_fields:
            return
        with self._lock:
            self._pointers.extend(POINTERS.validate_python(tuple(result[POINTERS_FIELD])))
            self._compute()

    def _compute(self) -> None:
        self._grants = grant(self._pointers, self._allowed, self._skills)
        if self._calls is not None and self._allowed:
            self._calls.granted(self._grants.granted())

    def _parts(self) -> tuple[ToolContext, CallLog]:
        if self._context is None or self._calls is None:
            raise NoTools("This step was given no tools.")
        return self._context, self._calls


def _offer(tool: AnyTool, grants: Grants) -> ToolOffer:
    places = () if tool.card is None else tuple(sorted(grants.places[tool.name]))
    return ToolOffer(
        name=tool.name, description=tool.description, effect=tool.effect, cost=tool.cost,
        arguments=_with_places(tool.argument_schema(), tool.card, places), places=places[:POINTER_CAP], card=tool.card,
    )  # fmt: skip


def _with_places(schema: Json, card: str | None, places: tuple[str, ...]) -> Json:
    """The schema, with the card's argument limited to these places where it is plain text and they are few enough to list."""
    argument: Json = schema.get("properties", {}).get(card, {})
    narrowed: Json
    if card is None or len(places) > POINTER_CAP:
        return schema
    if argument.get("type") == "string":
        narrowed = {**argument, "enum": list(places)}
    elif argument.get("type") == "array" and argument.get("items", {}).get("type") == "string":
        narrowed = {**argument, "items": {**argument["items"], "enum": list(places)}}
    else:
        return schema
    return {**schema, "properties": {**schema["properties"], card: narrowed}}


def _checked(tool: AnyTool, value: Any) -> Json:
    """The result as JSON. Raises `ToolFailed` if it is too large or not what the tool promises."""
    if not isinstance(value, tool.result):
        raise ToolFailed(f"{tool.name} returned {type(value).__name__}, not {tool.result.__name__}.")
    content: Json = clean_json(value.to_json())
    size = len(value.model_dump_json().encode("utf-8", "surrogatepass"))
    if size > MOST_RESULT_BYTES:
        raise ToolFailed.of(
            say("refused.tool.large", tool=Name(text=tool.name), n=count(size, exact=True), most=count(MOST_RESULT_BYTES, exact=True))
        )
    return content


def _milliseconds(started: float) -> int:
    return round((time.monotonic() - started) * 1000)


def _message(error: Exception, language: str) -> str:
    if isinstance(error, BullpenError | ConnectionError | TimeoutError):
        return " ".join(message_of(error, language).split()) or type(error).__name__
    return f"The tool broke ({type(error).__name__})."  # a bug: its text may hold anything


_MOST_FAULTS = 5


def _faults(error: ValidationError) -> str:
    lines = [
        f"{'.'.join(str(part) for part in item['loc']) or 'the arguments'}: {item['msg']}"[:300]
        for item in error.errors(include_url=False, include_input=False, include_context=False)
    ]
    more = f"; and {len(lines) - _MOST_FAULTS} more" if len(lines) > _MOST_FAULTS else ""
    return "; ".join(lines[:_MOST_FAULTS]) + more
