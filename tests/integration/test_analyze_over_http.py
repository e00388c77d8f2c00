"""The loop of a model with tools where it ships: the analyst of `analyze` follows a skill, and the model is a server behind HTTP."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from contracts.analyze.answer import AnalyzeAnswer, Ending
from contracts.base import Json
from contracts.jobs import EngineChoice, JobStatus
from tests.support.benches import silent_bench
from tests.support.databases import Databases
from tests.support.openai_server import Heard, OpenAIServer, Say, openai_server
from tests.support.ovens import HEATED, ovens
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.base import FinishedJob
from workers.settings import SHIPPED_SKILLS, load_settings
from workers.tools import list_calls

QUESTION = "check the oven B2 of the bakery"
ANSWER = "The oven B2 has 21.5 degrees, so it should be heated."
Calls = tuple[tuple[str, Json], ...]

SCRIPT: tuple[Calls, ...] = (
    (("read_oven", {"oven": "B1"}), ("list_ovens", {})),  # two of one message
    (("query_simulation_results", {}),),  # the skill does not name it
    (("read_oven", {"shelf": 1}),),
    (("read_oven", {"shelf": 2}),),
    (("read_oven", {"shelf": 3}),),
    (("read_oven", {"oven": "B2"}),),
)


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


@pytest.fixture(params=["json", "native"])
def bench(
    request: pytest.FixtureRequest, server: OpenAIServer, tmp_path_factory: pytest.TempPathFactory, databases: Databases
) -> Iterator[EmbeddedBench]:
    home = tmp_path_factory.mktemp("home")
    own = {"home": home, "embeddings": "none", "skills": (SHIPPED_SKILLS, str(home / "skills"))}
    model = {"model": "test-model", "model_base_url": server.base_url, "model_retries": 0, "model_tools": request.param}
    with (
        ovens(home / "skills"),
        silent_bench(load_settings().model_copy(update=own | model), databases) as running,
    ):
        server.heard.clear()
        HEATED.clear()
        yield running


def as_native(calls: Calls) -> Say:
    """Calls as a server with its own tool calls sends them."""
    return Say(calls=tuple((name, json.dumps(arguments)) for name, arguments in calls), finish="tool_calls")


def as_json(calls: Calls) -> Say:
    """Calls as objects of the schema that was sent, one below the other."""
    return Say("\n".join(json.dumps({"step": {"tool": name, "arguments": arguments}}) for name, arguments in calls))


def plays(server: OpenAIServer, script: tuple[Calls, ...]) -> None:
    """Let the server make these calls, then answer. What else it is asked for has an empty answer."""
    left = iter(script)

    def said(heard: Heard) -> Say:
        is_native = "tools" in heard.body
        if not is_native and "step" not in json.dumps(heard.body.get("response_format", "")):
            return Say(json.dumps({"skill_name": "oven-check"}))
        if (calls := next(left, None)) is not None:
            return as_native(calls) if is_native else as_json(calls)
        final = {"answer": ANSWER}
        return as_native((("final_answer", final),)) if is_native else Say(json.dumps({"step": {"final": final}}))

    server.by_prompt = said


def run(bench: EmbeddedBench) -> FinishedJob:
    return bench.run_job({"kind": "analyze", "question": QUESTION}, EngineChoice.AUTO)


def outcomes(bench: EmbeddedBench, job: FinishedJob) -> list[tuple[str, str]]:
    return [(row["tool"], row["outcome"]) for row in list_calls(bench.database, job.job_id)]


def rows(bench: EmbeddedBench, job: FinishedJob, statement: Any) -> list[Any]:
    return list(bench.database.statement(statement, {"job": job.job_id}))


def test_each_call_is_answered_and_a_refused_one_is_an_event(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """Several calls of one message, a call without a key, and wrong arguments three times: each has its answer, and a row."""
    plays(server, SCRIPT)

    job = run(bench)

    answer = AnalyzeAnswer.model_validate(job.result)
    assert (job.status, answer.ending) == (JobStatus.SUCCEEDED, Ending.ANSWERED), job.error
    assert ANSWER in json.dumps(job.result, ensure_ascii=False)
    assert outcomes(bench, job) == [
        ("read_oven", "answered"), ("list_ovens", "answered"), ("query_simulation_results", "refused"),
        ("read_oven", "invalid"), ("read_oven", "invalid"), ("read_oven", "invalid"), ("read_oven", "answered"),
    ]  # fmt: skip
    (refused,) = rows(bench, job, "SELECT detail FROM events WHERE job_id = %(job)s AND kind = 'tool_refused'")
    assert "query_simulation_results" in json.dumps(refused["detail"])
    said = json.dumps([heard.body["messages"] for heard in server.asked])
    assert "B1" in said
    assert "oven: Field required" in said


def test_wrong_arguments_for_the_fourth_time_leave_the_skill_to_the_user(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """The checklist takes the model's place, and a note says why."""
    plays(server, tuple((("read_oven", {"shelf": number}),) for number in range(8)))

    job = run(bench)

    answer = AnalyzeAnswer.model_validate(job.result)
    assert answer.ending is Ending.CHECKLIST
    assert outcomes(bench, job) == [("read_oven", "invalid")] * 4
    notes = rows(bench, job, "SELECT notes FROM steps WHERE job_id = %(job)s")
    assert any("4 times in a row" in json.dumps(row["notes"]) for row in notes)


def test_a_line_with_a_figure_that_no_tool_gave_is_left_out_and_said(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """K14: a figure of a finding comes from a tool's answer, from the skill or from the user."""
    said = "The oven B2 has 21.5 degrees.\nYesterday it had 487 degrees."
    left = iter([(("read_oven", {"oven": "B2"}),)])

    def play(heard: Heard) -> Say:
        is_native = "tools" in heard.body
        if not is_native and "step" not in json.dumps(heard.body.get("response_format", "")):
            return Say(json.dumps({"skill_name": "oven-check"}))
        if (calls := next(left, None)) is not None:
            return as_native(calls) if is_native else as_json(calls)
        final = {"answer": said}
        return as_native((("final_answer", final),)) if is_native else Say(json.dumps({"step": {"final": final}}))

    server.by_prompt = play
    job = bench.run_job({"kind": "analyze", "question": QUESTION}, EngineChoice.LLM)

    assert job.status is JobStatus.SUCCEEDED, job.error
    shown = json.dumps(job.result, ensure_ascii=False)
    assert "21.5 degrees" in shown
    assert "487 degrees" not in shown
    assert "analyze.follow.stray" in shown
    assert "487" in server.asked[-1].raw  # the model was told, and said it again
