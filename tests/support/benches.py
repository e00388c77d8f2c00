"""Benches for tests of whole jobs, on a database of the tests' own server; they report no progress. Tests of evaluations as their users run
them (`test_eval_diagnose.py`) start the servers of a real bench."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.support.databases import Databases
from tests.support.openai_server import OpenAIServer
from workers.app.services import ProcessServices
from workers.evaluation.bench import EmbeddedBench
from workers.settings import Settings, load_settings


class LentBench(EmbeddedBench):
    """A bench that starts no server: it has a database that is lent to it."""

    def __init__(self, settings: Settings, stack: ExitStack, databases: Databases) -> None:
        """The database is given back with the stack."""
        super().__init__(settings, stack, lambda *_: nullcontext(lambda _: None), lambda _: None)
        self._databases = databases

    @cached_property
    def _services(self) -> ProcessServices:
        return self._open(self._stack.enter_context(self._databases.lend()))


@contextmanager
def silent_bench(settings: Settings, databases: Databases) -> Generator[EmbeddedBench]:
    """A bench with these settings."""
    with ExitStack() as stack:
        yield LentBench(settings, stack, databases)


def bench_with_model(server: OpenAIServer, home: Path, databases: Databases) -> Any:
    """A bench whose roles ask the model of this server, once a step."""
    wanted = {"home": home, "embeddings": "none", "model": "test-model", "model_base_url": server.base_url, "model_retries": 0}
    return silent_bench(load_settings().model_copy(update=wanted), databases)
