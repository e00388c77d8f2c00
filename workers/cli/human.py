"""What humans say to a job: answer, instruct, revise, unpin, cancel. Each is kept first; then the boss looks at the job."""

import sys
from typing import Annotated
from uuid import UUID

import typer

from contracts.base import Json
from contracts.statements import Join, Value, as_value, code, count, listing, name, names, quote, say, sentences, term
from workers.cli.changes import print_changes
from workers.cli.context import console, errors, job_id, print_json, read_object
from workers.cli.display import short_id, shortened, shown
from workers.cli.job_voice import voice_for
from workers.cli.lines import table
from workers.cli.reach.doing import do
from workers.cli.reach.jobs import job_of, questions_of
from workers.cli.telling import note, reader, tell
from workers.cli.voice import Voice
from workers.cli.watch import WAITS, wait_job, watch_job
from workers.errors import BullpenError, InvalidInput, NotFound
from workers.operations import actions
from workers.reading.words import STATES
from workers.saying import message_of

Job = Annotated[str, typer.Argument(help="The job: its id, or at least 6 characters of its beginning or end.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def answer(
    job: Job,
    text: Annotated[str | None, typer.Argument(help="The answer, e.g. '1 yes 2 no'; - reads standard input.")] = None,
    request: Annotated[str | None, typer.Option(help="The request id of the question, if several are open.")] = None,
    run: Annotated[
        list[int] | None,
        typer.Option("--run", help="Run the method of this item on the system first (SQL, LogQL or PromQL), read-only; repeatable."),
    ] = None,
    undo: Annotated[
        bool, typer.Option("--undo", help="Take back the last answer, also of a finished job; with --request that one and all later ones.")
    ] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Follow the job from here; see `bullpen watch`.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the next question or the end, and print only that.")] = False,
    as_json: AsJson = False,
) -> None:
    """Answer a question. Only the first answer counts: repeating it changes nothing, and a different answer is refused until the first
    one is taken back with --undo. Without a text, in a terminal, you type your answers one after the other until the job ends."""
    if run:
        _run_items(job_id(job), run, request, as_json)
        if text is None and not undo:
            return
    if text is None and not undo and request is None and not as_json and sys.stdin.isatty():
        raise typer.Exit(_answer_by_typing(job_id(job)))
    if (text is None) != undo:
        raise InvalidInput.of(say("refused.cli.answer_or_undo"))
    found = job_id(job)
    before = job_of(found).rev
    question = None if request is None else _request_id(found, request)
    if text is None:
        _take_back(found, question, as_json, one_line=watch)
    else:
        words = sys.stdin.read() if text == "-" else text
        question = do(actions.answer, found, words, request_id=question).request_id
        voice = None if as_json else voice_for(job_of(found), None)
        message = say("said.answered", question=name(question))
        if not wait:
            _say({"job_id": found, "request_id": question}, message, as_json, one_line=watch, voice=voice)
            if not watch and not as_json:
                note(say("said.answer.next", command=name(f"bullpen watch {short_id(found)}")))
    if wait:
        raise typer.Exit(wait_job(found, as_json=as_json, after=before))
    if watch:
        raise typer.Exit(watch_job(found, as_json=as_json, after=before))


def _run_items(found: UUID, items: list[int], request: str | None, as_json: bool) -> None:
    """Run the methods of items, and show their rows. Their answer is the person's."""
    question = None if request is None else _request_id(found, request)
    ran = [do(actions.run_item, found, item, request_id=question) for item in items]
    if as_json:
        print_json([each.to_json() for each in ran])
        return
    voice = voice_for(job_of(found), None)
    for each in ran:
        console.print(voice(say("said.ran", item=count(each.item, exact=True), system=name(each.system), query=code(each.query))))
        if each.why_not:
            console.print(voice(say("said.ran_not", reason=as_value(each.why_not))))
            continue
        if each.rows:
            listed = table(*each.columns)
            for row in each.rows:
                listed.add_row(*(shown("-" if cell is None else str(cell)) for cell in row))
            console.print(listed)
        how = code(f'bullpen answer {str(found)[-12:]} "{each.item} yes"')
        console.print(voice(say("said.ran_rows", n=count(each.count, exact=True), command=how)))


def _answer_by_typing(found: UUID) -> int:
    """Show each question and send what is typed, until the job ends or an empty line leaves it. The exit code is that of `watch`."""
    while (code := wait_job(found)) == WAITS:
        note(say("said.answer.type"))
        try:
            words = input("> ").strip()
        except (EOFError, KeyboardInterrupt):
            words = ""
        if not words:
            tell(say("said.answer.later", command=name(f"bullpen answer {short_id(found)}")))
            return code
        try:
            do(actions.answer, found, words)
        except BullpenError as error:  # the question is still open
            errors.print(message_of(error, reader().language), style="red", soft_wrap=True, markup=False)
    return code


def _take_back(found: UUID, question: UUID | None, as_json: bool, *, one_line: bool) -> None:
    taken = do(actions.take_back, found, request_id=question)
    value = {"job_id": found, "request_id": taken.request_id, "taken_back": list(taken.taken_back)}
    texts = listing(*(quote(shortened(text, 80)) for text in taken.taken_back), join=Join.CLAUSES)
    message: Value = say("said.taken_back", texts=texts, command=name(f'bullpen answer {short_id(found)} "..."'))
    if taken.has_feedback:
        message = sentences(message, say("said.feedback_stays"))
    _say(value, message, as_json, one_line=one_line, voice=None if as_json else voice_for(job_of(found), None))


def _request_id(found: UUID, text: str) -> UUID:
    """A question of this job, by its id or at least 6 characters of its beginning or end."""
    plain = text.lower().replace("-", "")
    asked = [question.request_id for question in questions_of(found)]
    fits = [request for request in asked if len(plain) >= 6 and (request.hex.startswith(plain) or request.hex.endswith(plain))]
    if len(fits) != 1:
        listed, given, job = names(str(request) for request in fits or asked), name(text[:80]), name(found)
        if fits:
            raise InvalidInput.of(say("refused.cli.several_questions", text=given, job=job, questions=listed))
        if not asked:
            raise NotFound.of(say("refused.cli.no_questions", job=job, text=given))
        raise NotFound.of(say("refused.cli.no_question", job=job, text=given, questions=listed))
    return fits[0]


def instruct(
    job: Job,
    text: Annotated[str, typer.Argument(help="What to do differently.")],
    stage: Annotated[str | None, typer.Option(help="The stage it is meant for. By default the coordinator finds it, or asks you.")] = None,
    as_json: AsJson = False,
) -> None:
    """Give a running job an instruction."""
    found = job_id(job)
    if not text.strip():
        raise InvalidInput.of(say("refused.empty_instruction"))
    request = do(actions.instruct, found, text, stage=stage).request_id
    to = name(stage) if stage else term("said.coordinator")
    _say({"job_id": found, "request_id": request, "stage": stage}, say("said.given_to", to=to), as_json)


def revise(
    job: Job,
    stage: Annotated[str, typer.Argument(help="The stage, or `input` for the request itself.")],
    file: Annotated[
        str,
        typer.Argument(
            help="A JSON object, the deliverable or what `show --stage --json` prints: a file, - for standard input, or the object itself."
        ),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    as_json: AsJson = False,
) -> None:
    """Replace a stage's deliverable by your own version. It stays until you unpin it; the stages that need it run again.

    A version that does not fit the stage is refused with the wrong field, and nothing is written."""
    found = job_id(job)
    content = read_object(file)
    plan = do(actions.revise, found, stage, content, dry_run=True)
    changed, below = plan.changes, plan.again
    if not as_json:
        print_changes(changed, none=say("said.revise.equal"))
        tell(say("said.revise.again", stages=names(below)) if below else say("said.revise.needed_by_none"))
    if dry_run:
        if as_json:
            print_json({"job_id": found, "stage": stage, "changes": [change.to_json() for change in changed], "again": below})
        return
    version = do(actions.revise, found, stage, content).version
    back = name(f"bullpen unpin {short_id(found)} {stage}")
    message = say("said.revised", stage=name(stage), version=name(version), command=back)
    _say({"job_id": found, "stage": stage, "version": version}, message, as_json)


def unpin(job: Job, stage: Annotated[str, typer.Argument(help="The stage.")], as_json: AsJson = False) -> None:
    """Remove your version of a stage; the rules decide again which version is current."""
    found = job_id(job)
    do(actions.unpin, found, stage)
    _say({"job_id": found, "stage": stage}, say("said.unpinned", stage=name(stage)), as_json)


def cancel(job: Job, as_json: AsJson = False) -> None:
    """End a job with its running steps and open questions. `bullpen replay` lets it go on."""
    found = job_id(job)
    ended = do(actions.cancel, found)
    message = say("said.cancelled") if ended.cancelled else say("said.ended_before", status=STATES[ended.status])
    _say({"job_id": found, "cancelled": ended.cancelled, "status": ended.status}, message, as_json)


def _say(value: Json, message: Value, as_json: bool, *, one_line: bool = False, voice: Voice | None = None) -> None:
    if as_json:
        print_json(value, one_line=one_line)
    else:
        tell(message, voice=voice)
