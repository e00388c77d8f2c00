"""All rows of an answer as a file, and its pages in the terminal."""

import csv
import io
import json
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import duckdb
import pytest
from typer.testing import CliRunner, Result

from contracts.ask.results import Queried
from contracts.ask.steps import AskPlan
from contracts.jobs import EngineChoice
from contracts.sources import Source, SourceKind, SourceLimits, SourcePolicy, Verdict
from tests.support.benches import silent_bench
from tests.support.databases import Databases
from tests.support.tune_jobs import SAMPLES
from workers.bundles import bring
from workers.catalogue import offer_sample
from workers.cli import context
from workers.cli.main import app
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.base import FinishedJob
from workers.settings import load_settings
from workers.sources import add_source, list_executions, list_policies, remove_policy, remove_source, set_policy

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[EmbeddedBench]:
    home = tmp_path_factory.mktemp("home")
    settings = load_settings().model_copy(update={"home": home, "embeddings": "none"})
    with silent_bench(settings, databases) as running:
        offer_sample(running.database, running.settings.data_dir)
        yield running


@pytest.fixture
def run(bench: EmbeddedBench, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """The command line on the bench's servers."""
    monkeypatch.setenv("BULLPEN_DATABASE_URL", str(bench.settings.database_url))
    monkeypatch.setenv("BULLPEN_BROKER_URL", "redis://127.0.0.1:9/0")
    monkeypatch.setenv("BULLPEN_HOME", str(bench.settings.home))
    context.forget()
    yield lambda *arguments: CliRunner().invoke(app, list(arguments))
    context.forget()


def ask(bench: EmbeddedBench, question: str, strategy: str = "direct") -> FinishedJob:
    request = {"kind": "ask", "question": question, "source": "shop", "strategy": strategy}
    return bench.run_job(request, EngineChoice.RULES, session_id=uuid4())


@pytest.fixture(scope="module")
def days(bench: EmbeddedBench) -> FinishedJob:
    return ask(bench, "How many orders per day in 2025?")


def rows_of(job: FinishedJob) -> tuple[tuple[object, ...], ...]:
    answer = AskPlan.model_validate(job.result).answer
    assert answer is not None
    found = answer.results[-1]
    assert isinstance(found, Queried)
    return found.rows


def test_the_rows_of_an_answer_become_a_csv_file_and_an_audit_row(
    bench: EmbeddedBench, days: FinishedJob, run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "days.csv"
    result = run("export", str(days.job_id), "--to", str(file), "--json")
    rows = list(csv.reader(io.StringIO(file.read_bytes().decode("utf-8-sig"), newline="")))
    latest = list_executions(bench.database, job_id=days.job_id)[0]

    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["complete"] is True
    assert rows[0] == ["day", "n"]
    assert rows[1:] == [[str(cell) for cell in row] for row in rows_of(days)]
    assert latest.rows == len(rows) - 1
    assert [path.name for path in tmp_path.iterdir()] == ["days.csv"]


def test_the_rows_of_an_answer_become_a_parquet_file_with_types(days: FinishedJob, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "days.parquet"
    result = run("export", str(days.job_id), "--to", str(file))
    with duckdb.connect() as connection:
        read = connection.read_parquet(str(file))
        kinds, rows = [str(kind) for kind in read.types], read.fetchall()

    assert result.exit_code == 0, result.output
    assert kinds[1] == "BIGINT"
    assert len(rows) == len(rows_of(days))


def test_a_file_that_exists_is_kept_unless_the_user_says_so(days: FinishedJob, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "days.csv"
    file.write_text("mine")
    refused = run("export", str(days.job_id), "--to", str(file))
    kept = file.read_text()
    replaced = run("export", str(days.job_id), "--to", str(file), "--overwrite")

    assert refused.exit_code == 5
    assert kept == "mine"
    assert replaced.exit_code == 0
    assert file.read_text("utf-8-sig").startswith("day,n")


def test_an_answer_without_a_statement_that_ran_has_nothing_to_export(bench: EmbeddedBench, run: Run, tmp_path: Path) -> None:
    tables = ask(bench, "Which table holds the refunds?")
    only_sql = ask(bench, "How many orders are there per channel?", strategy="confirm")
    found = [run("export", str(job.job_id), "--to", str(tmp_path / "x.csv")) for job in (tables, only_sql)]
    wrong = run("export", str(tables.job_id), "--to", str(tmp_path / "x.xls"))

    assert [result.exit_code for result in found] == [5, 5]
    assert wrong.exit_code in (2, 5)
    assert list(tmp_path.iterdir()) == []


def test_the_policies_of_now_apply_to_the_export(bench: EmbeddedBench, days: FinishedJob, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "days.csv"
    before = len(list_policies(bench.database, "shop"))
    set_policy(bench.database, bench.settings.data_dir, "shop", SourcePolicy(owner="*", table="orders", predicate="1 = 0"))
    try:
        result = run("export", str(days.job_id), "--to", str(file))
    finally:
        remove_policy(bench.database, "shop", "*", "orders")

    assert before == 0
    assert result.exit_code == 0
    assert len(file.read_text("utf-8-sig").splitlines()) == 1
    assert "had 365 rows" in result.output
    assert any(lock.verdict is Verdict.REWRITTEN for lock in list_executions(bench.database, job_id=days.job_id)[0].locks)


def test_a_limit_of_the_source_and_a_source_that_is_gone_are_said(
    bench: EmbeddedBench, days: FinishedJob, run: Run, tmp_path: Path
) -> None:
    folder = bench.settings.data_dir
    remove_source(bench.database, "shop")
    gone = run("export", str(days.job_id), "--to", str(tmp_path / "gone.csv"))
    add_source(
        bench.database, folder, Source(name="shop", kind=SourceKind.DUCKDB, sample=True, limits=SourceLimits(rows=100))
    )  # fmt: skip
    cut = run("export", str(days.job_id), "--to", str(tmp_path / "cut.csv"))
    remove_source(bench.database, "shop")
    add_source(bench.database, folder, Source(name="shop", kind=SourceKind.DUCKDB, sample=True))

    assert gone.exit_code == 4
    assert cut.exit_code == 1
    assert "not all rows" in cut.output
    assert "after 100 rows" in cut.output
    assert len((tmp_path / "cut.csv").read_text("utf-8-sig").splitlines()) == 101
    assert not (tmp_path / "gone.csv").exists()


def test_the_rows_are_read_page_by_page(days: FinishedJob, run: Run) -> None:
    last = run("show", str(days.job_id), "--page", "8")
    past = run("show", str(days.job_id), "--page", "9")
    whole = run("show", str(days.job_id))
    chinese = run("show", str(days.job_id), "--page", "2", "--language", "zh")

    assert last.exit_code == 0, last.output
    assert "2025-12-31" in last.output
    assert "Rows 351 to 365 of 365; page 8 of 8" in last.output
    assert past.exit_code == 2
    assert "pages 1 to 8" in past.output
    assert "bullpen export" in " ".join(whole.output.split())
    assert "第 51 至 100 行" in chinese.output


def test_the_charts_of_an_answer_become_files(bench: EmbeddedBench, run: Run, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="the extra `charts`, which the development packages have")
    job = ask(bench, "How many orders are there per channel?")

    written = run("export", str(job.job_id), "--to", str(tmp_path / "chart.vl.json"))
    drawn = run("export", str(job.job_id), "--to", str(tmp_path / "chart.svg"))
    again = run("export", str(job.job_id), "--to", str(tmp_path / "chart.svg"))

    assert written.exit_code == 0, written.output
    spec = json.loads((tmp_path / "chart.vl.json").read_text("utf-8"))
    assert {row["x"] for row in spec["datasets"]["rows"]} == {"app", "store", "web"}
    assert drawn.exit_code == 0, drawn.output
    assert (tmp_path / "chart.svg").read_bytes().startswith(b"<svg")
    assert again.exit_code != 0


def test_the_files_of_a_package_are_written_to_a_folder_or_an_archive(bench: EmbeddedBench, run: Run, tmp_path: Path) -> None:
    requirement = "Build region_revenue: revenue per region in 2026."
    job = str(bench.run_job({"kind": "etl", "requirement": requirement, "source": "shop"}, EngineChoice.RULES).job_id)
    folder, archive = tmp_path / "package", tmp_path / "package.zip"

    written = json.loads(run("export", job, "--to", str(folder), "--json").stdout)["files"]
    again = run("export", job, "--to", str(folder))
    packed = run("export", job, "--to", str(archive))

    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()) == sorted(written)
    assert {"README.md", "dbt_project.yml"} <= set(written)
    assert (again.exit_code, "is not empty" in " ".join(again.stderr.split())) == (5, True)
    assert run("export", job, "--to", str(folder), "--overwrite").exit_code == 0
    assert packed.exit_code == 0
    with zipfile.ZipFile(archive) as found:
        assert found.namelist() == [f"package/{path}" for path in written]
        assert found.read("package/README.md").decode() == (folder / "README.md").read_text("utf-8")
    assert run("export", job, "--to", str(archive)).exit_code == 5


def test_the_changed_lines_of_a_tune_job_are_a_patch_for_git(bench: EmbeddedBench, run: Run, tmp_path: Path) -> None:
    ref = bring(bench.database, bench.settings, [SAMPLES / "spark_skew"], owner="default").ref
    job = str(bench.run_job({"kind": "tune", "bundle": ref}, EngineChoice.RULES).job_id)
    script = tmp_path / "nightly_engagement.py"
    script.write_bytes((SAMPLES / "spark_skew" / script.name).read_bytes())

    written = run("export", job, "--to", str(tmp_path / "fixes.patch"))
    again = run("export", job, "--to", str(tmp_path / "fixes.patch"))
    subprocess.run(["git", "apply", "fixes.patch"], cwd=tmp_path, check=True)

    assert written.exit_code == 0, written.output
    assert again.exit_code == 5
    assert "F.broadcast(visitors)" in script.read_text("utf-8")


def test_a_result_without_files_says_so(bench: EmbeddedBench, run: Run, tmp_path: Path) -> None:
    job = str(bench.run_job({"kind": "ask", "question": "How many orders are there?", "source": "shop"}, EngineChoice.RULES).job_id)

    refused = run("export", job, "--to", str(tmp_path / "package"))

    assert refused.exit_code == 5
    assert "holds no files" in " ".join(refused.stderr.split())
    assert "--to FILE.html" in " ".join(refused.stderr.split())
    assert not (tmp_path / "package").exists()


def test_every_job_has_a_report_to_export(days: FinishedJob, run: Run, tmp_path: Path) -> None:
    job = str(days.job_id)
    page, text = tmp_path / "report.html", tmp_path / "report.md"

    assert run("export", job, "--to", str(page)).exit_code == 0
    assert run("export", job, "--to", str(text)).exit_code == 0

    about = text.read_text("utf-8").partition("## About this report")[2]
    assert all(part in about for part in ("- asked: ", job, "submitted: ", "ended: ", "| `understand` | `1` | rules |"))
    assert page.read_text("utf-8") == run("show", job, "--format", "html", "--details").stdout
    assert text.read_text("utf-8") == run("show", job, "--format", "md", "--details").stdout
    assert run("export", job, "--to", str(page)).exit_code == 5
    assert run("export", job, "--to", str(page), "--overwrite").exit_code == 0
