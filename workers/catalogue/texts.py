"""What a node is found by: the texts of its vectors, and its words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from contracts.base import Json
from contracts.catalogue import NodeKind
from workers.retrieval.tokens import tokens

_LONG = 1_900
"""Characters of a text that is embedded; the local models read 2,000. The columns of a wide table share them."""

_MIN_COLUMN = 24
"""Characters that a column keeps of its name and description, however many there are."""

_MAX_WORDS = 1_500
"""Distinct words of a node."""

_SEAM = re.compile(r"[_\W]+|(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Texts:
    """See `workers.catalogue.tables`."""

    short: str | None = None
    long: str | None = None
    words: tuple[str, ...] = field(default=())


def texts_of(kind: NodeKind, source: str, content: Json, columns: Sequence[Json] = ()) -> Texts:
    """The texts of a node. `columns`: contents of the columns of a table."""
    match kind:
        case NodeKind.TABLE:
            return _table(source, content, columns)
        case NodeKind.COLUMN:
            return Texts()
        case NodeKind.VALUE_DOMAIN:
            return Texts(words=_words(*content.get("values", ())))
        case NodeKind.QUERY:
            question = content.get("question", "") or content.get("summary", "")
            names = " ".join(humanized(name) for name in content.get("tables", ()))
            return Texts(long=_cut(f"{question} {names}"), words=_words(question, *content.get("tables", ()), *content.get("columns", ())))
        case NodeKind.DOCUMENT:
            head = " > ".join(filter(None, (content.get("title", ""), content.get("heading", ""))))
            return Texts(long=_cut(f"{head}. {content.get('text', '')}"), words=_words(head, content.get("text", "")))
        case NodeKind.METRIC | NodeKind.TERM | NodeKind.TAG:
            name, description = content.get("name", ""), content.get("description", "")
            others = content.get("synonyms", ())
            text = _cut(". ".join(filter(None, (humanized(name), ", ".join(others), description))))
            return Texts(long=None if kind is NodeKind.TAG else text, words=_words(name, *others, description))


def humanized(name: str) -> str:
    """An identifier as words: `order_items`, `OrderItems` → `order items`."""
    return " ".join(_SEAM.sub(" ", name).split()).lower() or name


def _table(source: str, content: Json, columns: Sequence[Json]) -> Texts:
    name, description = content.get("name", ""), content.get("description", "")
    called = f"{humanized(source)} {humanized(name)} {' '.join(description.split())}"  # without a description it ends in a space: a model
    # that splits words by spaces then reads the name as words of a sentence; cut off, recall@5 of the Chinese questions falls by 0.05
    room = max(_MIN_COLUMN, (_LONG - len(name) - len(description)) // max(len(columns), 1) - 2)
    described = "; ".join(_column(column)[:room] for column in columns)
    words = _words(
        name, content.get("schema_name", ""), description, *content.get("tags", ()), *(c.get("name", "") for c in columns),
        *(c.get("description", "") for c in columns),
    )  # fmt: skip
    return Texts(called[:_LONG], _cut(f"{humanized(name)}. {description} {described}"), words)


def _column(column: Json) -> str:
    name, description = humanized(column.get("name", "")), column.get("description", "")
    return f"{name}: {description}" if description else name


def _words(*texts: str) -> tuple[str, ...]:
    return tuple(tokens("\n".join(text for text in texts if text), _MAX_WORDS))


def _cut(text: str) -> str:
    return " ".join(text.split())[:_LONG]
