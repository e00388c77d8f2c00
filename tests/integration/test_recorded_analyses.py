"""Analyses by a skill with answers of a model that were typed once, played again: what code makes of them. Whoever typed them saw the
prompts alone; the figures of that run are in docs/evaluation.md, and this is what is left of it as a regression."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.evals.analyze_first_sight import judged, play_product, read_data
from tests.evals.ask_first_sight import offer_source
from tests.support.benches import silent_bench
from tests.support.campaign import sample
from tests.support.databases import Databases
from tests.support.openai_server import Heard, Say, openai_server
from workers.settings import load_settings
from workers.sources.addresses import variable

TESTS = Path(__file__).parents[1]
CASES = TESTS / "evals" / "analyze_cases"
ANSWERS = TESTS / "recordings" / "analyses" / "answers.jsonl"


class Recorded:
    """The model: the answers of each task in turn."""

    def __init__(self, questions: dict[str, str]) -> None:
        """`questions`: task → question."""
        self._questions = {task: _plain(question) for task, question in questions.items()}
        items = [json.loads(line) for line in ANSWERS.read_text("utf-8").splitlines()]
        self.answers: dict[str, list[str]] = {item["task"]: item["answers"] for item in items}
        self.asked: Counter[str] = Counter()

    def say(self, heard: Heard) -> Say:
        """The next answer to the question in the prompt."""
        words = _plain("\n".join(str(message.get("content")) for message in heard.body["messages"]))
        task = next(task for task, question in self._questions.items() if question in words)
        text = self.answers[task][self.asked[task]]
        self.asked[task] += 1
        if not text.startswith('{"tool_calls"'):
            return Say(text)
        calls = json.loads(text)["tool_calls"]
        return Say(calls=tuple((call["name"], json.dumps(call["arguments"])) for call in calls), finish="tool_calls")


def _plain(text: str) -> str:
    return " ".join(text.split())


def test_recorded_analyses_have_the_right_figures_and_no_others(
    tmp_path: Path, databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K11, K24: each figure of `expect`, none of a forgotten rule, none that no tool gave; what the data does not have is declined."""
    data = read_data(CASES, tmp_path)
    model = Recorded({task["id"]: task["question"] for source in data for task in source.cases})
    with openai_server() as server:
        server.by_prompt = model.say
        given: dict[str, Any] = {
            "home": tmp_path / "home", "embeddings": "none", "model": "test-model",
            "model_base_url": server.base_url, "model_retries": 0, "model_timeout_s": 10.0, "max_attempts": 1,
            "model_context_tokens": 128_000,
        }  # fmt: skip
        given["skills"] = (*load_settings().skills, str(CASES / "skills"))
        with silent_bench(load_settings().model_copy(update=given), databases) as bench:
            bench.settings.data_dir.mkdir(parents=True, exist_ok=True)
            for source in data:
                monkeypatch.setenv(variable(source.name), "")  # is put back at the end
                offer_source(bench, source.name, source.folder)
            tasks = sample([(source, task) for source in data for task in source.cases], every=2)
            found = [judged(source, task, play_product(bench, source, task, "product")) for source, task in tasks]

    assert [line["task"] for line in found if not line["right"]] == [], found
    assert all(model.asked[line["task"]] == len(model.answers[line["task"]]) for line in found), "no call is left out or made twice"
