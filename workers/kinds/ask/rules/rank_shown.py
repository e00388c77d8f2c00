"""The figure by which rows are ranked is shown beside them: who has the most orders, and how many."""

from contracts.queries import Ordering, QueryPlan, Selected


def with_figure(plan: QueryPlan) -> QueryPlan:
    """The plan with what its first rows are ordered by among what it shows."""
    first = plan.order_by[0] if plan.order_by else None
    if plan.limit is None or first is None or first.value is None or plan.is_distinct:
        return plan
    if plan.group_by and first.value.aggregate is None:
        return plan  # it would have no single value in a group
    shown = [*plan.selected, Selected(value=first.value)]
    order = (Ordering(position=len(shown), descending=first.descending), *plan.order_by[1:])
    return plan.model_copy(update={"selected": tuple(shown), "order_by": order})
