"""Keys that a script relies on though the catalogue does not say them: it looks a row up by columns of a table without a known key."""

from collections.abc import Iterator

from contracts.pipelines.analysis import EtlTarget
from contracts.statements import Statement, code, names, say
from workers.engines.pipelines.trial.checks import check_grain
from workers.engines.pipelines.trial.play import JobFailed, Player
from workers.engines.pipelines.warehouse import WarehouseError
from workers.engines.sql.review.rows import Maker, Recipe
from workers.engines.sql.script import Script
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
    if not keys:
        return []
    maker = Maker(Recipe(free))
    for seed in range(PROBES):
        data = maker.make(seed)
        try:
            played = player.play([data, data])
        except (JobFailed, WarehouseError):
            return []
        if check_grain(target, played.runs[0]) is not None:
            return [say("pipelines.trial.assumes_key", table=code(table), columns=names(columns)) for table, columns in keys]
    return []
