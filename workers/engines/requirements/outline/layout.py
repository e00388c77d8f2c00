"""The parts of a requirement as it is laid out: labelled lines, bullets, tables of Markdown, and the sentences around them.

Nothing is passed over: what belongs to no part is a sentence, and a sentence that is not read is asked about.
"""

# ruff: noqa: E501 patterns

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from contracts.pipelines.analysis import OpenPart
from workers.engines.requirements.envelope import Envelope, is_frame, without_tail
from workers.engines.requirements.outline.items import Item, items_of, table_items
from workers.engines.requirements.prose.periods import normal_times
from workers.engines.requirements.prose.rules import sentences
from workers.engines.squeezing import squeezed

ANSWERS = "Clarifications:"
"""Begins the block of what was asked about and answered."""
_LEFT_OUT = "left out"
_SAID_AGAIN, _SAID_IN_FEWER = "said again", "said in fewer sentences"
_NAMES_ONLY = re.compile(r"`?(?:(?!和)\w)+`?(?:\s*(?:,|，|、|\band\b|和)\s*`?(?:(?!和)\w)+`?)*\s*[.。]?")
RULE = "rows"
"""Begins an answer that says which rows count."""
_LABELS: tuple[tuple[str, str], ...] = (
    ("target", r"(?:target|output|result|deliverable)(?: table| name)?|table(?: name)?|name of the table|(?:目标|结果|输出|产出|交付)表名?|表名"),
    ("grain", r"grain|granularity|one row per|level of detail|(?:数据|统计|表的)?粒度|统计维度|每行(?:代表|对应|表示)?|一行(?:代表|对应|表示)"),
    ("source", r"sources?|source tables?|input(?: tables?|s)?|(?:来源|源|上游|输入)表|数据来源"),
    ("only", r"filters?|conditions?|scope|restrictions?|(?:过滤|筛选)(?:条件)?|条件|(?:统计|数据)?范围|(?:统计|数据|业务|计算)?口径(?:限制)?"),
    ("columns", r"(?:the )?(?:target |output |required )?(?:columns|fields|metrics|measures|dimensions|attributes|key columns)(?: are| needed| wanted)?|(?:维度|指标|度量|输出|目标|结果|包含)?(?:字段|列)(?:如下|包括|为|有|清单|说明|列表)?|维度|指标|度量|字段说明"),
    ("says", r"(?:description|what|purpose|summary|requirements?|goal|background|note|notes)|说明|描述|需求(?:描述|说明)?|背景|内容|备注"),
    ("ties", r"ties|tie[- ]?breaker|并列(?:时|规则)?"),
    ("frame", r"schedule|refresh(?:ed)?|frequency|partition(?:ed|s)?|write mode|mode|(?:更新|调度|刷新)(?:频率|周期|方式)?|分区|写入方式"),
)  # fmt: skip
_BEFORE_LABEL = re.compile(
    r"(?<=[.;])\s+(?=(?:the )?(?:" + "|".join(pattern for _, pattern in _LABELS) + r")\s*:\s)"
    r"|(?<=[。；])\s*(?=(?:" + "|".join(pattern for _, pattern in _LABELS) + r")\s*[:：])",
    re.IGNORECASE,
)
_END = re.compile(r"(?<=。)|(?<=\.)\s+(?=[A-Z])")
_SAID = {"en": re.compile(r"[A-Za-z]"), "zh": re.compile(r"[\u3400-\u9fff]")}
_MARKS = re.compile(r"^\s*(?:[-*+•]\s+|\d+[.)、．]\s*|[(（]\d+[)）]\s*)")


LEAST_LINES, MOST_TITLE_WORDS = 3, 9
"""Lines of a text whose first may be a heading, and words of such a heading."""
LONGEST_TITLE = 6
"""Words behind a target's name that are taken as its title."""


@dataclass
class Layout:
    """The parts of a requirement."""

    target: str = ""
    grain: list[str] = field(default_factory=list[str])
    """Words for what a row is, as a labelled line gives them."""
    title: str = ""
    """The first line, where it stands by itself above others."""
    is_grain_answered: bool = False
    """Somebody was asked and said it."""
    sources: str = ""
    columns: list[Item] = field(default_factory=list[Item])
    sentences: list[str] = field(default_factory=list[str])
    titles: list[str] = field(default_factory=list[str])
    """Headings, which restrict nothing."""

    answers: dict[str, str] = field(default_factory=dict[str, str])
    """What was said of columns afterwards, which replaces what was said before."""
    left_out: list[str] = field(default_factory=list[str])
    """Sentences that somebody chose to leave out."""
    dropped: list[str] = field(default_factory=list[str])
    """Columns that somebody chose to leave out."""
    said_again: list[str] = field(default_factory=list[str])
    """Sentences whose place others have taken."""
    perhaps_lost: list[str] = field(default_factory=list[str])
    """Those of them that fewer sentences replaced: one may have been forgotten."""

    @property
    def is_laid_out(self) -> bool:
        """Whether anything but sentences was found."""
        return bool(self.columns or self.grain or self.target)


def layout_of(text: str) -> Layout:
    """The parts of a text."""
    text, _, block = text.replace("\r\n", "\n").partition(f"\n{ANSWERS}\n")
    found, lines = Layout(), normal_times(text).split("\n")
    prose: list[str] = []
    section, at = "", _title(lines, found, prose)
    while at < len(lines):
        line = re.sub(r"\*\*|__(?=\w[^_]*__)|(?<=\w)__(?=\W|$)", "", lines[at]).strip()
        if line.startswith("|"):
            stop = at
            while stop < len(lines) and lines[stop].strip().startswith("|"):
                stop += 1
            items = table_items([row.strip() for row in lines[at:stop]])
            if items is None:
                prose += [row.strip() for row in lines[at:stop]]
            else:
                found.columns += items
            at = stop
            continue
        for part in _at_labels(line):
            section = _line(part, section, found, prose)
        at += 1
    for sentence in sentences("\n".join(prose)):
        if not is_frame(sentence, Envelope()):
            found.sentences.append(without_tail(sentence, Envelope()))
    _note_answers(block, found)
    return found


def _title(lines: Sequence[str], found: Layout, prose: list[str]) -> int:
    """Note a first line that is a heading by itself: a few words without a point at their end, above other lines. How many lines it takes."""
    first = lines[0].strip().strip("*").strip()
    words = len(first.split()) if first.isascii() else len(first) // 2
    if (
        sum(bool(line.strip()) for line in lines) < LEAST_LINES
        or not 0 < words <= MOST_TITLE_WORDS
        or re.search(r"[.。,，;；:：|]$", first)
    ):
        return 0
    if _MARKS.match(first) or first.startswith(("#", "|")) or _labelled(first)[0] or re.search(r"[A-Za-z]+_[A-Za-z_]\w*", first):
        return 0
    found.title = first
    prose += [f"{first}.", ""]
    return 1


def _at_labels(line: str) -> list[str]:
    """A line of prose, cut before each sentence that begins with a label: `Table: x. Grain: a and b. Fields: ...`."""
    if not line or _MARKS.match(line) or line.startswith("#"):
        return [line]
    parts = [part.strip() for part in _BEFORE_LABEL.split(line)]
    return [piece.strip() for part in parts for piece in (_END.split(part, maxsplit=1) if _labelled(part)[0] else [part]) if piece.strip()]


def _note_answers(block: str, found: Layout) -> None:
    """The lines of the block of answers, each of which names a part."""
    for line in block.split("\n"):
        part, _, words = line.removeprefix("- ").partition(": ")
        if part == "grain":
            found.grain, found.is_grain_answered = [words.strip()], True
        elif part == _LEFT_OUT:
            found.left_out.append(words.strip())
        elif part in (_SAID_AGAIN, _SAID_IN_FEWER):
            found.said_again.append(words.strip())
            found.perhaps_lost += [words.strip()] if part == _SAID_IN_FEWER else []
        elif part == RULE:
            found.sentences.append(words.strip().rstrip(" .。"))
        elif words.strip():
            found.answers[part.strip().lower()] = words.strip()
    dropped = {_bare(sentence) for sentence in (*found.left_out, *found.said_again)}
    found.sentences = [sentence for sentence in found.sentences if _bare(sentence) not in dropped]


def clarified(text: str, part: OpenPart, words: str, reply: str, *, is_choice: bool) -> str:
    """The text with an answer about one part of it, at its end. The answer replaces what the text says of that part. A line that defines a
    column or says what a row is counts as that, also where something else was asked."""
    lines: list[str] = []
    reply = squeezed(reply)
    if not is_choice:
        reply, further = _of_other_parts(reply, part, words)
        lines += further
    if part is OpenPart.GRAIN:
        lines += [f"- grain: {' '.join(reply.split())}"] if reply.strip() else []
    elif part in (OpenPart.SENTENCE, OpenPart.WORDS):
        again = "\n\n".join(filter(None, map(str.strip, reply.split("\n"))))
        reply = " ".join(reply.split())
        is_replaced = bool(reply) or (part is OpenPart.WORDS and bool(lines))
        if is_choice or is_replaced:  # definitions of columns say nothing of which rows count
            asked = [sentence for sentence in words.split("\n") if sentence]
            is_all = part is OpenPart.WORDS or len(sentences(again)) + again.count(";") + again.count("；") >= len(asked)
            for sentence in asked:
                is_again = is_all and _is_said_in(sentence, f"{again}\n" + "\n".join(lines), part)
                lines.append(f"- {_LEFT_OUT if is_choice else _SAID_AGAIN if is_again else _SAID_IN_FEWER}: {sentence}")
        if not is_choice and reply:
            text = _with_sentence(text, f"Columns: {reply}" if part is OpenPart.WORDS and _NAMES_ONLY.fullmatch(reply) else reply)
    elif is_choice and not reply.strip():
        lines += [f"- {_LEFT_OUT}: {name}" for name in words.split(", ")]
    elif reply.strip():
        lines += [f"- {name}: {meaning}" for name, meaning in _meanings(words.split(", "), reply.strip())]
    return "\n".join([text if ANSWERS in text else f"{text.rstrip()}\n\n{ANSWERS}", *lines])


def _with_sentence(text: str, sentence: str) -> str:
    """The text with one more sentence, before what was answered."""
    before, mark, answers = text.partition(f"\n{ANSWERS}\n")
    return f"{before.rstrip()}\n\n{sentence}\n{mark}{answers}"


_BOUND = re.compile(
    r"\b(?:only|except|without|at least|at most|more than|less than|fewer than|other than|exclud\w+|active|last|latest|first)\b|只|仅|不含|除外|至少|最多|以上|以下|超过|少于|最近|最新",
    re.IGNORECASE,
)
"""Words that restrict."""


def _is_said_in(words: str, reply: str, part: OpenPart) -> bool:
    """Whether a reply has the numbers of what it takes the place of; definitions of columns also the words that restrict."""
    if re.fullmatch(r"[\u3400-\u9fff]{2,12}", words):  # 最近播放时间: the name of a column
        return True
    wanted = re.findall(r"\d+(?:[.-]\d+)*", words) + (_BOUND.findall(words) if part is OpenPart.WORDS else [])
    return all(item.lower() in reply.lower() for item in wanted)


_DEFINES = re.compile(r"(?:[-*•]\s*)?`?(?P<name>[A-Za-z_]\w*|[\u3400-\u9fff]{2,12})`?\s*[:：]\s*(?P<meaning>\S.*)")
_IS_ROW = re.compile(
    r"(?:(?:(?:one|a|1) (?:row|line|record) )?(?:per|for (?:each|every))|group(?:ed)? by) (?P<of>.+)|(?P<zh>每.{1,60}?(?:一行|一条记录|一条))",
    re.IGNORECASE,
)
_IS_RULE = re.compile(r"(?:only|without|exclude|excluding|ignore|leave out|keep|no)\b|只|仅|不|排除|剔除|去掉|保留", re.IGNORECASE)


def _of_other_parts(reply: str, part: OpenPart, words: str) -> tuple[str, list[str]]:
    """What a reply says of the part that was asked about, and lines for others."""
    rest: list[str] = []
    found: list[str] = []
    asked = {name.lower() for name in words.split(", ")}
    for line in reply.split("\n"):
        body = line.strip()
        defined = _DEFINES.fullmatch(body)
        row = _IS_ROW.fullmatch(body.rstrip(" .。;；"))
        if defined and not _labelled(body)[0] and (part is not OpenPart.COLUMN or defined["name"].lower() not in asked):
            found.append(f"- {defined['name']}: {defined['meaning']}")
        elif row and part is not OpenPart.GRAIN:
            found.append(f"- grain: {row['of'] or row['zh']}")
        elif part is not OpenPart.SENTENCE and _IS_RULE.match(body) and (part is not OpenPart.COLUMN or "\n" in reply or not asked):
            found.append(f"- {RULE}: {body}")
        else:
            rest.append(line)
    return "\n".join(rest), found


def _meanings(names: Sequence[str], reply: str) -> Iterator[tuple[str, str]]:
    """`km: sum of distance; trips: number of trips`, a line each or with semicolons between them; for one column its meaning alone."""
    known = "|".join(re.escape(name) for name in names)
    found = list(re.finditer(rf"(?:^|[\n;；])\s*(?:[-*]\s*)?`?({known})`?\s*(?:[:：=]|\bis\b|是|指)\s*", reply, re.IGNORECASE))
    if not found:
        yield names[0], " ".join(reply.split())
        return
    for at, match in enumerate(found):
        stop = found[at + 1].start() if at + 1 < len(found) else len(reply)
        yield match[1].lower(), " ".join(reply[match.end() : stop].strip(" ;；").split())


def is_left_out(text: str, layout: Layout) -> bool:
    """Whether somebody chose to leave these words out, or said them in another way."""
    return _bare(text) in {_bare(sentence) for sentence in (*layout.left_out, *layout.said_again)}


def _bare(sentence: str) -> str:
    return re.sub(r"\W+", "", sentence).casefold()


def _line(line: str, section: str, found: Layout, prose: list[str]) -> str:
    """Note what a line says; the section that goes on after it."""
    if not line:
        prose.append("")
        return section
    is_title = re.match(r"#{1,6}\s+", line)
    body = _MARKS.sub("", re.sub(r"^#{1,6}\s+", "", line)).strip()
    is_bullet = body != line and not is_title
    label, rest = _labelled(body)
    if label and (not is_bullet or label != "columns" or rest):
        return _note(label, rest, found, prose)
    if is_title:
        found.titles.append(body.rstrip(":："))
        return ""
    is_column = (is_bullet or section == "columns") and not (section == "" and not is_bullet)
    if not is_bullet and is_frame(body, Envelope()):
        prose += ["", body, ""]
        return ""
    if is_column and (items := items_of(body, is_sure=section == "columns")):
        found.columns += items
        return section
    prose.append(body if not is_bullet or re.search(r"[.。;；:：]$", body) else f"{body}.")
    return section if is_bullet else ("columns" if re.search(r"[:：]$", body) else "")


def _labelled(body: str) -> tuple[str, str]:
    """A label with which a line begins, and the rest of it."""
    for label, pattern in _LABELS:
        if match := re.fullmatch(rf"(?:the )?(?:{pattern})\s*(?:[:：]\s*(?P<rest>.*))?", body, re.IGNORECASE):
            if match["rest"] is None and not re.search(r"[:：]", body) and label != "columns":
                return "", body
            return label, (match["rest"] or "").strip()
    return "", body


def _note(label: str, rest: str, found: Layout, prose: list[str]) -> str:
    match label:
        case "target":
            name = re.fullmatch(
                r"(?:(?:a |the )?(?:table|view)\s+)?`?(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)`?(?P<more>[\s（(，,;；.。].*)?", rest
            )
            if name is None:
                prose.append(rest)
            else:
                found.target = name["name"]
                _note_more((name["more"] or "").strip(" ，,()（）;；.。"), found, prose)
        case "grain":
            found.grain.append(rest.strip(" .。"))
        case "source":
            found.sources = rest.strip(" .。")
        case "only":
            prose += ["", _as_restriction(rest.rstrip(" .。")), ""]
        case "columns":
            found.columns += [item for part in ([rest] if rest else ()) for item in _listed(part)]
            return "columns"
        case _:
            prose += ["", rest, ""]
    return ""


def _as_restriction(words: str) -> str:
    """What a line for conditions says, as a sentence."""
    if re.match(r"(?:只|仅|不|排除|剔除|only\b|exclude|excluding|without|no\b|not\b)", words, re.IGNORECASE) or re.search(
        r"(?:不要|不算|不计|除外|excluded|ignored)$", words
    ):
        return words
    return f"Only {words}" if _SAID["zh"].search(words) is None else f"只统计{words}"


def _note_more(more: str, found: Layout, prose: list[str]) -> None:
    """What stands behind the target's name: what a row is, a title of a few words, or more than that."""
    if not more:
        return
    if rows := re.fullmatch(
        r"(?:one|a|1) (?:row|line|record|entry) (?:per|for (?:each|every))\s+(?P<of>.+)|(?P<zh>每.{1,30}?一(?:行|条记录|条))",
        more,
        re.IGNORECASE,
    ):
        found.grain.append(rows["of"] or rows["zh"])
    elif len(more.split()) <= LONGEST_TITLE and len(more) <= 2 * LONGEST_TITLE * 5 and not re.search(r"[\d'=<>]", more):
        found.titles.append(more)
    else:
        prose += ["", more, ""]


def _listed(text: str) -> Iterator[Item]:
    yield from items_of(text.strip(" .。"), is_sure=True)
