"""Words of a requirement that no part of what was read holds any more, and that may matter."""

import re
from collections.abc import Iterator, Sequence

from contracts.tables import TableDetail
from workers.engines.requirements.outline.layout import Layout
from workers.engines.requirements.outline.leftovers import restricts_nothing, values_in
from workers.engines.requirements.prose.draft import Draft


def lost_words(layout: Layout, draft: Draft, tables: Sequence[TableDetail]) -> tuple[str, ...]:
    """What was left out, or forgotten in an answer, and may restrict rows or name columns."""
    words = [*layout.left_out, *layout.perhaps_lost, *_forgotten(layout, draft, tables)]
    return tuple(dict.fromkeys([*_that_matter(words, tables), *layout.dropped]))


def _that_matter(left_out: Sequence[str], tables: Sequence[TableDetail]) -> Iterator[str]:
    columns = {column.name.lower() for table in tables for column in table.columns}
    for words in left_out:
        is_named = any(word in columns and "_" in word for word in re.findall(r"[a-z_]\w*", words.lower()))
        if is_named or not restricts_nothing(words, tables):
            yield words


def _forgotten(layout: Layout, draft: Draft, tables: Sequence[TableDetail]) -> Iterator[str]:
    """Words that were said again, of which a value or a column is named nowhere else: an answer about the columns says nothing of
    `for vacancies that are open`."""
    items = (words for item in layout.columns for words in (item.name, item.meaning, item.spoken))
    answers = (words for pair in layout.answers.items() for words in pair)
    text = " ".join([*layout.sentences, *layout.grain, *answers, *items]).lower()
    names = {column.name.lower() for table in tables for column in table.columns if "_" in column.name}
    for words in layout.said_again:
        text = text.replace(words.lower(), " ")
    for words in layout.said_again:
        listed = [word for word in re.findall(r"[a-z_]\w*", words.lower()) if word in names and word not in draft.order]
        values = values_in(words, tables)
        if any(word not in text for word in listed) or any(not any(form in text for form in forms) for forms in values):
            yield words
