"""Which conditions of a question for a share are of the part, and which of all that it is a part of."""

from collections.abc import Callable

from workers.engines.questions.asked import Asked, Filter, NotAsked


def parts_of(asked: Asked, column: Callable[[Filter], str]) -> list[list[Filter]]:
    """The conditions of the part, once for each reading: `failed orders from the app` are a share of the app's orders, or of all. The other
    conditions are of the whole. `column`: what a condition is on. Raises `NotAsked` where more is open than can be chosen from."""
    shares = [figure for figure in asked.figures if figure.is_share]
    own = [condition for condition in asked.filters if condition.of_part]
    free = [condition for condition in asked.filters if condition.of_part is None]
    if not shares or not (own or free):
        return [[]]
    if asked.absent or len(shares) > 1 or (free and len(asked.figures) > 1):
        raise NotAsked
    if len(set(map(column, own))) == 1:
        return [own, [*own, *free]] if free else [own]
    apart = [[each for each in (*own, *free) if column(each) == place] for place in dict.fromkeys(map(column, (*own, *free)))]
    is_divided = bool(asked.dimensions or asked.units or asked.subject)
    if len(apart) > 2 or (len(apart) > 1 and is_divided):
        raise NotAsked
    if len(apart) > 1:
        return [*reversed(apart), [*own, *free]]  # the last is next to what is counted, or behind all the others
    # `orders that failed per channel`, and not `orders per channel in the north region`, which are perhaps all orders of the region
    counted = shares[0].of.begin
    stop = min((edge.begin for edge in asked.dimensions if edge.begin > counted), default=float("inf"))
    is_beside = all(counted < (each.column or each.values[0]).begin < stop for each in free)
    return [free, []] if is_divided and not is_beside else [free]
