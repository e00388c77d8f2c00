"""A process holds as many calls of a model at once as it has slots for them."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from workers.llm.bounded_http import bounded_client

CALLS = 130
"""More than the HTTP client takes by default, which is 100."""


class _AllAtOnce(BaseHTTPRequestHandler):
    """Answers nobody before everybody has asked."""

    protocol_version = "HTTP/1.1"
    everybody = threading.Barrier(CALLS)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.everybody.wait(60)
        body = json.dumps({"all": "here"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Not to the terminal."""


class _Server(ThreadingHTTPServer):
    request_queue_size = CALLS
    daemon_threads = True


def test_no_call_waits_for_the_connection_of_another() -> None:
    server = _Server(("127.0.0.1", 0), _AllAtOnce)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/v1/chat/completions"

    with bounded_client() as client, ThreadPoolExecutor(CALLS) as threads:
        answers = list(threads.map(lambda _: client.post(url, json={}, timeout=90).status_code, range(CALLS)))

    server.shutdown()
    server.server_close()
    assert answers == [200] * CALLS
