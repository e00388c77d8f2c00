"""`bullpen logs`: search logs by labels and texts or by LogQL, on a Loki server or in files of JSON lines."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from contracts.log_questions import LogReading
from contracts.log_sources import LogKind, LogLimits, LogResult, LogSource
from contracts.logs import ProblemLevel
from contracts.statements import code, count, milliseconds, names, quote, say, seconds
from contracts.statements import name as identifier
from workers.cli.context import console, errors, print_json
from workers.cli.display import shown
from workers.cli.languages import ask_for
from workers.cli.lines import table
from workers.cli.list_words import ListLanguage, address_here, list_words, owners_shown
from workers.cli.named_secrets import Url, with_url
from workers.cli.reach.doing import do
from workers.cli.telling import tell
from workers.cli.typed import contract_of, seconds_of
from workers.cli.voice import voice_in
from workers.engines.logql import check_logql, print_logql
from workers.errors import InvalidInput
from workers.logs import Window
from workers.logs.addresses import is_reachable_here, variable
from workers.logs.view import show_checked, show_reading, show_result
from workers.operations import logs as operations
from workers.saying.document import Document
from workers.saying.terminal import print_document

app = typer.Typer(add_completion=False, help="Search logs by labels and texts, or by LogQL.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Language = Annotated[
    str | None, typer.Option("--language", help="en, zh, ...: the language to print in. Default: the question's.", callback=ask_for)
]
Owner = Annotated[str, typer.Option("--as", help="The owner who asks.")]
LogName = Annotated[str | None, typer.Option("--logs", help="The log. Not needed where there is only one.")]

_CHINESE = re.compile(r"[\u4e00-\u9fff]")


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="The log's name: lower case letters, digits and _.")],
    url: Url = None,
    kind: Annotated[LogKind | None, typer.Option(help="Where it is kept: on a Loki server, or in a folder of .jsonl files.")] = None,
    sample: Annotated[bool, typer.Option("--sample", help="Make the log of the sample shop, ten days around its outage.")] = False,
    timeout_s: Annotated[float, typer.Option("--timeout", help="Seconds that a query may take.")] = LogLimits().timeout_s,
    lines: Annotated[int, typer.Option(help="Most lines in a result.")] = LogLimits().lines,
    days: Annotated[float, typer.Option(help="Longest time range of a query, in days.")] = LogLimits().span_s / 86_400,
    owner: Annotated[
        list[str] | None, typer.Option("--owner", help="Who may search it; may be given several times. Default: everyone.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a log, and add it.

    Its address is a secret: BULLPEN_LOG_<NAME>_URL, the server's address or the folder's path, in the secrets file (`bullpen secrets`) or
    in the environment, here and in every worker that may search it. BULLPEN_LOG_<NAME>_TOKEN and BULLPEN_LOG_<NAME>_TENANT are sent to a
    server where they are set.
    """
    if url is not None:
        contract_of(LogSource, name=name, kind=LogKind.FILES)  # a name that is refused has no secret
        with with_url(variable(name), url):
            add(name, None, kind, sample, timeout_s, lines, days, owner, as_json)
        return
    if kind is None and not sample:
        raise InvalidInput.of(say("refused.cli.log_kind"))
    if sample and kind not in (None, LogKind.FILES):
        raise InvalidInput.of(say("refused.cli.log_sample"))
    limits = {"timeout_s": timeout_s, "lines": lines, "span_s": round(days * 86_400)}
    log = contract_of(LogSource, name=name, kind=kind or LogKind.FILES, limits=limits, owners=owner or [], sample=sample)
    labels = do(operations.add_log, log).labels
    if as_json:
        print_json({"log": name, "labels": list(labels)})
        return
    tell(say("said.log.added", log=identifier(name), labels=names(labels) if labels else identifier("-")))
    if sample:
        question = "app=payment level=error per 1h 2025-09-16"
        tell(say("said.try", command=identifier(f"bullpen logs ask '{question}' --logs {name}")))


@app.command("list")
def list_(language: ListLanguage = "en", as_json: AsJson = False) -> None:
    """List the logs with their limits. Addresses are never shown."""
    words, found = list_words(language), do(operations.logs)
    if as_json:
        print_json([log.to_json() for log in found])
        return
    if not found:
        tell(say("lists.no.logs", command=code("bullpen logs add shop --sample")))
        return
    listed = table(*words.words("log", "kind"), *(words.wide(column) for column in ("owners", "limits", "address_here")))
    for log in found:
        most = log.limits
        limits = say(
            "lists.limits.log",
            time=seconds(most.timeout_s),
            lines=say("lists.lines_of", n=count(most.lines, exact=True)),
            span=seconds(most.span_s),
        )
        here = address_here(variable(log.name), words, is_needed=not log.sample, is_set=is_reachable_here(log))
        listed.add_row(shown(log.name), log.kind, owners_shown(log.owners, words), words(limits), here)
    console.print(listed)


@app.command()
def remove(
    name: Annotated[str, typer.Argument(help="The log's name.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Forget a log. Its lines are not touched; the audit stays."""
    do(operations.remove_log, name)
    if as_json:
        print_json({"removed": name})
        return
    tell(say("said.log.removed", log=identifier(name)))


@app.command()
def check(
    query: Annotated[str, typer.Argument(help="A LogQL query.")],
    language: Language = None,
    as_json: AsJson = False,
) -> None:
    """Check whether a query is LogQL, and show what is wrong with it. Nothing is run. Exit code 1: it is not, or no server would run it."""
    checked = check_logql(query)
    if as_json:
        print_json({"valid": checked.is_valid, **checked.to_json()})
    else:
        _print(show_checked(query, checked), _language(language, ""))
    if not checked.is_valid or any(problem.level is ProblemLevel.REFUSED for problem in checked.problems):
        raise typer.Exit(1)


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="Labels, texts and a time: 'app=checkout level=error \"timeout\" last 2h'. Or LogQL.")],
    name: LogName = None,
    owner: Owner = "default",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the query, and do not run it.")] = False,
    language: Language = None,
    as_json: AsJson = False,
) -> None:
    """Search a log by labels, texts and a time, with English or Chinese words, or by LogQL. Shows the query and runs it.

    The grammar is in docs/logs.md. Exit code 1: something is not read, or missing.
    """
    log = name or _only_log()
    reading = do(operations.read_logs, log, question, owner=owner)
    words = _language(language, question)
    result = None if dry_run or reading.query is None else _searched(log, print_logql(reading.query), _window(reading), owner)
    if as_json:
        print_json({"reading": reading.to_json(), "result": None if result is None else result.to_json()})
    else:
        _print(show_reading(reading), words)
        if result is not None:
            _print_result(result, words)
    if reading.missing:
        raise typer.Exit(1)


@app.command()
def run(
    query: Annotated[str, typer.Argument(help="A LogQL query.")],
    name: LogName = None,
    owner: Owner = "default",
    since: Annotated[str, typer.Option(help="How far back to look: 30m, 6h, 7d.")] = "1h",
    start: Annotated[str | None, typer.Option("--from", help="From this time on, UTC: 2025-09-16 or 2025-09-16T10:00.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Up to this time, UTC. Default: now.")] = None,
    step: Annotated[str | None, typer.Option(help="Time between two values: 5m, 1h. Default: one value, at the end.")] = None,
    lines: Annotated[int | None, typer.Option(min=1, help="Most lines to show.")] = None,
    language: Language = None,
    as_json: AsJson = False,
) -> None:
    """Run a LogQL query on a log, within the log's limits."""
    until = datetime.now(UTC) if end is None else _moment(end, "--to")
    begin = until - timedelta(seconds=seconds_of(since, "--since")) if start is None else _moment(start, "--from")
    window = Window(begin, until, None if step is None else seconds_of(step, "--step"))
    result = _searched(name or _only_log(), query, window, owner, lines)
    if as_json:
        print_json(result.to_json())
    else:
        _print_result(result, _language(language, ""))


def _searched(log: str, logql: str, window: Window, owner: str, lines: int | None = None) -> LogResult:
    return do(
        operations.search_logs, log, logql, start=window.start, end=window.end, step_s=window.step_s, lines=lines, owner=owner
    )  # fmt: skip


def _window(reading: LogReading) -> Window:
    now = datetime.now(UTC)
    step = None if reading.step_ns is None else reading.step_ns / 1e9
    return Window(reading.start or now - timedelta(hours=1), reading.end or now, step)


def _only_log() -> str:
    found = do(operations.logs)
    if len(found) != 1:
        if not found:
            raise InvalidInput.of(say("refused.cli.no_log_yet", command=code("bullpen logs add shop --sample")))
        raise InvalidInput.of(say("refused.cli.name_log", logs=names(log.name for log in found[:10])))
    return found[0].name


def _language(wanted: str | None, question: str) -> str:
    if wanted is None:
        return "zh" if _CHINESE.search(question) else "en"
    return voice_in(wanted).language


def _print(document: Document, language: str) -> None:
    print_document(console, document, language)


def _print_result(result: LogResult, language: str) -> None:
    _print(show_result(result), language)
    took = say("said.took", time=milliseconds(result.duration_ms))
    errors.print(voice_in(language)(took))


def _moment(text: str, option: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput.of(say("refused.cli.log_time", option=identifier(option), given=quote(text[:60]))) from None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)
