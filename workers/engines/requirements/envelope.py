"""What surrounds the content of a requirement: the target's name, how it is written, its partitions, when it runs.

Each is a phrase of its own; what is left is the content. A phrase that is only half understood stays in the content, where it
cannot be read, so that nothing is passed over.
"""

# ruff: noqa: E501 patterns

import re
from dataclasses import dataclass, field

from contracts.sql_review import WriteMode

_NAME = r"`?(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)?)`?"
_TARGETS = (
    rf"^\s*(?:please\s+)?(?:(?:i|we)\s+(?:need|want)(?:\s+to)?\s*)?(?:build|create|make|produce|prepare|generate|maintain|keep|load|provide)?\s*"
    rf"(?:me\s+|us\s+)?(?:a|an|the)?\s*(?:new\s+|daily\s+|monthly\s+|weekly\s+)?(?:summary\s+|fact\s+|dimension\s+)?(?:table|mart|view)\s+"
    rf"(?:called\s+|named\s+)?(?!(?:of|with|that|which|for|showing|from|listing|about)\b){_NAME}(?=\s|[,:：，.。]|$)\s*(?:(?:with|of|that\s+(?:has|holds|shows|contains))\s+)?[:：,，]?\s*",
    r"^\s*(?:please\s+)?(?:build|create|make|produce|prepare|generate|maintain|keep|load)\s+"
    r"(?:the\s+)?(?:table\s+)?(?P<name>[A-Za-z][A-Za-z0-9]*(?:[_.]+[A-Za-z0-9]+)+|`[A-Za-z_][\w.]*`|(?!(?:table|report|list|overview|view)\b)[A-Za-z]\w*(?=\s*:))(?=\s|[,:：，.。(（]|$)\s*"
    r"(?:(?:with|of|that\s+(?:has|holds|shows|contains))\s+)?[:：,，]?\s*",
    rf"^\s*(?:请)?(?:(?:我们?)?(?:需要|想要))?(?:建立|创建|新建|建|生成|维护|制作|构建|产出|加工|准备)(?:一张|一个|一份)?(?:新)?(?:汇总|宽|事实|维度|结果)?(?:表)?\s*"
    rf"{_NAME}\s*(?:表)?\s*(?:[:：,，]|包含|显示|给出|其中)?\s*",
    rf"^\s*(?:我们?)?(?:需要|想要)(?:一张|一个)(?:汇总|宽|事实|维度|结果)?(?:表)\s*{_NAME}\s*[:：,，]?\s*(?:包含|显示|给出)?\s*",
)
_PLAIN_TARGETS = (
    r"^\s*(?:please\s+)?(?:(?:i|we)\s+(?:need|want)|build|create|make|produce|prepare|generate)\s+(?:me\s+|us\s+)?(?:a|an|the)?\s*(?:new\s+)?"
    r"(?:summary\s+)?(?:table|mart|dataset)\s+(?:with|of|that\s+(?:has|holds|shows|contains)|showing|for)\s+(?:the\s+)?",
    r"^\s*(?:请)?(?:(?:我们?)?(?:需要|想要)|建立|创建|新建|生成|制作|构建)(?:一张|一个)?(?:汇总|结果)?表\s*[,，:：]?\s*(?:包含|显示|给出|统计)\s*",
)
_WISH = r"\s*(?:please\s+)?(?:list|show(?:\s+me)?|give\s+me)\s+(?=[a-z])|\s*(?:请)?(?:列出|给出|展示)"
_MODES: tuple[tuple[WriteMode, str], ...] = (
    (
        WriteMode.OVERWRITE,
        r"(?:it|the table|this table)?\s*(?:is|should be)?\s*(?:fully |completely )?(?:overwrite|overwritten|rebuild|rebuilt|replaced|recomputed)(?: on| at| in| with)?(?: every| each)? ?(?:run|time|day|night|hour)?",
    ),
    (WriteMode.OVERWRITE, r"(?:每次运行|每次|每天|每晚)?(?:都)?(?:全量)?(?:覆盖|重建|重算)(?:写入|目标表|整表)?"),
    (WriteMode.UPSERT, r"(?:rows are |it is )?(?:upsert(?:ed)?|merged?)(?: (?:rows )?(?:by|on) (?:the )?(?:its )?key)?"),
    (WriteMode.UPSERT, r"按主键(?:更新|合并)(?:写入)?"),
    (WriteMode.APPEND, r"(?:new rows are |rows are )?append(?:ed)?(?: only)?(?: every day| daily| each run)?"),
    (WriteMode.APPEND, r"(?:每天|每次)?追加(?:写入)?"),
)
_PARTITIONS = (
    r"(?:it is |the table is |is )?partition(?:ed)? by (?P<columns>[A-Za-z_]\w*(?:\s*(?:,|and)\s*[A-Za-z_]\w*)*)",
    r"按\s*(?P<columns>[A-Za-z_]\w*(?:\s*[,，、和]\s*[A-Za-z_]\w*)*)\s*(?:字段)?(?:做|建)?分区(?:表)?",
)
_SCHEDULES: tuple[tuple[str, str], ...] = (
    (r"(?:it |the job )?(?:(?:to be |please )?(?:runs?|is (?:run|refreshed|updated)|refresh(?:ed)?|updated?|loaded|scheduled?))? ?(?:every day|daily|each day|every night|nightly|every morning)(?: at (?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?(?: ?(?P<half>am|pm))?)?", "day"),
    (r"(?:it |the job )?(?:runs?|is (?:run|refreshed|updated)|refresh(?:ed)?|updated?) (?:hourly|every hour)", "hour"),
    (r"(?:it |the job )?(?:runs?|is (?:run|refreshed|updated)|refresh(?:ed)?|updated?) (?:weekly|every week|every monday)", "week"),
    (r"(?:it |the job )?(?:runs?|is (?:run|refreshed|updated)|refresh(?:ed)?|updated?) (?:monthly|every month)", "month"),
    (r"每(?:天|日|晚)(?:凌晨|早上|上午)?(?P<hour>\d{1,2})\s*[点时:：](?P<minute>\d{2})?分?(?:定时|例行)?(?:运行|更新|刷新|执行|跑|调度|产出|出数)?(?:一次)?", "day"),
    (r"每(?:天|日|晚)(?:运行|更新|刷新|执行|跑)(?:一次)?", "day"),
    (r"每(?:小时)(?:运行|更新|刷新|执行|跑)(?:一次)?", "hour"),
    (r"每周(?:运行|更新|刷新|执行|跑)(?:一次)?", "week"),
    (r"每月(?:运行|更新|刷新|执行|跑)(?:一次)?", "month"),
)  # fmt: skip
_SENTENCE = re.compile(r"(?<=[.!])(?=\s|$)|(?<=[;。；！])|\n+")


@dataclass
class Envelope:
    """The target's frame, and the content of the requirement."""

    table: str = ""
    mode: WriteMode | None = None
    partition_by: tuple[str, ...] = ()
    schedule: str | None = None
    """As cron has it."""
    content: str = ""
    sentences: list[str] = field(default_factory=list[str])


def open_envelope(text: str) -> Envelope:
    """The frame and the content."""
    found = Envelope()
    text = _plain(text)
    kept: list[str] = []
    for sentence in (part.strip() for part in _SENTENCE.split(text) if part and part.strip()):
        if not is_frame(sentence, found):
            kept.append(sentence)
    if kept:
        kept[0] = _without_target(kept[0], found)
        kept[-1] = without_tail(kept[-1], found)
    found.sentences = [sentence for sentence in kept if sentence.strip(" .;。；")]
    found.content = " ".join(found.sentences)
    return found


def _plain(text: str) -> str:
    """Markdown's marks are no words: headings, bullets, emphasis."""
    lines = [re.sub(r"^\s*(?:#{1,6}\s+|[-*+]\s+|\d+[.)]\s+)", "", line) for line in text.replace("\r\n", "\n").split("\n")]
    return re.sub(r"\*\*|__(?=\w[^_]*__)", "", "\n".join(lines)).strip()


def is_frame(sentence: str, found: Envelope) -> bool:
    """Whether a whole sentence speaks of nothing but the frame, which is then noted."""
    parts = [part.strip(" .;。；!！") for part in re.split(r",|，|\band\b|并且|并", sentence.strip())]
    parts = _rejoined([part for part in parts if part])
    noted = Envelope()
    if not parts or not all(_note(part, noted) for part in parts):
        return False
    found.mode = noted.mode or found.mode
    found.partition_by = noted.partition_by or found.partition_by
    found.schedule = noted.schedule or found.schedule
    return True


def _rejoined(parts: list[str]) -> list[str]:
    """`partitioned by a and b` was cut at its `and`."""
    made: list[str] = []
    for part in parts:
        if made and re.search(r"partition(?:ed)? by |按\s*[A-Za-z_]", made[-1]) and re.fullmatch(r"[A-Za-z_]\w*(?:\s*分区)?", part):
            made[-1] += f", {part}"
        else:
            made.append(part)
    return made


def _note(part: str, found: Envelope) -> bool:
    for mode, pattern in _MODES:
        if re.fullmatch(pattern, part, re.IGNORECASE):
            found.mode = mode
            return True
    for pattern in _PARTITIONS:
        if match := re.fullmatch(pattern, part, re.IGNORECASE):
            found.partition_by = tuple(re.findall(r"(?!and\b)[A-Za-z_]\w*", match["columns"]))
            return True
    for pattern, unit in _SCHEDULES:
        if match := re.fullmatch(pattern, part, re.IGNORECASE):
            found.schedule = _cron(unit, match.groupdict())
            return True
    return _note_both(part, found)


def _note_both(part: str, found: Envelope) -> bool:
    """每天凌晨3点全量覆盖: when, and how it is written, without a comma between them."""
    if not re.match(r"每(?:天|日|晚|周|月|小时)", part):
        return False
    for mode, pattern in _MODES:
        for schedule, unit in _SCHEDULES:
            match = re.fullmatch(rf"(?P<when>{schedule}?)\s*(?:{pattern})", part, re.IGNORECASE) if schedule.startswith("每") else None
            if match:
                found.mode, found.schedule = mode, _cron(unit, match.groupdict())
                return True
    return False


def _cron(unit: str, at: dict[str, str | None]) -> str:
    if unit != "day":
        return f"@{unit}ly"
    if not at.get("hour"):
        return "@daily"
    hour = int(at["hour"] or 0) % 24
    if (at.get("half") or "").lower() == "pm" and hour < 12:
        hour += 12
    return f"{int(at.get('minute') or 0)} {hour} * * *"


def _without_target(sentence: str, found: Envelope) -> str:
    for pattern in _TARGETS:
        if match := re.match(pattern, sentence, re.IGNORECASE):
            found.table = match["name"].strip("`").lower()
            return sentence[match.end() :]
    for pattern in _PLAIN_TARGETS:
        if match := re.match(pattern, sentence, re.IGNORECASE):
            return sentence[match.end() :]
    return sentence


def without_wish(text: str) -> str:
    """The text without `I need a table of` and `list` before what is wanted."""
    for pattern in (*_PLAIN_TARGETS, _WISH):
        if match := re.match(pattern, text, re.IGNORECASE):
            return text[match.end() :]
    return text


def without_tail(sentence: str, found: Envelope) -> str:
    """`..., partitioned by day` and `..., every day at 6` at the end of a sentence that says more."""
    while True:
        body = sentence.rstrip(" .;。；!！")
        head, mark, tail = body.rpartition("，") if body.rfind("，") > body.rfind(",") else body.rpartition(",")
        if not mark or not is_frame(tail, found):
            return sentence
        sentence = head
