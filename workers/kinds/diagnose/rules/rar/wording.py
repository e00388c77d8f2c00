"""The texts of RAR and the hybrid. Text of models, users and tickets is only data."""

from collections.abc import Sequence

from contracts.diagnose.deliverables import Evidence, Verdict
from contracts.statements import Sayable, Statement, count, lines, quote, say, say_member, share
from workers.kinds.diagnose.rules.wording import brief, grounds, missing, no_near_cause, quoted, quoted_all

_LISTED = 3
_REASONING = 600
"""Characters of a model's reasoning that an explanation shows."""


def why_proposed(related: Sequence[str]) -> Statement:
    """Why something is asked that no ticket has."""
    if related:
        return say("diagnose.rar.why_related", causes=quoted_all(related[:_LISTED]))
    return say("diagnose.rar.why_proposed")


def reasoned(words: str) -> Statement | None:
    """A model's reasoning; None for empty words."""
    return say("diagnose.rar.reasoning", words=quote(brief(words, _REASONING))) if words.strip() else None


def voted(own: int, total: int, part: float) -> Statement:
    """The grounds of the vote: `own` of `total` tickets, with a part of all votes."""
    return say("diagnose.rar.voted", own=count(own), total=count(total), share=share(part))


def headline(verdict: Verdict, cause: str | None, confidence: float, *, forced: bool) -> Statement:
    """The first sentence of an explanation."""
    if cause is None:
        return no_near_cause()
    statement = say_member("diagnose.rar.headline", verdict, cause=quoted(cause), share=share(confidence))
    return say("diagnose.rar.forced", headline=statement) if forced else statement


def explain(
    heads: Sequence[Sayable],
    *,
    reasoning: Statement | None,
    speaks_for: Sequence[Evidence],
    speaks_against: Sequence[Evidence],
    beyond: Sequence[str],
    cited: Sequence[str],
    dropped: int,
    not_checked: Sequence[str],
) -> Statement:
    """The reasons of the diagnosis, one per line. `beyond`: phenomena that were confirmed although no ticket has them."""
    statement: list[Sayable] = [*heads]
    if reasoning is not None:
        statement.append(reasoning)
    others = [say("diagnose.rar.beyond", phenomena=quoted_all(beyond[:_LISTED]))] if beyond else []
    statement += grounds(speaks_for=speaks_for, speaks_against=speaks_against, between=others, cited=cited)
    if dropped:
        statement.append(say("diagnose.rar.dropped", citations=count(dropped)))
    if not_checked:
        statement.append(missing(not_checked[:_LISTED]))
    return lines(*statement)


def no_citation(cause: str) -> Statement:
    """A diagnosis that cites no ticket that was shown."""
    return say("diagnose.rar.no_citation", cause=quoted(cause))


def other_cause(cause: str) -> Statement:
    """A diagnosis whose tickets have another cause."""
    return say("diagnose.rar.other_cause", cause=quoted(cause))


def no_such_cause(cause: str, instead: str | None) -> Statement:
    """A cause that no ticket has; `instead`: the one cause of the tickets cited for it."""
    if instead:
        return say("diagnose.rar.cause_instead", cause=quoted(cause), instead=quoted(instead))
    return say("diagnose.rar.no_such_cause", cause=quoted(cause))


def not_linked(cause: str) -> Statement:
    """A cause of RAR's to which nothing that the user said is linked."""
    return say("diagnose.rar.not_linked", cause=quoted(cause))


def more_denied(cause: str, denied: int, confirmed: int) -> Statement:
    """A cause of RAR's against which more was denied than confirmed."""
    return say("diagnose.rar.more_denied", cause=quoted(cause), denied=count(denied), confirmed=count(confirmed))
