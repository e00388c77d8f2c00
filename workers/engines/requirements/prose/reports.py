"""A requirement written as a report: what its rows are, conditions, columns in words, an order, a number of rows.

`The 10 orders with the highest revenue: customers of segment BUILDING. Order key, revenue (discounted price), order date; by revenue
downward.` As with all prose, every part has to be read, or the requirement is left open.
"""

# ruff: noqa: E501 patterns

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from contracts.pipelines.expressions import Call, ColumnOf, Constant, Expression, Function, ValueType
from contracts.statements import name, quote, say
from contracts.tables import TableDetail
from workers.engines.requirements.envelope import open_envelope, without_wish
from workers.engines.requirements.facts import NotRead, RequirementReading
from workers.engines.requirements.naming import plain_name
from workers.engines.requirements.prose.building import Builder
from workers.engines.requirements.prose.column_lists import number_of
from workers.engines.requirements.prose.draft import RESULT, Draft, Rows, Top
from workers.engines.requirements.prose.having import Having, having_of
from workers.engines.requirements.prose.measures import Phrases
from workers.engines.requirements.prose.periods import normal_times
from workers.engines.requirements.prose.report_columns import ReportColumns, column_for, listed
from workers.engines.requirements.prose.report_groups import Grouping, groupings_of, key_label, key_value
from workers.engines.requirements.prose.report_parts import Parts, parts_of
from workers.engines.requirements.prose.rules import sentences
from workers.engines.requirements.prose.schema import Schema
from workers.engines.times import TimeWords

_FIRST = re.compile(
    r"(?:the )?(?:top |first )?(?P<n>\d+|[a-z]+) (?P<thing>[a-z][\w ]*?) (?:with|by|of) the (?P<way>highest|largest|greatest|most|biggest|lowest|smallest|fewest|least|latest|earliest) (?P<of>[\w ]+)"
    r"|(?P<of_zh>[^\d]+?)最(?P<way_zh>高|大|多|低|小|少|晚|早)的?\s*(?:前\s*)?(?P<n_zh>\d+|[一二两三四五六七八九十]+)\s*[个位名家条笔件张种款]?(?P<thing_zh>[^\d]+)",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"(?:and )?(?:counting|considering|using|taking|with|including)? ?only (?P<rows>.+)|(?:并且?)?(?:只|仅)(?:统计|计算|计入|计|算|考虑|包含|取)(?P<zh>.+)",
    re.IGNORECASE,
)
_FOR = re.compile(r"(?:for )(?:the )?(?P<group>.+?), (?P<rows>.+)", re.IGNORECASE)
_AMONG = re.compile(r"(?P<rows>.+?)(?:中|里|之中)[，,]\s*(?P<columns>.+)")
_COLUMNS = frozenset({"columns", "the columns", "with the columns", "列", "列为", "列包括", "字段", "输出", "结果列", "show", "output"})
_AGGREGATES = re.compile(
    r"\b(?:number|count|how many|sum|total|average|mean|minimum|maximum)\b|之和|合计|平均|总|数$|数[，,、；]|多少", re.IGNORECASE
)


@dataclass
class _Subject:
    """What the rows of a report are."""

    rows: Rows | None = None
    groups: list[tuple[str, Expression]] = field(default_factory=list[tuple[str, Expression]])
    """Columns that rows are grouped by."""
    having: Having | None = None
    number: int | None = None
    highest: str = ""
    """The words for what is highest, or lowest."""
    is_descending: bool = True
    heading: str = ""
    grouped_by: str = ""
    """The words for the column that rows are grouped by."""

    @property
    def is_said(self) -> bool:
        """Whether the words restrict the rows: a heading before them needs no other meaning."""
        return bool(self.having or self.number or (self.rows and (self.rows.where or self.rows.related)))


def read_report(text: str, tables: Sequence[TableDetail], times: TimeWords) -> RequirementReading | None:
    """The requirement, if every part of it is read in one way; None otherwise."""
    envelope = open_envelope(text)
    body = sentences(normal_times(". ".join(item.rstrip(" .。") for item in envelope.sentences) if envelope.table else without_wish(text)))
    if len(body) > 3 or len(text) > 1_500:
        return None
    parts = parts_of(body)
    pieces = _pieces(parts)
    if not pieces:
        return None
    found: list[RequirementReading] = []
    for made_pieces, grouping in _readings(pieces):
        for base in _bases(made_pieces, grouping, tables):
            reader = _Report(tables, times, parts, envelope.table or plain_name(pieces[0], "report"))
            for is_grouped in (False, True) if grouping is None else (True,):
                made = _tried(reader, made_pieces, grouping, base, is_grouped=is_grouped)
                if made is not None and all(made.steps != other.steps for other in found):
                    found.append(made)
    return found[0] if len(found) == 1 else None


def _tried(
    reader: "_Report", pieces: Sequence[str], grouping: Grouping | None, base: TableDetail | None, *, is_grouped: bool
) -> RequirementReading | None:
    try:
        return reader.read(pieces, grouping, base, is_grouped=is_grouped)
    except (NotRead, RecursionError):
        return None


def _readings(pieces: list[str]) -> Iterator[tuple[list[str], Grouping | None]]:
    """The pieces as they stand; and without the words for what rows are grouped by."""
    if len(pieces) > 1:
        yield pieces, None
        for grouping in groupings_of(pieces[0]):
            yield [*([grouping.rows] if grouping.rows else []), *pieces[1:]], grouping
    else:
        for grouping in groupings_of(pieces[0]):  # `number of visits and total fee per ward`
            yield [grouping.rows], Grouping(grouping.keys)


def _bases(pieces: Sequence[str], grouping: Grouping | None, tables: Sequence[TableDetail]) -> Sequence[TableDetail | None]:
    return tables if grouping is not None and len(pieces) == 1 else (None,)


def _pieces(parts: Parts) -> list[str]:
    """Heading, rows, conditions, and at last the columns."""
    pieces = [piece for sentence in parts.sentences for piece in sentence if piece.strip().lower() not in _COLUMNS]
    if pieces and (found := _AMONG.fullmatch(pieces[-1])):
        pieces[-1:] = [found["rows"], found["columns"]]
    if pieces and (found := _FOR.fullmatch(pieces[0])):
        pieces[:1] = [found["group"], found["rows"]]
    return pieces


class _Report:
    def __init__(self, tables: Sequence[TableDetail], times: TimeWords, parts: Parts, table: str) -> None:
        self._schema = Schema(tables)
        self._phrases = Phrases(self._schema, times)
        self._parts, self._table = parts, table
        self._kept: list[Rows] = []
        self._spoken: dict[str, str] = {}

    def read(
        self, pieces: Sequence[str], grouping: Grouping | None, base: TableDetail | None, *, is_grouped: bool
    ) -> RequirementReading | None:
        """The reading of the pieces. `base`: the table whose rows are meant, where no piece says it."""
        self._kept, self._spoken = [], {}
        subject = _Subject(rows=Rows(base)) if base is not None else self._subject(list(pieces[:-1]))
        if subject is None or subject.rows is None:
            return None
        draft = Draft(self._table)
        draft.base = self._phrases.scope(subject.rows.table)
        draft.rows, draft.is_grouped = subject.rows, is_grouped
        draft.kept = list(self._kept)
        if is_grouped:
            if subject.having is not None or (grouping is not None and not self._keys(subject, grouping)):
                return None
            if not self._group(draft, subject, pieces[-1]):
                return None
        elif subject.groups:
            return None
        else:
            draft.entity, draft.only_with_rows = subject.rows.table, True
        columns = ReportColumns(draft, self._phrases)
        if not columns.read(pieces[-1]):
            return None
        if not is_grouped and not draft.measures and subject.having is None:
            draft.entity = None  # rows as they are
        if not self._is_kept(draft) or not self._has(draft, subject) or not self._order(draft, subject, {**self._spoken, **columns.words}):
            return None
        if draft.entity is not None:
            draft.base = None
        if is_grouped and not (set(draft.keys) <= set(draft.order) and draft.aggregates_its_rows):
            return None
        if subject.heading:
            draft.assumptions.append(say("requirements.assume.heading", heading=quote(subject.heading)))
        return Builder(draft, self._phrases).make()

    # ---- what the rows are

    def _subject(self, pieces: list[str]) -> _Subject | None:
        """The rows by the first piece that says them; what comes before it is a heading, what follows restricts them."""
        for place, piece in enumerate(pieces):
            subject = self._first(piece) or self._chosen(piece) or self._plain(piece)
            if subject is None:
                continue
            before, after = pieces[:place], pieces[place + 1 :]
            if not all(self._restricted(subject, clause) for text in after for clause in self._clauses(text, subject)):
                return None
            if len(before) > 1 or not before:
                return None if before else subject
            if (group := self._listed(before[0], subject)) is not None:
                subject.groups.append(group)
                return subject
            subject.heading = before[0]
            return subject if subject.is_said and len(before[0]) <= 60 else None
        return None

    def _first(self, text: str) -> _Subject | None:
        """`the 10 orders with the highest revenue`."""
        found = _FIRST.fullmatch(text.strip())
        if found is None:
            return None
        number, way = number_of(found["n"] or found["n_zh"]), (found["way"] or found["way_zh"]).lower()
        rows = self._phrases.rows(found["thing"] or found["thing_zh"])
        if number is None or rows is None:
            return None
        is_descending = way not in ("lowest", "smallest", "fewest", "least", "earliest", "低", "小", "少", "早")
        return _Subject(rows=rows, number=number, highest=(found["of"] or found["of_zh"]).strip(), is_descending=is_descending)

    def _chosen(self, text: str) -> _Subject | None:
        """`orders with a total quantity above 300`; of things named together the one that refers to the others."""
        having = having_of(text)
        if having is None:
            return None
        things = [self._phrases.rows(part) for part in re.split(r"\s*,\s*|\s+and\s+|、|和|与", re.sub(r"的$", "", having.thing)) if part]
        known = [rows for rows in things if rows is not None]
        if not known or len(known) != len(things):
            return None
        finest = [rows for rows in known if all(other is rows or self._phrases.scope(rows.table).place_of(other.table) for other in known)]
        return _Subject(rows=finest[0], having=having) if len(finest) == 1 else None

    def _plain(self, text: str) -> _Subject | None:
        rows = self._phrases.rows(re.sub(r"^(?:all |the )", "", text, flags=re.IGNORECASE))
        return _Subject(rows=rows) if rows is not None else None

    def _listed(self, text: str, subject: _Subject) -> tuple[str, Expression] | None:
        """`ship modes MAIL and SHIP`: a column to group by, and the values that are meant."""
        if subject.rows is None:
            return None
        condition = self._phrases.values(subject.rows.table).condition(re.sub(r"^for (?:the )?", "", text, flags=re.IGNORECASE))
        if not isinstance(condition, Call) or condition.function is not Function.IN or not isinstance(condition.arguments[0], ColumnOf):
            return None
        subject.rows = replace(subject.rows, where=(*subject.rows.where, condition))
        subject.grouped_by = re.split(r"\s+(?=[A-Z0-9'\"])", text)[0]
        return condition.arguments[0].name, condition.arguments[0]

    # ---- what restricts them

    def _clauses(self, text: str, subject: _Subject) -> Iterator[str]:
        if subject.rows is not None and self._restriction(subject.rows, text) is not None:
            yield text
        else:
            yield from listed(text)

    def _restriction(self, rows: Rows, clause: str) -> Rows | None:
        """The rows with a condition of their own, or one on what they refer to."""
        values = self._phrases.values(rows.table)
        if (condition := values.condition(clause)) is not None:
            return replace(rows, where=(*rows.where, condition))
        for words in (clause, _turned(clause)):
            if words and (made := self._phrases.of_parent(rows, words)) is not None:
                return made
        return None

    def _restricted(self, subject: _Subject, clause: str) -> bool:
        if subject.rows is None:
            return False
        if found := _ONLY.fullmatch(clause.strip()):
            rows = self._phrases.rows(found["rows"] or found["zh"], subject.rows.table)
            if rows is None or not rows.where or rows.related:
                return False
            self._kept.append(rows)
            return True
        made = self._restriction(subject.rows, clause)
        if made is None:
            return False
        subject.rows = made
        return True

    def _is_kept(self, draft: Draft) -> bool:
        """Whether what is said of rows of other tables is said of rows that are aggregated."""
        tables = {measure.rows.table.full_name for measure in draft.measures.values()}
        tables |= {draft.rows.table.full_name} if draft.rows is not None else set()
        return all(rows.table.full_name in tables for rows in draft.kept)

    # ---- groups, aggregates, order

    def _keys(self, subject: _Subject, grouping: Grouping) -> bool:
        """Take the columns over by which rows are grouped."""
        if subject.rows is None:
            return False
        scope = self._phrases.scope(subject.rows.table)
        for words in grouping.keys:
            value = key_value(words, scope, self._phrases)
            if value is None:
                return False
            label = key_label(value, [known for known, _ in subject.groups])
            subject.groups.append((label, value))
            self._spoken[label] = words
        return bool(subject.groups)

    def _group(self, draft: Draft, subject: _Subject, columns: str) -> bool:
        """The columns that rows are grouped by: those that are said, or all that are no aggregates beside some that are."""
        if draft.base is None:
            return False
        if subject.groups:
            draft.keys = dict(subject.groups)
            self._spoken = {label: self._spoken.get(label, subject.grouped_by) for label in draft.keys}
            values = [key_value(part, draft.base, self._phrases) for part in listed(columns)]
            if not any(value in values for value in draft.keys.values()):
                draft.order = list(draft.keys)  # the groups come first where the columns do not name them
            return True
        if not _AGGREGATES.search(columns):
            return False
        for part in listed(columns):
            if self._phrases.measure(
                re.sub(r"^[^(（=]+[(（=]\s*(.+?)[)）]?$", r"\1", part), None, draft.base.base
            ) is not None or _AGGREGATES.search(part):
                continue
            value = self._phrases.values(draft.base.base).value(part)
            if isinstance(value, ColumnOf):
                draft.keys[value.name if value.name not in draft.keys else f"{value.name}_{len(draft.keys)}"] = value
            else:
                return False
        return bool(draft.keys)

    def _has(self, draft: Draft, subject: _Subject) -> bool:
        """Keep the things whose aggregate is as it is said."""
        having = subject.having
        if having is None:
            return True
        measure = self._phrases.measure(having.aggregate, draft.entity)
        if measure is None:
            return False
        label = next((label for label, known in draft.measures.items() if known == measure), None)
        if label is None:
            label = f"part_{len(draft.known) + 1}"
            draft.measures[label] = measure
        if having.function in (Function.LESS, Function.LESS_EQUAL, Function.EQUAL):  # none is fewer, too; a sum of nothing is not known
            if measure.function not in (Function.COUNT, Function.COUNT_DISTINCT):
                return False
            draft.only_with_rows = False
        test = Call(
            function=having.function, arguments=(ColumnOf(step=RESULT, name=label), Constant(type=ValueType.DECIMAL, value=having.number))
        )
        draft.having.append(test)
        return True

    def _order(self, draft: Draft, subject: _Subject, words: dict[str, str]) -> bool:
        """The first rows, where a number of them is wanted. An order that names no column leaves the report open."""
        numbers = [label for label in draft.order if label in draft.measures]
        keys: list[tuple[str, bool]] = []
        for asked, down in self._parts.order:
            if re.fullmatch(r"(?:these|those|the (?:first )?\w*) ?columns|前.{0,2}列|这些列|上述列", asked) and self._parts.limit is None:
                continue
            label = column_for(asked, draft.order, words, numbers)
            if label is None:
                return False
            keys.append((label, down))
        number = subject.number or self._parts.limit
        if number is None:
            return True
        if subject.number is not None and not self._leads(draft, subject, keys, numbers, words):
            return False
        if not keys:
            return False
        draft.top = Top(number, keys[0][0], keys[0][1], (), tuple(keys[1:]))
        return True

    def _leads(self, draft: Draft, subject: _Subject, keys: list[tuple[str, bool]], numbers: Sequence[str], words: dict[str, str]) -> bool:
        """Whether the order begins with what is said to be highest: the column of these words, or the only number."""
        named = column_for(subject.highest, draft.order, words, ())
        label = named or (numbers[0] if len(numbers) == 1 else None)
        if label is None:
            return False
        if not keys:
            keys.append((label, subject.is_descending))
        if keys[0] != (label, subject.is_descending):
            return False
        if named is None:
            draft.assumptions.append(say("requirements.assume.highest", words=quote(subject.highest), column=name(label)))
        return True


def _turned(clause: str) -> str:
    """客户属于 BUILDING 细分市场 as 属于 BUILDING 细分市场的客户."""
    found = re.fullmatch(r"(?P<thing>[\u3400-\u9fff]{2,4})(?P<rest>(?:属于|来自|为|是|位于|的).+)", clause)
    return f"{found['rest'].removeprefix('的')}的{found['thing']}" if found else ""
