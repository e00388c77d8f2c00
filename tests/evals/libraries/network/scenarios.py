"""How well planted faults are found in simulated networks, and whether the advised changes keep what they promise.

What is true is computed: a problem belongs to the fault without which it would not be there. The rules are not shown what was planted.
"""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from contracts.base import Contract
from contracts.network import Cause, Level
from tests.evals.libraries.network.form import NetworkEvaluation
from tests.support.network_truth import Truth, truth_of
from workers.engines.network.causes import Causes, find_causes
from workers.engines.network.causes.by_rules import problems_of
from workers.engines.network.optimising import Reached, advise, promise, reached_by
from workers.engines.network.radio import State, measure
from workers.engines.network.scenarios import Problem, Scenario, make_scenario
from workers.engines.network.thresholds import beyond
from workers.kinds.base import Bench, EvaluationResult


class WrongScenario(Contract):
    """A cell whose cause was not found, or a promise that was not kept."""

    scenario: str
    text: str


class NetworkReport(EvaluationResult):
    """Figures, and what went wrong."""

    wrong: tuple[WrongScenario, ...] = ()


class _Score:
    """What is counted over the scenarios."""

    def __init__(self) -> None:
        self.cells: Counter[tuple[Cause, Cause]] = Counter()
        self.grids: Counter[tuple[Cause, Cause]] = Counter()
        self.by_indicator: Counter[bool] = Counter()
        self.whole: Counter[bool] = Counter()
        self.culprits: Counter[bool] = Counter()
        self.false_alarms: Counter[bool] = Counter()
        self.promises: Counter[bool] = Counter()
        self.kept: Counter[bool] = Counter()
        self.mended: Counter[bool] = Counter()
        self.new_problems = 0
        self.unplanted = 0
        self.wrong: list[WrongScenario] = []


def measure_networks(bench: Bench, form: NetworkEvaluation) -> NetworkReport:
    """Measure as many scenarios as asked for."""
    score = _Score()
    kinds = list(Problem)
    with bench.progress("scenarios", form.scenarios) as tick:
        for number in range(form.scenarios):
            seed = form.first + number
            _one_scenario(score, make_scenario(kinds[seed % len(kinds)], seed))
            tick(number + 1)
    return NetworkReport(figures=_figures(score), wrong=tuple(score.wrong))


def _one_scenario(score: _Score, scenario: Scenario) -> None:
    before = measure(scenario.faulty)
    truth, causes = truth_of(scenario, before), find_causes(before)
    _count_causes(score, scenario, before, truth, causes)
    advice = advise(before, causes)
    promises = promise(before, causes, advice)
    after = measure(advice.network)
    _count_gains(score, scenario, before, after, reached_by(promises, before, after))


def _count_causes(score: _Score, scenario: Scenario, before: State, truth: Truth, causes: Causes) -> None:
    named = f"{scenario.problem.value} {scenario.seed}"
    for cell, cause in truth.cells.items():
        found = causes.cells[cell]
        score.cells[cause, found] += 1
        score.by_indicator[_by_indicator(before, cell) is cause] += 1
        if found is cause:
            planted = {number for fault in scenario.faults if fault.cause is cause for number in fault.cells}
            score.culprits[bool(planted & set(causes.culprits[cell]))] += 1
        else:
            score.wrong.append(WrongScenario(scenario=named, text=f"{before.network.cells.ids[cell]}: {cause.value}, found {found.value}"))
    for grid, cause in truth.grids.items():
        score.grids[cause, causes.grid_cause(grid)] += 1
    healthy = set(range(len(causes.cells))) - truth.cells.keys()
    for cell in healthy:
        score.false_alarms[causes.cells[cell] is not Cause.NONE] += 1
    score.unplanted += truth.unplanted
    score.whole[all(causes.cells[cell] is cause for cell, cause in truth.cells.items())] += 1


def _count_gains(score: _Score, scenario: Scenario, before: State, after: State, reached: tuple[Reached, ...]) -> None:
    for made in reached:
        score.promises[made.is_kept] += 1
        if not made.is_kept:
            promised = made.promised
            text = f"{promised.indicator} of {promised.cause.value}: promised {promised.gain:.2f}, reached {made.gain:.2f}"
            score.wrong.append(WrongScenario(scenario=f"{scenario.problem.value} {scenario.seed}", text=text))
    score.kept[bool(reached) and all(made.is_kept for made in reached)] += 1
    was, is_now = problems_of(before, Level.CELL), problems_of(after, Level.CELL)
    score.mended[True] += int((was & ~is_now).sum())
    score.mended[False] += int((was & is_now).sum())
    score.new_problems += int((is_now & ~was).sum())


_INDICATORS = (
    ("rsrp_dbm", Cause.WEAK_COVERAGE), ("mr_coverage_pct", Cause.WEAK_COVERAGE), ("prb_util_pct", Cause.HIGH_LOAD),
    ("sinr_db", Cause.OVERLAP_INTERFERENCE), ("overlap_degree", Cause.OVERLAP_INTERFERENCE), ("far_share_pct", Cause.OVERSHOOT),
    ("ho_success_pct", Cause.MISSING_NEIGHBOUR),
)  # fmt: skip


def _by_indicator(state: State, cell: int) -> Cause:
    """The trivial method: the indicator that is beyond its limit names the cause."""
    for name, cause in _INDICATORS:
        if beyond(name, np.array([state.cells[name][cell]]))[0]:
            return cause
    return Cause.NONE


def _figures(score: _Score) -> dict[str, float]:
    figures: dict[str, float] = {
        "scenarios": float(sum(score.whole.values())),
        "problem_cells": float(sum(score.cells.values())),
        "problem_grids": float(sum(score.grids.values())),
        "root_cause_cells": _diagonal(score.cells),
        "root_cause_grids": _diagonal(score.grids),
        "root_cause_scenarios": _share(score.whole),
        "culprit_found": _share(score.culprits),
        "by_indicator_cells": _share(score.by_indicator),
        "false_alarms": _share(score.false_alarms),
        "problem_cells_without_fault": float(score.unplanted),
        "promises": float(sum(score.promises.values())),
        "promises_kept": _share(score.promises),
        "gain_kept_scenarios": _share(score.kept),
        "problem_cells_mended": _share(score.mended),
        "new_problem_cells": float(score.new_problems),
    }
    for cause in Cause:
        for level, counted in (("cells", score.cells), ("grids", score.grids)):
            of_cause = {pair: number for pair, number in counted.items() if pair[0] is cause}
            if of_cause:
                figures[f"recall_{level}_{cause.value}"] = _diagonal(of_cause)
    return figures


def _diagonal(counted: Mapping[tuple[Cause, Cause], int]) -> float:
    total = sum(counted.values())
    return sum(number for (truth, found), number in counted.items() if truth is found) / total if total else 0.0


def _share(counted: Counter[bool]) -> float:
    total = counted[True] + counted[False]
    return counted[True] / total if total else 0.0
