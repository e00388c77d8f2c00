"""Recognises artefacts of a SCOPE job by their beginning: first by marks in the content, then by the name that the platform gives."""

import re
from collections.abc import Callable

from workers.engines.scope.text import decode
from workers.engines.scope.tokens import Token, TokenKind, tokenize

BY_NAME = 0.4
"""The name says what the platform calls it, and nothing of what is in it."""

BY_CONTENT = 0.9
SCRIPT_HEAD = 16_384
"""Characters of a script that are searched. An EXTRACT comes near the beginning, after the comments."""

Sniff = Callable[[str, bytes], float]


def marked(names: tuple[str, ...], *marks: str, all_of: tuple[str, ...] = ()) -> Sniff:
    """A sniffer: sure when one of the marks is in the head (any case) and all of the others too; by one of the names, a little."""
    patterns = [re.compile(mark, re.IGNORECASE) for mark in marks]
    needed = [re.compile(mark, re.IGNORECASE) for mark in all_of]

    def sniff(name: str, head: bytes) -> float:
        text = decode(head).text
        if text and (not patterns or any(pattern.search(text) for pattern in patterns)) and all(pattern.search(text) for pattern in needed):
            return BY_CONTENT
        return by_name(name, names)

    return sniff


def by_name(name: str, names: tuple[str, ...]) -> float:
    """By the last part of the name, without case and the underscores around."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1].lower().strip("_")
    return BY_NAME if any(last == name or last.removesuffix(".txt").strip("_") == name for name in names) else 0.0


def sniff_script(name: str, head: bytes) -> float:
    """SCOPE or U-SQL by the words that only they have, outside of comments and strings."""
    text = decode(head).text[:SCRIPT_HEAD]
    lower = name.lower()
    named = BY_NAME if lower.endswith((".usql", ".script", ".scope")) else 0.0
    if text.lstrip("\ufeff \t\r\n")[:1] in ("<", "{", "[", ""):
        return 0.0
    tokens = tokenize(text).tokens
    score = sum(_weight(tokens, place) for place in range(len(tokens)))
    return max(named, min(0.95, 0.35 * score)) if score < 2 else 0.95


def _weight(tokens: list[Token], place: int) -> float:
    """2 for a word that is SCOPE's alone in its place; 1 for one that others may have."""
    token = tokens[place]
    before = tokens[place - 1] if place else None
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if token.kind is TokenKind.BLOCK:
        return 2
    if token.kind is not TokenKind.NAME:
        return 0
    starts = before is None or before.text in (";", "=", ")") or before.kind is TokenKind.BLOCK
    if token.text == "#DECLARE":
        return 2
    if (
        token.text in ("EXTRACT", "SSTREAM", "PROCESS", "REDUCE", "COMBINE")
        and starts
        and after is not None
        and after.text not in ("(", "=")
    ):
        return 2
    if token.text == "OUTPUT" and starts and after is not None and (after.kind is TokenKind.NAME or after.kind is TokenKind.STRING):
        return 2
    if token.text.startswith("@") and after is not None and after.text == "=":
        return 1
    is_assigned_select = token.text == "SELECT" and before is not None and before.text == "=" and token.text.isupper()
    return 1 if is_assigned_select else 0
