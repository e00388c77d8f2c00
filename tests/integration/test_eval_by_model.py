"""`bullpen eval diagnose --engine llm`: the methods with a model on the wire, and what it used."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.support.model_jobs import NESTED_LOOP, recommends
from tests.support.openai_server import PROMPT_TOKENS, OpenAIServer, Say, good, openai_server
from workers.cli.main import app
from workers.kinds.diagnose.samples import sample_tickets_path
from workers.settings import load_settings

CASES = 3


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    monkeypatch.setenv("BULLPEN_EMBEDDINGS", "none")
    load_settings.cache_clear()
    with openai_server() as running:
        monkeypatch.setenv("BULLPEN_MODEL_BASE_URL", running.base_url)
        monkeypatch.setenv("BULLPEN_MODEL_PRICES", "test-model=1/2")
        yield running
    load_settings.cache_clear()


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """The command over the sample history, for its first tickets."""
    cases = tmp_path / "cases.jsonl"
    cases.write_text("\n".join(sample_tickets_path().read_text("utf-8").splitlines()[:CASES]), "utf-8")
    return ["eval", "diagnose", "--tickets", str(sample_tickets_path()), "--cases", str(cases), "--engine", "llm", "--max-turns", "2"]


def test_rar_is_measured_with_the_model_that_is_configured(
    server: OpenAIServer, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """D24: calls, tokens, cost and the turns that the rules had to take stand beside the figures."""
    monkeypatch.setenv("BULLPEN_MODEL", "test-model")
    server.will(*[Say("nonsense")] * 4, good(recommends(NESTED_LOOP)))

    done = CliRunner().invoke(app, [*command, "--method", "rar", "--json"])

    assert done.exit_code == 0, done.stderr
    (figures,) = json.loads(done.stdout)["methods"]
    calls = len(server.asked)
    assert calls >= 4 + CASES
    assert (figures["cases"], figures["model_faults"], figures["false_citations"]) == (CASES, 1, 0)
    assert (figures["usage"]["model_calls"], figures["usage"]["input_tokens"]) == (calls, calls * PROMPT_TOKENS)
    assert figures["usage"]["cost_usd"] == pytest.approx(calls * 140 / 1e6)


def test_an_evaluation_by_a_model_wants_one(server: OpenAIServer, command: list[str]) -> None:
    done = CliRunner().invoke(app, command)

    assert done.exit_code != 0
    assert "needs a model. Set BULLPEN_MODEL" in " ".join(f"{done.stderr} {done.exception}".split())
    assert server.heard == []
