"""Vectors in Postgres: stored under the name of their model, compared exactly, and where they are many by an index.

An approximate index may silently miss everything. Of 180 texts over 27,806 short phenomena (384 numbers, the nearest 20):

    compared by                                  ms p50, p95    recall mean, 5th percentile, lowest    build
    each vector                                  19.2  23.0     1.000  1.000  1.00                     -
    HNSW, pgvector's defaults (16, 64, 40)        0.6   1.1     0.885  0.050  0.00 (6 texts)           3 s
    HNSW 16, 64, ef_search 200                    1.1   1.9     0.969  0.848  0.00 (1 text)            3 s
    HNSW 16, 64, ef_search 1000                   4.2   7.8     0.999  1.000  0.95                     3 s
    HNSW 32, 200, ef_search 200                   1.5   2.9     0.996  1.000  0.65                     25 s

So it is the effort of the search that counts, see docs/adr/0004.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from struct import pack
from typing import TYPE_CHECKING, Any, LiteralString

import psycopg
from pgvector import Vector
from pgvector.psycopg import register_vector
from psycopg import sql
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.rows import tuple_row

from workers.blackboard.engine import Row
from workers.errors import ConfigurationError
from workers.retrieval.among import Among

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

Connection = psycopg.Connection[Row]

EXACT_UP_TO = 10_000
"""Vectors of one kind and model that are compared one by one, 7 ms for a text; more of them get an index."""

_EF_SEARCH = 1_000
"""HNSW's effort in a search, the most that pgvector allows. An index is built by its defaults (m 16, ef_construction 64)."""

_PAGE_COST = "1.1"
"""What reading a page out of order costs, one in order being 1: vectors are in memory or on an SSD. By its default of 4 Postgres read
the whole table for 10,000 vectors of tickets among 37,806: 7,610 pages and 9 to 13 ms of CPU, instead of 2,064 and 6.5."""

_SAME = 0.9999
"""Cosine from which a vector that was made again is the old one: a served model may round differently each time."""

_MAX_PRECISE_DIM = 2_000
"""Numbers in a vector up to which pgvector indexes it in single precision."""


def store_vectors(connection: Connection, model: str, kind: str, vectors: "Mapping[str, NDArray[float32]]") -> None:
    """Put these vectors (owner's id → vector) in the place of the model's old ones. In the caller's transaction."""
    register_vector(connection)
    connection.execute(
        "DELETE FROM embeddings WHERE owner_kind = %(kind)s AND model = %(model)s AND owner_id = ANY(%(ids)s)",
        {"kind": kind, "model": model, "ids": list(vectors)},
    )
    with connection.cursor().copy("COPY embeddings (owner_kind, owner_id, model, dim, vector) FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types(["text", "text", "text", "int2", "vector"])
        for owner, vector in vectors.items():
            copy.write_row((kind, owner, model, len(vector), Vector(vector)))


def forget_vectors(connection: Connection, kind: str, owners: Sequence[str]) -> None:
    """Remove the vectors of these owners, of every model."""
    connection.execute(
        "DELETE FROM embeddings WHERE owner_kind = %(kind)s AND owner_id = ANY(%(ids)s)", {"kind": kind, "ids": list(owners)}
    )


def leave_out_known(
    connection: Connection, model: str, kind: str, vectors: "Mapping[str, NDArray[float32]]"
) -> "dict[str, NDArray[float32]]":
    """Those of these vectors that are not stored yet, or say something else than what is stored."""
    stored = read_vectors(connection, model, kind, list(vectors))
    return {
        owner: vector
        for owner, vector in vectors.items()
        if owner not in stored or float(stored[owner] @ vector) < _SAME * float(vector @ vector)
    }


def read_vectors(connection: Connection, model: str, kind: str, owners: Sequence[str]) -> "dict[str, NDArray[float32]]":
    """The vectors of these owners, for those that have one. A statement of its own: joined to other tables, and with statistics of
    before the vectors were made, Postgres reads all of them."""
    import numpy as np

    rows = fetch(
        connection,
        """
        SELECT owner_id, vector_send(vector) FROM embeddings
        WHERE owner_kind = %(kind)s AND model = %(model)s AND owner_id = ANY(%(ids)s)
        """,
        {"kind": kind, "model": model, "ids": list(owners)},
    )
    # pgvector's binary form: two numbers of two bytes, then the vector, all big-endian
    return {owner: np.frombuffer(sent, dtype=">f4", offset=4).astype(np.float32) for owner, sent in rows}


def require_dim(connection: Connection, model: str, kind: str, vector: "NDArray[float32]") -> None:
    """Raises `ConfigurationError` where the stored vectors of this model have another dimension: it is another model then."""
    stored = connection.execute(
        "SELECT dim FROM embeddings WHERE owner_kind = %(kind)s AND model = %(model)s LIMIT 1", {"kind": kind, "model": model}
    ).fetchall()
    if stored and stored[0]["dim"] != len(vector):
        raise ConfigurationError(
            f"The vectors of {model} have {stored[0]['dim']} numbers here, and it makes {len(vector)} now: it is another model. "
            "Give it back its name, or replace its vectors with `bullpen tickets reindex`."
        )


def forget_other_dims(connection: Connection, model: str, kind: str, dim: int) -> None:
    """Remove the vectors of a model of the same name that has another dimension."""
    connection.execute(
        "DELETE FROM embeddings WHERE owner_kind = %(kind)s AND model = %(model)s AND dim <> %(dim)s",
        {"kind": kind, "model": model, "dim": dim},
    )


def nearest(
    connection: Connection,
    model: str,
    kind: str,
    vectors: "Iterable[NDArray[float32]]",
    limit: int,
    among: Among | None = None,
    *,
    again: bool = False,
) -> list[list[tuple[str, float]]]:
    """For each vector the ids nearest to it with their cosine, nearest first, equal ones by id. `among`: only these owners. `again`: it is
    not the first such search of the transaction, whose settings hold. In the caller's transaction."""
    if not again:
        connection.execute(
            "SELECT set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', %(ef)s, true), "
            "set_config('random_page_cost', %(page)s, true)",
            {"ef": str(_EF_SEARCH), "page": _PAGE_COST},
        )
    found: list[list[tuple[str, float]]] = []
    with connection.cursor(row_factory=tuple_row) as cursor:
        cursor.adapters.register_dumper(_SentVector, _SentVectorDumper)
        for vector in vectors:
            statement = _nearest_statement(model, len(vector), kind, limit, among)
            parameters = {"vector": _SentVector(vector), **(among.parameters if among else {})}
            rows: list[tuple[str, float]] = cursor.execute(statement, parameters, binary=True).fetchall()
            found.append(sorted(rows, key=lambda hit: (-round(hit[1], 6), hit[0])))
    return found


def index_if_many(connection: Connection, model: str, kind: str, exact_up_to: int | None = None) -> bool:
    """Build the index of a model's vectors of one kind if there are too many to compare them one by one; whether it is there.
    In the caller's transaction; other writers of vectors wait for it, 3 s for 27,806 vectors."""
    counted = connection.execute(
        "SELECT dim, count(*) AS vectors FROM embeddings WHERE owner_kind = %(kind)s AND model = %(model)s GROUP BY dim",
        {"kind": kind, "model": model},
    ).fetchall()
    many = [row["dim"] for row in counted if row["vectors"] > (EXACT_UP_TO if exact_up_to is None else exact_up_to)]
    for dim in many:
        connection.execute(
            sql.SQL("CREATE INDEX IF NOT EXISTS {name} ON embeddings USING hnsw (({vector}) {ops}) WHERE {those}").format(
                name=sql.Identifier(index_name(model, dim, kind)),
                vector=_comparable(sql.SQL("vector"), dim),
                ops=sql.SQL("vector_cosine_ops" if dim <= _MAX_PRECISE_DIM else "halfvec_cosine_ops"),
                those=_of(model, dim, kind),
            )
        )
    return bool(many)


def index_name(model: str, dim: int, kind: str) -> str:
    """The HNSW index of a model. A model's name may hold anything, and may be long."""
    return f"ix_embeddings_{sha256(model.encode()).hexdigest()[:16]}_{dim}_{kind}"


def compare(connection: Connection, model: str, kind: str, vector: "NDArray[float32]", owners: Sequence[str]) -> dict[str, float]:
    """The product of a vector with those of these owners, for those that have one: the cosine, where they are of unit length."""
    import numpy as np

    vectors = read_vectors(connection, model, kind, owners) if owners else {}
    if not vectors:
        return {}
    return dict(zip(vectors, map(float, np.stack(list(vectors.values())) @ vector), strict=True))


def _nearest_statement(model: str, dim: int, kind: str, limit: int, among: Among | None) -> sql.Composed:
    """Model, kind, dimension and limit are literals of the statement, because only then does every plan use a partial index."""
    return sql.SQL(
        "SELECT owner_id, 1 - ({stored} <=> {given}) AS cosine FROM embeddings e WHERE {those}{among} "
        "ORDER BY {stored} <=> {given} LIMIT {limit}"
    ).format(
        given=_comparable(sql.SQL("%(vector)s::vector"), dim),
        stored=_comparable(sql.SQL("e.vector"), dim),
        those=_of(model, dim, kind),
        limit=sql.Literal(limit),
        among=sql.SQL("")
        if among is None
        else sql.SQL(" AND owner_id IN (SELECT {} FROM {} WHERE {})").format(
            sql.SQL(among.key), sql.SQL(among.table), sql.SQL(among.condition)
        ),
    )


def _comparable(vector: sql.Composable, dim: int) -> sql.Composed:
    """A vector as it is indexed: beyond 2,000 numbers only in half precision."""
    return sql.SQL("{}::{}({})").format(vector, sql.SQL("vector" if dim <= _MAX_PRECISE_DIM else "halfvec"), sql.Literal(dim))


def _of(model: str, dim: int, kind: str) -> sql.Composed:
    return sql.SQL("owner_kind = {} AND model = {} AND dim = {}").format(sql.Literal(kind), sql.Literal(model), sql.Literal(dim))


def fetch(connection: Connection, statement: LiteralString, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Rows as tuples: where there are hundreds, naming their columns takes as long as reading them."""
    with connection.cursor(row_factory=tuple_row) as cursor:
        return cursor.execute(statement, parameters, binary=True).fetchall()


class _SentVector:
    """A vector as pgvector receives it: two numbers of two bytes, then the vector, all big-endian. Written out in digits it
    takes longer to send than to find its neighbours."""

    def __init__(self, vector: "NDArray[float32]") -> None:
        self.data = pack(">HH", len(vector), 0) + vector.astype(">f4").tobytes()


class _SentVectorDumper(Dumper):
    """Its type is left to the statement, which casts it: pgvector's has another number in every database."""

    format = Format.BINARY

    def dump(self, obj: _SentVector) -> bytes:
        """The parameter's bytes."""
        return obj.data
