"""`bullpen doctor`: what is right, what is not, and the next move. Every check answers alone and never raises."""

from collections.abc import Callable, Iterator
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from contracts.statements import name, say
from workers.cli.check import Check
from workers.cli.checks import check_by_a_call, fleet_checks, server_checks
from workers.cli.context import console, print_json
from workers.cli.display import shown
from workers.cli.gateway_checks import gateway_checks
from workers.cli.lines import print_line, table
from workers.cli.list_words import ListLanguage, ListWords, list_words
from workers.cli.reach.remote import gateway
from workers.cli.telling import tell
from workers.errors import ConfigurationError
from workers.secrets import redact_url

SUMMARIES = {"fail": say("lists.doctor.fail"), "warn": say("lists.doctor.warn"), "ok": say("lists.doctor.ok")}
"""The last line, by the worst state."""

TABLE_WIDTH = 100
"""Columns from which a terminal has room for a table of findings beside next moves."""


def doctor(
    worker: Annotated[bool, typer.Option("--worker", help="Check only database and broker: for health checks of containers.")] = False,
    model: Annotated[bool, typer.Option("--model", help="Check only the models, by one small call to each.")] = False,
    language: ListLanguage = "en",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check settings, servers, queues and workers. Exit code 0 unless a check fails; warnings do not count as failures."""
    checks = _answered(check_by_a_call) if model else list(_run(worker))
    failed = [check for check in checks if check.state == "fail"]
    if as_json:
        print_json({"ok": not failed, "checks": [check.to_json() for check in checks]})
    else:
        _print(checks, list_words(language))
    if failed:
        raise typer.Exit(1)


def _run(quick: bool) -> Iterator[Check]:
    if _is_far():
        for run in gateway_checks():
            yield from _answered(run)
        return
    usable = True
    for run in server_checks():
        for check in _answered(run):
            usable = usable and check.state != "fail"
            yield check
    if quick:
        return
    for run in fleet_checks(servers_answer=usable):
        yield from _answered(run)


def _is_far() -> bool:
    """Whether a gateway is set. Wrong settings are the finding of a check."""
    try:
        return gateway() is not None
    except ConfigurationError:
        return False


def _answered(run: Callable[[], list[Check]]) -> list[Check]:
    try:
        return run()
    except Exception as error:  # a check that breaks is a finding, not the end of the others
        return [Check(run.__name__.removeprefix("check_"), "fail", redact_url(f"{type(error).__name__}: {error}")[:500], "")]


def _print(checks: list[Check], words: ListWords, to: Console = console) -> None:
    if to.is_terminal and to.width < TABLE_WIDTH:
        for check in checks:
            _print_below(check, words, to)
    else:
        to.print(_table(checks, words))
    worst = next((state for state in ("fail", "warn") if any(check.state == state for check in checks)), "ok")
    to.print(f"\n{words(SUMMARIES[worst])}")


def _print_below(check: Check, words: ListWords, to: Console) -> None:
    """A check where a terminal has no room for a table: its next move on lines of its own, in which no command is broken."""
    finding, move = redact_url(words.voice.plain(check.finding)), redact_url(words.voice.plain(check.next_move))
    print_line(f"{words.state(check.state)}  [bold]{words.word(check.name.replace(' ', '_'))}[/]  {shown(finding)}", to=to)
    if move:
        is_plain = isinstance(check.next_move, str) or move != words.voice.plain(check.next_move)
        tell(name(move) if is_plain else check.next_move, indent=6, to=to, voice=words.voice)


def _table(checks: list[Check], words: ListWords) -> Table:
    listed = table("", words.word("check"), words.wide("finding", share=3), words.wide("next_move", share=2))
    for check in checks:
        finding, move = (shown(redact_url(words.voice.plain(text))) for text in (check.finding, check.next_move))
        listed.add_row(words.state(check.state), words.word(check.name.replace(" ", "_")), finding, move)
    return listed
