"""Verdicts on a SCOPE job: problems where its statistics bear them, hints where only its script speaks."""

from collections.abc import Callable, Iterable, Iterator

from contracts.base import Contract
from contracts.code import TableFacts
from contracts.verdicts import Verdict
from workers.engines.scope.job import ScopeJob
from workers.engines.scope.verdicts.errors import job_errors
from workers.engines.scope.verdicts.limits import exceeded_metrics, gc_pressure, memory_limits, spill
from workers.engines.scope.verdicts.script_rules import script_rules
from workers.engines.scope.verdicts.shuffle import redundant_exchanges, shuffle_volume, small_sides
from workers.engines.scope.verdicts.skew import data_skew
from workers.engines.verdicts import heaviest_first

JUDGES: tuple[Callable[[ScopeJob], Iterator[Verdict]], ...] = (
    data_skew,
    shuffle_volume,
    redundant_exchanges,
    small_sides,
    spill,
    gc_pressure,
    memory_limits,
    exceeded_metrics,
    job_errors,
    script_rules,
)


def judge_scope(facts: Iterable[Contract], tables: tuple[TableFacts, ...] = ()) -> tuple[Verdict, ...]:
    """All verdicts on a job, each with its origin: problems first, the heaviest first. Any subset of its artefacts will do; facts of
    other kinds are ignored."""
    job = ScopeJob(tuple(facts), tables)
    return heaviest_first(verdict for find in JUDGES for verdict in find(job))


__all__ = ["JUDGES", "judge_scope"]
