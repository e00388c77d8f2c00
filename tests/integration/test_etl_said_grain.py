"""Requirements whose grain is said and whose rule is not in the grammar: with a model they become rows; without one the draft keeps the
grain, and the question names what was not read."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from contracts.jobs import EngineChoice, JobStatus
from contracts.pipelines.package import PackageState
from contracts.sources import Source, SourceKind
from contracts.statements import Statement
from tests.support.benches import silent_bench
from tests.support.databases import Databases
from tests.support.etl_jobs import package_of
from tests.support.openai_server import Heard, OpenAIServer, Say, good, openai_server
from workers.catalogue import import_source
from workers.coordinator.actions import open_questions
from workers.evaluation.bench import EmbeddedBench
from workers.saying import text_of
from workers.settings import load_settings
from workers.sources import add_source

SCHEMA = """
CREATE TABLE balances (account_id integer, changed_on date, balance real, primary key (account_id, changed_on));
CREATE TABLE order_status (order_id integer, status text, changed_at timestamp);
CREATE TABLE events (event_id integer primary key, user_id integer, event_time timestamp, utm_source text);
INSERT INTO balances VALUES (1, '2025-03-02', 10), (1, '2025-03-20', 40);
INSERT INTO order_status VALUES (1, 'created', '2025-03-01 09:00:00'), (1, 'paid', '2025-03-01 12:00:00'),
  (2, 'created', '2025-03-02 09:00:00');
INSERT INTO events VALUES (1, 5, '2025-03-01 08:00:00', null),
  (2, 5, '2025-03-01 09:00:00', 'mail'), (3, 5, '2025-03-02 09:00:00', 'google');
"""
DAILY = (
    "Build balance_daily: one row per account and day in March 2025, with the last known balance carried forward on days without a change."
)
TIMES = (
    "Build order_times, one row per order_id of order_status: order_id; created_at (changed_at of the row with status created); paid_at "
    "(changed_at of status paid); hours (hours between created_at and paid_at)."
)
TOUCH = "Build first_touch, one row per user_id of events: user_id; utm_source (utm_source of the earliest event that has one)."
MARCH = (
    "WITH RECURSIVE days(day) AS (SELECT DATE('2025-03-01') UNION ALL SELECT DATE(day, '+1 day') FROM days WHERE day < '2025-03-31') "
    "SELECT a.account_id, d.day, (SELECT b.balance FROM balances b WHERE b.account_id = a.account_id AND b.changed_on <= d.day "
    "ORDER BY b.changed_on DESC LIMIT 1) AS balance FROM (SELECT DISTINCT account_id FROM balances) a CROSS JOIN days d "
    "WHERE EXISTS (SELECT 1 FROM balances b WHERE b.account_id = a.account_id AND b.changed_on <= d.day)"
)


def analysis(table: str, read: str, columns: list[str], key: list[str], step: str) -> dict[str, Any]:
    return {
        "steps": [{"name": step, "tables": [read]}], "table": table, "columns": [{"name": column} for column in columns], "key": key,
        "mode": "overwrite", "confidence": 0.95,
    }  # fmt: skip


CASES: dict[str, tuple[dict[str, Any], str, list[tuple[Any, ...]]]] = {
    DAILY: (
        analysis("balance_daily", "balances", ["account_id", "day", "balance"], ["account_id", "day"], "Carry the last balance forward"),
        MARCH,
        [(1, f"2025-03-{day:02d}", 10.0 if day < 20 else 40.0) for day in range(2, 32)],
    ),
    TIMES: (
        analysis("order_times", "order_status", ["order_id", "created_at", "paid_at", "hours"], ["order_id"], "Pivot the status"),
        "SELECT order_id, MIN(CASE WHEN status = 'created' THEN changed_at END) AS created_at, "
        "MIN(CASE WHEN status = 'paid' THEN changed_at END) AS paid_at, "
        "ROUND((JULIANDAY(MIN(CASE WHEN status = 'paid' THEN changed_at END)) - JULIANDAY(MIN(CASE WHEN status = 'created' THEN "
        "changed_at END))) * 24, 2) AS hours FROM order_status WHERE order_id IS NOT NULL GROUP BY order_id",
        [(1, "2025-03-01 09:00:00", "2025-03-01 12:00:00", 3.0), (2, "2025-03-02 09:00:00", None, None)],
    ),
    TOUCH: (
        analysis("first_touch", "events", ["user_id", "utm_source"], ["user_id"], "Take the earliest source"),
        "SELECT user_id, (SELECT f.utm_source FROM events f WHERE f.user_id = u.user_id AND f.utm_source IS NOT NULL "
        "ORDER BY f.event_time, f.event_id LIMIT 1) AS utm_source FROM (SELECT DISTINCT user_id FROM events WHERE user_id IS NOT NULL) u",
        [(5, "mail")],
    ),
}


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("web") / "web.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(SCHEMA)
    connection.close()
    return path


@pytest.fixture(scope="module")
def bench(web: Path, tmp_path_factory: pytest.TempPathFactory, server: OpenAIServer, databases: Databases) -> Iterator[EmbeddedBench]:
    given: dict[str, Any] = {
        "home": tmp_path_factory.mktemp("home"), "embeddings": "none", "model": "test-model",
        "model_base_url": server.base_url, "model_retries": 0, "model_timeout_s": 10.0, "max_attempts": 1,
    }  # fmt: skip
    with pytest.MonkeyPatch.context() as patch, silent_bench(load_settings().model_copy(update=given), databases) as running:
        patch.setenv("BULLPEN_SOURCE_WEB_URL", f"sqlite:///{web}")
        add_source(running.database, running.settings.data_dir, Source(name="web", kind=SourceKind.SQLITE))
        import_source(running.database, running.embedder, running.settings.data_dir, "web")
        yield running


@pytest.mark.parametrize("requirement", CASES)
def test_with_a_model_they_become_rows(requirement: str, bench: EmbeddedBench, server: OpenAIServer, web: Path) -> None:
    reading, sql, rows = CASES[requirement]

    def answer(heard: Heard) -> Say:
        if "You are the analyst" in heard.raw:
            return good(reading)
        return good({"step": {"final": {"remarks": []} if "You review the scripts" in heard.raw else {"sql": sql}}})

    server.by_prompt = answer
    job = bench.run_job({"kind": "etl", "requirement": requirement, "source": "web"}, EngineChoice.AUTO)

    package = package_of(job)
    assert package.state is PackageState.DONE, json.dumps([str(line) for line in package.open])
    assert list(package.analysis.target.key) == reading["key"]
    with sqlite3.connect(web) as source, sqlite3.connect(":memory:") as copy:
        source.backup(copy)
        for statement in package.scripts[0].statements:
            copy.execute(statement)
        found = copy.execute(f"SELECT * FROM {reading['table']} ORDER BY 1, 2").fetchall()  # noqa: S608 a name of this file
    assert found == rows


@pytest.mark.parametrize(
    ("requirement", "grain", "not_read"),
    [
        (DAILY, ["account_id", "day"], "carried forward"),
        (TIMES, ["order_id"], "hours between"),
        (TOUCH, ["user_id"], "earliest"),
    ],
)
def test_without_a_model_the_draft_keeps_the_grain_and_the_question_names_what_was_not_read(
    requirement: str, grain: list[str], not_read: str, bench: EmbeddedBench
) -> None:
    job = bench.run_job({"kind": "etl", "requirement": requirement, "source": "web"}, EngineChoice.RULES)

    assert job.status is JobStatus.WAITING_HUMAN, job.error
    payload = open_questions(bench.database, job.job_id)[-1]["payload"]
    draft = payload["detail"]["spec"]
    assert yaml.safe_load(draft)["grain"] == grain
    assert not_read in draft.partition("TODO, not read: ")[2]
    assert not_read in text_of(Statement.model_validate(payload["text"]), "en")
