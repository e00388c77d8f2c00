"""Log lines and figures (`search_log`): a search in the closed form or in LogQL, or LogQL that a model writes, run where the logs are."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from contracts.ask.answers import LogAnswer
from contracts.ask.results import LogsFound
from contracts.ask.steps import Carried
from contracts.ask.tools import Tool
from contracts.log_questions import LogReading, LogVocabulary
from contracts.log_sources import LogResult
from contracts.logs import MatchOp
from contracts.statements import Statement, name, names, passage, say
from workers.engines.logql import check_logql, duration_ns, print_logql
from workers.engines.logql.asking import is_log_search
from workers.engines.logql.walk import log_queries
from workers.errors import SourceUnavailable, StatementFailed, StatementRefused
from workers.kinds.ask.roles.calls import ToolStep
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
    visible = [log.name for log in list_logs(floor.ctx.services.database) if log.is_open_to(floor.owner)]
    return [log for log in visible if wanted in (None, log)]


def read_logs(floor: Floor, wanted: str | None, words: str, carried: Carried | None) -> LogReading | None:
    """The words as a search of the log that has its names; None: no log can be reached. A line that is the name of a log chooses it. Where
    several logs fit, that of the search before is taken, and else it is asked which one is meant."""
    names_here = log_names(floor, wanted)
    lines = [line for line in words.splitlines() if line.strip() not in names_here]
    chosen = [line.strip() for line in words.splitlines() if line.strip() in names_here][-1:]
    before = carried.log_query if carried is not None and carried.goal is Tool.SEARCH_LOG else None
    readings: list[LogReading] = []
    for log in chosen or names_here:
        try:
            read = floor.logs.read(log, "\n".join(lines), owner=floor.owner, now=floor.now, before=before)
        except (StatementRefused, SourceUnavailable):
            continue
        readings.append(read.model_copy(update={"log": log}))
    fitting = [reading for reading in readings if reading.query is not None]
    if len(fitting) > 1 and not any(before is not None and reading.log == before.log for reading in fitting):
        which = say("ask.question.which_log", logs=names(reading.log for reading in fitting))
        return fitting[0].model_copy(update={"query": None, "missing": (which,)})
    fitting.sort(key=lambda reading: before is None or reading.log != before.log)
    return next(iter(fitting), None) or min(readings, key=lambda read: (len(read.unplaced), len(read.missing)), default=None)


def is_search_here(floor: Floor, wanted: str | None, words: str, carried: Carried | None) -> bool:
    """Whether the words are a search, all of them, and some log has all that it names. A line may be the name of a log."""
    named = log_names(floor, wanted)
    if not is_log_search("\n".join(line for line in words.splitlines() if line.strip() not in named)):
        return False
    read = read_logs(floor, wanted, words, carried)
    return read is not None and (read.query is not None or any(text.code == "ask.question.which_log" for text in read.missing))


def search(floor: Floor, step: ToolStep, reading: LogReading | None) -> LogsFound:
    """What the query of a reading finds. A refusal or an error of the server is a part of the answer."""
    if reading is None:
        return LogsFound(logql="", problems=(say("ask.refuse.no_logs"),))
    if reading.query is None or reading.start is None or reading.end is None:
        return LogsFound(logs=reading.log, logql="", missing=reading.missing)
    window = Window(reading.start, reading.end, reading.step_ns / 1e9 if reading.step_ns else None)
    made = LogsFound(
        logs=reading.log, logql=print_logql(reading.query), query=reading, says=(_time(window), *reading.assumed)
    )  # fmt: skip
    try:
        return _found(made, _run(floor, step, reading.log, made.logql, window))
    except (StatementRefused, StatementFailed, SourceUnavailable) as error:
        return made.model_copy(update={"problems": (say("ask.problem.not_run", reason=passage(str(error))),)})


def _run(floor: Floor, step: ToolStep, log: str, logql: str, window: Window) -> LogResult:
    return floor.logs.search(
        log, logql, window, owner=floor.owner, lines=MOST_LINES, job_id=step.ctx.job_id, step_id=step.ctx.step_id
    )  # fmt: skip


def _found(made: LogsFound, result: LogResult) -> LogsFound:
    return made.model_copy(update={"has_run": True, "lines": result.lines, "series": result.series, "is_cut": result.cut})


def _time(window: Window) -> Statement:
    return say("ask.log_time", start=name(f"{window.start:%Y-%m-%d %H:%M:%S}"), end=name(zoned(window.end)))


SHARE_LABELS, SHARE_FIELDS, SHARE_WORDS = 0.25, 0.1, 0.1
"""Shares of the model's window."""
LAST = timedelta(hours=1)
"""The time that is searched where nobody says one."""


def search_by_model(floor: Floor, step: ToolStep, chat: ChatClient) -> LogsFound:
    """What the query finds that a model writes. The checker of LogQL and the log itself try it; what is wrong goes back to the model.
    Raises `ModelAnswerUnusable`."""
    known = _vocabularies(floor, step.request.logs)
    if not known:
        return LogsFound(logql="", problems=(say("ask.refuse.no_logs"),))
    understanding, brief, trial = step.understanding, Brief.of(chat), _Trial(floor, step, known)
    before = understanding.carried.log_query if understanding.carried else None
    several = {log: f"{log}: " if len(known) > 1 else "" for log in known}
    labels = [
        f"{several[log]}{label}: {', '.join(values[:MOST_VALUES])}" for log, has in known.items() for label, values in has.labels.items()
    ]
    fields = [
        f"{several[log]}{field.name} ({field.form}{', number' if field.is_number else ''}{f', {field.unit}' if field.unit else ''})"
        for log, has in known.items()
        for field in has.fields
    ]
    found = ask_checked(
        chat,
        LogAnswer,
        trial.problem,
        prompt="developer/logql",
        logs=list(known),
        labels=brief.items("labels", labels, SHARE_LABELS),
        fields=brief.items("fields", fields, SHARE_FIELDS),
        today=today_text(floor.now, floor.ctx.services.settings.times),
        before=_before_text(before),
        session=session_text(step.ctx, brief),
        words=brief.text("message", understanding.words, SHARE_WORDS),
        replies=brief.text("answers", replies_text(replies_of(step.ctx)), SHARE_WORDS),
        question=brief.text("question", understanding.question, SHARE_WORDS),
        prompt_cuts=brief.cut_rows(),
    )
    made = LogsFound(logs=trial.log(found), logql=found.logql.strip(), by=chat.answered_by or chat.model, assumed=found.assumed)
    if found.ask:
        return made.model_copy(update={"asks": found.ask, "choices": found.choices})
    if found.cannot:
        return made.model_copy(update={"problems": (say("ask.refuse.of_model", reason=passage(found.cannot)),)})
    window = _window(found, floor.now)
    query = check_logql(made.logql).query
    read = LogReading(
        question=understanding.words, log=made.logs, is_metric=trial.result is not None and trial.result.is_metric, query=query,
        start=window.start, end=window.end, step_ns=round(window.step_s * 1e9) if window.step_s else None,
    )  # fmt: skip
    made = made.model_copy(update={"query": read, "says": (_time(window),)})
    if trial.result is None:
        return made.model_copy(update={"problems": (say("ask.problem.not_run", reason=passage(trial.unreachable)),)})
    return _found(made, trial.result)


def _vocabularies(floor: Floor, wanted: str | None) -> dict[str, LogVocabulary]:
    """What the logs have that can be reached."""
    found: dict[str, LogVocabulary] = {}
    for log in log_names(floor, wanted):
        try:
            found[log] = floor.logs.vocabulary(log, owner=floor.owner)
        except (StatementRefused, SourceUnavailable):
            continue
    return found


def _before_text(before: LogReading | None) -> str:
    if before is None or before.query is None:
        return ""
    log = f"{before.log}: " if before.log else ""
    return f"{log}{print_logql(before.query)}\nfrom {before.start} to {before.end}"


class _Trial:
    """Tries a model's answers. The last one that ran, or could not be tried, has its result here."""

    def __init__(self, floor: Floor, step: ToolStep, known: Mapping[str, LogVocabulary]) -> None:
        self._floor, self._step, self._known = floor, step, known
        self._reported: set[str] = set()
        self.result: LogResult | None = None
        self.unreachable = ""

    def log(self, answer: LogAnswer) -> str:
        """The log that an answer is about; empty: it does not say which of several."""
        return answer.log if answer.log in self._known else next(iter(self._known)) if len(self._known) == 1 else ""

    def problem(self, answer: LogAnswer) -> str | None:
        """What is wrong with an answer, with what shows it."""
        self.result, self.unreachable = None, ""
        if sum(map(bool, (answer.logql.strip(), answer.ask, answer.cannot))) != 1:
            return "Give exactly one of `logql`, `ask` and `cannot`."
        if answer.ask and not self._step.ctx.may_ask:
            return "The user cannot be asked any more: take the most likely reading and say it in `assumed`."
        if not answer.logql.strip():
            return None
        if not self.log(answer):
            return f"`log` has to be one of {', '.join(self._known)}."
        checked = check_logql(answer.logql.strip())
        if checked.problems:
            return f"At character {checked.problems[0].start + 1}: {text_of(checked.problems[0].what, 'en')}"
        try:
            window = _window(answer, self._floor.now)
        except ValueError as error:
            return f"`start` and `end` are moments in ISO 8601, and `step` is a duration such as 5m: {error}"
        try:
            self.result = _run(self._floor, self._step, self.log(answer), answer.logql.strip(), window)
        except (StatementRefused, StatementFailed) as error:
            return f"It does not run: {error}"
        except SourceUnavailable as error:
            self.unreachable = str(error)
            return None
        return self._unknown(answer) if not self.result.lines and not self.result.series else None

    def _unknown(self, answer: LogAnswer) -> str | None:
        """Labels and values of a query that found nothing, which the log is not known to have. It is said of a query once: the log may have
        them all the same."""
        text, has = answer.logql.strip(), self._known[self.log(answer)]
        query = check_logql(text).query
        matchers = (
            [matcher for log in log_queries(query) for matcher in log.matchers] if query is not None and text not in self._reported else []
        )
        self._reported.add(text)
        for matcher in matchers:
            values = has.labels.get(matcher.label)
            if values is None:
                return f"It finds nothing, and there is no label {matcher.label}. Labels: {', '.join(has.labels)}."
            if matcher.op is MatchOp.EQUAL and matcher.value not in values:
                return f"It finds nothing, and {matcher.label} has no value {matcher.value!r}. Values: {', '.join(values[:MOST_VALUES])}."
        return None


def _window(answer: LogAnswer, now: datetime) -> Window:
    """The time that is searched; without an offset it is on the user's clock. Raises `ValueError`."""
    end = datetime.fromisoformat(answer.end) if answer.end else now
    start = datetime.fromisoformat(answer.start) if answer.start else end - LAST
    step_ns = duration_ns(answer.step.strip()) if answer.step.strip() else None
    if answer.step.strip() and not step_ns:
        raise ValueError(f"{answer.step!r} is no duration.")
    start, end = (moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo) for moment in (start, end))
    return Window(start, end, step_ns / 1e9 if step_ns else None)
