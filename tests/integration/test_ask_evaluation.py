"""`bullpen eval ask` over a folder: a dialogue without a model, and single questions with a model on the wire."""

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

DIALOGUES = [
    {
        "id": "menu-01", "lang": "en", "db": "restaurants", "strategy": "confirm", "faq": True,
        "turns": [
            {
                "user": "How many dishes are there?",
                "expect": {
                    "route": ["data_discovery", "generate_sql"], "final_intent": Tool.EXECUTE, "ends_with": "sql_for_confirmation",
                    "must_not_call": [Tool.EXECUTE], "tables": ["dishes"], "result": {"rows": [[3]]},
                },
            },
            {
                "user": "yes",
                "expect": {"route": [Tool.EXECUTE], "final_intent": Tool.EXECUTE, "ends_with": "answer", "result": {"rows": [[3]]}},
            },
            {
                "user": "How do I reserve a table?",
                "expect": {
                    "route": ["datasuite_faq"], "final_intent": "datasuite_faq", "ends_with": "answer",
                    "cites": ["reserve.en.md"], "must_say_any": [["by phone"]],
                },
            },
        ],
    },
    {
        "id": "menu-02", "lang": "zh", "db": "restaurants", "strategy": "llm",
        "turns": [
            {
                "user": "How many sweet dishes are there?",
                "expect": {
                    "route": ["ask_human"], "final_intent": "ask_human", "ends_with": "question", "may_call": ["data_discovery"],
                },
            },
            {
                "user": "average price of dishes",
                "expect": {
                    "route": ["data_discovery", "generate_sql", Tool.EXECUTE], "final_intent": Tool.EXECUTE, "ends_with": "answer",
                    "result": {"rows": [[999]]},
                },
            },
        ],
    },
]  # fmt: skip
HOW_TO = {
    "id": "reserve", "q_en": "How do I reserve a table?", "a_en": "Reserve a table by phone.",
    "q_zh": "怎么预订餐桌？", "a_zh": "打电话预订餐桌。",
}  # fmt: skip
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
    (folder / "ask" / "dialogues.jsonl").write_text("\n".join(map(json.dumps, DIALOGUES)), "utf-8")
    (folder / "ask" / "faq.jsonl").write_text(json.dumps(HOW_TO), "utf-8")
    (folder / "nl2sql" / "sqlite").mkdir(parents=True)
    with closing(sqlite3.connect(folder / "nl2sql" / "sqlite" / "restaurants.sqlite")) as connection:
        connection.execute("CREATE TABLE dishes (id INTEGER PRIMARY KEY, name TEXT, price REAL)")
        connection.execute("INSERT INTO dishes VALUES (1, 'soup', 5), (2, 'noodles', 9), (3, 'dumplings', 8)")
        connection.commit()
    (folder / "nl2sql" / "catalogue.jsonl").write_text(json.dumps(TABLE), "utf-8")
    (folder / "nl2sql" / "questions.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)), "utf-8")
    return folder


def test_a_dialogue_is_played_to_its_end(bench: EmbeddedBench, data: Path) -> None:
    report = run_evaluation(bench, AskEvaluation(data=data, only="menu-01"))

    assert [turn.wrong for turn in report.turns] == [(), (), ()]
    assert (report.figures["turns"], report.figures["turns_right"], report.figures["dialogues_right"]) == (3, 1, 1)


def test_a_wrong_result_counts_as_wrong_and_a_question_is_answered_by_the_next_turn(bench: EmbeddedBench, data: Path) -> None:
    report = run_evaluation(bench, AskEvaluation(data=data, only="menu-02"))

    assert [turn.wrong for turn in report.turns] == [(), ("result",)]
    assert report.figures["result_right_where_answered"] == 0


def test_a_single_question_is_read_by_one_call_and_written_by_another(bench: EmbeddedBench, server: OpenAIServer, data: Path) -> None:
    before = len(server.asked)
    server.will(supervisor(), developer(COUNTED), supervisor(), developer(RIGHT), good({"sentences": []}))

    report = run_evaluation(bench, AskEvaluation(data=data, questions=QuestionSet.ALL, engine=EngineChoice.AUTO))

    assert {question.id: (question.is_right, question.is_verified) for question in report.questions} == {
        "a": (True, True),
        "b": (True, True),
    }
    assert len(server.asked) == before + 5, "a result of several rows is put into words by one more"


def test_a_wrong_statement_counts_as_wrong(bench: EmbeddedBench, server: OpenAIServer, data: Path) -> None:
    wrong = "SELECT name FROM main.dishes WHERE price > 8.5"
    server.will(supervisor(), developer(COUNTED), supervisor(), developer(wrong))

    report = run_evaluation(bench, AskEvaluation(data=data, questions=QuestionSet.ALL, engine=EngineChoice.AUTO))

    assert [question.id for question in report.questions if not question.is_right] == ["b"]


@pytest.mark.parametrize("questions", [None, QuestionSet.SMALL24])
def test_what_is_played_is_in_a_folder(bench: EmbeddedBench, tmp_path: Path, questions: QuestionSet | None) -> None:
    with pytest.raises(InvalidInput, match="Name the folder: --data FOLDER"):
        run_evaluation(bench, AskEvaluation(questions=questions))
    with pytest.raises(InvalidInput, match=r"holds no \w+/\w+\.jsonl\. Name the folder"):
        run_evaluation(bench, AskEvaluation(questions=questions, data=tmp_path))
