"""The roles of `etl` call their tools: the architect by code, the analyst in a model's loop where its prompt has no room for all tables."""

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest

from contracts.jobs import EngineChoice
from contracts.sources import Source, SourceKind
from contracts.statements import Statement
from tests.support.benches import silent_bench
from tests.support.databases import Databases
from tests.support.etl_jobs import package_of
from tests.support.openai_server import Heard, OpenAIServer, Say, good, openai_server
from workers.catalogue import Catalogue, import_items, import_source
from workers.catalogue.forms.queries import read_queries_in
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.base import FinishedJob
from workers.saying import text_of
from workers.settings import load_settings
from workers.sources import add_source

ARCHIVES = 20
WANTED = "Build happiness: how happy our friends are"
"""No word of it is in the catalogue, so that no table is found."""
ANALYSIS: dict[str, Any] = {
    "steps": [{"name": "Count the entries of each unit", "tables": ["zz_register"]}],
    "table": "happiness",
    "columns": [{"name": "unit", "description": "Unit"}, {"name": "entries", "description": "Number of entries"}],
    "key": ["unit"],
    "mode": "overwrite",
    "confidence": 0.9,
}
SCRIPT = "SELECT unit, COUNT(*) AS entries FROM zz_register WHERE unit IS NOT NULL GROUP BY unit"
OPENS = {"step": {"tool": "get_table_detail", "arguments": {"table": "clinic.main.zz_register"}}}


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, server: OpenAIServer, databases: Databases) -> Iterator[EmbeddedBench]:
    """A source with more tables than a small window has room for, and the one that is wanted behind them."""
    path = tmp_path_factory.mktemp("clinic") / "clinic.sqlite"
    with sqlite3.connect(path) as connection:
        for n in range(ARCHIVES):
            connection.execute(f"CREATE TABLE archive_{n:02d} ({', '.join(f'clinic_ward_reading_{c:02d} TEXT' for c in range(20))})")
        connection.execute("CREATE TABLE zz_register (reg_id INTEGER PRIMARY KEY, unit TEXT)")
        connection.execute("CREATE TABLE unit_sizes (unit TEXT, entries INTEGER)")
        connection.execute("CREATE TABLE board_report (unit TEXT)")
        connection.executemany("INSERT INTO zz_register VALUES (?, ?)", [(n, "east" if n % 2 else "west") for n in range(1, 9)])
    connection.close()
    given: dict[str, Any] = {
        "home": tmp_path_factory.mktemp("home"), "embeddings": "none", "model": "test-model",
        "model_base_url": server.base_url, "model_retries": 0, "model_timeout_s": 10.0, "max_attempts": 1,
        "model_context_tokens": 8_192, "model_output_tokens": 1_024,
    }  # fmt: skip
    with pytest.MonkeyPatch.context() as patch, silent_bench(load_settings().model_copy(update=given), databases) as running:
        patch.setenv("BULLPEN_SOURCE_CLINIC_URL", f"sqlite:///{path}")
        add_source(running.database, running.settings.data_dir, Source(name="clinic", kind=SourceKind.SQLITE))
        import_source(running.database, running.embedder, running.settings.data_dir, "clinic")
        report = path.with_name("board.sql")
        report.write_text("CREATE TABLE board_report AS SELECT unit FROM unit_sizes WHERE entries > 3;\n", "utf-8")
        tables = Catalogue(running.database, running.embedder).tables("clinic", owner=None)
        import_items(running.database, "queries:board", list(read_queries_in(report, "clinic", "sqlite", tables)))
        yield running


def run(bench: EmbeddedBench, server: OpenAIServer, *readings: dict[str, Any], first: dict[str, Any] | None = None) -> FinishedJob:
    """A job whose analyst says these in turn, and whose developer says `first` before the script."""
    given = list(readings)
    before = [first] if first else []

    def answer(heard: Heard) -> Say:
        if "You write the query" in heard.raw:
            return good(before.pop() if before else {"step": {"final": {"sql": SCRIPT}}})
        if "You review the scripts" in heard.raw:
            return good({"step": {"final": {"remarks": []}}})
        return good(given.pop(0) if len(given) > 1 else given[0])

    server.by_prompt = answer
    return bench.run_job({"kind": "etl", "requirement": WANTED, "source": "clinic"}, EngineChoice.AUTO)


def called(bench: EmbeddedBench, job: FinishedJob) -> list[tuple[str, str, str]]:
    rows = bench.database.statement(
        "SELECT s.stage, c.tool, c.outcome FROM tool_calls c JOIN steps s ON s.id = c.step_id WHERE s.job_id = %(id)s "
        "ORDER BY s.stage, c.number",
        {"id": job.job_id},
    )
    return [(row["stage"], row["tool"], row["outcome"]) for row in rows]


def test_an_analyst_opens_a_table_for_which_its_prompt_had_no_room(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """E8, E19: light cards in the prompt, the details by a tool, within the owner's rights."""
    job = run(bench, server, OPENS, {"step": {"final": ANALYSIS}})

    assert package_of(job).analysis.tables == ("main.zz_register",)
    assert called(bench, job) == [("analysis", "get_table_detail", "answered"), ("workflow", "list_component", "answered")]
    first, second = [heard for heard in server.heard if "You are the analyst" in heard.raw][-2:]
    assert "reg_id" not in json.dumps(first.body)
    assert "zz_register" in first.user_text.partition("# Further tables")[2]
    assert "reg_id" in json.dumps(second.body)


def test_a_developer_opens_the_tables_that_its_script_reads(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """E8, E9: also those that no search has found."""
    job = run(bench, server, OPENS, {"step": {"final": ANALYSIS}}, first=OPENS)

    assert ("script/1", "get_table_detail", "answered") in called(bench, job)


def test_a_target_that_others_are_computed_from_is_a_risk_of_the_design(bench: EmbeddedBench) -> None:
    """E8: the architect's own tools, by code."""
    spec = f"target: unit_sizes\nsource: clinic\ngrain: [unit]\nsql: {SCRIPT}\n"
    job = bench.run_job({"kind": "etl", "spec": spec}, EngineChoice.RULES)

    said = [text_of(risk, "en") for risk in package_of(job).workflow.risks if isinstance(risk, Statement)]
    assert "Computed from unit_sizes, which is there already: main.board_report. Look there before it changes." in said
    assert [(tool, outcome) for _, tool, outcome in called(bench, job)] == [
        ("list_component", "answered"),
        ("get_table_lineage", "answered"),
    ]
