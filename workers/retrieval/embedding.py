"""Vectors for texts that have none: made outside of any transaction, in small batches, each stored as soon as it is made.

A text is found by its words as soon as it is stored. A model is searched by only once all texts of a kind have had its
vector (`embedding_models.ready`); until then the vectors of an older model are used, or the words alone.
"""

import time
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import LiteralString

import psycopg
from psycopg import sql

from workers.blackboard.engine import Database, Row
from workers.llm.embedder import Embedder, Role
from workers.llm.embeddings import load_local
from workers.retrieval.vectors import forget_other_dims, index_if_many, leave_out_known, require_dim, store_vectors

Connection = psycopg.Connection[Row]

_FIRST_BATCH = 32
_LAST_BATCH = 2_000
_BATCH_S = 1.0
"""A batch is doubled while it takes less: so it is small for a slow model and large for a fast one."""

_BACKGROUND_BATCH = 4
"""Texts of a batch in the background, at first: some tenths of a second of the slowest local model, after which others may have the core.
It is doubled while a batch takes next to nothing, because the vectors of its texts came with the release."""
_BACKGROUND_S = 0.5
"""Seconds after which no further batch is begun before others have had their turn."""
_NEXT_TO_NOTHING_S = 0.1

_MANY_MISSING = 0.1
"""Share of texts without a vector from which searches leave a model alone: the few that have one would seem nearest to anything."""


@dataclass(frozen=True)
class TextSource:
    """Where the texts of one kind are. The fields are SQL, written by the domain."""

    kind: str
    """`embeddings.owner_kind`."""
    table: LiteralString
    key: LiteralString
    text: LiteralString
    role: Role
    take_turns: Callable[[Connection], None]
    """Takes the lock that writers of these texts hold until their transaction ends."""
    exact_up_to: int | None = None
    """Vectors that are compared one by one; more get an index. None: as many as `vectors.EXACT_UP_TO`."""


def embed_missing(
    db: Database,
    embedder: Embedder,
    sources: Sequence[TextSource],
    *,
    at_most_s: float | None = None,
    progress: Callable[[int], None] = lambda made: None,
) -> int:
    """Give a vector of this model to every text that has none; the number of vectors made. `at_most_s`: begin no batch after so
    many seconds. Raises what `embed` does; what was made until then is kept."""
    made, batch = 0, _FIRST_BATCH
    begun = time.monotonic()
    for source in sources:
        while at_most_s is None or time.monotonic() - begun < at_most_s:
            started = time.monotonic()
            done = embed_batch(db, embedder, source, batch)
            if not done:
                break
            made += done
            progress(made)
            if time.monotonic() - started < _BATCH_S / 2:
                batch = min(2 * batch, _LAST_BATCH)
    with db.session() as connection:
        settle(connection, embedder, sources)
    return made


def embed_batch(db: Database, embedder: Embedder, source: TextSource, limit: int) -> int:
    """Give vectors to at most `limit` texts that have none; how many it looked at, 0 when none is left."""
    with db.session() as connection:
        rows = connection.execute(_missing(source), {"kind": source.kind, "model": embedder.model, "limit": limit}).fetchall()
    texts: dict[str, str] = {row["id"]: row["text"] for row in rows}
    if texts:
        _store_unless_changed(db, embedder, source, texts)
    return len(texts)


def embed_next(db: Database, embedder: Embedder, sources: Sequence[TextSource], *, lock: int) -> bool:
    """Make the next vectors that these texts lack, for half a second or so; False: they lack none any more, or another process is at it.
    `lock`: the number of the advisory lock by which processes take turns."""
    with db.session() as connection:
        if not worth_a_look(connection, embedder.model, sources):
            return False
        with turn(connection, lock) as is_mine:
            if not is_mine:
                return False
            if _embed_for_a_while(db, embedder, sources):
                return True
            settle(connection, embedder, sources)
            return False


def _embed_for_a_while(db: Database, embedder: Embedder, sources: Sequence[TextSource]) -> bool:
    """Whether there may be more to do."""
    began, batch = time.monotonic(), _BACKGROUND_BATCH
    while True:
        started = time.monotonic()
        if not any(embed_batch(db, embedder, source, batch) for source in sources):
            return False
        if time.monotonic() - began >= _BACKGROUND_S:
            return True
        if time.monotonic() - started < _NEXT_TO_NOTHING_S:
            batch = min(2 * batch, _LAST_BATCH)


@contextmanager
def turn(connection: Connection, lock: int) -> Generator[bool]:
    """Whether it is this process' turn to make some vectors; if so, no other process has it until the block ends."""
    if not connection.execute("SELECT pg_try_advisory_lock(%(lock)s) AS mine", {"lock": lock}).fetchall()[0]["mine"]:
        yield False
        return
    try:
        yield True
    finally:
        connection.execute("SELECT pg_advisory_unlock(%(lock)s)", {"lock": lock})


def count_waiting(db: Database, embedder: Embedder, sources: Sequence[TextSource]) -> int:
    """Texts that have no vector of this model yet."""
    with db.session() as connection:
        return sum(count_missing(connection, embedder.model, source)[0] for source in sources)


def embed_again(db: Database, embedder: Embedder, source: TextSource, progress: Callable[[int], None]) -> tuple[int, int]:
    """Make every vector of this model again and store those that were missing or differ; vectors of other models stay, and those of
    this model with another dimension go. How many were made and how many were stored; `progress` is called with the first."""
    with db.session() as connection:
        forget_other_dims(connection, embedder.model, source.kind, embedder.dim)
    after, done, stored, batch = "", 0, 0, _FIRST_BATCH
    while True:
        started = time.monotonic()
        with db.session() as connection:
            rows = connection.execute(_all(source), {"after": after, "limit": batch}).fetchall()
        if not rows:
            return done, stored
        stored += _store_unless_changed(db, embedder, source, {row["id"]: row["text"] for row in rows})
        after = rows[-1]["id"]
        done += len(rows)
        progress(done)
        if time.monotonic() - started < _BATCH_S / 2:
            batch = min(2 * batch, _LAST_BATCH)


def count_missing(connection: Connection, model: str, source: TextSource) -> tuple[int, int]:
    """How many texts have no vector of this model, and how many texts there are."""
    statement = sql.SQL(
        """
        SELECT count(*) AS texts,
               (SELECT count(*) FROM embeddings e WHERE e.owner_kind = %(kind)s AND e.model = %(model)s) AS vectors
        FROM {}
        """
    ).format(sql.SQL(source.table))
    row = connection.execute(statement, {"kind": source.kind, "model": model}).fetchall()[0]
    return max(row["texts"] - row["vectors"], 0), row["texts"]


def worth_a_look(connection: Connection, model: str, sources: Sequence[TextSource]) -> bool:
    """Whether any text has no vector of this model, or its vectors are complete and not yet searched."""
    rows = connection.execute("SELECT owner_kind FROM embedding_models WHERE ready AND model = %(model)s", {"model": model})
    ready = {row["owner_kind"] for row in rows}
    counts = {source.kind: count_missing(connection, model, source) for source in sources}
    return any(missing or (texts and kind not in ready) for kind, (missing, texts) in counts.items())


def settle(connection: Connection, embedder: Embedder, sources: Sequence[TextSource]) -> None:
    """Write down whether searches may go by this model: once every text has its vector, and until many have none."""
    for source in sources:
        with connection.transaction():
            missing, texts = count_missing(connection, embedder.model, source)
            if missing and missing <= _MANY_MISSING * texts:
                continue
            changed = connection.execute(
                """
                INSERT INTO embedding_models AS m (owner_kind, model, ready) VALUES (%(kind)s, %(model)s, %(ready)s)
                ON CONFLICT (owner_kind, model) DO UPDATE SET ready = EXCLUDED.ready WHERE m.ready <> EXCLUDED.ready
                """,
                {"kind": source.kind, "model": embedder.model, "ready": not missing},
            ).rowcount
            if changed and not missing:
                connection.execute("ANALYZE embeddings")  # many are new, and plans depend on how many there are
            if not missing:
                index_if_many(connection, embedder.model, source.kind, source.exact_up_to)


def searchable(db: Database, embedder: Embedder | None, kinds: Collection[str]) -> Embedder | None:
    """The embedder to search these kinds by: the given one if its vectors are complete, else another model of this machine whose
    vectors are; None: by words alone."""
    if embedder is None:
        return None
    rows = db.statement(
        """
        SELECT model FROM embedding_models WHERE ready AND owner_kind = ANY(%(kinds)s)
        GROUP BY model HAVING count(*) = %(count)s ORDER BY model
        """,
        {"kinds": list(kinds), "count": len(kinds)},
    )
    models = [row["model"] for row in rows]
    if embedder.model in models:
        return embedder
    return next((found for model in models if (found := _kept_local(model))), None)


@lru_cache(4)
def _kept_local(model: str) -> Embedder | None:
    return load_local(model)


def _store_unless_changed(db: Database, embedder: Embedder, source: TextSource, texts: dict[str, str]) -> int:
    """Store what differs from the vectors that are there; how many did. A text that was changed or removed while its vector was made
    is left for the next time."""
    vectors = dict(zip(texts, embedder.embed(list(texts.values()), source.role), strict=True))
    with db.session() as connection, connection.transaction():
        source.take_turns(connection)
        require_dim(connection, embedder.model, source.kind, next(iter(vectors.values())))
        rows = connection.execute(_by_ids(source), {"ids": list(texts)}).fetchall()
        same = {row["id"]: vectors[row["id"]] for row in rows if row["text"] == texts[row["id"]]}
        new = leave_out_known(connection, embedder.model, source.kind, same)
        store_vectors(connection, embedder.model, source.kind, new)
    return len(new)


def _missing(source: TextSource) -> sql.Composed:
    return sql.SQL(
        """
        SELECT {key} AS id, {text} AS text FROM {table}
        WHERE NOT EXISTS (SELECT FROM embeddings e WHERE e.owner_kind = %(kind)s AND e.owner_id = {key} AND e.model = %(model)s)
        ORDER BY 1 LIMIT %(limit)s
        """
    ).format(**_sql(source))


def _all(source: TextSource) -> sql.Composed:
    return sql.SQL("SELECT {key} AS id, {text} AS text FROM {table} WHERE {key} > %(after)s ORDER BY 1 LIMIT %(limit)s").format(
        **_sql(source)
    )


def _by_ids(source: TextSource) -> sql.Composed:
    return sql.SQL("SELECT {key} AS id, {text} AS text FROM {table} WHERE {key} = ANY(%(ids)s)").format(**_sql(source))


def _sql(source: TextSource) -> dict[str, sql.SQL]:
    return {"key": sql.SQL(source.key), "text": sql.SQL(source.text), "table": sql.SQL(source.table)}
