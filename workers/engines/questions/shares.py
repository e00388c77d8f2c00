"""Which conditions of a question for a share are of the part, and which of all that it is a part of."""

from collections.abc import Callable, Sequence

from workers.engines.questions.asked import Asked, Figure, Filter, NotAsked
from workers.engines.questions.grammar import Link


def parts_of(asked: Asked, column: Callable[[Filter], Link]) -> list[list[Filter]]:
    """The conditions of the part, once for each reading: `failed orders from the app` are a share of the app's orders, or of all. The other
    conditions are of the whole. `column`: what a condition is on. Raises `NotAsked` where more is open than can be chosen from."""
    shares = [figure for figure in asked.figures if figure.is_share]
    own = [condition for condition in asked.filters if condition.of_part]
    free = [condition for condition in asked.filters if condition.of_part is None]
    if not shares or not (own or free):
        return [[]]
    if asked.absent or len(shares) > 1 or (free and len(asked.figures) > 1):
        raise NotAsked
    own_columns, free_columns = _columns(own, column), _columns(free, column)
    if len(own_columns) == 1:
        return [own, [*own, *free]] if free else [own]
    apart = [*own_columns, *free_columns]
    together = [condition for some in apart for condition in some]
    is_divided = bool(asked.dimensions or asked.units or asked.subject)
    if len(apart) > 2 or (len(apart) > 1 and is_divided):
        raise NotAsked
    if len(apart) > 1:
        return [*reversed(apart), together]  # the last is next to what is counted, or behind all the others
    return [together] if not is_divided or _is_beside(asked, shares[0], free) else [together, []]


def _columns(conditions: Sequence[Filter], column: Callable[[Filter], Link]) -> list[list[Filter]]:
    """The conditions by what they are on."""
    found: dict[tuple[str, str], list[Filter]] = {}
    for condition in conditions:
        link = column(condition)
        found.setdefault((link.table, link.column), []).append(condition)
    return list(found.values())


def _is_beside(asked: Asked, share: Figure, free: Sequence[Filter]) -> bool:
    """Whether the conditions stand behind what is counted and before the groups: `orders that failed per channel`, and not `orders per
    channel in the north region`, which are perhaps all orders of the region."""
    stop = min((edge.begin for edge in asked.dimensions if edge.begin > share.of.begin), default=None)
    places = [(condition.column or condition.values[0]).begin for condition in free]
    return all(share.of.begin < place and (stop is None or place < stop) for place in places)
