"""A server that speaks the OpenAI protocol over HTTP and answers as configured: well, badly, slowly, or not at all."""

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from workers.llm.probing import PROBE

PROMPT_TOKENS = 100
COMPLETION_TOKENS = 20


@dataclass(frozen=True)
class Say:
    """What the server does with one chat request."""

    content: str | None = None
    refusal: str | None = None
    tool: str | None = None
    calls: tuple[tuple[str, str], ...] = ()
    """Names and arguments of tool calls."""
    finish: str = "stop"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    error: str = "as ordered"
    code: str | None = None
    """Of an error; None: its status."""
    content_type: str = "application/json"
    raw: bytes | None = None
    """Sent as it is in the place of an answer."""
    sleep_s: float = 0.0
    """Before the first byte."""
    disconnect: bool = False
    """In the middle of the body."""
    trickle_s: float = 0.0
    """The body byte by byte, with this pause between them."""
    headers_trickle_s: float = 0.0
    """A header line again and again, with this pause between them, and no end of the headers."""
    usage: bool = True
    reasoning: str | None = None
    """In the field `reasoning_content`."""
    reasoning_tokens: int = 0
    """Of the completion's, by its usage."""


def good(value: Any) -> Say:
    return Say(json.dumps(value))


@dataclass(frozen=True)
class Heard:
    """One request."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    raw: str

    @property
    def model(self) -> str:
        return self.body["model"]

    @property
    def user_text(self) -> str:
        return self.body["messages"][1]["content"]


class OpenAIServer:
    """Orders are taken in turn, those of a model first; the last one stays. `heard` records every request."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self.models = ["test-model", "second-model"]
        self.pages: dict[str, Any] = {}
        """Path → what is there besides, in JSON; a function is given the request."""
        self.takes_native_calls = False
        """What the one probe of the fleet finds out. Probes are not heard otherwise."""
        self.probes = 0
        self.by_prompt: Callable[[Heard], Say] | None = None
        """In the place of orders: what is said depends on what is asked."""
        self._orders: dict[str, deque[Say]] = {"": deque([good({})])}
        self._stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"does": self}))
        self._server.daemon_threads = True
        self._server.handle_error = lambda request, client_address: None  # a client that hangs up is part of the play
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def asked(self) -> list[Heard]:
        """The chat requests."""
        return [request for request in self.heard if request.path == "/v1/chat/completions"]

    def will(self, *says: Say, model: str = "") -> None:
        """What the next requests (of one model, when it is named) get."""
        self._orders[model] = deque(says)

    def next_order(self, heard: Heard) -> Say:
        if self.by_prompt is not None:
            return self.by_prompt(heard)
        model = heard.model
        orders = self._orders.get(model) or self._orders[""]
        return orders.popleft() if len(orders) > 1 else orders[0]

    def pause(self, seconds: float) -> None:
        self._stopping.wait(seconds)

    def close(self) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def openai_server() -> Iterator[OpenAIServer]:
    server = OpenAIServer()
    try:
        yield server
    finally:
        server.close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    does: ClassVar[OpenAIServer]
    """The server whose orders it follows."""

    def log_message(self, format: str, *args: Any) -> None:
        """Tests read `heard`."""

    def do_GET(self) -> None:
        self.does.heard.append(Heard(self.path, self._headers(), {}, ""))
        if self.path in self.does.pages:
            self._json(200, self.does.pages[self.path])
        elif self.path == "/v1/models":
            self._json(200, {"object": "list", "data": [{"id": name, "object": "model"} for name in self.does.models]})
        else:
            self._json(404, {"error": {"message": "no such page"}})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        body = json.loads(raw)
        heard = Heard(self.path, self._headers(), body, raw)
        if [tool["function"]["name"] for tool in body.get("tools", ())] == [PROBE]:
            self.does.probes += 1
            self._chat(body, Say(calls=((PROBE, '{"n": 7}'),)) if self.does.takes_native_calls else Say("I would call ping."))
            return
        self.does.heard.append(heard)
        if self.path in self.does.pages:
            page = self.does.pages[self.path]
            self._json(200, page(heard) if callable(page) else page)
        elif self.path == "/v1/chat/completions":
            self._chat(body, self.does.next_order(heard))
        elif self.path == "/v1/embeddings":
            self._embed(body)
        else:
            self._json(404, {"error": {"message": "no such page"}})

    def _headers(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _chat(self, body: dict[str, Any], say: Say) -> None:
        self.does.pause(say.sleep_s)
        if say.headers_trickle_s:
            self._drip(say.headers_trickle_s)
        elif say.status != 200 and say.raw is not None:
            self._send(say.status, say.raw, say.content_type, say.headers)
        elif say.status != 200:
            self._json(say.status, {"error": {"message": say.error, "type": "test", "code": say.code or say.status}}, say.headers)
        elif say.raw is not None:
            self._send(200, say.raw, say.content_type, say.headers)
        elif body.get("stream"):
            self._stream(body, say)
        else:
            payload = json.dumps(_completion(body["model"], say)).encode()
            self._send(200, payload, say.content_type, say.headers, say.disconnect, say.trickle_s)

    def _drip(self, pause_s: float) -> None:
        try:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            for number in range(1_000):
                self.wfile.write(b"x-wait-%d: 1\r\n" % number)
                self.wfile.flush()
                self.does.pause(pause_s)
        except OSError:  # the client has gone
            self.close_connection = True

    def _stream(self, body: dict[str, Any], say: Say) -> None:
        chunks = _chunks(body["model"], say, usage=say.usage and bool(body.get("stream_options", {}).get("include_usage")))
        lines = [b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks] + [b"data: [DONE]\n\n"]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            for line in lines[: len(lines) // 2] if say.disconnect else lines:
                self.wfile.write(line)
                self.wfile.flush()
                self.does.pause(say.trickle_s)
        except OSError:
            return
        if say.disconnect:
            self.connection.close()

    def _embed(self, body: dict[str, Any]) -> None:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        data = [{"object": "embedding", "index": at, "embedding": [float(len(text)), 1.0]} for at, text in enumerate(texts)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        self._json(200, {"object": "list", "data": data, "model": body["model"], "usage": usage})

    def _json(self, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
        self._send(status, json.dumps(value).encode(), "application/json", headers or {})

    def _send(self, status: int, body: bytes, kind: str, headers: dict[str, str], disconnect: bool = False, trickle_s: float = 0.0) -> None:
        try:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if disconnect:
                self.wfile.write(body[: len(body) // 2])
                self.wfile.flush()
                self.close_connection = True
            elif trickle_s:
                for at in range(len(body)):
                    self.wfile.write(body[at : at + 1])
                    self.wfile.flush()
                    self.does.pause(trickle_s)
            else:
                self.wfile.write(body)
        except OSError:  # the client has gone
            self.close_connection = True


def _message(say: Say) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": say.content, "refusal": say.refusal}
    if say.reasoning is not None:
        message["reasoning_content"] = say.reasoning
    if say.tool is not None:
        call = {"id": "call_1", "type": "function", "function": {"name": say.tool, "arguments": '{"path": "/etc/passwd"}'}}
        message["tool_calls"] = [call]
    if say.calls:
        made = [{"name": name, "arguments": arguments} for name, arguments in say.calls]
        message["tool_calls"] = [{"id": f"call_{number}", "type": "function", "function": call} for number, call in enumerate(made)]
    return message


def _usage(say: Say) -> dict[str, Any]:
    counts = {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": COMPLETION_TOKENS, "total_tokens": PROMPT_TOKENS + COMPLETION_TOKENS}
    return {**counts, "completion_tokens_details": {"reasoning_tokens": say.reasoning_tokens}} if say.reasoning_tokens else counts


def _completion(model: str, say: Say) -> dict[str, Any]:
    choice = {"index": 0, "message": _message(say), "finish_reason": "tool_calls" if say.tool or say.calls else say.finish}
    made = {"id": "c1", "object": "chat.completion", "created": int(time.time()), "model": model, "choices": [choice]}
    return {**made, "usage": _usage(say)} if say.usage else made


def _chunks(model: str, say: Say, *, usage: bool) -> Iterator[dict[str, Any]]:
    about = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": model}
    text = say.content or ""
    pieces = [text[at : at + 5] for at in range(0, len(text), 5)] or [""]
    if say.reasoning is not None:
        yield {
            **about,
            "choices": [{"index": 0, "delta": {"role": "assistant", "reasoning_content": say.reasoning}, "finish_reason": None}],
        }
    for piece in pieces:
        yield {**about, "choices": [{"index": 0, "delta": {"role": "assistant", "content": piece}, "finish_reason": None}]}
    for number, (name, arguments) in enumerate(say.calls):
        first = {"index": number, "id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": ""}}
        more = [{"index": number, "function": {"arguments": arguments[at : at + 5]}} for at in range(0, len(arguments), 5)]
        for call in (first, *more):
            yield {**about, "choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]}
    yield {**about, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if say.calls else say.finish}]}
    if usage:
        yield {**about, "choices": [], "usage": _usage(say)}
