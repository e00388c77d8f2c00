"""The facts of a script, made of what a ledger holds when the script has been read."""

from collections.abc import Iterable

from contracts.code import ScriptFacts
from contracts.statements import say
from workers.engines.counts import exactly
from workers.engines.problems import all_of
from workers.engines.scripts.ledger import Ledger

SCRIPT_CHARS = 1_000_000
"""A longer script is not read."""

TOO_LONG = say("code.problem.long_script", limit=exactly(SCRIPT_CHARS))

PROBLEMS_SHOWN = 3


def facts_of(ledger: Ledger, functions: Iterable[str] = (), *, language: str) -> ScriptFacts:
    """The facts; `unreadable` has the first problems, and how many more there are."""
    shown = ledger.unread[:PROBLEMS_SHOWN]
    if len(ledger.unread) > PROBLEMS_SHOWN:
        shown = [*shown, say("code.problem.more", n=exactly(len(ledger.unread) - PROBLEMS_SHOWN))]
    return ScriptFacts(
        language=language,
        operations=tuple(ledger.operations),
        functions=tuple(functions),
        settings=ledger.settings,
        setting_places=ledger.setting_places,
        unreadable=all_of(*shown),
    )
