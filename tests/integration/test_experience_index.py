"""The index of experience is what the packs hold, whoever makes it and however often."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from contracts.tickets import Ticket
from tests.support.experience import piece, write_pack
from workers.blackboard.engine import Database
from workers.errors import ModelUnavailable
from workers.kinds.tune.experience.embedding import embed_next
from workers.kinds.tune.experience.index import index_experience
from workers.kinds.tune.experience.library import keep_indexed
from workers.llm.embedder import Role
from workers.llm.embeddings import WordLlamaEmbedder
from workers.settings import Settings
from workers.tickets import count_history, import_tickets, reindex

PIECES = [piece("one", "a hot key"), piece("two", "a cold key"), piece("one", "热点键很多", language="zh")]


class Numbers:
    """An embedding model that counts how many texts it was given."""

    def __init__(self, model: str = "numbers", dim: int = 3, *, away: bool = False) -> None:
        self.model, self.dim, self.away = model, dim, away
        self.texts = 0

    def trust(self, text: str) -> float:
        return 1.0

    def embed(self, texts: Sequence[str], role: Role) -> np.ndarray:
        if self.away:
            raise ModelUnavailable("not there")
        self.texts += len(texts)
        return np.full((len(texts), self.dim), self.dim**-0.5, dtype=np.float32)


def owners(db: Database, model: str = "numbers") -> list[str]:
    rows = db.statement(
        "SELECT owner_id FROM embeddings WHERE owner_kind = 'experience' AND model = %(model)s ORDER BY 1", {"model": model}
    )
    return [row["owner_id"] for row in rows]


def texts(db: Database) -> dict[str, str]:
    rows = db.statement("SELECT experience_id || '/' || language AS owner, text FROM experience ORDER BY 1")
    return {row["owner"]: row["text"] for row in rows}


def test_only_what_changed_is_written_and_embedded(database: Database) -> None:
    model = Numbers()
    first = index_experience(database, model, PIECES)
    again = index_experience(database, model, PIECES)
    changed = index_experience(database, model, [replace(PIECES[0], text="a null key"), *PIECES[2:]])

    assert (first.stored, first.removed) == (3, 0)
    assert (again.stored, again.removed) == (0, 0)
    assert (changed.stored, changed.removed) == (1, 1)
    assert model.texts == 4
    assert texts(database) == {"mine/one/en": "a null key", "mine/one/zh": "热点键很多"}
    assert owners(database) == ["mine/one/en", "mine/one/zh"]


def test_a_piece_that_moves_to_another_class_is_written_again(database: Database) -> None:
    """All of a piece counts, and not its text alone."""
    index_experience(database, None, PIECES)

    assert index_experience(database, None, [replace(PIECES[0], priority=5), *PIECES[1:]]).stored == 1


def test_another_model_gets_its_vectors_and_the_old_ones_stay(database: Database) -> None:
    index_experience(database, None, PIECES)
    index_experience(database, Numbers("first"), PIECES)
    index_experience(database, Numbers("first", dim=5), PIECES)

    assert database.row("SELECT count(*) AS number FROM embeddings WHERE model = 'first' AND dim = 5") == {"number": 3}
    assert index_experience(database, Numbers("first", dim=5), PIECES).stored == 0


def test_a_model_that_does_not_know_chinese_gets_no_chinese(database: Database) -> None:
    """And that is no reason to write the piece again each time."""
    index_experience(database, WordLlamaEmbedder(), PIECES)

    assert owners(database, "wordllama-256") == ["mine/one/en", "mine/two/en"]
    assert index_experience(database, WordLlamaEmbedder(), PIECES).stored == 0


def test_while_the_model_is_away_the_words_are_indexed_and_the_vectors_come_later(database: Database) -> None:
    index_experience(database, Numbers(away=True), PIECES)
    assert (len(texts(database)), owners(database)) == (3, [])

    index_experience(database, Numbers(), PIECES)

    assert len(owners(database)) == 3


def test_vectors_are_made_beside_the_jobs_all_at_once(database: Database) -> None:
    """A job that comes first stores the words alone and waits for no model."""
    model = Numbers()
    index_experience(database, None, PIECES)
    assert owners(database) == []

    assert embed_next(database, model)
    assert not embed_next(database, model)

    assert (len(owners(database)), model.texts) == (3, 3)
    index_experience(database, None, [replace(PIECES[0], text="a null key"), *PIECES[1:]])
    assert embed_next(database, model)
    assert (len(owners(database)), model.texts) == (3, 4)
    assert index_experience(database, model, [replace(PIECES[0], text="a null key"), *PIECES[1:]]).stored == 0


def test_vectors_of_a_language_that_the_model_has_not_learnt_are_not_lacking(database: Database) -> None:
    index_experience(database, None, PIECES)

    assert embed_next(database, WordLlamaEmbedder())
    assert not embed_next(database, WordLlamaEmbedder())
    assert owners(database, "wordllama-256") == ["mine/one/en", "mine/two/en"]


def test_a_piece_that_changes_while_its_vector_is_made_keeps_none(database: Database) -> None:
    class Slow(Numbers):
        def embed(self, texts: Sequence[str], role: Role) -> np.ndarray:
            index_experience(database, None, [replace(PIECES[0], text="a null key"), *PIECES[1:]])
            return super().embed(texts, role)

    index_experience(database, None, PIECES)

    embed_next(database, Slow())

    assert owners(database) == ["mine/one/zh", "mine/two/en"]


def test_workers_that_index_at_once_end_in_the_same_rows(database: Database) -> None:
    many = [piece(f"p{number}", f"text {number}") for number in range(40)]

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: index_experience(database, Numbers(), many if number % 2 else many[::-1]), range(8)))

    assert len(texts(database)) == 40
    assert len(owners(database)) == 40
    assert index_experience(database, Numbers(), many).stored == 0


def test_writing_anew_mends_what_was_edited_by_hand(database: Database) -> None:
    index_experience(database, None, PIECES)
    database.statement("UPDATE experience SET text = 'nonsense' WHERE language = 'en'")

    assert index_experience(database, None, PIECES).stored == 0
    assert index_experience(database, None, PIECES, rebuild=True).stored == 3
    assert "nonsense" not in texts(database).values()


def test_tickets_and_experience_leave_each_others_vectors_alone(database: Database) -> None:
    """Whichever is embedded first."""
    model = Numbers()
    index_experience(database, model, PIECES)
    import_tickets(database, model, [(1, Ticket(ticket_id="T-1", description="it is slow", root_cause="x"))])
    report = reindex(database, model)

    assert len(owners(database)) == 3
    assert report.differed["vectors"] == 0
    assert count_history(database)["vectors numbers"] == 1


def test_a_pack_that_changes_on_disk_is_indexed_with_the_next_search(database: Database, tmp_path: Path) -> None:
    pack = write_pack(tmp_path, en="## First {#first}\n\nold\n\n## Second {#second}\n\nsecond\n")
    settings = Settings(skills=(str(tmp_path),))
    keep_indexed(database, None, settings)

    (pack / "experience.en.md").write_text("## First {#first}\n\nnew\n", encoding="utf-8")
    library, report = keep_indexed(database, None, settings)

    assert (report.stored, report.removed, library.problems) == (1, 1, ())
    assert texts(database) == {"mine/first/en": "new"}
