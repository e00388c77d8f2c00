"""Explains the code that the compiler generated: of which operator of the plan each class is the code, where that operator runs, how much
of the job's time its stage took, and from which line of the script it comes."""

from collections.abc import Iterator

from contracts.scope import PlanOperatorKind, ScopeGeneratedClass, ScopeGeneratedCode, ScopeGeneratedPart, ScopePlanOperator
from workers.engines.scope.blame import blame_operator
from workers.engines.scope.job import ScopeJob
from workers.engines.scope.plan import kind_of
from workers.engines.scope.tree import plain

MOST_PARTS = 20
"""Classes that are explained: those of the stages that took longest."""


def explained(job: ScopeJob) -> tuple[ScopeGeneratedPart, ...]:
    """The classes that belong to an operator, those of the longest stages first. Classes that only hold rows or constants are left out."""
    operators = {
        plain(word): operator for plan in job.plans for operator in plan.operators for word in (operator.operator_id, operator.name)
    }
    parts = [
        part
        for code in job.all(ScopeGeneratedCode)
        for declared in code.classes
        if (part := _part(job, code, declared, operators)) is not None
    ]
    return tuple(sorted(parts, key=lambda part: (-part.share, part.artefact, part.line))[:MOST_PARTS])


def _part(
    job: ScopeJob, code: ScopeGeneratedCode, declared: ScopeGeneratedClass, operators: dict[str, ScopePlanOperator]
) -> ScopeGeneratedPart | None:
    operator = operators.get(plain(declared.name))
    is_user_code = declared.name in set(_users_names(job))
    does = operator.kind if operator else kind_of(declared.name)
    if operator is None and does is PlanOperatorKind.OTHER and not is_user_code:
        return None
    stage_ms = job.stage_ms.get(job.number(operator.stage), 0) if operator and operator.stage else 0
    return ScopeGeneratedPart(
        artefact=code.artefact,
        line=declared.line,
        name=declared.name,
        does=does,
        operator=operator.name if operator else "",
        stage=operator.stage if operator else "",
        share=round(job.share_of_job(stage_ms), 4),
        script_line=_line(job, operator) if operator else None,
        is_user_code=is_user_code,
    )


def _users_names(job: ScopeJob) -> Iterator[str]:
    """Classes and processors that the script names."""
    if job.script is not None:
        yield from job.script.script.functions
        yield from (used.name.rpartition(".")[2] for used in job.script.user_code)


def _line(job: ScopeJob, operator: ScopePlanOperator) -> int | None:
    return operator.line or next((spot.line for spot in blame_operator(job, operator).spots), None)
