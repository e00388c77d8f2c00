"""Finding experience: by class, by the kinds of verdicts, by words and by meaning, the rankings fused; what users said of
advice before moves it up or down."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from math import log, sqrt
from typing import Literal

import psycopg

from contracts.base import clean_text
from contracts.tune.steps import Experience, ExperienceFound
from contracts.verdicts import TuningClass, VerdictKind
from workers.blackboard.engine import Database, Row
from workers.kinds.tune.experience.feedback import Votes, count_votes
from workers.llm.embeddings import Embedder
from workers.retrieval.tokens import lexeme, tokens
from workers.retrieval.told import Meaning, understand
from workers.retrieval.vectors import nearest
from workers.tickets.search import NOTHING, Ranking, fuse

Connection = psycopg.Connection[Row]

_MOST_WORDS = 200
"""Of a query that are looked up, the first ones: a description's first sentences say what it is about."""

_DEPTH = 50
"""Places of the rankings by words and by meaning."""

_TEXT_CHARACTERS = 2_400
"""Of a piece, in what is found: eight of them fill a prompt by about 5,000 tokens."""

_QUERY_CHARACTERS = 1_000
"""Of the query, in what is found."""


@dataclass(frozen=True)
class ExperienceQuery:
    """What a job's advice is looked for by."""

    scores: Mapping[TuningClass, float]
    """How much speaks for each class."""
    kinds: tuple[VerdictKind, ...] = ()
    """Of the verdicts, the heaviest first."""
    words: str = ""
    """What is known in words: the user's description, reasons, operations."""
    language: str = "en"
    """In which the advice is given; a piece without it comes in another."""
    engine: Literal["spark", "scope"] | None = None
    """Advice for the other engine is left out; None: it is not known."""

    @property
    def tuning_class(self) -> TuningClass:
        """The class that most speaks for; `none` where nothing speaks for any."""
        return max(self.scores, key=lambda one: self.scores[one], default=TuningClass.NONE)


@dataclass(frozen=True)
class _Card:
    """A piece as it is ranked."""

    experience_id: str
    tuning_class: TuningClass
    kinds: frozenset[str]
    remedies: tuple[str, ...]
    priority: int


def find_experience(db: Database, embedder: Embedder | None, query: ExperienceQuery, limit: int = 8) -> ExperienceFound:
    """The pieces that fit best, at most `limit`, each in the query's language where it has one."""
    words = clean_text(query.words)
    meaning = understand(embedder, words) if words.strip() else None
    with db.session() as connection, connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cards = _read_cards(connection, query.engine)
        fused = fuse(
            (1.0, _by_class(cards.values(), query)),
            (1.0, _by_kinds(cards.values(), query.kinds)),
            (1.0, _by_words(connection, words, cards)),
            (meaning.weight if meaning else 0.0, _by_meaning(connection, meaning, cards)),
        )
        votes = count_votes(connection, query.tuning_class)
        said = {found: votes.of(found, cards[found].remedies) for found in fused}
        scores = {found: round(score * said[found].factor, 6) for found, score in fused.items()}
        best = sorted(scores, key=lambda found: (-scores[found], -cards[found].priority, found))[:limit]
        rows = _read_pieces(connection, best, query.language)
    return ExperienceFound(query=_told(query), items=tuple(_as_found(rows[found], scores[found], said[found]) for found in best))


def _read_cards(connection: Connection, engine: str | None) -> dict[str, _Card]:
    rows = connection.execute(
        """
        SELECT DISTINCT ON (experience_id) experience_id, tuning_class, kinds, remedies, priority
        FROM experience WHERE %(engine)s::text IS NULL OR %(engine)s = ANY(engines) ORDER BY experience_id, language
        """,
        {"engine": engine},
    )
    return {
        row["experience_id"]: _Card(
            row["experience_id"], TuningClass(row["tuning_class"]), frozenset(row["kinds"]), tuple(row["remedies"]), row["priority"]
        )
        for row in rows
    }


def _by_class(cards: Iterable[_Card], query: ExperienceQuery) -> Ranking:
    return _ranking((card.experience_id, query.scores.get(card.tuning_class, 0.0)) for card in cards)


def _by_kinds(cards: Iterable[_Card], kinds: tuple[VerdictKind, ...]) -> Ranking:
    """By the cosine of a piece's kinds and the query's, of which each weighs half of the one before it, or an eighth: so a piece
    about the heaviest verdict alone comes before one about many things."""
    weights = {kind.value: max(0.5**place, 0.125) for place, kind in enumerate(dict.fromkeys(kinds))}
    return _ranking((card.experience_id, sum(weights.get(kind, 0.0) for kind in card.kinds) / sqrt(len(card.kinds) or 1)) for card in cards)


def _by_words(connection: Connection, text: str, cards: Collection[str]) -> Ranking:
    """BM25 with each word counted once (k1 = 1.2, b = 0.75), as tickets are ranked; of a piece's languages the best counts."""
    words = tokens(text, _MOST_WORDS)
    rows = connection.execute(
        """
        SELECT w.word, e.experience_id, e.language, e.word_count, totals.pieces, totals.mean
        FROM unnest(%(words)s::text[]) AS w(word) JOIN experience e ON e.words @@ w.word::tsquery
        CROSS JOIN (SELECT count(*) AS pieces, greatest(avg(word_count), 1)::float8 AS mean FROM experience) totals
        """,
        {"words": [lexeme(word) for word in words]},
    ).fetchall()
    holders: dict[str, int] = {}
    for row in rows:
        holders[row["word"]] = holders.get(row["word"], 0) + 1
    scores: dict[tuple[str, str], float] = {}
    for row in rows:
        held = holders[row["word"]]
        weight = log(1 + (row["pieces"] - held + 0.5) / (held + 0.5))
        key = (row["experience_id"], row["language"])
        scores[key] = scores.get(key, 0.0) + weight * 2.2 / (1 + 1.2 * (0.25 + 0.75 * row["word_count"] / row["mean"]))
    best: dict[str, float] = {}
    for (found, _), score in scores.items():
        if found in cards:
            best[found] = max(score, best.get(found, 0.0))
    return _ranking(best.items())[:_DEPTH]


def _by_meaning(connection: Connection, meaning: Meaning | None, cards: Collection[str]) -> Ranking:
    """By the nearest of a piece's wordings."""
    if meaning is None:
        return NOTHING
    best: dict[str, float] = {}
    for owner, cosine in nearest(connection, meaning.embedder, "experience", meaning.vectors[:1], 2 * _DEPTH)[0]:
        found = owner.rpartition("/")[0]
        if found in cards:
            best.setdefault(found, cosine)
    return _ranking(best.items())[:_DEPTH]


def _ranking(scores: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Best first, ties by id; what scores nothing is not ranked."""
    return sorted(((found, score) for found, score in scores if score > 0), key=lambda hit: (-round(hit[1], 6), hit[0]))


def _read_pieces(connection: Connection, ids: list[str], language: str) -> dict[str, Row]:
    rows = connection.execute(
        """
        SELECT DISTINCT ON (experience_id) experience_id, pack, title, tuning_class, kinds, remedies, language, text
        FROM experience WHERE experience_id = ANY(%(ids)s) ORDER BY experience_id, language <> %(language)s, language
        """,
        {"ids": ids, "language": language},
    )
    return {row["experience_id"]: row for row in rows}


def _as_found(row: Row, score: float, votes: Votes) -> Experience:
    text = row["text"] if len(row["text"]) <= _TEXT_CHARACTERS else row["text"][: _TEXT_CHARACTERS - 4] + " ..."
    return Experience.model_validate({**row, "text": text, "score": score, "adopted": votes.adopted, "ignored": votes.ignored})


def _told(query: ExperienceQuery) -> str:
    """The query for a reader: class, kinds, then the words, cut."""
    parts = (query.tuning_class.value, " ".join(query.kinds), " ".join(query.words.split()))
    return "; ".join(part for part in parts if part)[:_QUERY_CHARACTERS]
