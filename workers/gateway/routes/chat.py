"""`/v1/models` and `/v1/chat/completions`: the fleet for any client that speaks the OpenAI protocol.

A model is a kind of job. A conversation is a session; a job's question is a message, and the next message is its answer. Progress comes as
`reasoning_content`, which chat clients show while they wait.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

from fastapi import APIRouter, Header, Response
from pydantic import BaseModel, ConfigDict, Field, StrictBool

from contracts.base import Contract, Json
from contracts.reports import Usage
from contracts.statements import name, say
from workers.errors import InvalidInput, Unavailable
from workers.gateway.access.caller import Here, MayAnswer, MayRead, MaySubmit
from workers.gateway.bodies import StrictRoute
from workers.gateway.chats import PREFIX, Turn, chat_kinds, happenings, kind_called, progress_of, reply_of, take_message
from workers.gateway.context import Gateway
from workers.gateway.stream import EventStream

router = APIRouter(prefix="/v1", tags=["chat"], route_class=StrictRoute)

SESSION_HEADER = "X-Bullpen-Session"
HEARTBEAT_S = 15.0
MOST_CHARACTERS = 2_000_000
"""Characters of a message that a client sends along, ours among them. What the user says last is held to the limit of what it becomes."""


class _Open(BaseModel):
    """What other fields a client sends (temperature, tools) has no meaning here, and is ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Part(_Open):
    """A part of a message."""

    type: str = Field(max_length=50)
    text: str | None = Field(default=None, max_length=MOST_CHARACTERS)


class Spoken(_Open):
    """A message of the conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Annotated[str, Field(max_length=MOST_CHARACTERS)] | list[Part] | None = None

    def text(self) -> str:
        """Its words. Raises `InvalidInput` for a part that is not a text."""
        if isinstance(self.content, list):
            if any(part.type != "text" or part.text is None for part in self.content):
                raise InvalidInput.of(say("refused.only_text", upload=name("POST /v1/bundles")))
            return "\n".join(part.text or "" for part in self.content)
        return self.content or ""


class StreamOptions(_Open):
    """What a stream holds beside the answer."""

    include_usage: StrictBool = False


class Completion(_Open):
    """A conversation up to its last message, which is to be answered."""

    model: str = Field(max_length=200, examples=["bullpen/ask"])
    messages: list[Spoken] = Field(min_length=1, max_length=10_000)
    stream: StrictBool = False
    stream_options: StreamOptions | None = None


class Model(Contract):
    """A kind of job as a model."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: Literal["bullpen"] = "bullpen"


class Models(Contract):
    """All of them."""

    object: Literal["list"] = "list"
    data: tuple[Model, ...]


@router.get("/models")
def models(_: MayRead) -> Models:
    """The kinds of jobs that begin with words."""
    return Models(data=tuple(Model(id=PREFIX + kind.name) for kind in chat_kinds()))


@router.get("/models/{name:path}")
def model(_: MayRead, name: str) -> Model:
    """One of them."""
    return Model(id=PREFIX + kind_called(name).name)


@router.post(
    "/chat/completions",
    response_model=dict[str, Any],
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def complete(
    here: Here,
    caller: MaySubmit,
    _answers: MayAnswer,
    _reads: MayRead,
    response: Response,
    body: Completion,
    x_bullpen_session: Annotated[UUID | None, Header(description="The session to go on with. Default: found by the first message.")] = None,
) -> Any:
    """Answer the last message. Needs the scopes submit, answer and read."""
    kind = kind_called(body.model)
    texts = [spoken.text() for spoken in body.messages if spoken.role == "user"]
    if not texts or body.messages[-1].role != "user":
        raise InvalidInput.of(say("refused.last_message", field=name("messages")))
    is_first = len(texts) == 1 and all(spoken.role in ("system", "developer", "user") for spoken in body.messages)
    turn = await asyncio.to_thread(take_message, here, caller, kind, texts, x_bullpen_session, is_first=is_first)
    head = _Head(f"chatcmpl-{uuid4().hex}", int(time.time()), PREFIX + kind.name)
    headers = {"X-Bullpen-Job": str(turn.job_id), SESSION_HEADER: str(turn.session_id or "")}
    if body.stream:
        with_usage = body.stream_options is not None and body.stream_options.include_usage
        return EventStream(_chunks(here, caller, turn, head, with_usage=with_usage), headers)
    thoughts: list[str] = []
    async for happening in happenings(here, caller, turn):
        thoughts += map(progress_of, happening.events)
    reply = await asyncio.to_thread(reply_of, here, turn.job_id)
    response.headers.update(headers)
    message = {"role": "assistant", "content": reply.text, "reasoning_content": "".join(thoughts) or None}
    return {
        **head.of("chat.completion"),
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": _usage(reply.usage),
    }


class _Head:
    """What every piece of an answer begins with."""

    def __init__(self, name: str, created: int, model: str) -> None:
        self._values = {"id": name, "created": created, "model": model}

    def of(self, kind: str) -> Json:
        """As an object of this kind."""
        return {**self._values, "object": kind}

    def chunk(self, delta: Json, finish: str | None = None) -> str:
        """A chunk of a stream."""
        return _data({**self.of("chat.completion.chunk"), "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


async def _chunks(here: Gateway, caller: Any, turn: Turn, head: _Head, *, with_usage: bool) -> AsyncGenerator[str]:
    yield head.chunk({"role": "assistant", "content": ""})
    spoken_at = time.monotonic()
    try:
        async for happening in happenings(here, caller, turn):
            thought = "".join(map(progress_of, happening.events)) + happening.words
            if thought:
                yield head.chunk({"reasoning_content": thought})
            elif time.monotonic() - spoken_at > HEARTBEAT_S:
                yield ": still here\n\n"
            else:
                continue
            spoken_at = time.monotonic()
    except Unavailable:
        return  # without the last pieces, so that it is no answer
    reply = await asyncio.to_thread(reply_of, here, turn.job_id)
    for line in reply.text.splitlines(keepends=True):
        yield head.chunk({"content": line})
    yield head.chunk({}, "stop")
    if with_usage:
        yield _data({**head.of("chat.completion.chunk"), "choices": [], "usage": _usage(reply.usage)})
    yield "data: [DONE]\n\n"


def _usage(used: Usage) -> Json:
    return {
        "prompt_tokens": used.input_tokens,
        "completion_tokens": used.output_tokens,
        "total_tokens": used.input_tokens + used.output_tokens,
    }


def _data(value: Json) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"
