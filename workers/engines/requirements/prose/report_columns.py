"""The columns of a report in words: `customer name and key`, `revenue (discounted price)`, `how many belong to ..., how many to others`."""

import re
from collections.abc import Callable, Iterator, Sequence
from copy import copy

from contracts.pipelines.expressions import Call, Constant, Expression, Function, ValueType
from workers.engines.requirements.naming import plain_name
from workers.engines.requirements.prose.chinese_terms import english_of
from workers.engines.requirements.prose.columns import Columns
from workers.engines.requirements.prose.draft import Draft, Measure, Rows
from workers.engines.requirements.prose.measures import Phrases, count_if
from workers.engines.requirements.prose.nouns import plain
from workers.engines.requirements.prose.report_groups import key_value

_HOW_MANY = re.compile(r"how many (?:of (?:them|these|those) )?(?P<en>.+)|(?P<zh>.+?)的?(?:有|各有)?多少(?:个|条|行|笔|张)?", re.IGNORECASE)
_LINK = re.compile(
    r"^(?:(?:belong|belongs|belonged|go|went|refer|are|were|is|was)\s+)?(?:(?:to|of|from|in|with|for)\s+)?|^(?:属于|来自|是)\s*",
    re.IGNORECASE,
)
_REST = re.compile(r"(?:all )?(?:the )?(?:others?|rest|other \w+)|(?:其他|其它|其余)(?:的)?.{0,4}", re.IGNORECASE)
_NAMED = re.compile(r"(?P<label>[^()（）=:：]+?)\s*(?:[（(](?P<inside>.+)[)）]|[=＝]\s*(?P<behind>.+))", re.DOTALL)


class ReportColumns:
    """Reads the columns of one draft whose rows are known."""

    def __init__(self, draft: Draft, phrases: Phrases) -> None:
        self._draft, self._phrases = draft, phrases
        self._columns = Columns(draft, phrases, {})
        self._counted: list[Expression] = []
        self.words: dict[str, str] = {}
        """Column → the words for it."""

    def read(self, text: str) -> bool:
        """Take the columns over; False where one of them is not read."""
        parts = list(listed(text))
        return bool(parts) and all(self._part(part) for part in parts)

    def _part(self, part: str) -> bool:
        if self._add(part):
            return True
        for left, right in _at_and(part):
            prefix = left.rsplit(" ", 1)[0] if " " in left else ""
            for further in ([f"{prefix} {right}"] if prefix else []) + [right]:
                if self._can(left) and self._can(further):
                    return self._part(left) and self._part(further)
        return False

    def _can(self, part: str) -> bool:
        """Whether a part is read by itself, without taking it over."""
        kept: dict[str, object] = {label: copy(value) for label, value in vars(self._draft).items()}
        words = dict(self.words)
        made = self._add(part)
        vars(self._draft).update(kept)
        self.words = words
        return made

    def _add(self, part: str) -> bool:
        if (found := _HOW_MANY.fullmatch(part)) and (label := self._how_many(found["en"] or found["zh"])):
            self.words[label] = part
            return True
        named = _NAMED.fullmatch(part)
        shown, text = (named["label"].strip(), (named["inside"] or named["behind"]).strip()) if named else (part, part)
        label = self._label(shown)
        key = self._draft.keys if self._draft.is_grouped else {}
        if self._draft.is_grouped and (found := self._key(text)) is not None and found in key and found not in self._draft.order:
            self._draft.order.append(found)
            self.words[found] = shown
            return True
        if not self._columns.add(label, text, shown):
            return False
        self.words[label] = shown
        return True

    def _key(self, text: str) -> str | None:
        """The column by which rows are grouped that words name."""
        base = self._draft.base
        value = key_value(text, base, self._phrases) if base is not None else None
        return next((label for label, known in self._draft.keys.items() if known == value), None) if value is not None else None

    def _how_many(self, text: str) -> str:
        """A number of the rows for which something holds, or of all others."""
        base = self._draft.base
        if base is None or not self._draft.is_grouped:
            return ""
        body = _LINK.sub("", text.strip())
        if _REST.fullmatch(body):
            if len(self._counted) != 1:
                return ""
            return self._take("others", Measure(Rows(base.base, (but_not(self._counted[0]),)), Function.COUNT, None, True))
        rows = self._phrases.of_parent(Rows(base.base), body)
        condition = rows.where[-1] if rows is not None and rows.where else self._phrases.values(base.base).condition(body)
        if condition is None:
            return ""
        self._counted.append(condition)
        return self._take(plain_name(f"rows {body}", "rows"), count_if(Rows(base.base, (condition,))))

    def _take(self, wanted: str, measure: Measure) -> str:
        label = self._free(wanted)
        self._draft.measures[label] = measure
        self._draft.order.append(label)
        return label

    def _label(self, words: str) -> str:
        if words.isascii():
            return self._free(plain_name(words, "column"))
        if self._phrases.schema.is_chinese and (spoken := re.match(r"[\u3400-\u9fff]{2,}", words)) is not None:
            return self._free(spoken[0])
        known = (
            sorted(english_of(words), key=lambda item: (not item.endswith(("date", "name", "number")), len(item), item))
            if re.fullmatch(r"[\u3400-\u9fff]+", words)
            else []
        )
        return self._free(plain_name(known[0] if known else words, "column"))

    def _free(self, wanted: str) -> str:
        taken = {*self._draft.order, *self._draft.known}
        return wanted if wanted not in taken else next(name for number in range(2, 100) if (name := f"{wanted}_{number}") not in taken)


def listed(text: str) -> Iterator[str]:
    """The parts of a list, at commas outside of brackets; an `and` before the last of several ends one too."""
    made, depth = [""], 0
    for letter in text:
        depth += (letter in "(（") - (letter in ")）")
        if letter in ",，、" and depth == 0:
            made.append("")
        else:
            made[-1] += letter
    parts = [part.strip(" .。") for part in made if part.strip(" .。")]
    for part in parts:
        yield re.sub(r"^(?:and|以及|和|及)\s+|^(?:以及|和|及)", "", part)


def _at_and(part: str) -> Iterator[tuple[str, str]]:
    for found in re.finditer(r"\s+and\s+|\s*(?:以及|和|与|及)\s*", part):
        if part[: found.start()].count("(") == part[: found.start()].count(")"):
            yield part[: found.start()].strip(), part[found.end() :].strip()


def column_for(words: str, labels: Sequence[str], spoken: dict[str, str], numbers: Sequence[str]) -> str | None:
    """The column of a report that words name: by its words, by a part of them, or the only number where there are none."""
    wanted = plain(words)
    if not wanted:
        return numbers[0] if len(numbers) == 1 else None
    tests: tuple[Callable[[str], bool], ...] = (
        lambda text: plain(text) == wanted,
        lambda text: re.search(rf"(?:^|\s){re.escape(wanted)}(?:$|\s)", plain(text)) is not None,
        lambda text: not wanted.isascii() and (wanted in text or _adds_nothing(wanted, text)),
        lambda text: any(name.endswith(word) for word in english_of(wanted) for name in english_of(text)),  # 日期 of 下单日
    )
    for same in tests:
        found = [label for label in labels if same(spoken.get(label, label)) or same(label)]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _adds_nothing(wanted: str, text: str) -> bool:
    """Whether a column's words are within those that are wanted, and the rest restricts nothing: 2025年的金额 is not 金额."""
    before, found, behind = wanted.partition(text)
    return bool(found) and all(re.fullmatch(r"(?:的|总|合计|总和|之和|其|该|最终)*", rest) is not None for rest in (before, behind))


def but_not(test: Expression) -> Expression:
    """Rows for which a test does not hold: also where it is unknown."""
    holds = Call(function=Function.CASE, arguments=(test, Constant(type=ValueType.INTEGER, value="1")))
    return Call(function=Function.IS_NULL, arguments=(holds,))
