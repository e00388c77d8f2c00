"""Requirements in prose, sentence by sentence: what a row is, its columns, and the rules around them. All of it, or nothing."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy

from contracts.pipelines.expressions import Call, ColumnOf, Expression, Function, columns_in
from contracts.queries import DatePart, TimeUnit
from contracts.statements import name, say
from contracts.tables import TableDetail
from workers.engines.requirements.envelope import Envelope, is_frame
from workers.engines.requirements.facts import NotRead, RequirementReading, may_be_null
from workers.engines.requirements.prose.building import Builder
from workers.engines.requirements.prose.columns import Columns
from workers.engines.requirements.prose.draft import Draft, Rows
from workers.engines.requirements.prose.heads import Heads
from workers.engines.requirements.prose.nouns import plain
from workers.engines.requirements.prose.pieces import explained_parts, grains, group_parts, group_value, row_texts, without_also
from workers.engines.requirements.prose.scope import Scope
from workers.engines.times import TimeWords

_NAME = r"`?(?P<name>[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)?)`?"
_MAIN = re.compile(
    rf"(?:please\s+)?(?:(?:we|i)\s+(?:need|want)|build|create|make|produce|prepare|generate|maintain|keep|provide|load|materiali[sz]e|derive|compute)\s+(?:me\s+|us\s+)?(?:a\s+|an\s+|the\s+)?(?:new\s+)?(?:table\s+|view\s+|mart\s+)?(?:called\s+|named\s+)?{_NAME}(?P<rest>(?=[\s,:;(]|$).*)",
    re.IGNORECASE | re.DOTALL,
)
_MAIN_ZH = re.compile(
    rf"(?P<pre>.*?)(?:请)?(?:(?:我们?)?需要|建立|创建|新建|生成|制作|构建|加工|产出|维护)(?:一张|一个)?(?:新)?(?:汇总|宽|结果)?(?:表)?\s*(?:(?P<what>[^A-Za-z_`]{{1,30}}?)的\s*)?{_NAME}\s*(?:表)?(?P<rest>.*)",
    re.DOTALL,
)

_MERGE_INTO = re.compile(
    r"(?:please )?merge (?P<source>[\w.]+(?:, [^,()]+,)?) (?:incrementally )?into (?P<target>[\w.]+) (?P<tail>\(.+)"
    r"|(?:把|将)\s*(?P<source_zh>[\w.]+)\s*(?:增量)?(?:合并|更新)(?:进|到|入|至)\s*(?P<target_zh>[\w.]+?)\s*(?P<tail_zh>[（(].+)",
    re.IGNORECASE | re.DOTALL,
)


def read_prose(text: str, tables: Sequence[TableDetail], times: TimeWords) -> RequirementReading | None:
    """The requirement, if every sentence of it is read; None otherwise."""
    try:
        return ProseReader(text, tables, times).read()
    except (NotRead, RecursionError):
        return None


class ProseReader(Heads):
    """Reads a requirement sentence by sentence."""

    def read(self) -> RequirementReading | None:
        """The requirement, if every sentence of it is read."""
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
        if merge := _MERGE_INTO.fullmatch(sentence):  # `Merge a into b (...)` as `Build b a (...)`
            source, target, tail = (merge[key] or merge[f"{key}_zh"] for key in ("source", "target", "tail"))
            return _MAIN.fullmatch(f"Build {target} {source.strip()} {tail}" if merge["source"] else f"Build {target} {source}{tail}")
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

    def _drafts(self, main: re.Match[str]) -> Iterator[Draft]:
        """The readings of the main sentence that take all of it."""
        groups = main.groupdict()
        if groups.get("what"):
            return
        yield from self.drafts(main["name"].lower(), (groups.get("pre") or "").strip(" ，,：:"), main["rest"])

    def drafts(self, table: str, pre: str, rest: str) -> Iterator[Draft]:
        """The readings of what is said before and behind the name of a target."""
        rest = re.sub(r"^[:：]\s*", "", rest.strip())
        for read in (self._union_rows, self._merged, self._latest, self._top, self._spine, self._entity, self._groups, self._plain_rows):
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

    def _entity(self, draft: Draft, pre: str, rest: str) -> Iterator[Draft]:
        """One row for each thing of a table."""
        text, tables = self._source(rest)
        if tables and len(tables) == 1 and not pre:
            rest = text
        for grain, columns in grains(pre, rest):
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
        rows = self.phrases.rows(without_also(grain, self.schema))
        return rows, False

    def _groups(self, draft: Draft, pre: str, rest: str) -> Iterator[Draft]:
        """One row for each combination of values."""
        rest, tables = self._source(rest)
        if not tables:
            pre, tables = self._source(pre)
        for grain, columns in grains(pre, rest):
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
        for part in group_parts(explained_parts(words, self.schema)):
            value = self._group_value(part, draft.base)
            if value is None:
                return False
            label = _key_label(value)
            if not label or label in draft.keys:
                return False
            draft.keys[label] = value
            if isinstance(value, Call) and value.part is DatePart.WEEKDAY:
                draft.assumptions.append(say("requirements.assume.weekday", column=name(label)))
            if isinstance(value, Call) and value.unit is not None:
                draft.units[label] = value.unit
            if self._may_be_null(draft.base, value):
                draft.assumptions.append(say("requirements.assume.null_group", column=name(label)))
            if isinstance(value, ColumnOf) and re.fullmatch(r"date", draft.base.type_of(value), re.IGNORECASE):
                draft.units[label] = TimeUnit.DAY
        if self._listed and columns.strip():
            return self._unnamed(draft, columns)
        return self._columns(draft, columns) and draft.aggregates_its_rows and set(draft.shown_keys) <= set(draft.order)

    def _group_value(self, part: str, scope: Scope) -> Expression | None:
        """What rows are grouped by."""
        return group_value(part, scope) or self.phrases.values(scope.base).value(part)

    @staticmethod
    def _may_be_null(scope: Scope, value: Expression) -> bool:
        column = value if isinstance(value, ColumnOf) else columns_in(value)[0]
        return scope.may_lack(column) or may_be_null(scope.detail(column))

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
                and made.aggregates_its_rows
            ):
                made.order = labels
                draft.__dict__.update(made.__dict__)
                return True
        return False

    def _plain_rows(self, draft: Draft, pre: str, rest: str) -> Iterator[Draft]:
        """Rows of a table as they are, or those for which a condition holds."""
        if pre:
            return
        rest, tables = self._source(rest)
        for rows_text, columns in row_texts(rest):
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


def _key_label(value: Expression) -> str:
    """The name of what rows are grouped by: a column's own, or the unit or part of a moment; empty: it has none."""
    if isinstance(value, ColumnOf):
        return value.name
    if not isinstance(value, Call):
        return ""
    if value.function is Function.PART and value.part is not None:
        return value.part.value
    return value.unit.value.partition("_")[0] if value.function is Function.CUT and value.unit is not None else ""
