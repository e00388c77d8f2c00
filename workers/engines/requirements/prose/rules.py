"""The sentences around the main one: columns, definitions, restrictions, rows without a partner."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Callable, Sequence

from contracts.pipelines.expressions import ColumnOf
from contracts.tables import TableDetail
from workers.engines.requirements.prose.column_lists import split_columns
from workers.engines.requirements.prose.draft import AsOf, Draft
from workers.engines.requirements.prose.measures import Phrases
from workers.engines.requirements.prose.nouns import plain
from workers.engines.requirements.prose.periods import normal_times
from workers.engines.requirements.prose.pieces import same_name
from workers.engines.requirements.prose.restrictions import Restrictions
from workers.engines.requirements.prose.schema import Schema
from workers.engines.requirements.prose.scope import Place, Scope
from workers.engines.sql.build_values import TEMPORAL
from workers.engines.times import TimeWords


class Surroundings(Restrictions):
    """What the sentences of a requirement say beside the main one."""

    def __init__(self, text: str, tables: Sequence[TableDetail], times: TimeWords) -> None:
        """Nothing is read yet."""
        self.schema = Schema(tables)
        self.phrases = Phrases(self.schema, times)
        self._sentences = sentences(_named(normal_times(text)))
        self._definitions: dict[str, str] = {}
        self._listed: list[str] = []
        self._rules: list[Callable[[Draft], bool]] = []
        self._before: list[Callable[[Draft, Phrases], bool]] = []
        self._place: tuple[str, tuple[tuple[str, bool], ...]] = ("", ())

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
        if any(read(sentence) for read in readers):
            return True
        parts = [part.strip() for part in re.split(r"[;；]", sentence) if part.strip()]
        return len(parts) > 1 and all(self._rule(part) for part in parts)

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
            r"(?:it is |the rows are |rows are |the table is )?(?:sorted|ordered) by .+|(?:按|依).+(?:排序|升序|降序).*|running (?:it |the script )?(?:twice|again).* changes nothing|a second run changes nothing|(?:重复|再次)(?:执行|运行).*(?:不变|相同)|(?:late|older) rows? .*(?:must come in|never (?:overwrites?|replaces?) .*|must not overwrite .*)|an older row never overwrites a newer one|.*即使.*迟到.*必须进来|旧数据不能覆盖新数据|thanks?(?: you)?|谢谢",
            sentence, re.IGNORECASE))  # fmt: skip

    def _zeros(self, sentence: str) -> bool:
        found = re.fullmatch(
            r"(?P<e>[\w ]+?) (?:without|that have no|with no|who have no|which have no)(?: such| any)? (?P<rows>[\w ]+?) (?:have|get|has|gets|show|are (?:given|kept with|shown with|listed with)|stay(?: in)? with|count as|appear with)(?: a)? (?:zeros?|0s?)(?: everywhere| in all columns| as counts?)?"
            r"|没有(?:这种|此类|任何|这些)?(?P<rows_zh>.+?)的(?P<e_zh>.+?)(?:也?(?:要|需要?)?(?:保留|列出|展示|显示)(?:出来)?[，,]\s*)?(?:各项|各列|各指标|数值|指标|全部|都|均)*(?:为|记为?|填|是|显示|补)\s*(?:为)?\s*0(?:行|列)?",
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
            r"|(?:use|take|apply) the (?P<other2>[\w ]+?)(?: row| entry| record)?(?: (?:of|for) (?:the )?(?P<by>.+?))? with the (?:latest|last|highest|most recent) (?P<since>\w+) (?:on or before|not after) (?:the )?(?P<day2>\w+(?: of (?:the )?[\w ]+)?|(?:day|date|time) (?:on which |when |that )?(?:the |a )?[\w ]+ \w+)"
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
            moment = self._as_of_moment(scope, found["day"] or found["day2"] or found["day3"])
            since = found["since"] or found["since3"] or ""
            times = [
                column.name
                for column in other.columns
                if TEMPORAL.search(column.type) and (not since or column.name.lower() == since.lower())
            ]
            if moment is None or len(times) != 1:
                return False
            if moment.name.lower() != (found["day"] or found["day2"] or found["day3"]).lower() and not all(
                re.fullmatch(r"date", column.type, re.IGNORECASE) for column in other.columns if column.name == times[0]
            ):
                return False  # `the day of the order`: a time on that day, but after the moment, would hold as well
            shared = [
                (place, column.name)
                for column in other.columns
                if column.name != times[0] and (place := same_name(scope, column.name)) is not None
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
            scope.places[alias] = Place(alias, scope.places[alias].table, ())
            return True

        self._before.append(apply)
        return True

    @staticmethod
    def _as_of_moment(scope: Scope, words: str) -> ColumnOf | None:
        """`ordered_at`, `day of the order`."""
        if happened := re.fullmatch(
            r"(?:day|date|time) (?:on which |when |that )?(?:the |a )?(?!of\b)(?P<noun>[\w ]+?) (?:was |were |is )?(?P<verb>\w+)",
            words,
            re.IGNORECASE,
        ):
            places = scope.places_named(happened["noun"])
            return scope.moment_at(places[0], happened["verb"]) if len(places) == 1 else None
        found = re.fullmatch(r"(?:day|date|time) of (?:the )?(?P<of>[\w ]+)", words, re.IGNORECASE)
        places = scope.places_named(found["of"]) if found else []
        return scope.moment_at(places[0]) if len(places) == 1 else scope.column(words)

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


def _named(text: str) -> str:
    """`a 只追加。把它合并进 b`: the table in the place of the pronoun."""
    found = re.match(r"\s*(?P<table>[A-Za-z_]\w*)\s*只(?:会)?追加(?:写入)?[。，,]\s*", text)
    return re.sub(r"^把它", f"把 {found['table']} ", text[found.end() :]) if found else text


def sentences(text: str) -> list[str]:
    """Sentences, where a point between figures ends none."""
    body = re.sub(r"^\s*(?:#{1,6}\s+|[-*+]\s+)|\*\*|`", "", text, flags=re.MULTILINE)
    parts = re.split(r"(?<=[.!?])\s+(?=[A-Z`\d])|(?<=[。！])|\.\s*$|\n\s*\n", re.sub(r"(?<!\n)\n(?!\n)", " ", body))
    return [part for part in (item.strip().rstrip(".。！!").strip() for item in parts if item) if part]
