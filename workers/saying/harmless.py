"""Text from outside made harmless for a terminal or a page: control characters become visible signs."""

import re
from collections.abc import Iterator

UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but newline and tab, marks that turn the reading direction, lone surrogates."""


def clean(text: str) -> str:
    """The text with every control character as a visible sign: ESC becomes `␛`."""
    return UNSAFE.sub(_sign, text.replace("\r\n", "\n"))


def flat(text: str) -> str:
    """The same on one line."""
    return clean(" ".join(text.split()))


def source_lines(text: str) -> Iterator[str]:
    """Lines of code, harmless: only a newline ends a line, tabs are spaces."""
    for line in text.replace("\r\n", "\n").removesuffix("\n").split("\n"):
        yield clean(line.expandtabs(4))


def _sign(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else "\ufffd"
