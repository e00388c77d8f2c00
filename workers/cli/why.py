"""`bullpen why`: what a job waits for, from the boss's own reasons and from what the queues and workers look like."""

from typing import Annotated

import typer

from contracts.roles import COORDINATOR
from workers.cli.context import database, job_id, print_json, services
from workers.cli.display import counted, duration, short_id, shown, styled
from workers.cli.fleet_facts import live_workers, queued_messages
from workers.cli.job_view import answer_command
from workers.cli.lines import say
from workers.reading.jobs import Job
from workers.reading.waiting import (
    AnswerNeeded,
    Ended,
    Explanation,
    OwnerAtCap,
    StepDelayed,
    StepRuns,
    StepWaits,
    Undecided,
    Wait,
    explain,
)

_QUESTION_CHARACTERS = 200
"""Of a question that is only mentioned."""


def why(
    job: Annotated[str, typer.Argument(help="The job: its id, or 6 characters or more of its beginning or end.")],
    stage: Annotated[str | None, typer.Argument(help="Only this stage.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say why a job, or one of its stages, is not done yet, and what would help."""
    found = explain(database(), job_id(job), stage)
    hints = _hints(found)
    if as_json:
        print_json({**found.to_json(), "hints": hints})
        return
    say(f"{shown(found.job.kind)} {found.job.id}  {styled(found.job.status)}")
    if found.job.error:
        say(f"[red]error:[/] {shown(found.job.error)}")
    for name, reason in found.reasons.items():
        say(f"[bold]{shown(name)}[/]: {shown(reason)}", indent=2)
    if not found.reasons and found.rule != "owner cap":
        say("Every stage is fresh." if stage is None else f"{shown(stage)} is fresh.", indent=2)
    if found.last_decision is not None:
        rule, rev = shown(found.last_decision.rule), found.last_decision.rev
        say(f"last decision: rule [bold]{rule}[/] at revision {rev}; now it would be {found.rule}", indent=2)
    for hint in hints:
        say(f"[yellow]→[/] {shown(hint)}")


def _hints(found: Explanation) -> list[str]:
    workers: dict[str, int] | None = {}
    if any(_needs_workers(wait) for wait in found.waits):
        workers = live_workers(services())
    questions = sum(1 for wait in found.waits if isinstance(wait, AnswerNeeded))
    return [_hint(found.job, wait, workers, several=questions > 1) for wait in found.waits]


def _needs_workers(wait: Wait) -> bool:
    """Whether it depends on the processes that answer. Asking them takes a second."""
    return isinstance(wait, Undecided) or (isinstance(wait, StepWaits) and not wait.is_young)


def _hint(job: Job, wait: Wait, workers: dict[str, int] | None, *, several: bool) -> str:
    match wait:
        case Ended():
            return f"Do it again: bullpen replay {short_id(job.id)}"
        case OwnerAtCap():
            running, cap = counted(wait.running, "job"), services().settings.owner_cap
            return f"Owner {wait.owner!r} has {running} running of {cap} (BULLPEN_OWNER_CAP); this one starts when one ends."
        case AnswerNeeded():
            asked = " ".join(wait.question.form.text.split())[:_QUESTION_CHARACTERS]
            return f"{wait.question.asker} asks: {asked} Answer with: {answer_command(job, wait.question, several=several)}"
        case Undecided():
            return _undecided(wait, workers)
        case StepRuns():
            return _running(wait)
        case StepWaits():
            return _queued(wait, workers)
        case StepDelayed():
            name = "an error" if wait.step.error is None else wait.step.error.type
            message = "" if wait.step.error is None else wait.step.error.message
            return f"{wait.step.stage} is tried again in {duration(wait.in_s)}, after {name}: {message}"


def _undecided(wait: Undecided, workers: dict[str, int] | None) -> str:
    text = f"The boss has not looked at revision {wait.rev} yet (it decided {wait.decided_rev})."
    if wait.coordinator_state != "running":
        return f"{text} The coordinator is {wait.coordinator_state}, so that only its sweep decides: bullpen resume {COORDINATOR}"
    if workers is None:
        return f"{text} The broker does not answer; the sweep of a coordinator decides without it."
    if not workers.get(COORDINATOR):
        return f"{text} No coordinator answers. Start one: bullpen worker {COORDINATOR}"
    return f"{text} A coordinator runs; its sweep comes within seconds."


def _running(wait: StepRuns) -> str:
    step = wait.step
    text = f"{step.stage} runs on {step.worker} for {duration(step.duration_s)}, attempt {step.attempt} of {step.max_attempts}."
    if wait.lease_left_s > 0:
        return text
    return f"{text} Its lease ran out {duration(-wait.lease_left_s)} ago; a coordinator's sweep takes it back."


def _queued(wait: StepWaits, workers: dict[str, int] | None) -> str:
    role = wait.step.role
    text = f"{wait.step.stage} has waited {duration(wait.waits_s)} for a worker of role {role}."
    if wait.role_state != "running":
        return f"{text} The role is {wait.role_state}: bullpen resume {role}"
    if wait.is_young:
        return text
    if workers is None:
        return f"{text} The broker does not answer; its message leaves when the broker is back. See bullpen doctor."
    if not workers.get(role):
        return f"{text} No worker answers. Start one: bullpen worker {role}"
    length = queued_messages(services(), role)
    if length:
        return f"{text} {counted(workers[role], 'worker')} busy; {counted(length, 'message')} in the queue. More workers would help."
    return f"{text} Its message is not in the queue: a worker has just taken it, or it was lost and the sweep sends it again."
