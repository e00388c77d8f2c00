"""`bullpen why`: what a job waits for, from the boss's own reasons and from what the queues and workers look like."""

from typing import Annotated

import typer

from contracts.faults import Fault, FaultAdvice
from contracts.statements import Statement, count, name, say, share, term
from workers.cli.context import job_id, print_json
from workers.cli.display import shown
from workers.cli.fault_words import fix_words
from workers.cli.job_voice import voice_for
from workers.cli.lines import command, print_line
from workers.cli.reach.jobs import why as explain
from workers.cli.voice import LanguageOption
from workers.reading.answering import answer_command
from workers.reading.waiting import (
    AnswerNeeded,
)


def why(
    job: Annotated[str, typer.Argument(help="The job: its id, or at least 6 characters of its beginning or end.")],
    stage: Annotated[str | None, typer.Argument(help="Only this stage.")] = None,
    language: LanguageOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show why a job, or one of its stages, is not finished yet, and what would help."""
    from workers.app.explaining import asked  # with the fleet's settings: `--help` goes without

    known = explain(job_id(job), stage, language)
    found = known.explanation
    voice = voice_for(found.job, language)
    if as_json:
        print_json(voice.json(known.to_json()))
        return
    print_line(f"{shown(found.job.kind)} {found.job.id}  {voice.state(found.job.status)}")
    if found.job.error:
        print_line(f"[red]{voice.head(term('fleet.show.error'))}[/]{voice(found.job.error)}")
    for about, reason in found.reasons.items():
        print_line(f"[bold]{voice.head(name(about))}[/]{voice(reason)}", indent=2)
    if not found.reasons and found.rule != "owner cap":
        fresh = say("fleet.hint.all_fresh") if stage is None else say("fleet.hint.is_fresh", stage=name(stage))
        print_line(voice(fresh), indent=2)
    if found.last_decision is not None:
        rule, now = name(found.last_decision.rule), name(found.rule)
        last = say("fleet.hint.last_decision", rule=rule, rev=count(found.last_decision.rev, exact=True), now=now)
        print_line(voice(last), indent=2)
    for fault, advice in zip(known.faults, known.advice, strict=True):
        print_line(f"[yellow]→[/] {voice(_helped(fault, advice))}")
    questions = sum(1 for wait in found.waits if isinstance(wait, AnswerNeeded))
    for wait, hint in zip(found.waits, known.hints, strict=True):
        if isinstance(wait, AnswerNeeded):
            print_line(f"[yellow]→[/] {voice(asked(wait, voice.language))}")
            answer_with = answer_command(found.job.id, wait.question, voice.language, several=questions > 1)
            command(voice.head(term("fleet.hint.answer_with")), answer_with, indent=2)
        else:
            print_line(f"[yellow]→[/] {voice(hint)}")


def _helped(fault: Fault, advice: FaultAdvice) -> Statement:
    best = fix_words(advice.fixes[0])
    stage = name(fault.stage or fault.where)
    return say("fleet.hint.helped_before", error=name(fault.error), stage=stage, confidence=share(advice.confidence), fix=best)
