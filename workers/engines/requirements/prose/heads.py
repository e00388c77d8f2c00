"""Main sentences of special forms: rows put together, the latest row, the first of each group, every day."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy

from contracts.pipelines.expressions import Call, ColumnOf, Function
from contracts.queries import TimeUnit
from contracts.sql_review import WriteMode
from contracts.statements import name, names, say
from contracts.tables import TableDetail
from workers.engines.requirements.prose.column_lists import number_of, split_columns
from workers.engines.requirements.prose.columns import Columns, only_amount
from workers.engines.requirements.prose.draft import Draft, Latest, Rows, Spine, Top
from workers.engines.requirements.prose.nouns import plain
from workers.engines.requirements.prose.pieces import (
    COUNTER,
    UP,
    column_key,
    group_parts,
    group_value,
    key_of,
    next_day,
    own_column,
    tie_of,
    united,
)
from workers.engines.requirements.prose.rules import Surroundings
from workers.engines.requirements.prose.scope import Scope

_DATE = r"\d{4}-\d{2}-\d{2}"
_TIES = r"(?:\s*[;,；，（(]?\s*(?:(?:when|if) (?:there are )?(?:two|several|more)(?:[\w ]* (?:have|share) (?:the same|equal) [\w ]+?| (?:on|at) that (?:day|time|moment|date))?,? (?:the one with )?the (?P<dir>higher|larger|later|lower|smaller|earlier|highest|largest|latest|lowest|smallest|earliest) (?P<tie>\w+)(?: wins| is kept| counts| comes first)?|(?:ties?(?: are broken)?|equal \w+(?: \w+)?|among equal \w+)(?: by| go to| to)?:? (?:the one with )?(?:the )?(?P<dir2>higher|larger|later|lower|smaller|earlier|highest|largest|latest|lowest|smallest|earliest) (?P<tie2>\w+)(?: first)?|.{0,20}?(?:相同|一样|并列)(?:时|则)?[，,]?\s*(?:取|按|保留)?\s*(?P<tie3>\w+?)\s*(?:较|最)?(?P<dir3>大|小|晚|早|高|低)(?:的|者)?(?:那)?(?:一条|一行|在前|优先)?)[)）]?)"

_MERGE = re.compile(
    r"(?P<source>[\w.]+)(?:, (?:to|in|into) which rows are (?:only (?:ever )?)?(?:added|appended)(?: only)?,)? ?(?:incrementally )?"
    r"\((?:one row (?:a|an|per|for each) [\w ]+, )?(?:primary )?key (?P<key>[\w, ]+)\): (?:the )?(?:state|row|record|version) with the (?:latest|newest) (?P<time>\w+) wins"
    r"|(?P<source_zh>[\w.]+)[（(](?:每.{1,8}一行[，,]\s*)?主键\s*(?P<key_zh>[\w、，, ]+)[)）][:：]\s*以\s*(?P<time_zh>\w+)\s*最新的?(?:状态|记录|一条)?为准",
    re.IGNORECASE,
)


class Heads(Surroundings):
    """Reads main sentences of special forms."""

    def _prepared(self, draft: Draft) -> bool:
        """Note what sentences say of the rows before the columns are read."""
        return all(apply(draft, self.phrases) for apply in self._before)

    def _columns(self, draft: Draft, text: str, extra: Sequence[str] = ()) -> bool:
        parts = split_columns(text) if text.strip() else []
        return Columns(draft, self.phrases, self._definitions).read([*extra, *parts] if parts or extra else self._listed)

    def _source(self, text: str) -> tuple[str, list[TableDetail]]:
        """`from a and b together, rest`, 从 a, 把 a 和 b 合并后: what is left, and the tables."""
        found = re.match(
            r"\s*from (?P<list>[\w.]+(?:(?:\s*,\s*|\s+and\s+)[\w.]+)*)(?: (?:together|combined|put together))?(?=\s*[,:;]|\s+(?:with|one|for|by|per)\b|\s*$)\s*[,:;]?\s*",
            text,
            re.IGNORECASE,
        )
        if not found:
            found = re.match(
                r"\s*(?:从|由|基于|把|将)\s*(?P<list>[A-Za-z_][\w.]*(?:\s*(?:、|和|与|，)\s*[A-Za-z_][\w.]*)*)\s*(?:中|表|里)?(?:的?全部行|的?所有行)?(?:合并(?:在一起|起来)?(?:后|之后)?)?\s*[，,：:]?\s*",
                text,
            )
        if not found:
            return text, []
        tables = [self.schema.named(item) for item in re.split(r"\s*(?:,|、|，|\band\b|和|与)\s*", found["list"]) if item]
        known = [table for table in tables if table is not None]
        return (text[found.end() :], known) if len(known) == len(tables) else (text, [])

    def _bases(self, tables: Sequence[TableDetail], draft: Draft) -> Iterator[Draft]:
        """A draft for each table whose rows may be meant: the one that is named, the union of those, or any."""
        if len(tables) > 1:
            together = united(tables)
            if together is not None:
                made = deepcopy(draft)
                made.parts = tuple(tables)
                made.base = Scope(self.schema, together)
                self.phrases.put(made.base)
                yield made
            return
        for table in tables or self.schema.tables:
            made = deepcopy(draft)
            made.base = Scope(self.schema, table)
            self.phrases.put(made.base)
            if self._prepared(made):
                yield made

    def _union_rows(self, draft: Draft, pre: str, rest: str) -> Iterator[Draft]:
        """All rows of several tables together."""
        found = re.fullmatch(
            r"[:,]?\s*(?:all |the )?(?:rows|records|lines|entries)?\s*(?:of |from )?(?P<list>[\w.]+(?:(?:\s*,\s*|\s+and\s+)[\w.]+)+)(?: (?:together|combined|put together|stacked|in one table|appended))?,?(?: with (?:the columns )?(?P<cols>.+))?",
            rest,
            re.IGNORECASE | re.DOTALL,
        )
        found = found or re.fullmatch(
            r"[:：，,]?\s*(?:把|将)?\s*(?P<list>[A-Za-z_](?:(?![和与])[\w.])*(?:\s*(?:、|和|与)\s*[A-Za-z_](?:(?![和与])[\w.])*)+)\s*(?:的?(?:全部|所有)(?:行|记录|数据))?(?:合并(?:在一起|起来)?|放在一起|并在一起)[，,]?\s*(?:列为|包含|列[:：]|字段[:：])?\s*(?P<cols>.+)?",
            rest,
            re.DOTALL,
        )
        if not found or pre:
            return
        tables = [self.schema.named(item) for item in re.split(r"\s*(?:,|、|\band\b|和|与)\s*", found["list"]) if item]
        if any(table is None for table in tables):
            return
        for made in self._bases([table for table in tables if table is not None], draft):
            made.rows = Rows(made.base.base) if made.base else None
            if self._columns(made, found["cols"] or ""):
                yield made

    def _latest(self, draft: Draft, pre: str, rest: str) -> Iterator[Draft]:
        """The latest row of each key."""
        text, tables = self._source(rest)
        if not tables:
            pre, tables = self._source(pre)
        english = re.fullmatch(
            rf"[:,]?\s*(?:for (?:each|every) (?P<k>[\w ]+?),? )?(?:only |keep |take )?the (?P<w>latest|last|newest|most recent|current|first|earliest|oldest) (?P<e>row|record|version|state|entry|change|[\w ]+?)(?: (?:of|per|for) (?:each |every )?(?P<k2>[\w ]+?))?(?:,? | ?[(])(?:by|according to) (?P<u>\w+)(?P<ties>{_TIES})?[)]?(?:,? with (?P<cols>.+)|\s*:\s*(?P<cols2>.+))?",
            text,
            re.IGNORECASE | re.DOTALL,
        )
        chinese = re.fullmatch(
            rf"[:：，,]?\s*每{COUNTER}\s*(?P<k>.+?)(?:只|仅)?(?:保留|取)\s*(?P<u>\w+?)\s*最(?P<w>新|晚|大|近|早|小)的?(?:那)?(?:一条|一行|记录|状态)?(?:记录)?(?P<ties>{_TIES})?(?:[，,]\s*列为\s*(?P<cols>.+))?",
            text,
            re.DOTALL,
        )
        found = english or chinese
        if not found or pre:
            return
        thing = found["k"] or (found["k2"] if english else "") or ""
        if english and english["e"].lower() not in ("row", "record", "version", "state", "entry", "change"):
            named = self.schema.entity(english["e"])
            if named is None or (tables and named not in tables):
                return
            tables = [named]
        for made in self._bases(tables, draft):
            if made.base is None:
                continue
            scope = made.base
            keys = [key_of(part, scope) or column_key(part, scope) for part in group_parts(thing)]
            key = tuple(column for item in keys if item for column in item) if keys and all(keys) else None
            moment = own_column(scope, found["u"])
            if key is None or moment is None:
                continue
            tie = found["tie"] or found["tie2"] or found["tie3"]
            direction = (found["dir"] or found["dir2"] or found["dir3"] or "").lower()
            order = [(moment, found["w"] not in ("first", "earliest", "oldest", "早", "小"))]
            if tie:
                column = own_column(scope, tie)
                if column is None:
                    continue
                order.append((column, direction not in UP))
            elif scope.base.primary_key and not set(scope.base.primary_key) <= {item.name for item in key}:
                order += [(ColumnOf(step=scope.base.name, name=item), True) for item in scope.base.primary_key]
                made.assumptions.append(say("requirements.assume.ties", columns=names(scope.base.primary_key)))
            made.rows, made.latest = Rows(scope.base), Latest(key, tuple(order))
            listed = found["cols"] or found.groupdict().get("cols2") or ""
            if self._columns(made, listed, () if listed or self._listed else [column.name for column in scope.base.columns]):
                yield made

    def _merged(self, draft: Draft, pre: str, rest: str) -> Iterator[Draft]:
        """`Merge a, ..., into b (one row per thing, primary key k): the state with the latest t wins`: rows of a change table by their key."""
        found = _MERGE.fullmatch(rest)
        source = self.schema.named(found["source"] or found["source_zh"]) if found else None
        if found is None or source is None or pre:
            return
        for made in self._bases([source], draft):
            if made.base is None:
                continue
            scope = made.base
            keys = [own_column(scope, part) for part in group_parts(found["key"] or found["key_zh"])]
            moment = own_column(scope, found["time"] or found["time_zh"])
            if moment is None or any(key is None for key in keys):
                continue
            known_keys = tuple(key for key in keys if key is not None)
            has_key = tuple(Call(function=Function.NOT_NULL, arguments=(key,)) for key in known_keys)  # a primary key is never null
            made.rows, made.latest = Rows(source, has_key), Latest(known_keys, ((moment, True),))
            known = self.schema.named(made.table)
            wanted = [column.name for column in (known or source).columns]
            made.mode = WriteMode.UPSERT
            if self._columns(made, "", wanted):
                yield made

    def _top(self, draft: Draft, pre: str, rest: str) -> Iterator[Draft]:
        """The first things of each group by a measure."""
        text, tables = self._source(rest)
        english = re.fullmatch(
            r"[:,]?\s*(?:for (?:each|every) (?P<g>[\w ]+?),? )?the (?:top )?(?P<n>\w+) (?P<e>[\w ]+?)(?: (?:of|in|per) (?:each|every) (?P<g2>[\w ]+?))? (?:with|by) the (?P<d>highest|most|largest|greatest|lowest|fewest|smallest|least) (?P<m>\w[\w ]*?)(?:\s*\((?P<def>.+?)\))?(?P<ties>"
            + _TIES
            + r")?(?:\s*[:;]\s*(?P<cols>.+)|,? with (?P<cols2>.+))?",
            text,
            re.IGNORECASE | re.DOTALL,
        )
        chinese = re.fullmatch(
            rf"[:：，,]?\s*(?:每{COUNTER}\s*(?P<g>[^的]+?)(?:的|中|内|里)?\s*)?(?P<m>\w+?)\s*(?:最(?P<d>高|多|大|低|少|小)的|[（(](?P<def0>[^（()）]+)[)）]\s*(?=前)|(?=前))\s*前?\s*(?P<n>\d+|[一二两三四五六七八九十]+)\s*{COUNTER}\s*的?\s*(?P<e>[^，,：:（(]+?)(?:[（(](?P<def>.+)[)）])?(?:[，,：:]\s*(?:列为|列：)?\s*(?P<cols>.+))?",
            text,
            re.DOTALL,
        )
        found = english or chinese
        if not found or pre or tables:
            return
        groups = found.groupdict()
        number, entity = number_of(found["n"]), self.schema.entity(found["e"])
        if number is None or entity is None:
            return
        draft.entity, draft.only_with_rows = entity, True
        if not self._prepared(draft):
            return
        group, spoken = self._group_and_measure(groups.get("g") or groups.get("g2") or "", found["m"], entity)
        measure = plain(spoken).replace(" ", "_")
        parts = split_columns(groups.get("cols") or groups.get("cols2") or "") or self._listed
        parts = [part.replace(" ", "_") if plain(part) == plain(spoken) else part for part in parts]  # `repair cost`
        definition = groups.get("def") or groups.get("def0")
        place, ties = "", ((groups.get("tie") or groups.get("tie2")), (groups.get("dir") or groups.get("dir2")))
        kept: list[str] = []
        for part in parts:
            ranked = re.fullmatch(
                r"(?P<l>place|rank|position|pos|rn|row_no|排名|名次|\w*(?:place|rank)\w*)\s*(?:[（(](?P<in>.*)[)）])?", part, re.IGNORECASE
            )
            if ranked and not place:
                place = ranked["l"].lower()
                if inside := (ranked["in"] or ""):
                    body = re.sub(
                        rf"^(?:1|from 1) ?(?:to|到|至|起|-) ?{number}\s*[;,；，]?\s*|^从 ?1 ?(?:到 ?{number}|开始)[;,；，]?\s*",
                        "",
                        inside.strip(),
                    )
                    tied = re.fullmatch(_TIES, body) if body else None
                    if body and tied is None:
                        return
                    if tied:
                        ties = (tied["tie"] or tied["tie2"] or tied["tie3"], tied["dir"] or tied["dir2"] or tied["dir3"])
            else:
                kept.append(part)
        if definition:
            kept = [f"{part} ({definition})" if plain(part).replace(" ", "_") == measure else part for part in kept]
        reader = Columns(draft, self.phrases, self._definitions)
        if not kept or not reader.read(kept):
            return
        by = next((label for label in draft.measures if plain(label).replace(" ", "_") in (measure, plain(f"total_{measure}"))), None)
        if by is None and len(draft.measures) == 1 and groups.get("def") is None and re.sub(r"[\u3400-\u9fff]", "", spoken) == "":
            by = next(iter(draft.measures))
        labels = self._group_labels(draft, group, entity)
        if by is None or labels is None:
            return
        tie = tie_of(draft, self.phrases.scope(entity), ties)
        if tie is None:
            return
        if place:
            order = [re.fullmatch(r"`?(\w+).*", part, re.DOTALL) for part in parts]
            draft.order = [item[1].lower() for item in order if item]
        draft.top = Top(
            number, by, (found["d"] or "高").lower() in ("highest", "most", "largest", "greatest", "高", "多", "大"), labels, tie, place
        )
        yield draft

    def _group_and_measure(self, group: str, measure: str, entity: TableDetail) -> tuple[str, str]:
        """每个车队运费合计最高的: where nothing is between what is grouped by and what is measured, the first that names a column is."""
        scope, both = self.phrases.scope(entity), f"{group}{measure}"
        if not group or scope.column(group) is not None or not re.match(r"[\u3400-\u9fff]", measure):
            return group, measure
        places = (place for place in range(1, len(both)) if scope.column(both[:place]) is not None)
        place = next(places, len(group))
        return both[:place], both[place:]

    def _group_labels(self, draft: Draft, words: str | None, entity: TableDetail) -> tuple[str, ...] | None:
        """The columns of the target by which things are grouped: one that is named, or those of a table that is."""
        if not words:
            return ()
        scope = self.phrases.scope(entity)
        value = scope.column(words)
        found = [label for label, item in draft.keys.items() if item == value and value is not None]
        if not found and (table := self.schema.entity(words)) is not None:
            places = {place.alias for place in scope.place_of(table)}
            key = key_of(words, scope)  # a machine's own branch_id stands for its branch
            found = [
                label
                for label, item in draft.keys.items()
                if isinstance(item, ColumnOf) and ((item.step in places and scope.may_tell_apart(item)) or (item,) == key)
            ]
        return tuple(found) if len(found) == 1 else None

    def _spine(self, draft: Draft, pre: str, rest: str) -> Iterator[Draft]:
        """One row for each thing and each day of a period."""
        english = re.match(
            rf"[:,]?\s*(?:with )?(?:one row )?for (?:each|every) (?P<g>\w[\w ]*?)(?: (?:in|of) (?P<s>[\w.]+))?,? and (?:for )?(?:each|every) (?:calendar )?day (?:from|between) (?P<a>{_DATE}) (?:to|until|through|till|and) (?P<b>{_DATE})(?: inclusive)?\s*[:,]?\s*",
            rest,
            re.IGNORECASE,
        )
        chinese = re.fullmatch(
            rf"(?:为)?\s*(?P<s>[A-Za-z_][\w.]*)?\s*(?:中|里|表)?的?每{COUNTER}\s*(?P<g>.+?)[、，,和]\s*(?P<a>{_DATE})\s*(?:到|至)\s*(?P<b>{_DATE})\s*(?:的|之间的?|期间的?)?每(?:一)?(?:个)?(?:自然|日历)?(?:日|天)",
            pre,
        )
        found = english or chinese
        if not found:
            return
        columns = rest[found.end() :] if english else re.sub(r"^[:：，,]\s*", "", rest)
        columns = re.sub(r"[，,]\s*以及\s*", "，", re.sub(r",?\s+and\s+(?=\w+\s*[=(])", ", ", columns))
        source = self.schema.named(found["s"]) if found["s"] else None
        if found["s"] and source is None:
            return
        for made in self._bases([source] if source else [], draft):
            if made.base is None or (moment := made.base.moment()) is None:
                continue
            thing = group_value(found["g"], made.base)
            names_ = [re.fullmatch(r"`?(\w+)`?.*", part, re.DOTALL) for part in split_columns(columns)]
            days = [
                item[1].lower()
                for item in names_
                if item and re.fullmatch(r"(?:\w+_)?(?:day|date|dt|calendar_day)|\w+_on", item[1].lower())
            ]
            if thing is None or len(days) != 1:
                continue
            made.is_grouped = True
            value = (
                moment
                if re.fullmatch(r"date", made.base.type_of(moment), re.IGNORECASE)
                else Call(function=Function.CUT, arguments=(moment,), unit=TimeUnit.DAY)
            )
            label = next(
                (
                    item[1].lower()
                    for item in names_
                    if item and (plain(item[1]) == plain(found["g"]) or item[1].lower() == getattr(thing, "name", ""))
                ),
                "",
            )
            if not label:
                continue
            made.keys = {label: thing, days[0]: value}
            made.units = {days[0]: TimeUnit.DAY}
            made.spine = Spine(found["a"], found["b"], days[0], (label,), moment)
            if self._spine_columns(made, columns):
                bounds = self.phrases.values(made.base.base).within(moment, found["a"], next_day(found["b"]))
                made.rows = Rows(made.base.base, (bounds,) if bounds is not None else ())
                yield made

    def _spine_columns(self, draft: Draft, text: str) -> bool:
        """A measure may be named alone: `kwh (0 on a day without a reading)` is the sum of that column on the day."""
        parts: list[str] = []
        for part in split_columns(text):
            bare = re.fullmatch(r"(?P<l>[A-Za-z_]\w*)\s*[（(](?P<none>[^()（）]*(?:0|zero)[^()（）]*)[)）]", part)
            if bare and draft.base is not None and re.match(r"\s*(?:0|zero)\b|没有|无", bare["none"]):
                value = draft.base.column(bare["l"]) or only_amount(draft.base, bare["l"])
                if value is None:
                    return False
                parts.append(f"{bare['l']} (sum of {value.name}, 0 if none)")
                draft.assumptions.append(say("requirements.assume.sum", column=name(value.name)))
            else:
                parts.append(part)
        return Columns(draft, self.phrases, self._definitions).read(parts)
