"""Jobs of many stages: what a decision costs, and how many stages a playbook may have."""

import sys
from typing import Any
from uuid import UUID

import pytest

from contracts.jobs import JobStatus
from contracts.stages import INPUT, MAX_STAGES
from tests.support.results import stage
from tests.unit.test_plan import playbook
from workers.blackboard.board import Board, Deliverable, Stage
from workers.coordinator.decide import decide
from workers.coordinator.playbooks import find_playbook, register_playbook
from workers.errors import InvalidPlan


def a_chain(length: int) -> Board:
    """Stages in a row, of which the first is ready."""
    stages = [Stage(f"s{n}", "analyst", "noop", (INPUT, f"s{n - 1}") if n else (INPUT,)) for n in range(length)]
    first = Deliverable(UUID(int=1), INPUT, 1, "hash", "hash", pinned=True)
    return Board(UUID(int=2), "chain", 1, JobStatus.RUNNING, (Stage(INPUT, None, ""), *stages), deliverables=(first,))


def calls_of_a_decision(board: Board) -> int:
    """Calls of functions, and turns of generators, that it takes to decide."""
    counted = 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    decide(board)  # what is loaded and cached once
    sys.setprofile(count)
    try:
        decide(board)
    finally:
        sys.setprofile(None)
    return counted


def test_the_work_of_a_decision_grows_as_the_number_of_stages() -> None:
    half, whole = calls_of_a_decision(a_chain(19)), calls_of_a_decision(a_chain(38))

    assert whole / half < 2.1


def test_a_playbook_of_more_stages_than_a_job_may_have_is_refused_when_it_is_registered() -> None:
    with pytest.raises(InvalidPlan, match=f"Playbook 'too_many' has {MAX_STAGES + 1} stages with its input; {MAX_STAGES} are allowed"):
        register_playbook(playbook(*(stage(f"s{n}") for n in range(MAX_STAGES)), kind="too_many"))


def test_a_playbook_of_as_many_stages_as_a_job_may_have_gets_its_first_step() -> None:
    register_playbook(playbook(*(stage(f"s{n}") for n in range(MAX_STAGES - 1)), kind="just_enough"))

    stages = find_playbook("just_enough").stages
    board = a_chain(len(stages))

    assert decide(board).rule == "ready"
