"""Sentences that say which rows count: `Only done visits count`, `We don't count cancelled sailings`, 拒收样本的结果不要."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from contracts.pipelines.expressions import columns_in
from contracts.tables import TableDetail
from workers.engines.requirements.prose.draft import Draft, Rows
from workers.engines.requirements.prose.joining import but_not
from workers.engines.requirements.prose.measures import Phrases
from workers.engines.requirements.prose.result_tests import keep_of_result
from workers.engines.requirements.prose.rows import seen_from

_KEEPS = re.compile(
    r"(?:filter|scope|condition|restrict(?:ed)? to|limit(?:ed)? to)?\s*:?\s*(?:it is |the table (?:has|holds|contains) |keep |take |count |consider |use |include |load |show |we (?:only )?(?:want|need|count|use) )?only\s+(?P<rows>.+?)(?: (?:count|are (?:counted|considered|included|used|loaded|needed|wanted|relevant)|matter))?"
    r"|(?:filter|scope|condition)\s*:\s*(?P<rows3>.+)"
    r"|(?P<zh0>[\u3400-\u9fff]{2,8}?)(?:只|仅)(?:统计|计算|计|算|看)(?:入)?\s*(?P<zh1>.+)"
    r"|(?:只|仅|仅限)(?:统计|计算|计|考虑|算|包含|包括|取|要|看|保留|需要?|加载|处理|限)?(?:入)?\s*(?P<zh>.+)",
    re.IGNORECASE,
)
_DROPS = re.compile(
    r"(?:leave out|exclude|excluding|ignore|skip|without|drop|remove|filter out|(?:we |please )?(?:do not|don't|don’t|never) (?:count|want|need|include|load|consider|use|take)) (?:any |all )?(?P<rows>.+)"
    r"|(?P<rows2>.+?) (?:are|is) (?:to be )?(?:completely |always )?(?:ignored|left out|excluded|dropped|removed|skipped|filtered out|out|not (?:to be )?(?:counted|loaded|included|considered|wanted|needed|used|part of it))(?: completely| entirely| altogether)?"
    r"|(?P<rows3>.+?) (?:do|does|must|should) not (?:count|be (?:counted|included|loaded))(?: in| here)?"
    r"|(?:不含|不包含|不包括|排除|剔除|不计|不统计|忽略|去掉|去除|过滤掉?)\s*(?P<zh>.+)"
    r"|(?P<zh2>.+?)(?:都|均|也|全部)?(?:不计入|不计|不算|不统计|不要|不参与(?:统计|计算)?|不纳入(?:统计)?|不包含|不包括|除外|剔除|去掉|过滤掉|不加载|不入库|忽略)(?:在内|入)?",
    re.IGNORECASE,
)


_WHEN = re.compile(
    r"(?P<after>(?:then,? )?of (?:the|these) (?:latest|last|first) (?:rows|ones|versions),? |取最新(?:一条)?(?:之?后)?[，,]?\s*|最新(?:一条|记录)?中[，,]?\s*)|(?P<before>(?:first|before that),? |先)",
    re.IGNORECASE,
)
"""Whether rows are left out before the latest of each key is taken, or after."""
_LATEST_STATE = re.compile(
    r"[\w ]+? (?:whose|where the) (?:latest|last|most recent|current|newest) (?P<test>.+)|最新(?:一条|状态|记录)?的?(?P<test_zh>[^的]+?)(?:的.*)?",
    re.IGNORECASE,
)


class Restrictions:
    """Reads such sentences."""

    phrases: Phrases
    _rules: list[Callable[[Draft], bool]]

    def _restriction(self, sentence: str) -> bool:
        when = _WHEN.match(sentence)
        sentence = sentence[when.end() :] if when else sentence
        keeps = _KEEPS.fullmatch(sentence)
        found = keeps or _DROPS.fullmatch(sentence)
        if not found:
            return False
        words = next(value for key, value in found.groupdict().items() if value and key != "zh0")

        def apply(draft: Draft) -> bool:
            is_kept = keeps is not None
            if draft.latest is not None and not (when and when["before"]):
                return self._of_latest(draft, words, is_kept=is_kept, is_sure=when is not None)
            return self._restrict(draft, words, is_kept=is_kept) or (is_kept and keep_of_result(draft, words, self.phrases))

        self._rules.append(apply)
        return True

    def _of_latest(self, draft: Draft, words: str, *, is_kept: bool, is_sure: bool) -> bool:
        """Which of the latest rows count. Words that do not say whether they mean these, or all rows, are not read."""
        found = _LATEST_STATE.fullmatch(words)
        if draft.base is None or not (found or is_sure):
            return False
        test = re.sub(r"^(?:those|rows|the rows) ", "", (found["test"] or found["test_zh"]) if found else words)
        condition = self.phrases.values(draft.base.base).condition(test)
        if condition is None or any(column.step != draft.base.base.name for column in columns_in(condition)):
            return False
        draft.of_latest.append(condition if is_kept else but_not(condition))
        return True

    def _restrict(self, draft: Draft, words: str, *, is_kept: bool) -> bool:
        base = draft.base.base if draft.base is not None else None
        rows = self.phrases.rows(words, draft.entity, base)
        if rows is None:
            return False
        if rows.related:
            return self._with_partners(draft, rows, is_kept=is_kept)
        if not rows.where:
            return False
        seen = [rows] if rows.table in _tables(draft) else list(self._seen_by_children(draft, rows))
        (draft.kept if is_kept else draft.excluded).extend(seen)
        return bool(seen)

    @staticmethod
    def _with_partners(draft: Draft, rows: Rows, *, is_kept: bool) -> bool:
        """Rows that have partners, or none, of a target that has its rows as they are, or one for each thing."""
        table = draft.entity or (draft.base.base if draft.base is not None and not draft.is_grouped else None)
        if table is None or rows.table != table or draft.rows is None or draft.rows.table != table:
            return False
        if not is_kept:
            if rows.where or len(rows.related) != 1:
                return False
            rows = replace(rows, related=(replace(rows.related[0], exists=not rows.related[0].exists),))
        where = tuple(item for item in rows.where if item not in draft.rows.where)
        related = tuple(item for item in rows.related if item not in draft.rows.related)
        draft.rows = replace(draft.rows, where=(*draft.rows.where, *where), related=(*draft.rows.related, *related))
        return True

    def _seen_by_children(self, draft: Draft, rows: Rows) -> Iterator[Rows]:
        """The condition as the rows see it that refer to those that are named: `cancelled sailings` of bookings."""
        first = [table for table in (draft.entity, draft.base.base if draft.base is not None else None) if table is not None]
        for tables in (first, [table for table in _tables(draft) if table not in first]):
            found = [made for table in dict.fromkeys(table.full_name for table in tables) if (made := self._seen(table, rows)) is not None]
            if found:
                yield from found
                return

    def _seen(self, table: str, rows: Rows) -> Rows | None:
        child = self.phrases.schema.by_name[table]
        places = self.phrases.scope(child).place_of(rows.table)
        if len(places) != 1 or not places[0].path:
            return None
        return Rows(child, tuple(seen_from(condition, rows.table.name, places[0].alias) for condition in rows.where))


def _tables(draft: Draft) -> Sequence[TableDetail]:
    """The tables whose rows the target is made of."""
    found = [measure.rows.table for measure in draft.measures.values()]
    return [*found, *(table for table in (draft.entity, draft.base.base if draft.base is not None else None) if table is not None)]
