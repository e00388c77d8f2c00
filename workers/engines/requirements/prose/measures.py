"""Phrases for aggregates of rows: `sum of fee of the done visits`, `number of different patients`, 状态为 done 的就诊数."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Sequence
from dataclasses import replace

from contracts.pipelines.expressions import Call, ColumnOf, Expression, Function, columns_in
from contracts.tables import TableDetail
from workers.engines.requirements.prose.draft import Measure, Rows
from workers.engines.requirements.prose.phrase_cuts import relative_cuts, value_and_rows
from workers.engines.requirements.prose.rows import RowPhrases, seen_from
from workers.engines.requirements.prose.values import cuts
from workers.engines.sql.build_values import NUMERIC

_NONE = re.compile(
    r"\s*[,，;；(（]?\s*(?:(?:or |and )?(?P<zero>0|zero|0 \w+|null)(?: (?:if|when|where|for|on) (?:\w+ )*(?:none|no \w+|nothing|without .+|there (?:are|is) (?:none|no \w+)|(?:a )?days? without .+))"
    r"|(?:没有.{0,12}?|无.{0,8}?)(?:则|时|的)?(?:为|记为?|是)?\s*(?P<zero_zh>0|空|null))\s*[)）]?$",
    re.IGNORECASE,
)
_COUNT = (
    r"(?:the )?(?:total )?(?:number|count) of (?P<of>.+)|how many (?P<of2>.+)",
    r"(?P<of>.+?)\s*的?(?:数量|个数|总数|笔数|次数|行数|条数|张数|件数|人数|数)",
)
_DISTINCT = re.compile(
    r"(?:(?:the )?(?:number|count) of )?(?:different|distinct|unique) (?P<of>.+)|(?:不同的?|去重后?的?)\s*(?P<of2>.+?)(?:数量|个数|数|人数)?|(?P<of3>.+的)不同(?P<of4>.+?)(?:数量|个数|数)?",
    re.IGNORECASE,
)
_AGGREGATES: tuple[tuple[Function, str, str], ...] = (
    (
        Function.SUM,
        r"(?:the )?(?:sum|total) of (?P<of>.+)|(?:the )?(?:total|summed) (?P<of2>.+)",
        r"(?P<of>.+?)\s*(?:之和|的?合计|的?总和|的?总计|求和)|(?:合计|总计|总)\s*(?P<of2>.+)",
    ),
    (
        Function.AVERAGE,
        r"(?:the )?(?:average|mean)(?: of)? (?P<of>.+)",
        r"(?P<of>.+?)\s*的?(?:平均值|均值|平均)|平均\s*(?P<of2>.+)|(?P<of3>.+)的平均(?P<of4>.+)",
    ),
    (
        Function.MINIMUM,
        r"(?:the )?(?:first|earliest|smallest|lowest|minimum|min|shortest|oldest)(?: of)? (?P<of>.+)",
        r"最(?:早|小|低|短)的?\s*(?P<of>.+)|(?P<of2>.+?)\s*的?最(?:小|早|低)值|(?P<of3>.+)的最(?:早|小|低)(?P<of4>.+)|首次(?P<of5>.+)",
    ),
    (
        Function.MAXIMUM,
        r"(?:the )?(?:last|latest|most recent|largest|highest|maximum|max|longest|newest|greatest)(?: of)? (?P<of>.+)",
        r"最(?:晚|大|高|近|新|长)(?!一次)的?\s*(?P<of>.+)|(?P<of2>.+?)\s*的?最(?:大|晚|高)值|(?P<of3>.+)的最(?:晚|大|高|近|新)(?P<of4>.+)|最[后近]一次的?(?P<of5>.+)",
    ),
)


class Phrases(RowPhrases):
    """Reads phrases for rows, and for what is worked out over them."""

    def measure(self, text: str, owner: TableDetail | None = None, base: TableDetail | None = None) -> Measure | None:
        """The aggregate that a phrase defines."""
        body = text.strip().strip("：:,，")
        none = _NONE.search(body)
        is_zero = none is not None and (none["zero"] or none["zero_zh"] or "").startswith(("0", "zero"))
        body = body[: none.start()].strip() if none else body
        body = re.sub(r",? (?:each|every) \w+ (?:only )?once$|[，,]?(?:每\w{1,4})?只[算计]一次$", "", body, flags=re.IGNORECASE)
        return self._counted(body, owner, base) or self._aggregated(body, owner, base, is_zero=is_zero)

    def _counted(self, body: str, owner: TableDetail | None, base: TableDetail | None) -> Measure | None:
        if found := _DISTINCT.fullmatch(body):
            wanted = f"{found['of3']}{found['of4']}" if found["of3"] else found["of"] or found["of2"]
            return self._different(wanted, owner, base)
        for pattern in _COUNT:
            if not (found := re.fullmatch(pattern, body, re.IGNORECASE)):
                continue
            groups = found.groupdict()
            counted = groups.get("of") or groups.get("of2") or ""
            if inner := _DISTINCT.fullmatch(counted):
                wanted = f"{inner['of3']}{inner['of4']}" if inner["of3"] else inner["of"] or inner["of2"]
                return self._different(wanted, owner, base)
            rows = self.rows(counted, owner, base)
            if rows is not None and self._fits(rows, owner, base):
                return Measure(rows, Function.COUNT, None, True)
        return None

    def _fits(self, rows: Rows, owner: TableDetail | None, base: TableDetail | None) -> bool:
        """Whether rows of this table can be counted for the things or the rows that the target is about."""
        if base is not None:
            return rows.table.full_name == base.full_name
        return owner is None or (rows.table.full_name != owner.full_name and len(self.scope(rows.table).place_of(owner)) == 1)

    def _different(self, text: str, owner: TableDetail | None, base: TableDetail | None) -> Measure | None:
        """`different patients`, `different cities of its parcels`: of the base's rows, or of those that are named."""
        for what, where in (*relative_cuts(f"{text} "), (text, ""), *((b, a) for a, b in cuts(text, "的"))):
            rows = (
                self.rows(re.sub(r"^(?:of|in|from|with|on|for|that)\s+", "", where.strip()), owner, base)
                if where.strip()
                else Rows(base)
                if base is not None
                else None
            )
            if rows is None or not self._fits(rows, owner, base):
                continue
            scope = self.scope(rows.table)
            value: Expression | None = scope.column(what)
            if value is None and (table := self.schema.entity(what)) is not None:
                places = scope.place_of(table)
                if len(places) == 1 and len(places[0].path) >= 1 and len(places[0].path[-1].columns) == 1:
                    value = ColumnOf(step=places[0].alias.rpartition(">")[0], name=places[0].path[-1].columns[0])
            if value is not None:
                return Measure(rows, Function.COUNT_DISTINCT, value, True)
        return None

    def _aggregated(self, body: str, owner: TableDetail | None, base: TableDetail | None, *, is_zero: bool) -> Measure | None:
        for function, english, chinese in _AGGREGATES:
            for pattern in (english, chinese):
                found = re.fullmatch(pattern, body, re.IGNORECASE)
                if not found:
                    continue
                groups = found.groupdict()
                of = (
                    f"{groups['of3']}的{groups['of4']}"
                    if groups.get("of3")
                    else next((groups[key] for key in ("of", "of2", "of5") if groups.get(key)), "")
                )
                measure = self._value_of_rows(function, of.strip(), owner, base)
                if measure is not None:
                    return replace(measure, is_zero=is_zero)
        return None

    def _value_of_rows(self, function: Function, text: str, owner: TableDetail | None, base: TableDetail | None) -> Measure | None:
        """`fee of the done visits`, `fee`, `quantity * price where state = 'x'`, 状态为 x 的就诊的 fee."""
        for value_text, rows_text in value_and_rows(text):
            if rows_text:
                rows = self.rows(rows_text, owner, base)
                if rows is None:
                    rows = self.rows(rows_text)  # what the rows of the base refer to
                    below = self._below(function, value_text, rows, owner, base) if rows is not None else None
                    if below is not None:
                        return below
                    continue
                if not self._fits(rows, owner, base):
                    if (below := self._below(function, value_text, rows, owner, base)) is not None:
                        return below
                    continue
                value = self.values(rows.table).value(value_text)
                if value is not None and self._can(function, value, rows.table):
                    return Measure(rows, function, value)
                if (below := self._below(function, value_text, rows, owner, base)) is not None:
                    return below
            else:
                found = [made for table in self.facts(owner, base) if (made := self._plain(function, value_text, table)) is not None]
                own = [made for made in found if self._is_own(made)]  # what a row refers to is not added up row by row
                if len(own) == 1:
                    return own[0]
        for head, tail in (*relative_cuts(text), *((right, left) for left, right in cuts(text, "的"))):
            found: list[Measure] = []
            for table in self.facts(owner, base):
                made = self._plain(function, head, table)
                rows = self._restricted(made.rows, tail.strip(), owner) if made is not None and self._is_own(made) else None
                if made is not None and rows is not None:
                    found.append(replace(made, rows=rows))
            if len(found) == 1:
                return found[0]
        return self._of_state(function, text, owner, base)

    def _of_state(self, function: Function, text: str, owner: TableDetail | None, base: TableDetail | None) -> Measure | None:
        """`paid amount`, 未付金额: the amount of those rows of one table that are paid."""
        first, _, rest = text.partition(" ")
        cut = [(first, rest)] if text.isascii() else [(text[:place], text[place:]) for place in range(2, len(text) - 1)]
        found: list[Measure] = []
        for state, value in cut:
            if not re.fullmatch(r"[a-z]+|[\u3400-\u9fff]{2,5}", state) or not value:
                continue
            for table in self.facts(owner, base):
                made = self._plain(function, value, table)
                if made is None or not isinstance(made.value, ColumnOf) or not self._is_own(made):
                    continue
                test = self.values(table).condition(state)
                if test is not None and all(column.step == table.name for column in columns_in(test)):
                    found.append(replace(made, rows=Rows(table, (test,))))
        return found[0] if len(found) == 1 else None

    def _below(self, function: Function, text: str, above: Rows, owner: TableDetail | None, base: TableDetail | None) -> Measure | None:
        """`quantity over completed orders`: a value of rows that refer to those that are named, where only one table has it."""
        if above.related or (owner is not None and above.table.full_name == owner.full_name):
            return None
        found: list[Measure] = []
        for table in self.facts(owner, base):
            places = self.scope(table).place_of(above.table)
            made = self._plain(function, text, table) if len(places) == 1 and places[0].path else None
            if made is None or not self._is_own(made):
                continue
            where = tuple(seen_from(condition, above.table.name, places[0].alias) for condition in above.where)
            found.append(replace(made, rows=Rows(table, where)))
        return found[0] if len(found) == 1 else None

    def _plain(self, function: Function, text: str, table: TableDetail) -> Measure | None:
        value = self.values(table).value(text)
        return Measure(Rows(table), function, value) if value is not None and self._can(function, value, table) else None

    @staticmethod
    def _is_own(measure: Measure) -> bool:
        """Whether the value is of the table itself, not of one that it refers to."""
        used = columns_in(measure.value) if measure.value is not None else ()
        return bool(used) and any(column.step == measure.rows.table.name for column in used)

    def _can(self, function: Function, value: Expression, table: TableDetail) -> bool:
        if not columns_in(value):
            return False
        if function in (Function.SUM, Function.AVERAGE) and isinstance(value, ColumnOf):
            detail = self.scope(table).detail(value)
            return not detail.type or bool(NUMERIC.search(detail.type))
        return True

    def facts(self, owner: TableDetail | None, base: TableDetail | None) -> Sequence[TableDetail]:
        """The tables whose rows may be meant where none is named."""
        if base is not None:
            return (base,)
        if owner is None:
            return self.schema.tables
        return [table for table in self.schema.tables if table.full_name != owner.full_name and len(self.scope(table).place_of(owner)) == 1]


def count_if(rows: Rows) -> Measure:
    """The number of rows."""
    return Measure(rows, Function.COUNT, None, True)


def over(first: Expression, second: Expression) -> Expression:
    """A ratio: null where the divisor is 0."""
    return Call(function=Function.OVER, arguments=(first, second))
