"""Runs of blanks in a person's text, made short before any pattern reads it.

Most patterns allow blanks between any two words. Where several such places are side by side, a run of n blanks can be divided among k of
them in about n to the power of k ways, and a pattern that fails tries each. Nobody means anything by the fifth blank.
"""

import re

_BLANKS = re.compile(r"[^\S\n]{5,}")
_LINES = re.compile(r"\n(?:[^\S\n]{0,4}\n){3,}")


def squeezed(text: str) -> str:
    """The text with at most four blanks, and at most two empty lines, in a row."""
    return _LINES.sub("\n\n\n", _BLANKS.sub("    ", text))
