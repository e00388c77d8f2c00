"""The best holders of words, ranked in memory, are the first of all that hold any."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.tickets.postings import Postings

WEIGHTS = {"lock": 1.5, "wait": 0.25, "disk": 1.5}
HELD = st.dictionaries(st.sampled_from([f"T-{at}" for at in range(12)]), st.sets(st.sampled_from(sorted(WEIGHTS)), min_size=1))


class Rows:
    """Answers for the database: which of these hold each word."""

    def __init__(self, held: dict[str, set[str]]) -> None:
        self._held = held

    def execute(self, statement: str, parameters: dict[str, list[str]], *, binary: bool) -> list[dict[str, Any]]:
        words = [lexeme.strip("'") for lexeme in parameters["lexemes"]]
        holders = [[ticket for ticket, own in self._held.items() if word in own] for word in words]
        return [
            {"number": number, "ids": ids, "lengths": [len(self._held[ticket]) for ticket in ids]}
            for number, ids in enumerate(holders, start=1)
            if ids
        ]


@given(HELD, st.integers(1, 5))
def test_of_equal_scores_the_first_by_id_are_kept(held: dict[str, set[str]], limit: int):
    """Few words make many equal scores, and of these it may take only some."""
    postings, rows = Postings("ticket"), Rows(held)

    for words in (["lock"], ["lock", "wait", "disk"]):
        found = postings.rank(rows, [[(word, WEIGHTS[word]) for word in words]], lambda lengths: 1 / lengths, limit)[0]  # type: ignore[arg-type]

        scores = {ticket: sum(WEIGHTS[word] for word in words if word in own) / len(own) for ticket, own in held.items()}
        expected = sorted(((ticket, score) for ticket, score in scores.items() if score), key=lambda hit: (-round(hit[1], 9), hit[0]))
        assert [ticket for ticket, _ in found] == [ticket for ticket, _ in expected[:limit]]
        assert [score for _, score in found] == pytest.approx([score for _, score in expected[:limit]], abs=1e-9)
