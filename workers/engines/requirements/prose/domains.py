"""The values that a column is known to have, and the words for them."""

import re
from collections.abc import Iterator, Sequence

from contracts.tables import ColumnDetail
from workers.engines.questions.chinese_words import LEXICON
from workers.engines.questions.comments import glossed_values
from workers.engines.sql.build_values import BOOLEAN, NUMERIC, TEMPORAL

_PAST = {
    "bought": "buy",
    "sold": "sell",
    "paid": "pay",
    "sent": "send",
    "lost": "lose",
    "won": "win",
    "kept": "keep",
    "failed": "fail",
    "成功": "success",
    "失败": "fail",
    "买入": "buy",
    "卖出": "sell",
}


def known_form(word: str, columns: Sequence[ColumnDetail]) -> str:
    """A value by another form of its word: `successful` for `success`, `bought` for `buy`, 已完成 for `completed`."""
    known = {item for column in columns for item in domain_of(column)}
    if word in known:
        return word
    forms = {
        word.removesuffix("ful"),
        word.removesuffix("ed"),
        word.removesuffix("d"),
        f"{word}ed",
        f"{word}d",
        word.removesuffix("ing"),
        _PAST.get(word, word),
        *(part for chinese in (word, f"已{word}", word.removeprefix("已")) for part in LEXICON.get(chinese, "").split("/") if part),
    }
    found = forms & known
    return next(iter(found)) if len(found) == 1 else word


def domain_of(column: ColumnDetail) -> dict[str, str]:
    """The values that a column has, by the words for them: those that are known, or that its comment lists."""
    if NUMERIC.search(column.type) or TEMPORAL.search(column.type) or BOOLEAN.search(column.type):
        return {}
    known = {value.lower(): value for value in column.values}
    listed = known or {value.lower(): value for value in _listed(column.description)}
    full = column if column.values else column.model_copy(update={"values": tuple(listed.values())})
    for word, value in (*glossed_values(full), *_glossed(column.description)):
        if value.lower() in listed or not column.values:
            listed.setdefault(word.lower(), value)
            listed.setdefault(value.lower(), value)
    return listed


def _listed(comment: str) -> Sequence[str]:
    """`express or standard`, `done, missed or cancelled`."""
    text = re.sub(r"[\u3400-\u9fff].*$", "", comment).strip(" .;,")
    text = re.sub(r"^[a-z ]{1,20}: ", "", text)
    if not re.search(r"\bor\b", text):
        return ()
    parts = re.split(r"\s*,\s*(?:or\s+)?|\s+or\s+", text)
    return parts if all(re.fullmatch(r"[\w-]+", part) for part in parts) else ()


def _glossed(comment: str) -> Iterator[tuple[str, str]]:
    """`R: returned, A: accepted`."""
    if not re.match(r"\w{1,3}:? \w+(?:, \w{1,3}:? \w+)+", comment):
        return
    for part in comment.split(","):
        if found := re.match(r"\s*(\w{1,3}):? (\w+)", part):
            yield found[2], found[1]
