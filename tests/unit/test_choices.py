"""Choices of the boss's questions: stable words, and the words of each language."""

import pytest

from contracts.statements import count, quote, say
from workers.coordinator.choices import choice_words, find_choice, number_beyond

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


@pytest.mark.parametrize(
    ("answer", "beyond"),
    [
        ("4", 4),
        ("4是", 4),
        ("第4个", 4),
        ("option 5", 5),
        ("0", 0),
        ("1", None),
        ("3", None),
        ("2是", None),
        ("4 days", None),
        ("the last one", None),
        ("2024", None),
        ("", None),
    ],
)
def test_a_number_behind_the_last_choice_is_told(answer: str, beyond: int | None) -> None:
    choices = [say("ask.choice", number=count(place), reading=quote(text)).to_json() for place, text in enumerate("abc", 1)]

    assert number_beyond(choices, answer) == beyond


def test_a_number_may_be_an_answer_where_a_choice_is_a_figure() -> None:
    assert number_beyond(["30 days", "7 days"], "14") is None
    assert number_beyond([], "14") is None
