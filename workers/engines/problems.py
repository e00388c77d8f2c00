"""Problems of reading that parsers of several kinds have, and several of them as one."""

from contracts.statements import Sayable, Statement, as_value, quote, say, sentences
from workers.engines.counts import exactly

EMPTY = say("artefacts.problem.empty")
"""There is nothing in the file."""


def all_of(*problems: Sayable | None) -> Sayable | None:
    """Several problems as one, each once; None when there is none."""
    found = list(dict.fromkeys(problem for problem in problems if problem))
    if len(found) < 2:
        return found[0] if found else None
    return say("verdicts.sentences", parts=sentences(*map(as_value, found)))


def unreadable(error: OSError) -> Statement:
    """The file cannot be opened."""
    return say("artefacts.problem.unreadable", error=quote(error.strerror or type(error).__name__))


def rows_left_out(left_out: int, first: int) -> Statement:
    """A file has more rows than are kept."""
    return say("artefacts.note.rows_left_out", n=exactly(left_out), first=exactly(first))
