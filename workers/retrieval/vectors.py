"""Embeddings in Postgres: made for whatever lacks them, searched by the index of their model."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from struct import pack
from typing import TYPE_CHECKING, Literal, LiteralString

import psycopg
from pgvector import Vector
from pgvector.psycopg import register_vector
from psycopg import sql
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.rows import tuple_row

from workers.blackboard.engine import Row
from workers.errors import ConfigurationError
from workers.llm.embeddings import Embedder
from workers.retrieval.wording import symptoms_of

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

Connection = psycopg.Connection[Row]
OwnerKind = Literal["ticket", "phenomenon", "experience"]

_BATCH = 2_000
_MAX_PRECISE_DIM = 2_000
"""Numbers in a vector up to which pgvector indexes it in single precision."""

_SAME = 0.9999
"""Cosine from which a vector that was made again is the old one: a served model may round differently each time."""

_MISSING: dict[OwnerKind, LiteralString] = {
    "ticket": """
        SELECT t.ticket_id AS id, t.description,
               ARRAY(SELECT a.description FROM ticket_anomalies a WHERE a.ticket_id = t.ticket_id ORDER BY a.position) AS anomalies
        FROM tickets t
        WHERE NOT EXISTS (SELECT FROM embeddings e
                          WHERE e.owner_kind = 'ticket' AND e.owner_id = t.ticket_id AND e.model = %(model)s)
        ORDER BY t.ticket_id LIMIT %(limit)s
    """,
    "phenomenon": """
        SELECT p.phenomenon_id AS id, p.description, ARRAY[]::text[] AS anomalies
        FROM phenomena p
        WHERE NOT EXISTS (SELECT FROM embeddings e
                          WHERE e.owner_kind = 'phenomenon' AND e.owner_id = p.phenomenon_id AND e.model = %(model)s)
        ORDER BY p.phenomenon_id LIMIT %(limit)s
    """,
}

_ALL: dict[OwnerKind, LiteralString] = {
    "ticket": """
        SELECT t.ticket_id AS id, t.description,
               ARRAY(SELECT a.description FROM ticket_anomalies a WHERE a.ticket_id = t.ticket_id ORDER BY a.position) AS anomalies
        FROM tickets t WHERE t.ticket_id > %(after)s ORDER BY t.ticket_id LIMIT %(limit)s
    """,
    "phenomenon": """
        SELECT p.phenomenon_id AS id, p.description, ARRAY[]::text[] AS anomalies
        FROM phenomena p WHERE p.phenomenon_id > %(after)s ORDER BY p.phenomenon_id LIMIT %(limit)s
    """,
}


def embed_missing(connection: Connection, embedder: Embedder) -> int:
    """Give a vector of this model to every ticket and phenomenon that has none, be it new, changed, or of another model's
    time; their number. Runs in the caller's transaction, which holds the lock of the history."""
    made = 0
    for kind in ("ticket", "phenomenon"):
        while rows := connection.execute(_MISSING[kind], {"model": embedder.model, "limit": _BATCH}).fetchall():
            if not made:
                _prepare(connection, embedder)
            _copy(connection, "COPY embeddings (owner_kind, owner_id, model, dim, vector) FROM STDIN (FORMAT BINARY)", embedder, kind, rows)
            made += len(rows)
    return made


def embed_again(connection: Connection, embedder: Embedder, progress: Callable[[int], None]) -> None:
    """Make every vector of this model anew and put those in place that are missing or say something else than the old
    ones. Vectors of other models stay. `progress` is told how many were made. As `embed_missing`."""
    _forget_other_dims(connection, embedder)
    _prepare(connection, embedder)
    connection.execute("CREATE TEMP TABLE made (LIKE embeddings) ON COMMIT DROP")
    done = 0
    for kind in ("ticket", "phenomenon"):
        after = ""
        while rows := connection.execute(_ALL[kind], {"after": after, "limit": _BATCH}).fetchall():
            _copy(connection, "COPY made (owner_kind, owner_id, model, dim, vector) FROM STDIN (FORMAT BINARY)", embedder, kind, rows)
            after = rows[-1]["id"]
            done += len(rows)
            progress(done)
    connection.execute(
        """
        DELETE FROM embeddings e USING made m
        WHERE (e.owner_kind, e.owner_id, e.model) = (m.owner_kind, m.owner_id, m.model)
          AND CASE WHEN e.dim = m.dim THEN 1 - (e.vector <=> m.vector) < %(same)s ELSE true END
        """,
        {"same": _SAME},
    )
    connection.execute("INSERT INTO embeddings SELECT * FROM made ON CONFLICT DO NOTHING")


def drop_orphans(connection: Connection) -> None:
    """Remove the vectors of what is no longer there."""
    connection.execute(
        """
        DELETE FROM embeddings e
        WHERE e.owner_kind IN ('ticket', 'phenomenon')
          AND NOT EXISTS (SELECT FROM tickets t WHERE e.owner_kind = 'ticket' AND t.ticket_id = e.owner_id)
          AND NOT EXISTS (SELECT FROM phenomena p WHERE e.owner_kind = 'phenomenon' AND p.phenomenon_id = e.owner_id)
        """
    )


def store_vectors(connection: Connection, embedder: Embedder, kind: OwnerKind, vectors: "Mapping[str, NDArray[float32]]") -> None:
    """Put these vectors (owner's id → vector) in the place of the model's old ones. For owners so few that they are searched
    without an index of their own: no lock of the table is needed. Runs in the caller's transaction."""
    register_vector(connection)
    connection.execute(
        "DELETE FROM embeddings WHERE owner_kind = %(kind)s AND model = %(model)s AND owner_id = ANY(%(ids)s)",
        {"kind": kind, "model": embedder.model, "ids": list(vectors)},
    )
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO embeddings (owner_kind, owner_id, model, dim, vector) VALUES (%s, %s, %s, %s, %s)",
            [(kind, owner, embedder.model, embedder.dim, Vector(vector)) for owner, vector in vectors.items()],
        )


def index_name(model: str, dim: int, kind: OwnerKind) -> str:
    """The HNSW index of a model. A model's name may hold anything, and may be long."""
    if model == "wordllama-256":  # made by the migrations
        return f"ix_embeddings_wordllama_256_{kind}"
    return f"ix_embeddings_{hashlib.sha256(model.encode()).hexdigest()[:16]}_{dim}_{kind}"


def _prepare(connection: Connection, embedder: Embedder) -> None:
    """Before vectors are stored: a model that has none yet gets its indexes, one that has some must fit them."""
    register_vector(connection)
    stored = connection.execute(
        "SELECT dim FROM embeddings WHERE model = %(model)s AND owner_kind <> 'experience' LIMIT 1", {"model": embedder.model}
    ).fetchall()
    if stored and stored[0]["dim"] != embedder.dim:
        raise ConfigurationError(
            f"The vectors of {embedder.model} have {stored[0]['dim']} numbers here, and it makes {embedder.dim} now: it is another model. "
            "Give it back its name, or replace its vectors with `bullpen tickets reindex`."
        )
    if stored:
        return
    for kind in ("ticket", "phenomenon"):
        connection.execute(
            sql.SQL("CREATE INDEX IF NOT EXISTS {name} ON embeddings USING hnsw (({vector}) {ops}) WHERE {those}").format(
                name=sql.Identifier(index_name(embedder.model, embedder.dim, kind)),
                vector=_comparable(sql.SQL("vector"), embedder.dim),
                ops=sql.SQL("vector_cosine_ops" if embedder.dim <= _MAX_PRECISE_DIM else "halfvec_cosine_ops"),
                those=_of(embedder, kind),
            )
        )


def _forget_other_dims(connection: Connection, embedder: Embedder) -> None:
    """Drop vectors of a model of the same name that has another dimension, with their indexes."""
    other = "DELETE FROM embeddings WHERE model = %(model)s AND dim <> %(dim)s RETURNING dim"
    dims = {row["dim"] for row in connection.execute(other, {"model": embedder.model, "dim": embedder.dim})}
    for dim in dims:
        for kind in ("ticket", "phenomenon"):
            connection.execute(sql.SQL("DROP INDEX IF EXISTS {}").format(sql.Identifier(index_name(embedder.model, dim, kind))))


def _comparable(vector: sql.Composable, dim: int) -> sql.Composed:
    """A vector as it is indexed: beyond 2,000 numbers only in half precision."""
    return sql.SQL("{}::{}({})").format(vector, sql.SQL("vector" if dim <= _MAX_PRECISE_DIM else "halfvec"), sql.Literal(dim))


def _of(embedder: Embedder, kind: OwnerKind) -> sql.Composed:
    """The dimension stands in there too: a row that was just deleted is still read when an index is made."""
    return sql.SQL("owner_kind = {} AND model = {} AND dim = {}").format(
        sql.Literal(kind), sql.Literal(embedder.model), sql.Literal(embedder.dim)
    )


def _copy(connection: Connection, statement: LiteralString, embedder: Embedder, kind: OwnerKind, rows: Sequence[Row]) -> None:
    vectors = embedder.embed([symptoms_of(row["description"], row["anomalies"]) for row in rows])
    with connection.cursor().copy(statement) as copy:
        copy.set_types(["text", "text", "text", "int2", "vector"])
        for row, vector in zip(rows, vectors, strict=True):
            copy.write_row((kind, row["id"], embedder.model, embedder.dim, Vector(vector)))


def nearest(
    connection: Connection, embedder: Embedder, kind: OwnerKind, vectors: "Iterable[NDArray[float32]]", limit: int
) -> list[list[tuple[str, float]]]:
    """For each vector the ids nearest to it with their cosine, nearest first, equal ones by id.

    Runs in the caller's transaction, whose HNSW settings it sets: a scan goes on until it has found `limit` rows.
    """
    connection.execute(
        "SELECT set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', %(ef)s, true)",
        {"ef": str(min(max(2 * limit, 40), 1000))},
    )
    # Model, kind, dimension and limit stand in the statement itself: only so does every plan see the partial index.
    statement = sql.SQL(
        """
        SELECT owner_id, 1 - ({stored} <=> {given}) AS cosine FROM embeddings e WHERE {those}
        ORDER BY {stored} <=> {given} LIMIT {limit}
        """
    ).format(
        given=_comparable(sql.SQL("%(vector)s::vector"), embedder.dim),
        stored=_comparable(sql.SQL("e.vector"), embedder.dim),
        those=_of(embedder, kind),
        limit=sql.Literal(limit),
    )
    found: list[list[tuple[str, float]]] = []
    with connection.cursor(row_factory=tuple_row) as cursor:
        cursor.adapters.register_dumper(SentVector, _SentVectorDumper)
        for vector in vectors:
            rows: list[tuple[str, float]] = cursor.execute(statement, {"vector": SentVector(vector)}, binary=True).fetchall()
            found.append(sorted(rows, key=lambda hit: (-round(hit[1], 6), hit[0])))
    return found


class SentVector:
    """A vector as pgvector receives it: two numbers of two bytes, then the vector, all big-endian. Written out in digits it
    takes longer to send than to find its neighbours."""

    def __init__(self, vector: "NDArray[float32]") -> None:
        self.data = pack(">HH", len(vector), 0) + vector.astype(">f4").tobytes()


class _SentVectorDumper(Dumper):
    """Its type is left to the statement, which casts it: pgvector's has another number in every database."""

    format = Format.BINARY

    def dump(self, obj: SentVector) -> bytes:
        """The parameter's bytes."""
        return obj.data
