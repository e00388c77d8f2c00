"""Benches on embedded servers for tests of whole jobs; they report no progress."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from tests.support.openai_server import OpenAIServer
from workers.evaluation.bench import EmbeddedBench, embedded_bench
from workers.settings import Settings, load_settings


def silent_bench(settings: Settings) -> AbstractContextManager[EmbeddedBench]:
    """A bench with these settings."""
    return embedded_bench(settings, lambda *_: nullcontext(lambda _: None), lambda _: None)


def bench_with_model(server: OpenAIServer, home: Path) -> AbstractContextManager[EmbeddedBench]:
    """A bench whose roles ask the model of this server, once a step."""
    wanted = {"home": home, "embedding_model": "none", "model": "test-model", "model_base_url": server.base_url, "model_retries": 0}
    return silent_bench(load_settings().model_copy(update=wanted))
