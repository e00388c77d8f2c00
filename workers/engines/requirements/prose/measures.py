"""Phrases for rows of a table and for their aggregates: `done visits in 2024`, `sum of fee of the done visits`, 状态为 done 的就诊数."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from contracts.pipelines.expressions import Call, ColumnOf, Expression, Function, columns_in
from contracts.tables import TableDetail
from workers.engines.requirements.prose.domains import domain_of
from workers.engines.requirements.prose.draft import Measure, Related, Rows
from workers.engines.requirements.prose.never import never_done
from workers.engines.requirements.prose.nouns import nouns_of, plain
from workers.engines.requirements.prose.phrase_cuts import relative_cuts, value_and_rows
from workers.engines.requirements.prose.schema import Schema
from workers.engines.requirements.prose.scope import Scope
from workers.engines.requirements.prose.values import Values, cuts
from workers.engines.sql.build_values import NUMERIC
from workers.engines.times import TimeWords

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
_NO_PARTNER = re.compile(
    r"(?:(?:that|which|who) )?(?:(?:have|has|had) (?:no|never had (?:a|an|any)|not (?:a|any))|with no|without(?: an?y?)?|(?:have|has|do|does|did) not (?:have|had) (?:a|an|any)) (?P<rows>.+)",
    re.IGNORECASE,
)
_PARTNER = re.compile(r"(?:(?:that|which|who) )?(?:(?:have|has|had)|with) (?:(?:at least one|an?y?|some) )?(?P<rows>.+)", re.IGNORECASE)
_WHOSE = re.compile(r"whose (?P<thing>[a-z]+) (?P<verb>has|have|had|is|are|was|were) (?P<rest>.+)", re.IGNORECASE)
_BUT_NONE = re.compile(
    r"(?P<some>.+?),? but (?:none|no ones?|not any)(?: of (?:them|those))? (?P<rest>.+)"
    r"|(?P<when>.+?)有(?:过)?(?P<what>[\u3400-\u9fff]+?)[，,]?但(?:是)?(?P<other>.+?)(?:没有|无)(?:过)?",
    re.IGNORECASE,
)
"""`who have rentals in 2024 but none in 2025`, 2024年有租赁但2025年没有."""
_HAS_VALUE = re.compile(r"(?:with|having|that have|which have) (?:an? )?(?P<column>[a-z]\w*_\w+)", re.IGNORECASE)
"""`outages with ended_at`: it has a value."""
_AND_ROWS = (
    r"\s*,\s*(?:and\s+)?(?=(?:that|who|which|whose|with|without)\b)|\s*,?\s+and\s+(?=(?:that|who|which|whose|with|without|have|has|had)\b)"
)
"""Between two clauses about the same rows."""
_EVER = r"(?:[\u3400-\u9fff]{0,2}过|有)?"
"""What was never done: 下过, 买过, 过."""
_OF_IT = re.compile(
    r"(?:of|by|for|from|to|in|on) (?:(?:its|their|his|her|the|that|those|this|each|these) )?(?P<owner>[\w ]+)|(?:that |which )?(?:it|they|he|she) (?:has |have |had )?\w+(?:ed|ade|ent|old|ght|aid|ook|ave)",
    re.IGNORECASE,
)


class Phrases:
    """Reads phrases for rows and aggregates over a schema."""

    def __init__(self, schema: Schema, times: TimeWords) -> None:
        self.schema, self.times = schema, times
        self._scopes: dict[str, Scope] = {}
        self._read: dict[tuple[str, str, str], Rows | None] = {}
        self._values: dict[int, Values] = {}

    def scope(self, table: TableDetail) -> Scope:
        """The scope of the rows of a table."""
        if table.full_name not in self._scopes:
            self._scopes[table.full_name] = Scope(self.schema, table)
        return self._scopes[table.full_name]

    def put(self, scope: Scope) -> None:
        """Use this scope for its table: it has more places than the schema gives."""
        if self._scopes.get(scope.base.full_name) is not scope:
            self._read.clear()
        self._scopes[scope.base.full_name] = scope

    def values(self, table: TableDetail) -> Values:
        """Phrases over the rows of a table."""
        scope = self.scope(table)
        found = self._values.get(id(scope))
        if found is None or found.scope is not scope:
            found = self._values[id(scope)] = Values(scope, self.times)
        return found

    def rows(self, text: str, owner: TableDetail | None = None, base: TableDetail | None = None) -> Rows | None:
        """The rows that a phrase names: a noun with what restricts it. `owner`: the thing whose rows they are, which may be named
        again. `base`: the only table that is meant, also by `rows`."""
        body = text.strip().strip(",，;；")
        if not body or len(body) > 300:
            return None
        place = (body, owner.full_name if owner else "", base.full_name if base else "")
        if place not in self._read:
            self._read[place] = None  # a phrase inside itself is not read
            self._read[place] = self._rows(body, owner, base)
        return self._read[place]

    def _rows(self, body: str, owner: TableDetail | None, base: TableDetail | None) -> Rows | None:
        if base is not None and re.fullmatch(
            r"(?:the |all |of )*(?:rows?|records?|lines?|entries|them)|(?:全部)?(?:行|记录|明细)", body, re.IGNORECASE
        ):
            return Rows(base)
        table = self.schema.entity(body)
        if base is not None and table is None and plain(body) in nouns_of(base):
            return Rows(base)
        if table is not None:
            return Rows(table)
        behind = list(self._behind(body, owner, base))
        if behind:  # `payments of orders that failed`: the payments, or the orders
            others = [rows for rows in behind[1:] if not rows.related]
            return behind[0] if behind[0].related or all(_is_same(behind[0], other) for other in others) else None
        return next(self._before(body, owner, base), None) or self._by_state(body)

    def _by_state(self, body: str) -> Rows | None:
        """`no-shows`: the rows of the only table of which this is a state."""
        word = re.sub(r"[\s-]+", "_", body.lower())
        found = [
            Rows(table, (Call(function=Function.EQUAL, arguments=(ColumnOf(step=table.name, name=column.name), value)),))
            for table in self.schema.tables
            for column in table.columns
            for form in (word, word.removesuffix("s"))
            if "_" in word and form in domain_of(column)
            if (value := self.values(table).bound(form, ColumnOf(step=table.name, name=column.name))) is not None
        ]
        return found[0] if len(found) == 1 else None

    def _behind(self, body: str, owner: TableDetail | None, base: TableDetail | None) -> Iterator[Rows]:
        """English: the restriction follows the noun."""
        times = [(time.begin, time.stop) for time in self.times.find(body)]
        for head, tail in relative_cuts(body):
            if any(begin < len(head) + 1 < stop for begin, stop in times):
                continue
            rows = self.rows(head, owner, base)
            if rows is not None and (made := self._restricted(rows, tail.strip(), owner)) is not None:
                yield made

    def _before(self, body: str, owner: TableDetail | None, base: TableDetail | None) -> Iterator[Rows]:
        """An adjective, or Chinese: the restriction comes before the noun."""
        if re.match(r"[\x00-\x7f]+$", body):
            words = re.sub(r"^(?:the|all|its|their|any|every|each)\s+", "", body, flags=re.IGNORECASE).split()
            options = [(" ".join(words[:place]), " ".join(words[place:])) for place in range(1, len(words))]
        else:
            options = [
                (body[:place], body[place:])
                for place in reversed(range(1, len(body)))
                if body[place - 1] == "的"
                or not (body[place - 1].isalnum() and body[place].isalnum() and body[place].isascii() and body[place - 1].isascii())
            ]
        times = [(time.begin, time.stop) for time in self.times.find(body)]
        for restriction, head in options:
            if any(begin < len(restriction) < stop for begin, stop in times):
                continue
            rows = self.rows(head, owner, base) if len(head) < len(body) and head.strip() else None
            if rows is not None and (made := self._restricted(rows, restriction.strip().removesuffix("的"), owner)) is not None:
                yield made

    def _restricted(self, rows: Rows, text: str, owner: TableDetail | None) -> Rows | None:
        if not text or (owner is not None and self._is_of_owner(rows, text, owner)):
            return rows
        for read in (self._by_parent, self._by_partners, self._by_owner_of_them, self._by_presence):
            if (made := read(rows, text)) is not None:
                return made
        for left, right in cuts(text, _AND_ROWS):
            part = self._restricted(rows, left, owner)
            if part is not None and (made := self._restricted(part, right, owner)) is not None:
                return made
        if rows.related and self._is_only_time(text):  # `members without payments since May`: the members, or the payments
            return None
        condition = self.values(rows.table).condition(text)
        if (
            condition is not None
            and self.has_time(text)
            and any(set(columns_in(condition)) & set(columns_in(known)) for known in rows.where)
        ):
            return None
        return replace(rows, where=(*rows.where, condition)) if condition is not None else None

    def _is_of_owner(self, rows: Rows, text: str, owner: TableDetail) -> bool:
        """`of it`, `其订单`: the rows that belong to the row of the table."""
        scope = self.scope(rows.table)
        found = _OF_IT.fullmatch(text)
        if found is None and scope.place_of(owner):
            found = re.fullmatch(r"(?:其|该|它的?|他的?)(?P<owner>\w*)", text)
        if found is None:
            return False
        named = self.schema.entity(found["owner"]) if found["owner"] else owner
        return named is not None and self._is_between(named, scope, owner)

    def _by_parent(self, rows: Rows, text: str) -> Rows | None:
        found = re.fullmatch(r"(?:of|by|from|for|to|in|on) (?P<rows>.+)", text, re.IGNORECASE)
        return self.of_parent(rows, found["rows"]) if found else None

    def _by_partners(self, rows: Rows, text: str) -> Rows | None:
        """Rows that have others in another table, or have none."""
        for pattern, exists in ((_NO_PARTNER, False), (_PARTNER, True)):
            if (found := pattern.fullmatch(text)) and (made := self._related(rows, found["rows"], exists=exists)) is not None:
                return made
        found = re.fullmatch(rf"(?:从未|没有|无){_EVER}(?:任何)?(?P<rows>.+)|(?P<some>.+?)(?:从未|没有){_EVER}(?:任何)?(?P<what>.+)", text)
        if found is not None:
            wanted = found["rows"] or f"{found['some']}的{found['what']}"
            if (made := self._related(rows, wanted, exists=False)) is not None:
                return made
        partners = [table for table in self.schema.tables if self.link(table, rows.table) is not None]
        if (other := never_done(text, partners)) is not None:
            return self._related(rows, other.name, exists=False)
        if (found_none := _BUT_NONE.fullmatch(text)) is not None and (made := self._but_none(rows, found_none)) is not None:
            return made
        found = re.fullmatch(r"(?:至少)?有(?:过|至少一\w)?(?P<rows>.+)", text)
        return self._related(rows, found["rows"], exists=True) if found else None

    def _but_none(self, rows: Rows, found: re.Match[str]) -> Rows | None:
        """Rows with partners at one time, and none at another."""
        if found["when"]:
            made = self._related(rows, f"{found['when']}的{found['what']}", exists=True)
            return self._related(made, f"{found['other']}的{found['what']}", exists=False) if made is not None else None
        some, times = found["some"], self.times.find(found["some"])
        if not times or some[times[-1].stop :].strip() or not self._is_only_time(found["rest"]):
            return None
        what = re.sub(r"\s+(?:in|on|during|since|before|after|within)\s*$", "", some[: times[-1].begin].rstrip(), flags=re.IGNORECASE)
        kinds = (partner.fullmatch(words) for words, partner in ((some, _PARTNER), (f"{what} {found['rest']}", _PARTNER)))
        first, second = (kind["rows"] if kind is not None else "" for kind in kinds)
        made = self._related(rows, first, exists=True) if first and second else None
        return self._related(made, second, exists=False) if made is not None else None

    def _by_owner_of_them(self, rows: Rows, text: str) -> Rows | None:
        """`whose sailing has status sailed`."""
        found = _WHOSE.fullmatch(text)
        thing = self.schema.entity(found["thing"]) if found else None
        if found is None or thing is None or thing == rows.table:
            return None
        link = "with" if found["verb"].lower() in ("has", "have", "had") else f"that {found['verb']}"
        return self.of_parent(rows, f"{found['thing']} {link} {found['rest']}")

    def _by_presence(self, rows: Rows, text: str) -> Rows | None:
        """`with a phone number`: the column has a value."""
        found = _HAS_VALUE.fullmatch(text)
        column = self.scope(rows.table).column(found["column"]) if found else None
        if column is None or column.step != rows.table.name:
            return None
        return replace(rows, where=(*rows.where, Call(function=Function.NOT_NULL, arguments=(column,))))

    def of_parent(self, rows: Rows, text: str) -> Rows | None:
        """The rows of those parents that a phrase names: `loans of readers with grp child`: a condition on what the rows refer to."""
        other = self.rows(text)
        if other is None or other.related or not other.where or other.table == rows.table:
            return None
        places = self.scope(rows.table).place_of(other.table)
        if len(places) != 1:
            return None
        return replace(rows, where=(*rows.where, *(seen_from(condition, other.table.name, places[0].alias) for condition in other.where)))

    def _is_between(self, named: TableDetail, scope: Scope, owner: TableDetail) -> bool:
        """Whether a table is the owner, or on the way to it."""
        places = scope.place_of(owner)
        if len(places) != 1:
            return False
        return any(
            place.table.full_name == named.full_name and places[0].alias.startswith(place.alias)
            for place in scope.places.values()
            if place.path
        )

    def _related(self, rows: Rows, text: str, *, exists: bool) -> Rows | None:
        other = self.rows(text, rows.table)
        if other is None or other.table.full_name == rows.table.full_name:
            return None
        return replace(rows, related=(*rows.related, Related(other, exists))) if self.link(other.table, rows.table) is not None else None

    def link(self, child: TableDetail, parent: TableDetail) -> tuple[tuple[str, str], ...] | None:
        """The columns by which rows of a table refer to rows of another, directly."""
        found = [key for key in self.schema.references(child) if self.schema.by_name[key.table].full_name == parent.full_name]
        return tuple(zip(found[0].columns, found[0].references, strict=True)) if len(found) == 1 else None

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

    def _is_only_time(self, text: str) -> bool:
        """Whether words say when, and not what happened then."""
        if not self.has_time(text):
            return False
        rest = text
        for time in reversed(self.times.find(text)):
            rest = f"{rest[: time.begin]} {rest[time.stop :]}"
        return not re.sub(
            r"\b(?:in|on|at|or|and|since|from|before|after|until|during|within|the|of|last|past|later)\b|[之以]?[前后]|以来|起|内|在|于|的|中|\W",
            "",
            rest,
            flags=re.IGNORECASE,
        )

    def has_time(self, text: str) -> bool:
        """Whether the words speak of a time."""
        return bool(self.times.find(text))


def _is_same(left: Rows, right: Rows) -> bool:
    """Whether the same conditions hold for rows, in any order."""
    return left.table == right.table and set(_parts(left.where)) == set(_parts(right.where))


def _parts(conditions: Sequence[Expression]) -> Iterator[Expression]:
    for condition in conditions:
        if isinstance(condition, Call) and condition.function is Function.AND:
            yield from _parts(condition.arguments)
        else:
            yield condition


def seen_from(value: Expression, base: str, alias: str) -> Expression:
    """A condition of a table as a row that refers to it sees it."""
    if isinstance(value, ColumnOf):
        return ColumnOf(step=f"{alias}{value.step.removeprefix(base)}", name=value.name)
    if isinstance(value, Call):
        return value.model_copy(update={"arguments": tuple(seen_from(item, base, alias) for item in value.arguments)})
    return value


def count_if(rows: Rows) -> Measure:
    """The number of rows."""
    return Measure(rows, Function.COUNT, None, True)


def over(first: Expression, second: Expression) -> Expression:
    """A ratio: null where the divisor is 0."""
    return Call(function=Function.OVER, arguments=(first, second))
