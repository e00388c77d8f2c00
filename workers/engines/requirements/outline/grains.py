"""What a row is, where a line or an answer says nothing else: `route_code and month of departs_at of the sailings`, the row with the
highest value of each key, the first rows of each group."""

# ruff: noqa: E501 patterns

import re
from dataclasses import dataclass

from contracts.tables import TableDetail
from workers.engines.requirements.outline.firsts import First, first_of
from workers.engines.requirements.prose.nouns import plain
from workers.engines.requirements.prose.schema import Schema

_LATEST = re.compile(
    r"(?:only |keep(?:ing)? |take |the one: )?the (?:(?P<e>\w+) )?(?:with|that has|having) the (?P<w>highest|largest|latest|newest|most recent|greatest|lowest|smallest|earliest|oldest) (?P<u>\w+)(?:\s*[,;]\s*(?:ties|among equal \w+|if equal)(?: by| go to| broken by)?(?: the)? (?P<way>higher|larger|later|lower|smaller|earlier|highest|lowest) (?P<tie>\w+))?"
    r"|取\s*(?P<u_zh>\w+?)\s*最(?P<w_zh>新|大|晚|高|近|早|小|低)的?(?:那)?(?:一条|一行)?(?P<e_zh>[^，,；]*?)(?:[，,；]\s*(?:\w*?相同|并列)时?\s*取\s*(?P<tie_zh>\w+?)\s*(?:较|最)(?P<way_zh>大|小|晚|早)的?)?"
    r"|(?:只)?取\s*最(?P<w_m>近|新|后|早)一次(?P<m>[\u3400-\u9fff]{1,6}?)的?(?P<e_m>[\u3400-\u9fff]{0,6})",
    re.IGNORECASE,
)
_EACH_EN = re.compile(
    r"(?:(?:deduplicate|dedup|de-duplicate)[\w ]*?[:,]?\s*)?(?:for (?:each|every|the same) (?P<k>[\w ]+?(?:(?:, |\+ )[\w ]+?)*),? (?:only |please )?(?:keep|take) (?:only )?|(?:when|if) there are (?:several|multiple|more)(?: rows)?(?: (?:for|with) the same (?P<k2>[\w ,]+?))?,? keep )the (?:one|row|record|[\w ]+?) with the (?P<w>highest|largest|latest|newest|most recent|lowest|smallest|earliest|oldest) (?P<u>\w+)",
    re.IGNORECASE,
)
_EACH_ZH = re.compile(
    r"(?:[^：:]*?去重(?:规则|逻辑)?[：:]\s*)?(?:按|同一个?|相同的?|每个?)\s*(?P<k>(?:(?![和及])\w)+?(?:\s*(?:[、，,+]|和|及)\s*(?:(?:同一个?|相同的?)\s)?\s*(?:(?![和及])\w)+?)*)\s*(?:去重)?[，,]?\s*(?:有多条时?|重复时)?[，,]?\s*(?:只)?(?:保留|取|留)\s*(?P<u>\w+?)\s*最(?P<w>新|大|晚|高|近|早|小|低)的?(?:那)?(?:一条|一行|一笔|记录|一条记录)?"
)
_LOW = frozenset({"lowest", "smallest", "earliest", "oldest", "lower", "smaller", "earlier", "早", "小", "低"})
_OF_EN = re.compile(r"(?P<parts>.+) (?:of|in|from|over) (?:the |all |its )*(?P<rows>[A-Za-z_][\w ]*)", re.IGNORECASE | re.DOTALL)
_OF_ZH = re.compile(
    r"(?P<rows>[^，,、]+?)的\s*每(?:个|一个|种|类)?\s*(?P<parts>.+)|(?P<rows2>[^，,、]+?)的\s*(?P<parts2>.+[、和].+)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Grain:
    """A line for what a row is, in its parts."""

    words: str
    """What distinguishes the rows, or the thing that a row is."""
    table: TableDetail | None = None
    """The table whose rows are meant."""
    first: First | None = None
    latest: str = ""
    """`latest row by u; among equal u the highest tie`, in the words that the reader of such heads knows."""
    open: bool = False
    """A clause says which row of several is meant, and was not read."""


def read_grain(words: str, schema: Schema) -> Grain:
    """The parts of the line."""
    if (of_each := _latest_of_each(words, schema)) is not None:
        return of_each
    body, clauses = _clauses(words)
    first, latest, table, is_open = None, "", None, False
    for clause in clauses:
        if first is None and (found := first_of(clause)) is not None:
            first = found
        elif not latest and (made := _latest(clause, schema)) is not None:
            latest, table = made
        else:
            is_open = True
    parts, named = _with_table(body, schema)
    return Grain(parts, named or table, first, latest, is_open)


_OF_EACH_EN = re.compile(
    r"(?:(?:for |per )?(?:each |every )?(?P<k>[\w ]+?(?:, [\w ]+?)*),? (?:only |keep |take )*)?the (?P<w>latest|most recent|newest|last|first|earliest|oldest) (?P<e>\w+)(?: (?:of|in|from) (?!each|every)(?P<t>[A-Za-z_]\w*))?(?: (?:of|per|for) (?:each |every )(?P<k2>\w+))?,? ?\(?(?:by|ordered by|according to) (?P<u>\w+)(?:,? (?:and )?(?:then|ties by) (?:by )?(?P<tie>\w+))?\)?",
    re.IGNORECASE,
)
_OF_EACH_ZH = re.compile(
    r"(?:取|保留)?每(?:个|一个|位|条|名|只|台)?\s*(?P<k>[\w、]+?)(?:取|保留|的)?\s*最(?P<w>新|近|晚|早)的?(?:那)?(?:一)?(?:条|次|笔|个|张)\s*(?P<e>[\u3400-\u9fff]*)\s*[（(]按\s*(?P<u>\w+?)(?:[、，,]\s*(?:再按|然后按?)?\s*(?P<tie>\w+?))?(?:取最新|排序|倒序|降序)?[)）]"
)


def _latest_of_each(words: str, schema: Schema) -> Grain | None:
    """`for each member_id the latest row of changes by changed_at, then change_id`, 每个充电桩最新的一条故障工单（按报修时间）."""
    body = words.strip(" .。")
    found = _OF_EACH_EN.fullmatch(body) or _OF_EACH_ZH.fullmatch(body)
    if found is None:
        return None
    groups = found.groupdict()
    key, named = groups["k"] or groups.get("k2"), groups.get("t") or groups["e"]
    table = schema.entity(named) if named else None
    if not key or (groups.get("t") and table is None):
        return None
    order = "first" if groups["w"].lower() in ("first", "earliest", "oldest", "早") else "latest"
    tie = "lowest" if order == "first" else "highest"
    ties = f", among equal {groups['u']} the {tie} {groups['tie']}" if groups["tie"] else ""
    return Grain(key.strip(), table, None, f"the {order} row by {groups['u']}{ties}")


def latest_in(text: str, schema: Schema) -> tuple[str, str] | None:
    """Words that say which row of each thing is taken, within others: these words, and what is left."""
    for pattern in (_OF_EACH_EN, _OF_EACH_ZH):
        for found in pattern.finditer(text):
            if _latest_of_each(found[0], schema) is not None:
                rest = f"{text[: found.start()].rstrip(' ,，:：')}{text[found.end() :]}"
                return found[0], rest
    return None


def one_of_each(sentence: str) -> str:
    """A sentence that says which row of several is kept, as a line for what a row is; empty: it says something else."""
    if found := _EACH_ZH.fullmatch(sentence.strip(" 。.")):
        parts = [re.sub(r"^(?:同一个?|相同的?)\s*", "", part) for part in re.split(r"\s*(?:[、，,+]|和|及)\s*", found["k"])]
        return f"{'、'.join(parts)}，取 {found['u']} 最{found['w']}的一条"
    found = _EACH_EN.fullmatch(sentence.strip(" ."))
    if found is None or not found["k"]:
        return ""
    return f"{found['k'].replace(' + ', ' and ')}, the row with the {found['w']} {found['u']}"


def _clauses(words: str) -> tuple[str, list[str]]:
    """The words up to the first clause that begins with `only`, `the row with` or 取, and the clauses."""
    found = re.search(
        r"\s+(?=取\s*\w+?\s*最)|[,，;；]\s*(?=only |keep |the (?:\w+ )?with the |the first |the top |只?取|只保留|每个\s*\w+\s*只)",
        words,
        re.IGNORECASE,
    )
    if found is None:
        return _bare(words), []
    return _bare(words[: found.start()]), [words[found.end() :].strip(" .。")]


_ROW_OF = re.compile(
    r"(?:row|record|line|entry|change|event|version)s? (?:of|in|from) (?:the )?(?:table )?(?P<t>[A-Za-z_]\w*)(?P<more> .+)?"
    r"|(?P<t_zh>[A-Za-z_]\w*|[\u3400-\u9fff]{2,10}?)\s*(?:表)?(?:中|里)?的?\s*每一?(?:条|行|笔|个)(?:记录|数据|明细)?",
    re.IGNORECASE,
)
"""`row of studio_targets`, user_level_log 的每条记录."""


def _bare(words: str) -> str:
    """Without `one row per`, 每个 and 一行 at the ends; `row of a` is `a`."""
    body = _without_row(words)
    found = _ROW_OF.fullmatch(body)
    return f"{found['t'] or found['t_zh']}{found['more'] or ''}" if found else body


def _without_row(words: str) -> str:
    body = re.sub(
        r"^(?:(?:exactly )?(?:one|a|1) (?:row|record|line) (?:per|for (?:each|every))|per|each|every|(?:grouped )?by|for (?:each|every))\s+",
        "",
        words.strip(),
        flags=re.IGNORECASE,
    )
    body = re.sub(r"(?:每个)?(?:组合)?(?:各|占|对应)?一(?:行|条记录|条)$", "", body).strip()
    return re.sub(r"^每一?(?:[个种位名家部张条笔台辆间场份件项只座](?=[\u3400-\u9fffA-Za-z_]))?\s*", "", body)


def _latest(clause: str, schema: Schema) -> tuple[str, TableDetail | None] | None:
    found = _LATEST.fullmatch(clause)
    if found is None:
        return None
    of, way = found["u"] or found["u_zh"] or f"{found['m']}时间", (found["w"] or found["w_zh"] or found["w_m"]).lower()
    noun = (found["e"] or found["e_zh"] or found["e_m"] or "").strip()
    table = schema.entity(noun) if noun and plain(noun) not in ("row", "record", "one", "行", "记录") else None
    tie, tie_way = found["tie"] or found["tie_zh"], (found["way"] or found["way_zh"] or "").lower()
    ties = f", among equal {of} the {'lowest' if tie_way in _LOW else 'highest'} {tie}" if tie else ""
    return f"the {'first' if way in _LOW else 'latest'} row by {of}{ties}", table


def _with_table(body: str, schema: Schema) -> tuple[str, TableDetail | None]:
    """`a and b of the bookings`, 样本的每个 a 和 b: the table by itself; `month of departs_at` names none."""
    if (found := _OF_EN.fullmatch(body)) and (table := schema.entity(found["rows"])) is not None and schema.entity(body) is None:
        return found["parts"], table
    if found := _OF_ZH.fullmatch(body):
        rows, parts = found["rows"] or found["rows2"], found["parts"] or found["parts2"]
        if (table := schema.entity(rows)) is not None:
            return parts, table
    return body, None
