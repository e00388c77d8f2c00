"""Each parameter of each task: an edit of it changes what the stage yields or asks, and nothing else is needed for that."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from contracts.base import Json
from contracts.checks import System
from contracts.commands import RunStep
from contracts.jobs import EngineChoice, SubmitJob
from contracts.log_sources import LogKind, LogSource
from contracts.roles import RoleName
from contracts.sources import Source, SourceKind
from tests.support.benches import silent_bench
from tests.support.campaign import sample
from tests.support.databases import Databases
from tests.support.tune_jobs import SAMPLES
from workers.app.in_process import run_all, run_once
from workers.app.run_step import advance_and_publish
from workers.app.services import ProcessServices
from workers.blackboard.board_rows import read_board
from workers.bundles import bring
from workers.catalogue import offer_sample
from workers.checks.systems import add_system
from workers.coordinator.actions import cancel, revise
from workers.coordinator.freshness import look
from workers.coordinator.intake import accept
from workers.coordinator.replay import fork, replay_stage
from workers.coordinator.stage_contracts import find_contract
from workers.coordinator.sweeper import admit_next
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.diagnose.samples import mixed_history_path, sample_incident, sample_tickets_path
from workers.kinds.registry import all_kinds
from workers.logs import add_log
from workers.settings import load_settings
from workers.sources import add_source
from workers.sources.addresses import variable
from workers.tickets import import_tickets, read_tickets

Yielded = dict[str, Any]
SQL = "SELECT channel, COUNT(*) AS n FROM orders GROUP BY channel"
OTHER = "SELECT COUNT(*) AS customers FROM customers"
SPARK_PAIRS = Path(__file__).parents[1] / "bench" / "spark_pairs" / "fixtures"
SERVICES = ("payments", "checkout")
SHIPPED = [key for kind in all_kinds() if kind.name in ("analyze", "ask", "diagnose", "etl", "tune") for key in kind.edits]


@dataclass(frozen=True)
class Case:
    """An edit of one parameter."""

    job: str
    """Which of the jobs below is edited."""
    stage: str
    field: str
    """With a dot: of an argument."""
    value: Any
    """A function makes it from what the stage yields without the edit."""
    shows: Callable[[Yielded], Any]
    """The part of what the stage yields that the edit is to change."""
    beside: Json | None = None
    """Other parameters, for both sides of the comparison."""


def _other_run(compared: Yielded) -> str:
    return next(run["artefact"] for run in compared["runs"] if run["artefact"] != compared["chosen"])


CASES = [
    Case("diagnose", "evidence", "system", "orders", lambda y: y.get("system", "")),
    Case("diagnose", "tickets", "observations", ["the load average is 80 on db-7"], lambda y: [t["similarity"] for t in y["tickets"]]),
    Case("diagnose", "tickets", "systems", ["Redis"], lambda y: {t["ticket_id"] for t in y["tickets"]}),
    Case("diagnose", "diagnosis", "ask", False, lambda y: y.get("forced")),
    Case("diagnose", "diagnosis", "method", "rar", lambda y: y["method"], {"ask": False}),
    Case("diagnose", "diagnosis", "rule_out", lambda y: [y["alternatives"][0]["root_cause"]], lambda y: y["alternatives"], {"ask": False}),
    Case("tune", "bundle", "leave_out", ["tables.json"], lambda y: [a["name"] for a in y["artefacts"]]),
    Case("tune", "classification", "read", ["spark-defaults.conf"], lambda y: [r["name"] for r in y["read"]]),
    Case("tune", "classification", "tuning_class", "excess_shuffle", lambda y: y["tuning_class"]),
    Case("runs", "runs/1", "run", _other_run, lambda y: y["chosen"]),
    Case("tune", "key_code", "read", ["spark-defaults.conf"], lambda y: [r["name"] for r in y["read"]]),
    Case("tune", "experience", "words", "salting of hot keys", lambda y: y["query"]),
    Case("tune", "causes", "suppose", ["cross_join", "gc_pressure", "small_files"], lambda y: {h["kind"] for h in y["hypotheses"]}),
    Case("tune", "evidence", "read", ["spark-defaults.conf"], lambda y: [r["name"] for r in y["read"]]),
    Case("tune", "information_check", "profile", "seed", lambda y: y["profile"]),
    Case("tune", "plan", "leave_out", lambda y: [y["fixes"][0]["kind"]], lambda y: [f["kind"] for f in y["fixes"]]),
    Case("tune", "review", "leave_out", ["F1"], lambda y: len(y["dropped"])),
    Case("tune", "review", "language", "zh", lambda y: y["language"]),
    Case("etl", "analysis", "requirement", "Build orders_by_channel: number of orders per channel", lambda y: y["target"]["table"]),
    Case("etl", "workflow", "component", "FLINK", lambda y: y["jobs"][0]["component"]),
    Case("etl", "script/1", "sql", "SELECT region, COUNT(*) AS revenue FROM customers GROUP BY region", lambda y: y["statements"]),
    Case("etl", "development_review", "samples", True, lambda y: y["trial"]),
    Case("etl", "package", "form", "airflow", lambda y: [f["path"] for f in y["files"]]),
    Case("etl", "package", "language", "zh", lambda y: y["language"]),
    Case("ask", "understand", "question", "How many customers are there per region?", lambda y: y["question"]),
    Case("ask", "plan/2", "tool", "data_discovery", lambda y: [c["tool"] for c in y["calls"]]),
    Case("ask", "plan/3", "strategy", "direct", lambda y: [c["tool"] for c in y["calls"]]),
    Case("ask", "tool/1", "arguments.question", "How many customers are there per region?", lambda y: y["reading"]),
    Case("ask", "tool/1", "arguments.source", "elsewhere", lambda y: y["tables"]),
    Case("ask", "tool/2", "arguments.sql", OTHER, lambda y: y["sql"]),
    Case("ask", "tool/2", "arguments.dialect", "mysql", lambda y: y["dialect"]),
    Case("ask", "tool/2", "arguments.found_by", "call_of_mine", lambda y: y["found_by"]),
    Case("documents", "tool/1", "arguments.question", "What happens when a payment fails?", lambda y: y["cites"]),
    Case("expert", "tool/1", "arguments.question", "What happens when a payment fails?", lambda y: y["cites"]),
    Case("fix", "tool/1", "arguments.sql", "SELECT nmae FROM customers", lambda y: y["sql"]),
    Case("explain", "tool/1", "arguments.sql", OTHER, lambda y: y["says"]),
    Case("execute", "tool/1", "arguments.sql", OTHER, lambda y: y["rows"]),
    Case("execute", "tool/1", "arguments.sql_call", "call_of_mine", lambda y: y["sql_call"]),
    Case("logs", "tool/1", "arguments.question", "app=checkout level=error since yesterday", lambda y: y["logql"]),
    Case("logs", "tool/1", "arguments.logs", "elsewhere", lambda y: y.get("logs", "")),
    Case("analyze", "understand", "question", "分析港湾新区的弱覆盖", lambda y: y["question"]),
    Case("analyze", "skill", "skill", "coverage-analysis", lambda y: y["skill"]["name"]),
    Case("analyze", "act/4", "arguments", {"indicators": ["prb_util_pct"]}, lambda y: y["call"]),
    Case("form", "act/4", "params", {"digitaltwinsId": "NET-02"}, lambda y: y.get("params")),
    Case("analyze", "answer", "language", "en", lambda y: y["language"]),
]
JOBS: dict[str, Json] = {
    "etl": {"kind": "etl", "requirement": "Build region_revenue: revenue per region in 2026.", "source": "shop"},
    "ask": {"kind": "ask", "question": "How many orders are there per channel?", "source": "shop", "strategy": "confirm"},
    "documents": {"kind": "ask", "question": "How long may a customer return something?"},
    "expert": {"kind": "ask", "question": "How long may a customer return something?", "agent": "data_suite_expert"},
    "fix": {"kind": "ask", "question": "fix it", "sql": "SELECT chanel FROM orders", "agent": "fix_sql", "source": "shop"},
    "explain": {"kind": "ask", "question": "explain it", "sql": SQL, "agent": "explain_sql", "source": "shop"},
    "execute": {"kind": "ask", "question": "run it", "sql": SQL, "source": "shop", "strategy": "direct"},
    "logs": {"kind": "ask", "question": "app=payments level=error in the last hour", "agent": "logify"},
    "analyze": {"kind": "analyze", "question": "分析体育中心的容量"},
    "form": {"kind": "analyze", "question": "分析港湾的干扰"},
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[EmbeddedBench]:
    home = tmp_path_factory.mktemp("home")
    settings = load_settings().model_copy(update={"home": home, "embeddings": "none"})
    with silent_bench(settings, databases) as running:
        offer_sample(running.database, running.settings.data_dir)
        for history in (sample_tickets_path(), mixed_history_path() / "tickets.jsonl"):
            import_tickets(running.database, None, read_tickets(history))
        yield running


@pytest.fixture(scope="module")
def services(bench: EmbeddedBench, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProcessServices]:
    folder = tmp_path_factory.mktemp("logs")
    at = datetime.now(UTC).isoformat()
    lines = ({"ts": at, "labels": {"app": service, "level": "error"}, "line": "refused"} for service in SERVICES)
    (folder / "web.jsonl").write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BULLPEN_LOG_WEB_URL", folder.as_uri())
        add_log(bench.database, bench.settings.data_dir, LogSource(name="web", kind=LogKind.FILES))
        patch.setenv(variable("orders_db"), str(bench.settings.database_url))
        add_source(bench.database, bench.settings.data_dir, Source(name="orders_db", kind=SourceKind.POSTGRES, insisted=True))
        for name in ("orders", "billing"):  # of two, none is looked at unless it is named
            add_system(bench.database, System(name=name, source="orders_db"))
        yield vars(bench)["_services"]


@pytest.fixture(scope="module")
def jobs(services: ProcessServices) -> dict[str, UUID]:
    """Jobs that are edited in copies."""
    bundle = _stored(services, SAMPLES / "spark_skew")
    runs = _stored(services, SAMPLES / "spark_skew", SPARK_PAIRS / "tiny_tasks.zstd")
    requests = {
        **JOBS,
        "diagnose": {"kind": "diagnose", "description": sample_incident().description},
        "tune": {"kind": "tune", "bundle": bundle},
        "runs": {"kind": "tune", "bundle": runs},
    }
    made = {name: _submitted(services, request) for name, request in requests.items()}
    run_all(services)
    return made


def _stored(services: ProcessServices, *paths: Path) -> str:
    return bring(services.database, services.settings, paths, owner="default").ref


def _submitted(services: ProcessServices, request: Json) -> UUID:
    return accept(services.database, SubmitJob(job=request, engine=EngineChoice.RULES), owner_cap=100).job_id


def yielded(services: ProcessServices, job_id: UUID, stage: str) -> Yielded:
    """What a stage yields by now; the question that it asks, if it asks one; why it failed, if it did."""
    current = look(read_board(services.database, job_id)).stages[stage].current
    if current is not None:
        row = services.database.row("SELECT content FROM deliverables WHERE id = %(id)s", {"id": current.id})
    else:
        row = services.database.row(
            "SELECT payload AS content FROM requests WHERE job_id = %(id)s AND asker = %(stage)s AND kind = 'question' "
            "AND response IS NULL ORDER BY id DESC LIMIT 1",
            {"id": job_id, "stage": stage},
        )
    assert row is not None, services.database.statement("SELECT stage, status, error FROM steps WHERE job_id = %(id)s", {"id": job_id})
    return row["content"]


def done_again(services: ProcessServices, job_id: UUID, stage: str, edit: Json | None) -> Yielded:
    """What the stage yields in a copy of the job, with the edit. What follows is not done."""
    copy = fork(services.database, job_id, stage, edit=edit)
    admit_next(services.database, copy, owner_cap=1_000)
    advance_and_publish(services, copy)
    step = services.database.row("SELECT id FROM steps WHERE job_id = %(id)s AND stage = %(stage)s", {"id": copy, "stage": stage})
    assert step is not None
    run_once(services, RunStep(job_id=copy, step_id=step["id"], stage=stage))
    admit_next(services.database, copy, owner_cap=1_000)
    advance_and_publish(services, copy)
    found = yielded(services, copy, stage)
    cancel(services.database, copy)
    return found


def as_edit(field: str, value: Any) -> Json:
    """`arguments.sql` is a field of the parameter `arguments`."""
    for part in reversed(field.split(".")):
        value = {part: value}
    return value


@pytest.mark.parametrize("case", sample(CASES, every=2), ids=lambda case: f"{case.job}-{case.stage}-{case.field}")
def test_an_edit_changes_what_its_stage_yields(services: ProcessServices, jobs: dict[str, UUID], case: Case) -> None:
    job_id = jobs[case.job]
    before = done_again(services, job_id, case.stage, case.beside) if case.beside else yielded(services, job_id, case.stage)
    value = case.value(before) if callable(case.value) else case.value

    after = done_again(services, job_id, case.stage, {**(case.beside or {}), **as_edit(case.field, value)})

    assert case.shows(after) != case.shows(before)


def test_a_waived_rule_blocks_no_design_and_makes_a_draft(services: ProcessServices, jobs: dict[str, UUID]) -> None:
    """A reviewer's objection that an operator takes upon themselves is shown as a warning, in the package too."""
    copy = fork(services.database, jobs["etl"], "design_review", edit={"waive": ["column"]})
    analysis = yielded(services, copy, "analysis")
    columns = [*analysis["target"]["columns"], {"name": "not_made"}]
    revise(services.database, copy, "analysis", {**analysis, "target": {**analysis["target"], "columns": columns}})
    run_all(services)
    review = yielded(services, copy, "design_review")

    assert review["passed"]
    assert review["waived"] == ["column"]
    assert [issue["rule"] for issue in review["warnings"]] == ["column"]


def test_nothing_more_is_read_when_an_operator_says_that_it_is_enough(services: ProcessServices) -> None:
    """The edit may come before the stage has run. Without it the check asks for `tables.json`."""
    job_id = _submitted(services, {"kind": "tune", "bundle": _stored(services, SAMPLES / "spark_skew")})
    replay_stage(services.database, job_id, "information_check", edit={"go_on": True})
    run_all(services)

    assert "tables.json" not in [read["name"] for read in yielded(services, job_id, "evidence")["read"]]
    assert not yielded(services, job_id, "information_check")["sufficient"]


OTHERWISE = {("etl.review_design", "waive"), ("tuning.check", "go_on")}
"""Shown by tests of their own above."""


def test_every_parameter_has_a_case(services: ProcessServices, jobs: dict[str, UUID]) -> None:
    """A parameter of which nobody has shown that it acts is a defect."""
    shown = set(OTHERWISE)
    for case in CASES:
        seen = look(read_board(services.database, jobs[case.job])).stages[case.stage]
        shown.add((seen.stage.task, case.field))

    assert shown == {(task, field) for (role, task) in SHIPPED for field in _fields(role, task)}


def _fields(role: RoleName, task: str) -> list[str]:
    contract = find_contract(role, task)
    assert contract is not None
    return list(contract.parameters)
