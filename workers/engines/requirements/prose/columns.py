"""The columns of a target in words: attributes, measures, and what is computed from other columns."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Sequence

from contracts.pipelines.expressions import Call, ColumnOf, Constant, Expression, Function
from contracts.statements import name, say
from workers.engines.questions.amounts import is_added_up, is_amount
from workers.engines.requirements.prose.column_lists import NAMED, SEVERAL, split_columns
from workers.engines.requirements.prose.column_names import LIKE_NAME, fits, words_of
from workers.engines.requirements.prose.computed import NULLS
from workers.engines.requirements.prose.draft import BY_PARTS, RESULT, Measure, Rows
from workers.engines.requirements.prose.measures import count_if
from workers.engines.requirements.prose.net_prices import notes_of
from workers.engines.requirements.prose.nouns import plain
from workers.engines.requirements.prose.scope import Scope
from workers.engines.requirements.prose.shown_as import as_shown, shown_as
from workers.engines.requirements.prose.sql_columns import SqlColumns
from workers.engines.sql.build_values import NUMERIC

_AS_COLUMNS = re.compile(
    r"(?P<measure>.+?)\s+(?:of|for|by|per|in|with) each (?P<column>[\w ]+?),? as (?:the )?columns (?P<list>.+)", re.IGNORECASE | re.DOTALL
)
_SUM_OF = re.compile(
    r"(?:the )?(?:sum|total)(?: value| amount)? of (?P<rows>.+?)(?P<zero>,? (?:and |or )?0 (?:if|when|where|for) .+)?", re.IGNORECASE
)
_EXTENT = re.compile(r"_(?:km|kg|kwh|minutes|hours|min)$")
"""Measured quantities that add up, by the unit in their name."""
_OTHERS = frozenset({"others", "other", "all others", "all other", "the others", "the rest", "rest", "其他", "其它", "其余"})


_UNIT_WORDS = {"月份": "month", "月": "month", "日期": "day", "日": "day", "周": "week", "季度": "quarter", "年份": "year", "年": "year"}
"""Chinese words for a column of a target that has a row for each unit of time."""


class Columns(SqlColumns):
    """Reads the columns of one draft."""

    def read(self, parts: Sequence[str]) -> bool:
        """Take the columns over; False where one of them is not read."""
        return all(self.part(part) for part in parts) and bool(self.draft.order)

    def part(self, part: str) -> bool:
        """Take one column over, or several that share their words."""
        if found := _AS_COLUMNS.fullmatch(part):
            return self._pivot(found)
        if (found := SEVERAL.fullmatch(part)) and self._several(found):
            return True
        if owned := re.fullmatch(
            r"(?:the )?`?(?P<name>[A-Za-z_]\w*)`? (?:of|from) (?:the |its |their )?[\w ]+|(?:the )?[\w ]+(?:'s|’s) `?(?P<name3>[A-Za-z_]\w*)`?|[\u3400-\u9fff]+的?\s*`?(?P<name2>[A-Za-z_]\w*)`?",
            part,
            re.IGNORECASE,
        ):
            label = owned["name"] or owned["name2"] or owned["name3"]
            return self.add(label.lower(), "" if owned["name2"] else part, label)
        found = NAMED.fullmatch(part)
        if found is None:
            return self.phrases.schema.is_chinese and self._named_in_chinese(part)
        label, text = found["name"].lower(), (found["inside"] or found["behind"] or "").strip()
        return self.add(label, text or self._definitions.get(label, ""), found["name"])

    def _named_in_chinese(self, part: str) -> bool:
        """运单数, 取消数（状态为已取消的运单数）: where the source has Chinese names, words are the name of a column too."""
        found = re.fullmatch(r"(?P<name>[\u3400-\u9fff]{2,14})(?:[（(](?P<inside>[^（()）]+)[)）])?", part.strip())
        if found is None:
            return False
        name, inside = found["name"], found["inside"] or self._definitions.get(found["name"], "")
        return self.add(name, part.strip(), name) or (bool(inside) and self.add(name, inside, name))

    def _pivot(self, found: re.Match[str]) -> bool:
        """`the number of visits of each kind as columns checkups (kind checkup), ...`."""
        for part in split_columns(found["list"]):
            named = re.fullmatch(r"(?P<name>[A-Za-z_]\w*)(?:\s*[（(](?P<value>.+)[)）])?", part)
            if not named:
                return False
            value = re.sub(
                rf"^(?:{re.escape(found['column'].strip())}|for|when|where)\s*(?:is|=|of)?\s*",
                "",
                (named["value"] or named["name"]).strip(),
                flags=re.IGNORECASE,
            )
            if not self.add(named["name"].lower(), f"{found['measure']} with {found['column'].strip()} = {value}", named["name"]):
                return False
        return True

    def _several(self, found: re.Match[str]) -> bool:
        """`a_kg and b_kg (total weight of parcels by service a and service b)`, a 与 b（...，分别为 甲 和 乙）."""
        names = [name for name in re.split(r"\s*(?:,|，|、|\band\b|和|与|及)\s*", found["names"]) if name]
        inside = found["inside"]
        cut = re.fullmatch(
            r"(?P<measure>.+?),? (?:by|for|with|from) (?P<values>.+?)(?:,? respectively)?|(?P<measure_zh>.+?)[,，]\s*分别为\s*(?P<values_zh>.+)",
            inside,
        )
        if not cut:
            return False
        values = [item for item in re.split(r"\s*(?:,|，|、|\band\b|和|与|及)\s*", cut["values"] or cut["values_zh"]) if item]
        measure = self.phrases.measure(cut["measure"] or cut["measure_zh"], self.draft.entity, self._base)
        if measure is None or len(values) != len(names):
            return False
        tests = self._tests(measure.rows, values)
        if tests is None:
            return False
        for label, test in zip(names, tests, strict=True):
            rows = Rows(measure.rows.table, (*measure.rows.where, test), measure.rows.related)
            self._take(label.lower(), Measure(rows, measure.function, measure.value, measure.is_zero))
        return True

    def _tests(self, rows: Rows, values: Sequence[str]) -> list[Expression] | None:
        """A condition for each of some values; `others` is what none of them is."""
        reader = self.phrases.values(rows.table)
        made: list[Expression | None] = []
        for value in values:
            bare = re.sub(r"^all (?:the )?", "", value.strip().lower())
            is_rest = (
                bare in _OTHERS or re.match(r"(?:all )?other \w+$", value.strip().lower()) or re.match(r"(?:其他|其它|其余)", value.strip())
            )
            made.append(None if is_rest else reader.condition(value.strip()))
            if made[-1] is None and not is_rest:
                return None
        known = [item for item in made if item is not None]
        if len(known) == len(made):
            return known
        if len(known) != len(made) - 1 or any(not isinstance(item, Call) for item in known):
            return None
        return [
            Call(function=Function.NOT, arguments=(known[0],)) if item is None and len(known) == 1 else item or known[0] for item in made
        ]

    def add(self, label: str, text: str, shown: str = "") -> bool:
        """Define a column by its words; without any, by its name."""
        if label in self.draft.order:
            return False
        words = text or shown or label
        for read in (
            self._known_key,
            self._named,
            self._later,
            self._measure,
            self._attribute,
            self._computed,
            self._in_sql,
            self._in_cases,
            self._implied,
            self._shown_as,
        ):
            before = self._hidden_so_far()
            if not read(label, words):
                self._forget_since(before)
            else:
                self.draft.order.append(label)
                if text and not self.draft.descriptions.get(label):
                    self.draft.descriptions[label] = text
                return True
        if text and (base := NULLS.sub("", text)) != text:
            return self.add(label, base, shown)
        return bool(text) and self._explained(label, text, shown)

    def _shown_as(self, label: str, text: str) -> bool:
        """`share of paid invoices, in percent with one decimal`: the number is worked out, and not shown as it is."""
        body, digits, in_percent = shown_as(text)
        if digits is None and not in_percent:
            return False
        if digits is not None and in_percent and self._take_part(label, f"{body}, in percent", digits, in_percent=False):
            return True
        return self._take_part(label, body, digits, in_percent=in_percent)

    def _take_part(self, label: str, body: str, digits: int | None, *, in_percent: bool) -> bool:
        draft, part = self.draft, f"part_{label}"
        if not self.add(part, body):
            return False
        draft.order.remove(part)
        draft.descriptions.pop(part, None)
        known = draft.later.get(part)
        if isinstance(known, Call):
            del draft.later[part]
        value = known if isinstance(known, Call) else ColumnOf(step=RESULT, name=part)
        draft.later[label] = as_shown(value, digits, in_percent=in_percent)
        return True

    def _explained(self, label: str, text: str, shown: str) -> bool:
        """`city (of the depot)`: the words complete the name; `value (id)`: a remark that only repeats it."""
        spoken = label.replace("_", " ")
        return (text.startswith(("of ", "in ")) and self.add(label, f"{spoken} {text}")) or (
            bool(re.fullmatch(r"[\u3400-\u9fff]+的[\u3400-\u9fff]+", text)) is True and False
        )

    def _known_key(self, label: str, text: str) -> bool:
        """A column that the rows are grouped by."""
        draft = self.draft
        if not draft.is_grouped:
            return False
        if label in draft.keys and label not in draft.order and plain(text) in (plain(label), ""):
            return True
        wanted = self.phrases.values(draft.base.base).value(text) if draft.base is not None else None
        text = _UNIT_WORDS.get(text, text)
        for known, value in list(draft.keys.items()):
            if known not in draft.order and (value == wanted or plain(known) == plain(text)):
                draft.keys = {label if key == known else key: item for key, item in draft.keys.items()}
                draft.units = {label if key == known else key: unit for key, unit in draft.units.items()}
                return True
        return False

    def _take(self, label: str, measure: Measure) -> None:
        self.draft.measures[label] = measure
        self.draft.order.append(label)

    def _measure(self, label: str, text: str) -> bool:
        draft = self.draft
        if not draft.is_grouped and draft.entity is None:
            return False
        if self._is_of_own_time(text):
            return False
        measure = self.phrases.measure(text, draft.entity, self._base) or self._of_parts(text)
        if measure is None or (draft.is_grouped and measure.rows.related):
            return False
        draft.measures[label] = measure
        return True

    def _of_parts(self, text: str) -> Measure | None:
        """An aggregate of what refers to the rows that are grouped: `sum of fee of their visits`. It is worked out for each row first."""
        base = self._base
        if base is None or not base.primary_key or self.draft.parts or self.draft.spine is not None:
            return None
        measure = self.phrases.measure(text, base)
        return measure if measure is not None and measure.function in BY_PARTS else None

    def _named(self, label: str, text: str) -> bool:
        """A column of the thing itself by its very name: `total price` of an order that has one is not added up."""
        entity = self.draft.entity
        if entity is None:
            return False
        found = [column.name for column in entity.columns if fits(text, column, entity) >= LIKE_NAME]
        if len(found) != 1:
            return False
        value = ColumnOf(step=entity.name, name=found[0])
        self.draft.descriptions[label] = self.phrases.scope(entity).detail(value).description
        self.draft.keys[label] = value
        return True

    def _attribute(self, label: str, text: str) -> bool:
        draft = self.draft
        table = draft.entity or (draft.base.base if draft.base is not None and not draft.is_grouped else None)
        if table is None:
            return self._dependent(label, text)
        value = self.phrases.values(table).value(text)
        if value is None:
            return False
        if isinstance(value, ColumnOf):
            draft.descriptions[label] = self.phrases.scope(table).detail(value).description
        draft.keys[label] = value
        return True

    def _dependent(self, label: str, text: str) -> bool:
        """A column of a table by whose key the rows are grouped."""
        value = self._of_grouped(text)
        if value is None:
            return False
        self.draft.keys[label] = value
        return True

    def _computed(self, label: str, text: str) -> bool:
        value = self._result(text)
        if value is None or isinstance(value, Constant):
            return False
        self.draft.later[label] = value
        return True

    def _sum_of_rows(self, text: str) -> Measure | None:
        """`sum of settled payments, 0 if none`, where payments have one number that is not a key."""
        found = _SUM_OF.fullmatch(text.strip())
        rows = self.phrases.rows(found["rows"], self.draft.entity, self._base) if found else None
        if found is None or rows is None or rows.related or (self._base is not None and rows.table != self._base):
            return None
        value = only_number(self.phrases.scope(rows.table))
        return Measure(rows, Function.SUM, value, bool(found["zero"])) if value is not None else None

    def _implied(self, label: str, text: str) -> bool:
        """Rows that are named where a number is wanted are counted; an amount that is named alone is added up. Both are said."""
        draft = self.draft
        if not draft.is_grouped and draft.entity is None:
            return False
        if self._is_of_own_time(text):
            return False
        rows = self.phrases.rows(text, draft.entity, self._base)
        if (
            rows is not None
            and (self._base is None or rows.table == self._base)
            and (draft.entity is None or rows.table.full_name != draft.entity.full_name)
        ):
            draft.measures[label] = count_if(rows)
            draft.assumptions.append(say("requirements.assume.count", column=name(label), table=name(rows.table.full_name)))
            return True
        measure = self._sum_of_rows(text) or self.phrases.measure(f"total {text}", draft.entity, self._base)
        is_bare = plain(text) == plain(label)  # `amount of those that went through` says more than its name
        amount = only_amount(draft.base, label) if draft.base is not None and draft.is_grouped and is_bare else None
        if measure is None and draft.base is not None and amount is not None:
            measure = Measure(draft.rows or Rows(draft.base.base), Function.SUM, amount)
        if measure is not None and measure.value is not None and notes_of(measure.value):  # a discounted price: what it is, is said
            draft.measures[label] = measure
            return True
        if measure is None or not isinstance(measure.value, ColumnOf):
            return False
        detail = self.phrases.scope(measure.rows.table).detail(measure.value)
        if not is_amount(detail) and not is_added_up(detail.name) and not _EXTENT.search(detail.name.lower()):
            return False
        draft.measures[label] = measure
        draft.assumptions.append(say("requirements.assume.sum", column=name(measure.value.name)))
        return True


def only_number(scope: Scope) -> ColumnOf | None:
    """The only column of a table that is a number and no key."""
    keys = {*scope.base.primary_key, *(column for key in scope.schema.references(scope.base) for column in key.columns)}
    found = [
        column.name
        for column in scope.base.columns
        if NUMERIC.search(column.type) and column.name not in keys and not column.name.lower().endswith(("_id", "_key", "_no"))
    ]
    return ColumnOf(step=scope.base.name, name=found[0]) if len(found) == 1 else None


def only_amount(scope: Scope, label: str) -> ColumnOf | None:
    """The only number of a table that is not a key: what `revenue` adds up where nothing has that name. A cost, a weight or a time is none."""
    found = only_number(scope)
    is_money = re.fullmatch(r"(?:total_|daily_|monthly_)?(?P<kind>revenue|sales|turnover|amount|total|value)", label)
    if found is None or is_money is None:
        return None
    detail = scope.detail(found)
    words = f"{'_'.join(words_of(detail))} {detail.description.lower()}"
    is_income = _INCOME.search(words) is not None and _OUTGO.search(words) is None
    return found if is_income or is_money["kind"] in ("amount", "total", "value") else None


_INCOME = re.compile(
    r"(?:^|[_\W])(?:price|amount|amt|total|fee|fare|paid|payment|revenue|sales|turnover|income|value|sum|eur|usd|cny|gbp|chf|euro|dollar)|金额|价|费|款|收入|销售额|营业额|元"
)
_OUTGO = re.compile(r"cost|expense|refund|discount|tax|salary|wage|loss|penalt|成本|支出|退|折扣|税|工资|罚")
