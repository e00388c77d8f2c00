"""Jobs from a specification, without a model: reviewed, tried and packed like any other; and the commands around it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from contracts.existing_sql import ExistingSql
from contracts.jobs import EngineChoice, JobStatus
from contracts.pipelines.analysis import Origin
from contracts.pipelines.package import PackageState
from tests.support.benches import silent_bench
from tests.support.databases import Databases
from tests.support.etl_jobs import package_of
from workers.catalogue import Catalogue, offer_sample
from workers.cli import context
from workers.cli.main import app
from workers.coordinator.actions import open_questions
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.base import FinishedJob
from workers.kinds.etl.existing import existing_spec
from workers.kinds.etl.rules.drafting import draft_spec
from workers.kinds.etl.rules.specification import analysis_of, read_spec
from workers.settings import load_settings

SPEC = """\
target: revenue_by_customer
grain: [customer_id]
mode: {mode}
columns:
  - {{name: customer_id}}
  - {{name: paid, meaning: What the customer paid}}
sql: |
  SELECT o.customer_id, SUM(p.amount) AS paid
  FROM orders o JOIN payments p ON p.order_id = o.order_id
  GROUP BY o.customer_id
"""
FAN_OUT = SPEC.replace("  GROUP BY", "  JOIN order_items i ON i.order_id = o.order_id\n  GROUP BY")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[EmbeddedBench]:
    settings = load_settings().model_copy(update={"home": tmp_path_factory.mktemp("home"), "embeddings": "none"})
    with silent_bench(settings, databases) as running:
        offer_sample(running.database, running.settings.data_dir)
        yield running


def submit(bench: EmbeddedBench, spec: str) -> FinishedJob:
    return bench.run_job({"kind": "etl", "spec": spec, "source": "shop"}, EngineChoice.RULES)


@pytest.mark.parametrize("mode", ["overwrite", "upsert"])
def test_a_specification_becomes_a_package_in_its_mode(bench: EmbeddedBench, mode: str) -> None:
    package = package_of(submit(bench, SPEC.format(mode=mode)))

    assert package.state is PackageState.DONE
    assert package.analysis.read_by is Origin.HUMAN
    assert package.scripts[0].written_by is Origin.HUMAN
    assert package.reviews[-1].trial is not None
    assert package.reviews[-1].trial.has_run
    drop = "DROP TABLE IF EXISTS REVENUE_BY_CUSTOMER"
    drops = [item for item in package.scripts[0].statements if item.upper() == drop]
    assert not drops or mode == "overwrite"


def test_a_person_s_query_is_reviewed_by_counterexample_like_a_model_s(bench: EmbeddedBench) -> None:
    """The rights of authors are equal: a fan-out is shown on rows, whoever wrote it."""
    job = submit(bench, FAN_OUT.format(mode="overwrite"))

    assert job.status is not JobStatus.SUCCEEDED or package_of(job).state is not PackageState.DONE


def test_a_fault_in_a_specification_ends_the_job_with_its_line(bench: EmbeddedBench) -> None:
    job = submit(bench, SPEC.format(mode="overwrite").replace("p.amount", "p.amuont"))

    assert job.status is JobStatus.FAILED
    assert "Line 8:" in (job.error or "")
    assert "amount" in (job.error or "")
    assert "cannot be taken yet" in (job.error or "")


def test_a_draft_from_a_requirement_names_the_likely_tables_and_can_be_read_again(bench: EmbeddedBench) -> None:
    catalogue = Catalogue(bench.database, None)
    text = draft_spec(catalogue, ("shop", "duckdb"), "payments_per_day", "What customers paid per day, by payment method", owner="default")
    read = [line for line in text.splitlines() if "# TODO, not read" not in line]
    done = "\n".join(read).replace("  WHERE TODO", "  ")
    analysis = analysis_of(read_spec(done), "shop", "duckdb", catalogue.tables("shop", owner="default"))

    assert "main.payments (" in text
    assert "TODO" in text
    assert analysis.target.table == "payments_per_day"


def test_the_file_of_an_option_reaches_the_request(tmp_path: Path) -> None:
    from workers.cli.requests import build_request

    file = tmp_path / "spec.yaml"
    file.write_text(SPEC.format(mode="append"), "utf-8")

    assert build_request("etl", [], None, [], {"spec": str(file)})["spec"] == SPEC.format(mode="append")


@pytest.fixture
def bullpen(database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Result]]:
    monkeypatch.setenv("BULLPEN_DATABASE_URL", database_url)
    monkeypatch.setenv("BULLPEN_BROKER_URL", broker_url)
    monkeypatch.setenv("BULLPEN_EMBEDDINGS", "none")
    monkeypatch.setenv("BULLPEN_HOME", str(tmp_path / "home"))
    context.forget()
    yield lambda *arguments: CliRunner().invoke(app, list(arguments))
    context.forget()


def test_the_commands_draft_check_and_show_what_the_kind_of_job_takes(bullpen: Callable[..., Result], tmp_path: Path) -> None:
    """The commands know no kind: they ask the one that is registered with a specification."""
    assert bullpen("source", "add", "shop", "--sample").exit_code == 0
    good, wrong, drafted = (tmp_path / name for name in ("good.yaml", "wrong.yaml", "drafted.yaml"))
    good.write_text(SPEC.format(mode="overwrite"), "utf-8")
    wrong.write_text(SPEC.format(mode="overwrite").replace("p.amount", "p.amuont"), "utf-8")

    (tmp_path / "requirement.md").write_text("What customers paid per day, by payment method", "utf-8")

    made = bullpen("spec", "new", "payments_per_day", "--from", str(tmp_path / "requirement.md"), "-o", str(drafted))
    todo = bullpen("spec", "check", str(drafted))
    valid, faulty = bullpen("spec", "check", str(good)), bullpen("spec", "check", str(wrong), "--json")
    shown, content = bullpen("spec", "show", str(good)), bullpen("spec", "show", str(good), "--json")

    assert (made.exit_code, valid.exit_code, faulty.exit_code, shown.exit_code) == (0, 0, 1, 0)
    assert "target: payments_per_day" in drafted.read_text("utf-8")
    assert "# > What customers paid per day, by payment method" in drafted.read_text("utf-8")
    assert todo.exit_code == 1
    assert "Still to be done: WHERE TODO" in todo.output
    [fault] = json.loads(faulty.output)["faults"]
    assert fault["line"] == 8
    assert "amount" in fault["text"]
    assert "revenue_by_customer" in shown.output
    assert json.loads(content.output)["target"]["key"] == ["customer_id"]


UPSERT = """\
CREATE TABLE IF NOT EXISTS orders_current (order_id INTEGER PRIMARY KEY, customer_id INTEGER, ordered_at TIMESTAMP);
INSERT INTO orders_current
SELECT order_id, customer_id, ordered_at FROM orders{where}
ON CONFLICT (order_id) DO UPDATE SET customer_id = excluded.customer_id, ordered_at = excluded.ordered_at;
"""
LATE = "\nWHERE ordered_at > (SELECT COALESCE(MAX(ordered_at), TIMESTAMP '1900-01-01') FROM orders_current)"


@pytest.mark.parametrize(("where", "is_right"), [("", True), (LATE, False)])
def test_a_script_that_is_there_already_is_judged_as_it_is(bench: EmbeddedBench, tmp_path: Path, where: str, is_right: bool) -> None:
    (tmp_path / "current.sql").write_text(UPSERT.format(where=where), "utf-8")
    made = existing_spec(ExistingSql(sql=str(tmp_path / "current.sql")), "shop", "duckdb")

    job = submit(bench, made.text)

    if not is_right:
        assert job.status is not JobStatus.SUCCEEDED or package_of(job).state is not PackageState.DONE
        return
    package = package_of(job)
    assert package.state is PackageState.DONE
    assert package.reviews[-1].issues == ()
    assert [statement.split("(")[0].split("\n")[0].strip() for statement in package.scripts[0].statements] == [
        "CREATE TABLE IF NOT EXISTS orders_current",
        "INSERT INTO orders_current",
    ]


def test_submit_reads_the_files_here_and_asks_for_what_they_do_not_say(bullpen: Callable[..., Result], tmp_path: Path) -> None:
    assert bullpen("source", "add", "shop", "--sample").exit_code == 0
    file = tmp_path / "t.sql"
    file.write_text("SELECT order_id, customer_id FROM orders", "utf-8")

    open_ = bullpen("submit", "etl", "--sql", str(file), "--source", "shop", "--target", "t")
    sent = bullpen("submit", "etl", "--sql", str(file), "--source", "shop", "--target", "t", "--grain", "order_id", "--json")
    drafted = bullpen("spec", "new", "--sql", str(file))
    both = bullpen("submit", "etl", "--sql", str(file), "--dbt", str(tmp_path), "--select", "t")

    assert (open_.exit_code, sent.exit_code, drafted.exit_code, both.exit_code) == (2, 0, 0, 2)
    assert "--grain COLUMN" in " ".join(open_.output.split())
    request = bullpen("show", json.loads(sent.output)["job_id"], "--stage", "input", "--json")
    assert "grain: [order_id]" in request.output
    assert "grain: [TODO]" in drafted.output


def test_sql_that_does_not_fit_the_catalogue_is_refused_before_there_is_a_job(bullpen: Callable[..., Result], tmp_path: Path) -> None:
    """It failed after the steps."""
    assert bullpen("source", "add", "shop", "--sample").exit_code == 0
    assert bullpen("catalogue", "import", "shop").exit_code == 0
    file = tmp_path / "t.sql"
    file.write_text("INSERT INTO revenue_daily SELECT ordered_at, count(*) FROM orders GROUP BY 1", "utf-8")

    refused = bullpen("submit", "etl", "--sql", str(file), "--source", "shop")

    assert refused.exit_code == 2
    assert "t.sql cannot be taken. revenue_daily is neither in the catalogue nor made by the script" in " ".join(refused.output.split())
    assert json.loads(bullpen("jobs", "--json").output) == []


@pytest.mark.parametrize("answer", ["specification", "query", "words"])
def test_a_corrected_specification_answers_the_question_of_its_review(bench: EmbeddedBench, answer: str) -> None:
    right = SPEC.format(mode="overwrite")
    given = {"specification": right, "query": right.partition("sql: |\n")[2], "words": "what is a fan-out?"}[answer]
    asking = submit(bench, FAN_OUT.format(mode="overwrite"))
    assert asking.status is JobStatus.WAITING_HUMAN

    job = bench.answer(asking.job_id, given)

    if answer == "words":
        assert job.status is JobStatus.WAITING_HUMAN
        assert "what is a fan-out?" in str(open_questions(bench.database, job.job_id))
        return
    package = package_of(job)
    assert package.state is PackageState.DONE
    assert "order_items" not in package.scripts[0].sql
    assert package.analysis.target.columns[1].description == "What the customer paid"


def test_a_faulty_specification_in_answer_to_a_review_comes_back_with_its_line(bench: EmbeddedBench) -> None:
    asking = submit(bench, FAN_OUT.format(mode="overwrite"))

    faulty = bench.answer(asking.job_id, SPEC.format(mode="overwrite").replace("p.amount", "p.amonut"))
    asked = str(open_questions(bench.database, faulty.job_id))
    job = bench.answer(faulty.job_id, SPEC.format(mode="overwrite"))

    assert faulty.status is JobStatus.WAITING_HUMAN
    assert "8:29" in asked
    assert package_of(job).state is PackageState.DONE
