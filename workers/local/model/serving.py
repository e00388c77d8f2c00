"""Serves the model's file over the OpenAI protocol until the process is stopped."""

import signal
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

from workers.errors import ConfigurationError

NAME = "qwen2.5-coder-1.5b"
"""What requests call the model."""
PORT = 8089
CONTEXT_TOKENS = 8_192
"""Window. It takes 0.5 GB beside the 1.4 GB of the weights; the model itself knows 32,768."""


def serve_model(path: Path, *, port: int = PORT, threads: int = 1, context_tokens: int = CONTEXT_TOKENS) -> None:
    """Serve until SIGINT or SIGTERM. Loopback only. Raises `ConfigurationError` when the port is taken or the server is not installed.

    One thread is the fastest on a busy machine: with more, they wait for each other by spinning.
    """
    server: Any = start_server(path, port=port, threads=threads, context_tokens=context_tokens)
    stop = threading.Event()

    def leave(number: int, frame: object) -> None:
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, leave)
    print(ready_text(server.listening_address), flush=True)  # noqa: T201  the program's own output
    stop.wait()


def start_server(path: Path, *, port: int, threads: int, context_tokens: int) -> Any:
    """A running server in threads of this process."""
    try:
        xllamacpp: Any = import_module("xllamacpp")
    except ImportError:
        raise ConfigurationError("The model's server is not installed. Run `make model`.") from None
    params: Any = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {NAME}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = context_tokens
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.use_jinja = True
    params.ui = False
    params.verbosity = 0
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise ConfigurationError(f"The model's server does not start: {error}. Is port {port} taken?") from None


def ready_text(address: str) -> str:
    """What to set so that the fleet uses the server."""
    return (
        f"{NAME} is served at {address}. For a fleet that uses it:\n"
        f"  export BULLPEN_MODEL={NAME} BULLPEN_MODEL_BASE_URL={address.rstrip('/')}/v1\n"
        f"  export BULLPEN_MODEL_CONTEXT_TOKENS={CONTEXT_TOKENS} BULLPEN_MODEL_OUTPUT_TOKENS=1000 BULLPEN_MODEL_TEMPERATURE=0 "
        "BULLPEN_MODEL_TIMEOUT_S=600"
    )
