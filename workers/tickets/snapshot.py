"""The history as one transaction sees it."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import LiteralString

import psycopg

from workers.blackboard.engine import Database, Row
from workers.retrieval.words import Totals


@dataclass(frozen=True)
class Snapshot:
    """What is asked of it again and again."""

    connection: psycopg.Connection[Row]
    model: str | None
    """Whose vectors are read; None: none are."""
    totals: Totals
    """Of its tickets."""
    causes: int


_OPEN: LiteralString = """
    BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
    SET LOCAL plan_cache_mode = force_generic_plan;
    SELECT tickets, causes, words FROM history_state
"""
"""In one message: a step waits longer for an answer to come and go than for most of the answers."""


@contextmanager
def snapshot(db: Database, model: str | None) -> Generator[Snapshot]:
    """All statements of this transaction see the same history, even if tickets are imported meanwhile. Each statement is planned once for
    each connection: it finds rows by their keys, and the text of a search contains everything that its plan depends on."""
    with db.session() as connection:
        try:
            cursor = connection.execute(_OPEN, prepare=False)
            while cursor.nextset():
                pass
            row = cursor.fetchall()[0]
            mean = max(row["words"] / row["tickets"], 1.0) if row["tickets"] else 1.0
            yield Snapshot(connection, model, Totals(row["tickets"], mean), row["causes"])
        finally:
            connection.commit()
