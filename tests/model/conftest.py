"""The small model of `make model`, served by a process of its own with one thread."""

import importlib.util
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from workers.llm.chat import Chat, ChatLimits
from workers.llm.langchain_chat import LangChainBackend
from workers.local.model.fetching import FILE
from workers.local.model.serving import CONTEXT_TOKENS, NAME
from workers.settings import Settings

LOAD_S = 120.0
"""Seconds for the weights to be read on a busy machine."""


@pytest.fixture(scope="session")
def model_url() -> Iterator[str]:
    folder = Path(os.environ.get("BULLPEN_MODEL_FOLDER") or Settings().data_dir / "model")
    if not (folder / FILE).is_file() or importlib.util.find_spec("xllamacpp") is None:
        pytest.skip(f"The small model is not in {folder}, or its server is not installed: run `make model`, or set BULLPEN_MODEL_FOLDER.")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    line = [sys.executable, "-m", "workers.local.model", "--folder", str(folder), "--serve-only", "--port", str(port)]
    server = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(f"http://127.0.0.1:{port}/v1/models", server)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        try:
            server.wait(timeout=30)
        except subprocess.TimeoutExpired:  # it is in the middle of an answer that nobody waits for
            server.kill()
            server.wait()


def _wait(url: str, server: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + LOAD_S
    while time.monotonic() < end and server.poll() is None:
        try:
            with urlopen(url, timeout=5):  # noqa: S310  our own server
                return
        except (URLError, OSError):
            time.sleep(0.5)
    pytest.fail("The small model's server did not start.")


@pytest.fixture
def chat(model_url: str) -> Iterator[Chat]:
    backend = LangChainBackend(NAME, base_url=model_url, temperature=0.0)
    yield Chat([backend], limits=ChatLimits(timeout_s=3_000.0, retries=0, context_tokens=CONTEXT_TOKENS, output_tokens=1_000))
    backend.close()
