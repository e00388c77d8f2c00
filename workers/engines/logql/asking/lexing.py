"""The words of a search, each with what it may be: lists of `lexicon.yaml`, names with operators, values, quoted texts, numbers, times."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from workers.engines.logql.names import COMPARISONS
from workers.engines.logql.tokens import duration_ns

QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」"}
_KEY = re.compile(r"([A-Za-z_][A-Za-z0-9_]{0,199})[ ]?(=~|!~|!=|>=|<=|==|=|>|<|＝)[ ]?")
_VALUE = re.compile(r"[!#-&(-+\--_a-{}~]+|[^\s,|\"'`，、“”‘’「」。；]+")
"""A value in Latin letters and signs, or one that begins with another letter."""
_WORD = re.compile(
    r"\d{4}-\d\d-\d\d(?:T(?=\d))?|\d{1,2}:\d\d(?::\d\d)?|\d{1,9}(?:\.\d{1,9})?(?:[smhdw](?:\d{1,9}[smhdw]){0,4}(?![A-Za-z]))?|[A-Za-z_]\w*",
    re.ASCII,
)
MOST_TEXT = 1_000
"""Characters of a text between quotation marks."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word from `begin` up to but not including `stop`. Of a quoted text `text` is what is between the marks."""

    kinds: frozenset[str]
    text: str
    begin: int
    stop: int


@cache
def lexicon() -> Mapping[str, Mapping[str, frozenset[str]]]:
    """First character → phrases in lower case, the longest first → what each may be."""
    known = yaml.load(Path(__file__).with_name("lexicon.yaml").read_text("utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 it reads text only
    kinds: dict[str, set[str]] = defaultdict(set)
    for kind, languages in known.items():
        for phrase in (*languages.get("en", ()), *languages.get("zh", ())):
            kinds[phrase].add(kind)
    found: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    for phrase in sorted(kinds, key=len, reverse=True):
        found[phrase[0]][phrase] = frozenset(kinds[phrase])
    return found


def lex(text: str) -> Iterator[Token]:
    """The words from left to right."""
    at, is_value = 0, False
    while at < len(text):
        if text[at].isspace():
            at, is_value = at + 1, False
        elif is_value or (key := _KEY.match(text, at)) is None:
            token = _quoted(text, at) or (_value(text, at) if is_value else _phrase(text, at) or _word(text, at))
            yield token
            at = token.stop
            is_value = text[at : at + 1] == "|"
            if is_value:
                yield Token(frozenset({"BAR"}), "|", at, at + 1)
                at += 1
        else:
            yield Token(frozenset({"KEY"}), key[1], at, key.end(1))
            kind = "COMPARISON" if key[2] in COMPARISONS - {"!="} else "OPERATOR"
            yield Token(frozenset({kind}), key[2].replace("＝", "="), key.start(2), key.end(2))
            at, is_value = key.end(), True


def _quoted(text: str, at: int) -> Token | None:
    stop = text.find(QUOTES[text[at]], at + 1, at + MOST_TEXT + 2) if text[at] in QUOTES else -1
    return Token(frozenset({"TEXT"}), text[at + 1 : stop], at, stop + 1) if stop > at + 1 else None


def _value(text: str, at: int) -> Token:
    found = _VALUE.match(text, at)
    if found is None:
        return Token(frozenset(), text[at], at, at + 1)
    return Token(frozenset({"ANY" if found[0] == "*" else "VALUE"}), found[0], at, found.end())


def _phrase(text: str, at: int) -> Token | None:
    for phrase, kinds in lexicon().get(text[at].lower(), {}).items():
        stop = at + len(phrase)
        behind = text[stop : stop + 1]
        is_part = phrase[-1].isalpha() and phrase[-1].isascii() and behind.isascii() and (behind.isalnum() or behind == "_")
        if not is_part and text[at:stop].lower() == phrase:
            return Token(kinds, text[at:stop], at, stop)
    return None


def _word(text: str, at: int) -> Token:
    found = _WORD.match(text, at)
    if found is None:
        return Token(frozenset(), text[at], at, at + 1)
    word = found[0]
    kind = "NAME" if word[0].isalpha() or word[0] == "_" else "DATE" if word.count("-") == 2 else "CLOCK" if ":" in word else "NUMBER"
    return Token(frozenset({"LENGTH" if duration_ns(word) else kind}), word, at, found.end())
