"""Versions of skills on the blackboard, and the tool that reads a skill's own files under its key."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier
from types import SimpleNamespace
from typing import Any, cast
from uuid import uuid4

import pytest

from contracts.pointers import SourcePointer
from workers.blackboard.engine import Database
from workers.blackboard.retention import purge
from workers.errors import NotFound
from workers.skills import Skill, load_skills
from workers.skills.choosing import vectors_of
from workers.skills.choosing.meaning import VECTORS, forget_vectors_of_old_skills
from workers.skills.keeping import find_version, keep_version
from workers.skills.skill import READ_REFERENCE
from workers.tools import ToolContext
from workers.tools.grants import grant
from workers.tools.registry import find_tool


def write(root: Path, *, body: str = "Read references/deep.md.", deep: str = "Deep.", tools: str = "") -> Skill:
    folder = root / "mine"
    (folder / "references").mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(f"---\nname: mine\ndescription: x\n{tools}---\n\n{body}\n", encoding="utf-8")
    (folder / "references" / "deep.md").write_text(deep, encoding="utf-8")
    (folder / "procedure.yaml").write_text("steps: []\n", encoding="utf-8")
    (skill,) = load_skills([root]).skills
    return skill


def context(database: Database) -> ToolContext:
    services = cast(Any, SimpleNamespace(database=database, embedder=None, settings=None, sources=None))
    return ToolContext(owner="o", services=services, job_id=uuid4(), step_id=uuid4())


def read(database: Database, skill: str, path: str, offset: int = 0) -> Any:
    tool = find_tool(READ_REFERENCE)
    assert tool is not None
    return tool.run(context(database), tool.arguments(skill=skill, path=path, offset=offset))


def test_a_job_reads_the_version_that_it_began_with_after_the_folder_changed(database: Database, tmp_path: Path) -> None:
    """F8. Reload by hash: a changed folder is seen by new jobs, and a running job keeps its text."""
    old = keep_version(database, write(tmp_path, deep="Old."))

    new = keep_version(database, write(tmp_path, body="New way.", deep="New."))

    assert old.place != new.place
    assert read(database, old.place, "references/deep.md").text == "Old."
    assert read(database, new.place, "references/deep.md").text == "New."
    version = find_version(database, old.place)
    assert version is not None
    assert (version.body, version.procedure) == ("Read references/deep.md.", "steps: []\n")


def test_the_same_version_is_stored_once(database: Database, tmp_path: Path) -> None:
    skill = write(tmp_path)

    assert keep_version(database, skill) == keep_version(database, skill)
    assert len(database.statement("SELECT hash FROM skill_versions", {})) == 1


def test_a_file_that_changes_while_a_version_is_stored_belongs_to_another_version(database: Database, tmp_path: Path) -> None:
    skill = write(tmp_path, deep="As loaded.")
    (skill.folder / "references" / "deep.md").write_text("Later.")

    pointer = keep_version(database, skill)

    version = find_version(database, pointer.place)
    assert version is not None
    assert version.files == {}


@pytest.mark.parametrize(
    "path",
    [
        "../mine/SKILL.md",
        "/etc/passwd",
        "references/../references/deep.md",
        "references/deep.md\0",
        "references\\deep.md",
        "SKILL.md",
        "procedure.yaml",
        "references",
        "references/DEEP.md",
        "%2e%2e/deep.md",
        "x" * 500,
    ],
)
def test_only_the_exact_path_of_a_reference_opens_it(database: Database, tmp_path: Path, path: str) -> None:
    pointer = keep_version(database, write(tmp_path))

    answer = read(database, pointer.place, path)

    assert (answer.text, answer.paths) == ("", ("references/deep.md",))
    assert "has no file" in answer.error


def test_an_empty_path_lists_the_files(database: Database, tmp_path: Path) -> None:
    answer = read(database, keep_version(database, write(tmp_path)).place, "")

    assert (answer.paths, answer.error) == (("references/deep.md",), None)


def test_a_long_file_is_read_in_parts(database: Database, tmp_path: Path) -> None:
    text = "".join(f"line {number} 文\n" for number in range(5_000))
    pointer = keep_version(database, write(tmp_path, deep=text))

    parts, offset = [], 0
    while offset is not None:
        answer = read(database, pointer.place, "./references/deep.md", offset)
        parts.append(answer.text)
        offset = answer.next_offset

    assert len(parts) > 3
    assert "".join(parts) == text
    assert read(database, pointer.place, "references/deep.md", 10**9).text == ""


@pytest.mark.parametrize(
    "place", ["mine", "mine@", "mine@0123456789ab", "@0123456789ab", "mine@%", "mine@____________", "m\0@0123456789ab"]
)
def test_a_place_that_names_no_version_opens_nothing(database: Database, tmp_path: Path, place: str) -> None:
    keep_version(database, write(tmp_path))

    with pytest.raises(NotFound, match="no longer on the blackboard"):
        read(database, place, "references/deep.md")


def test_the_key_of_a_skill_opens_its_own_files_and_no_other_skills(database: Database, tmp_path: Path) -> None:
    mine = write(tmp_path / "a")
    other = keep_version(database, write(tmp_path / "b", deep="Secret."))
    grants = grant([keep_version(database, mine)], [READ_REFERENCE], [mine.active()])

    assert grants.refusal(READ_REFERENCE, {"skill": keep_version(database, mine).place}) is None
    assert "opens only what you hold" in str(grants.refusal(READ_REFERENCE, {"skill": other.place}))


def test_the_tools_that_a_skill_names_narrow_what_a_step_may_call_and_never_widen_it(database: Database, tmp_path: Path) -> None:
    source = SourcePointer(place="shop", line="the shop", score=1.0, keys=("query_source", "search_catalogue"))
    narrow = write(tmp_path, tools="allowed-tools: search_catalogue get_metric Bash(rm:*) Read\n")
    pointers = [source, keep_version(database, narrow)]

    role = ["query_source", "search_catalogue", READ_REFERENCE]
    without = grant(pointers, role)
    narrowed = grant(pointers, role, [narrow.active()])
    widened = grant(pointers, ["query_source"], [narrow.active()])

    assert set(without.tools) == {"query_source", "search_catalogue", READ_REFERENCE}
    assert set(narrowed.tools) == {"search_catalogue", READ_REFERENCE}
    assert set(widened.tools) == set()


def test_a_skill_without_references_gives_no_key(database: Database, tmp_path: Path) -> None:
    (tmp_path / "flat.md").write_text("---\nname: flat\ndescription: x\n---\nText\n")
    (skill,) = load_skills([tmp_path]).skills

    assert keep_version(database, skill).keys == ()


def test_versions_that_no_job_used_for_long_are_purged(database: Database, tmp_path: Path) -> None:
    old = keep_version(database, write(tmp_path))
    kept = keep_version(database, write(tmp_path, body="New."))
    database.statement("UPDATE skill_versions SET used_at = now() - interval '40 days' WHERE body <> 'New.' RETURNING hash", {})

    done = purge(database, timedelta(days=30))

    assert done.skills == 1
    assert find_version(database, old.place) is None
    assert find_version(database, kept.place) is not None


class Counting:
    """An embedding model that counts the texts that it was given."""

    model = "counting-3"
    dim = 3

    def __init__(self) -> None:
        self.texts = 0

    def trust(self, text: str) -> float:
        return 1.0

    def embed(self, texts: Any, role: str) -> Any:
        import numpy as np

        self.texts += len(texts)
        return np.stack([np.array([1.0, len(text) % 7, 0.0], dtype=np.float32) for text in texts])


def test_vectors_are_computed_once_for_all_workers_and_go_with_their_skills(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workers.skills.choosing import meaning

    skill, first, second = write(tmp_path), Counting(), Counting()
    monkeypatch.setattr(meaning, "_MEMORY", {})
    vectors_of([skill], first, database)
    monkeypatch.setattr(meaning, "_MEMORY", {})
    found = vectors_of([skill], second, database)
    gone = forget_vectors_of_old_skills([], database)

    assert (first.texts > 1, second.texts) == (True, 0)
    assert found is not None
    assert len(found.scores("a question")) == 1
    assert gone == 1
    assert len(database.statement("SELECT 1 FROM embeddings WHERE owner_kind = %(kind)s", {"kind": VECTORS})) == first.texts - 1


def test_two_jobs_that_meet_a_new_skill_at_once_both_get_its_vectors(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workers.skills.choosing import meaning

    skill, together = write(tmp_path), Barrier(4)

    class Meeting(Counting):
        def embed(self, texts: Any, role: str) -> Any:
            made = super().embed(texts, role)
            together.wait(30)  # every one has read that there is no vector
            return made

    monkeypatch.setattr(meaning, "_MEMORY", {})
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: vectors_of([skill], Meeting(), database), range(4)))

    assert all(vectors is not None for vectors in found)
