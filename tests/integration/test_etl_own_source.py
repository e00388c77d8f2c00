"""Requirements over somebody's own SQLite file, whose times are text: questions that can be answered, and packages that run there."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.jobs import EngineChoice, JobStatus
from contracts.pipelines.package import EtlPackage, PackageState
from contracts.sources import Source, SourceKind
from contracts.statements import Statement
from tests.support.benches import silent_bench
from tests.support.databases import Databases
from tests.support.etl_jobs import package_of
from workers.catalogue import Catalogue, import_source
from workers.coordinator.actions import open_questions
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.base import FinishedJob
from workers.saying import text_of
from workers.settings import load_settings
from workers.sources import add_source

SCHEMA = """
CREATE TABLE lifts (lift_id INTEGER PRIMARY KEY, lift_name TEXT NOT NULL, sector TEXT);
CREATE TABLE tkt_sls (tkt_id INTEGER PRIMARY KEY, tkt_type TEXT, sold_ts TEXT NOT NULL, price_eur REAL NOT NULL);
CREATE TABLE scans (
  scan_id INTEGER PRIMARY KEY, tkt_id INTEGER NOT NULL REFERENCES tkt_sls (tkt_id), lift_id INTEGER NOT NULL REFERENCES lifts (lift_id),
  scan_ts TEXT NOT NULL, note TEXT
);
CREATE TABLE guests (guestNo INTEGER PRIMARY KEY, bornOn TEXT, visitedAt TEXT);
"""


def lay(path: Path) -> None:
    """Three winter months. `note` begins with dates and holds none, and `bornOn` has one text that is no date."""
    with sqlite3.connect(path) as connection:
        connection.executescript(SCHEMA)
        for n in range(1, 5):
            connection.execute("INSERT INTO lifts VALUES (?, ?, ?)", (n, f"Lift {n}", "north" if n % 2 else "south"))
        for n in range(1, 61):
            day, kind = f"2026-{1 + n % 3:02d}-{1 + n % 28:02d} {8 + n % 9:02d}:12:00", "day" if n % 3 else "season"
            connection.execute("INSERT INTO tkt_sls VALUES (?, ?, ?, ?)", (n, kind, day, 39.5 if n % 2 else 59.0))
        for n in range(1, 301):
            day = f"2026-{1 + n % 3:02d}-{1 + (n * 7) % 28:02d} {8 + n % 9:02d}:{n % 60:02d}:00"
            note = "2026-01-05" if n == 1 else "2026-12-31" if n == 2 else f"2026-0{n}"
            connection.execute("INSERT INTO scans VALUES (?, ?, ?, ?, ?)", (n, 1 + n % 60, 1 + n % 4, day, note))
        for n in range(1, 61):
            born = "2000-01-01" if n == 1 else "1980-02-03" if n == 2 else "1990-3-4" if n == 3 else f"1990-05-{1 + n % 28:02d}"
            connection.execute("INSERT INTO guests VALUES (?, ?, ?)", (n, born, f"2026-01-{1 + n % 28:02d}T10:{n % 60:02d}"))
    connection.close()


@pytest.fixture(scope="module")
def resort(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("resort") / "resort.sqlite"
    lay(path)
    return path


@pytest.fixture(scope="module")
def bench(resort: Path, tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[EmbeddedBench]:
    settings = load_settings().model_copy(update={"home": tmp_path_factory.mktemp("home"), "embeddings": "none"})
    with pytest.MonkeyPatch.context() as patched, silent_bench(settings, databases) as running:
        patched.setenv("BULLPEN_SOURCE_RESORT_URL", f"sqlite:///{resort}")
        add_source(running.database, running.settings.data_dir, Source(name="resort", kind=SourceKind.SQLITE))
        import_source(running.database, running.embedder, running.settings.data_dir, "resort")
        yield running


def submit(bench: EmbeddedBench, requirement: str) -> FinishedJob:
    return bench.run_job({"kind": "etl", "requirement": requirement, "source": "resort"}, EngineChoice.RULES)


def asked(bench: EmbeddedBench, job: FinishedJob) -> tuple[str, list[str]]:
    """The open question and its choices, in English."""
    assert job.status is JobStatus.WAITING_HUMAN, job.error
    payload = open_questions(bench.database, job.job_id)[-1]["payload"]
    return said(payload["text"]), [said(choice) for choice in payload["choices"]]


def said(text: object) -> str:
    return text if isinstance(text, str) else text_of(Statement.model_validate(text), "en")


def assert_gives(package: EtlPackage, resort: Path, query: str) -> None:
    """The package's scripts, run by SQLite itself on a copy of the source, leave the rows of a query."""
    with sqlite3.connect(resort) as source, sqlite3.connect(":memory:") as copy:
        source.backup(copy)
        for script in package.scripts:
            for statement in script.statements:
                copy.execute(statement)
        found = copy.execute(f"SELECT * FROM {package.analysis.target.table}").fetchall()  # noqa: S608 a name that code checked
        wanted = copy.execute(query).fetchall()
    assert wanted
    assert sorted(found) == sorted(wanted)


def test_an_import_sees_which_texts_are_times(bench: EmbeddedBench) -> None:
    """Each value has to be one: neither the smallest and greatest alone, nor most of them."""
    tables = Catalogue(bench.database, bench.embedder).tables("resort", owner=None)
    held = {f"{table.name}.{column.name}": column.holds for table in tables for column in table.columns if column.holds}

    assert held == {"tkt_sls.sold_ts": "timestamp", "scans.scan_ts": "timestamp", "guests.visitedAt": "timestamp"}


@pytest.mark.parametrize(
    ("requirement", "query"),
    [
        ("Build by_lift: number of scans per month", "SELECT DATE(scan_ts, 'start of month'), COUNT(*) FROM scans GROUP BY 1"),
        ("Build late_sales: number of tkt_sls per tkt_type", "SELECT tkt_type, COUNT(*) FROM tkt_sls GROUP BY 1"),
    ],
)
def test_scripts_give_the_same_in_sqlite_itself(bench: EmbeddedBench, resort: Path, requirement: str, query: str) -> None:
    """Where a text column holds times, the steps convert it."""
    package = package_of(submit(bench, requirement))

    assert package.state is PackageState.DONE
    assert_gives(package, resort, query)
