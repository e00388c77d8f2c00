"""The head of a requirement by its parts: the target's name, what a row is, and the columns that the head lists, wherever they are said."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from contracts.tables import TableDetail
from workers.engines.requirements.naming import plain_name
from workers.engines.requirements.outline.firsts import First
from workers.engines.requirements.outline.grains import latest_in, one_of_each, read_grain
from workers.engines.requirements.outline.heads import (
    Head,
    grain_of,
    head_in,
    named_first,
    named_only,
    rows_in_words,
    says_rows,
    with_clauses,
)
from workers.engines.requirements.outline.items import Item, items_of
from workers.engines.requirements.outline.layout import is_left_out, layout_of
from workers.engines.requirements.outline.leftovers import is_mere, restricts_nothing
from workers.engines.requirements.outline.parts import Outline
from workers.engines.requirements.outline.per import per_in
from workers.engines.requirements.prose.column_lists import split_columns
from workers.engines.requirements.prose.draft import Draft
from workers.engines.requirements.prose.rules import sentences
from workers.engines.requirements.prose.sentences import ProseReader
from workers.engines.times import TimeWords


class HeadReader(ProseReader):
    """Reads what the head of a requirement says."""

    def __init__(self, text: str, tables: Sequence[TableDetail], times: TimeWords) -> None:
        """Find the parts of the text. Nothing is read yet."""
        super().__init__(text, tables, times)
        self.words, self.is_chinese = text, re.search(r"[\u3400-\u9fff]", text) is not None
        self._layout = layout_of(text)
        self._found = Outline(self._layout)
        self._first: First | None = None
        self._place_column = ""
        self.is_name_made = False
        """The requirement gives the target no name."""

    @property
    def target(self) -> str:
        """The name of the target; empty: none is said."""
        return self._layout.target or (self._found.head.name if self._found.head is not None else "")

    @property
    def head(self) -> Head | None:
        """What the head says, as far as it was found."""
        return self._found.head

    @property
    def says_rows(self) -> bool:
        """Whether the requirement itself says what a row is."""
        head = self._found.head
        return bool(self._layout.grain) or (head is not None and says_rows(re.split(r"[:：]", head.rest.lstrip(" ,，:："))[0]))

    def _noted_of_head(self) -> list[tuple[str, Callable[[Draft], bool]]]:
        """Find the head in what is not read yet, and note what it says beside the rows: clauses, columns, which row of several."""
        found, layout, rules = self._found, self._layout, list[tuple[str, Callable[[Draft], bool]]]()
        if found.head is None and (at := next((at for at, item in enumerate(found.unread) if named_only(item)), None)) is not None:
            found.head = named_only(found.unread.pop(at))
        self._listed_as_items()
        if found.head is None and not layout.target:
            self._named_somewhere()
        if found.head is None and not layout.target:
            self._without_a_name()
        if found.head is not None:
            found.head, clauses = with_clauses(found.head)
            rules = [item for clause in clauses for item in self._noted(clause)]
            self._columns_of_head()
            self._latest_of_head()
            if not layout.columns and (not layout.grain or layout.is_grain_answered):
                rules += self._per_of_head(found.head)
        for sentence in [item for item in found.unread if self._is_title(item)]:
            found.unread.remove(sentence)
            layout.titles.append(sentence)
        return rules

    def _per_of_head(self, head: Head) -> list[tuple[str, Callable[[Draft], bool]]]:
        """`revenue per month and lift in 2026`: what a row is, the columns, and a period that says which rows count."""
        times = self.phrases.times.find(head.rest)
        period = times[-1] if times and not head.rest[times[-1].stop :].strip(" .。") else None
        rest = head.rest[: period.begin] if period is not None else head.rest
        if period is None and times and not head.rest[: times[0].begin].strip(" ,，:："):  # 2025年每月每个门店的发票数
            period, rest = times[0], head.rest[times[0].stop :]
        made = per_in(replace(head, rest=re.sub(r"\s+(?:in|during|for|of|within)\s*$", "", rest)))
        if made is None:
            return []
        self._found.head = made
        when = head.rest[period.begin : period.stop].strip() if period is not None else ""
        only = f"只看{when}的行" if self.is_chinese else f"only rows in {when}"
        return self._noted(only) if when else []

    def _is_title(self, sentence: str) -> bool:
        """The first line by itself, above others: it restricts nothing beside words of the target's name."""
        if sentence != self._layout.title or not self._layout.title:
            return False
        named = set(re.split(r"_", self.target.lower()))
        body = " ".join(word for word in _TICKET.sub("", sentence).split() if word.lower() not in named)
        return restricts_nothing(body, self.schema.tables)

    def _named_first(self, sentence: str) -> Head | None:
        """`session_mix: one row per studio, with ...`: a name of its own before a colon."""
        if self._layout.target or sentence != next(iter(self._layout.sentences), ""):
            return None
        head = named_first(sentence)
        known = {column.name.lower() for table in self.schema.tables for column in table.columns}
        return head if head is not None and head.name.lower() not in known else None

    def _noted(self, sentence: str) -> list[tuple[str, Callable[[Draft], bool]]]:
        """The rules that a sentence gives; without any it is unread."""
        if is_left_out(sentence, self._layout):
            return []
        before = len(self._rules)
        if not self._rule(sentence):
            self._found.unread.append(sentence)
        return [(sentence, rule) for rule in self._rules[before:]]

    def _named_somewhere(self) -> None:
        """The target's name in a sentence that says more: the words before it may restrict rows, so it is asked about."""
        names = {item.name.lower() for item in self._layout.columns}
        for at, sentence in enumerate(self._found.unread):
            made = head_in(sentence, self.schema.tables, names)
            if made is not None:
                head, before = made
                self._found.head = head
                self._found.unread[at : at + 1] = [before] if self._may_restrict(before) else []
                return

    def _without_a_name(self) -> None:
        """`I need revenue and scans per month and lift`: the target is named after what it says, and the name is said."""
        for at, sentence in enumerate(self._found.unread):
            if (wanted := _WANTED.fullmatch(sentence)) is None:
                continue
            rest = f": {wanted['rest'] or wanted['rest_zh']}"
            times = self.phrases.times.find(rest)
            if per_in(Head("", "", rest[: times[-1].begin] if times else rest)) is not None:
                self._found.head = Head(plain_name(re.sub(r"[^A-Za-z0-9]+", "_", wanted["rest"] or ""), "requirement"), "", rest)
                self.is_name_made = True
                self._found.unread.pop(at)
                return

    def _may_restrict(self, text: str) -> bool:
        known = [self.target, *(item.name for item in self._layout.columns)]
        return bool(text.strip()) and not is_left_out(text, self._layout) and not is_mere(text, self.schema.tables, known)

    def _left_over(self, head: Head, draft: Draft) -> None:
        """Words of the head that a line or an answer about what a row is replaces: they may restrict rows too."""
        found = self._found.head
        if found is None or not self._layout.grain or head is found:
            return
        behind_name = found.rest.lstrip(" ,，:：")
        rest, *behind = re.split(
            r"[:：]|，?字段|,? with (?:the columns )", behind_name if says_rows(behind_name) else found.rest, maxsplit=1
        )
        if self._layout.is_grain_answered and says_rows(rest):
            rest = ""
        words = f"{found.pre} {rest}".strip(" ,，.。:：")
        parts = [words, *(sentences(behind[0]) if behind and not self._behind_colon(found) else ())]
        for part in parts:  # behind a colon there are columns, or what is said of the rows
            rows = re.sub(r"^(?:for|of|with) (?:all |every |each )?(?:the )?", "", part, flags=re.IGNORECASE)
            if self._may_restrict(part) and not self._restrict(draft, rows, is_kept=True):
                self._found.unread.append(part)

    def _contents(self, sentence: str) -> bool:
        """`It should contain a, b and c`, 输出 a、b、c: columns in a sentence of their own."""
        found = _CONTENTS.fullmatch(sentence)
        if found is None or self._layout.columns:
            return False
        self._layout.columns += self._items(found["list"] or found["list_en"] or found["list_zh"])
        return True

    @staticmethod
    def _items(text: str) -> list[Item]:
        parts = [
            piece
            for part in split_columns(text)
            for piece in re.split(
                r"(?<=[)）])\s+and\s+(?=the\s)|,?\s+and\s+(?=(?:the|number of|total|average|latest|earliest|first|last)\s)", part
            )
        ]
        return [item for part in parts for item in (items_of(part, is_sure=True) or [_unnamed(part)])]

    def _listed_as_items(self) -> None:
        """`Columns: a, b, c.` in a sentence of its own."""
        if self._listed and not self._layout.columns:
            self._layout.columns += [item for part in self._listed for item in (items_of(part, is_sure=True) or [Item("", part)])]
        self._listed = []

    def _head(self) -> Head | None:
        """The head of the sentences and of the labelled lines together."""
        found, layout = self._found.head, self._layout
        name = layout.target or (found.name if found is not None else "")
        if not name:
            return None
        if layout.grain:
            rest = self._rows_by(layout.grain[-1], self._behind_colon(found))
            return Head(name, "", rest, found.heading if found is not None else "") if rest else None
        if found is not None:
            return Head(name, found.pre, found.rest, found.heading)
        for sentence in list(self._found.unread):  # the name is a label; a sentence says what a row is
            for head in (Head(name, "", rows_in_words(f", {sentence}")), Head(name, "", rows_in_words(f" {sentence}"))):
                if next(self._made(head), None) is not None:
                    self._found.unread.remove(sentence)
                    return head
        return Head(name, "", "")

    def _rows_by(self, line: str, columns: str) -> str:
        """A line for what a row is in the words of a head."""
        grain = read_grain(grain_of(line), self.schema)
        if grain.open:
            return ""
        self._first = self._first or grain.first
        table = grain.table or (self._only_named() if grain.latest else None)
        source = f" from {table.name}" if table is not None else ""
        if not grain.latest:
            return f"{source}, one row per {grain.words}{columns}"
        each = re.sub(r"\s*[,、，]\s*|\s*和\s*", " and ", grain.words)
        return f"{source}, for each {each} {grain.latest}{re.sub(r'^: ', ', with ', columns)}"

    def _only_named(self) -> TableDetail | None:
        """The only table that the requirement names by its very name."""
        words = set(re.findall(r"[A-Za-z_]\w*", self.words.lower()))
        found = [table for table in self.schema.tables if table.name.lower() in words]
        return found[0] if len(found) == 1 else None

    def _one_of_each(self, sentence: str) -> bool:
        """`For each a and b keep the row with the highest c`, 同一 a、b 只保留 c 最大的一条: what a row is, in a sentence."""
        line = one_of_each(sentence)
        if not line:
            return False
        if not self._layout.grain:
            self._layout.grain.append(line)
            return True
        known, again = (read_grain(grain_of(words), self.schema) for words in (self._layout.grain[-1], line))
        return _same_words(known.words, again.words) and known.latest == again.latest

    def _columns_of_head(self) -> None:
        """`...，字段：a、b`, `... with the columns a, b`: the list, and the head without it."""
        found = self._found.head
        listed = _LISTED.fullmatch(found.rest) if found is not None and not self._layout.columns else None
        if found is None or listed is None:
            return
        self._layout.columns += self._items((listed["list"] or listed["list_zh"]).strip(" .。"))
        self._found.head = replace(found, rest=(listed["rows"] or listed["rows_zh"] or "").rstrip(" ,，:：;；"))

    def _latest_of_head(self) -> None:
        """`the most recent change of each member (by changed_at)` in the head: what a row is."""
        found = self._found.head
        if found is None or self._layout.grain:
            return
        each, table = _EACH_ROW.search(found.rest), self._only_named()
        if each is not None and table is not None:
            self._layout.grain.append(table.name)
            self._found.head = replace(found, rest=f"{found.rest[: each.start()]}{found.rest[each.end() :]}")
            return
        for part in ("rest", "pre"):
            made = latest_in(getattr(found, part), self.schema)
            if made is not None:
                self._layout.grain.append(made[0])
                found = self._found.head = replace(found, **{part: made[1]})
                return

    def _behind_colon(self, found: Head | None) -> str:
        """The columns that the head itself lists, where a line says what a row is."""
        if found is None or self._layout.columns:
            return ""
        behind = (
            re.search(
                r"(?:[，,：:]|^)\s*(?:字段|列)(?:名|为|有|是|包括|包含)?\s*[:：]?\s*((?=[A-Za-z_\u3400-\u9fff])(?!不变).*)$",
                found.rest,
                re.DOTALL,
            )
            or re.search(r"[:：]\s*(\S.*)$", found.rest, re.DOTALL)
            or re.search(
                r"(?:,? with (?:the columns )?|[，,](?:列出|列为|包含|包括|输出))(?!.*[，,] with )(\w.*,.*|.*、.*)$", found.rest, re.DOTALL
            )
        )
        return f": {behind[1]}" if behind else ""

    def _made(self, head: Head) -> Iterator[Draft]:
        try:
            yield from self.drafts(head.name.lower(), head.pre, head.rest)
        except RecursionError:
            return


def _same_words(left: str, right: str) -> bool:
    return sorted(re.findall(r"\w+", re.sub(r"\band\b|和", " ", left.lower()))) == sorted(
        re.findall(r"\w+", re.sub(r"\band\b|和", " ", right.lower()))
    )


def _unnamed(part: str) -> Item:
    """Words without a name; a unit of time gives one."""
    unit = re.match(r"(?:the )?(day|week|month|quarter|year) (?:in|on|of)\b", part, re.IGNORECASE)
    if unit is not None:
        return Item(unit[1].lower(), part)
    named = re.fullmatch(
        r"(?:the )?(?:(?:number|count|sum|total) (?:of )?)?(?:the |all )?(?P<words>[a-z]+(?: [a-z]+){0,2})(?:\s*\((?P<inside>[^()]+)\))?",
        part,
        re.IGNORECASE,
    )
    if named is None:
        return Item("", part)
    return Item(named["words"].lower().replace(" ", "_"), named["inside"] or part)


_WANTED = re.compile(
    r"(?:(?:please )?(?:(?:i|we)(?:'d| would)? (?:need|want|like)(?: to (?:see|have|know))?|give me|show(?: me)?|build|create|make|report|compute))?\s*(?:(?:a |an |the )?(?:new )?(?:table|report|overview|list)(?: (?:of|with|showing))?)?\s*(?P<rest>[A-Za-z].+)"
    r"|(?:请(?:帮忙?)?|帮(?:我|忙))?(?:(?:我们?)?(?:需要|想要|想看|要)|建立|创建|生成|统计|给出|看)?(?:一张|一个)?(?P<rest_zh>(?:每|按).+?)(?:的?(?:表|报表|汇总|统计))?",
    re.IGNORECASE | re.DOTALL,
)
_CONTENTS = re.compile(
    r"(?:(?:it|the table|this table|each row|every row|a row|they|the output)(?: should| must| needs? to| has to| will)?|please) (?:contains?|has|have|holds?|includes?|shows?|lists?|name)(?: (?:the )?(?:columns|fields))?:? (?P<list>.+)"
    r"|(?:please )?(?:output|show|return|deliver|list|include|give)(?: (?:the )?(?:columns|fields))?:? (?P<list_en>.+)"
    r"|(?:需要?|应|要)?(?:包含|包括|输出|展示|给出|返回)(?:以下|如下)?(?:字段|列|内容|信息)?\s*[:：]?\s*(?P<list_zh>.+)",
    re.IGNORECASE | re.DOTALL,
)
_LISTED = re.compile(
    r"(?P<rows>.*?)(?:\b(?:with|and|has|containing) (?:the |these |following )*(?:columns|fields)|(?<=, )(?:columns|fields)\s*:?\s*|\bwith (?=[A-Za-z_]\w*(?:\s*\([^()]*\))?\s*,))(?P<list>\w.+)"
    r"|(?P<rows_zh>.*?)(?:(?<=[，,：:;；])|^)\s*(?:输出|结果|包含)?(?:字段|列)(?:名|为|有|是|包括|包含|如下)?\s*[:：]?\s*(?P<list_zh>(?=[A-Za-z_`\u3400-\u9fff])(?!不变).+)",
    re.IGNORECASE | re.DOTALL,
)
_EACH_ROW = re.compile(
    r"[,:]?\s*\bone row (?:per|for (?:each|every)) (?:change|row|record|entry|event|line|log entry|version)\b(?= *(?:[,:;.]|with\b|$))",
    re.IGNORECASE,
)
"""Every row of a table that is named elsewhere."""
_TICKET = re.compile(r"^\[?[A-Z][A-Z0-9]{1,9}-\d+\]?\s*[:：-]?\s*|^【[^】]{1,8}】\s*")
"""`DATA-412:`, the number of a ticket."""
