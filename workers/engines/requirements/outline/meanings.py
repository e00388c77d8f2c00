"""What the words for a column may mean, in the words that the readers of prose know."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Iterator

from workers.engines.requirements.outline.heads import times_in_words
from workers.engines.requirements.outline.items import Item
from workers.engines.requirements.prose.draft import Draft
from workers.engines.requirements.prose.measures import Phrases
from workers.engines.requirements.prose.nouns import nouns_of, plain

_IDENTITY = re.compile(
    r"(?P<noun>.*?)(?:的)?\s*(?:id|ID|编号|编码|代码|号|标识|主键|序号)$|(?:the )?(?:id|key|identifier|number|code) of (?:the |a )?(?P<of>[\w ]+)|(?:the )?(?P<of2>[\w ]*?)\s*(?:id|key|identifier)",
    re.IGNORECASE,
)

_UNIT = re.compile(
    r"(?:单位[:：]?)?(?:千瓦时|度|元|万元|美元|公里|千米|米|千克|公斤|吨|小时|分钟|秒|天|次|个|人|件|单|%|kwh|km|kg|eur|usd|cny|rmb|hours?|minutes?|days?)",
    re.IGNORECASE,
)
"""A unit of measure behind the words for a column."""


def meanings_of(item: Item, defined: str, draft: Draft, phrases: Phrases) -> Iterator[str]:
    """The readings to try, the most literal first. Each takes all of the words; none passes a word over."""
    words = defined or item.meaning or item.spoken
    if not defined and item.meaning in ("去重", "不重复") and item.spoken:
        words = f"{item.spoken}（去重）"
    elif not defined and item.spoken and item.meaning and _UNIT.fullmatch(item.meaning):
        words = item.spoken
    if not words:
        yield ""
        return
    thing = phrases.schema.entity(words)
    if thing is not None and item.name.lower() in {column.name.lower() for column in thing.columns}:
        yield ""  # `cinema_name: the cinema`: the words say whose it is
    yield from dict.fromkeys(_forms(words, draft, phrases))
    if _is_identity(words, item.name, draft, phrases):
        yield ""


def _forms(words: str, draft: Draft, phrases: Phrases) -> Iterator[str]:
    """The words, and other ways to say the same."""
    yield words
    body = words.strip(" .。")
    counted = re.sub(r"^(?:the )?(?:how many|count of|no\. of|# of)\s+", "number of ", body, flags=re.IGNORECASE)
    yield counted
    yield re.sub(r"^(number of \w+(?: \w+)?) ((?:were|was|are|have been|has been) )", r"\1 that \2", counted, flags=re.IGNORECASE)
    yield re.sub(r"(.+?的)?去重(?:后的?)?(.+?)(?:数量|个数|人数|数)", lambda found: f"{found[1] or ''}不同{found[2]}数", body)
    if found := re.fullmatch(r"(?:累计|总)(?P<of>.+)", body):
        yield from (found["of"], f"总{found['of']}")
    if found := re.fullmatch(r"(?P<of>.+?)[（(](?:去重|不重复)[)）]", body):
        yield f"不同{found['of']}"
    if found := re.fullmatch(r"(?:是否|有无|whether )[^（(]*[（(](?P<cases>.+)[)）]", body, re.IGNORECASE):
        yield found["cases"]
    yield from times_in_words(body)
    if found := re.fullmatch(
        r"(?:the )?(?P<what>\w+) of (?:the |its |their )?(?P<which>latest|last|most recent|first|earliest) (?P<rows>.+)",
        body,
        re.IGNORECASE,
    ):
        yield from _moment_of(found, draft, phrases)


def _moment_of(found: re.Match[str], draft: Draft, phrases: Phrases) -> Iterator[str]:
    """`start of the latest finished trip`: the latest start of finished trips, where that is the moment by which one is the latest."""
    rows = phrases.rows(found["rows"], draft.entity)
    if rows is None:
        return
    scope = phrases.scope(rows.table)
    moment = scope.moment()
    what = found["what"].lower()
    if moment is not None and (what in ("date", "time", "day") or scope.moment(what) == moment):
        yield f"{found['which']} {moment.name} of {found['rows']}"


def _is_identity(words: str, name: str, draft: Draft, phrases: Phrases) -> bool:
    """学员编号 of `student_id`: the words say no more than which thing the key names."""
    found = _IDENTITY.fullmatch(words.strip())
    if found is None:
        return False
    noun = (found["noun"] or found["of"] or found["of2"] or "").strip()
    table = phrases.schema.entity(noun) if noun else draft.entity or (draft.base.base if draft.base is not None else None)
    if table is None:
        return False
    stem = re.sub(r"_?(?:id|key|no|code|number)$", "", name.lower())
    return name.lower() in {column.lower() for column in table.primary_key} or plain(stem) in nouns_of(table)
