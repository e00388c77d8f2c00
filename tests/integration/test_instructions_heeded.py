"""An instruction acts, or the step says that it did not."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal, cast

import pytest

from contracts.base import Contract
from contracts.jobs import EngineChoice, SubmitJob
from contracts.reports import Report, completed
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from tests.support.context import step_context
from tests.support.tune_jobs import SAMPLES, bring, own_services
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.blackboard.board import OPERATOR
from workers.coordinator.actions import instruct
from workers.coordinator.intake import accept
from workers.coordinator.playbooks import Playbook, register_playbook
from workers.errors import ModelAnswerUnusable
from workers.roles.base import HeardRequest, StepContext
from workers.roles.instructions import unheeded
from workers.roles.reasoning import reason
from workers.roles.registry import register_task
from workers.saying import text_of
from workers.settings import Settings


class Request(Contract):
    kind: Literal["heeding"] = "heeding"


class Told(Contract):
    texts: tuple[str, ...] = ()


def run_heeding(ctx: StepContext) -> Report[Any]:
    return completed(Told(texts=tuple(str(remark["text"]) for remark in ctx.remarks())))


def run_stubborn(ctx: StepContext) -> Report[Any]:
    return completed(Told(texts=(str(len(ctx.requests)),)))


TASKS = {"heeding": run_heeding, "stubborn": run_stubborn}
for _task, _run in TASKS.items():
    register_task(RoleName.ANALYST, _task, _run)
register_playbook(
    Playbook("heeding", Request, tuple(StageSpec(name=task, role=RoleName.ANALYST, task=task, needs=(INPUT,)) for task in TASKS))
)


@pytest.fixture
def services(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    made = ProcessServices(Settings(database_url=database_url, broker_url=broker_url))
    yield made
    made.close()


@pytest.mark.parametrize(("stage", "says_so"), [("heeding", False), ("stubborn", True)])
def test_an_instruction_acts_or_the_step_says_that_it_did_not(services: ProcessServices, stage: str, says_so: bool) -> None:
    """A role that never reads it, and one whose result is the same, leave a note; one that follows it does not."""
    job_id = accept(services.database, SubmitJob(job={"kind": "heeding"}), owner_cap=10).job_id
    instruct(services.database, job_id, "only the last week", stage=stage)
    run_all(services)
    rows = services.database.statement("SELECT stage, notes FROM steps WHERE job_id = %(id)s AND status = 'succeeded'", {"id": job_id})
    notes = {row["stage"]: row["notes"] or [] for row in rows}

    assert any("only the last week" in note and "changed nothing" in note for note in notes[stage]) is says_so
    assert all(not others for name, others in notes.items() if name != stage)


INSTRUCTION = HeardRequest(OPERATOR, "s", "remark", {"text": "only the last week"}, None)


@pytest.mark.parametrize("has_parameters", [False, True])
def test_the_note_advises_an_edit_only_where_the_stage_has_parameters(has_parameters: bool) -> None:
    ctx = step_context(stage="s", requests=(INSTRUCTION,))

    (note,) = unheeded(ctx, completed(Told(texts=("a",))), has_parameters=lambda: has_parameters)

    assert ("replay --edit" in text_of(note, "en")) is ("replay --edit" in text_of(note, "zh")) is has_parameters


def _refusing(chat: Any) -> Told:
    raise ModelAnswerUnusable("nonsense")


def test_an_instruction_that_only_a_failed_model_was_shown_has_not_acted() -> None:
    """The rules stepped in, and they read no remark."""
    ctx = step_context(stage="s", requests=(INSTRUCTION,), chat=cast("Any", SimpleNamespace(model="m")))

    def by_model(chat: Any) -> Told:
        ctx.remarks()
        return _refusing(chat)

    made = reason(ctx, by_model, Told)

    assert len(unheeded(ctx, completed(made.value))) == 1


def test_an_instruction_to_the_plan_of_a_tune_job_acts_or_the_step_says_that_it_cannot(
    database_url: str, broker_url: str, tmp_path: Path
) -> None:
    """Before the stage has run, and without a model: it was dropped without a word."""
    with own_services(database_url, broker_url, tmp_path) as services:
        job = {"kind": "tune", "bundle": bring(services, SAMPLES / "spark_skew")}
        job_id = accept(services.database, SubmitJob(job=job, engine=EngineChoice.RULES), owner_cap=10).job_id
        instruct(services.database, job_id, "no salting, please", stage="plan")
        run_all(services)
        rows = services.database.statement("SELECT notes FROM steps WHERE job_id = %(id)s AND stage = 'plan'", {"id": job_id})

    assert all("no salting, please" in note and "replay --edit" in note for row in rows for note in row["notes"])
    assert rows[0]["notes"]


@pytest.mark.parametrize(
    ("requests", "previous", "made", "notes"),
    [
        ((INSTRUCTION,), {"texts": ["a"]}, ("a",), 1),
        ((INSTRUCTION,), {"texts": ["a"]}, ("b",), 0),
        ((INSTRUCTION,), None, ("a",), 0),
        ((replace(INSTRUCTION, held=True),), {"texts": ["a"]}, ("a",), 0),
        ((replace(INSTRUCTION, target="other"),), {"texts": ["a"]}, ("a",), 0),
        ((replace(INSTRUCTION, asker="review"),), {"texts": ["a"]}, ("a",), 0),
    ],
)
def test_a_result_that_is_the_same_with_the_instruction_says_so(
    requests: tuple[HeardRequest, ...], previous: Any, made: tuple[str, ...], notes: int
) -> None:
    ctx = step_context(stage="s", requests=requests, previous=previous)
    ctx.remarks()

    assert len(unheeded(ctx, completed(Told(texts=made)))) == notes
