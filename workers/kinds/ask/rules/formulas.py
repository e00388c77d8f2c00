"""Measures that the user defines in the conversation: "by GPM we mean (total revenue - total cost) / total cost * 100".

A formula has two amounts. The question is read with the first in the place of the name; the second then joins it in the plan. Conditions
of an amount ("missed reservations / reservations") are its own: they do not choose the rows of the other.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from contracts.queries import Aggregate, Arithmetic, Condition, Measure, PlanJoin, QueryPlan, Relation, Source
from contracts.tables import JoinPath
from workers.engines.questions.defining import spoken_definition
from workers.engines.squeezing import squeezed

_IGNORE = re.IGNORECASE
_MOST_CHARACTERS = 1_000
"""Characters of a sentence that may define a measure."""
_PERCENT = re.compile(r"\s*\*\s*100(?:\.0)?\s*%?\s*$|\s*(?:in percent|as a percentage|,?\s*以百分比表示)\s*$", _IGNORE)
_CHANGE = re.compile(r"^\(\s*(?P<first>[^()]+?)\s+?-\s*(?P<second>[^()]+?)\s*\)\s*/\s*(?P<third>[^()]+?)$|^\(\s*(?P<first2>[^()]+?)-(?P<second2>[^()]+?)\)\s*/\s*(?P<third2>[^()]+?)$")  # fmt: skip # noqa: E501 a pattern
_TWO = re.compile(r"^(?:\((?=[^()]*\)$))?\s*(?P<first>[^()/]+?|[^()/]*\([^()/]+\)[^()/]*?)\s*(?P<sign>/|\s-\s|(?<=[\u3400-\u9fff])-|\bdivided by\b|\bper\b|除以|减去?)\s*(?P<second>[^()/]+?)\s*\)?$", _IGNORE)  # fmt: skip # noqa: E501 a pattern


@dataclass(frozen=True, slots=True)
class Formula:
    """Two amounts in words, and what is done with them."""

    names: tuple[str, ...]
    first: str
    second: str
    relation: Relation
    in_percent: bool
    plus: str = ""
    """What the first amount adds to its column: `service fee` in `sum of (fee + service fee)`."""


def without_definitions(words: str) -> str:
    """The words without the sentences that define a measure, where something is asked beside them."""
    words = squeezed(words)
    sentences = re.split(r"(?<=[.!?])\s+|(?<=[。！？；;])\s*|\n", words)
    kept = [sentence for sentence in sentences if sentence.strip() and _formula(sentence) is None]
    return " ".join(kept) if kept and len(kept) < len(sentences) else words


def formulas_in(definitions: Sequence[str]) -> list[Formula]:
    """The formulas among the sentences in which the user said what words mean."""
    return [formula for sentence in definitions if (formula := _formula(sentence)) is not None]


def _formula(sentence: str) -> Formula | None:
    definition = spoken_definition(squeezed(sentence)) if len(sentence) <= _MOST_CHARACTERS else None
    if definition is None:
        return None
    what, times = _PERCENT.subn("", definition.what)
    names = tuple(filter(None, (definition.name, definition.gloss)))
    if change := _CHANGE.match(what):
        first, second, third = ((change[part] or change[f"{part}2"]).strip() for part in ("first", "second", "third"))
        if second.lower() == third.lower():
            return Formula(names, first, second, Relation.CHANGE, bool(times))
        return None
    if two := _TWO.match(what):
        relation = Relation.RATIO if re.search(r"/|divided|per|除", two["sign"], _IGNORE) else Relation.DIFFERENCE
        first, plus = _added(two["first"].strip())
        return Formula(names, first, two["second"].strip(), relation, bool(times), plus)
    return None


_ADDED = re.compile(r"^(?P<before>[^()]*)\(\s*(?P<left>[^()+]+?)\s*\+\s*(?P<right>[^()+]+?)\s*\)(?P<behind>[^()]*)$")


def _added(amount: str) -> tuple[str, str]:
    """An amount with one column, and the column that is added to it: `sum of (a + b)`. A bracket without a word about it is a sum."""
    match = _ADDED.match(amount)
    if match is None:
        return amount, ""
    if re.search(r"[\u3400-\u9fff]", amount):
        return f"{match['before']}{match['left']}{match['behind'] or '之和'}", match["right"]
    return f"{match['before'].strip() or 'total'} {match['left']}{match['behind']}", match["right"]


def named_in(question: str, formulas: Sequence[Formula]) -> tuple[Formula, str] | None:
    """The formula that a question names, and the question with its first amount in the place of the name."""
    for formula in formulas:
        for name in formula.names:
            ends = r"\b" if name.isascii() else ""
            pattern = re.compile(rf"{ends}{re.escape(name)}{ends}", _IGNORE)
            if pattern.search(question):
                return formula, pattern.sub(formula.first, question, count=1)
    return None


def combined(
    plan: QueryPlan,
    other: QueryPlan,
    formula: Formula,
    between: Callable[[str, str], JoinPath | None],
    is_row_of: Callable[[JoinPath], bool],
) -> QueryPlan | None:
    """The plan of the first amount with the second beside it. `is_row_of`: a join that adds at most one row to each of the left side."""
    first = [place for place, item in enumerate(plan.selected) if item.value.aggregate is not None]
    second = [item.value for item in other.selected if item.value.aggregate is not None]
    if len(first) != 1 or len(second) != 1 or len(other.sources) != 1 or other.periods or other.related or other.group_by:
        return None
    table = other.sources[0].table
    joined = _with_source(plan, table, between, is_row_of)
    if joined is None:
        return None
    plan, alias = joined
    measure = _moved(second[0].model_copy(update={"where": (*second[0].where, *other.filters)}), other.sources[0].alias, alias)
    item = plan.selected[first[0]].model_copy(
        update={
            "label": formula.names[0].lower().replace(" ", "_"),
            "relation": formula.relation,
            "other": measure,
            "in_percent": formula.in_percent,
        }
    )
    selected = tuple(item if place == first[0] else kept for place, kept in enumerate(plan.selected))
    return plan.model_copy(update={"selected": selected})


def _with_source(
    plan: QueryPlan, table: str, between: Callable[[str, str], JoinPath | None], is_row_of: Callable[[JoinPath], bool]
) -> tuple[QueryPlan, str] | None:
    for source in plan.sources:
        if source.table == table:
            return plan, source.alias
    for source in plan.sources:
        path = between(source.table, table)
        if path is not None and is_row_of(path):
            alias = table.rpartition(".")[2]
            join = PlanJoin(
                left=source.alias, left_columns=path.left_columns, right=alias, right_columns=path.right_columns, evidence=path.evidence
            )
            return plan.model_copy(
                update={"sources": (*plan.sources, Source(table=table, alias=alias)), "joins": (*plan.joins, join)}
            ), alias
    return None


def _moved(measure: Measure, old: str, new: str) -> Measure:
    def moved(column: str) -> str:
        return f"{new}.{column.partition('.')[2]}" if column.startswith(f"{old}.") else column

    where = tuple(condition.model_copy(update={"column": moved(condition.column)}) for condition in measure.where)
    return measure.model_copy(update={"column": moved(measure.column), "operand": moved(measure.operand), "where": where})


def with_own_conditions(plan: QueryPlan, alone: QueryPlan, plus: str = "") -> QueryPlan | None:
    """The plan with the conditions of its measure as the measure's own. `alone`: the amount read without its question, which has no
    conditions but its own. `plus`: a column that the measure adds to its own. None where the amount has more than conditions."""
    if alone.periods or alone.related or alone.having or any(condition.alternative for condition in alone.filters):
        return None
    own = {(condition.column.rpartition(".")[2], condition.operator, condition.values) for condition in alone.filters}

    def is_own(condition: Condition) -> bool:
        return (condition.column.rpartition(".")[2], condition.operator, condition.values) in own

    mine = tuple(condition for condition in plan.filters if is_own(condition))
    if len(mine) != len(own):
        return None
    update = {"operator": Arithmetic.PLUS, "operand": plus} if plus else {}
    selected = tuple(
        item.model_copy(update={"value": item.value.model_copy(update={"where": (*item.value.where, *mine), **update})})
        if item.value.aggregate is not None else item
        for item in plan.selected
    )  # fmt: skip
    return plan.model_copy(update={"selected": selected, "filters": tuple(kept for kept in plan.filters if not is_own(kept))})


def is_amount(measure: Measure) -> bool:
    """Whether a measure adds up or counts."""
    return measure.aggregate in (Aggregate.SUM, Aggregate.COUNT, Aggregate.COUNT_DISTINCT, Aggregate.AVERAGE)
