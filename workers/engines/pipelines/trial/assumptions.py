"""Keys that a script relies on though the catalogue does not say them: it looks a row up by columns of a table without a known key."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from contracts.pipelines.analysis import EtlTarget
from contracts.statements import Statement, Value, code, names, say
from workers.engines.pipelines.trial.checks import check_grain
from workers.engines.pipelines.trial.play import JobFailed, Player
from workers.engines.pipelines.warehouse import Answer, WarehouseError
from workers.engines.sql.review.rows import Maker, Recipe
from workers.engines.sql.script import Learnt, Script
from workers.engines.sql.shape import join_columns, surely_repeats

PROBES = 12
"""Sets of few rows on which it is looked whether the target's key depends on the assumption."""

AssumedKey = tuple[str, tuple[str, ...]]
"""(full name of a table, columns)."""


def assumed_keys(script: Script) -> tuple[AssumedKey, ...]:
    """Columns by which a script joins a table, where nothing says whether several rows share them. A reference to another table or
    statistics say that they do; then it is no assumption but a defect."""
    return tuple(dict.fromkeys(_assumed(script)))


def _assumed(script: Script) -> Iterator[AssumedKey]:
    for part, scope in script.scopes():
        for source in scope.sources.values():
            table = source.table
            if table is None or source.join is None or script.facts.of(table).keys:
                continue
            columns = join_columns(part, scope, source)
            if columns and not surely_repeats(script, part, source, columns):
                yield table.full_name, tuple(sorted(columns))


def assume(script: Script, keys: tuple[AssumedKey, ...]) -> None:
    """Rows made for this script honour the keys from now on."""
    for table in script.inputs:
        for name, columns in keys:
            if table.full_name == name:
                script.facts.of(table).keys.append(frozenset(columns))


def said_of(keys: tuple[AssumedKey, ...], free: Script, player: Player, target: EtlTarget) -> list[Statement]:
    """What has to be confirmed: without these keys, the target's key is not unique. `free`: the script without the assumption."""
    if keys and any(check_grain(target, found) is not None for found in _probed(free, player)):
        return [say("pipelines.trial.assumes_key", table=code(table), columns=names(columns)) for table, columns in keys]
    return []


def said_of_key(learnt: Sequence[Learnt], free: Script, player: Player, target: EtlTarget) -> list[Statement]:
    """What the target's key itself says of the tables that are read, and has to be confirmed: without it, keys repeat or are null. `free`:
    the script that has learnt nothing."""
    own = [item for item in learnt if any(table.full_name == item.table for table in free.inputs)]
    repeats, is_null = False, False
    for found in _probed(free, player) if own else ():
        places = [place for place, column in enumerate(found.columns) if column.lower() in {name.lower() for name in target.key}]
        empty = tuple(row for row in found.rows if any(row[place] is None for place in places))
        repeats |= check_grain(target, replace(found, rows=tuple(row for row in found.rows if row not in empty))) is not None
        is_null |= check_grain(target, replace(found, rows=empty[:1])) is not None
    needed = [item for item in own if (repeats if item.is_key else is_null)]
    return [_said_of(item.is_key, table=code(item.table), columns=names(item.columns)) for item in needed]


def _said_of(is_key: bool, **values: Value) -> Statement:
    return say("pipelines.trial.assumes_kept_key", **values) if is_key else say("pipelines.trial.assumes_value", **values)


def _probed(free: Script, player: Player) -> Iterator[Answer]:
    """What the script leaves of sets of few rows, as far as it runs on them."""
    maker = Maker(Recipe(free))
    for seed in range(PROBES):
        data = maker.make(seed)
        try:
            yield player.play([data, data]).runs[0]
        except (JobFailed, WarehouseError):
            return
