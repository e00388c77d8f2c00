"""Requirements in prose, sentence by sentence: what a row is, its columns, and the rules around them. All of it, or nothing."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from datetime import datetime

from contracts.pipelines.expressions import Call, ColumnOf, Expression, Function
from contracts.queries import TimeUnit
from contracts.statements import name, names, say
from contracts.tables import TableDetail
from workers.engines.requirements.envelope import Envelope, is_frame
from workers.engines.requirements.facts import NotRead, RequirementReading
from workers.engines.requirements.prose.building import Builder
from workers.engines.requirements.prose.columns import Columns, number_of, only_amount, split_columns
from workers.engines.requirements.prose.draft import AsOf, Draft, Latest, Rows, Spine, Top
from workers.engines.requirements.prose.measures import Phrases
from workers.engines.requirements.prose.scope import Place, Schema, Scope, plain
from workers.engines.requirements.prose.values import normal_times
from workers.engines.sql.build_values import TEMPORAL

_NAME = r"`?(?P<name>[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)?)`?"
_MAIN = re.compile(
    rf"(?:please\s+)?(?:(?:we|i)\s+(?:need|want)|build|create|make|produce|prepare|generate|maintain|keep|provide|load)\s+(?:me\s+|us\s+)?(?:a\s+|an\s+|the\s+)?(?:new\s+)?(?:table\s+|view\s+|mart\s+)?(?:called\s+|named\s+)?{_NAME}(?P<rest>(?=[\s,:;(]|$).*)",
    re.IGNORECASE | re.DOTALL,
)
_MAIN_ZH = re.compile(
    rf"(?P<pre>.*?)(?:请)?(?:(?:我们?)?需要|建立|创建|新建|生成|制作|构建|加工|产出|维护)(?:一张|一个)?(?:新)?(?:汇总|宽|结果)?(?:表)?\s*(?:(?P<what>[^A-Za-z_`]{{1,30}}?)的\s*)?{_NAME}\s*(?:表)?(?P<rest>.*)",
    re.DOTALL,
)
_DATE = r"\d{4}-\d{2}-\d{2}"
_COUNTER = r"(?:一)?(?:个|位|家|名|条|笔|件|张|只|台|辆|份|种|类|本|部|门|间)?"
_TIES = r"(?:\s*[;,；，（(]?\s*(?:(?:when|if) (?:two|several|more)[\w ]* (?:have|share) (?:the same|equal) [\w ]+?,? (?:the one with )?the (?P<dir>higher|larger|later|lower|smaller|earlier|highest|largest|latest|lowest|smallest|earliest) (?P<tie>\w+)(?: wins| is kept| counts| comes first)?|(?:ties?(?: are broken)?|equal \w+(?: \w+)?|among equal \w+)(?: by| go to| to)?:? (?:the one with )?(?:the )?(?P<dir2>higher|larger|later|lower|smaller|earlier|highest|largest|latest|lowest|smallest|earliest) (?P<tie2>\w+)(?: first)?|.{0,20}?(?:相同|一样|并列)时?[，,]?\s*(?:取|按|保留)?\s*(?P<tie3>\w+?)\s*(?:较|最)?(?P<dir3>大|小|晚|早|高|低)(?:的|者)?(?:那)?(?:一条|一行|在前|优先)?)[)）]?)"
_UP = frozenset({"lower", "smaller", "earlier", "lowest", "smallest", "earliest", "小", "早", "低"})
_UNITS = {"day": TimeUnit.DAY, "week": TimeUnit.WEEK, "month": TimeUnit.MONTH, "quarter": TimeUnit.QUARTER, "year": TimeUnit.YEAR}


def read_prose(text: str, tables: Sequence[TableDetail], now: datetime) -> RequirementReading | None:
    """The requirement, if every sentence of it is read; None otherwise."""
    for base_first in (False, True):
        try:
            found = _Reader(text, tables, now).read()
        except (NotRead, RecursionError):
            return None
        if found is not None or base_first:
            return found
    return None


def sentences(text: str) -> list[str]:
    """Sentences, where a point between figures ends none."""
    body = re.sub(r"^\s*(?:#{1,6}\s+|[-*+]\s+)|\*\*|`", "", text, flags=re.MULTILINE)
    parts = re.split(r"(?<=[.!?])\s+(?=[A-Z`\d])|(?<=[。！])|\.\s*$|\n\s*\n", re.sub(r"(?<!\n)\n(?!\n)", " ", body))
    return [part for part in (item.strip().rstrip(".。！!").strip() for item in parts if item) if part]


class _Reader:
    def __init__(self, text: str, tables: Sequence[TableDetail], now: datetime) -> None:
        self.schema, self.now = Schema(tables), now
        self.phrases = Phrases(self.schema, now)
        self._sentences = sentences(normal_times(text))
        self._definitions: dict[str, str] = {}
        self._listed: list[str] = []
        self._rules: list[Callable[[Draft], bool]] = []
        self._before: list[Callable[[Draft, Phrases], bool]] = []
        self._place: tuple[str, tuple[tuple[str, bool], ...]] = ("", ())

    def read(self) -> RequirementReading | None:
        main: re.Match[str] | None = None
        frame = Envelope()
        for sentence in self._sentences:
            if is_frame(sentence, frame):
                continue
            if main is None and (found := self._main(sentence)) is not None:
                main = found
            elif not self._rule(sentence):
                return None
        if main is None:
            return None
        for draft in self._drafts(main):
            if all(rule(draft) for rule in self._rules):
                try:
                    return Builder(draft, self.phrases).make()
                except NotRead:
                    continue
        return None

    @staticmethod
    def _main(sentence: str) -> re.Match[str] | None:
        moved = re.fullmatch(
            r"(?P<from>from [\w.]+(?:(?:, | and )[\w.]+)*(?: together)?),? (?P<rest>(?:build|create|make|produce|prepare|generate|maintain) .+)",
            sentence,
            re.IGNORECASE | re.DOTALL,
        )
        if moved and (found := _MAIN.fullmatch(moved["rest"])):  # `From a build b: ...` as `Build b from a: ...`
            return _MAIN.fullmatch(f"Build {found['name']} {moved['from']}{found['rest']}")
        found = _MAIN.fullmatch(sentence)
        if found:
            return found
        return _MAIN_ZH.fullmatch(sentence) if re.search(r"[\u3400-\u9fff]", sentence) else None

    # ---- sentences around the main one

    def _rule(self, sentence: str) -> bool:
        """Note what a sentence says; False: it is not understood."""
        readers = (
            self._columns_rule,
            self._is_utc,
            self._nothing,
            self._zeros,
            self._unmatched,
            self._as_of,
            self._restriction,
            self._definition,
        )
        return any(read(sentence) for read in readers)

    def _columns_rule(self, sentence: str) -> bool:
        found = re.fullmatch(
            r"(?:(?:the )?columns(?: are)?|with the columns|列(?:为|是|包括)?|字段(?:为|是|包括)?|包含(?:列|字段)?)\s*[:：]?\s*(?P<list>.+)",
            sentence,
            re.IGNORECASE | re.DOTALL,
        )
        if not found:
            return False
        self._listed = split_columns(found["list"])
        return bool(self._listed)

    def _is_utc(self, sentence: str) -> bool:
        """`created_at is in UTC`: it is what local times are counted from."""
        found = re.fullmatch(
            r"(?P<c>\w+) (?:is|are) (?:stored |kept |given )?in UTC|(?P<zh>\w+?)\s*(?:为|是|存为|以)\s*UTC(?: ?时间|存储)?",
            sentence,
            re.IGNORECASE,
        )
        if found:
            self._utc = found["c"] or found["zh"]
        return bool(found)

    @staticmethod
    def _nothing(sentence: str) -> bool:
        """Sentences that change nothing: a table has no order, and every script can run twice."""
        return bool(re.fullmatch(
            r"(?:it is |the rows are |rows are |the table is )?(?:sorted|ordered) by .+|(?:按|依).+(?:排序|升序|降序).*|running (?:it |the script )?(?:twice|again).* changes nothing|a second run changes nothing|(?:重复|再次)(?:执行|运行).*(?:不变|相同)|thanks?(?: you)?|谢谢",
            sentence, re.IGNORECASE))  # fmt: skip

    def _zeros(self, sentence: str) -> bool:
        found = re.fullmatch(
            r"(?P<e>[\w ]+?) (?:without|that have no|with no|who have no|which have no)(?: such| any)? (?P<rows>[\w ]+?) (?:have|get|has|gets|show|are (?:given|kept with|shown with|listed with)|stay(?: in)? with|count as|appear with)(?: a)? (?:zeros?|0s?)(?: everywhere| in all columns| as counts?)?"
            r"|没有(?:这种|此类|任何|这些)?(?P<rows_zh>.+?)的(?P<e_zh>.+?)(?:各项|各列|各指标|全部|都|均)?(?:为|记为?|填|是|显示)\s*0(?:行|列)?",
            sentence,
            re.IGNORECASE,
        )
        if not found:
            return False
        words = found["e"] or found["e_zh"]

        def apply(draft: Draft) -> bool:
            draft.zeros = True
            named = self.schema.entity(words)
            return draft.entity is not None and named is not None and named.full_name == draft.entity.full_name

        self._rules.append(apply)
        return True

    def _unmatched(self, sentence: str) -> bool:
        """Rows without a partner stay in, with nulls: so they are joined anyway."""
        found = re.fullmatch(
            r"(?P<rows>[\w ]+?) (?:without|that have no|for which there is no|with no)(?: an?y?)? (?P<other>[\w ]+?)(?: (?:before (?:it|them|that)|yet|on or before .+))? (?:stay(?: in)?|are kept|remain|are included|also appear)(?:,? with (?:a )?null (?P<cols>.+))?"
            r"|(?P<rows2>[\w ]+?) (?:without|with no) (?:one|any|such \w+) (?:keep|have|get|show|stay(?: in)? with) nulls?(?: (?:values?|there))?"
            r"|(?:之前|此前)?没有(?:任何)?(?P<other_zh>.+?)的(?P<rows_zh>.+?)也?(?:要|需)?(?:保留|包含|在内)(?:[，,]\s*(?P<cols_zh>.+?)(?:为空|为 ?null))?",
            sentence,
            re.IGNORECASE,
        )
        if not found:
            return False
        labels = [
            plain(part) for part in re.split(r"\s*(?:,|，|、|\band\b(?: null)?|和|与)\s*", found["cols"] or found["cols_zh"] or "") if part
        ]

        def apply(draft: Draft) -> bool:
            base = draft.entity or (draft.base.base if draft.base is not None else None)
            named = self.schema.entity(found["rows"] or found["rows2"] or found["rows_zh"])
            known = {plain(label) for label in draft.order}
            return (
                base is not None
                and named is not None
                and named.full_name == base.full_name
                and not draft.is_grouped
                and {plain(re.sub(r"^null ", "", label)) for label in labels} <= known
            )

        self._rules.append(apply)
        return True

    def _as_of(self, sentence: str) -> bool:
        """`Use the latest rate on or before paid_on`: a row of another table holds until the next one."""
        found = re.fullmatch(
            r"(?:use|take|apply) the (?:latest|last|most recent) (?P<other>\w+(?: \w+)??)(?: row)? (?:on or before|not after|valid on|as of) (?:the )?(?P<day>\w+)(?: [(（].*[)）])?"
            r"|(?:use|take|apply) the (?P<other2>\w+)(?: row| entry| record)?(?: (?:of|for) (?:the )?(?P<by>.+?))? with the (?:latest|last|highest|most recent) (?P<since>\w+) (?:on or before|not after) (?:the )?(?P<day2>\w+)"
            r"|取(?P<by_zh>.+?)?在?\s*(?P<day3>[A-Za-z_]\w*)\s*(?:当日|当天)?(?:或|及)(?:之前|以前)(?:的)?最近(?:一次|一条|一个)?(?:的)?\s*(?P<since3>[A-Za-z_]\w*)?\s*的?(?P<other3>.+?)(?:[（(].*[)）])?",
            sentence,
            re.IGNORECASE,
        )
        if not found:
            return False

        def apply(draft: Draft, phrases: Phrases) -> bool:
            other = self.schema.entity(found["other"] or found["other2"] or found["other3"] or "")
            if other is None or draft.base is None or draft.base.base == other:
                return False
            scope = draft.base
            moment = scope.column(found["day"] or found["day2"] or found["day3"])
            since = found["since"] or found["since3"] or ""
            times = [
                column.name
                for column in other.columns
                if TEMPORAL.search(column.type) and (not since or column.name.lower() == since.lower())
            ]
            if moment is None or len(times) != 1:
                return False
            shared = [
                (place, column.name)
                for column in other.columns
                if column.name != times[0] and (place := _same_name(scope, column.name)) is not None
            ]
            if not shared:
                return False
            draft.as_of = AsOf(other, times[0], moment, tuple(shared))
            alias = f"{scope.base.name}>as_of"
            scope.places[alias] = Place(
                alias,
                other.model_copy(
                    update={"columns": tuple(column for column in other.columns if column.name not in {item for _, item in shared})}
                ),
                (),
            )
            scope.places[alias] = Place(alias, scope.places[alias].table, _FAR)
            return True

        self._before.append(apply)
        return True

    def _restriction(self, sentence: str) -> bool:
        """`Only done visits count`, `Leave out test customers`, 只统计..., 不含...."""
        keeps = re.fullmatch(
            r"(?:only|count only|consider only|use only|include only) (?P<rows>.+?)(?: (?:count|are (?:counted|considered|included|used)|matter))?|(?:只|仅)(?:统计|计|考虑|算|包含|取)(?:入)?\s*(?P<zh>.+)",
            sentence,
            re.IGNORECASE,
        )
        drops = re.fullmatch(
            r"(?:leave out|exclude|ignore|skip|without|do not count|don't count) (?P<rows>.+)|(?P<rows2>.+?) (?:are|is) (?:ignored|left out|excluded|not counted)|(?:不含|排除|剔除|不计|不统计|忽略|去掉)\s*(?P<zh>.+)|(?P<zh2>.+?)(?:不计|不算|不统计)(?:在内|入)?",
            sentence,
            re.IGNORECASE,
        )
        found = keeps or drops
        if not found:
            return False
        words = next(value for value in found.groupdict().values() if value)

        def apply(draft: Draft) -> bool:
            base = draft.base.base if draft.base is not None else None
            rows = self.phrases.rows(words, draft.entity, base)
            if rows is None or not rows.where or rows.related:
                return False
            used = (
                {measure.rows.table.full_name for measure in draft.measures.values()}
                | ({draft.entity.full_name} if draft.entity else set())
                | ({base.full_name} if base else set())
            )
            (draft.kept if keeps else draft.excluded).append(rows)
            return rows.table.full_name in used

        self._rules.append(apply)
        return True

    def _definition(self, sentence: str) -> bool:
        """`fees = ...`, `fees is ...`, fees 指 ....: of a column that is listed without a definition."""
        found = re.fullmatch(
            r"(?P<name>[A-Za-z_]\w*)\s*(?:=|＝|:|：|\bis\b|\bmeans\b|\bare\b|是|指|为)\s*(?P<text>.+)", sentence, re.IGNORECASE | re.DOTALL
        )
        if found:
            self._definitions[found["name"].lower()] = found["text"].strip()

            def apply(draft: Draft) -> bool:
                return found["name"].lower() in draft.order

            self._rules.append(apply)
        return bool(found)

    # ---- the main sentence

    def _drafts(self, main: re.Match[str]) -> Iterator[Draft]:
        """The readings of the main sentence that take all of it."""
        groups = main.groupdict()
        pre, rest, table = (groups.get("pre") or "").strip(" ，,：:"), main["rest"].strip(), main["name"].lower()
        if groups.get("what"):
            return
        rest = re.sub(r"^[:：]\s*", "", rest)
        for read in (self._union_rows, self._latest, self._top, self._spine, self._entity, self._groups, self._plain_rows):
            draft = Draft(table)
            try:
                made = list(read(draft, pre, rest))
            except NotRead:
                continue
            if len(made) == 1:
                yield made[0]
                return
            if made:
                return

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
            united = _united(tables)
            if united is not None:
                made = deepcopy(draft)
                made.parts = tuple(tables)
                made.base = Scope(self.schema, united)
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
            r"[:：，,]?\s*(?:把|将)?\s*(?P<list>[A-Za-z_][\w.]*(?:\s*(?:、|和|与)\s*[A-Za-z_][\w.]*)+)\s*(?:的?(?:全部|所有)(?:行|记录|数据))?(?:合并(?:在一起|起来)?|放在一起|并在一起)[，,]?\s*(?:列为|包含|列[:：]|字段[:：])?\s*(?P<cols>.+)?",
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
            rf"[:,]?\s*(?:for (?:each|every) (?P<k>[\w ]+?),? )?(?:only |keep |take )?the (?P<w>latest|last|newest|most recent|current|first|earliest|oldest) (?:row|record|version|state|entry|change)(?: (?:of|per|for) (?:each |every )?(?P<k2>[\w ]+?))? (?:by|according to) (?P<u>\w+)(?P<ties>{_TIES})?(?:,? with (?P<cols>.+))?",
            text,
            re.IGNORECASE | re.DOTALL,
        )
        chinese = re.fullmatch(
            rf"[:：，,]?\s*每{_COUNTER}\s*(?P<k>.+?)(?:只|仅)?(?:保留|取)\s*(?P<u>\w+?)\s*最(?P<w>新|晚|大|近|早|小)的?(?:那)?(?:一条|一行|记录|状态)?(?:记录)?(?P<ties>{_TIES})?(?:[，,]\s*列为\s*(?P<cols>.+))?",
            text,
            re.DOTALL,
        )
        found = english or chinese
        if not found or pre:
            return
        thing = found["k"] or (found["k2"] if english else "") or ""
        for made in self._bases(tables, draft):
            if made.base is None:
                continue
            scope = made.base
            keys = [_key_of(part, scope) for part in _group_parts(thing)]
            key = tuple(column for item in keys if item for column in item) if keys and all(keys) else None
            moment = _own_column(scope, found["u"])
            if key is None or moment is None:
                continue
            tie = found["tie"] or found["tie2"] or found["tie3"]
            direction = (found["dir"] or found["dir2"] or found["dir3"] or "").lower()
            order = [(moment, found["w"] not in ("first", "earliest", "oldest", "早", "小"))]
            if tie:
                column = _own_column(scope, tie)
                if column is None:
                    continue
                order.append((column, direction not in _UP))
            elif scope.base.primary_key and not set(scope.base.primary_key) <= {item.name for item in key}:
                order += [(ColumnOf(step=scope.base.name, name=item), True) for item in scope.base.primary_key]
                made.assumptions.append(say("requirements.assume.ties", columns=names(scope.base.primary_key)))
            made.rows, made.latest = Rows(scope.base), Latest(key, tuple(order))
            if self._columns(
                made, found["cols"] or "", () if found["cols"] or self._listed else [column.name for column in scope.base.columns]
            ):
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
            rf"[:：，,]?\s*(?:每{_COUNTER}\s*(?P<g>[^的]+?)(?:的|中|内|里)?\s*)?(?P<m>\w+?)\s*最(?P<d>高|多|大|低|少|小)的\s*(?P<n>\d+|[一二两三四五六七八九十]+)\s*{_COUNTER}\s*(?P<e>[^，,：:（(]+?)(?:[（(](?P<def>.+)[)）])?(?:[，,：:]\s*(?:列为|列：)?\s*(?P<cols>.+))?",
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
        measure = plain(found["m"]).replace(" ", "_")
        parts = split_columns(groups.get("cols") or groups.get("cols2") or "") or self._listed
        definition = groups.get("def")
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
        if by is None and len(draft.measures) == 1 and groups.get("def") is None and re.sub(r"[\u3400-\u9fff]", "", found["m"]) == "":
            by = next(iter(draft.measures))
        labels = self._group_labels(draft, groups.get("g") or groups.get("g2"), entity)
        if by is None or labels is None:
            return
        tie = _tie(draft, entity, ties)
        if tie is None:
            return
        if place:
            order = [re.fullmatch(r"`?(\w+).*", part, re.DOTALL) for part in parts]
            draft.order = [item[1].lower() for item in order if item]
        draft.top = Top(number, by, found["d"].lower() in ("highest", "most", "largest", "greatest", "高", "多", "大"), labels, tie, place)
        yield draft

    def _group_labels(self, draft: Draft, words: str | None, entity: TableDetail) -> tuple[str, ...] | None:
        """The columns of the target by which things are grouped: one that is named, or those of a table that is."""
        if not words:
            return ()
        scope = self.phrases.scope(entity)
        value = scope.column(words)
        found = [label for label, item in draft.keys.items() if item == value and value is not None]
        if not found and (table := self.schema.entity(words)) is not None:
            places = {place.alias for place in scope.place_of(table)}
            found = [label for label, item in draft.keys.items() if isinstance(item, ColumnOf) and item.step in places]
        return tuple(found) if len(found) == 1 else None

    def _spine(self, draft: Draft, pre: str, rest: str) -> Iterator[Draft]:
        """One row for each thing and each day of a period."""
        english = re.match(
            rf"[:,]?\s*(?:with )?(?:one row )?for (?:each|every) (?P<g>\w[\w ]*?)(?: (?:in|of) (?P<s>[\w.]+))?,? and (?:for )?(?:each|every) (?:calendar )?day (?:from|between) (?P<a>{_DATE}) (?:to|until|through|till|and) (?P<b>{_DATE})(?: inclusive)?\s*[:,]?\s*",
            rest,
            re.IGNORECASE,
        )
        chinese = re.fullmatch(
            rf"(?:为)?\s*(?P<s>[A-Za-z_][\w.]*)?\s*(?:中|里|表)?的?每{_COUNTER}\s*(?P<g>.+?)[、，,和]\s*(?P<a>{_DATE})\s*(?:到|至)\s*(?P<b>{_DATE})\s*(?:的|之间的?|期间的?)?每(?:一)?(?:个)?(?:自然|日历)?(?:日|天)",
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
            thing = _group_value(found["g"], made.base)
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
                bounds = self.phrases.values(made.base.base).within(moment, found["a"], _next_day(found["b"]))
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

    def _entity(self, draft: Draft, pre: str, rest: str) -> Iterator[Draft]:
        """One row for each thing of a table."""
        text, tables = self._source(rest)
        if tables and len(tables) == 1 and not pre:
            rest = text
        for grain, columns in _grains(pre, rest):
            made = deepcopy(draft)
            entity, only = self._thing(grain)
            if entity is None:
                continue
            made.entity, made.rows = entity.table, entity
            made.base = self.phrases.scope(entity.table)
            if not self._prepared(made):
                continue
            made.only_with_rows = only
            if self._columns(made, columns):
                made.base = None
                yield made
                return

    def _thing(self, grain: str) -> tuple[Rows | None, bool]:
        """The things that a phrase names, with their restrictions."""
        rows = self.phrases.rows(grain)
        return rows, False

    def _groups(self, draft: Draft, pre: str, rest: str) -> Iterator[Draft]:
        """One row for each combination of values."""
        rest, tables = self._source(rest)
        if not tables:
            pre, tables = self._source(pre)
        for grain, columns in _grains(pre, rest):
            for made in self._bases(tables, draft):
                if self._grouped(made, grain, columns):
                    yield made

    def _grouped(self, draft: Draft, grain: str, columns: str) -> bool:
        if draft.base is None:
            return False
        draft.is_grouped, draft.rows = True, Rows(draft.base.base)
        words = grain
        if found := re.fullmatch(
            r"(?P<g>.+?) (?:on|in|for) which (?:there )?(?:were|are|was|is|had|have) (?P<rows>.+)|有(?P<rows_zh>.+)的(?P<g_zh>每?.+)",
            grain,
            re.IGNORECASE,
        ):
            rows = self.phrases.rows(found["rows"] or found["rows_zh"], None, draft.base.base)
            if rows is None or rows.table != draft.base.base:
                return False
            draft.rows, words = rows, found["g"] or found["g_zh"]
        for part in _group_parts(words):
            value = _group_value(part, draft.base) or self.phrases.values(draft.base.base).value(part)
            if value is None:
                return False
            is_unit = isinstance(value, Call) and value.function is Function.CUT and value.unit is not None
            label = (
                value.unit.value
                if isinstance(value, Call) and value.unit is not None
                else value.name
                if isinstance(value, ColumnOf)
                else ""
            )
            if not label or label in draft.keys or (isinstance(value, Call) and not is_unit):
                return False
            draft.keys[label] = value
            if isinstance(value, Call) and value.unit is not None:
                draft.units[label] = value.unit
            if self._may_be_null(draft.base, value):
                draft.assumptions.append(say("requirements.assume.null_group", column=name(label)))
            if isinstance(value, ColumnOf) and re.fullmatch(r"date", draft.base.type_of(value), re.IGNORECASE):
                draft.units[label] = TimeUnit.DAY
        if self._listed and columns.strip():
            return self._unnamed(draft, columns)
        return self._columns(draft, columns) and self._is_own(draft) and set(draft.keys) <= set(draft.order)

    @staticmethod
    def _may_be_null(scope: Scope, value: Expression) -> bool:
        column = value if isinstance(value, ColumnOf) else _columns(value)[0]
        detail = scope.detail(column)
        return detail.nullable is not False and detail.nulls != 0

    def _unnamed(self, draft: Draft, text: str) -> bool:
        """Measures in a row whose names follow in a list of columns."""
        labels = [item[1].lower() for part in self._listed if (item := re.fullmatch(r"`?(\w+)`?", part))]
        if len(labels) != len(self._listed):
            return False
        groups = [label for label in labels if label in draft.keys or any(plain(label) == plain(key) for key in draft.keys)]
        rest = [label for label in labels if label not in groups]
        body = re.sub(r"^(?:统计|计算|给出)\s*", "", text)
        for cut in (
            [body],
            re.split(
                r",?\s+and\s+(?=its |the |number|total|average|different|sum|share)|,\s*|(?:以及|和|及|、)(?=其|占|总|平均|不同)", body
            ),
        ):
            parts = [part.strip() for part in cut if part and part.strip()]
            if len(parts) != len(rest):
                continue
            made = deepcopy(draft)
            made.base = draft.base
            reader = Columns(made, self.phrases, self._definitions)
            named = dict(zip(rest, parts, strict=True))
            ordered = sorted(labels, key=lambda label: label in rest)
            if (
                all(reader.add(label, named.get(label, ""), label) for label in ordered)
                and set(made.keys) <= set(made.order)
                and self._is_own(made)
            ):
                made.order = labels
                draft.__dict__.update(made.__dict__)
                return True
        return False

    @staticmethod
    def _is_own(draft: Draft) -> bool:
        """Whether the rows of this base are what is counted or added up: not only something behind them."""
        base = draft.base
        if base is None or not draft.measures:
            return False
        used = [column for measure in draft.measures.values() if measure.value is not None for column in _columns(measure.value)]
        counted = any(measure.value is None for measure in draft.measures.values())
        return counted or any(column.step == base.base.name for column in used)

    def _plain_rows(self, draft: Draft, pre: str, rest: str) -> Iterator[Draft]:
        """Rows of a table as they are, or those for which a condition holds."""
        if pre:
            return
        rest, tables = self._source(rest)
        for rows_text, columns in _row_texts(rest):
            rows = self.phrases.rows(rows_text)
            if rows is None:
                continue
            made = deepcopy(draft)
            made.base = Scope(self.schema, rows.table)
            self.phrases.put(made.base)
            if tables and rows.table not in tables:
                continue
            made.rows = rows
            if self._prepared(made) and self._columns(made, columns):
                yield made
                return


_FAR = ()


def _columns(value: Expression) -> list[ColumnOf]:
    from contracts.pipelines.expressions import columns_in

    return list(columns_in(value))


def _same_name(scope: Scope, wanted: str) -> ColumnOf | None:
    """The nearest column of this very name."""
    for distance in range(3):
        found = [
            ColumnOf(step=place.alias, name=column.name)
            for place in scope.places.values()
            if place.alias.count(">") == distance
            for column in place.table.columns
            if column.name.lower() == wanted.lower()
        ]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _own_column(scope: Scope, words: str) -> ColumnOf | None:
    found = scope.column(words)
    return found if found is not None and found.step == scope.base.name else None


def _key_of(thing: str, scope: Scope) -> tuple[ColumnOf, ...] | None:
    """The columns of a base that name a thing: `member` is member_id."""
    if not thing:
        return None
    if (column := _own_column(scope, thing)) is not None:
        return (column,)
    table = scope.schema.entity(thing)
    if table is not None and table.full_name != scope.base.full_name:
        places = [place for place in scope.place_of(table) if len(place.path) == 1]
        if len(places) == 1:
            return tuple(ColumnOf(step=scope.base.name, name=column) for column in places[0].path[0].columns)
    word = plain(thing).replace(" ", "_")
    found = [
        column.name
        for column in scope.base.columns
        if column.name.lower() in (f"{word}_id", f"{word}_key", f"{word}_no", f"{word}_code", f"{word}id")
    ]
    return (ColumnOf(step=scope.base.name, name=found[0]),) if len(found) == 1 else None


def _group_value(words: str, scope: Scope) -> Expression | None:
    """A column by its name, or the reference to a thing."""
    column = scope.column(words)
    if column is not None:
        return column
    key = _key_of(words, scope)
    return key[0] if key is not None and len(key) == 1 else None


def _group_parts(words: str) -> list[str]:
    parts = re.split(
        r"\s*,\s*(?:and )?|\s+and\s+(?:each |every |per )?|\s*[、，和与及]\s*(?:每(?:个|一)?)?|(?<=\S)\s*每(?:个|一)?\s*(?=\S)",
        words.strip(),
    )
    return [re.sub(rf"^(?:each|every|per)\s+|^每{_COUNTER}\s*", "", part.strip()) for part in parts if part and part.strip()]


def _grains(pre: str, rest: str) -> Iterator[tuple[str, str]]:
    """What a row is, and the text of the columns."""
    body = rest.strip()
    english = re.match(
        r"[:,]?\s*(?:with |has |having |holding |which has )?(?:exactly )?(?:one|a) row (?:for |per )?(?:each |every |a |an )?(?=\w)",
        body,
        re.IGNORECASE,
    )
    english = (
        english
        or re.match(r"[:,]?\s*(?:by|per)\s+(?:each )?(?=\w)", body, re.IGNORECASE)
        or re.match(r"[:,]?\s*for (?:each|every)\s+(?=\w)", body, re.IGNORECASE)
    )
    if english:
        tail = body[english.end() :]
        for mark in (r"\s*:\s*", r"\s*,\s*with (?:the columns:? )?", r"\s+with (?:the columns:? )?", r",\s*(?:and )?"):
            for found in re.finditer(mark, tail, re.IGNORECASE):
                if tail[: found.start()].count("(") == tail[: found.start()].count(")"):
                    yield tail[: found.start()], tail[found.end() :]
        yield tail, ""
    chinese = re.match(rf"[:：，,]?\s*(?P<g>.{{0,40}}?每{_COUNTER}\s*.+?)(?:占|对应)?一行\s*(?:[:：，,]|$)\s*(?:包含|列为|列：)?\s*", body)
    if chinese:
        yield re.sub(rf"每{_COUNTER}\s*", "", chinese["g"], count=1), body[chinese.end() :]
        first = re.match(rf"每{_COUNTER}\s*(?P<e>.+?)\s*$", chinese["g"])
        if first is None:
            yield chinese["g"].replace("每个", "").replace("每", ""), body[chinese.end() :]
    if found := re.match(r"[:：，,]?\s*按\s*(?P<g>.+?)\s*(?P<verb>统计|汇总|计算|分组|分别统计)\s*[:：，,]?\s*", body):
        yield found["g"], body[found.end() :]
    if found := re.match(
        r"[:：，,]?\s*(?P<rows>[^，,:：]+?)按\s*(?P<g>.+?)\s*(?:统计|汇总|分组)(?:[，,]\s*每.{1,10}?一行)?\s*(?:$|[:：，,])\s*", body
    ):
        yield f"有{found['rows']}的{found['g']}", body[found.end() :]
    if found := re.fullmatch(r"按(?P<g>.+?)(?:统计|汇总|分组)?", pre):
        yield found["g"], re.sub(r"^[:：，,]\s*", "", body)


def _row_texts(rest: str) -> Iterator[tuple[str, str]]:
    """The words for the rows, and those for the columns."""
    body = re.sub(r"^[:：，,]\s*|^(?:with|holding|containing)\s+", "", rest.strip(), flags=re.IGNORECASE)
    for found in re.finditer(r"\s+for (?=all |every |each )", body, re.IGNORECASE):
        yield body[found.end() :], body[: found.start()]
    for pattern in (r"\s*,?\s+with (?:the columns )?(?=\w)", r"\s*:\s*"):
        for found in re.finditer(pattern, body, re.IGNORECASE):
            yield body[: found.start()], body[found.end() :]
    for found in re.finditer(r"\s+of\s+", body):
        yield body[found.end() :], body[: found.start()]
    for found in re.finditer(r"的\s*", body):
        yield body[: found.start()], re.sub(r"^(?:列为|列：)", "", body[found.end() :])


def _tie(draft: Draft, entity: TableDetail, ties: tuple[str | None, str | None]) -> tuple[tuple[str, bool], ...] | None:
    """What decides among equal values: what is said, else the key, which is then said."""
    words, direction = ties
    if words:
        found = [label for label in draft.keys if plain(label) == plain(words)]
        return ((found[0], (direction or "").lower() not in _UP),) if found else None
    shown = [
        label
        for label, value in draft.keys.items()
        if isinstance(value, ColumnOf) and value.step == entity.name and value.name in entity.primary_key
    ]
    if not shown:
        return None
    draft.assumptions.append(say("requirements.assume.ties", columns=names(shown)))
    return tuple((label, False) for label in shown)


def _united(tables: Sequence[TableDetail]) -> TableDetail | None:
    """The columns that all of the tables have, as a table."""
    first = tables[0]
    shared = [
        column
        for column in first.columns
        if all(any(item.name.lower() == column.name.lower() for item in table.columns) for table in tables)
    ]
    if not shared:
        return None
    label = re.sub(r"_?\d+$", "", first.name) or first.name
    names_ = {table.name for table in tables}
    if label in names_:
        label = f"{label}_together"
    kept = {column.name for column in shared}
    keys = tuple(key for key in first.foreign_keys if set(key.columns) <= kept)
    return TableDetail(name=label, columns=tuple(shared), foreign_keys=keys, description=first.description.split(",")[0])


def _next_day(day: str) -> str:
    from datetime import date, timedelta

    return str(date.fromisoformat(day) + timedelta(days=1))
