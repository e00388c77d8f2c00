"""How far the procedure is: the conversation's progress with the steps of this job."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from contracts.analyze.steps import Act, ActOutcome, HeldSkill, SkillChosen
from contracts.base import Json
from contracts.procedure_results import Progress
from contracts.procedures import Procedure
from workers.engines.procedures import Due, find_due, scope_of

MOST_ACTS = 60
"""Steps of one job. A procedure has at most as many."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a job is in its procedure."""

    procedure: Procedure
    progress: Progress
    scope: Json
    due: Due


def progress_after(progress: Progress, acts: Iterable[Act]) -> Progress:
    """With the results of these steps."""
    results, tables, params = dict(progress.results), dict(progress.tables), dict(progress.params)
    for act in acts:
        if act.outcome is not ActOutcome.DONE:
            continue
        results[act.step] = act.result or {}
        params |= act.params
        if act.table is not None:
            tables[act.step] = act.table
    return progress.model_copy(update={"results": results, "tables": tables, "params": params})


def standing(chosen: SkillChosen, skill: HeldSkill, acts: Sequence[Act], language: str) -> Standing | None:
    """Where the job is after these steps. None for a skill without a procedure."""
    if skill.procedure is None:
        return None
    progress = progress_after(chosen.progress, acts)
    scope = scope_of(skill.procedure, progress, chosen.wishes, message=chosen.subject, language=language)
    due = find_due(skill.procedure, progress, chosen.wishes, scope, {act.step for act in acts})
    ended = any(act.outcome is not ActOutcome.DONE for act in acts) or len(acts) >= MOST_ACTS
    return Standing(skill.procedure, progress, scope, Due() if ended else due)
