"""The journal of a job's steps as people read it: what was asked of models and tools, what came back, tokens by part."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString
from uuid import UUID

from contracts.base import Json
from workers.blackboard.journal import TextReader, read_texts
from workers.reading.snapshot import Reader
from workers.reading.values import Value

MOST_TEXT_BYTES = 32 << 20
"""Of the texts of one answer. Beyond it the later calls come without their texts; ask for a single step."""

_CALLS: LiteralString = """
SELECT c.step_id, s.stage, s.role, c.attempt, c.call, c.place, c.kind, c.name, c.model, c.request_hash, c.request, c.cut, c.answer_hash,
       c.outcome, c.message, c.usage, c.duration_ms, c.edited, c.started_at
  FROM calls c JOIN steps s ON s.id = c.step_id
 WHERE s.job_id = %(job_id)s AND (%(step_id)s::uuid IS NULL OR s.id = %(step_id)s) AND c.kind <> 'start'
 ORDER BY s.id, c.call, c.place
"""


@dataclass(frozen=True, slots=True)
class PartFacts(Value):
    """A piece of a message: its instructions, or a data block by its label."""

    name: str
    hash: str
    tokens: int


@dataclass(frozen=True, slots=True)
class MessageFacts(Value):
    """A message of a prompt."""

    role: str
    parts: tuple[PartFacts, ...]
    text: str | None = None
    """None: not asked for, or no longer kept."""
    calls: Json | list[Json] | None = None
    """Of an assistant's message: the calls that it made in the server's own form."""


@dataclass(frozen=True, slots=True)
class CallFacts(Value):
    """A call of a model or of a tool."""

    step_id: UUID
    stage: str
    role: str
    attempt: int
    """The attempt of the step that made it; 0: taken over from another step by a replay."""
    call: int
    place: int
    kind: str
    """`model` or `tool`."""
    name: str
    model: str | None
    outcome: str
    message: str | None
    messages: tuple[MessageFacts, ...]
    answer: Json | None
    """None: not asked for, none came, or it is no longer kept."""
    request_hash: str
    usage: Json
    duration_ms: int | None
    cut: tuple[Json, ...]
    edited: bool
    started_at: datetime


_COUNTS: LiteralString = """
SELECT s.stage, count(*) FILTER (WHERE c.kind = 'model')::int AS models, count(*) FILTER (WHERE c.kind = 'tool')::int AS tools
  FROM calls c JOIN steps s ON s.id = c.step_id WHERE s.job_id = %(job_id)s GROUP BY s.stage
"""


@dataclass(frozen=True, slots=True)
class CallCounts:
    """How often a stage called models and tools, over all its steps."""

    models: int = 0
    tools: int = 0


def read_call_counts(read: Reader, job_id: UUID) -> dict[str, CallCounts]:
    """Stage → its calls, for the stages of a job that made any."""
    return {row["stage"]: CallCounts(row["models"], row["tools"]) for row in read.statement(_COUNTS, {"job_id": job_id})}


def read_calls(read: TextReader, job_id: UUID, *, step_id: UUID | None = None, texts: bool = False) -> tuple[CallFacts, ...]:
    """The calls of a job's steps, or of one step, in order; `texts`: with prompts and answers, as far as they are kept."""
    rows = read.statement(_CALLS, {"job_id": job_id, "step_id": step_id})
    wanted = [name for row in rows for name in _hashes(row["request"], row["answer_hash"])] if texts else []
    kept = read_texts(read, job_id, wanted, most_bytes=MOST_TEXT_BYTES) if wanted else {}
    found: list[CallFacts] = []
    for row in rows:
        request, answer_hash, cut, usage = row.pop("request"), row.pop("answer_hash"), row.pop("cut"), row.pop("usage")
        answer = kept.get(answer_hash)
        messages = tuple(_message(message, kept) for message in request["messages"])
        found.append(
            CallFacts(
                **row, messages=messages, answer=None if answer is None else json.loads(answer), cut=tuple(cut or ()), usage=usage or {}
            )
        )
    return tuple(found)


def _hashes(request: Json, answer_hash: str | None) -> list[str]:
    names = [part[1] for message in request["messages"] for part in message["parts"]]
    names += [message["calls"] for message in request["messages"] if "calls" in message]
    return names if answer_hash is None else [*names, answer_hash]


def _message(message: Json, kept: dict[str, str]) -> MessageFacts:
    parts = tuple(PartFacts(*part) for part in message["parts"])
    texts = [kept.get(part.hash) for part in parts]
    calls = kept.get(message.get("calls", ""))
    whole = "".join(text for text in texts if text is not None)
    return MessageFacts(message["role"], parts, None if not parts or None in texts else whole, None if calls is None else json.loads(calls))
