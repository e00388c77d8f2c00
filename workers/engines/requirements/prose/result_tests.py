"""Conditions on rows of the target: `only rows where claims >= 3`, `only holders with at least 3 claims`, 只保留 total > 100 的行."""

import re

from contracts.pipelines.expressions import Call, ColumnOf, Constant, Expression, Function, ValueType
from workers.engines.requirements.prose.draft import RESULT, Draft
from workers.engines.requirements.prose.having import having_of
from workers.engines.requirements.prose.measures import Phrases
from workers.engines.requirements.prose.nouns import plain
from workers.engines.requirements.prose.sql_phrases import SqlPhrase, has_aggregate, is_test, parsed

_ROWS = re.compile(
    r"(?:(?:the |those )?(?:rows?|records?|lines?|groups?) )?(?:where|for which|in which|having|with) (?P<test>.+)"
    r"|(?P<zh>.+?)的(?:行|记录|分组|组)",
    re.IGNORECASE | re.DOTALL,
)


def keep_of_result(draft: Draft, words: str, phrases: Phrases) -> bool:
    """Keep only the target's rows for which the words hold; False: they say no such thing."""
    test = _in_sql(draft, words) or _of_thing(draft, words, phrases)
    if test is None:
        return False
    draft.having.append(test)
    return True


def _in_sql(draft: Draft, words: str) -> Expression | None:
    found = _ROWS.fullmatch(words.strip())
    tree = parsed((found["test"] or found["zh"]) if found else words)
    if tree is None or not is_test(tree) or has_aggregate(tree):
        return None

    def column(word: str) -> Expression | None:
        known = [label for label in draft.order if plain(label) == plain(word) and label in draft.known]
        known = known or [label for label in draft.order if draft.descriptions.get(label) == word and label in draft.known]
        return ColumnOf(step=RESULT, name=known[0]) if len(known) == 1 else None

    return SqlPhrase(column).read(tree)


def _of_thing(draft: Draft, words: str, phrases: Phrases) -> Expression | None:
    """An aggregate of the rows of each thing, where the target has a row for each."""
    found = having_of(words)
    if found is None or draft.entity is None or phrases.schema.entity(found.thing) != draft.entity:
        return None
    measure = phrases.measure(found.aggregate, draft.entity)
    if measure is None or measure.rows.related:
        return None
    is_count = measure.function in (Function.COUNT, Function.COUNT_DISTINCT)
    if not is_count and found.function not in (Function.GREATER, Function.GREATER_EQUAL):  # a sum of nothing is not known to be less
        return None
    label = next((label for label, known in draft.measures.items() if known == measure), f"part_{len(draft.known) + 1}")
    draft.measures[label] = measure
    number = Constant(type=ValueType.DECIMAL, value=found.number)
    return Call(function=found.function, arguments=(ColumnOf(step=RESULT, name=label), number))
