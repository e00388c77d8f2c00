"""Ranking by words: BM25 over the words that the application made (tokens.py), counted and added up by Postgres."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, LiteralString

import psycopg
from psycopg import sql
from psycopg.rows import tuple_row

from workers.blackboard.engine import Row
from workers.retrieval.among import Among
from workers.retrieval.fusion import Ranking
from workers.retrieval.tokens import lexeme

Connection = psycopg.Connection[Row]

K1 = 1.2
B = 0.75
"""BM25's constants, as Robertson and Zaragoza (2009) give them. Each word of a text counts once."""

_MAX_WORDS = 64
_MAX_VISITS = 10_000
"""Rows that one ranking may look at: past it the commonest words of the query, which tell least, are left out."""


@dataclass(frozen=True)
class Corpus:
    """Texts of one sort, and the table that holds their words. The fields are SQL, written by the domain."""

    kind: str
    """The name of their vectors, in `embeddings.owner_kind`."""
    table: LiteralString
    key: LiteralString
    """The id of a text."""
    words: LiteralString = "words"
    """Its words, a tsvector with a GIN index."""
    length: LiteralString = "word_count"
    """How many they are."""
    counted: tuple[LiteralString, LiteralString] | None = None
    """Table with a row a word (`word`), and its column with the number of texts that hold the word. None: they are counted when
    they are asked for, which is right for a few thousand texts."""


def idf(total: int, holders: int) -> float:
    """What a word is worth that so many of all texts hold: ln(1 + (N - n + 0.5) / (n + 0.5)), as BM25 has it."""
    return log(1 + (max(total - holders, 0) + 0.5) / (holders + 0.5))


def count_holders(connection: Connection, corpus: Corpus, words: Iterable[str]) -> dict[str, int]:
    """word → texts that hold it, for those that any text holds."""
    asked = list(dict.fromkeys(words))
    if not asked:
        return {}
    if corpus.counted:
        table, column = corpus.counted
        statement = sql.SQL("SELECT word, {} FROM {} WHERE word = ANY(%(words)s)").format(sql.SQL(column), sql.SQL(table))
        return dict(_fetch(connection, statement, {"words": asked}))
    statement = sql.SQL(
        "SELECT w.number, count(*) FROM unnest(%(lexemes)s::text[]) WITH ORDINALITY AS w(lexeme, number)"
        " JOIN {} ON {} @@ w.lexeme::tsquery GROUP BY w.number"
    ).format(sql.SQL(corpus.table), sql.SQL(corpus.words))
    return {asked[number - 1]: count for number, count in _fetch(connection, statement, {"lexemes": list(map(lexeme, asked))})}


def worth_searching(counts: dict[str, int], words: Iterable[str], *, visits: int = _MAX_VISITS, most: int = _MAX_WORDS) -> list[str]:
    """Of words that some text holds the rarest: as many as `visits` texts hold together, but the rarest always."""
    known = sorted((word for word in dict.fromkeys(words) if counts.get(word)), key=lambda word: (counts[word], word))
    chosen: list[str] = []
    for word in known[:most]:
        visits -= counts[word]
        if visits < 0 and chosen:
            break
        chosen.append(word)
    return chosen


@dataclass(frozen=True)
class Totals:
    """How much a corpus holds."""

    texts: int
    mean_words: float
    """Distinct words in a text; at least 1."""


def rank_by_words(connection: Connection, corpus: Corpus, words: Sequence[str], totals: Totals, limit: int) -> Ranking:
    """The texts that hold any of the words, best first by BM25, ties by id."""
    counts = count_holders(connection, corpus, words)
    weighted = [(word, idf(totals.texts, counts[word])) for word in worth_searching(counts, words)]
    return rank_by_weights(connection, corpus, [weighted], totals.mean_words, limit)[0]


def rank_by_weights(
    connection: Connection,
    corpus: Corpus,
    asked: Sequence[Sequence[tuple[str, float]]],
    mean_words: float | None,
    limit: int,
    among: Among | None = None,
) -> list[Ranking]:
    """For each query, given by its words and their weights, the `limit` best texts. A score is the sum of the weights of the
    words held, times BM25's factor for the text's length; without `mean_words`, by the root of its length (a cosine's). `among`: only
    these texts."""
    rows = [(number, lexeme(word), weight) for number, words in enumerate(asked) for word, weight in words]
    found: list[list[tuple[str, float]]] = [[] for _ in asked]
    if not rows:
        return list(found)
    scale: LiteralString = (
        "(%(k1)s::float8 + 1) / (1 + %(k1)s::float8 * (1 - %(b)s::float8 + %(b)s::float8 * length / %(mean)s::float8))"
        if mean_words
        else "greatest(length, 1)::float8 ^ -0.5"
    )
    statement = sql.SQL(
        """
        SELECT number, id, score FROM (
            SELECT *, row_number() OVER (PARTITION BY number ORDER BY score DESC, id) AS place FROM (
                SELECT number, id, round(held * {scale} * 1e9::float8) / 1e9::float8 AS score FROM (
                    SELECT w.number, {key} AS id, {length} AS length, sum(w.weight) AS held
                    FROM unnest(%(numbers)s::int[], %(lexemes)s::text[], %(weights)s::float8[]) AS w(number, lexeme, weight)
                    JOIN {table} ON {words} @@ w.lexeme::tsquery{among} GROUP BY 1, 2, 3
                ) sums
            ) scores
        ) places WHERE place <= %(limit)s ORDER BY number, place
        """
    ).format(
        scale=sql.SQL(scale),
        key=sql.SQL(corpus.key),
        length=sql.SQL(corpus.length),
        table=sql.SQL(corpus.table),
        words=sql.SQL(corpus.words),
        among=sql.SQL(" AND " + among.condition) if among else sql.SQL(""),
    )
    numbers, lexemes, weights = zip(*rows, strict=True)
    parameters: dict[str, object] = {"numbers": list(numbers), "lexemes": list(lexemes), "weights": list(weights), "limit": limit}
    parameters |= {"k1": K1, "b": B, "mean": mean_words} if mean_words else {}
    parameters |= among.parameters if among else {}
    for number, key, score in _fetch(connection, statement, parameters):
        found[number].append((key, score))
    return list(found)


def _fetch(connection: Connection, statement: sql.Composed, parameters: dict[str, object]) -> list[tuple[Any, ...]]:
    with connection.cursor(row_factory=tuple_row) as cursor:
        return cursor.execute(statement, parameters, binary=True).fetchall()
