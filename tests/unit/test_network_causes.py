"""Root causes of planted faults, the advised changes and what they promise."""

import numpy as np
import pytest

from contracts.network import Cause, Level, Parameter
from tests.support.network_truth import truth_of
from workers.engines.network.causes import configuration_of, find_causes
from workers.engines.network.causes.by_rules import problems_of
from workers.engines.network.optimising import advise, promise, reached_by
from workers.engines.network.radio import Layout, make_network, measure
from workers.engines.network.scenarios import Problem, make_scenario

SEED = 4_001
"""Not one of those on which rules were written or figures are reported."""


@pytest.mark.parametrize("problem", list(Problem))
def test_the_cause_of_what_was_planted_is_found(problem: Problem) -> None:
    scenario = make_scenario(problem, SEED)
    state = measure(scenario.faulty)
    truth = truth_of(scenario, state)

    causes = find_causes(state)

    assert truth.cells, "a fault shows in a cell"
    assert {cell: causes.cells[cell] for cell in truth.cells} == truth.cells


@pytest.mark.parametrize("problem", [Problem.WEAK_COVERAGE, Problem.OVERSHOOT, Problem.CAPACITY, Problem.NEIGHBOURS])
def test_the_advice_mends_and_keeps_its_promise(problem: Problem) -> None:
    scenario = make_scenario(problem, SEED)
    before = measure(scenario.faulty)
    causes = find_causes(before)
    advice = advise(before, causes)

    after = measure(advice.network)

    reached = reached_by(promise(before, causes, advice), before, after)
    assert reached
    assert all(made.is_kept for made in reached)
    assert problems_of(after, Level.CELL).sum() < problems_of(before, Level.CELL).sum()


def test_only_culprits_are_changed() -> None:
    scenario = make_scenario(Problem.OVERSHOOT, SEED)
    before = measure(scenario.faulty)

    changes = advise(before, find_causes(before)).changes

    assert {change.cell for change in changes} >= set(scenario.faults[0].cells)
    assert {change.parameter for change in changes} <= {Parameter.TILT, Parameter.POWER, Parameter.CARRIERS}


def test_a_healthy_network_has_no_wrong_parameters() -> None:
    configuration = configuration_of(make_network(Layout(sites=19, seed=8)))

    assert not configuration.is_weak.any()
    assert not configuration.is_strong.any()
    assert not configuration.is_tall.any()


def test_a_scenario_is_the_same_for_the_same_seed() -> None:
    first, second = make_scenario(Problem.MIXED, SEED), make_scenario(Problem.MIXED, SEED)

    assert first.faults == second.faults
    assert np.array_equal(first.faulty.cells.tilt_deg, second.faulty.cells.tilt_deg)


def test_faults_of_a_mixed_scenario_are_of_different_kinds() -> None:
    causes = [fault.cause for fault in make_scenario(Problem.MIXED, SEED).faults]

    assert len(set(causes)) == len(causes) >= 1
    assert Cause.NONE not in causes
