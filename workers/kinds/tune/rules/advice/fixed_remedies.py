"""Remedies that propose the same in every case: only the values of their texts depend on it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from contracts.statements import Value, count
from contracts.tune.plan import FixKind, Risk
from contracts.verdicts import Verdict, VerdictKind
from contracts.whatif import Change, ChangeKind
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import Draft
from workers.kinds.tune.rules.advice.skew_joins import salt_values, salts_for


def no_values(case: Case, verdict: Verdict) -> Mapping[str, Value]:
    """The texts need no values beside those of every verdict."""
    return {}


@dataclass(frozen=True, slots=True)
class FixedRemedy:
    """A row of the tables below."""

    kind: FixKind
    risk: Risk
    confidence: float
    saves: float
    remedy: str = ""
    """Its entry in `remedy_texts`; empty: the entry named like the kind of verdict."""
    of_scope: str = ""
    """The entry for a SCOPE job, where that is another one."""
    change: ChangeKind | None = None
    """What the replay changes in the stages of the verdict."""
    values: Callable[[Case, Verdict], Mapping[str, Value]] = no_values
    is_alternative: bool = True

    def __call__(self, case: Case, verdict: Verdict) -> Iterator[Draft]:
        """Propose it for a verdict."""
        yield Draft(
            kind=self.kind,
            remedy=(case.is_scope and self.of_scope) or self.remedy or verdict.kind.value,
            risk=self.risk,
            confidence=self.confidence,
            saves=self.saves,
            values=self.values(case, verdict),
            changes=(Change(kind=self.change, stage_ids=verdict.stage_ids),) if self.change else (),
            is_alternative=self.is_alternative,
        )


def _salts(case: Case, verdict: Verdict) -> Mapping[str, Value]:
    return salt_values(salts_for(case, verdict))


def _tasks(case: Case, verdict: Verdict) -> Mapping[str, Value]:
    return {"count": count(max(2 * case.slots, 2))}


COMBINE_STEPS = FixedRemedy(FixKind.SPLIT_SCRIPT, Risk.MEDIUM, 0.4, 0.3)
"""A script with many groupings, distincts or joins in a row reads its data again and again."""

OTHER_PARTITIONING = FixedRemedy(
    FixKind.REPARTITION, Risk.LOW, 0.6, 0.7, "repartition_evenly", "repartition_scope", ChangeKind.BALANCE, _tasks
)
"""Rows are partitioned by an uneven key that no operator needs."""

EVEN_INPUT = FixedRemedy(FixKind.FILE_SIZES, Risk.LOW, 0.7, 0.7, "even_input", change=ChangeKind.BALANCE)
"""A single file, or a part of it that cannot be split, holds most of the data that is read."""

SALT_ANYTHING = FixedRemedy(FixKind.SALT, Risk.MEDIUM, 0.5, 0.7, "salt_key", "salt_scope", ChangeKind.BALANCE, _salts)
"""The operator is not known: a salt works with any of them."""

REWRITE_CODE: dict[VerdictKind, FixedRemedy] = {
    VerdictKind.INLINE_CODE: FixedRemedy(FixKind.BUILT_IN_FUNCTIONS, Risk.MEDIUM, 0.5, 0.5, is_alternative=False),
    VerdictKind.MANY_PROCESSORS: FixedRemedy(FixKind.SPLIT_SCRIPT, Risk.MEDIUM, 0.5, 0.5, is_alternative=False),
    VerdictKind.EXCEEDED_LIMIT: FixedRemedy(FixKind.SPLIT_SCRIPT, Risk.MEDIUM, 0.5, 0.5, is_alternative=False),
    VerdictKind.JOB_ERROR: FixedRemedy(FixKind.FIX_FAILURES, Risk.MEDIUM, 0.5, 0.5, is_alternative=False),
}
"""Faults of the script that no setting mends, with what to do about each."""
