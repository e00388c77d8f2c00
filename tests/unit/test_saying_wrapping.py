"""Wrapping at words by terminal cells: no line is wider than asked, and nothing is lost."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from tests.support.campaign import TIMES
from workers.saying.wrapping import wrapped

TEXTS = st.text(st.sampled_from("ab  中文，。(（`\u0301\ufe0f🙂\u200d👩🇩🇪—…→"), max_size=40)


@settings(max_examples=800 * TIMES, deadline=None)
@given(TEXTS, st.integers(4, 12))
def test_no_line_is_wider_than_asked(text: str, width: int) -> None:
    assert all(cell_len(line.plain) <= width for line in wrapped(Text(text), width))


@given(TEXTS, st.integers(4, 12))
def test_only_spaces_are_lost(text: str, width: int) -> None:
    kept = "".join(line.plain for line in wrapped(Text(text), width))

    assert kept.replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("a abcdefg中", 8, ["a", "abcdefg", "中"]),
        ("中（abcdef🙂", 8, ["中", "（abcdef", "🙂"]),
        ("one two three", 7, ["one two", "three"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
    ],
)
def test_a_word_that_fills_the_line_after_its_break_is_broken_again(text: str, width: int, lines: list[str]) -> None:
    """The last wide character of such a word made the line one cell too wide."""
    assert [line.plain for line in wrapped(Text(text), width)] == lines
