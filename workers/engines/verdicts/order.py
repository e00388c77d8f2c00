"""How heavy a verdict is, and the order that follows."""

from collections.abc import Iterable

from contracts.verdicts import Severity, Verdict

RANK = {Severity.PROBLEM: 0, Severity.HINT: 1, Severity.NOTE: 2}


def problem_if(is_problem: bool) -> Severity:
    """A problem, or else a hint."""
    return Severity.PROBLEM if is_problem else Severity.HINT


def heaviest_first(verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """Problems first, the heaviest first; ties stay in their order."""
    return tuple(sorted(verdicts, key=lambda verdict: (RANK[verdict.severity], -verdict.share)))
