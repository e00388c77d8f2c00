"""Artefacts are parsed once and remembered: by their bytes, their kind, their parser, and the name they were read as."""

import gc
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from contracts.artefacts import SourceText
from contracts.base import content_hash
from contracts.spark import RunFacts
from tests.support.bundles import deployment, folder_of
from tests.support.eventlog import small_run, to_bytes
from tests.support.said import said
from workers.blackboard.engine import Database
from workers.blackboard.retention import purge
from workers.bundles import ArtefactReader, OpenBundle, kept, kept_files, open_job_bundle, read_artefact, reading
from workers.bundles.facts import from_bytes
from workers.bundles.registry import load_kinds
from workers.engines.artefacts.kinds import ArtefactKind, ArtefactSource, Parsed
from workers.errors import Conflict, NotFound, Unavailable

KINDS = load_kinds(())
LOG = "eventlog_v2_spark-1"
"""The folder of a log in several parts."""

OUTLINE_AND_FACTS = 2
"""Rows of one artefact."""

SCRIPT = b"import pyspark\nspark.read.parquet('/a').show()\n"


@pytest.fixture
def bundle_of(tmp_path: Path) -> Callable[[dict[str, bytes]], OpenBundle]:
    def make(files: dict[str, bytes]) -> OpenBundle:
        folder = folder_of(tmp_path / f"job{len(list(tmp_path.iterdir()))}", files)
        return open_job_bundle(str(folder), deployment(tmp_path, bundle_roots=(tmp_path,)), kinds=KINDS)

    return make


def counted(name: str, calls: list[str]) -> ArtefactKind:
    """The kind, its parser counting."""

    def parse(source: ArtefactSource) -> Parsed:
        calls.append(source.name)
        return KINDS[name].parse(source)

    return replace(KINDS[name], parse=parse)


def test_an_artefact_is_parsed_once_and_comes_back_as_it_was(database: Database, bundle_of: Callable[..., OpenBundle]) -> None:
    calls: list[str] = []
    kinds = {**KINDS, "spark_event_log": counted("spark_event_log", calls), "pyspark_script": counted("pyspark_script", calls)}
    bundle = bundle_of({"eventlog": to_bytes(small_run()), "job.py": SCRIPT})

    first = [read_artefact(database, bundle, artefact, kinds) for artefact in bundle.catalogue.artefacts]
    again = [read_artefact(database, bundle, artefact, kinds) for artefact in bundle.catalogue.artefacts]

    assert calls == ["eventlog", "job.py"]
    assert again == first
    assert isinstance(again[0].facts[0], RunFacts)


def test_the_same_bytes_under_another_name_are_read_under_that_name(database: Database, bundle_of: Callable[..., OpenBundle]) -> None:
    one, other = bundle_of({"one.py": SCRIPT}), bundle_of({"other.py": SCRIPT})

    names = [fact.name for bundle in (one, other) for fact in read_artefact(database, bundle, bundle.catalogue.artefacts[0], KINDS).facts
             if isinstance(fact, SourceText)]  # fmt: skip

    assert names == ["one.py", "other.py"]


def test_a_newer_parser_reads_again(database: Database, bundle_of: Callable[..., OpenBundle]) -> None:
    calls: list[str] = []
    bundle = bundle_of({"job.py": SCRIPT})
    kind = counted("pyspark_script", calls)

    for version in (1, 1, 2):
        read_artefact(database, bundle, bundle.artefact("job.py"), {**KINDS, "pyspark_script": replace(kind, version=version)})

    assert len(calls) == 2


def test_facts_of_an_older_release_that_no_longer_fit_are_read_again(database: Database, bundle_of: Callable[..., OpenBundle]) -> None:
    bundle = bundle_of({"job.py": SCRIPT})
    first = read_artefact(database, bundle, bundle.artefact("job.py"), KINDS)
    database.statement("UPDATE artefact_facts SET facts = 'no longer readable'::bytea")

    assert read_artefact(database, bundle, bundle.artefact("job.py"), KINDS) == first


def test_a_parser_that_fails_is_a_problem_of_its_artefact_and_is_tried_again(
    database: Database, bundle_of: Callable[..., OpenBundle]
) -> None:
    def fails(_source: ArtefactSource) -> Parsed:
        raise RuntimeError("a bug")

    bundle = bundle_of({"job.py": SCRIPT})
    kinds = {**KINDS, "pyspark_script": replace(KINDS["pyspark_script"], parse=fails)}

    assert "failed on it: RuntimeError" in said(read_artefact(database, bundle, bundle.artefact("job.py"), kinds).problem)
    assert read_artefact(database, bundle, bundle.artefact("job.py"), KINDS).problem is None


def test_a_file_larger_than_its_kind_takes_is_not_opened(database: Database, bundle_of: Callable[..., OpenBundle]) -> None:
    calls: list[str] = []
    kind = replace(counted("pyspark_script", calls), max_bytes=10)
    bundle = bundle_of({"job.py": SCRIPT})

    parsed = read_artefact(database, bundle, bundle.artefact("job.py"), {**KINDS, "pyspark_script": kind})

    assert "more than" in said(parsed.problem)
    assert calls == []


def test_the_cache_stays_within_its_bound(
    database: Database, bundle_of: Callable[..., OpenBundle], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "ALL_BYTES", 3_000)
    bundle = bundle_of({f"{number}.py": SCRIPT + b"#" * number for number in range(12)})

    for artefact in bundle.catalogue.artefacts:
        read_artefact(database, bundle, artefact, KINDS)

    (row,) = database.statement("SELECT count(*) AS rows, sum(size_bytes) AS bytes FROM artefact_facts")
    assert 0 < row["rows"] < 24
    assert row["bytes"] <= 3_000


def test_a_purge_takes_facts_that_nobody_used_for_so_long(database: Database, bundle_of: Callable[..., OpenBundle]) -> None:
    bundle = bundle_of({"old.py": SCRIPT, "new.py": SCRIPT + b"#"})
    for artefact in bundle.catalogue.artefacts:
        read_artefact(database, bundle, artefact, KINDS)
    database.statement(
        "UPDATE artefact_facts SET used_at = now() - interval '9 days' WHERE sha256 = %(it)s", {"it": bundle.artefact("old.py").sha256}
    )

    assert purge(database, timedelta(days=7)).facts == OUTLINE_AND_FACTS
    assert len(database.statement("SELECT 1 FROM artefact_facts")) == OUTLINE_AND_FACTS


def test_an_artefact_of_a_kind_that_is_not_installed_here_is_a_problem_and_no_crash(
    database: Database, bundle_of: Callable[..., OpenBundle]
) -> None:
    bundle = bundle_of({"job.py": SCRIPT})
    foreign = bundle.artefact("job.py").model_copy(update={"kind": "acme_report"})

    parsed = read_artefact(database, bundle, foreign, KINDS)

    assert "does not know its kind acme_report" in said(parsed.problem)
    assert database.row("SELECT count(*) AS rows FROM artefact_facts") == {"rows": 0}


def reader_of(database: Database, bundle: OpenBundle, kinds: dict[str, ArtefactKind] = KINDS) -> ArtefactReader:
    return ArtefactReader(database, kinds, lambda artefact: bundle.source(artefact.name))


def test_what_is_known_of_an_artefact_is_had_without_its_facts_or_its_file(
    database: Database, bundle_of: Callable[..., OpenBundle], monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = bundle_of({"eventlog": to_bytes(small_run())})
    first = reader_of(database, bundle).read(bundle.artefact("eventlog"))
    loads: list[bytes] = []
    monkeypatch.setattr(reading, "from_bytes", lambda kept: loads.append(kept) or from_bytes(kept))
    monkeypatch.setattr(bundle, "source", None)

    again = reader_of(database, bundle).read(bundle.artefact("eventlog"))

    assert (again.outline, again.basis) == (first.outline, first.basis)
    assert "RunFacts" in again.outline.shapes
    assert loads == []
    assert again.facts == first.facts
    assert again.facts is again.facts
    assert len(loads) == 1


def test_facts_that_a_release_without_outlines_kept_are_not_parsed_again(database: Database, bundle_of: Callable[..., OpenBundle]) -> None:
    """A rolling deploy, in both directions: the row of the facts is as it was."""
    calls: list[str] = []
    bundle = bundle_of({"job.py": SCRIPT})
    kinds = {**KINDS, "pyspark_script": counted("pyspark_script", calls)}
    first = reader_of(database, bundle, kinds).read(bundle.artefact("job.py"))
    named = content_hash(["job.py", None])
    database.statement("DELETE FROM artefact_facts WHERE read_as <> %(it)s", {"it": named})

    again = reader_of(database, bundle, kinds).read(bundle.artefact("job.py"))

    assert (again.outline, again.facts, again.basis) == (first.outline, first.facts, first.basis)
    assert calls == ["job.py"]
    assert len(database.statement("SELECT 1 FROM artefact_facts")) == OUTLINE_AND_FACTS


def test_a_parser_that_fails_on_what_it_read_before_has_the_step_tried_again(
    database: Database, bundle_of: Callable[..., OpenBundle]
) -> None:
    """The facts are gone from the cache and the outline is not: going on without them would give a poorer plan, silently."""

    def fails(_source: ArtefactSource) -> Parsed:
        raise MemoryError

    bundle = bundle_of({"job.py": SCRIPT})
    reader_of(database, bundle).read(bundle.artefact("job.py"))
    database.statement("DELETE FROM artefact_facts WHERE read_as = %(it)s", {"it": content_hash(["job.py", None])})
    kinds = {**KINDS, "pyspark_script": replace(KINDS["pyspark_script"], parse=fails)}

    known = reader_of(database, bundle, kinds).read(bundle.artefact("job.py"))

    with pytest.raises(Unavailable, match="fails on it now"):
        _ = known.facts


def test_only_what_would_be_read_alike_again_has_a_basis(database: Database, bundle_of: Callable[..., OpenBundle]) -> None:
    """A judgement is kept by the bases of what it rests on."""

    def fails(_source: ArtefactSource) -> Parsed:
        raise RuntimeError("a bug")

    one, other = bundle_of({"one.py": SCRIPT}), bundle_of({"other.py": SCRIPT})
    kinds = {**KINDS, "pyspark_script": replace(KINDS["pyspark_script"], parse=fails)}
    bases = [reader_of(database, bundle).read(bundle.catalogue.artefacts[0]).basis for bundle in (one, other, one)]

    assert bases[0] == bases[2] != bases[1]
    database.statement("DELETE FROM artefact_facts")
    assert reader_of(database, one, kinds).read(one.artefact("one.py")).basis is None


def test_loading_facts_leaves_the_garbage_collector_as_it_was(database: Database, bundle_of: Callable[..., OpenBundle]) -> None:
    bundle = bundle_of({"job.py": SCRIPT})
    for _ in range(2):
        read_artefact(database, bundle, bundle.artefact("job.py"), KINDS)

    assert gc.isenabled()


def test_the_files_of_an_older_catalogue_that_have_changed_since_are_refused(
    database: Database, bundle_of: Callable[..., OpenBundle], tmp_path: Path
) -> None:
    """It does not say where its files were kept, so they are taken in again from where the request names them."""
    bundle = bundle_of({"job.py": SCRIPT})
    settings = deployment(tmp_path, bundle_roots=(tmp_path,))
    older = bundle.catalogue.model_copy(update={"kept": ""})

    assert kept_files(older, older.bundle, settings).source(bundle.artefact("job.py")).path.read_bytes() == SCRIPT
    (Path(older.bundle) / "job.py").write_bytes(SCRIPT + b"#")
    with pytest.raises(Conflict, match="have changed since"):
        kept_files(older, older.bundle, settings)


def test_an_artefact_is_found_by_its_name_and_content_together(bundle_of: Callable[..., OpenBundle], tmp_path: Path) -> None:
    """A catalogue is an operator's to edit; it leads to the files of its own bundle and to no others."""
    run = small_run()
    parts = {f"{LOG}/events_1_spark-1": to_bytes(run[:6]), f"{LOG}/events_2_spark-1": to_bytes(run[6:])}
    bundle = bundle_of({"job.py": SCRIPT, **parts})
    files = kept_files(bundle.catalogue, bundle.catalogue.bundle, deployment(tmp_path, bundle_roots=(tmp_path,)))
    script, log = bundle.artefact("job.py"), bundle.artefact(LOG)

    assert [path.name for path in sorted(files.source(log).path.iterdir())] == ["events_1_spark-1", "events_2_spark-1"]
    for edited in (
        script.model_copy(update={"sha256": log.sha256}),
        script.model_copy(update={"sha256": "../../etc/passwd"}),
        script.model_copy(update={"name": "other.py"}),
        log.model_copy(update={"parts": log.parts[:1]}),
    ):
        with pytest.raises(NotFound, match="The bundle has"):
            files.source(edited)
