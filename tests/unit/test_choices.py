"""Choices of the boss's questions: stable words, and the words of each language."""

import pytest

from workers.coordinator.choices import choice_words, find_choice

CHOICES = ["redo", "keep", "plan/1"]


@pytest.mark.parametrize(
    ("answer", "choice"),
    [
        ("redo", "redo"),
        ("Redo: use the index", "redo"),
        ("重做", "redo"),
        ("重做，请使用索引", "redo"),
        ("保留。", "keep"),
        ("  keep it", "keep"),
        ("plan/1 please", "plan/1"),
        ("忽略", None),
        ("redoing", None),
        ("", None),
        ("，", None),
    ],
)
def test_an_answer_begins_with_a_choice_in_any_language(answer: str, choice: str | None) -> None:
    assert find_choice(CHOICES, answer) == choice


def test_a_stage_that_is_called_like_a_word_is_meant_by_its_name() -> None:
    assert find_choice(["保留", "keep"], "保留") == "保留"


def test_each_choice_has_a_word() -> None:
    assert choice_words().keys() == {"redo", "keep", "ignore", "continue", "stop"}
