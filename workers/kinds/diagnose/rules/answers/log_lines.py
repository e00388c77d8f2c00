"""A pasted line of a log is one piece: its commas part no clauses, and its "and" joins none.

What would part it is hidden while the reply is read, character for character, so that all positions stay, and comes back in what is kept.
"""

import re

_TIME = (
    r"\[?(?:\d{4}[-/]\d{2}[-/]\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?"
    r"|[A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2}|\d{2}:\d{2}:\d{2}[.,]\d{3,9})\]?"
)
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|SEVERE|CRITICAL|FATAL|PANIC|Warning|Note)"
_ANSWER = (
    r"[,，;；]\s{0,3}(?:and |also |另外|还有)?(?:item |#|第)?[1-9][项个条]?[ :：.)]{0,3}"
    r"(?:yes|no|y|n|don'?t know|是|否|有|没有?|确认|否定|不清楚)(?![A-Za-z])"
)
_LINE = re.compile(
    rf"(?:{_TIME}[^\n]{{0,80}}?(?:\b{_LEVEL}\b|\[|\w\[\d+\]:)|(?<![\w])\[?{_LEVEL}\]?\s{{0,3}}[\[(:])(?:(?!{_ANSWER})[^\n]){{0,2000}}"
)
_PARTS = re.compile(r"[,;，；、。!！?？]|[.:](?=\s)|(?<=\S)[ \t](?=(?:but|and|while|whereas|though|although)[ \t])")
_HIDDEN = 0xE100
"""Where the private characters begin that stand for the hidden ones; a user's own of these come back as they were."""


def shielded(text: str) -> str:
    """The text with what parts clauses hidden in its lines of a log."""
    if any(_HIDDEN <= ord(character) < _HIDDEN + 0x100 for character in text):
        return text
    return _LINE.sub(lambda line: _PARTS.sub(lambda part: _hide(part[0]), line[0]), text)


def log_lines(text: str) -> list[str]:
    """The lines of a log in a text."""
    return [line[0].strip() for line in _LINE.finditer(unshielded(text))]


def _hide(character: str) -> str:
    return chr(_HIDDEN + _ORDER.index(character))


def unshielded(text: str) -> str:
    """The text as it was."""
    return text.translate(_BACK)


_ORDER = ",;，；、。!！?？.: \t"
_BACK = {_HIDDEN + place: character for place, character in enumerate(_ORDER)}
