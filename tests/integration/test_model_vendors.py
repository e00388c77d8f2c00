"""Models of vendors with protocols of their own: the real client of each against a server that speaks the vendor's protocol."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.support.weather import PROMPT, RAINY, Weather
from workers.errors import BullpenError, ConfigurationError, ModelRequestRefused, ModelUnavailable
from workers.llm.chat import Chat, ChatLimits
from workers.llm.vendors import VENDORS, VendorBackend, vendor_of

MODELS = ("anthropic:claude-test", "google_genai:gemini-test")
KEY = "key-of-the-vendor"
REPORT = "rain all day"


class VendorServer:
    """Answers both protocols; `status` and `hangs` say how."""

    def __init__(self) -> None:
        self.status, self.hangs, self.text = 200, False, json.dumps(RAINY)
        self.closed = threading.Event()
        self.heard: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"does": self}))
        self._server.daemon_threads = True
        self._server.handle_error = lambda request, client_address: None  # a client that hangs up is part of the play
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self.closed.set()
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    does: VendorServer

    def log_message(self, format: str, *args: Any) -> None:
        """Tests read `heard`."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.does.heard.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        if self.does.hangs:
            self.does.closed.wait()
        payload = json.dumps(self._answer()).encode()
        try:
            self.send_response(self.does.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)
        except OSError:
            return

    def _answer(self) -> dict[str, Any]:
        if self.does.status != 200:
            return {"type": "error", "error": {"type": "error", "message": f"no {KEY}", "code": self.does.status, "status": "ERROR"}}
        if self.path.endswith("generateContent"):
            content = {"role": "model", "parts": [{"text": self.does.text}]}
            usage = {"promptTokenCount": 11, "candidatesTokenCount": 5, "totalTokenCount": 16}
            return {"candidates": [{"content": content, "finishReason": "STOP"}], "usageMetadata": usage}
        about = {"id": "m", "type": "message", "role": "assistant", "model": "claude-test", "stop_reason": "end_turn"}
        return {**about, "content": [{"type": "text", "text": self.does.text}], "usage": {"input_tokens": 11, "output_tokens": 5}}


@pytest.fixture
def server() -> Iterator[VendorServer]:
    running = VendorServer()
    yield running
    running.close()


@pytest.fixture(params=MODELS)
def backend(request: pytest.FixtureRequest, server: VendorServer) -> VendorBackend:
    vendor = vendor_of(request.param)
    assert vendor is not None
    pytest.importorskip(vendor.package.replace("-", "_"))
    return VendorBackend(request.param, vendor, base_url=server.url, api_key=KEY, temperature=0.0)


def ask(backend: VendorBackend, **limits: Any) -> Any:
    return Chat([backend], limits=ChatLimits(retries=0, **limits), prices={backend.model: (1.0, 1.0)}).ask(
        Weather, prompt=PROMPT, report=REPORT, hints=[]
    )


def test_a_vendor_answers_with_its_usage_and_its_price(backend: VendorBackend, server: VendorServer) -> None:
    answer = ask(backend)

    assert answer.value == Weather.model_validate(RAINY)
    assert (answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.cost_usd) == (11, 5, pytest.approx(16 / 1e6))
    path, headers, body = server.heard[0]
    assert any(KEY in headers.get(name, "") for name in ("x-api-key", "x-goog-api-key", "authorization"))
    assert backend.model.partition(":")[2] in path + json.dumps(body)
    assert REPORT in json.dumps(body)


def test_a_vendor_that_does_not_answer_in_time_is_unavailable(backend: VendorBackend, server: VendorServer) -> None:
    server.hangs = True  # until the test ends, which it does when the call is given up

    with pytest.raises(ModelUnavailable) as caught:
        ask(backend, timeout_s=1.0)

    assert caught.value.timed_out


@pytest.mark.parametrize(
    ("status", "error"), [(401, ModelRequestRefused), (404, ModelRequestRefused), (429, ModelUnavailable), (503, ModelUnavailable)]
)
def test_a_refusal_is_told_from_a_passing_fault_and_the_key_stands_nowhere(
    backend: VendorBackend, server: VendorServer, status: int, error: type[BullpenError]
) -> None:
    server.status = status

    with pytest.raises(error) as caught:
        ask(backend)

    assert str(status) in str(caught.value)
    assert KEY not in str(caught.value)


def test_without_a_key_nothing_is_sent(server: VendorServer) -> None:
    backend = VendorBackend("anthropic:claude-test", VENDORS["anthropic"], base_url=server.url, api_key=None, temperature=None)

    with pytest.raises(ConfigurationError, match=r"langchain-anthropic|BULLPEN_MODEL_KEYS"):
        ask(backend)

    assert server.heard == []


def test_a_colon_in_a_name_is_no_vendor() -> None:
    assert vendor_of("qwen3:32b") is None
    assert vendor_of("anthropic") is None
