"""`bullpen why`: what a job waits for, from the boss's own reasons and from what the queues and workers look like."""

from typing import Annotated

import typer

from contracts.faults import Fault, FaultAdvice
from contracts.jobs import JobStatus
from contracts.roles import COORDINATOR
from contracts.statements import Sayable, Statement, count, name, passage, quote, say, seconds, sentences, share, term
from workers.cli.context import database, job_id, print_json, services
from workers.cli.display import short_id, shortened, shown
from workers.cli.fault_words import fix_words
from workers.cli.job_view import answer_command
from workers.cli.job_voice import voice_for
from workers.cli.lines import command
from workers.cli.lines import say as print_line
from workers.cli.voice import LanguageOption, Voice
from workers.kinds.faults import advise_on
from workers.kinds.registry import load_kinds
from workers.reading.faults import read_failed, read_solved
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
    job: Annotated[str, typer.Argument(help="The job: its id, or at least 6 characters of its beginning or end.")],
    stage: Annotated[str | None, typer.Argument(help="Only this stage.")] = None,
    language: LanguageOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show why a job, or one of its stages, is not finished yet, and what would help."""
    found = explain(database(), job_id(job), stage)
    voice = voice_for(database(), found.job, language)
    hints = [voice.plain(hint) for hint in _hints(found, voice)]
    advised = _advice(found)
    if as_json:
        print_json({**voice.json(found.to_json()), "hints": hints, "advice": [advice.to_json() for _, advice in advised]})
        return
    print_line(f"{shown(found.job.kind)} {found.job.id}  {voice.state(found.job.status)}")
    if found.job.error:
        print_line(f"[red]{voice(term('fleet.show.error'))}:[/] {shown(found.job.error)}")
    for about, reason in found.reasons.items():
        print_line(f"[bold]{shown(about)}[/]: {voice(reason)}", indent=2)
    if not found.reasons and found.rule != "owner cap":
        fresh = say("fleet.hint.all_fresh") if stage is None else say("fleet.hint.is_fresh", stage=name(stage))
        print_line(voice(fresh), indent=2)
    if found.last_decision is not None:
        rule, now = name(found.last_decision.rule), name(found.rule)
        last = say("fleet.hint.last_decision", rule=rule, rev=count(found.last_decision.rev, exact=True), now=now)
        print_line(voice(last), indent=2)
    for fault, advice in advised:
        print_line(f"[yellow]→[/] {voice(_helped(fault, advice))}")
    questions = sum(1 for wait in found.waits if isinstance(wait, AnswerNeeded))
    for wait, hint in zip(found.waits, hints, strict=True):
        if isinstance(wait, AnswerNeeded):
            print_line(f"[yellow]→[/] {voice(_asked(wait, voice))}")
            answer_with = answer_command(found.job, wait.question, voice, several=questions > 1)
            command(f"{voice.plain(term('fleet.hint.answer_with'))}:", answer_with, indent=2)
        else:
            print_line(f"[yellow]→[/] {shown(hint)}")


def _advice(found: Explanation) -> list[tuple[Fault, FaultAdvice]]:
    """For the steps of a job that failed: what helped with such faults before."""
    faults = read_failed(database(), found.job.id) if found.job.status == JobStatus.FAILED else []
    if not faults:
        return []
    load_kinds(services().settings.extensions)
    solved = read_solved(database())
    return [(fault, advice) for fault in faults if (advice := advise_on(fault, solved)) is not None]


def _helped(fault: Fault, advice: FaultAdvice) -> Statement:
    best = fix_words(advice.fixes[0])
    stage = name(fault.stage or fault.where)
    return say("fleet.hint.helped_before", error=name(fault.error), stage=stage, confidence=share(advice.confidence), fix=best)


def _hints(found: Explanation, voice: Voice) -> list[Sayable]:
    workers: dict[str, int] | None = {}
    if any(_needs_workers(wait) for wait in found.waits):
        from workers.app.fleet_facts import live_workers  # loads the broker, which only an open step needs

        workers = live_workers(services())
    questions = sum(1 for wait in found.waits if isinstance(wait, AnswerNeeded))
    return [_hint(found.job, wait, workers, voice, several=questions > 1) for wait in found.waits]


def _needs_workers(wait: Wait) -> bool:
    """Whether it depends on the processes that answer. Asking them takes a second."""
    return isinstance(wait, Undecided) or (isinstance(wait, StepWaits) and not wait.is_young)


def _hint(job: Job, wait: Wait, workers: dict[str, int] | None, voice: Voice, *, several: bool) -> Sayable:
    match wait:
        case Ended():
            return say("fleet.hint.again", job=name(short_id(job.id)))
        case OwnerAtCap():
            cap = services().settings.owner_cap
            return say("fleet.hint.owner_at_cap", owner=quote(wait.owner), running=count(wait.running), cap=count(cap))
        case AnswerNeeded():
            answer_with = name(answer_command(job, wait.question, voice, several=several))
            return say("fleet.hint.answer", asked=_asked(wait, voice), command=answer_with)
        case Undecided():
            return _undecided(wait, workers)
        case StepRuns():
            return _running(wait)
        case StepWaits():
            return _queued(wait, workers)
        case StepDelayed():
            return _delayed(wait)


def _asked(wait: AnswerNeeded, voice: Voice) -> Statement:
    question = shortened(voice.plain(wait.question.form.text), _QUESTION_CHARACTERS)
    return say("fleet.hint.asks", asker=name(wait.question.asker), question=passage(question))


def _delayed(wait: StepDelayed) -> Statement:
    again = say("fleet.hint.delayed", stage=name(wait.step.stage), delay=seconds(wait.in_s))
    error = wait.step.error
    return again if error is None else say("fleet.hint.after_error", again=again, type=name(error.type), message=passage(error.message))


def _undecided(wait: Undecided, workers: dict[str, int] | None) -> Sayable:
    behind = say("fleet.hint.undecided", rev=count(wait.rev, exact=True), decided=count(wait.decided_rev, exact=True))
    if wait.coordinator_state != "running":
        helps = say("fleet.hint.coordinator_stopped", state=name(wait.coordinator_state), role=name(COORDINATOR))
    elif workers is None:
        helps = say("fleet.hint.coordinator_without_broker")
    elif not workers.get(COORDINATOR):
        helps = say("fleet.hint.no_coordinator", role=name(COORDINATOR))
    else:
        helps = say("fleet.hint.coordinator_runs")
    return _both(behind, helps)


def _running(wait: StepRuns) -> Sayable:
    step = wait.step
    runs = say(
        "fleet.hint.runs",
        stage=name(step.stage),
        worker=name(step.worker or "?"),
        duration=seconds(step.duration_s or 0.0),
        attempt=count(step.attempt),
        most=count(step.max_attempts),
    )
    if wait.lease_left_s > 0:
        return runs
    return _both(runs, say("fleet.hint.lease_ran_out", age=seconds(-wait.lease_left_s)))


def _queued(wait: StepWaits, workers: dict[str, int] | None) -> Sayable:
    role = name(wait.step.role)
    waits = say("fleet.hint.waits", stage=name(wait.step.stage), duration=seconds(wait.waits_s), role=role)
    if wait.role_state != "running":
        return _both(waits, say("fleet.hint.role_stopped", state=name(wait.role_state), role=role))
    if wait.is_young:
        return waits
    if workers is None:
        return _both(waits, say("fleet.hint.no_broker"))
    if not workers.get(wait.step.role):
        return _both(waits, say("fleet.hint.no_worker", role=role))
    from workers.app.fleet_facts import queued_messages  # see above

    length = queued_messages(services(), wait.step.role)
    if length:
        busy = say("fleet.hint.workers_busy", workers=count(workers[wait.step.role]))
        return _both(waits, say("fleet.hint.in_queue", busy=busy, messages=count(length)))
    return _both(waits, say("fleet.hint.not_in_queue"))


def _both(first: Statement, second: Statement) -> Sayable:
    return say("fleet.hint.both", parts=sentences(first, second))
