"""The overlap of words, worked out for many documents at once, is that of each pair."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.tickets.facts import TicketFacts
from workers.tickets.words import Profile, overlaps

SQUARES = {"lock": 9.0, "wait": 4.0, "disk": 6.25, "full": 2.5, "rare": 81.0, "everywhere": 1e-9}
WORDS = st.lists(st.sampled_from(sorted(SQUARES)), max_size=6, unique=True).map(tuple)


def profile(words: tuple[str, ...]) -> Profile:
    return Profile({word: SQUARES[word] for word in words}, sum(SQUARES[word] for word in words))


def document(words: tuple[str, ...]) -> TicketFacts:
    return TicketFacts("told", "", "C-1", words, sum(SQUARES[word] for word in words), (), (), (), None)


@given(st.lists(WORDS, min_size=1, max_size=4), st.lists(WORDS, max_size=8))
def test_many_documents_are_compared_as_each_one_is(texts: list[tuple[str, ...]], held: list[tuple[str, ...]]):
    found = overlaps([profile(words) for words in texts], [document(words) for words in held])

    assert found.shape == (len(held), len(texts))
    for row, theirs in enumerate(held):
        for column, mine in enumerate(texts):
            shared = sum(SQUARES[word] for word in theirs if word in mine)
            expected = sqrt(min(shared / sqrt(profile(mine).whole * document(theirs).whole), 1.0)) if shared else 0.0
            assert found[row, column] == pytest.approx(expected, abs=1e-12)


@given(WORDS.filter(bool), st.lists(WORDS, max_size=5))
def test_a_document_is_as_like_in_whatever_company(mine: tuple[str, ...], others: list[tuple[str, ...]]):
    alone = overlaps([profile(mine)], [document(mine)])[0, 0]

    among = overlaps([profile(mine), *map(profile, others)], [*map(document, others), document(mine)])[-1, 0]

    assert alone == among == pytest.approx(1.0)
