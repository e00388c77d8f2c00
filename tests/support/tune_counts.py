"""What a `tune` job does with its files: how often it opens the bundle, parses an artefact, loads facts and judges, step by step."""

from collections import Counter
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from time import process_time
from typing import Any
from unittest.mock import patch

from contracts.commands import RunStep
from workers.app import in_process
from workers.app.services import ProcessServices
from workers.bundles import opening, reading
from workers.kinds.tune.rules.known import Known


@dataclass
class StepCount:
    """One step of a job."""

    stage: str
    openings: int = 0
    """Times that the files of the bundle were looked at to catalogue them."""
    parsed: list[str] = field(default_factory=list[str])
    """Artefacts that a parser read, by name."""
    parsed_bytes: int = 0
    loaded: list[str] = field(default_factory=list[str])
    """Contracts of the facts that came from the cache."""
    judged: int = 0
    """Runs of the verdicts."""
    cpu_s: float = 0.0


@dataclass
class JobCount:
    """The steps of the jobs that ran meanwhile, in their order."""

    steps: list[StepCount] = field(default_factory=lambda: [StepCount("none")])
    before_step: Callable[[ProcessServices, str], None] = lambda services, stage: None
    """Called with the stage before each step."""

    @property
    def openings(self) -> int:
        """Of all steps."""
        return sum(step.openings for step in self.steps)

    @property
    def parsed(self) -> Counter[str]:
        """How often each artefact was parsed."""
        return Counter(name for step in self.steps for name in step.parsed)

    @property
    def judged(self) -> int:
        """Of all steps."""
        return sum(step.judged for step in self.steps)

    def loading(self, shape: str) -> list[str]:
        """The stages that loaded facts of a contract."""
        return [step.stage for step in self.steps if shape in step.loaded]


@contextmanager
def counted() -> Generator[JobCount]:
    """Counts while the block runs, in this process."""
    found = JobCount()

    def opened(_result: object, *_given: Any) -> None:
        found.steps[-1].openings += 1

    def parsed(_result: object, _file_of: object, artefact: Any, *_given: Any) -> None:
        found.steps[-1].parsed.append(artefact.name)
        found.steps[-1].parsed_bytes += artefact.size_bytes

    def loaded(result: Any, *_given: Any) -> None:
        found.steps[-1].loaded += [type(fact).__name__ for fact in result.facts] if result is not None else []

    def judged(_result: object, *_given: Any) -> None:
        found.steps[-1].judged += 1

    with ExitStack() as stack:
        for owner, name, note in (
            (opening.OpenBundle, "__init__", opened),
            (reading, "_parse", parsed),
            (reading, "from_bytes", loaded),
            (Known, "findings", judged),
        ):
            stack.enter_context(patch.object(owner, name, _noting(getattr(owner, name), note)))
        stack.enter_context(patch.object(in_process, "run_once", _in_steps(in_process.run_once, found)))
        yield found


def _noting(work: Callable[..., Any], note: Callable[..., None]) -> Callable[..., Any]:
    def counting(*given: Any, **named: Any) -> Any:
        result = work(*given, **named)
        note(result, *given)
        return result

    return counting


def _in_steps(run: Callable[[ProcessServices, RunStep], str], found: JobCount) -> Callable[[ProcessServices, RunStep], str]:
    def step(services: ProcessServices, command: RunStep) -> str:
        found.before_step(services, command.stage)
        found.steps.append(StepCount(command.stage))
        began = process_time()
        try:
            return run(services, command)
        finally:
            found.steps[-1].cpu_s = process_time() - began

    return step
