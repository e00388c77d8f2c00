"""`bullpen show`: a job on the terminal, or its result as a document."""

import sys
from typing import Annotated
from uuid import UUID

import typer

from contracts.stages import INPUT
from contracts.statements import name as identifier
from contracts.statements import say
from workers.cli.context import console, job_id, print_json
from workers.cli.job_view import print_content, print_job
from workers.cli.job_voice import voice_for
from workers.cli.list_words import list_words
from workers.cli.reach.doing import do
from workers.cli.reach.jobs import job_of
from workers.cli.report_page import Form, page_of
from workers.cli.show_calls import print_calls
from workers.cli.telling import tell
from workers.cli.voice import LanguageOption, Voice
from workers.errors import InvalidInput, NotFound
from workers.kinds.about import with_about
from workers.kinds.shown import handover_of, report_of
from workers.operations.jobs import decisions as decisions_of
from workers.operations.jobs import deliverable, tool_calls
from workers.operations.jobs import job as facts_of
from workers.reading.calls import CallFacts
from workers.saying.document import Document
from workers.saying.terminal import print_document

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def show(
    job: Annotated[str, typer.Argument(help="The job: its id, or at least 6 characters of its beginning or end.")],
    stage: Annotated[str | None, typer.Option(help="Print the deliverable of this stage instead.")] = None,
    version: Annotated[int | None, typer.Option(min=1, help="With --stage: this version. Default: the current one.")] = None,
    decisions: Annotated[
        bool, typer.Option("--decisions", help="Also list the coordinator's decisions, with the rule that applied.")
    ] = False,
    calls: Annotated[
        bool,
        typer.Option(
            "--calls",
            help="List the calls of models and tools that its steps made: tokens by part of the prompt, and what was left out. With "
            "--details or --json also prompts and answers.",
        ),
    ] = False,
    details: Annotated[bool, typer.Option("--details", help="Show the whole report.")] = False,
    steps: Annotated[
        bool, typer.Option("--steps", help="Show how it came about as tables: stages, versions, steps with attempts, questions.")
    ] = False,
    page: Annotated[int | None, typer.Option(min=1, help="Print only this page of the result's rows.")] = None,
    handover: Annotated[
        bool, typer.Option("--handover", help="Print the page to hand over: what was reported and checked so far, and what to check next.")
    ] = False,
    language: LanguageOption = None,
    form: Annotated[
        Form, typer.Option("--format", help="md or html: print only the result, as Markdown or as an HTML page.")
    ] = Form.TERMINAL,
    as_json: AsJson = False,
) -> None:
    """Show a job: what it asks or its result, then how that came about."""
    found = job_id(job)
    _check_options(
        stage, version, page, form, as_json=as_json, handover=handover, many=decisions or details
    )  # fmt: skip
    if calls:
        _show_calls(found, stage, language, details=details, as_json=as_json)
        return
    if stage is not None:
        _show_stage(found, stage, version, language, as_json=as_json)
        return
    facts = do(facts_of, found)
    decided = do(decisions_of, found) if decisions else None
    voice = voice_for(facts.job, language)
    if handover:
        _print(handover_of(facts, lambda stage: do(deliverable, found, stage).content), voice, form)
        return
    if as_json:
        values = voice.json(facts.to_json())
        print_json(values if decided is None else {**values, "decisions": voice.json([decision.to_json() for decision in decided])})
        return
    if form is not Form.TERMINAL:
        report = report_of(facts, voice.language, details=details, page=page)
        sys.stdout.write(page_of(with_about(report, facts, do(deliverable, found, INPUT).content), voice, form))
    elif page is not None:
        print_document(console, report_of(facts, voice.language, page=page), voice.language)
    else:
        print_job(facts, decided, voice, details=details, steps=steps)


def _check_options(
    stage: str | None, version: int | None, page: int | None, form: Form, *, as_json: bool, handover: bool, many: bool
) -> None:
    """Options that go together. `many`: decisions or details are asked for. Raises `InvalidInput`."""
    elsewhere = as_json or stage is not None
    if version is not None and stage is None:
        raise InvalidInput.of(say("refused.cli.show_version"))
    if form is not Form.TERMINAL and elsewhere:
        raise InvalidInput.of(say("refused.cli.show_format"))
    if page is not None and (elsewhere or many):
        raise InvalidInput.of(say("refused.cli.show_page"))
    if handover and (elsewhere or many or page is not None):
        raise InvalidInput.of(say("refused.cli.show_handover"))


def _show_stage(found: UUID, stage: str, version: int | None, language: str | None, *, as_json: bool) -> None:
    content = do(deliverable, found, stage, version=version)
    if as_json:
        print_json(content)
    else:
        print_content(content, voice_for(job_of(found), language))


def _journal(job: UUID, *, texts: bool) -> tuple[CallFacts, ...]:
    """What the steps of a job asked of models and tools. Raises `NotFound` for a job that is not there, or not the key's own."""
    found = do(tool_calls, job, texts=texts).journal
    if found is None:
        raise NotFound.of(say("refused.call.owner", job=identifier(job)))
    return found


def _show_calls(job: UUID, stage: str | None, language: str | None, *, details: bool, as_json: bool) -> None:
    made = [call for call in _journal(job, texts=details or as_json) if stage in (None, call.stage)]
    if as_json:
        print_json([call.to_json() for call in made])
    elif made:
        print_calls(made, list_words(language or "en"), details=details)
    else:
        tell(say("lists.no.journal"))


def _print(document: Document, voice: Voice, form: Form) -> None:
    if form is Form.TERMINAL:
        print_document(console, document, voice.language)
    else:
        sys.stdout.write(page_of(document, voice, form))
