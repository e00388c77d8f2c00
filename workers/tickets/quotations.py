"""Copied text: an error text, a line of a log. Two reports that hold the same one report one thing, independent of the words around it and
of their language: "broker 日志里有 too many open files" and "The broker log says 'too many open files'".
"""

import re
from functools import lru_cache

_MARKED = re.compile(r"(?<!\w)'([^'\n]{6,200})'(?!\w)|[\"“”「『`]([^\"“”「」『』`\n]{4,200})[\"“”」』`]|(?<!\w)‘([^‘’\n]{6,200})’")
"""What is in quotation marks; an apostrophe is none."""
_INTRODUCED = re.compile(
    r"(?:\blogs?|\bsays?|\bprints?|\breports?|\bmessages?|\berrors?|\bfatal|\bexception|日志|报错|提示|错误信息|异常信息)"
    r"[^:：\n]{0,20}[:：]\s*(?P<text>[^\n]{6,200})"
    r"|(?<![A-Za-z.])[A-Za-z.]+(?:Exception|Error)[:：]\s*(?P<message>[^\n]{6,200})",
    re.IGNORECASE,
)
"""What follows the word that says where it was read."""
_LATIN = re.compile(r"[A-Za-z][A-Za-z'’_.-]*(?: [A-Za-z][A-Za-z'’_.-]*){2,}")
"""Several Latin words in a row, which a Chinese sentence copies."""
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[a-z0-9_]+|[\u4e00-\u9fff]")
_END = re.compile(r"[;；。]|\.(?:\s|$)|(?<=\D),\s|，")
_LETTERS = 10
"""Letters from which a copied text says something; a Chinese character counts as three."""
_WORDS = 3
_MOST = 4_000
"""Characters of a text that are read."""

_Words = tuple[str, ...]


def quote_alike(text: str, other: str) -> bool:
    """Whether an error text or a line of a log that either text copies is in the other one, word for word."""
    return _holds(other, text) or _holds(text, other)


def _holds(text: str, source: str) -> bool:
    """Whether the text has something that the source copies."""
    copied = _copied(source[:_MOST])
    if not copied:
        return False
    words = f" {' '.join(_words(text[:_MOST]))} "
    return any(f" {' '.join(each)} " in words for each in copied)


@lru_cache(2_048)
def _copied(text: str) -> tuple[_Words, ...]:
    """The words of what a text copies, each copy by itself."""
    found = [part for match in _MARKED.finditer(text) for part in match.groups() if part]
    for match in _INTRODUCED.finditer(text):
        found += _END.split(match["text"] or match["message"])[:1]
    if _CHINESE.search(text):
        found += _LATIN.findall(text)
    return tuple(dict.fromkeys(words for each in found if _says_something(words := _words(each))))


def _says_something(words: _Words) -> bool:
    """A name or a value in quotation marks is no error text."""
    letters = sum(3 if _CHINESE.match(word) else len(word) for word in words)
    return len(words) >= _WORDS and letters >= _LETTERS


@lru_cache(2_048)
def _words(text: str) -> _Words:
    return tuple(_WORD.findall(text.casefold()))
