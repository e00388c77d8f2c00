"""Log lines and figures from words (`search_log`): read as a typed query, run where the logs can be reached."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from contracts.ask.answers import LogAnswer
from contracts.ask.results import LogsFound
from contracts.ask.steps import Understanding
from contracts.log_questions import LogReading
from contracts.log_sources import LogResult
from contracts.statements import Statement, code, lines, name, passage, say
from workers.engines.logql import check_logql, print_logql
from workers.errors import SourceUnavailable, StatementFailed, StatementRefused
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.rules.planning import Ask, Call, Move, refuse
from workers.kinds.ask.work.dialogue import replies_of, session_text
from workers.kinds.ask.work.floor import Floor
from workers.llm import ChatClient
from workers.llm.brief import Brief, replies_text, today_text
from workers.llm.checked import ask_checked
from workers.logs import Window, list_logs
from workers.logs.view import zoned
from workers.saying import text_of

MOST_VALUES = 40
"""Values of a label that a model is shown."""

MOST_LINES = 500
"""Lines of a deliverable; more are counted."""


def log_names(floor: Floor, wanted: str | None) -> list[str]:
    """The logs that the owner may search: the one that is named, or all."""
    visible = [log.name for log in list_logs(floor.ctx.services.database) if not log.owners or floor.owner in log.owners]
    return [log for log in visible if wanted in (None, log)]


def read_logs(floor: Floor, understanding: Understanding, wanted: str | None) -> tuple[str, LogReading] | None:
    """The log that the words fit best, and the words as a query over it; None: there is no log, or it cannot be reached."""
    before = understanding.carried.log_query if understanding.carried else None
    readings: list[tuple[str, LogReading]] = []
    for log in log_names(floor, wanted):
        try:
            readings.append((log, floor.logs.read(log, understanding.words, owner=floor.owner, now=floor.now, before=before)))
        except (StatementRefused, SourceUnavailable):
            continue
    return min(readings, key=lambda read: (len(read[1].missing), len(read[1].unplaced), -len(read[1].matchers)), default=None)


def before_search(floor: Floor, understanding: Understanding, wanted: str | None) -> Move:
    """A search needs a service and a time: what is missing is asked before anything is called (S19)."""
    found = read_logs(floor, understanding, wanted)
    if found is None:
        return refuse(say("ask.refuse.no_logs"))
    _, reading = found
    if reading.query is None or reading.missing:
        return Ask(sentences_of(reading.missing) or say("ask.question.say_otherwise"))
    return Call(understanding.intent)


def sentences_of(statements: Sequence[Statement]) -> Statement | None:
    """Several statements as a text of several lines."""
    return lines(*statements) if len(statements) > 1 else next(iter(statements), None)


def search(floor: Floor, step: ToolStep) -> LogsFound:
    """What the query finds. A refusal or an error of the server is a part of the answer."""
    found = read_logs(floor, step.understanding, step.request.logs)
    if found is None or found[1].query is None:
        return LogsFound(logql="", problems=(say("ask.refuse.no_logs"),))
    log, reading = found
    query = found[1].query
    text = print_logql(query)
    says = understood(reading)
    if reading.start is None or reading.end is None:
        return LogsFound(logs=log, logql=text, query=reading, says=says)
    window = Window(reading.start, reading.end, reading.step_ns / 1e9 if reading.step_ns else None)
    try:
        result = floor.logs.search(
            log, query, window, owner=floor.owner, lines=MOST_LINES, job_id=step.ctx.job_id, step_id=step.ctx.step_id
        )  # fmt: skip
    except (StatementRefused, StatementFailed, SourceUnavailable) as error:
        problem = say("ask.problem.not_run", reason=passage(str(error)))
        return LogsFound(logs=log, logql=text, query=reading, says=says, problems=(problem,))
    return _found(log, text, reading, says, result)


SHARE_LABELS, SHARE_FIELDS = 0.25, 0.1
"""Shares of the model's window."""
LAST = timedelta(hours=1)
"""The time that is searched where nobody says one."""


def search_by_model(floor: Floor, step: ToolStep, chat: ChatClient) -> LogsFound:
    """What the query finds that a model writes; the checker of LogQL judges it before it runs. Raises `ModelAnswerUnusable`."""
    known = log_names(floor, step.request.logs)
    if not known:
        return LogsFound(logql="", problems=(say("ask.refuse.no_logs"),))
    understanding = step.understanding
    log = known[0] if len(known) == 1 else next((each for each in known if each == understanding.source), known[0])
    vocabulary, brief = floor.logs.vocabulary(log, owner=floor.owner), Brief.of(chat)
    before = understanding.carried.log_query if understanding.carried else None
    labels = [f"{label}: {', '.join(values[:MOST_VALUES])}" for label, values in vocabulary.labels.items()]
    fields = [f"{field.name} ({field.form}{', number' if field.is_number else ''})" for field in vocabulary.fields]
    found = ask_checked(
        chat,
        LogAnswer,
        lambda answer: _problem(answer, floor.now, may_ask=step.ctx.may_ask),
        prompt="developer/logql",
        log=log,
        labels=brief.items("labels", labels, SHARE_LABELS),
        fields=brief.items("fields", fields, SHARE_FIELDS),
        today=today_text(floor.now, floor.ctx.services.settings.times),
        before=print_logql(before.query) if before is not None and before.query is not None else "",
        session=session_text(step.ctx, brief),
        words=understanding.words,
        replies=replies_text(replies_of(step.ctx)),
        question=understanding.question,
    )
    made = LogsFound(logs=log, logql=found.logql.strip(), by=chat.answered_by or chat.model, assumed=found.assumed)
    if found.ask:
        return made.model_copy(update={"asks": found.ask, "choices": found.choices})
    if found.cannot:
        return made.model_copy(update={"problems": (say("ask.refuse.of_model", reason=passage(found.cannot)),)})
    start, end = _window(found, floor.now)
    says = (say("ask.log_time", start=name(f"{start:%Y-%m-%d %H:%M:%S}"), end=name(zoned(end))),)
    try:
        result = floor.logs.search(
            log, found.logql.strip(), Window(start, end), owner=floor.owner, lines=MOST_LINES, job_id=step.ctx.job_id,
            step_id=step.ctx.step_id,
        )  # fmt: skip
    except (StatementRefused, StatementFailed, SourceUnavailable) as error:
        return made.model_copy(update={"says": says, "problems": (say("ask.problem.not_run", reason=passage(str(error))),)})
    return made.model_copy(
        update={"says": says, "has_run": True, "lines": result.lines, "series": result.series, "is_cut": result.cut}
    )  # fmt: skip


def _problem(answer: LogAnswer, now: datetime, *, may_ask: bool) -> str | None:
    if sum(map(bool, (answer.logql.strip(), answer.ask, answer.cannot))) != 1:
        return "Give exactly one of `logql`, `ask` and `cannot`."
    if answer.ask and not may_ask:
        return "The user cannot be asked any more: take the most likely reading and say it in `assumed`."
    if not answer.logql.strip():
        return None
    checked = check_logql(answer.logql.strip())
    if checked.problems:
        return f"At character {checked.problems[0].start + 1}: {text_of(checked.problems[0].what, 'en')}"
    try:
        start, end = _window(answer, now)
    except ValueError as error:
        return f"`start` and `end` are moments in ISO 8601: {error}"
    return None if start < end else "`start` has to be before `end`."


def _window(answer: LogAnswer, now: datetime) -> tuple[datetime, datetime]:
    """The time that is searched; without an offset it is on the user's clock. Raises `ValueError`."""
    end = datetime.fromisoformat(answer.end) if answer.end else now
    start = datetime.fromisoformat(answer.start) if answer.start else end - LAST
    return tuple(moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo) for moment in (start, end))  # pyright: ignore[reportReturnType] two of two


def _found(log: str, text: str, reading: LogReading, says: tuple[Statement, ...], result: LogResult) -> LogsFound:
    return LogsFound(
        logs=log, logql=text, query=reading, says=says, has_run=True, lines=result.lines, series=result.series, is_cut=result.cut
    )  # fmt: skip


def understood(reading: LogReading) -> tuple[Statement, ...]:
    """The time that was searched, and what was taken for granted."""
    when = ()
    if reading.start and reading.end:
        when = (say("ask.log_time", start=name(f"{reading.start:%Y-%m-%d %H:%M:%S}"), end=name(zoned(reading.end))),)
    left = (say("ask.log_unplaced", words=code(", ".join(reading.unplaced))),) if reading.unplaced else ()
    return (*when, *reading.assumed, *left)
