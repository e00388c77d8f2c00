"""What a `tune` job knows of its files is worked out once and handed on by reference, whatever happens in between."""

import shutil
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier
from uuid import UUID

import pytest

from contracts.base import Json
from contracts.bundles import Catalogue
from tests.support.said import kept
from tests.support.tune_counts import counted
from tests.support.tune_jobs import SAMPLES, content, own_services, report_of, tune
from workers.app.in_process import run_all
from workers.app.run_step import move_on
from workers.app.services import ProcessServices
from workers.blackboard.retention import purge
from workers.bundles import ArtefactReader, bring, kept_files
from workers.bundles.registry import kinds_here
from workers.coordinator.actions import revise
from workers.coordinator.replay import fork, replay_stage
from workers.errors import InvalidInput
from workers.kinds.tune.roles import judging
from workers.kinds.tune.roles.case import NOT_THERE
from workers.kinds.tune.roles.judging import judgement
from workers.kinds.tune.rules.known import Known, ReadFacts
from workers.saying import text_of
from workers.settings import Settings

SKEWED = SAMPLES / "spark_skew"
READ = ("eventlog.zstd", "nightly_engagement.py", "tables.json")


@pytest.fixture
def services(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[ProcessServices]:
    with own_services(database_url, broker_url, tmp_path) as made:
        yield made


def deliverables(services: ProcessServices, job_id: UUID) -> list[tuple[str, int, str]]:
    """Stage, version and hash of all that the job has yielded, in the order it was yielded in."""
    rows = services.database.statement(
        "SELECT stage, version, content_hash FROM deliverables WHERE job_id = %(id)s ORDER BY id", {"id": job_id}
    )
    return [(row["stage"], row["version"], row["content_hash"]) for row in rows]


def status(services: ProcessServices, job_id: UUID) -> tuple[str, str | None]:
    row = services.database.row("SELECT status, error FROM jobs WHERE id = %(id)s", {"id": job_id})
    assert row is not None
    return row["status"], None if row["error"] is None else kept(row["error"])


def go_on(services: ProcessServices, job_id: UUID) -> None:
    move_on(services, job_id)
    run_all(services)


def empty_the_cache(services: ProcessServices, _stage: str = "") -> None:
    services.database.statement("DELETE FROM artefact_facts")


def lose_the_files(services: ProcessServices) -> None:
    shutil.rmtree(str(services.settings.artefact_store))


def known_of(services: ProcessServices, catalogue: Catalogue) -> Known:
    """All artefacts of a bundle, read as a step reads them."""
    files = kept_files(catalogue, catalogue.bundle, services.settings)
    reader = ArtefactReader(services.database, kinds_here(), files.source)
    reads: list[ReadFacts] = []
    for artefact in catalogue.artefacts:
        reading = reader.read(artefact)
        shapes = frozenset(reading.outline.shapes)
        reads.append(ReadFacts.of(artefact, reading.outline, lambda r=reading: r.facts, reason="", shapes=shapes, basis=reading.basis))
    return Known(tuple(reads))


@pytest.mark.parametrize(("sample", "rounds"), [("spark_skew", 2), ("scope_skew", 3), ("scope_shuffle", 3)])
def test_a_job_opens_its_bundle_once_parses_each_artefact_once_and_judges_each_set_once(
    services: ProcessServices, sample: str, rounds: int
) -> None:
    """A set grows with each round of reading; the steps between judge nothing."""
    with counted() as count:
        report = report_of(services, tune(services, [SAMPLES / sample]))

    assert count.openings == 1
    assert count.parsed == Counter(one.name for one in report.read)
    assert count.judged == rounds


def test_the_run_is_loaded_where_it_is_judged_and_replayed_and_nowhere_else(services: ProcessServices) -> None:
    """The step that parses it has it in its hands; each later round judges a larger set; the plan replays it."""
    with counted() as count:
        tune(services, [SKEWED])

    assert count.loading("RunFacts") == ["evidence", "plan"]


def test_a_second_job_over_the_same_files_parses_and_judges_nothing(services: ProcessServices) -> None:
    first = tune(services, [SKEWED])

    with counted() as count:
        second = tune(services, [SKEWED])

    assert (count.openings, count.parsed, count.judged) == (1, Counter(), 0)
    assert deliverables(services, second) == deliverables(services, first)


def test_a_cache_that_is_emptied_before_each_step_changes_nothing_but_the_time(services: ProcessServices) -> None:
    usual = tune(services, [SKEWED])

    with counted() as count:
        count.before_step = empty_the_cache
        emptied = tune(services, [SKEWED])

    assert count.parsed["eventlog.zstd"] > 3
    assert deliverables(services, emptied) == deliverables(services, usual)


def test_a_machine_without_the_files_goes_on_by_what_is_known_of_them(services: ProcessServices) -> None:
    """Replay: every step behind the catalogue runs again, and none of them touches a file."""
    job_id = tune(services, [SKEWED])
    before = content(services, job_id, "review")
    lose_the_files(services)

    with counted() as count:
        replay_stage(services.database, job_id, "classification")
        go_on(services, job_id)

    assert [step.stage for step in count.steps].count("classification") == 1
    assert (count.openings, count.parsed, count.judged) == (0, Counter(), 0)
    assert status(services, job_id) == ("succeeded", None)
    assert content(services, job_id, "review") == before


def test_an_operator_may_name_a_file_that_was_not_read(services: ProcessServices) -> None:
    job_id = tune(services, [SKEWED])
    assert "spark-defaults.conf" not in {read.name for read in report_of(services, job_id).read}

    replay_stage(services.database, job_id, "evidence", edit={"read": ["spark-defaults.conf"]})
    go_on(services, job_id)

    [named] = [read for read in report_of(services, job_id).read if read.name == "spark-defaults.conf"]
    assert text_of(named.reason, "en") == "An operator named it."
    with pytest.raises(InvalidInput, match="files"):
        replay_stage(services.database, job_id, "evidence", edit={"files": ["spark-defaults.conf"]})


def test_where_neither_the_facts_nor_the_files_are_there_the_step_says_what_to_do(services: ProcessServices) -> None:
    job_id = tune(services, [SKEWED])
    lose_the_files(services)
    empty_the_cache(services)

    replay_stage(services.database, job_id, "plan")
    go_on(services, job_id)

    state, error = status(services, job_id)
    assert state == "failed"
    assert "artefact store of this process does not contain" in str(error)


def test_another_machine_that_reaches_the_store_reads_what_is_not_known(
    services: ProcessServices, database_url: str, broker_url: str, tmp_path: Path
) -> None:
    """Nothing but the database and the store is shared: no cache of the machine, no process."""
    job_id = tune(services, [SKEWED])
    before = content(services, job_id, "review")
    empty_the_cache(services)
    settings = Settings(
        database_url=database_url,
        broker_url=broker_url,
        embeddings="none",
        artefact_store=services.settings.artefact_store,
        home=tmp_path / "other machine",
    )

    other = ProcessServices(settings)
    with counted() as count:
        replay_stage(other.database, job_id, "evidence")
        go_on(other, job_id)
    other.close()

    assert set(count.parsed) == set(READ)
    assert content(services, job_id, "review") == before


def test_a_fork_goes_by_what_its_original_has_read(services: ProcessServices) -> None:
    job_id = tune(services, [SKEWED])

    with counted() as count:
        forked = fork(services.database, job_id, "evidence")
        go_on(services, forked)

    assert (count.openings, count.parsed, count.judged) == (0, Counter(), 0)
    assert content(services, forked, "review")["fixes"] == content(services, job_id, "review")["fixes"]


def test_an_operators_catalogue_is_what_later_steps_go_by(services: ProcessServices) -> None:
    """They take out an artefact that was asked for: it is gone, and what is known of the others is not read again."""
    job_id = tune(services, [SKEWED])
    catalogue = content(services, job_id, "bundle")
    kept = [one for one in catalogue["artefacts"] if one["name"] != "tables.json"]

    with counted() as count:
        revise(services.database, job_id, "bundle", {**catalogue, "artefacts": kept})
        go_on(services, job_id)

    asked = {one.name: one for one in report_of(services, job_id).read}["tables.json"]
    assert (count.openings, count.parsed) == (0, Counter())
    assert asked.problem == NOT_THERE
    assert asked.tells == ()


def test_a_kind_that_an_operator_corrects_is_read_by_its_own_parser(services: ProcessServices, tmp_path: Path) -> None:
    shutil.copy(SKEWED / "eventlog.zstd", tmp_path)
    (tmp_path / "notes.md").write_text("What we run each night is below.\n")
    job_id = tune(services, [tmp_path / "eventlog.zstd", tmp_path / "notes.md"])
    catalogue = content(services, job_id, "bundle")
    assert {one["name"]: one["kind"] for one in catalogue["artefacts"]}["notes.md"] == "unknown"
    artefacts = [{**one, "kind": "sql_script"} if one["name"] == "notes.md" else one for one in catalogue["artefacts"]]

    with counted() as count:
        revise(services.database, job_id, "bundle", {**catalogue, "artefacts": artefacts})
        go_on(services, job_id)

    assert count.parsed == Counter(["notes.md"])
    assert count.openings == 0
    assert {one.name: one.kind for one in report_of(services, job_id).read}["notes.md"] == "sql_script"


def test_a_hash_that_is_not_of_the_bundle_is_refused_and_nothing_is_kept_under_it(services: ProcessServices) -> None:
    """What is kept under a hash is what the bytes of that hash say, whatever an operator writes into a catalogue."""
    job_id = tune(services, [SKEWED])
    catalogue = content(services, job_id, "bundle")
    wrong = "0" * 64
    artefacts: list[Json] = [{**one, "sha256": wrong} for one in catalogue["artefacts"]]

    revise(services.database, job_id, "bundle", {**catalogue, "artefacts": artefacts})
    go_on(services, job_id)

    state, error = status(services, job_id)
    assert state == "failed"
    assert "with other content" in str(error)
    assert services.database.statement("SELECT 1 FROM artefact_facts WHERE sha256 = %(it)s", {"it": wrong}) == []


def test_an_operators_classification_is_what_later_steps_go_by(services: ProcessServices) -> None:
    """They strike the log from what was read: the steps behind it go by the script until the log is asked for."""
    job_id = tune(services, [SKEWED])
    classified = content(services, job_id, "classification")
    read = [one for one in classified["read"] if one["name"] != "eventlog.zstd"]

    with counted() as count:
        revise(services.database, job_id, "classification", {**classified, "read": read})
        go_on(services, job_id)

    assert count.parsed == Counter()
    assert count.openings == 0
    assert [one["name"] for one in content(services, job_id, "key_code")["read"]] == ["nightly_engagement.py"]
    assert status(services, job_id)[0] == "succeeded"


def test_two_workers_that_judge_the_same_at_the_same_time_keep_it_once(services: ProcessServices) -> None:
    ref = bring(services.database, services.settings, [SKEWED], owner="default").ref
    catalogue = Catalogue.model_validate(content(services, tune(services, [SKEWED]), "bundle"))
    empty_the_cache(services)
    together = Barrier(4)

    def judge(_worker: int) -> Json:
        together.wait()
        return judgement(services.database, known_of(services, catalogue)).to_json()

    with ThreadPoolExecutor(4) as workers:
        found = list(workers.map(judge, range(4)))

    assert catalogue.kept == ref
    assert all(one == found[0] for one in found)
    rows = services.database.statement("SELECT kind FROM artefact_facts")
    assert Counter(row["kind"] for row in rows)[judging.JUDGEMENT] == 1
    assert len(rows) == 1 + 2 * len(catalogue.artefacts)


def test_a_judgement_is_made_again_when_a_rule_has_changed(services: ProcessServices, monkeypatch: pytest.MonkeyPatch) -> None:
    tune(services, [SKEWED])
    monkeypatch.setattr(judging, "code_version", lambda: "the next release")

    with counted() as count:
        tune(services, [SKEWED])

    assert (count.parsed, count.judged) == (Counter(), 2)


def test_a_judgement_that_cannot_be_read_is_made_again(services: ProcessServices) -> None:
    first = tune(services, [SKEWED])
    services.database.statement("UPDATE artefact_facts SET facts = 'no longer readable'::bytea WHERE kind = 'tune_judgement'")

    with counted() as count:
        second = tune(services, [SKEWED])

    assert (count.parsed, count.judged) == (Counter(), 2)
    assert deliverables(services, second) == deliverables(services, first)


def test_what_a_step_loads_does_not_grow_with_what_it_does_not_need(services: ProcessServices) -> None:
    """The check goes by the evidence alone; the causes by the judgement; the review by the judgement and the script."""
    with counted() as count:
        tune(services, [SKEWED])

    loaded = {step.stage: step.loaded for step in count.steps if step.stage != "evidence"}
    assert loaded["causes"] == loaded["information_check"] == loaded["experience"] == []
    assert set(loaded["key_code"]) == set(loaded["review"]) == {"ScriptFacts", "SourceText"}


def test_a_purge_takes_judgements_that_nobody_used_for_so_long(services: ProcessServices) -> None:
    tune(services, [SKEWED])
    services.database.statement("UPDATE artefact_facts SET used_at = now() - interval '9 days' WHERE kind = 'tune_judgement'")

    assert purge(services.database, timedelta(days=7)).facts == 2
    assert services.database.statement("SELECT 1 FROM artefact_facts WHERE kind = 'tune_judgement'") == []
