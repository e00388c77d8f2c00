"""Spaces between spans of a Chinese text: corrected in our own spans, and no other character is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.saying.spacing import well_spaced
from workers.saying.spans import Span, SpanKind

PIECES = st.lists(st.tuples(st.text(st.sampled_from(" ab1%，（）中文年“"), min_size=1, max_size=5), st.booleans()), max_size=5)


@given(PIECES)
def test_only_spaces_change(pieces: list[tuple[str, bool]]) -> None:
    """A space at the edge of a user's text took a punctuation mark of ours with it."""
    shown = well_spaced([Span(text) for text, _ in pieces], [is_ours for _, is_ours in pieces])

    assert "".join(span.text for span in shown).replace(" ", "") == "".join(text for text, _ in pieces).replace(" ", "")


@pytest.mark.parametrize(("value", "shown"), [("a ", "任务 a （见下）"), ("a", "任务 a（见下）"), ("中", "任务中（见下）")])
def test_a_value_keeps_its_own_spaces(value: str, shown: str) -> None:
    spans = [Span("任务 "), Span(value, SpanKind.NAME), Span("（见下）")]

    assert "".join(span.text for span in well_spaced(spans, [True, False, True])) == shown
