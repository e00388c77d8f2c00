"""Finding experience: by class, by the kinds of verdicts, by words and by meaning, the rankings fused; what users said of
advice before moves it up or down."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import psycopg

from contracts.base import clean_text
from contracts.tune.steps import Experience, ExperienceFound
from contracts.verdicts import TuningClass, VerdictKind
from workers.blackboard.engine import Database, Row
from workers.kinds.tune.experience.corpus import EXPERIENCE
from workers.kinds.tune.experience.feedback import Votes, count_votes
from workers.llm.embedder import Embedder
from workers.retrieval.fusion import NOTHING, Ranking, fuse
from workers.retrieval.meaning import Meaning, rank_by_meaning, understand
from workers.retrieval.tokens import tokens
from workers.retrieval.words import Totals, rank_by_words

Connection = psycopg.Connection[Row]

_MOST_WORDS = 200
"""Of a query that are looked up, the first ones: a description's first sentences say what it is about."""

_DEPTH = 50
"""Places of the rankings by words and by meaning."""

_WEIGHT_OF_MEANING = 0.5
"""Against 1 for each of the other rankings: class, kinds and words."""

_TEXT_CHARACTERS = 2_400
"""Characters of a piece in the result: eight pieces fill a prompt by about 5,000 tokens."""

_QUERY_CHARACTERS = 1_000
"""Characters of the query in the result."""


@dataclass(frozen=True)
class ExperienceQuery:
    """What a job's advice is looked for by."""

    scores: Mapping[TuningClass, float]
    """How much speaks for each class."""
    kinds: tuple[VerdictKind, ...] = ()
    """The kinds of the verdicts, the heaviest first."""
    words: str = ""
    """What is known in words: the user's description, reasons, operations."""
    language: str = "en"
    """In which the advice is given; a piece without it comes in another."""
    engine: Literal["spark", "scope"] | None = None
    """Advice for the other engine is left out; None: it is not known."""

    @property
    def tuning_class(self) -> TuningClass:
        """The class that most speaks for; `none` where nothing speaks for any."""
        return max(self.scores, key=lambda tuning_class: self.scores[tuning_class], default=TuningClass.NONE)


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
            (_WEIGHT_OF_MEANING * meaning.trust if meaning else 0.0, _by_meaning(connection, meaning, cards)),
        )
        votes = count_votes(connection, query.tuning_class)
        votes_of = {found: votes.of(found, cards[found].remedies) for found in fused}
        scores = {found: round(score * votes_of[found].factor, 6) for found, score in fused.items()}
        best = sorted(scores, key=lambda found: (-scores[found], -cards[found].priority, found))[:limit]
        rows = _read_pieces(connection, best, query.language)
    return ExperienceFound(query=_text_of(query), items=tuple(_as_found(rows[found], scores[found], votes_of[found]) for found in best))


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
    """By the words of a piece; of its languages the best counts."""
    row = connection.execute("SELECT count(*) AS texts, greatest(avg(word_count), 1)::float8 AS mean FROM experience").fetchall()[0]
    ranked = rank_by_words(connection, EXPERIENCE, tokens(text, _MOST_WORDS), Totals(row["texts"], row["mean"]), row["texts"])
    return _best_wordings(ranked, cards)


def _by_meaning(connection: Connection, meaning: Meaning | None, cards: Collection[str]) -> Ranking:
    """By the nearest of a piece's wordings."""
    return _best_wordings(rank_by_meaning(connection, EXPERIENCE.kind, meaning, 2 * _DEPTH), cards) if meaning else NOTHING


def _best_wordings(ranked: Ranking, cards: Collection[str]) -> Ranking:
    """The pieces by the best of their wordings, PACK/SLUG/LANGUAGE."""
    best: dict[str, float] = {}
    for owner, score in ranked:
        found = owner.rpartition("/")[0]
        if found in cards:
            best.setdefault(found, score)
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


def _text_of(query: ExperienceQuery) -> str:
    """The query for a reader: class, kinds, then the words, cut."""
    parts = (query.tuning_class.value, " ".join(query.kinds), " ".join(query.words.split()))
    return "; ".join(part for part in parts if part)[:_QUERY_CHARACTERS]
