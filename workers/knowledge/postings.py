"""Which tickets, or phenomena, hold a word: read once for each word and revision, and ranked in memory."""

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, LiteralString

import psycopg

from workers.blackboard.engine import Row
from workers.knowledge.tokens import lexeme

if TYPE_CHECKING:
    from numpy import float64, int32
    from numpy.typing import NDArray

Connection = psycopg.Connection[Row]

_MOST = 1_000_000
"""Holders of words that are kept: 4 MB, and about as much for their ids."""

_DIGITS = 9
"""Scores that differ less are equal: sums of the same numbers in another order."""

_HOLDERS: dict[str, LiteralString] = {
    "ticket": """
        SELECT w.number, array_agg(t.ticket_id) AS ids, array_agg(t.word_count) AS lengths
        FROM unnest(%(lexemes)s::text[]) WITH ORDINALITY AS w(lexeme, number) JOIN tickets t ON t.words @@ w.lexeme::tsquery
        GROUP BY w.number
    """,
    "phenomenon": """
        SELECT w.number, array_agg(p.phenomenon_id) AS ids, array_agg(length(p.words)) AS lengths
        FROM unnest(%(lexemes)s::text[]) WITH ORDINALITY AS w(lexeme, number) JOIN phenomena p ON p.words @@ w.lexeme::tsquery
        GROUP BY w.number
    """,
}


class _Index:
    """Words with their holders, which are numbered as they come."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self.ids: list[str] = []
        self.lengths: list[int] = []
        self.holders: dict[str, NDArray[int32]] = {}
        self.size = 0
        self._array: NDArray[float64] | None = None

    def add(self, word: str, row: Row | None) -> None:
        """Put the holders of a word in; None: it has none."""
        if word in self.holders:
            return
        import numpy as np

        places = map(self._place, row["ids"], row["lengths"]) if row else ()
        self.holders[word] = np.fromiter(places, dtype=np.int32)
        self.size += len(self.holders[word]) + 1

    def lengths_array(self) -> "NDArray[float64]":
        """Words of each holder, by its number."""
        import numpy as np

        if self._array is None or len(self._array) < len(self.lengths):
            self._array = np.array(self.lengths, dtype=np.float64)
        return self._array

    def _place(self, found: str, length: int) -> int:
        place = self.places.setdefault(found, len(self.ids))
        if place == len(self.ids):
            self.ids.append(found)
            self.lengths.append(length)
        return place


class Postings:
    """Inverted lists of the words that were asked for so far. Safe to share between threads."""

    def __init__(self, kind: Literal["ticket", "phenomenon"]) -> None:
        self._statement: LiteralString = _HOLDERS[kind]
        self._index = _Index()
        self._lock = threading.Lock()

    def rank(
        self,
        connection: Connection,
        texts: Sequence[Sequence[tuple[str, float]]],
        scale: "Callable[[NDArray[float64]], NDArray[float64]]",
        limit: int,
    ) -> list[list[tuple[str, float]]]:
        """For each text, given by its words and their weights, the `limit` best holders with their scores, ties by id. A
        score is the sum of the weights of the words held times `scale` of the holder's number of words."""
        import numpy as np

        words = list(dict.fromkeys(word for text in texts for word, _ in text))
        with self._lock:
            if self._index.size > _MOST:
                self._index = _Index()  # those who rank now go on with the old one
            index = self._index
            missing = [word for word in words if word not in index.holders]
        rows: dict[str, Row] = {}
        if missing:
            read = connection.execute(self._statement, {"lexemes": list(map(lexeme, missing))}, binary=True)
            rows = {missing[row["number"] - 1]: row for row in read}
        with self._lock:
            for word in missing:
                index.add(word, rows.get(word))
            holders = {word: index.holders[word] for word in words}
            factors = scale(index.lengths_array())
        found: list[list[tuple[str, float]]] = []
        for text in texts:
            scores = np.zeros(len(factors))
            for word, weight in text:
                scores[holders[word]] += weight
            found.append(_best(scores * factors, index.ids, limit))
        return found


def _best(scores: "NDArray[Any]", ids: Sequence[str], limit: int) -> list[tuple[str, float]]:
    import numpy as np

    places = np.flatnonzero(scores)
    if len(places) > limit:
        least = np.partition(scores[places], -limit)[-limit] - 10.0**-_DIGITS
        places = places[scores[places] >= least]
    ranked = [(ids[place], round(float(scores[place]), _DIGITS)) for place in places.tolist()]
    return sorted(ranked, key=lambda hit: (-hit[1], hit[0]))[:limit]
