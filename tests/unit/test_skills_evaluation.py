"""`python -m tests.evals skills` on a small folder of skills."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.evals.libraries.skills.cases import Query, without_queries
from tests.evals.libraries.skills.form import SkillsEvaluation
from tests.evals.libraries.skills.running import run_evaluation
from tests.evals.libraries.skills.shown import show_report
from tests.evals.libraries.skills.threshold import best_threshold, cross_validated
from workers.errors import InvalidInput
from workers.skills import load_skills

BENCH = cast(Any, SimpleNamespace(embedder=None))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    skills = {
        "posters": ("Designs conference posters in LaTeX.", "When to use it:\n\n- Laying out columns of a poster\n- Printing in A0\n"),
        "coverage": ("Finds radio cells with weak coverage.", "Use it when the reference signal is weak.\n"),
    }
    for name, (description, body) in skills.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {description}\n---\n\n{body}", "utf-8")
    rows: dict[str, list[dict[str, Any]]] = {
        "labels": [{"folder": name, "name": name, "description": text} for name, (text, _) in skills.items()],
        "queries": [
            {"id": "1", "query": "Laying out columns of a poster", "gold": "posters"},
            {"id": "2", "query": "radio cells where the reference signal is weak", "gold": "coverage"},
        ],
        "others": [
            {"question": "Who won the match?"},
            {"question_zh": "天气"},
            {"turns": [{"user": "Sell shares"}, {"user": {"params": {}}}]},
        ],
    }
    for name, lines in rows.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return tmp_path


def form(folder: Path, **more: Any) -> SkillsEvaluation:
    files = {"labels": folder / "labels.jsonl", "queries": folder / "queries.jsonl", "others": (folder / "others.jsonl",)}
    return SkillsEvaluation(folder=folder, **(files | more))


def test_every_figure_has_a_trivial_method_beside_it(folder: Path) -> None:
    report = run_evaluation(BENCH, form(folder))

    assert (report.figures["loaded_exactly"], report.figures["loaded_exactly_yaml"]) == (1.0, 1.0)
    assert (report.figures["hit1"], report.figures["hit1_tfidf"]) == (1.0, 1.0)
    assert (report.figures["others"], report.figures["none_refused_shipped"]) == (3.0, 1.0)
    assert {"none_accuracy", "none_accuracy_tfidf", "hit1_masked", "hit1_masked_tfidf"} <= set(report.figures)
    assert list(show_report(report))


def test_a_line_that_holds_a_query_is_not_found_by_itself(folder: Path) -> None:
    library = load_skills([folder])

    fair = without_queries(library, [Query("1", "laying out columns, of a POSTER", "posters")])

    found = {skill.name: skill.body for skill in fair.skills}
    assert "columns" not in found["posters"]
    assert "Printing in A0" in found["posters"]
    assert "reference signal" in found["coverage"]


@pytest.mark.parametrize(
    ("text", "gold", "expected"),
    [
        ("Use Scikit-Learn now", "scikit-learn", "Use   now"),
        ("use scikit learn", "scikit-learn", "use  "),
        ("dasky dask", "dask", "dasky  "),
    ],
)
def test_the_name_of_the_skill_is_taken_out_of_a_masked_query(text: str, gold: str, expected: str) -> None:
    assert Query("1", text, gold).masked == expected


@pytest.mark.parametrize("text", ["{", '{"query": "x"}\n'])
def test_a_file_of_another_form_is_refused(folder: Path, text: str) -> None:
    (folder / "queries.jsonl").write_text(text)

    with pytest.raises(InvalidInput, match="queries"):
        run_evaluation(BENCH, form(folder))


def test_a_folder_without_skills_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no skill"):
        run_evaluation(BENCH, SkillsEvaluation(folder=tmp_path))


def test_the_threshold_is_between_what_fits_and_what_does_not() -> None:
    judged = cross_validated([8.0, 9.0, 7.0, 8.5, 9.5], [1.0, 2.0, 3.0, 2.5, 1.5])

    assert (judged.kept, judged.refused, judged.balanced) == (1.0, 1.0, 1.0)
    assert 3.0 < judged.threshold < 8.5
    assert best_threshold([5.0], [1.0]) == 3.0
    assert best_threshold([], [1.0]) == 0.0


def test_the_right_skill_of_other_authors_comes_first_by_words_alone(eval_data: Path) -> None:
    """Also when the question does not name the skill, and without the lines that the questions were taken from."""
    data = eval_data / "skills"
    files = {
        "labels": data / "labels.jsonl",
        "queries": data / "selection_queries.jsonl",
        "others": (eval_data / "ask" / "dialogues.jsonl",),
    }

    figures = run_evaluation(BENCH, SkillsEvaluation(folder=data, **files)).figures

    assert figures["loaded_exactly"] == 1.0
    assert figures["hit1"] >= 0.80 > figures["hit1_tfidf"]
    assert figures["hit1_masked"] >= 0.75 > figures["hit1_masked_tfidf"]
    assert figures["none_refused_shipped"] >= 0.9
