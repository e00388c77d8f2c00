"""`bullpen show`."""

from typing import Annotated

import typer

from workers.cli.context import database, job_id, print_json
from workers.cli.job_view import print_content, print_job
from workers.cli.voice import LanguageOption, voice_for
from workers.errors import InvalidInput
from workers.reading.decisions import read_decisions
from workers.reading.deliverables import read_current, read_version
from workers.reading.facts import read_job_facts
from workers.reading.jobs import read_job

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def show(
    job: Annotated[str, typer.Argument(help="The job: its id, or 6 characters or more of its beginning or end.")],
    stage: Annotated[str | None, typer.Option(help="Print the deliverable of this stage instead.")] = None,
    version: Annotated[int | None, typer.Option(min=1, help="With --stage: this version. Default: the current one.")] = None,
    decisions: Annotated[bool, typer.Option("--decisions", help="Also list what the boss decided, with the rule that fired.")] = False,
    details: Annotated[bool, typer.Option("--details", help="Of a report all that it holds.")] = False,
    language: LanguageOption = None,
    as_json: AsJson = False,
) -> None:
    """Show a job: its stages by the rule of freshness, its steps, questions and result."""
    found, db = job_id(job), database()
    if version is not None and stage is None:
        raise InvalidInput("--version goes with --stage: of which stage?")
    if stage is not None:
        content = read_current(db, found, stage) if version is None else read_version(db, found, stage, version)
        if as_json:
            print_json(content)
        else:
            print_content(content, voice_for(db, read_job(db, found), language))
        return
    facts = read_job_facts(db, found)
    decided = read_decisions(db, found) if decisions else None
    voice = voice_for(db, facts.job, language)
    if as_json:
        told = voice.json(facts.to_json())
        print_json(told if decided is None else {**told, "decisions": voice.json([decision.to_json() for decision in decided])})
        return
    print_job(facts, decided, voice, details=details)
