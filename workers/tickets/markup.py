"""Plain text from what ticket tools store: Jira markup, HTML, bold of Markdown, the frames of comments and journal entries."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

_OPENING = re.compile(r"\{(code|noformat)(?::[^{}]*)?\}", re.IGNORECASE)
_CLOSING = {kind: re.compile(rf"\{{{kind}\}}", re.IGNORECASE) for kind in ("code", "noformat")}
_TAGS = re.compile(r"\{(?:color|panel|quote|anchor|code|noformat)(?::[^{}]*)?\}", re.IGNORECASE)
_HEADING = re.compile(r"^[ \t]*(?:h[1-6]\.|#{2,6}[ \t])[ \t]*(.+)$", re.MULTILINE)
_BOLD_LINE = re.compile(r"^[ \t]*\*([^*\n]{2,60})\*[ \t]*$", re.MULTILINE)
_BOLD = re.compile(r"(?<![\w*/.])\*(?![\s).,;/])([^*\n]+?)(?<![\s(/.,;])\*(?![\w*/.])")
_MARKDOWN_BOLD = re.compile(r"(?<![A-Za-z0-9_)\]/*])\*\*(?![\s/*])([^*\n]{1,200})(?<![\s/])\*\*(?![A-Za-z0-9_(/*])")
_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
_ASIDE = re.compile(r"\x00(\d+)\x00")
_MONO = re.compile(r"\{\{((?:(?!\{\{|\}\}).)+)\}\}")
_LINK = re.compile(r"\[([^\[\]|\n]+)\|[^\[\]\n]+\]")
_MENTION = re.compile(r"\[~[^\[\]\n]+\]")
_PICTURE = r"\.(?:png|jpe?g|gif)"
_IMAGE = re.compile(rf"!(?=[^!\s])[^!\n.]*(?:\.(?!png|jpe?g|gif)[^!\n.]*)*{_PICTURE}[^!\n]*!", re.IGNORECASE)
_HTML = re.compile(r"<(?:br|/p|/div|/li)\s*/?>", re.IGNORECASE)
_HTML_TAG = re.compile(r"</?(?:p|div|span|b|i|u|strong|em|ul|ol|li|pre|code|a|font|table|tr|td|th|tbody)\b[^<>]*>", re.IGNORECASE)
_SERVICENOW_CODE = re.compile(r"\[/?code\]", re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n{3,}")


def plain_text(text: str) -> str:
    """The text without markup. Headings end in a colon, blocks of code are fenced, mentions and pictures are gone."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _fenced(text)
    if _HTML.search(text) or _HTML_TAG.search(text):
        text = html.unescape(_HTML_TAG.sub("", _HTML.sub("\n", text)))
    codes: list[str] = []

    def put_aside(code: re.Match[str]) -> str:
        codes.append(code[0])
        return f"\x00{len(codes) - 1}\x00"

    text = _without_marks(_CODE.sub(put_aside, _MONO.sub(r"`\1`", text.replace("\x00", ""))))
    text = _ASIDE.sub(lambda place: codes[int(place[1])], text)
    return "\n".join(line.rstrip() for line in text.replace("::\n", ":\n").split("\n")).strip()


def _fenced(text: str) -> str:
    """With Jira's blocks of code between fences. What is not closed is looked for once."""
    parts, at, unclosed = list[str](), 0, set[str]()
    while opening := _OPENING.search(text, at):
        kind = opening[1].lower()
        closing = None if kind in unclosed else _CLOSING[kind].search(text, opening.end())
        parts.append(text[at : opening.end() if closing is None else opening.start()])
        if closing is None:
            unclosed.add(kind)
        else:
            parts.append(f"\n```\n{text[opening.end() : closing.start()].strip(chr(10))}\n```\n")
        at = (closing or opening).end()
    return "".join(parts) + text[at:]


def _without_marks(text: str) -> str:
    """A text outside of code without the marks of headings, bold, links, mentions and pictures."""
    for pattern, by in (
        (_SERVICENOW_CODE, ""),
        (_TAGS, ""),
        (_HEADING, r"\1:"),
        (_MARKDOWN_BOLD, r"\1"),
        (_BOLD_LINE, r"\1:"),
        (_BOLD, r"\1"),
        (_LINK, r"\1"),
        (_MENTION, ""),
        (_IMAGE, ""),
        (_BLANK_LINES, "\n\n"),
    ):
        text = pattern.sub(by, text)
    return text


_JIRA_COMMENT = re.compile(
    r"^\s*(?P<at>\d{1,2}/\w{3}/\d{2,4} [\d:]+(?: [AP]M)?|\d{4}-\d{2}-\d{2}[T ][\d:.+Z]+);(?P<by>[^;\n]{0,200});(?P<text>.*)$", re.DOTALL
)
_NOTES = r"Work notes|Additional comments|Comments|工作备注|工作日志|工作注释|工作说明|其他备注|其他注释|附加注释|备注|注释"
_LEVELS = r"ERROR|FATAL|WARN(?:ING)?|INFO|DEBUG|TRACE|NOTICE|SEVERE|CRITICAL|PANIC|LOG|HINT|DETAIL"
_JOURNAL = re.compile(
    r"^[ \t]*(?P<at>\d{4}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2})?|\d{1,2}[./]\d{1,2}[./]\d{2,4} \d{1,2}:\d{2}(?::\d{2})?(?: [AP]M)?)"
    rf" ?- ?(?P<by>[^\n(（]{{1,80}}?) ?[(（](?:{_NOTES})[^)）\n]*[)）][ \t]*$"
    r"|^[ \t]*(?P<when>\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2}(?::\d{2})?)?)"
    rf"(?: ?- ?[^\n:：(（]{{1,40}}| ?[(（](?!(?:{_LEVELS})\b)[^\n:：()（）\d]{{2,40}}[)）]"
    rf"| (?!(?:{_LEVELS})\b)[^\W\d_][^\n:：(（\d]{{0,19}})[:：][ \t]*(?=\S)",
    re.MULTILINE | re.IGNORECASE,
)


@dataclass(frozen=True)
class Comment:
    """One comment: its text without markup, date and author."""

    at: str
    text: str


def comments_in(cell: str) -> list[Comment]:
    """The comments of one cell, the oldest first. Jira writes `date;author;text`; ServiceNow writes its journal, the newest
    first, with a name on a line of its own or, in short exports, before the text."""
    if not cell.strip():
        return []
    if framed := _JIRA_COMMENT.match(cell):
        return [Comment(framed["at"], plain_text(framed["text"]))]
    entries = list(_JOURNAL.finditer(cell))
    if not entries:
        return [Comment("", plain_text(cell))]
    ends = [entry.start() for entry in entries[1:]] + [len(cell)]
    found = [Comment(entry["at"] or entry["when"], plain_text(cell[entry.end() : end])) for entry, end in zip(entries, ends, strict=True)]
    return found[::-1] if len(found) > 1 and _is_newest_first([comment.at for comment in found]) else found


def _is_newest_first(moments: Sequence[str]) -> bool:
    """By the first and the last. Where the first number may be a day or a month, and that decides, the order is ServiceNow's."""
    firsts = {numbers[:2] for moment in moments if "/" in moment and (numbers := _numbers(moment))}
    days_first = [True, False] if firsts else [True]
    if any(first > 12 for first, _ in firsts):
        days_first = [True]
    elif any(second > 12 for _, second in firsts):
        days_first = [False]
    return any(_moment(moments[0], day_first=first) > _moment(moments[-1], day_first=first) for first in days_first)


def _moment(text: str, *, day_first: bool) -> tuple[int, ...]:
    """What two dates of one journal are compared by."""
    first, second, third, *clock = _numbers(text)
    if clock and text[-2:].upper() in ("AM", "PM"):
        clock[0] = clock[0] % 12 + 12 * (text[-2:].upper() == "PM")
    if text[:4].isdigit():
        return first, second, third, *clock
    return third, *((second, first) if day_first else (first, second)), *clock


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in "".join(each if each.isdigit() else " " for each in text).split())
