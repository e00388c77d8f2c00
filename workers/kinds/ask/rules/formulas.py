"""Measures that the user defines in the conversation: "by GPM we mean (total revenue - total cost) / total cost * 100".

A formula has two amounts. The question is read with the first in the place of the name; the second then joins it in the plan.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from contracts.queries import Aggregate, Measure, PlanJoin, QueryPlan, Relation, Source
from contracts.tables import JoinPath

_IGNORE = re.IGNORECASE
_WIDE = str.maketrans("（）＝：，＊×÷／－−", "()=:,**//--")
_FORMS = (
    r"\b(?:we|i)\s+(?:define|call)\s+(?:the\s+)?(?P<name>[\w%' -]{1,40}?)\s*(?:\((?P<gloss>[^)]{1,60})\))?\s+(?:as|to be)\s+(?P<what>.+)",
    r"\bby\s+(?:the\s+)?(?P<name>[\w%' -]{1,40}?)\s*(?:\((?P<gloss>[^)]{1,60})\))?\s*,?\s+(?:we|i)\s+mean\s+(?P<what>.+)",
    r"(?:^|\bnote that |\bwhere )(?:the\s+)?(?P<name>[\w%' -]{1,40}?)\s*(?:\((?P<gloss>[^)]{1,60})\))?\s*(?:=|\bis defined as\b|\bmeans\b|\bis calculated as\b|\bstands for\b|\bis\b(?=\s*\())\s*(?P<what>.+)",  # noqa: E501 a pattern
    r"(?:我们把|我们将|把|将)?\s*(?P<name>[\w%\u3400-\u9fff]{1,20}?)\s*(?:\((?P<gloss>[^)]{1,60})\))?\s*(?:定义为|定义是|是指|指的是|等于|=|就是)\s*(?P<what>.+)",
)
_DEFINITIONS = tuple(re.compile(form, _IGNORE) for form in _FORMS)
_PERCENT = re.compile(r"\s*\*\s*100(?:\.0)?\s*%?\s*$|\s*(?:in percent|as a percentage|,?\s*以百分比表示)\s*$", _IGNORE)
_CHANGE = re.compile(r"^\(\s*(?P<first>[^()]+?)\s+?-\s*(?P<second>[^()]+?)\s*\)\s*/\s*(?P<third>[^()]+?)$|^\(\s*(?P<first2>[^()]+?)-(?P<second2>[^()]+?)\)\s*/\s*(?P<third2>[^()]+?)$")  # fmt: skip # noqa: E501 a pattern
_TWO = re.compile(r"^\(?\s*(?P<first>[^()/]+?)\s*(?P<sign>/|\s-\s|(?<=[\u3400-\u9fff])-|\bdivided by\b|\bper\b|除以|减去?)\s*(?P<second>[^()/]+?)\s*\)?$", _IGNORE)  # fmt: skip # noqa: E501 a pattern


@dataclass(frozen=True, slots=True)
class Formula:
    """Two amounts in words, and what is done with them."""

    names: tuple[str, ...]
    first: str
    second: str
    relation: Relation
    in_percent: bool


def without_definitions(words: str) -> str:
    """The words without the sentences that define a measure, where something is asked beside them."""
    sentences = re.split(r"(?<=[.!?])\s+|(?<=[。！？；;])\s*|\n", words)
    kept = [sentence for sentence in sentences if sentence.strip() and _formula(sentence) is None]
    return " ".join(kept) if kept and len(kept) < len(sentences) else words


def formulas_in(definitions: Sequence[str]) -> list[Formula]:
    """The formulas among the sentences in which the user said what words mean."""
    return [formula for sentence in definitions if (formula := _formula(sentence)) is not None]


def _formula(sentence: str) -> Formula | None:
    text = sentence.translate(_WIDE).strip()
    match = next((match for pattern in _DEFINITIONS if (match := pattern.search(text))), None)
    if match is None:
        return None
    what, times = _PERCENT.subn("", match["what"].strip().rstrip(".。;； "))
    names = tuple(text.strip() for text in (match["name"], match["gloss"] or "") if text.strip())
    if change := _CHANGE.match(what):
        first, second, third = ((change[part] or change[f"{part}2"]).strip() for part in ("first", "second", "third"))
        if second.lower() == third.lower():
            return Formula(names, first, second, Relation.CHANGE, bool(times))
        return None
    if two := _TWO.match(what):
        relation = Relation.RATIO if re.search(r"/|divided|per|除", two["sign"], _IGNORE) else Relation.DIFFERENCE
        return Formula(names, two["first"].strip(), two["second"].strip(), relation, bool(times))
    return None


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
    if len(first) != 1 or len(second) != 1 or len(other.sources) != 1 or other.filters or other.periods or other.group_by:
        return None
    table = other.sources[0].table
    joined = _with_source(plan, table, between, is_row_of)
    if joined is None:
        return None
    plan, alias = joined
    measure = _moved(second[0], other.sources[0].alias, alias)
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

    return measure.model_copy(update={"column": moved(measure.column), "operand": moved(measure.operand)})


def is_amount(measure: Measure) -> bool:
    """Whether a measure adds up or counts."""
    return measure.aggregate in (Aggregate.SUM, Aggregate.COUNT, Aggregate.COUNT_DISTINCT, Aggregate.AVERAGE)
