"""A plan made again after the reviewer's remarks: what a model added to it before stays, without what was objected to.

The model is not asked again: it might say the same in other words, and the loop would not end."""

from collections.abc import Sequence

from contracts.tune.plan import Fix, TuningPlan
from workers.kinds.tune.rules.advice import Objection
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.fixes import objected
from workers.kinds.tune.rules.by_model.fixes import with_own
from workers.kinds.tune.rules.review import review


def redone(by_rules: TuningPlan, previous: TuningPlan, objections: Sequence[Objection], case: Case) -> TuningPlan:
    """The plan of the rules, made with the objections, with the model's fixes of the previous plan to which there is no objection."""
    own = [fix for fix in previous.fixes if fix.is_by_model]
    refused = {objection.fix_id for objection in objections}
    plan = with_own(by_rules, [fix for fix in own if fix.fix_id not in refused and _stands(fix, case)])
    texts = (objected(fix, objections) for fix in own if fix.fix_id in refused)
    return plan.model_copy(
        update={"ordered_by": previous.ordered_by, "left_out": tuple(dict.fromkeys((*plan.left_out, *previous.left_out, *texts)))}
    )


def _stands(fix: Fix, case: Case) -> bool:
    """Alone, against what the evidence says now: it may have changed since the fix was made."""
    return not review(TuningPlan(fixes=(fix,)), case.findings, case.run, case.scripts)
