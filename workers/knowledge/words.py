"""What a word is worth: rare words tell tickets apart. Weights, ranking by words, and the overlap of two texts."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import log, sqrt

import psycopg

from workers.blackboard.engine import Row
from workers.knowledge.tokens import lexeme

Connection = psycopg.Connection[Row]

_QUANTITY = re.compile(r"\d{1,3}(\.\d+)?")
"""Longer numbers may be error codes, which say much."""

_MAX_WORDS = 64
_MAX_VISITS = 10_000
"""Rows that one ranking may look at: past it the commonest words of the query, which tell least, are left out."""

_MAX_VISITS_FOR_CANDIDATES = 6_000
_MAX_WORDS_FOR_CANDIDATES = 12


@dataclass(frozen=True)
class History:
    """How much there is."""

    tickets: int
    causes: int
    mean_words: float
    """Distinct words in a ticket's symptoms."""


@dataclass(frozen=True)
class Profile:
    """A text by its words."""

    squares: dict[str, float]
    """word → squared weight"""
    whole: float
    """Their sum."""


class WordWeights:
    """Inverse document frequencies of words, asked of the database once each."""

    def __init__(self, connection: Connection, history: History) -> None:
        self._connection = connection
        self._tickets = history.tickets
        self._counts: dict[str, int] = {}
        self._squares: dict[str, float] = {}

    def learn(self, words: Iterable[str]) -> None:
        """Look these words up, all in one statement. A word that no ticket holds counts 0."""
        new = [word for word in dict.fromkeys(words) if word not in self._counts]
        if not new:
            return
        counts = dict.fromkeys(new, 0)
        rows = self._connection.execute("SELECT word, ticket_count FROM symptom_words WHERE word = ANY(%(words)s)", {"words": new})
        counts.update({row["word"]: row["ticket_count"] for row in rows})
        self._counts.update(counts)
        self._squares.update({word: self[word] ** 2 for word in new})

    def __getitem__(self, word: str) -> float:
        """ln(1 + (N - n + 0.5) / (n + 0.5)), as BM25 has it (Robertson and Zaragoza 2009), N tickets, n with the word.
        Half of that for a quantity: "above 95 %" and "above 90 %" are one symptom, and a number is rare by accident."""
        count = self._counts[word]
        weight = log(1 + (max(self._tickets - count, 0) + 0.5) / (count + 0.5))
        return weight / 2 if _QUANTITY.fullmatch(word) else weight

    def worth_searching(self, words: Iterable[str], *, visits: int = _MAX_VISITS, at_most: int = _MAX_WORDS) -> list[str]:
        """Of words that some ticket holds the rarest: as many as stand in so many tickets together, but the rarest always."""
        known = sorted((word for word in dict.fromkeys(words) if self._counts[word]), key=lambda word: (self._counts[word], word))
        chosen: list[str] = []
        for word in known[:at_most]:
            visits -= self._counts[word]
            if visits < 0 and chosen:
                break
            chosen.append(word)
        return chosen

    def profile(self, words: Iterable[str]) -> Profile:
        """A text, as `overlaps` compares it."""
        squares = {word: self._squares[word] for word in words}
        return Profile(squares, sum(squares.values()))

    def overlaps(self, profiles: Iterable[Profile], document: Collection[str]) -> list[float]:
        """How alike each text is to a document by their words, from 0 to 1: the root of the cosine of squared weights.

        The root brings it to the scale of an embedding's cosine: over pairs of different phenomena, the 99th percentile
        is 0.44 by words and 0.46 by WordLlama; the 99.9th 0.65 and 0.69.
        """
        whole = sum(self._squares[word] for word in document)
        scores: list[float] = []
        for profile in profiles:
            shared = sum(profile.squares[word] for word in document if word in profile.squares)
            scores.append(sqrt(min(shared / sqrt(profile.whole * whole), 1.0)) if shared else 0.0)
        return scores


def read_history(connection: Connection) -> History:
    """Counts of the whole history."""
    rows = connection.execute(
        """
        SELECT count(*) AS tickets, coalesce(avg(word_count), 1)::float8 AS mean_words, (SELECT count(*) FROM causes) AS causes
        FROM tickets
        """
    ).fetchall()
    return History(tickets=rows[0]["tickets"], causes=rows[0]["causes"], mean_words=max(rows[0]["mean_words"], 1.0))


def rank_tickets(
    connection: Connection, history: History, weights: WordWeights, words: Iterable[str], limit: int
) -> list[tuple[str, float]]:
    """Tickets that hold any of the words, best first: BM25 with each word counted once (k1 = 1.2, b = 0.75)."""
    chosen = weights.worth_searching(words)
    if not chosen:
        return []
    rows = connection.execute(
        """
        SELECT t.ticket_id, sum(w.weight) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * t.word_count / %(mean)s::float8)) AS score
        FROM unnest(%(lexemes)s::text[], %(weights)s::float8[]) AS w(lexeme, weight)
        JOIN tickets t ON t.words @@ w.lexeme::tsquery
        GROUP BY t.ticket_id ORDER BY score DESC, t.ticket_id LIMIT %(limit)s
        """,
        {
            "lexemes": [lexeme(word) for word in chosen],
            "weights": [weights[word] for word in chosen],
            "mean": history.mean_words,
            "limit": limit,
        },
    )
    return [(row["ticket_id"], row["score"]) for row in rows]


def rank_phenomena(connection: Connection, weights: WordWeights, texts: Sequence[Iterable[str]], limit: int) -> list[list[str]]:
    """For each text (as its words) the phenomena that share most with it, best first: candidates for `overlap`."""
    found: list[list[str]] = [[] for _ in texts]
    visits = _MAX_VISITS_FOR_CANDIDATES // max(len(texts), 1)
    chosen = [
        (number, word)
        for number, words in enumerate(texts)
        for word in weights.worth_searching(words, visits=visits, at_most=_MAX_WORDS_FOR_CANDIDATES)
    ]
    if not chosen:
        return found
    rows = connection.execute(
        """
        SELECT asked.number, near.phenomenon_id
        FROM (SELECT DISTINCT unnest(%(numbers)s::int[]) AS number) asked CROSS JOIN LATERAL (
            SELECT p.phenomenon_id, sum(w.weight / sqrt(greatest(length(p.words), 1))) AS score
            FROM unnest(%(numbers)s::int[], %(lexemes)s::text[], %(weights)s::float8[]) AS w(number, lexeme, weight)
            JOIN phenomena p ON p.words @@ w.lexeme::tsquery
            WHERE w.number = asked.number
            GROUP BY p.phenomenon_id ORDER BY score DESC, p.phenomenon_id LIMIT %(limit)s
        ) near ORDER BY asked.number, near.score DESC, near.phenomenon_id
        """,
        {
            "numbers": [number for number, _ in chosen],
            "lexemes": [lexeme(word) for _, word in chosen],
            "weights": [weights[word] ** 2 for _, word in chosen],
            "limit": limit,
        },
    )
    for row in rows:
        found[int(row["number"])].append(row["phenomenon_id"])
    return found
