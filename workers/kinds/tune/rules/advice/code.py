"""What a script does in a way that no setting mends: cross joins, inline code, long chains of processors, errors of the job itself."""

from collections.abc import Iterator

from contracts.tune.plan import FixKind, Risk
from contracts.verdicts import Verdict, VerdictKind
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import Draft, NotAdvised

KINDS: dict[VerdictKind, tuple[FixKind, Risk]] = {
    VerdictKind.CROSS_JOIN: (FixKind.REWRITE_CROSS_JOIN, Risk.HIGH),
    VerdictKind.INLINE_CODE: (FixKind.BUILT_IN_FUNCTIONS, Risk.MEDIUM),
    VerdictKind.MANY_PROCESSORS: (FixKind.SPLIT_SCRIPT, Risk.MEDIUM),
    VerdictKind.EXCEEDED_LIMIT: (FixKind.SPLIT_SCRIPT, Risk.MEDIUM),
    VerdictKind.JOB_ERROR: (FixKind.FIX_FAILURES, Risk.MEDIUM),
}
"""Verdict → the kind of remedy and what may go wrong with it."""


def rewrite_code(case: Case, place: int, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """One remedy for the whole kind."""
    kind, risk = KINDS[verdict.kind]
    yield Draft(kind=kind, remedy=verdict.kind.value, place=place, risk=risk, confidence=0.5, saves=0.5, is_alternative=False)
