"""What follows from the facts of a set of artefacts and several steps need: the verdicts, and of the run its numbers and settings.

It takes a few kilobytes where the facts may take megabytes, so it is worked out once and kept (see `roles/judging.py`)."""

from contracts.base import Contract
from contracts.spark import RunFacts, SqlExecution
from contracts.spark_time import TimeAccount
from contracts.verdicts import Figure, Findings, VerdictKind
from workers.engines.scope.job_time import stage_times
from workers.engines.spark.blame import spot_of_stage
from workers.engines.spark.time_account import time_account
from workers.engines.spark.verdicts.measures import Run
from workers.kinds.tune.rules.known import Known
from workers.kinds.tune.rules.refuting import numbers_of


class Judged(Contract):
    """The judgement on what was read so far."""

    findings: Findings
    numbers: dict[VerdictKind, Figure] = {}
    """The number of the run that decides a hypothesis of a kind; kinds without such a number are left out."""
    time: TimeAccount | None = None
    """Where the wall time of the run went; None where no run was measured."""
    others: tuple[str, ...] = ()
    """Names of the scripts of another application, of which nothing is to be named."""
    settings: RunFacts | None = None
    """The run with its version and settings alone; None where no run was measured."""


def judged(known: Known) -> Judged:
    """The judgement on these artefacts."""
    run = known.run
    settings = settings_of(run) if run is not None else None
    others = tuple(other.script for other in known.others())
    return Judged(findings=known.findings(), numbers=numbers_of(run), time=_time(known.without(others)), others=others, settings=settings)


def _time(known: Known) -> TimeAccount | None:
    """With the places of its stages in the scripts."""
    if known.run is None:
        return stage_times(known.scope) if known.scope is not None else None
    run, script = Run(known.run), known.script
    return time_account(known.run, lambda stage_id: spot_of_stage(run, stage_id, script))


def settings_of(run: RunFacts) -> RunFacts:
    """Without stages, jobs, executors and plans. Of the executions, each distinct configuration where it was last used: a setting is that
    of the last execution that has it."""
    last: dict[tuple[tuple[str, str], ...], SqlExecution] = {}
    for execution in run.executions:
        configuration = tuple(sorted(execution.configuration.items()))
        last.pop(configuration, None)
        last[configuration] = SqlExecution(execution_id=execution.execution_id, configuration=execution.configuration)
    executions = tuple(execution for configuration, execution in last.items() if configuration)
    return run.model_copy(update={"jobs": (), "stages": (), "executors": (), "critical_path": (), "executions": executions})
