"""Which tickets, or phenomena, hold a word: read once for each word and revision, and ranked in memory."""

import threading
from collections.abc import Callable, Iterator, Sequence
from heapq import nsmallest
from typing import TYPE_CHECKING, Any, Literal, LiteralString

import psycopg

from workers.blackboard.engine import Row
from workers.retrieval.tokens import lexeme

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
        import numpy as np

        self.places: dict[str, int] = {}
        self.ids: list[str] = []
        self.lengths: list[int] = []
        self.holders: dict[str, NDArray[int32]] = {}
        self.size = 0
        self._array: NDArray[float64] = np.empty(0)

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

        if len(self._array) < len(self.lengths):
            new = np.array(self.lengths[len(self._array) :], dtype=np.float64)
            self._array = np.concatenate([self._array, new])
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

    @property
    def has_room(self) -> bool:
        """Whether there is room for many more."""
        return self._index.size < _MOST // 2

    def read(self, connection: Connection, words: Sequence[str]) -> _Index:
        """An index that has the holders of all these words."""
        with self._lock:
            if self._index.size > _MOST:
                self._index = _Index()  # those who rank now go on with the old one
            index = self._index
            missing = [word for word in words if word not in index.holders]
        if missing:
            read = connection.execute(self._statement, {"lexemes": list(map(lexeme, missing))}, binary=True)
            rows: dict[str, Row] = {missing[row["number"] - 1]: row for row in read}
            with self._lock:
                for word in missing:
                    index.add(word, rows.get(word))
        return index

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
        index = self.read(connection, words)
        with self._lock:
            holders = {word: index.holders[word] for word in words}
            lengths = index.lengths_array()
        found: list[list[tuple[str, float]]] = []
        for text in texts:
            scores = np.zeros(len(lengths))
            for word, weight in text:
                scores[holders[word]] += weight
            places = np.flatnonzero(scores)
            found.append(_best(scores[places] * scale(lengths[places]), places, index.ids, limit))
        return found


def _best(scores: "NDArray[float64]", places: "NDArray[Any]", ids: Sequence[str], limit: int) -> list[tuple[str, float]]:
    """Of many equal scores, which short texts have, only the first by id are put in order."""
    import numpy as np

    scores = np.round(scores, _DIGITS)
    if len(scores) <= limit:
        return sorted(_named(scores, places, ids), key=lambda hit: (-hit[1], hit[0]))
    least = np.partition(scores, -limit)[-limit]
    above, equal = scores > least, scores == least
    first = sorted(_named(scores[above], places[above], ids), key=lambda hit: (-hit[1], hit[0]))
    return first + nsmallest(limit - len(first), _named(scores[equal], places[equal], ids))


def _named(scores: "NDArray[float64]", places: "NDArray[Any]", ids: Sequence[str]) -> Iterator[tuple[str, float]]:
    numbers: list[int] = places.tolist()
    values: list[float] = scores.tolist()
    return zip([ids[number] for number in numbers], values, strict=True)
