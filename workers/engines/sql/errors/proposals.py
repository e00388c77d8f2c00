"""How near names are to one that an engine does not know."""

from collections.abc import Sequence


def distance(left: str, right: str) -> int:
    """The number of letters to insert, delete or replace (Levenshtein)."""
    before = list(range(len(right) + 1))
    for row, letter in enumerate(left, 1):
        now = [row]
        for column, other in enumerate(right, 1):
            now.append(min(before[column] + 1, now[-1] + 1, before[column - 1] + (letter != other)))
        before = now
    return before[-1]


def in_order_of_likeness(name: str, candidates: Sequence[str]) -> tuple[str, ...]:
    """The candidates by their distance to a name, the order of equally near ones kept.

    Qualifiers that all candidates share are left out of the comparison, as long as the name has none.
    """
    shared = _shared_qualifier(candidates) if "." not in name else ""
    return tuple(sorted(candidates, key=lambda candidate: distance(name.lower(), candidate.removeprefix(shared).lower())))


def _shared_qualifier(candidates: Sequence[str]) -> str:
    qualifiers = {candidate.rpartition(".")[0] for candidate in candidates}
    return f"{qualifiers.pop()}." if len(qualifiers) == 1 and "" not in qualifiers else ""
