"""Phrases for rows of a table: `done visits in 2024`, `members without payments`, 状态为 done 的就诊."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from contracts.pipelines.expressions import Call, ColumnOf, Expression, Function, columns_in
from contracts.tables import TableDetail
from workers.engines.requirements.prose.domains import domain_of
from workers.engines.requirements.prose.draft import Related, Rows
from workers.engines.requirements.prose.never import never_done
from workers.engines.requirements.prose.nouns import nouns_of, plain
from workers.engines.requirements.prose.phrase_cuts import relative_cuts
from workers.engines.requirements.prose.schema import Schema
from workers.engines.requirements.prose.scope import Scope
from workers.engines.requirements.prose.values import Values, cuts
from workers.engines.times import TimeWords

_MOST_CHARACTERS, _MOST_CHINESE = 300, 100
"""Characters of a phrase for rows. A Chinese one may be cut at each of them, and each rest is read again."""
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


class RowPhrases:
    """Reads phrases for rows over a schema."""

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
        if not body or len(body) > (_MOST_CHARACTERS if body.isascii() else _MOST_CHINESE):
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
