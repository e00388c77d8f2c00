"""`bullpen watch`: what happens to a job, as it happens, without a gap; until it ends or waits for a human."""

import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, nullcontext
from datetime import datetime
from typing import Annotated
from uuid import UUID

import typer
from rich.console import Group

from contracts.base import Json
from contracts.jobs import FINISHED, JobStatus
from contracts.reports import refused_in
from contracts.statements import count, name, passage, say, seconds, term
from workers.cli.context import console, errors, job_id, print_json
from workers.cli.display import brief, duration, short_id, shown
from workers.cli.event_words import tell
from workers.cli.interrupts import insistent_interrupts
from workers.cli.job_view import print_questions, print_result
from workers.cli.job_voice import voice_for
from workers.cli.lines import print_line, table, wide
from workers.cli.reach.doing import do
from workers.cli.reach.jobs import job_of, progress_of, questions_of
from workers.cli.reach.jobs import tails as tails_of
from workers.cli.telling import warn
from workers.cli.voice import LanguageOption, Voice
from workers.console.stage_labels import stage_label
from workers.errors import NotFound
from workers.kinds.registry import find_kind
from workers.kinds.shown import prepare_result
from workers.operations.jobs import job as facts_of
from workers.reading.events import EventTail, Gap
from workers.reading.follow import PATIENCE_S
from workers.reading.jobs import Job
from workers.reading.steps import StepFacts
from workers.reading.words import STATES

SUCCEEDED, FAILED, WAITS = 0, 1, 7
"""Exit codes."""
DECIDED = "job_decided"
"""What the boss decides is for who follows a job; who waits for it sees what is done."""
LOOK_S = 2.0
"""Seconds between two looks at attempts: a step that is taken over from a worker that died makes no event."""
LONG_S = 10.0
"""Seconds from which a step that runs gets a line of its own where lines are printed."""
_EVENTS_SHOWN = 5
"""Below the steps of a live picture."""


def watch(
    job: Annotated[str, typer.Argument(help="The job: its id, or at least 6 characters of its beginning or end.")],
    until_question: Annotated[
        bool, typer.Option("--until-question", help="End at an open question even if other steps still run.")
    ] = False,
    words: Annotated[
        bool, typer.Option("--words", help="Also print calls of models and tools, and the words of an answer while a model writes them.")
    ] = False,
    language: LanguageOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on each line: the events, and finally `watch_ended`.")] = False,
) -> None:
    """Follow a job until it ends or waits for an answer. Exit code 0: succeeded; 1: failed or cancelled; 7: waits for you."""
    raise typer.Exit(watch_job(job_id(job), as_json=as_json, until_question=until_question, language=language, words=words))


@insistent_interrupts()
def watch_job(
    found: UUID, *, as_json: bool = False, until_question: bool = False, after: int = 0, language: str | None = None, words: bool = False
) -> int:
    """Follow a job from the event after revision `after`; `words`: also what happens inside its steps. The exit code."""
    job = job_of(found)
    voice = voice_for(job, language)
    on_live = None if not words else _print_said_json if as_json else _Said()
    tails = _tails(found, voice, until_question, after, on_live)
    with _job_goes_on(found, voice):
        if as_json:
            _print_json_lines(tails, voice)
        elif sys.stdout.isatty() and on_live is None:
            _print_live(tails, job, voice, _Attempts(found, voice))
        else:
            _print_lines(tails, voice, _Attempts(found, voice))
    return _print_end(found, voice, as_json)


@insistent_interrupts()
def wait_job(found: UUID, *, as_json: bool = False, after: int = 0) -> int:
    """Wait until a job ends or asks, with nothing but its present step on standard error; then print the result, or as JSON all
    that `bullpen show` tells. The exit code. `after`: the revision from which its steps are said. On a terminal a step is a line that
    moves, elsewhere a line for each, once."""
    job = job_of(found)
    voice = voice_for(job, None)
    if not as_json:
        prepare_result(job.kind)
    attempts = _Attempts(found, voice)
    with _job_goes_on(found, voice), errors.status(voice(STATES["accepted"])) if errors.is_terminal else nullcontext() as status:
        for tail in _tails(found, voice, until_question=False, after=after, on_live=attempts.hear):
            lines = [tell(event, voice, attempts.label) for event in tail.events if event.kind != DECIDED] + attempts.begun(tail)
            if status is None:
                for line in (*lines, *attempts.long()):
                    errors.print(brief(line, 100), style="dim", soft_wrap=True)
            elif shown_last := lines or attempts.at_work():
                status.update(brief(shown_last[-1], max(errors.width - 4, 20)))
    if as_json:
        facts = do(facts_of, found)
        print_json(voice.json(facts.to_json()))
        return _exit_code(facts.job.status)
    return _print_end(found, voice, as_json=False)


@contextmanager
def _job_goes_on(found: UUID, voice: Voice) -> Generator[None]:
    """Who leaves with Ctrl-C reads that the job goes on without them."""
    try:
        yield
    except KeyboardInterrupt:
        errors.print(voice(say("fleet.watch.goes_on", job=name(short_id(found)))), style="dim", soft_wrap=True)
        raise


class _Attempts:
    """Sees the steps that run, and that another worker goes on with one, of which no event tells."""

    def __init__(self, job: UUID, voice: Voice) -> None:
        self._job, self._voice = job, voice
        self._known: dict[UUID, int] = {}
        self._running: tuple[StepFacts, ...] = ()
        self._calls: dict[str, str] = {}
        self._said: set[tuple[UUID, int]] = set()
        self._tasks: dict[str, str] = {}
        self._looked_at = time.monotonic()

    def label(self, stage: str) -> str:
        """What a stage is called in plain words: by its task, for which a look at the steps is made where it is not known yet."""
        if stage not in self._tasks:
            self._tasks |= {step.stage: step.task for step in progress_of(self._job, JobStatus.RUNNING).steps}
        return stage_label(stage, self._tasks.get(stage), self._voice.language)

    def hear(self, message: Json) -> None:
        """A call of a model or a tool in a step, as it comes."""
        if "name" in message:
            self._calls[str(message["stage"])] = str(message.get("model") or message["name"])

    def at_work(self) -> list[str]:
        """What is being done, a line for each step that runs: its plain words, for how long, and its last call."""
        return [self._line(step) for step in self._running]

    def long(self) -> list[str]:
        """The same of steps that take long, once for each attempt."""
        new = [step for step in self._running if (step.duration_s or 0.0) >= LONG_S and (step.id, step.attempt) not in self._said]
        self._said.update((step.id, step.attempt) for step in new)
        return [self._line(step) for step in new]

    def _line(self, step: StepFacts) -> str:
        label, call = stage_label(step.stage, step.task, self._voice.language), self._calls.get(step.stage)
        now = say("fleet.watch.now", stage=passage(label), time=seconds(step.duration_s or 0.0))
        return self._voice.plain(now if call is None else say("fleet.watch.now_call", now=now, call=name(call)))

    def begun(self, tail: EventTail) -> list[str]:
        """The attempts after a first one that have begun since the last look, a line each."""
        if tail.events or time.monotonic() - self._looked_at < LOOK_S:
            return []
        self._looked_at = time.monotonic()
        lines: list[str] = []
        steps = progress_of(self._job, tail.state.status).steps
        self._running = tuple(step for step in steps if step.status == "running")
        for step in steps:
            before, self._known[step.id] = self._known.get(step.id, 1), step.attempt
            if step.attempt > max(before, 1) and step.status == "running":
                attempt, most = count(step.attempt), count(step.max_attempts)
                lines.append(
                    self._voice.plain(say("fleet.watch.attempt", stage=passage(self.label(step.stage)), attempt=attempt, most=most))
                )
        return lines


class _Said:
    """Prints what happens inside of steps: words in one piece, calls a line each."""

    def __init__(self) -> None:
        self._in_words = False

    def __call__(self, message: Json) -> None:
        if message["kind"] == "answer_delta":
            if message.get("first") or not self._in_words:
                self.end_line()
            console.print(shown(str(message["text"])), end="", soft_wrap=True)
            self._in_words = True
        else:
            self.end_line()
            place = f"{message['call']}.{message['place']}" if message["place"] else f"{message['call']}"
            print_line(shown(f"  {message['stage']} {place} {message['name']}: {message['outcome']}"), style="dim")

    def end_line(self) -> None:
        """End the line of the words."""
        if self._in_words:
            console.print()
        self._in_words = False


def _print_said_json(message: Json) -> None:
    print_json(message, one_line=True)


def _tails(
    found: UUID, voice: Voice, until_question: bool, after: int, on_live: Callable[[Json], None] | None = None
) -> Iterator[EventTail]:
    """What happens, until nothing more will happen without a human."""

    def lost(error: str) -> None:
        warn(voice.plain(say("said.watch.lost", error=passage(error), time=seconds(PATIENCE_S))))

    return tails_of(found, after=after, until_question=until_question, on_lost=lost, on_live=on_live)


def _print_json_lines(tails: Iterator[EventTail], voice: Voice) -> None:
    for tail in tails:
        if tail.gap is not None:
            print_json({"kind": "gap", **tail.gap.to_json()}, one_line=True)
        for event in tail.events:
            print_json(voice.json(event.to_json()), one_line=True)


def _print_lines(tails: Iterator[EventTail], voice: Voice, attempts: _Attempts) -> None:
    for tail in tails:
        if tail.gap is not None:
            print_line(shown(_gap(tail.gap, voice)), style="dim")
        for event in tail.events:
            print_line(f"{event.at.astimezone():%H:%M:%S}  {shown(tell(event, voice, attempts.label))}")
        for line in (*attempts.begun(tail), *attempts.long()):
            print_line(f"{datetime.now().astimezone():%H:%M:%S}  {shown(line)}")


def _gap(gap: Gap, voice: Voice) -> str:
    until = gap.snapshot_rev if gap.next_rev is None else gap.next_rev - 1
    first, last = count(gap.after + 1, exact=True), count(until, exact=True)
    return voice.plain(say("fleet.watch.gap", first=first, last=last))


def _print_live(tails: Iterator[EventTail], job: Job, voice: Voice, attempts: "_Attempts") -> None:
    last: list[str] = []
    from rich.live import Live

    with Live(console=console, auto_refresh=False) as live:
        for tail in tails:
            missed = [] if tail.gap is None else [_gap(tail.gap, voice)]
            last = [*last, *missed, *(tell(event, voice, attempts.label) for event in tail.events)][-_EVENTS_SHOWN:]
            live.update(_picture(tail, job, last, voice), refresh=True)


def _picture(tail: EventTail, job: Job, last: list[str], voice: Voice) -> Group:
    """The steps, and below them what happened last."""
    progress = progress_of(job.id, tail.state.status)
    picture = table(
        voice(term("fleet.show.stage")),
        voice(term("fleet.show.role")),
        voice(term("fleet.show.status")),
        voice(term("fleet.show.attempt")),
        voice(term("fleet.show.took")),
        wide(""),
        title=f"{shown(job.kind)} {job.id}  {voice.state(progress.status)}",
    )
    for step in progress.steps:
        text = step.summary if step.error is None or step.status not in ("failed", "queued") else voice.plain(step.error.message)
        text = text or (stage_label(step.stage, step.task, voice.language) if step.status == "running" else "")
        facts = [shown(step.stage), step.role, voice.state(step.status), str(step.attempt), duration(step.duration_s)]
        picture.add_row(*facts, brief(text or "", 120))
    return Group(picture, *(f"[dim]{brief(line, 120)}[/]" for line in last))


def _print_end(found: UUID, voice: Voice, as_json: bool) -> int:
    job = _read_if_there(found)
    code = FAILED if job is None else _exit_code(job.status)
    questions = () if job is None else tuple(question for question in questions_of(found) if question.is_open)
    status = JobStatus.CANCELLED if job is None else job.status
    error = voice.plain(term("fleet.watch.deleted")) if job is None else voice.plain(job.error or "")
    if as_json:
        asked = voice.json([question.to_json() for question in questions])
        ended = {"kind": "watch_ended", "job_id": found, "status": status, "error": error or None, "questions": asked, "exit_code": code}
        print_json(ended, one_line=True)
    elif job is None or code == FAILED:
        console.print()
        reason = shown(error) if error else voice(term("fleet.watch.no_reason"))
        refused = None if job is None else refused_in(job.error)
        failed = status == JobStatus.FAILED and refused is None
        reason = reason if refused is None else voice(refused)
        print_line(f"{voice.state(status)}{voice.colon}{voice(say('fleet.job.failed', error=passage(reason))) if failed else reason}")
        if failed:
            again = say("fleet.watch.again", job=name(short_id(found)))
            errors.print(voice(again), style="dim", soft_wrap=True)
    elif code == WAITS:
        console.print()
        print_line(voice(term("fleet.watch.waits")), style="bold yellow")
        print_questions(job, questions, voice)
    else:
        _print_result(found, voice)
    return code


def _read_if_there(found: UUID) -> Job | None:
    """The job; None when it was purged while it was watched."""
    try:
        return job_of(found)
    except NotFound:
        return None


def _exit_code(status: JobStatus) -> int:
    return SUCCEEDED if status == JobStatus.SUCCEEDED else FAILED if status in FINISHED else WAITS


def _print_result(found: UUID, voice: Voice) -> None:
    facts = do(facts_of, found)
    if facts.result is None:
        return
    console.print()
    kind = find_kind(facts.job.kind)
    if kind is None or not kind.talks:  # an answer to a question needs no word about the stage that it is of
        where = say("fleet.show.of_stage", stage=name(facts.result.stage), version=count(facts.result.version))
        print_line(f"[bold]{voice.state(facts.job.status)}[/]{voice.colon}{voice(where)}")
    print_result(facts, voice)
