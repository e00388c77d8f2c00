"""What the cases of `decide` have in common: the table's rows, how they are checked, and jobs at the points that several cases need."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from contracts.jobs import JobStatus
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from tests.support.results import Result, delegates, done, objects, stage
from tests.support.said import said
from tests.support.simulation import Simulation, drive
from tests.support.spoken import english
from workers.coordinator.decide import decide

RUNNING, WAITING, SUCCEEDED, FAILED = JobStatus.RUNNING, JobStatus.WAITING_HUMAN, JobStatus.SUCCEEDED, JobStatus.FAILED


@dataclass(frozen=True)
class Expected:
    """A case: what happened, and the decision it leads to. Stages in dispatch order; questions by kind and choices."""

    happened: Callable[[], Simulation]
    rule: str
    status: JobStatus
    dispatch: tuple[str, ...]
    superseded: tuple[str, ...]
    ask: tuple[str, ...]
    hold: int
    route: tuple[str, ...]
    void: int
    revive: int
    error: str | None
    reasons: dict[str, str] | None


class Table:
    """Cases, each put in by the decorator `leads_to`."""

    def __init__(self) -> None:
        self.cases: list[Expected] = []

    def leads_to(
        self,
        rule: str,
        status: JobStatus = RUNNING,
        *,
        dispatch: Iterable[str] = (),
        superseded: Iterable[str] = (),
        ask: Iterable[str] = (),
        hold: int = 0,
        route: Iterable[str] = (),
        void: int = 0,
        revive: int = 0,
        error: str | None = None,
        reasons: dict[str, str] | None = None,
    ) -> Callable[[Callable[[], Simulation]], Callable[[], Simulation]]:
        """Put a case into the table."""

        def add(happened: Callable[[], Simulation]) -> Callable[[], Simulation]:
            row = (tuple(dispatch), tuple(superseded), tuple(ask), hold, tuple(route), void, revive, error, reasons)
            self.cases.append(Expected(happened, rule, status, *row))
            return happened

        return add


def name_of(case: Expected) -> str:
    """The sentence that the case promises."""
    return case.happened.__name__


def check_decision(case: Expected) -> None:
    """The decision is the expected one."""
    sim = case.happened()

    decision = decide(sim.board())

    assert (decision.rule, decision.status) == (case.rule, case.status)
    assert tuple(item.stage for item in decision.dispatch) == case.dispatch
    assert tuple(sim.steps[step_id].stage for step_id in decision.supersede) == case.superseded
    assert tuple(f"{item.payload['kind']}: {', '.join(item.payload['choices'])}" for item in decision.ask) == case.ask
    assert (len(decision.hold), len(decision.void), len(decision.revive)) == (case.hold, case.void, case.revive)
    assert tuple(target for _, target in decision.route) == case.route
    assert said(decision.error) == (case.error or "")
    assert case.reasons is None or {stage: english(why) for stage, why in decision.reasons.items()} == case.reasons


def check_that_nothing_is_left(case: Expected) -> None:
    """There is no second decision until the board changes, so a decision that was applied leaves nothing to decide."""
    sim = case.happened()
    first = decide(sim.board())
    sim.apply(first, sim.board())

    again = decide(sim.board())

    assert (again.moves(), again.status) == ({}, first.status)


def chain() -> Simulation:
    return Simulation.of(stage("first"), stage("second", "first"))


def diamond() -> Simulation:
    return Simulation.of(
        stage("plan"), stage("left", "plan"), stage("right", "plan"), stage("review", "left", "right", role=RoleName.REVIEWER)
    )


def reviewed() -> Simulation:
    return Simulation.of(stage("design"), stage("review", "design", role=RoleName.REVIEWER))


def diagnose() -> Simulation:
    return Simulation.of(stage("tickets"), stage("diagnosis", INPUT, "tickets"))


def ask() -> Simulation:
    return Simulation.of(stage("plan/1", role=RoleName.CLASSIFIER))


PLAN = (stage("tool/1", "plan/1", role=RoleName.DEVELOPER), stage("plan/2", "plan/1", "tool/1", role=RoleName.CLASSIFIER))


def settled(sim: Simulation, results: dict[str, list[Result]] | None = None) -> Simulation:
    """All done, and asked once more."""
    drive(sim, results)
    sim.rev += 1
    return sim


def third_round() -> Simulation:
    sim = reviewed()
    for _ in range(2):
        sim.run("design", done("same"))
        sim.run("review", objects("design"))
    sim.run("design", done("same"))
    sim.finish("review", objects("design"))
    return sim


def remark_on_pinned() -> Simulation:
    sim = settled(reviewed())
    sim.revise("design", "by hand")
    sim.finish("review", objects("design"))
    return sim


def growing() -> Simulation:
    """A plan that may grow, and a stage behind all of it."""
    return Simulation.of(stage("plan/1", role=RoleName.CLASSIFIER), stage("answer", "plan/*"))


def planned(*stages: StageSpec) -> Simulation:
    sim = ask()
    sim.finish("plan/1", done(stages=stages))
    return sim


def ninth_dispatch() -> Simulation:
    """One stage above that eight others send back to work, one after the other."""
    sim = Simulation.of(stage("first"), *(stage(f"asker{n}", "first" if n == 0 else f"asker{n - 1}") for n in range(8)))
    sim.run("first", done("same"))
    for n in range(7):
        sim.run(f"asker{n}", delegates(to="first"))
        sim.run("first", done("same"))
        sim.run(f"asker{n}", done())
    sim.finish("asker7", delegates(to="first"))
    return sim


def sixty_and_one_more() -> Simulation:
    """Twice a review has all of the twenty stages before it redone."""
    middle = [f"s{n}" for n in range(19)]
    sim = Simulation.of(stage("zero"), *(stage(name, "zero") for name in middle), stage("review", *middle))
    for version in range(2):
        sim.run("zero", done(version))
        for name in middle:
            sim.run(name, done(version))
        sim.run("review", objects("zero"))
    sim.finish("zero", done("once more"))
    return sim


def delegated_times(times: int) -> Simulation:
    sim = Simulation.of(stage("zero"), stage("first", "zero"))
    sim.run("zero", done("same"))
    for n in range(times):
        sim.run("first", delegates(to="zero"))
        if n < times - 1:
            sim.run("zero", done("same"))
    sim.finish("zero", done("same"))
    return sim


def instructed(*, chooser: str | None) -> Simulation:
    """An instruction without a stage, while the second stage is at work."""
    sim = Simulation.of(stage("first"), stage("second", "first"), chooser=chooser)
    sim.run("first", done())
    sim.instruct("only the last week")
    return sim
