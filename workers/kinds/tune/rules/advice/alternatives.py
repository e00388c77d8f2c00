"""Which fixes of a plan exclude each other: two ways of the same problem, and two diffs of the same lines."""

from collections.abc import Iterable, Sequence

from contracts.tune.plan import Fix
from workers.kinds.tune.rules.advice.rewrites.patches import changed_lines


def rewrite_the_same(fix: Fix, other: Fix) -> bool:
    """Their diffs change a line in common, or add lines at one place, so that the second does not apply any more."""
    if not (fix.diff and other.diff) or fix.artefact != other.artefact:
        return False
    spans = changed_lines(other.diff)
    return any(_meet(mine, theirs) for mine in changed_lines(fix.diff) for theirs in spans)


def with_alternatives(fixes: Iterable[Fix]) -> tuple[Fix, ...]:
    """Each fix with those before it that it is instead of."""
    earlier: list[Fix] = []
    for fix in fixes:
        before = tuple(other.fix_id for other in earlier if _exclude(other, fix))
        earlier.append(fix.model_copy(update={"instead_of": before}))
    return tuple(earlier)


def first_of_each_problem(fixes: Sequence[Fix]) -> tuple[Fix, ...]:
    """Per verdict the first fix that answers it and can be made with those before it: the ones that are made together."""
    answered: set[int] = set()
    first: dict[str, Fix] = {}
    for fix in fixes:
        if fix.verdicts and fix.verdicts[0] not in answered and not first.keys() & set(fix.instead_of):
            first[fix.fix_id] = fix
            answered.update(fix.verdicts)
    return tuple(first.values())


def _meet(span: tuple[int, int], other: tuple[int, int]) -> bool:
    """Lines in common; of a place where lines are only added, the lines at both sides."""
    if span[0] == span[1] or other[0] == other[1]:
        return span[0] <= other[1] and other[0] <= span[1]
    return span[0] < other[1] and other[0] < span[1]


def _exclude(first: Fix, later: Fix) -> bool:
    one_is_enough = first.verdicts[:1] == later.verdicts[:1] and (later.kind in first.excludes or first.kind in later.excludes)
    return one_is_enough or rewrite_the_same(first, later)
