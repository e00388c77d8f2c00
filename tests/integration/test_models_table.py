"""The table of docs/models.md against whole jobs with engine `llm` and a model over HTTP: the tasks that it names ask, and no others."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from contracts.jobs import EngineChoice
from contracts.log_sources import LogKind, LogSource
from tests.integration.test_etl_model import ANALYSIS, LOYAL
from tests.integration.test_etl_model import RIGHT as SCRIPT
from tests.support.benches import silent_bench
from tests.support.databases import Databases
from tests.support.model_jobs import recommends
from tests.support.model_steps import model_steps
from tests.support.openai_server import Heard, OpenAIServer, Say, good, openai_server
from tests.support.ovens import ovens
from tests.support.tune_answers import NOTHING, OPENINGS, fix, plan_answer
from tests.support.tune_jobs import SAMPLES
from workers.bundles import bring
from workers.catalogue import offer_sample
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.diagnose.samples import sample_incident, sample_tickets_path
from workers.logs import add_log
from workers.settings import SHIPPED_SKILLS, load_settings
from workers.tickets import import_tickets, read_tickets

TABLE = {(step.role.value, step.task): step for step in model_steps()}
SQL = "SELECT channel, COUNT(*) AS orders FROM main.orders GROUP BY channel"
BROKEN = "SELECT chanel FROM main.orders"
EXECUTE = {"tool": "execute_sql_and_analyze_result"}

ANSWERS: dict[str, Any] = {
    "You are the developer of a data platform": {"step": {"final": {"sql": SQL}}},
    "You tell a user what the result": {"sentences": ["Web has most."]},
    "You mend a SQL statement": {"sql": "SELECT channel FROM main.orders", "changes": ["The column."]},
    "You explain what a SQL statement computes": {"sentences": ["It counts orders."]},
    "You write a LogQL query": {"logql": '{app="api"}'},
    "You answer a question from passages": {"sentences": []},
    "You are the analyst of a data team": ANALYSIS,
    "You review the scripts that fill a table": {"step": {"final": {"remarks": []}}},
    "You write the query that fills a table": {"step": {"final": {"sql": SCRIPT}}},
    "You answer a user's question by following a skill": {"step": {"final": {"answer": "Heat it."}}},
    "Say in ": {"summary": "It is weak."},
    "You help to find the root cause": recommends("The plan runs a nested loop"),
    "You are the diagnoser": {
        "reasoning": "-", "findings": [], "causes": [], "items": [], "summary": "Not known.", "action": "unknown",
    },
    **{opening: NOTHING[name] for name, opening in OPENINGS.items()},
    OPENINGS["plan"]: plan_answer(fix()),
}  # fmt: skip
"""What the model says to a prompt that has these words."""


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, server: OpenAIServer, databases: Databases) -> Iterator[EmbeddedBench]:
    home = tmp_path_factory.mktemp("home")
    log = tmp_path_factory.mktemp("log")
    (log / "a.jsonl").write_text(json.dumps({"ts": "2026-01-01T00:00:00Z", "labels": {"app": "api"}, "line": "up"}) + "\n", "utf-8")
    given: dict[str, Any] = {
        "home": home, "embeddings": "none", "model": "test-model", "model_base_url": server.base_url,
        "model_retries": 0, "model_timeout_s": 10.0, "max_attempts": 1, "skills": (SHIPPED_SKILLS, str(home / "skills")),
    }  # fmt: skip
    with (
        pytest.MonkeyPatch.context() as patch,
        ovens(home / "skills"),
        silent_bench(load_settings().model_copy(update=given), databases) as running,
    ):
        patch.setenv("BULLPEN_LOG_WEB_URL", log.as_uri())
        offer_sample(running.database, running.settings.data_dir)
        add_log(running.database, running.settings.data_dir, LogSource(name="web", kind=LogKind.FILES))
        import_tickets(running.database, None, read_tickets(sample_tickets_path()))
        yield running


def asked(bench: EmbeddedBench, server: OpenAIServer, request: dict[str, Any], tool: dict[str, Any]) -> dict[str, set[str]]:
    """Task → the prompts that its steps asked with, of those whose steps were done. All calls fit the table."""

    def say(heard: Heard) -> Say:
        words = " ".join(" ".join(str(message["content"]) for message in heard.body["messages"]).split())
        if "You are the supervisor" in words:
            return good({"final_intent": tool["tool"], **tool})
        if "Select the skill" in words:
            return good({"skill_name": "oven-check" if "bakery" in words.rpartition("# The message")[2] else "coverage-analysis"})
        if "Choose the values of its argument" in words:
            return good({"values": [words.partition('options [ "')[2].partition('"')[0]]})
        found = [answer for opening, answer in ANSWERS.items() if opening in words]
        assert len(found) == 1, words[:2_000]
        return good(found[0])

    server.by_prompt = say
    done = bench.run_job(request, EngineChoice.LLM)
    rows = bench.database.statement(
        "SELECT s.role, s.task, s.status, s.engine, s.error, array_remove(array_agg(DISTINCT c.name) FILTER (WHERE c.kind = 'model'), NULL)"
        " AS prompts FROM steps s LEFT JOIN calls c ON c.step_id = s.id WHERE s.job_id = %(id)s GROUP BY s.id",
        {"id": done.job_id},
    )
    found: dict[str, set[str]] = {}
    for row in rows:
        assert row["status"] == "succeeded" or "question" in row["status"], (row, done.error)
        prompts = set(row["prompts"] or ()) - {"classifier/session_summary"}
        known = TABLE[row["role"], row["task"]]
        assert prompts <= set(known.prompts), (row, known)
        assert known.prompts or row["engine"] in (None, "rules"), row
        found.setdefault(row["task"], set()).update(prompts)
    return found


ASK = {"kind": "ask", "source": "shop"}
JOBS: dict[str, tuple[dict[str, Any], dict[str, Any], set[str]]] = {
    "ask": ({**ASK, "question": "orders per channel"}, EXECUTE, {"ask.understand", "ask.generate_sql", "ask.execute"}),
    "fix": ({**ASK, "question": "mend this", "sql": BROKEN}, {"tool": "fix_sql"}, {"ask.understand", "ask.fix_sql"}),
    "explain": ({**ASK, "question": "what is it?", "sql": SQL}, {"tool": "explain_sql"}, {"ask.understand", "ask.explain_sql"}),
    "log": ({"kind": "ask", "question": "errors of api", "logs": "web"}, {"tool": "search_log"}, {"ask.understand", "ask.search_log"}),
    "faq": (
        {"kind": "ask", "question": "How do I replay a failed step with bullpen?"},
        {"tool": "datasuite_faq"},
        {"ask.understand", "ask.faq"},
    ),
    "etl": ({"kind": "etl", "requirement": LOYAL, "source": "shop"}, {}, {"etl.analyse", "etl.write", "etl.review_development"}),
    "analyze": (
        {"kind": "analyze", "question": "帮我分析一下港湾新区的弱覆盖"},
        {},
        {"analyze.choose", "analyze.act", "analyze.answer"},
    ),
    "skill": ({"kind": "analyze", "question": "check the oven B2 of the bakery"}, {}, {"analyze.choose", "analyze.act"}),
    "diagnose": (
        {"kind": "diagnose", "description": sample_incident().description},
        {},
        {"diagnosis.conclude"},
    ),
    "rar": ({"kind": "diagnose", "description": sample_incident().description, "method": "rar"}, {}, {"diagnosis.conclude"}),
}


@pytest.mark.parametrize("name", JOBS)
def test_engine_llm_asks_the_model_where_the_table_says_so_and_nowhere_else(name: str, bench: EmbeddedBench, server: OpenAIServer) -> None:
    request, tool, tasks = JOBS[name]
    found = asked(bench, server, request, tool)

    assert {task for task, prompts in found.items() if prompts} == tasks


def test_engine_llm_asks_the_model_at_each_step_of_tune_that_the_table_names(bench: EmbeddedBench, server: OpenAIServer) -> None:
    bundle = bring(bench.database, bench.settings, [SAMPLES / "spark_skew"], owner="default").ref
    found = asked(bench, server, {"kind": "tune", "bundle": bundle}, {})

    assert {task for task, prompts in found.items() if prompts} == {
        step.task for step in model_steps() if step.kind == "tune" and step.prompts
    }
