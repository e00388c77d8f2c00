"""`bullpen eval ask`: the dialogues that come with Bullpen, and single questions with a model on the wire."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from contracts.ask.tools import Tool
from contracts.jobs import EngineChoice
from tests.support.benches import bench_with_model
from tests.support.databases import Databases
from tests.support.openai_server import OpenAIServer, Say, good, openai_server
from workers.errors import InvalidInput
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.ask.evaluation.companies import Companies
from workers.kinds.ask.evaluation.form import AskEvaluation, QuestionSet
from workers.kinds.ask.evaluation.running import run_evaluation

RIGHT = "SELECT name FROM main.dishes WHERE length(name) > 5"
TABLE = {
    "db": "restaurants", "table": "dishes", "rows": 3, "primary_key": ["id"], "foreign_keys": [],
    "columns": [{"name": "id", "type": "integer"}, {"name": "name", "type": "text"}, {"name": "price", "type": "real"}],
}  # fmt: skip
QUESTIONS = [
    {
        "id": "a",
        "db": "restaurants",
        "question": "How many dishes are there?",
        "instructions": "",
        "gold_sqlite": ["SELECT count(*) FROM dishes"],
    },
    {
        "id": "b",
        "db": "restaurants",
        "question": "Which names of dishes are longer than five letters?",
        "instructions": "",
        "gold_sqlite": [RIGHT],
    },
]


COUNTED = "SELECT count(*) AS dishes FROM main.dishes"


def supervisor() -> Say:
    return good({"tool": Tool.EXECUTE, "final_intent": Tool.EXECUTE})


def developer(sql: str) -> Say:
    return good({"step": {"final": {"sql": sql}}})


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


@pytest.fixture(scope="module")
def bench(server: OpenAIServer, tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[EmbeddedBench]:
    with bench_with_model(server, tmp_path_factory.mktemp("home"), databases) as running:
        yield running


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    (folder / "ask").mkdir()
    (folder / "ask" / "dialogues.jsonl").write_text("", "utf-8")
    (folder / "nl2sql" / "sqlite").mkdir(parents=True)
    with closing(sqlite3.connect(folder / "nl2sql" / "sqlite" / "restaurants.sqlite")) as connection:
        connection.execute("CREATE TABLE dishes (id INTEGER PRIMARY KEY, name TEXT, price REAL)")
        connection.execute("INSERT INTO dishes VALUES (1, 'soup', 5), (2, 'noodles', 9), (3, 'dumplings', 8)")
        connection.commit()
    (folder / "nl2sql" / "catalogue.jsonl").write_text(json.dumps(TABLE), "utf-8")
    (folder / "nl2sql" / "questions.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)), "utf-8")
    return folder


def test_a_dialogue_of_ours_is_played_to_its_end(bench: EmbeddedBench) -> None:
    report = run_evaluation(bench, AskEvaluation(only="gym-02"))

    assert [turn.wrong for turn in report.turns] == [(), (), ()]
    assert report.figures["turns_right"] == 1


def test_every_dialogue_of_ours_has_an_expectation_that_its_database_can_answer() -> None:
    dialogues = list(Companies().dialogues())

    assert len(dialogues) > 40
    assert all(turn.expect["route"] is not None and turn.expect["ends_with"] for dialogue in dialogues for turn in dialogue.turns)
    gold = [turn.expect["result"]["rows"] for dialogue in dialogues for turn in dialogue.turns if "result" in turn.expect]
    assert gold
    assert all(gold)


def test_a_single_question_is_read_by_one_call_and_written_by_another(bench: EmbeddedBench, server: OpenAIServer, data: Path) -> None:
    before = len(server.asked)
    server.will(supervisor(), developer(COUNTED), supervisor(), developer(RIGHT), good({"sentences": []}))

    report = run_evaluation(bench, AskEvaluation(data=data, questions=QuestionSet.ALL, engine=EngineChoice.AUTO))

    assert {question.id: (question.is_right, question.is_verified) for question in report.questions} == {
        "a": (True, True),
        "b": (True, True),
    }
    assert report.figures["verified_right_share"] == 1
    assert len(server.asked) == before + 5, "a result of several rows is put into words by one more"


def test_a_wrong_statement_counts_as_wrong(bench: EmbeddedBench, server: OpenAIServer, data: Path) -> None:
    wrong = "SELECT name FROM main.dishes WHERE price > 8.5"
    server.will(supervisor(), developer(COUNTED), supervisor(), developer(wrong))

    report = run_evaluation(bench, AskEvaluation(data=data, questions=QuestionSet.ALL, engine=EngineChoice.AUTO))

    assert report.figures["right"] == 1
    assert [question.id for question in report.questions if not question.is_right] == ["b"]


def test_single_questions_need_a_folder(bench: EmbeddedBench) -> None:
    with pytest.raises(InvalidInput, match="--data FOLDER"):
        run_evaluation(bench, AskEvaluation(questions=QuestionSet.SMALL24))
