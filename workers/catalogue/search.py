"""Searching the catalogue: by what things mean, by their words, and from what was found along edges to the tables behind it.

A table's score is the mean of two cosines (its name; its columns), which one vector holds. The words of its name and the values of its
columns add a little. The weights are those of `docs/evaluation.md`; around them the figures hardly change.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import psycopg

from contracts.base import Json
from contracts.catalogue import EdgeKind, NodeKind
from workers.blackboard.engine import Row
from workers.catalogue.access import Access
from workers.catalogue.corpora import NODES, TABLES, TEXTS
from workers.catalogue.nodes import OWN
from workers.catalogue.reading import visible_queries
from workers.retrieval.among import Among
from workers.retrieval.meaning import Meaning
from workers.retrieval.tokens import tokens
from workers.retrieval.vectors import compare, nearest
from workers.retrieval.words import count_holders, idf, rank_by_weights, worth_searching

Connection = psycopg.Connection[Row]

_NEAR = 60
"""Nearest of each kind of vector, and best by words, that are looked at."""

_WITH_COLUMNS = 10
"""Tables whose columns are looked at."""

_VISITS = 4_000
"""Nodes that the words of a question may be looked up in; past it the commonest words are left out."""

_COUNTED = 20_000
"""Nodes up to which they are counted; it takes a millisecond or two."""

_TOO_COMMON = 1_000
"""Nodes that hold a word from which it is not looked up where a model ranks: a value that so many columns have leads nowhere."""

NAME = 0.05
"""What a table gains whose whole name is in the question."""

VALUES = 0.1
"""What a table gains by the values of a column that the question names, if they are all that it says."""

WORDS = 0.2
"""What a document, term, metric or query gains that holds all words of the question. A rare word says more of a text than a model does;
tables gain nothing by it, since the names of their columns are too much alike."""

UNEMBEDDED = 0.5
"""What the words of a node count whose vector is not made yet."""

ALONG = 0.08
"""What a table gains from a term, metric, tag or known query that has to do with it, times the score of that."""

_CARRIES = (EdgeKind.SYNONYM, EdgeKind.MEASURES, EdgeKind.ANSWERS, EdgeKind.TAGGED, EdgeKind.REFERENCES)
_TEXT_KINDS = frozenset({NodeKind.QUERY, NodeKind.DOCUMENT, NodeKind.METRIC, NodeKind.TERM})


@dataclass
class Hit:
    """A node that was found."""

    id: str
    kind: NodeKind
    source: str
    key: str
    parent: str | None
    content: Json
    score: float = 0.0
    share: float = 0.0
    """Part of the question's words that it has, by their worth."""


@dataclass
class Question:
    """What is searched for."""

    text: str
    meaning: Meaning | None
    words: tuple[str, ...] = ()
    weights: dict[str, float] = field(default_factory=dict[str, float])
    """Worth of each word; what no node holds is worth as much as the rarest that is held."""

    @property
    def whole(self) -> float:
        """Worth of all words together."""
        return sum(self.weights.values()) or 1.0

    def share(self, words: Iterable[str]) -> float:
        """Part of the question's worth that these words have."""
        return sum(self.weights.get(word, 0.0) for word in frozenset(words)) / self.whole


def restrict(source: str | None, access: Access) -> Among:
    """The nodes that a search of this owner looks at. Policies within a source are looked at when the candidates are read."""
    if source is not None:
        return Among("catalogue_nodes", "node_id", "gone_at IS NULL AND source IN (%(source)s, '')", {"source": source})
    if access.closed:
        return Among("catalogue_nodes", "node_id", "gone_at IS NULL AND source <> ALL(%(closed)s)", {"closed": sorted(access.closed)})
    return Among("catalogue_nodes", "node_id", "gone_at IS NULL", {})


def _among_words(source: str | None, access: Access) -> Among | None:
    """The same of the nodes that have words; those that are gone have none."""
    if source is not None:
        return Among(NODES.table, NODES.key, "source IN (%(source)s, '')", {"source": source})
    if access.closed:
        return Among(NODES.table, NODES.key, "source <> ALL(%(closed)s)", {"closed": sorted(access.closed)})
    return None


def find(
    connection: Connection, access: Access, text: str, meaning: Meaning | None, source: str | None, kinds: Collection[NodeKind]
) -> list[Hit]:
    """What bears on a question, best first. In the caller's transaction."""
    question = _weigh(connection, text, meaning)
    among = restrict(source, access)
    by_words = _by_words(connection, question, _among_words(source, access))
    cosines = _cosines(connection, question, among if source is not None or access.closed else None, kinds, list(by_words))
    hits = _read(connection, access, [*cosines, *by_words], own=source == OWN)
    _score(hits.values(), question, cosines, by_words)
    tables = NodeKind.TABLE in kinds or NodeKind.COLUMN in kinds
    if tables:
        _walk(connection, access, hits, question, cosines, by_words)
    if NodeKind.COLUMN in kinds:
        _add_columns(connection, access, hits, question)
    return sorted((hit for hit in hits.values() if hit.kind in kinds and hit.score > 0), key=lambda hit: (-hit.score, hit.source, hit.key))


def _weigh(connection: Connection, text: str, meaning: Meaning | None) -> Question:
    words = tuple(tokens(text, 200))
    counts = count_holders(connection, NODES, words)
    total = max(_nodes_with_words(connection), *counts.values(), 10) if counts else 10
    weights = {word: idf(total, counts.get(word, 1)) for word in words}
    searched = worth_searching(counts, words, visits=_VISITS)
    if meaning is not None:
        searched = [word for word in searched if counts[word] <= _TOO_COMMON]
    return Question(text, meaning, tuple(searched), weights)


def _nodes_with_words(connection: Connection) -> int:
    """How many nodes have words: counted, so that scores do not hang on when the server last looked; of many the server's estimate, to
    whose error a logarithm is blind."""
    (row,) = connection.execute(
        "SELECT (SELECT count(*) FROM (SELECT FROM catalogue_node_words LIMIT %(most)s) AS first) AS counted,"
        " reltuples::bigint AS estimated FROM pg_class WHERE oid = 'catalogue_node_words'::regclass",
        {"most": _COUNTED},
    ).fetchall()
    return int(row["counted"] if row["counted"] < _COUNTED else max(row["counted"], row["estimated"]))


def _by_words(connection: Connection, question: Question, among: Among | None) -> dict[str, float]:
    """Id → part of the question's worth that a node's words have."""
    asked = [(word, question.weights[word]) for word in question.words]
    ranking = rank_by_weights(connection, NODES, [asked], 30.0, _NEAR, among)[0]
    return {found: score / (2.2 * question.whole) for found, score in ranking}  # 2.2: the most that a word's weight is multiplied by


def _cosines(
    connection: Connection, question: Question, among: Among | None, kinds: Collection[NodeKind], others: Sequence[str]
) -> dict[str, float]:
    """Id → how near a node is to the question in meaning."""
    if question.meaning is None:
        return {}
    model, vector = question.meaning.model, question.meaning.vectors[0]
    found: dict[str, float] = {}
    of_tables = NodeKind.TABLE in kinds or NodeKind.COLUMN in kinds
    if of_tables:
        ids = {found for found, _ in nearest(connection, model, TABLES, [vector], _NEAR, among)[0]} | set(others)
        found |= compare(connection, model, TABLES, vector, sorted(ids))
    if _TEXT_KINDS.intersection(kinds):
        found |= dict(nearest(connection, model, TEXTS, [vector], _NEAR, among, again=of_tables)[0])
        found |= compare(connection, model, TEXTS, vector, [key for key in others if key not in found])
    return found


def _read(connection: Connection, access: Access, ids: Collection[str], *, own: bool = False) -> dict[str, Hit]:
    """Nodes by their ids, those that the owner sees. `own`: Bullpen's own documents; any other search finds none of them."""
    if not ids:
        return {}
    rows = connection.execute(
        """
        SELECT n.node_id, n.kind, n.source, n.key, n.parent, n.content, t.key AS table_key,
               CASE WHEN %(bound)s THEN t.content END AS table_content
        FROM catalogue_nodes n LEFT JOIN catalogue_nodes t ON t.node_id = n.parent
        WHERE n.node_id = ANY(%(ids)s) AND n.gone_at IS NULL AND (n.parent IS NULL OR t.gone_at IS NULL)
        """,
        {"ids": list(ids), "bound": bool(access.sources)},
    ).fetchall()
    queries = {row["node_id"] for row in visible_queries(connection, access, [row for row in rows if row["kind"] == NodeKind.QUERY])}
    meant = [row for row in rows if (row["source"] == OWN) is own]
    return {row["node_id"]: hit for row in meant if (hit := _visible(access, row, queries)) is not None}


def _visible(access: Access, row: Row, queries: Collection[str]) -> Hit | None:
    kind, content = NodeKind(row["kind"]), row["content"]
    if not access.sees(row["source"]) or (kind is NodeKind.QUERY and row["node_id"] not in queries):
        return None
    if kind is NodeKind.TABLE:
        content = access.visible_table(row["source"], row["key"], content)
    elif row["parent"] is not None and (bound := access.of(row["source"])) is not None:
        table: str = row["table_key"] or ""
        about: Json = row["table_content"] or {}
        sampled = kind is NodeKind.VALUE_DOMAIN and bound.rows_hidden(table, about)
        if bound.denied(table, about) or content.get("name", "").lower() in bound.hidden(table, about) or sampled:
            return None
    if content is None:
        return None
    return Hit(row["node_id"], kind, row["source"], row["key"], row["parent"], content)


def _score(hits: Iterable[Hit], question: Question, cosines: Mapping[str, float], by_words: Mapping[str, float]) -> None:
    for hit in hits:
        held = by_words.get(hit.id, 0.0)
        named = _name_share(hit.content.get("name", ""), question)
        hit.share = min(1.0, (held + NAME * named) / (1 + NAME))
        if question.meaning is None:
            base = held
        elif hit.id not in cosines:
            base = held * UNEMBEDDED
        else:
            base = max(0.0, cosines[hit.id]) + (WORDS * held if hit.kind in _TEXT_KINDS else 0.0)
        if hit.kind is NodeKind.VALUE_DOMAIN:
            hit.score = min(1.0, _best_value(hit.content.get("values", ()), question))
        elif hit.kind is NodeKind.TAG:
            hit.score = min(1.0, by_words.get(hit.id, 0.0))
        else:
            hit.score = min(1.0, (base + NAME * named) / (1 + NAME))


def _name_share(name: str, question: Question) -> float:
    """Part of a name's words that the question has, by their worth."""
    words = _words_of_name(name)
    held = [word for word in words if word in question.weights]
    return len(held) / len(words) if words else 0.0


def _may_have(name: str, question: Question) -> bool:
    """Whether a name can have a word of the question: far cheaper than its words, and it leaves out most names. A word of a name
    may have lost its plural, and with it the last letter."""
    if not name.isascii():
        return True
    lowered = name.lower()
    return any(word[:-1] in lowered for word in question.weights)


@lru_cache(50_000)
def _words_of_name(name: str) -> tuple[str, ...]:
    words = tokens(name, 50)
    return tuple(word for word in words if "_" not in word) or tuple(words)


@lru_cache(50_000)
def _words_of_value(value: str) -> tuple[str, ...]:
    return tuple(tokens(value, 20))


def _best_value(values: Sequence[str], question: Question) -> float:
    """Part of the question that the values of a domain say, if it holds one of them whole."""
    best = 0.0
    for value in values:
        words = _words_of_value(value)
        if words and all(word in question.weights for word in words):
            best = max(best, question.share(words))
    return best


def _walk(
    connection: Connection, access: Access, hits: dict[str, Hit], question: Question, cosines: Mapping[str, float],
    by_words: Mapping[str, float],
) -> None:  # fmt: skip
    """Let tables gain from the values, terms, metrics, tags and queries that were found and have to do with them."""
    gains: defaultdict[str, float] = defaultdict(float)
    for hit in hits.values():
        if hit.kind is NodeKind.VALUE_DOMAIN and hit.parent:
            gains[hit.parent] = max(gains[hit.parent], VALUES * hit.score)
    carriers = {hit.id: hit.score for hit in hits.values() if hit.kind in (NodeKind.TERM, NodeKind.METRIC, NodeKind.QUERY, NodeKind.TAG)}
    best = sorted(carriers, key=lambda found: -carriers[found])[: _NEAR // 3]
    rows = connection.execute(
        """
        SELECT e.from_id, e.to_id, n.kind, n.parent FROM catalogue_edges e JOIN catalogue_nodes n ON n.node_id = e.to_id
        WHERE e.from_id = ANY(%(ids)s) AND e.kind = ANY(%(kinds)s) AND n.gone_at IS NULL
        UNION ALL
        SELECT e.to_id, e.from_id, 'table', NULL FROM catalogue_edges e WHERE e.to_id = ANY(%(ids)s) AND e.kind = 'tagged'
        """,
        {"ids": best, "kinds": [kind.value for kind in _CARRIES]},
    ).fetchall() if best else []  # fmt: skip
    along: defaultdict[str, float] = defaultdict(float)
    for row in rows:
        table = row["to_id"] if row["kind"] == NodeKind.TABLE else row["parent"]
        if table:
            along[table] = max(along[table], ALONG * carriers[row["from_id"]])
    for table, gain in along.items():
        gains[table] += gain
    missing = [table for table in gains if table not in hits]
    for found, hit in _read(connection, access, missing).items():
        hits[found] = hit
    if question.meaning is not None and missing:
        model, vector = question.meaning.model, question.meaning.vectors[0]
        cosines = {**cosines, **compare(connection, model, TABLES, vector, missing)}
    _score((hits[found] for found in missing if found in hits), question, cosines, by_words)
    for table, gain in gains.items():
        if table in hits:
            hits[table].score = min(1.0, hits[table].score + gain)


def _add_columns(connection: Connection, access: Access, hits: dict[str, Hit], question: Question) -> None:
    """The columns of the best tables whose names the question has."""
    tables = sorted((hit for hit in hits.values() if hit.kind is NodeKind.TABLE), key=lambda hit: -hit.score)[:_WITH_COLUMNS]
    names = connection.execute(
        "SELECT node_id, content ->> 'name' AS name FROM catalogue_nodes WHERE parent = ANY(%(ids)s) AND kind = 'column' "
        "AND gone_at IS NULL",
        {"ids": [hit.id for hit in tables]},
    ).fetchall()
    named = [row["node_id"] for row in names if _may_have(row["name"], question) and _name_share(row["name"], question) >= 0.5]
    rows = connection.execute(
        "SELECT node_id, source, key, parent, content FROM catalogue_nodes WHERE node_id = ANY(%(ids)s)", {"ids": named}
    ).fetchall() if named else []  # fmt: skip
    for row in rows:
        table, content = hits[row["parent"]], row["content"]
        bound = access.of(row["source"])
        if bound and content["name"].lower() in bound.hidden(table.key, table.content):
            continue
        hit = Hit(row["node_id"], NodeKind.COLUMN, row["source"], row["key"], row["parent"], content)
        hit.score = table.score * (0.8 + 0.2 * _name_share(content["name"], question))
        hits[hit.id] = hit
