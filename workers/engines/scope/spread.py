"""How rows are spread, and hints to the optimiser: the clauses that say it."""

from contracts.scope import ScopeHint, ScopePartitioning
from workers.engines.scope.clauses import Clause, split_at
from workers.engines.scope.record import column_names
from workers.engines.scope.statements import Group, Item, first_token, flat

SCHEMES = (("ROUND", "round_robin"), ("DIRECT", "direct_hash"), ("HASH", "hash"), ("RANGE", "range"), ("RANDOM", "random"))


def partitioning_of(clauses: list[Clause], place: int, target: str, operation: int | None) -> ScopePartitioning:
    """The clause at a place, with the number of buckets that an INTO behind it tells."""
    clause = clauses[place]
    words = [*clause.words, *(token.text.upper() for token in flat(clause.items[:1]))]
    scheme = next((name for word, name in SCHEMES if word in words), "unknown")
    after = clauses[place + 1] if place + 1 < len(clauses) and clauses[place + 1].name == "INTO" else None
    number = first_token(after.items[0]).text if after and after.items else ""
    return ScopePartitioning(
        operation=operation,
        line=clause.token.line if clause.token else 1,
        target=target,
        scheme=scheme,
        columns=tuple(column_names(clause.items)),
        buckets=int(number) if number.isascii() and number.isdigit() and len(number) < 10 else None,
    )


def hint_of(items: list[Item]) -> ScopeHint:
    """`SKEWFACTOR(Query) = 0.5`, `LOWDISTINCTNESS(A, B)`, `ROWCOUNT = 500`."""
    columns = [name for item in items if isinstance(item, Group) for name in column_names(item.items)]
    value = "".join(token.text for part in split_at(items, "=")[1:] for token in flat(part))
    return ScopeHint(line=first_token(items[0]).line, name=first_token(items[0]).text[:60], columns=tuple(columns), value=value[:60])
