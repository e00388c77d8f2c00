"""The probe: a good model is right at every sort of task, a bad one is seen to be bad, and `auto` then works by rules where it is."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from contracts.ask.results import Queried
from contracts.ask.steps import AskPlan
from contracts.base import Json
from contracts.jobs import EngineChoice, JobStatus
from tests.support.benches import bench_with_model
from tests.support.commands import Commands, commands_on
from tests.support.databases import Databases
from tests.support.model_steps import checks_of_prompts
from tests.support.openai_server import Heard, OpenAIServer, Say, good, openai_server
from tests.support.spoken import english
from workers.blackboard.engine import Database
from workers.catalogue import offer_sample
from workers.cli.model_check import check_probe
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.probing import probe_cases
from workers.kinds.registry import load_kinds
from workers.llm import ScriptedChat, render_prompt
from workers.llm.chat import Chat, ChatLimits
from workers.llm.langchain_chat import LangChainBackend
from workers.llm.probe import ProbeCase, Probed, probe
from workers.llm.probe_figures import FailedTasks, keep_figures, read_figures
from workers.llm.scripted import Asked, Written
from workers.settings import Settings

load_kinds()
CASES = {case.prompt: case for case in probe_cases()}
TURNOVER = "SELECT channel, SUM(amount) AS turnover FROM orders WHERE status = 'delivered' GROUP BY channel ORDER BY turnover DESC"
TOTALS = "SELECT channel, COUNT(*) AS orders, SUM(amount) AS amount FROM orders GROUP BY channel"
RIGHT: dict[str, Json] = {
    "classifier/choose": {"reasoning": "What is counted changes.", "stage": "analysis"},
    "classifier/supervise": {"tool": "execute_sql_and_analyze_result", "final_intent": "execute_sql_and_analyze_result"},
    "developer/sql": {"sql": TURNOVER},
    "developer/fix_sql": {"sql": "SELECT channel, COUNT(*) AS orders FROM orders GROUP BY channel"},
    "developer/logql": {"logql": '{app="checkout"} |= "timeout"', "start": "2026-03-05T13:30:00+00:00"},
    "retriever/documents": {"sentences": [{"text": "On the day it arrives.", "passage": 1, "quote": "booked on the day it arrives"}]},
    "analyst/result": {"sentences": ["web has the highest turnover, 70."]},
    "analyst/etl": {
        "steps": [{"name": "Count", "tables": ["orders"]}],
        "table": "channel_totals",
        "columns": [{"name": "channel", "description": ""}, {"name": "orders", "description": ""}, {"name": "amount", "description": ""}],
        "key": ["channel"],
        "mode": "overwrite",
    },
    "developer/etl": {"sql": TOTALS},
    "diagnoser/turn": {
        "reasoning": "They wait for a lock.",
        "action": "diagnose",
        "causes": [{"tickets": ["T-1"], "probability": 0.9}],
        "summary": "A lock queue.",
    },
    "diagnoser/answer": {
        "items": [
            {"number": 1, "finding": "confirmed", "quote": "the first yes"},
            {"number": 2, "finding": "denied", "quote": "no, writing works"},
        ]
    },
    "retriever/mapping": {
        "fields": [
            {"path": "No", "holds": "ticket_id"},
            {"path": "Seen", "holds": "description"},
            {"path": "Came from", "holds": "root_cause"},
            {"path": "Done", "holds": "solution"},
        ]
    },
    "retriever/observations": {
        "cause": "The cause was an ALTER TABLE that waited for a lock.",
        "fix": "We cancelled it",
        "observations": [{"quote": "pg_locks showed forty sessions in a queue", "check": ""}],
    },
    "classifier/tuning": {"reasons": [{"artefact": 1, "figure": 2, "text": "One task has nearly all."}], "tuning_class": "data_skew"},
    "classifier/skill": {"skill_name": "cell-coverage"},
    "analyst/follow": {"answer": "RSRP is -112 dBm, 7 below the target of -105 dBm."},
}
WRONG: dict[str, Json] = {
    "classifier/choose": {"reasoning": "It is a chart.", "stage": "chart"},
    "classifier/supervise": {"tool": "data_discovery", "final_intent": "data_discovery"},
    "developer/sql": {"sql": "SELECT channel, SUM(amount) FROM orders GROUP BY channel"},
    "developer/fix_sql": {"sql": "SELECT chanel FROM orders"},
    "developer/logql": {"logql": "checkout timeouts"},
    "retriever/documents": {"sentences": [{"text": "Within 14 days.", "passage": 2, "quote": "paid within 14 days"}]},
    "analyst/result": {"sentences": ["web has 4711."]},
    "analyst/etl": {**RIGHT["analyst/etl"], "mode": "append"},
    "developer/etl": {"sql": "SELECT channel, COUNT(*) AS orders FROM orders GROUP BY channel"},
    "diagnoser/turn": {**RIGHT["diagnoser/turn"], "causes": [{"tickets": ["T-2"], "probability": 0.9}]},
    "diagnoser/answer": {"items": [{"number": 2, "finding": "confirmed", "quote": "no, writing works"}]},
    "retriever/mapping": {"fields": [{"path": "Done", "holds": "root_cause"}]},
    "retriever/observations": {"cause": "a full disk", "observations": []},
    "classifier/tuning": {"reasons": [], "tuning_class": "other"},
    "classifier/skill": {"skill_name": "handover"},
    "analyst/follow": {"answer": "It is 93 dBm, I think."},
}


def as_answer(case: ProbeCase, answer: Json) -> Json:
    """An answer in the form of its call."""
    return answer if case.tools is None else {"step": {"final": answer}}


def says(answers: dict[str, Json]) -> Callable[[Asked], Written]:
    return lambda asked: as_answer(CASES[asked.prompt], answers[asked.prompt])


def says_on_the_wire(answers: dict[str, Json]) -> Callable[[Heard], Say]:
    """The same for a server, which tells the prompts apart by their first words."""
    begins = {name: render_prompt(name, {"how_to_answer": "", **case.data})[:60] for name, case in CASES.items()}

    def answer(heard: Heard) -> Say:
        name = next(name for name, begin in begins.items() if heard.user_text.startswith(begin))
        return good(as_answer(CASES[name], answers[name]))

    return answer


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


def test_every_prompt_that_reads_what_people_write_belongs_to_one_sort_of_task() -> None:
    covered = [prompt for case in CASES.values() for prompt in case.prompts]

    assert sorted(covered) == sorted(checks_of_prompts())
    assert 12 <= len(CASES) <= 16


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_right_answer_is_judged_right_and_a_wrong_one_wrong(name: str) -> None:
    right, wrong = ScriptedChat(by=says(RIGHT)), ScriptedChat(by=says(WRONG))

    assert probe(right, CASES[name]) == Probed(name, CASES[name].prompts, True, 1)
    found = probe(wrong, CASES[name])
    assert (found.is_right, found.tries) == (False, 3)
    assert found.fault
    assert len(wrong.asked) == 3


def test_a_model_is_asked_until_it_is_right() -> None:
    answers = iter([WRONG, WRONG, RIGHT])
    chat = ScriptedChat(by=lambda asked: next(answers)[asked.prompt])

    assert probe(chat, CASES["classifier/skill"]) == Probed("classifier/skill", ("classifier/skill",), True, 3)


def test_an_answer_that_is_no_answer_is_a_wrong_one() -> None:
    found = probe(ScriptedChat(by=lambda asked: "I would rather not."), CASES["analyst/result"], 1)

    assert not found.is_right
    assert "invalid 4 times" in found.fault


def test_figures_take_the_place_of_earlier_ones_of_the_same_tasks(database: Database) -> None:
    keep_figures(database, "http://h/v1", "m", [Probed("a/b", ("a/b", "a/c"), False, 3, "no"), Probed("d/e", ("d/e",), True, 1)])
    keep_figures(database, "http://h/v1", "m", [Probed("a/b", ("a/b", "a/c"), True, 2)])

    assert [(one.task, one.is_right, one.tries) for one in read_figures(database, "http://h/v1", "m")] == [
        ("a/b", True, 2),
        ("d/e", True, 1),
    ]
    assert read_figures(database, "http://h/v1", "other") == []


def test_a_fallback_that_can_do_it_is_asked_in_the_place_of_a_model_that_cannot(database: Database, server: OpenAIServer) -> None:
    server.by_prompt = says_on_the_wire(RIGHT)
    backends = [LangChainBackend(name, base_url=server.base_url) for name in ("test-model", "second-model")]
    keep_figures(database, backends[0].server, "test-model", [Probed("classifier/skill", ("classifier/skill",), False, 3, "no")])
    chat = Chat(backends, limits=ChatLimits(retries=0), failed=FailedTasks(lambda: database))

    assert probe(chat, CASES["classifier/skill"], 1).is_right
    assert chat.answered_by == "second-model"
    assert probe(chat, CASES["diagnoser/answer"], 1).is_right
    assert chat.answered_by == "test-model"
    for backend in backends:
        backend.close()


@pytest.fixture
def command(
    database_url: str, broker_url: str, server: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Commands]:
    """The command line of a fleet with this server's model."""
    with commands_on(database_url, broker_url, tmp_path, monkeypatch) as run:
        run.setenv(model="test-model", model_base_url=server.base_url, model_retries="0")
        yield run


def test_the_command_prints_a_figure_a_task_and_keeps_it(command: Commands, database: Database, server: OpenAIServer) -> None:
    mixed = {**RIGHT, "developer/sql": WRONG["developer/sql"], "classifier/tuning": WRONG["classifier/tuning"]}
    server.by_prompt = says_on_the_wire(mixed)

    found = {row["task"]: row for row in command.json("eval", "model")}

    assert sorted(found) == sorted(CASES)
    assert sorted(task for task, row in found.items() if not row["right"]) == ["classifier/tuning", "developer/sql"]
    assert "where [('web', 70.0), ('shop', 10.0)] is right" in found["developer/sql"]["fault"]
    kept = read_figures(database, server.base_url, "test-model")
    assert sorted(one.task for one in kept if not one.is_right) == ["classifier/tuning", "developer/sql"]

    server.by_prompt = says_on_the_wire(RIGHT)
    shown = command.out("eval", "model")

    assert "developer/sql" in shown
    assert all(one.is_right for one in read_figures(database, server.base_url, "test-model"))


def test_without_a_model_the_command_names_the_setting(command: Commands) -> None:
    command.setenv(model="")

    assert "No model is configured. Set BULLPEN_MODEL." in command.fails("eval", "model", code=1)


def test_doctor_says_what_a_model_failed_at(database: Database, server: OpenAIServer) -> None:
    known = Settings(model="test-model", model_base_url=server.base_url)
    assert check_probe(known, database) == []

    keep_figures(database, server.base_url, "test-model", [Probed("developer/sql", ("developer/sql",), False, 3, "no")])
    (failed,) = check_probe(known, database)
    keep_figures(database, server.base_url, "test-model", [Probed("developer/sql", ("developer/sql",), True, 1)])
    (right,) = check_probe(known, database)

    assert failed.state == "warn"
    assert "test-model failed at developer/sql" in english(failed.finding)
    assert "bullpen eval model" in english(failed.next_move)
    assert (right.state, "was right at all 1 tasks" in english(right.finding)) == ("ok", True)


@pytest.fixture
def bench(server: OpenAIServer, tmp_path: Path, databases: Databases) -> Iterator[EmbeddedBench]:
    with bench_with_model(server, tmp_path, databases) as running:
        offer_sample(running.database, running.settings.data_dir)
        yield running


def test_auto_works_by_rules_where_the_model_failed_and_says_so_but_llm_asks_it(bench: EmbeddedBench, server: OpenAIServer) -> None:
    question = "How many orders are there per channel?"
    sql = "SELECT channel, COUNT(*) AS orders FROM main.orders GROUP BY channel"
    supervised = good({"tool": "execute_sql_and_analyze_result", "final_intent": "execute_sql_and_analyze_result"})

    def answer(heard: Heard) -> Say:
        if "You are the supervisor" in heard.user_text:
            return supervised
        if "You are the developer" in heard.user_text:
            return good({"step": {"final": {"sql": sql}}})
        return good({"sentences": []})

    server.by_prompt = answer
    keep_figures(bench.database, server.base_url, "test-model", [Probed("developer/sql", ("developer/sql",), False, 3, "no")])

    by_rules = bench.run_job({"kind": "ask", "question": question, "source": "shop"}, EngineChoice.AUTO, session_id=uuid4())

    assert by_rules.status is JobStatus.SUCCEEDED, by_rules.error
    assert not any("You are the developer" in heard.user_text for heard in server.asked)
    assert any("You are the supervisor" in heard.user_text for heard in server.asked), "other tasks ask it"
    notes = json.dumps(
        [row["notes"] for row in bench.database.statement("SELECT notes FROM steps WHERE job_id = %(id)s", {"id": by_rules.job_id})]
    )
    assert "The model test-model failed at `developer/sql` when it was measured, so the rules were used." in notes

    by_model = bench.run_job({"kind": "ask", "question": question, "source": "shop"}, EngineChoice.LLM, session_id=uuid4())

    plan = AskPlan.model_validate(by_model.result)
    assert plan.answer is not None
    found = plan.answer.results[-1]
    assert isinstance(found, Queried)
    assert found.made is not None
    assert found.made.by == "test-model"
