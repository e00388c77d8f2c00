"""Small calls that try a model: whether it answers, and whether its server takes native tool calls, which the fleet remembers."""

import threading
from typing import LiteralString

from contracts.wire import NotJson, read_json
from workers.blackboard.engine import Database
from workers.errors import ModelRequestRefused, ModelUnavailable
from workers.llm.backend import Backend, NativeCall, Turn
from workers.llm.schema import AnswerSchema, sendable_schema
from workers.loggers import get_logger

log = get_logger(__name__)

PROBE = "ping"
"""Name of the function that the probe offers."""
_NUMBER = 7
_TOKENS = 512
"""Room for the answer: a call takes 20 tokens, and a model may reason before it."""
_TIMEOUT_S = 30.0

_ASK = (
    Turn("system", "You call the functions that a request offers."),
    Turn("user", f"Call {PROBE} with n = {_NUMBER}."),
)
_FORM = AnswerSchema(
    PROBE,
    {},
    strict=False,
    functions=(
        {
            "type": "function",
            "function": {
                "name": PROBE,
                "description": "Answers with the number.",
                "parameters": {
                    "type": "object",
                    "properties": {"n": {"type": "integer"}},
                    "required": ["n"],
                    "additionalProperties": False,
                },
            },
        },
    ),
)

_READY = sendable_schema(
    "Ready", {"type": "object", "properties": {"ready": {"type": "boolean"}}, "required": ["ready"], "additionalProperties": False}
)
_ASK_READY = (Turn("user", 'Answer with this JSON and nothing else: {"ready": true}'),)


def try_model(backend: Backend) -> str:
    """The text with which a model answers one small call. Raises `ModelUnavailable` or `ModelRequestRefused`."""
    return backend.complete(_ASK_READY, _READY, max_tokens=_TOKENS, timeout_s=_TIMEOUT_S, cache_key=None).text


_READ: LiteralString = """
SELECT takes_native_calls FROM model_servers
 WHERE server = %(server)s AND model = %(model)s AND takes_native_calls IS NOT NULL AND asked_at > now() - interval '30 days'
"""
_WRITE: LiteralString = """
INSERT INTO model_servers (server, model, takes_native_calls) VALUES (%(server)s, %(model)s, %(takes)s)
ON CONFLICT (server, model) DO UPDATE SET takes_native_calls = EXCLUDED.takes_native_calls, asked_at = now()
"""


_asking = threading.Lock()
"""One step of a process probes; the others wait for what it learns."""


def takes_native_calls(db: Database, backend: Backend) -> bool:
    """What the fleet knows of this model and server; if nothing, it is asked now. A server that does not answer is asked again later."""
    key = {"server": backend.server, "model": backend.model}
    known = db.row(_READ, key)
    if known is not None:
        return known["takes_native_calls"]
    with _asking:
        known = db.row(_READ, key)
        return known["takes_native_calls"] if known is not None else _probed(db, backend, key)


def _probed(db: Database, backend: Backend, key: dict[str, str]) -> bool:
    try:
        reply = backend.complete(_ASK, _FORM, max_tokens=_TOKENS, timeout_s=_TIMEOUT_S, cache_key=None)
        takes = len(reply.calls) == 1 and _is_right(reply.calls[0])
    except ModelRequestRefused:
        takes = False
    except ModelUnavailable:
        return False
    db.statement(_WRITE, {**key, "takes": takes})
    log.info("model_probed", model=backend.model, takes_native_calls=takes)
    return takes


def _is_right(call: NativeCall) -> bool:
    """Judged by the call itself: some servers take the functions, and describe the call in words."""
    try:
        return call.name == PROBE and read_json(call.arguments.encode("utf-8", "replace")) == {"n": _NUMBER}
    except NotJson:
        return False
