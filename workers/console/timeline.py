"""The stages of a job on one clock: when each waited and worked, who made what it holds, and what it needs directly."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from contracts.jobs import StepStatus
from workers.reading.calls import CallCounts
from workers.reading.facts import JobFacts
from workers.reading.stages import StageFacts
from workers.reading.steps import StepFacts

SCALE = 1000
"""Units of the clock, from the job's submission to its end or to now."""
LEAST = 6
"""Units of the narrowest bar, so that a stage of a millisecond is still seen."""


@dataclass(frozen=True, slots=True)
class Span:
    """Part of the clock, in units of `SCALE`."""

    start: int
    width: int
    style: str
    """`wait`, `work`, or `work` with the state of a step that is not done."""


@dataclass(frozen=True, slots=True)
class StageLine:
    """A stage in the timeline."""

    stage: StageFacts
    state: str
    """What it does now, else what it holds: a word of `Look.state`."""
    needs: tuple[str, ...]
    """The stages that it needs directly; what these need is left out."""
    step: StepFacts | None
    """Its newest step."""
    spans: tuple[Span, ...]
    calls: CallCounts
    asks: bool
    """A person is asked here."""

    @property
    def by_person(self) -> bool:
        """A person wrote or edited what it holds. The request is always a person's."""
        return self.stage.by_person

    @property
    def by_model(self) -> str | None:
        """The model that worked on it."""
        engine = None if self.step is None else self.step.engine
        return None if engine in (None, "rules") else engine


def timeline_of(facts: JobFacts, counts: Mapping[str, CallCounts]) -> tuple[StageLine, ...]:
    """The stages in the order in which they are dispatched."""
    asking = {question.asker for question in facts.questions if question.is_open}
    newest = {step.stage: step for step in facts.steps}
    clock = _Clock(facts, datetime.now(UTC))
    direct = reduced(facts.stages)
    return tuple(
        StageLine(
            stage=stage, state=state_of(stage, asking), needs=direct[stage.name], step=newest.get(stage.name),
            spans=clock.spans(newest.get(stage.name)), calls=counts.get(stage.name, CallCounts()), asks=stage.name in asking,
        )
        for stage in facts.stages
    )  # fmt: skip


def state_of(stage: StageFacts, asking: Iterable[str]) -> str:
    """The word for a stage's state: what it does now, else what it holds."""
    if stage.step in (StepStatus.RUNNING, StepStatus.QUEUED):
        return str(stage.step)
    if stage.name in asking:
        return "waiting_human"
    if stage.fresh:
        return "drifted" if stage.drifted else "fresh"
    if stage.step == StepStatus.FAILED:
        return "failed"
    return "stale" if stage.versions else "missing"


def reduced(stages: Sequence[StageFacts]) -> dict[str, tuple[str, ...]]:
    """Stage → the stages that it needs and that no other of its needs already needs (the transitive reduction)."""
    above: dict[str, set[str]] = {}
    direct: dict[str, tuple[str, ...]] = {}
    for stage in stages:  # needs come before their consumers
        needs = [need for need in dict.fromkeys(stage.needs) if need in above]
        over = set[str]().union(*(above[need] for need in needs))
        direct[stage.name] = tuple(need for need in needs if need not in over)
        above[stage.name] = over.union(needs)
    return direct


class _Clock:
    """From the submission of a job to its end, or to now while it goes on."""

    def __init__(self, facts: JobFacts, now: datetime) -> None:
        times = [time for step in facts.steps for time in (step.finished_at, step.started_at) if time is not None]
        is_on = any(step.is_live for step in facts.steps)
        self._start = facts.job.created_at
        self._end = now if is_on or not times else max(times)

    def spans(self, step: StepFacts | None) -> tuple[Span, ...]:
        """Its wait for a worker, and its work."""
        if step is None or step.created_at < self._start:  # a fork took it over from another job
            return ()
        begun, ended = step.started_at or self._end, step.finished_at or self._end
        style = "work" if step.status == StepStatus.SUCCEEDED else f"work {step.status}"
        waited = Span(self._at(step.created_at), self._at(begun) - self._at(step.created_at), "wait")
        worked = Span(min(self._at(begun), SCALE - LEAST), max(LEAST, self._at(ended) - self._at(begun)), style)
        return tuple(span for span in (waited, *([worked] if step.started_at else [])) if span.width > 0)

    def _at(self, time: datetime) -> int:
        whole = max((self._end - self._start).total_seconds(), 0.001)
        return round(min(1.0, max(0.0, (time - self._start).total_seconds() / whole)) * SCALE)
