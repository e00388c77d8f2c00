"""What was used of models, per job, role and model."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from typing import LiteralString

from contracts.reports import Usage
from workers.blackboard.engine import Database
from workers.reading.lists import first_id_at
from workers.reading.steps import StepFacts
from workers.reading.values import Value

NO_MODEL = "?"
"""Stands for the model of a step that used one and does not name it: an old step, or one that failed."""

_USED: LiteralString = """
SELECT s.role, COALESCE(s.engine, '?') AS model, count(*) AS steps,
       COALESCE(sum((s.usage->>'model_calls')::bigint), 0)::bigint AS model_calls,
       COALESCE(sum((s.usage->>'input_tokens')::bigint), 0)::bigint AS input_tokens,
       COALESCE(sum((s.usage->>'output_tokens')::bigint), 0)::bigint AS output_tokens,
       COALESCE(sum((s.usage->>'cost_usd')::float), 0)::float AS cost_usd
  FROM steps s WHERE s.usage IS NOT NULL AND s.id >= %(since)s AND s.id < %(until)s
   AND (%(owner)s::text IS NULL OR EXISTS (SELECT 1 FROM jobs j WHERE j.id = s.job_id AND j.owner = %(owner)s))
 GROUP BY 1, 2 ORDER BY 1, 2
"""


@dataclass(frozen=True, slots=True)
class CostLine(Value):
    """What the steps of one role, or with one model, used."""

    name: str
    steps: int
    usage: Usage


@dataclass(frozen=True, slots=True)
class JobCosts(Value):
    """What a job used of models."""

    total: Usage
    by_role: tuple[CostLine, ...]
    by_model: tuple[CostLine, ...]


@dataclass(frozen=True, slots=True)
class FleetCost(Value):
    """What the steps of a role used of a model in a period."""

    role: str
    model: str
    steps: int
    usage: Usage


def costs_of(steps: Iterable[StepFacts]) -> JobCosts | None:
    """What the steps of a job used, all together and by role and model; None: no model was asked."""
    used = [step for step in steps if step.usage is not None]
    if not used:
        return None
    return JobCosts(_sum(used), _lines(used, lambda step: step.role), _lines(used, lambda step: step.engine or NO_MODEL))


def read_costs(db: Database, since: datetime, until: datetime, *, owner: str | None = None) -> tuple[FleetCost, ...]:
    """What the steps queued in a period used, by role and model; `owner`: only those of this owner's jobs."""
    rows = db.statement(_USED, {"since": first_id_at(since), "until": first_id_at(until), "owner": owner})
    return tuple(
        FleetCost(
            row["role"],
            row["model"],
            row["steps"],
            Usage(
                model_calls=row["model_calls"],
                input_tokens=row["input_tokens"],
                output_tokens=row["output_tokens"],
                cost_usd=row["cost_usd"],
            ),
        )
        for row in rows
    )


def _lines(steps: list[StepFacts], name: Callable[[StepFacts], str]) -> tuple[CostLine, ...]:
    groups: dict[str, list[StepFacts]] = {}
    for step in steps:
        groups.setdefault(name(step), []).append(step)
    return tuple(CostLine(group, len(members), _sum(members)) for group, members in sorted(groups.items()))


def _sum(steps: list[StepFacts]) -> Usage:
    return reduce(Usage.plus, [step.usage for step in steps if step.usage is not None])
