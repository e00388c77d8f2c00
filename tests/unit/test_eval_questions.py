"""`python -m tests.evals questions` on a small database of its own."""

import json
import sqlite3
from pathlib import Path

import pytest

from tests.evals.libraries.questions.form import QuestionsEvaluation
from tests.evals.libraries.questions.running import area, measure_questions
from tests.evals.libraries.sql.databases import on_day

QUESTIONS = [
    {"id": "q1", "question": "How many books are there per genre?", "gold": "SELECT genre, count(*) FROM book GROUP BY genre"},
    {"id": "q2", "question": "What is the average price of books?", "gold": "SELECT 0"},
    {"id": "q3", "question": "Which books smell of roses?", "gold": "SELECT 1"},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "sqlite").mkdir()
    with sqlite3.connect(tmp_path / "sqlite" / "library.sqlite") as connection:
        connection.executescript(
            "CREATE TABLE book (id INTEGER, title TEXT, genre TEXT, price REAL);"
            "INSERT INTO book VALUES (1, 'Dune', 'novel', 9.5), (2, 'Emma', 'novel', 7), (3, 'Faust', 'drama', 5);"
        )
    connection.close()
    columns = [
        {"name": "id", "type": "integer", "distinct": 3, "nulls": 0},
        {"name": "title", "type": "text", "distinct": 3, "values": ["Dune", "Emma", "Faust"]},
        {"name": "genre", "type": "text", "distinct": 2, "values": ["drama", "novel"]},
        {"name": "price", "type": "real", "distinct": 3, "min": 5, "max": 9.5},
    ]
    table = {"db": "library", "table": "book", "rows": 3, "primary_key": ["id"], "foreign_keys": [], "columns": columns}
    questions = [{"db": "library", "instructions": "", "gold_tables": ["book"], "gold_sqlite": [row["gold"]], **row} for row in QUESTIONS]
    chinese = [{"id": "q1", "db": "library", "question_zh": "每种流派有多少图书？"}]
    unanswerable = [{"db": "library", "question": "Who won the election in France?"}]
    for name, rows in (("catalogue", [table]), ("questions", questions), ("questions_zh", chinese), ("unanswerable", unanswerable)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


def test_answers_are_compared_with_the_right_results_and_the_trivial_method_stands_beside(data: Path) -> None:
    report = measure_questions(data, QuestionsEvaluation(data=data, details=data / "details.jsonl"))

    assert report.figures["questions_en"] == 3
    assert report.figures["coverage_en"] == pytest.approx(2 / 3, abs=0.001)
    assert report.figures["precision_en"] == 0.5
    assert report.figures["coverage_zh"] == report.figures["precision_zh"] == 1.0
    assert report.figures["unanswerable_executed"] == 0
    assert "unanswerable_auc_tfidf" in report.figures
    assert len((data / "details.jsonl").read_text(encoding="utf-8").splitlines()) == 5


def test_the_area_counts_pairs_in_the_right_order_and_half_of_the_equal() -> None:
    assert area([0.9, 0.5], [0.5, 0.1]) == pytest.approx(0.875)


def test_the_present_of_a_case_is_always_the_same_day() -> None:
    statement = "SELECT CURRENT_DATE - INTERVAL '6 days', now(), current_timestamp FROM t WHERE a = 'CURRENT_DATES'"

    assert on_day(statement, "2026-11-21") == (
        "SELECT DATE '2026-11-21' - INTERVAL '6 days', TIMESTAMP '2026-11-21 12:00:00', TIMESTAMP '2026-11-21 12:00:00' "
        "FROM t WHERE a = 'CURRENT_DATES'"
    )
