"""The journal of a step: each call of a model or a tool, in order, with what was asked and what came back.

A step that is attempted again reads it: an equal request gets the recorded answer, and nothing is paid. At the first request that is not
equal the rest is discarded. Calls with an effect are also kept in `tool_calls`, so that what was done outside is never discarded.
Each write is fenced by the token of the attempt. Texts are kept once a job, under their hash.
"""

import hashlib
import json
import threading
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, LiteralString, Protocol
from uuid import UUID

from contracts.base import Json, canonical_json, clean_json, clean_text, content_hash
from contracts.reports import Usage
from contracts.statements import say
from workers.blackboard.engine import Database, Row, jsonb
from workers.errors import Conflict, StepCancelled
from workers.secrets import hide_in_text
from workers.tracing import tool_span

STARTED = "started"
"""Outcome of a call that runs, or whose process ended before it did: a model may have been paid for it."""
ANSWERED = "answered"
CLOCK = "clock"
MESSAGE_CHARACTERS = 1_000
MOST_BODY_BYTES = 4 << 20
"""A longer text is kept as its hash alone. No prompt is as long; the window of the largest models has as many characters."""

_FENCE: LiteralString = """
mine AS MATERIALIZED (
  SELECT id, job_id FROM steps WHERE id = %(step_id)s AND status = 'running' AND token = %(token)s FOR SHARE)
"""
"""A taking over waits for this statement, or this statement finds the step taken over."""

_TEXTS: LiteralString = """
texts AS (
  INSERT INTO call_texts (job_id, hash, body)
  SELECT mine.job_id, t.hash, t.body FROM mine, unnest(%(hashes)s::text[], %(bodies)s::bytea[]) AS t(hash, body)
  ON CONFLICT DO NOTHING)
"""

_BEGIN: LiteralString = f"""
WITH {_FENCE}, {_TEXTS}
INSERT INTO calls (step_id, call, place, attempt, kind, name, model, request_hash, request, cut, outcome, edited)
SELECT mine.id, %(call)s, %(place)s, %(attempt)s, %(kind)s, %(name)s, %(model)s, %(request_hash)s, %(request)s, %(cut)s, %(outcome)s,
       %(edited)s
  FROM mine
ON CONFLICT (step_id, call, place) DO UPDATE
   SET attempt = EXCLUDED.attempt, kind = EXCLUDED.kind, name = EXCLUDED.name, model = EXCLUDED.model,
       request_hash = EXCLUDED.request_hash, request = EXCLUDED.request, cut = EXCLUDED.cut, outcome = EXCLUDED.outcome,
       edited = EXCLUDED.edited, answer_hash = NULL, message = NULL, duration_ms = NULL, started_at = now()
RETURNING 1
"""  # noqa: S608  made of constants

_END: LiteralString = f"""
WITH {_FENCE}, {_TEXTS}
UPDATE calls SET outcome = %(outcome)s, message = %(message)s, answer_hash = %(answer_hash)s, usage = %(usage)s,
       duration_ms = %(duration_ms)s
  FROM mine WHERE step_id = mine.id AND call = %(call)s AND place = %(place)s
RETURNING 1
"""  # noqa: S608  made of constants

_DISCARD: LiteralString = f"""
WITH {_FENCE},
gone AS (DELETE FROM calls USING mine WHERE step_id = mine.id AND call >= %(call)s AND call > 0)
UPDATE calls SET usage = %(usage)s FROM mine WHERE step_id = mine.id AND call = 0 AND place = 0
"""  # noqa: S608  made of constants

_READ: LiteralString = """
SELECT c.call, c.place, c.kind, c.name, c.request_hash, c.request, c.outcome, c.message, c.usage, c.edited, t.body
  FROM calls c JOIN steps s ON s.id = c.step_id
  LEFT JOIN call_texts t ON t.job_id = s.job_id AND t.hash = c.answer_hash
 WHERE c.step_id = %(step_id)s ORDER BY c.call, c.place
"""

_COPY: LiteralString = f"""
WITH {_FENCE}
INSERT INTO calls (step_id, call, place, attempt, kind, name, model, request_hash, request, cut, answer_hash, outcome, message,
                   duration_ms, edited, started_at)
SELECT mine.id, c.call, c.place, 0, c.kind, c.name, c.model, c.request_hash, c.request, c.cut, c.answer_hash, c.outcome, c.message,
       c.duration_ms, c.edited, c.started_at
  FROM mine JOIN steps old ON old.id = %(from_step)s AND old.job_id = mine.job_id JOIN calls c ON c.step_id = old.id
 WHERE c.call < %(call)s
ON CONFLICT DO NOTHING
"""  # noqa: S608  made of constants
"""Attempt 0: not made by this step, and not paid by it."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a message that keeps its text from call to call."""

    name: str
    text: str
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it is asked."""

    role: str
    parts: tuple[Part, ...]
    calls: tuple[Json, ...] = ()
    """Of an assistant's message: id, name and arguments of its calls."""
    answers: str | None = None
    """Of a tool's message: the id of the call."""

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a model, or of a tool."""

    name: str
    """The prompt, or the tool."""
    messages: tuple[Message, ...]
    model: str | None = None
    settings: Json = field(default_factory=dict[str, Any])
    """What else decides about the answer: the form of the answer, the model's settings."""
    cut: tuple[Json, ...] = ()
    """What of the prompt was left out for lack of room."""

    @property
    def hash(self) -> str:
        """Equal for equal requests. Ids of messages are not part of it; those of calls come from recorded answers, so they are."""
        return content_hash(
            {
                "name": self.name,
                "model": self.model,
                "settings": self.settings,
                "messages": [[m.role, _kept(m.text), _kept_json(list(m.calls)), m.answers] for m in self.messages],
            }
        )


@dataclass(frozen=True, slots=True)
class EditedCall:
    """A step that goes on from the calls of another, with one prompt edited by hand."""

    step_id: UUID
    """The step whose earlier calls are taken over."""
    call: int
    messages: tuple[Json, ...] = ()
    """`role` and `hash` (of its text) of each message of the edited prompt. Empty: as the step makes it."""


@dataclass(slots=True)
class Recorded:
    """A row of an earlier attempt."""

    row: Row
    is_taken: bool = False

    @property
    def answer(self) -> Json | None:
        """None: it was not answered, or its text is no longer kept."""
        body = self.row["body"]
        return None if body is None else json.loads(zlib.decompress(body))


@dataclass(slots=True)
class Call:
    """One call: with the answer of an earlier attempt, or to be made now."""

    number: int
    place: int
    request: Request
    """As it has to be asked: an edit may have changed the texts."""
    answer: Json | None = None
    """What an earlier attempt got."""
    error: tuple[str, str] | None = None
    """The class and message of the error that an earlier attempt got and went on from."""
    before: Usage = field(default_factory=Usage)
    """What earlier attempts paid for the same call."""
    is_edited: bool = False

    @property
    def is_new(self) -> bool:
        """Whether the call has to be made."""
        return self.answer is None and self.error is None


class Journal:
    """The journal of one attempt of a step. Safe to share between threads. It writes and reads nothing before its first use."""

    def __init__(
        self,
        db: Database,
        *,
        job_id: UUID,
        step_id: UUID,
        token: UUID,
        attempt: int,
        keeps_tools: bool = True,
        now: Callable[[], datetime] | None = None,
        edited: EditedCall | None = None,
        on_call: Callable[[Json], None] | None = None,
    ) -> None:
        """`keeps_tools`: calls of tools are kept too; a step without a model can make them again for nothing. `now`: the clock that is
        frozen with the first use. `on_call`: hears of each call that begins and ends, for those who watch."""
        self.job_id = job_id
        self.step_id = step_id
        self.keeps_tools = keeps_tools
        self._db = db
        self._of: Json = {"step_id": step_id, "token": token, "attempt": attempt}
        self._attempt = attempt
        self._edited = edited
        self._on_call = on_call
        self._now = now
        self._lock = threading.RLock()
        self._recorded: dict[tuple[int, int], Recorded] | None = None
        self._frozen: Json = {}
        self._is_frozen_kept = False
        self._discarded = Usage()
        self._call = 0
        self._place = 0
        self._known: set[str] = set()
        """Hashes of texts that are kept already."""

    # what is frozen for all attempts

    def frozen(self, name: str, make: Callable[[], Any]) -> Any:
        """A value that stays as it was in the first attempt: the clock, the driver, what was learnt of a server."""
        with self._lock:
            self._open()
            if name not in self._frozen:
                self._frozen[name] = make()
                self._is_frozen_kept = False
            return self._frozen[name]

    def clock(self) -> datetime:
        """The moment at which the step first looked at the clock: prompts of all attempts say the same date."""
        make = self._now or datetime.now().astimezone
        return datetime.fromisoformat(self.frozen(CLOCK, lambda: make().isoformat()))

    @property
    def paid(self) -> Usage:
        """What the calls of earlier attempts used, as far as their rows know it."""
        with self._lock:
            recorded = self._open()
            total = self._discarded
            for item in recorded.values():
                total = total.plus(_usage(item.row))
            return total

    # calls

    def model_call(self, request: Request) -> Call:
        """The next call of a model: recorded, or begun now. Raises `StepCancelled` if the step was taken over."""
        with self._lock:
            recorded = self._open()
            self._call, self._place = self._call + 1, 0
            number = self._call
            edited, request = self._with_edit(number, request)
            found = recorded.get((number, 0))
            if found is not None and found.row["request_hash"] == request.hash:
                is_followed = any(call == number + 1 for call, _ in recorded)
                call = Call(number, 0, request, before=_usage(found.row), is_edited=edited)
                if found.row["outcome"] == ANSWERED and (answer := found.answer) is not None:
                    call.answer = answer
                    return call
                if is_followed and found.row["outcome"] not in (STARTED, ANSWERED):
                    call.error = (found.row["outcome"], found.row["message"] or "")
                    return call
                self._discard(number + 1)
            else:
                self._discard(number)
                call = Call(number, 0, request, is_edited=edited)
            self._begin("model", call)
            return call

    def tool_call(self, request: Request) -> Call:
        """The next call of a tool: recorded after the same model call, or begun now. Raises `StepCancelled` as `model_call`."""
        with self._lock:
            recorded = self._open()
            request_hash = request.hash
            for (number, place), item in sorted(recorded.items(), key=lambda pair: pair[0]):
                if number != self._call or place == 0 or item.is_taken or item.row["request_hash"] != request_hash:
                    continue
                item.is_taken = True
                if (answer := item.answer) is not None:
                    return Call(number, place, request, answer=answer)
                call = Call(number, place, request)
                self._begin("tool", call)
                return call
            taken = [place for number, place in recorded if number == self._call]
            self._place = max(self._place, *taken, 0) + 1
            call = Call(self._call, self._place, request)
            self._begin("tool", call)
            return call

    def end(self, call: Call, *, answer: Json | None, outcome: str, message: str = "", used: Usage | None = None, duration_ms: int) -> None:
        """Keep how a call ended. Raises `StepCancelled` if the step was taken over: then the answer is not this attempt's to use."""
        texts: dict[str, str] = {}
        answer_hash = None
        if answer is not None:
            kept = hide_in_text(json.dumps(clean_json(answer), ensure_ascii=False, separators=(",", ":")))
            answer_hash = text_hash(kept)
            texts[answer_hash] = kept
        usage = call.before if used is None else call.before.plus(used)
        values = {
            "call": call.number, "place": call.place, "outcome": outcome[:64], "message": _kept(message)[:MESSAGE_CHARACTERS] or None,
            "answer_hash": answer_hash, "duration_ms": duration_ms, "usage": _stored(usage),
        }  # fmt: skip
        self._write(_END, values, texts)
        if call.place:
            tool_span(call.request.name, outcome=outcome, duration_ms=duration_ms, call=call.number, place=call.place)
        self._tell(call, outcome)

    def _begin(self, kind: str, call: Call) -> None:
        if not self._is_frozen_kept:
            self._keep_frozen()
        texts: dict[str, str] = {}
        request = call.request
        cut = jsonb(list(request.cut)) if request.cut else None
        values: Json = {
            "call": call.number, "place": call.place, "kind": kind, "name": request.name[:200], "model": request.model,
            "request_hash": request.hash, "request": jsonb(_shape(request, texts)), "cut": cut, "outcome": STARTED,
            "edited": call.is_edited,
        }  # fmt: skip
        self._write(_BEGIN, values, texts)
        self._tell(call, STARTED)

    def _tell(self, call: Call, outcome: str) -> None:
        if self._on_call is not None:
            about = {"model": call.request.model} if call.request.model else {}
            self._on_call({"call": call.number, "place": call.place, "name": call.request.name, "outcome": outcome, **about})

    def _keep_frozen(self) -> None:
        self.frozen(CLOCK, lambda: (self._now or datetime.now().astimezone)().isoformat())
        values: Json = {
            "call": 0, "place": 0, "kind": "start", "name": "", "model": None, "request_hash": "", "request": jsonb(self._frozen),
            "cut": None, "outcome": ANSWERED, "edited": False,
        }  # fmt: skip
        self._write(_BEGIN, values, {})
        self._is_frozen_kept = True

    def _discard(self, number: int) -> None:
        """The recorded calls from this one on belong to another conversation."""
        recorded = self._open()
        gone = [key for key in recorded if key[0] >= number]
        if not gone:
            return
        for key in gone:
            self._discarded = self._discarded.plus(_usage(recorded.pop(key).row))
        self._db.statement(_DISCARD, {**self._of, "call": number, "usage": _stored(self._discarded)})

    def _with_edit(self, number: int, request: Request) -> tuple[bool, Request]:
        if self._edited is None or self._edited.call != number or not self._edited.messages:
            return False, request
        texts = read_texts(self._db, self.job_id, (item["hash"] for item in self._edited.messages))
        edited = [(item["role"], texts.get(item["hash"])) for item in self._edited.messages]
        return True, with_texts(request, edited)

    def _write(self, sql: LiteralString, values: Json, texts: Mapping[str, str]) -> None:
        new = sorted(name for name in texts if name not in self._known)  # in one order, so that two steps of a job cannot deadlock
        bodies = {name: texts[name].encode() for name in new}
        new = [name for name in new if len(bodies[name]) <= MOST_BODY_BYTES]
        packed = [zlib.compress(bodies[name], 6) for name in new]
        if not self._db.statement(sql, {**self._of, **values, "hashes": new, "bodies": packed}):
            raise StepCancelled(f"Step {self.step_id} was cancelled or taken over.")
        self._known.update(new)

    def _open(self) -> dict[tuple[int, int], Recorded]:
        """What earlier attempts recorded, read with the first use."""
        if self._recorded is None:
            self._recorded = {}
            rows = self._db.statement(_READ, {"step_id": self.step_id}) if self._attempt > 1 else []
            if not rows and self._edited is not None:
                self._db.statement(_COPY, {**self._of, "from_step": self._edited.step_id, "call": self._edited.call})
                rows = self._db.statement(_READ, {"step_id": self.step_id})
            for row in rows:
                if row["kind"] == "start":
                    self._frozen, self._is_frozen_kept, self._discarded = row["request"], True, _usage(row)
                else:
                    self._recorded[(row["call"], row["place"])] = Recorded(row)
        return self._recorded


def with_texts(request: Request, edited: Sequence[tuple[str, str | None]]) -> Request:
    """The request with the texts of an edited prompt, message by message. Raises `Conflict` if it has other messages than the prompt
    that was edited, or if the edit is no longer kept."""
    if [message.role for message in request.messages] != [role for role, _ in edited] or any(text is None for _, text in edited):
        raise Conflict.of(say("refused.call.other_prompt"))
    messages = [
        message if text is None or text == message.text else replace(message, parts=(Part("edited", text, estimate(text)),))
        for message, (_, text) in zip(request.messages, edited, strict=True)
    ]
    return replace(request, messages=tuple(messages))


def estimate(text: str) -> int:
    """Tokens of a text of which nobody said how many it has, roughly."""
    return len(text.encode()) // 3


def text_hash(text: str) -> str:
    """The name under which a text is kept."""
    return hashlib.sha256(text.encode()).hexdigest()


class TextReader(Protocol):
    """A database, or a moment of it."""

    def statement(self, sql: LiteralString, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """The rows of one statement."""
        ...


def read_texts(read: TextReader, job_id: UUID, hashes: Iterable[str], *, most_bytes: int | None = None) -> dict[str, str]:
    """The texts of a job that are still kept, by hash; `most_bytes`: the first of them that have so many together."""
    wanted = list(dict.fromkeys(hashes))
    rows = read.statement(
        "SELECT hash, body FROM call_texts WHERE job_id = %(job_id)s AND hash = ANY (%(hashes)s)", {"job_id": job_id, "hashes": wanted}
    )
    bodies = {row["hash"]: row["body"] for row in rows}
    texts: dict[str, str] = {}
    left = most_bytes
    for name in wanted:
        if name not in bodies:
            continue
        body = zlib.decompress(bodies[name])
        if left is not None:
            left -= len(body)
            if left < 0:
                break
        texts[name] = body.decode()
    return texts


def keep_texts(db: Database, job_id: UUID, texts: Iterable[str]) -> list[str]:
    """Keep texts of a job, such as an edited prompt; their hashes, in order."""
    kept = [_kept(text) for text in texts]
    names = {text_hash(text): zlib.compress(text.encode(), 6) for text in kept}
    db.statement(
        "INSERT INTO call_texts (job_id, hash, body) SELECT %(job_id)s, t.hash, t.body "
        "FROM unnest(%(hashes)s::text[], %(bodies)s::bytea[]) AS t(hash, body) ON CONFLICT DO NOTHING",
        {"job_id": job_id, "hashes": sorted(names), "bodies": [names[name] for name in sorted(names)]},
    )
    return [text_hash(text) for text in kept]


def read_steps_calls(db: Database, step_id: UUID) -> list[Row]:
    """The calls of a step: kind, number, place, and whether the answer is still kept."""
    return db.statement(
        "SELECT c.kind, c.call, c.place, (c.answer_hash IS NULL OR t.hash IS NOT NULL) AS is_kept "
        "FROM calls c JOIN steps s ON s.id = c.step_id LEFT JOIN call_texts t ON t.job_id = s.job_id AND t.hash = c.answer_hash "
        "WHERE c.step_id = %(step_id)s ORDER BY c.call, c.place",
        {"step_id": step_id},
    )


_FORGET: LiteralString = """
WITH old AS MATERIALIZED (
  SELECT j.id FROM jobs j
   WHERE j.id IN (SELECT job_id FROM call_texts) AND j.decided_rev = j.rev
     AND NOT EXISTS (SELECT 1 FROM steps s WHERE s.job_id = j.id AND (s.finished_at IS NULL OR s.finished_at >= %(before)s))
   LIMIT %(batch)s)
DELETE FROM call_texts USING old WHERE job_id = old.id RETURNING job_id
"""
"""A job of which the boss has something to decide may be about to do a step again, from its calls."""


def forget_texts(db: Database, *, before: datetime, batch: int = 100) -> int:
    """Delete the prompts and answers of jobs whose steps all ended before this time; hashes, tokens and times stay. Number of jobs."""
    return len({row["job_id"] for row in db.statement(_FORGET, {"before": before, "batch": batch})})


def _shape(request: Request, texts: dict[str, str]) -> Json:
    """The request as its row keeps it: hashes for texts, which are collected."""

    def kept(text: str) -> str:
        text = _kept(text)
        name = text_hash(text)
        texts[name] = text
        return name

    messages: list[Json] = []
    for message in request.messages:
        shown: Json = {"role": message.role, "parts": [[part.name, kept(part.text), part.tokens] for part in message.parts]}
        if message.calls:
            shown["calls"] = kept(canonical_json(list(message.calls)))
        if message.answers is not None:
            shown["answers"] = message.answers
        messages.append(shown)
    return {"messages": messages, "settings": kept(canonical_json(request.settings))} if request.settings else {"messages": messages}


def _kept(text: str) -> str:
    """A text as it may be kept: what Postgres cannot hold and what is secret replaced."""
    return hide_in_text(clean_text(text))


def _kept_json(value: Any) -> str:
    return _kept(canonical_json(value))


def _usage(row: Row) -> Usage:
    return Usage.model_validate(row["usage"] or {})


def _stored(usage: Usage) -> Any:
    kept = usage.model_dump(mode="json", exclude_defaults=True)
    return jsonb(kept) if kept else None
