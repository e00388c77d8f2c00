"""The jobs of an analysis: what runs where, in which order, and how rows are joined."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from contracts.catalogue import KnownQuery
from contracts.pipelines.analysis import AggregateWork, AnalysisResult, AnalysisStep, IncrementWork, JoinWork, SourceWork
from contracts.pipelines.expressions import Call, ColumnOf, Expression, Function
from contracts.pipelines.wishes import Component, Environment
from contracts.pipelines.workflow import Workflow, WorkflowJob, WorkflowStage, component_of
from contracts.sql_review import WriteMode
from contracts.statements import Sayable, count, name, names, say
from contracts.tables import JoinEvidence, JoinPath
from workers.engines.requirements.naming import plain_name
from workers.engines.steps.relations import inputs_of, spoken_names

DIALECT_OF: Mapping[Component, str] = {Component.HIVE: "hive", Component.SPARK_SQL: "spark"}
"""The dialect that a component runs, where it runs only one."""

LEAST_BRANCHES = 2
"""Independent aggregates from which on each gets a job of its own."""


def dialect_of(component: Component, dialect: str) -> str:
    """The dialect in which the scripts of a component are printed: that of the source, where the component runs it."""
    return dialect if component_of(dialect) is component else DIALECT_OF.get(component, dialect)


@dataclass(frozen=True, slots=True)
class Known:
    """What the catalogue says that bears on the design."""

    joins: Sequence[JoinPath] = ()
    queries: Sequence[KnownQuery] = ()
    read_by: Sequence[str] = ()
    """Tables that are computed from the target, which is there already."""


def design(analysis: AnalysisResult, component: Component, environment: Environment, dialect: str, known: Known) -> Workflow:
    """The workflow. A branch that ends in an aggregate and that only one other step reads is a job of its own when there are several."""
    steps = {step.id: step for step in analysis.steps}
    last = analysis.steps[-1].id
    branches = _branches(analysis.steps, last)
    base = base_name(analysis.target.table.rpartition(".")[2])
    jobs: list[WorkflowJob] = []
    owned: set[str] = set()
    made: dict[str, str] = {}
    spoken = spoken_names(analysis.steps)
    for number, branch in enumerate(branches, 1):
        ids = [item for item in _above(branch, steps) if item not in owned]
        owned.update(item for item in ids if not isinstance(steps[item].work, SourceWork))
        part = f"part_{number}" if branch in spoken else branch
        output = f"{analysis.target.table}__{part}"
        made[branch] = output
        jobs.append(
            _job(f"{base}__{part}", ids, (), steps, output, component, say("etl.job.branch", step=name(spoken.get(branch, branch))))
        )
    rest = [step.id for step in analysis.steps if step.id not in owned and (step.id in _read_by_rest(steps, last, made) or step.id == last)]
    depends = tuple(job.id for job in jobs)
    jobs.append(
        _job(base, rest, depends, steps, analysis.target.table, component, say("etl.job.target", table=name(analysis.target.table)), made)
    )
    followed, deviations = _compared(analysis, known)
    return Workflow(
        name=base,
        jobs=tuple(jobs),
        layers=(depends, (base,)) if depends else ((base,),),
        schedule=analysis.schedule or None,
        environment=environment,
        dialect=dialect,
        joins=_joins(analysis, known.joins),
        followed=followed,
        deviations=deviations,
        risks=_risks(analysis, known),
        confidence=analysis.confidence,
    )  # fmt: skip


def base_name(table: str) -> str:
    """What jobs, models and DAGs are called: the target's name, or a name of its own for each one that has no Latin letters."""
    return plain_name(table, f"target_{sha256(table.encode()).hexdigest()[:8]}")


def _job(
    id_: str, ids: Sequence[str], depends: tuple[str, ...], steps: Mapping[str, AnalysisStep], output: str, component: Component,
    text: Sayable, made: Mapping[str, str] | None = None,
) -> WorkflowJob:  # fmt: skip
    tables = tuple(dict.fromkeys(work.table for item in ids if isinstance(work := steps[item].work, SourceWork)))
    inputs = (*tables, *(made or {}).values())
    stage = WorkflowStage(id=id_, step_ids=tuple(ids), inputs=inputs, output=output)
    return WorkflowJob(id=id_, name=text, step_ids=tuple(ids), depends=depends, stages=(stage,), component=component)


def _above(last: str, steps: Mapping[str, AnalysisStep]) -> list[str]:
    """A step and all that it is made from, in the order of the analysis."""
    found: set[str] = set()
    waiting = [last]
    while waiting:
        at = waiting.pop()
        if at not in found and at in steps:
            found.add(at)
            waiting.extend(inputs_of(steps[at].work) or steps[at].depends_on)
    return [item for item in steps if item in found]


def _branches(steps: Sequence[AnalysisStep], last: str) -> list[str]:
    by_id = {step.id: step for step in steps}
    readers: dict[str, list[str]] = {}
    for step in steps:
        for input_ in inputs_of(step.work):
            readers.setdefault(input_, []).append(step.id)
    found = [step.id for step in steps if isinstance(step.work, AggregateWork) and step.id != last and len(readers.get(step.id, ())) == 1]
    apart: list[str] = []
    for branch in found:  # the outermost of nested aggregates, and only if it shares no worked step with another
        above = {item for item in _above(branch, by_id) if not isinstance(by_id[item].work, SourceWork)}
        inside = any(branch in _above(other, by_id) for other in found if other != branch)
        shared = any(reader not in above for item in above if item != branch for reader in readers.get(item, ()))
        if not inside and not shared:
            apart.append(branch)
    return apart if len(apart) >= LEAST_BRANCHES else []


def _read_by_rest(steps: Mapping[str, AnalysisStep], last: str, made: Mapping[str, str]) -> set[str]:
    found: set[str] = set()
    waiting = [last]
    while waiting:
        at = waiting.pop()
        if at not in found and at not in made and at in steps:
            found.add(at)
            waiting.extend(inputs_of(steps[at].work) or steps[at].depends_on)
    return found


def sides_of(on: Expression) -> list[tuple[ColumnOf, ColumnOf]]:
    """The pairs of columns that a join compares."""
    if isinstance(on, Call) and on.function is Function.AND:
        return [pair for part in on.arguments for pair in sides_of(part)]
    if isinstance(on, Call) and on.function in (Function.EQUAL, Function.SAME):
        left, right = on.arguments
        if isinstance(left, ColumnOf) and isinstance(right, ColumnOf):
            return [(left, right)]
    return []


def _joins(analysis: AnalysisResult, known: Sequence[JoinPath]) -> tuple[JoinPath, ...]:
    """The paths between tables that the steps read together, the strongest of each pair."""
    used = set(analysis.tables)
    first: dict[frozenset[str], JoinPath] = {}
    for path in known:
        if path.left in used and path.right in used:
            first.setdefault(frozenset((path.left, path.right)), path)
    return tuple(first.values())


def _compared(analysis: AnalysisResult, known: Known) -> tuple[tuple[Sayable, ...], tuple[Sayable, ...]]:
    """Historical queries over the same tables that are followed, and joins for which there is no evidence but equal names."""
    used = set(analysis.tables)
    alike = [query for query in known.queries if query.joins and len(query.tables) > 1 and set(query.tables) <= used]
    followed: list[Sayable] = []
    if alike:
        tables = tuple(dict.fromkeys(table for query in alike for table in query.tables))
        followed.append(say("etl.followed.queries", n=count(len(alike)), tables=names(tables)))
    weak = [step for step in analysis.steps if isinstance(step.work, JoinWork) and step.work.evidence is JoinEvidence.NAMES]
    spoken = spoken_names(analysis.steps)
    deviations: list[Sayable] = [say("etl.deviation.names", step=name(spoken.get(step.id, step.id))) for step in weak]
    return tuple(followed), tuple(deviations)


def _risks(analysis: AnalysisResult, known: Known) -> tuple[Sayable, ...]:
    risks: list[Sayable] = []
    if analysis.target.mode is WriteMode.OVERWRITE and analysis.schedule:
        risks.append(say("etl.risk.full", table=name(analysis.target.table)))
    if any(isinstance(step.work, IncrementWork) for step in analysis.steps):
        risks.append(say("etl.risk.late"))
    if analysis.target.exists:
        risks.append(say("etl.risk.exists", table=name(analysis.target.table)))
    if known.read_by:
        risks.append(say("etl.risk.read_by", table=name(analysis.target.table), tables=names(known.read_by)))
    return tuple(risks)
