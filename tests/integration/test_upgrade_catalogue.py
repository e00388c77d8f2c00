"""The words of a catalogue of an earlier release are kept by the upgrade, and by the way back."""

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest
from alembic import command
from psycopg import sql

from tests.support.servers import Servers
from workers.blackboard.engine import Database
from workers.blackboard.schema import _config, migrate  # pyright: ignore[reportPrivateUsage] an earlier revision
from workers.catalogue import Catalogue

BEFORE = "0027"


@pytest.fixture
def earlier(servers: Servers) -> Iterator[Database]:
    """A database of the revision before words had a table of their own."""
    name = f"test_{uuid4().hex[:12]}"
    with psycopg.connect(servers.postgres.url, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        db = Database(servers.database_url(name))
        _go(db, up_to=BEFORE)
        yield db
        db.close()
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _go(db: Database, *, up_to: str) -> None:
    config = _config()
    with db.unit_of_work() as connection:
        config.attributes["connection"] = connection
        (command.upgrade if up_to == BEFORE and not _tables(db) else command.downgrade)(config, up_to)


def _tables(db: Database) -> list[dict[str, object]]:
    return db.statement("SELECT 1 AS there FROM pg_tables WHERE tablename = 'catalogue_nodes'")


def test_words_survive_an_upgrade_and_the_way_back(earlier: Database) -> None:
    earlier.statement(
        "INSERT INTO catalogue_nodes (node_id, kind, source, key, given, content, words, word_count, gone_at) VALUES "
        """('a', 'table', 'shop', 'main.orders', '{}', '{"name": "orders"}', array_to_tsvector('{order,id}'), 2, NULL), """
        """('b', 'table', 'shop', 'main.old', '{}', '{"name": "old"}', array_to_tsvector('{order}'), 1, now())"""
    )
    earlier.statement("INSERT INTO catalogue_words VALUES ('order', 1), ('id', 1)")

    migrate(earlier)
    found = Catalogue(earlier, None).search("orders", owner=None)
    kept = earlier.statement("SELECT node_id, word_count FROM catalogue_node_words")
    _go(earlier, up_to=BEFORE)

    assert [hit.place for hit in found] == ["shop.main.orders"]
    assert kept == [{"node_id": "a", "word_count": 2}]
    assert earlier.statement("SELECT word_count, words @@ 'order' AS held FROM catalogue_nodes WHERE node_id = 'a'") == [
        {"word_count": 2, "held": True}
    ]
