"""Questions to `ask` with answers of a model that were typed once, played again: what code makes of them. They are kept under
tests/recordings/questions, by the question and the role, so that a prompt may be worded in another way. No right row depends on the day.
`ferry` is a regression recording: whoever typed the answers knew the cases. `moorings` was answered at first sight."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from contracts.sources import Source, SourceKind
from tests.evals.ask_first_sight import Company, judged, play_product
from tests.support.benches import silent_bench
from tests.support.campaign import IS_LONG, sample
from tests.support.databases import Databases
from tests.support.openai_server import Heard, Say, good, openai_server
from workers.catalogue.importing import Form, import_path, import_source
from workers.settings import load_settings
from workers.sources import add_source
from workers.sources.addresses import variable

FOLDER = Path(__file__).parents[1] / "recordings" / "questions"
ROLES = {
    "You are the supervisor": "supervisor",
    "You are the developer of a data platform": "developer",
    "You tell a user what the result": "result",
}
LAST = {"supervisor": "# The message", "developer": "# The user's words", "result": "# The question"}
"""Where the question of a prompt is, behind those of the conversation."""


class Recorded:
    """The model: each question's answers of a role in turn, the last one again."""

    def __init__(self, folder: Path) -> None:
        _, *answers = map(json.loads, (folder / "answers.jsonl").read_text("utf-8").splitlines())
        self._answers: dict[str, dict[str, Any]] = {item["question"]: item for item in answers}
        self.asked: Counter[str] = Counter()

    def say(self, heard: Heard) -> Say:
        """The answer to the question that is last in the prompt: those before it are the conversation."""
        words = "\n".join(str(message["content"]) for message in heard.body["messages"])
        role = next(role for opening, role in ROLES.items() if opening in words)
        mine = words.rpartition(LAST[role])[2]
        item = next(item for item in self._answers.values() if item["question"] in mine or item["supervisor"].get("question", "-") in mine)
        self.asked[f"{role}: {item['question']}"] += 1
        if role != "developer":
            return good(item[role])
        return good(item[role][min(self.asked[f"{role}: {item['question']}"], len(item[role])) - 1])


def played(
    name: str, tmp_path: Path, databases: Databases, monkeypatch: pytest.MonkeyPatch, *, every: int = 1
) -> tuple[list[dict[str, Any]], Recorded]:
    """Each turn as it was judged, and what the model was asked. `every`: of so many cases one in the short form."""
    company, model = Company(FOLDER / name, tmp_path), Recorded(FOLDER / name)
    monkeypatch.setenv(variable(company.name), f"duckdb:///{company.path}")
    with openai_server() as server:
        server.by_prompt = model.say
        given: dict[str, Any] = {
            "home": tmp_path / "home", "embeddings": "none", "model": "test-model",
            "model_base_url": server.base_url, "model_retries": 0, "model_timeout_s": 10.0, "max_attempts": 1,
            "model_context_tokens": 128_000, "model_tools": "structured",
        }  # fmt: skip
        with silent_bench(load_settings().model_copy(update=given), databases) as bench:
            data_dir = bench.settings.data_dir
            add_source(bench.database, data_dir, Source(name=company.name, kind=SourceKind.DUCKDB))
            import_source(bench.database, bench.embedder, data_dir, company.name)
            import_path(bench.database, bench.embedder, company.terms, form=Form.TABLES, source=company.name)
            return [
                judged(company, case, turn) for case in sample(company.cases, every) for turn in play_product(bench, company, case)
            ], model


def test_recorded_answers_give_the_right_rows_the_question_back_or_the_reason_why_not(
    tmp_path: Path, databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S10, S22, S29: three repairs at most, a value trap, a private definition, a second turn; nothing is answered with wrong rows."""
    found, model = played("ferry", tmp_path, databases, monkeypatch)

    assert [line["question"] for line in found if not line["right"]] == [], found
    assert [line["expect"] for line in found] == ["rows", "rows", "rows", "rows", "ask", "decline"]
    first, second, revenue, *_ = found
    assert "'D'" in first["sql"]
    assert "isodow" in second["sql"].lower()
    developer = {what.partition(": ")[2]: number for what, number in model.asked.items() if what.startswith("developer")}
    assert (developer[first["question"]], developer[revenue["question"]]) == (2, 2)
    assert max(line["calls"] for line in found) <= 4


def test_answers_at_first_sight_give_what_they_gave(tmp_path: Path, databases: Databases, monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = played("moorings", tmp_path, databases, monkeypatch, every=2)

    assert [line["question"] for line in found if not line["right"]] == [], found
    assert Counter(line["expect"] for line in found) == (
        {"rows": 12, "ask": 2, "decline": 2} if IS_LONG else {"rows": 6, "ask": 1, "decline": 1}
    )
    assert max(line["calls"] for line in found) <= 3
