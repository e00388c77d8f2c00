"""Which tables can be joined and on which columns: declared keys, paths that are handed in, and columns whose names and values fit."""

from collections.abc import Collection, Sequence
from itertools import combinations

from contracts.tables import ColumnDetail, JoinEvidence, JoinPath, TableDetail
from workers.engines.questions.words import key, split_name
from workers.engines.sql.build_values import NUMERIC
from workers.engines.sql.plan_shape import is_unique

_KEY_WORDS = frozenset({"id", "key", "code", "no", "nr", "uuid"})
_STRENGTH = {JoinEvidence.DECLARED: 0, JoinEvidence.QUERIES: 1, JoinEvidence.NAMES: 2}


_MOST_TREES = 12
_KEY_ENDS = ("id", "key", "code")
_SHORTEST_KEY = 5
"""Letters of a key's name that two columns must share at their ends."""
_LONGEST_PREFIX = 3


class Edges:
    """The graph of tables."""

    def __init__(self, tables: Sequence[TableDetail], paths: Sequence[JoinPath] = ()) -> None:
        self._paths = _best([*paths, *_declared(tables), *_by_names(tables)])
        self._tables = {table.full_name: table for table in tables}
        self._around: dict[str, list[JoinPath]] = {table.full_name: [] for table in tables}
        for path in self._paths:
            if path.left in self._around and path.right in self._around and path.left != path.right:
                self._around[path.left].append(path)
                self._around[path.right].append(_turned(path))

    def trees(self, wanted: Collection[str]) -> list[tuple[JoinPath, ...]]:
        """The ways to connect the tables with the fewest others between them, each a list of joins with `left` reached before. Several:
        it is open which is meant."""
        names = sorted(wanted)
        found: dict[frozenset[object], tuple[JoinPath, ...]] = {}
        waiting: list[tuple[JoinPath, ...]] = [()]
        while waiting and len(found) < _MOST_TREES:
            made = waiting.pop()
            reached = {names[0], *(path.right for path in made)}
            missing = [name for name in names if name not in reached]
            if not missing:
                found.setdefault(frozenset(_ends(path) for path in made), made)
                continue
            ways = [way for name in missing for way in self._ways(reached, name)]
            shortest = min((len(way) for way in ways), default=0)
            best = [way for way in ways if len(way) == shortest]
            waiting += [(*made, *(path for path in way if path.right not in reached)) for way in best]
        smallest = min((len(made) for made in found.values()), default=0)
        best = [made for made in found.values() if len(made) == smallest]
        strongest = min((_weakness(made) for made in best), default=0)
        return [made for made in best if _weakness(made) == strongest]

    def parents(self, table: str) -> list[JoinPath]:
        """The joins from a table to what its rows belong to, of which each has at most one."""
        return [path for path in self._around.get(table, ()) if is_unique(self._tables[path.right], set(path.right_columns))]

    def between(self, left: str, right: str) -> JoinPath | None:
        """The only way to join two tables directly."""
        found = [path for path in self._around.get(left, ()) if path.right == right]
        return found[0] if len(found) == 1 else None

    def _ways(self, reached: set[str], target: str) -> list[tuple[JoinPath, ...]]:
        """The shortest ways from what is reached to a table."""
        level: list[tuple[JoinPath, ...]] = [()]
        ends = {(): sorted(reached)}
        seen = set(reached)
        while level:
            longer: list[tuple[JoinPath, ...]] = []
            for way in level:
                for place in [way[-1].right] if way else ends[()]:
                    longer += [(*way, path) for path in self._around[place] if path.right not in seen]
            if arrived := [way for way in longer if way[-1].right == target]:
                return arrived
            seen |= {way[-1].right for way in longer}
            level = longer
        return []


def _ends(path: JoinPath) -> frozenset[tuple[str, tuple[str, ...]]]:
    return frozenset(((path.left, path.left_columns), (path.right, path.right_columns)))


def _weakness(way: Sequence[JoinPath]) -> int:
    return sum(_STRENGTH[path.evidence] for path in way)


def _turned(path: JoinPath) -> JoinPath:
    return path.model_copy(
        update={"left": path.right, "left_columns": path.right_columns, "right": path.left, "right_columns": path.left_columns}
    )


def _best(paths: Sequence[JoinPath]) -> list[JoinPath]:
    """Each way once, with the strongest evidence; names do not count between tables that have better evidence."""
    strong = {frozenset((path.left, path.right)) for path in paths if path.evidence != JoinEvidence.NAMES}
    kept: dict[object, JoinPath] = {}
    for path in sorted(paths, key=lambda item: _STRENGTH[item.evidence]):
        pair = frozenset((path.left, path.right))
        if path.evidence == JoinEvidence.NAMES and pair in strong:
            continue
        kept.setdefault(_ends(path), path)
    return list(kept.values())


def _declared(tables: Sequence[TableDetail]) -> list[JoinPath]:
    keys = {table.full_name: table.primary_key for table in tables}
    return [
        JoinPath(
            left=table.full_name, left_columns=foreign.columns, right=foreign.table,
            right_columns=foreign.references or keys.get(foreign.table, ()), evidence=JoinEvidence.DECLARED,
        )
        for table in tables
        for foreign in table.foreign_keys
        if len(foreign.references or keys.get(foreign.table, ())) == len(foreign.columns)
    ]  # fmt: skip


def _by_names(tables: Sequence[TableDetail]) -> list[JoinPath]:
    """A key-like column that is unique in one of the tables, of the same name in the other, or `order_id` for the `id` of `orders`."""
    made: list[JoinPath] = []
    called = {(table.full_name, column.name): _names(table, column) for table in tables for column in table.columns}
    keys = {table.full_name: [column for column in table.columns if called[table.full_name, column.name]] for table in tables}
    for left, right in combinations(tables, 2):
        if (whole := _by_whole_key(left, right) or _by_whole_key(right, left)) is not None:
            made.append(whole)
            continue
        pairs = [
            (mine, its)
            for mine in keys[left.full_name]
            for its in keys[right.full_name]
            if called[left.full_name, mine.name] & called[right.full_name, its.name] and _fits(mine, its)
        ]
        pairs += [
            (mine, its) for mine in left.columns for its in right.columns
            if (mine, its) not in pairs and (_ends_with(mine, its, right) or _ends_with(its, mine, left)) and _fits(mine, its)
        ]  # fmt: skip
        pairs = [pair for pair in pairs if is_unique(left, {pair[0].name}) or is_unique(right, {pair[1].name})]
        made += [
            JoinPath(
                left=left.full_name,
                left_columns=(mine.name,),
                right=right.full_name,
                right_columns=(its.name,),
                evidence=JoinEvidence.NAMES,
            )
            for mine, its in pairs
        ]
    return made


def _by_whole_key(left: TableDetail, right: TableDetail) -> JoinPath | None:
    """A key of several columns that the other table has by the same names: the line of an order."""
    names = {column.name for column in left.columns}
    columns = right.primary_key
    if len(columns) < 2 or not names.issuperset(columns) or set(left.primary_key) == set(columns):
        return None
    return JoinPath(left=left.full_name, left_columns=columns, right=right.full_name, right_columns=columns, evidence=JoinEvidence.NAMES)


def _names(table: TableDetail, column: ColumnDetail) -> set[str]:
    """What a key is called: `id` of `orders` is `order_id`; other names only where they hold more than `name` or `status`."""
    words = [key(word) for word in split_name(column.name)]
    own = [key(word) for word in split_name(table.name)]
    if len(words) == 1 and words[0] in _KEY_WORDS:
        return {"_".join([*own, words[0]])}
    joined = "_".join(words)
    if words[-1] in _KEY_WORDS:
        # `restaurant_id` names a row of another table, and is the key of its own
        return {joined}
    if len(words) > 1 and words[-1] == "name" and words[0] not in ("first", "last", "middle", "full", "user", "street"):
        return {joined}
    if len(words) == 1 and len(words[0]) >= 3 and words[0].endswith("id"):
        return {words[0]}
    return set()


def _ends_with(foreign: ColumnDetail, its: ColumnDetail, table: TableDetail) -> bool:
    """`txcustid` refers to `custid`, the key of customers: the end of its name is the name of the key, or of the key without a prefix that
    the columns of the table share."""
    mine, other = foreign.name.lower(), its.name.lower()
    if "_" in mine + other:
        return False  # names with separators say themselves what they refer to
    if not other.endswith(_KEY_ENDS) or not mine.endswith(_KEY_ENDS) or not is_unique(table, {its.name}):
        return False
    for cut in range(len(other) - _SHORTEST_KEY + 1):
        if mine.endswith(other[cut:]):
            return len(mine) > len(other[cut:]) and cut <= _LONGEST_PREFIX
    return False


def _fits(mine: ColumnDetail, its: ColumnDetail) -> bool:
    """Whether the values can be the same: numbers with numbers, and those of the key hold most of the other's."""
    if mine.type and its.type and bool(NUMERIC.search(mine.type)) != bool(NUMERIC.search(its.type)):
        return False
    if mine.values and its.values:
        shared = set(mine.values) & set(its.values)
        return 2 * len(shared) >= min(len(mine.values), len(its.values))
    return True
