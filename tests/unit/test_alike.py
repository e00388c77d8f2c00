"""Phenomena that may be one in other words: the nearest that do not contradict each other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from contracts.tickets import PhenomenonCard
from workers.tickets.alike import ALIKE_FROM, alike_phenomena
from workers.tickets.contradiction import contradict

TEXTS = ("The queue is full", "The queue is empty", "Latency is high", "Latency is low", "Disk reads are slow", "Error 5012", "Error 6013")


LIKE = (0.2, 0.45, 0.6001, 0.6004, 0.9, 1.2)


def card(number: int, text: str) -> PhenomenonCard:
    return PhenomenonCard(
        phenomenon_id=f"P-{number:02}", description=text, observation_method="", similarity=0.0, cause_tickets={}, cause_count=1
    )


def cards(texts: list[str]) -> list[PhenomenonCard]:
    return [card(len(texts) - place, text) for place, text in enumerate(texts)]


def with_likeness(texts: list[str]) -> st.SearchStrategy[tuple[list[str], list[float]]]:
    return st.tuples(st.just(texts), st.lists(st.sampled_from(LIKE), min_size=len(texts) ** 2, max_size=len(texts) ** 2))


@given(st.lists(st.sampled_from(TEXTS), max_size=14).flatmap(with_likeness))
def test_a_card_names_the_nearest_eight_that_it_does_not_contradict(case: tuple[list[str], list[float]]) -> None:
    texts, values = case
    given = cards(texts)
    likeness = np.array(values).reshape(len(texts), len(texts))
    likeness = np.maximum(likeness, likeness.T)

    made = alike_phenomena(given, likeness)

    for own, found in enumerate(made):
        fits = {
            other.phenomenon_id: round(min(float(likeness[own, at]), 1.0), 3)
            for at, other in enumerate(given)
            if at != own and likeness[own, at] >= ALIKE_FROM and not contradict(texts[min(own, at)], texts[max(own, at)])
        }
        assert list(found.alike.items()) == sorted(fits.items(), key=lambda pair: (-pair[1], pair[0]))[:8]
