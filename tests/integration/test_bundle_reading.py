"""Artefacts are parsed once and remembered: by their bytes, their kind, their parser, and the name they were read as."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from contracts.artefacts import SourceText
from contracts.spark import RunFacts
from tests.support.bundles import deployment, folder_of
from tests.support.eventlog import small_run, to_bytes
from workers.blackboard.engine import Database
from workers.blackboard.retention import purge
from workers.bundles import OpenBundle, kept, open_job_bundle, read_artefact
from workers.bundles.registry import load_kinds
from workers.engines.artefacts.kinds import ArtefactKind, ArtefactSource, Parsed

KINDS = load_kinds(())
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

    assert "failed on it: RuntimeError" in (read_artefact(database, bundle, bundle.artefact("job.py"), kinds).problem or "")
    assert read_artefact(database, bundle, bundle.artefact("job.py"), KINDS).problem is None


def test_a_file_larger_than_its_kind_takes_is_not_opened(database: Database, bundle_of: Callable[..., OpenBundle]) -> None:
    calls: list[str] = []
    kind = replace(counted("pyspark_script", calls), max_bytes=10)
    bundle = bundle_of({"job.py": SCRIPT})

    parsed = read_artefact(database, bundle, bundle.artefact("job.py"), {**KINDS, "pyspark_script": kind})

    assert "more than" in (parsed.problem or "")
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

    assert "does not know its kind 'acme_report'" in (parsed.problem or "")
    assert database.row("SELECT count(*) AS rows FROM artefact_facts") == {"rows": 0}
