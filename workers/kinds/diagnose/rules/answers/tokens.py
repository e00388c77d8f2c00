"""From text to runs of answer words and the prose between them. `answers.py` says what a run means."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rapidfuzz.distance import DamerauLevenshtein

from contracts.diagnose.deliverables import Finding
from workers.kinds.diagnose.rules.answers.words import (
    NONE_KEYS,
    NUMBER,
    ORDINAL,
    ORDINALS,
    PRONOUN,
    VOCABULARY,
    WORD,
    Hold,
    Kind,
    Word,
    key_of,
)

LAST = -1
"""The number of "the last one"; the reader puts in the real one."""


@dataclass(frozen=True)
class Token:
    """One word of a run, its position, and the items it names."""

    word: Word
    start: int
    end: int
    first: int = 0
    last: int = 0
    """Items `first` to `last`, for a number."""

    @property
    def kind(self) -> Kind:
        """What the token does."""
        return self.word.kind


@dataclass(frozen=True)
class Prose:
    """Free text, by position."""

    start: int
    end: int


_NUMBER = Word(Kind.NUMBER)
_ALL = Word(Kind.ALL)
_EXCEPT = Word(Kind.EXCEPT)
_NO = Word(Kind.VERDICT, Finding.DENIED)
_NAMING = {
    key: VOCABULARY[key_of(word)]
    for key, word in (("not", "not item"), ("neither", "not item"), ("none of", "not item"), ("both", "also"), ("all of", "also"))
}
_NAMED = re.compile(r"\s*(?:item |number |#)?[1-9](?![0-9.%])")
_SILENT = (Kind.LINK, Kind.FILL)
_NO_ITEM = 100
"""From here on a number is a figure or a name (error 1040), and no item."""

_LONG = 6
_LATIN_WORD = re.compile(r"(?<![A-Za-z])[A-Za-z]+(?![A-Za-z_'’-])")
_LONG_VERDICTS = [
    key for key, word in VOCABULARY.items() if word.kind is Kind.VERDICT and key.isalpha() and key.isascii() and len(key) >= _LONG
]
_GAP = re.compile(r"[\s,，、;；。!！]*")
_HARD = r"[\n\r;；。!！]+|[.?](?=\s|$)"
_SEPARATOR = re.compile(rf"(?P<hard>{_HARD})|(?:(?<![0-9]),|,(?![0-9])|[，、])")
"""Where a clause ends. The comma of 1,200 does not."""
_STOP = re.compile(r"[,，、;；。!！]|[.][^\S\r\n]*(?:[\r\n]|$)")
"""What ends an answer word. A full stop does at the end of a line only: "no. of sessions" is prose."""
_LABEL = re.compile(r"\bno\.(?=\s?[0-9])", re.IGNORECASE)
_LETTER = re.compile(r"(?<![\w'’])([A-Ha-h])[):.=](?=\s|[^\W\d_])")
_COUNTED = re.compile(r"(?:(?<=^)|(?<=[\s,，;；。、]))([一二三四五六])(?=[是不有没无也、:：,，.]|确|否|正常|异常)")
_INNER = re.compile(r"(?<![0-9A-Za-z.,:%_#-])[0-9]{1,2}")
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20, 0xA0: 0x20}
for _kept in "，；！":
    del _WIDE[ord(_kept)]


def narrow(text: str) -> str:
    """Full-width letters, digits and brackets made ASCII, character for character, so that positions stay.

    In a text that begins with "No. 1" every such "no." is a label.
    """
    text = _lettered(text.translate(_WIDE))
    return _LABEL.sub("   ", text) if _LABEL.match(text.lstrip()) else text


def _lettered(text: str) -> str:
    """Items that the user counts by letters, as their numbers: "A) yes B) no"."""
    labels = _LETTER.findall(text)
    if (counted := _COUNTED.findall(text)) and len(counted) > 1 and counted == list("一二三四五六"[: len(counted)]):
        return _COUNTED.sub(lambda label: str("一二三四五六".index(label[1]) + 1), text)
    if len(labels) < 2 or [label.upper() for label in labels] != list("ABCDEFGH"[: len(labels)]):
        return text
    return _LETTER.sub(lambda label: str("ABCDEFGH".index(label[1].upper()) + 1) + label[0][1:], text)


def _word_at(text: str, at: int) -> list[Token]:
    """The token or tokens at a position; empty if there is prose."""
    if (number := NUMBER.match(text, at)) is not None and (number[2] or int(number[1]) < _NO_ITEM):
        first = int(number[1])
        last = int(number[2]) if number[2] else first
        return [Token(_NUMBER, at, number.end(), min(first, last), max(first, last))]
    if (ordinal := ORDINAL.match(text, at)) is not None:
        index = LAST if ordinal[1] == "latter" else ORDINALS.get((ordinal[1] or ordinal[2] or ordinal[4] or "").lower(), LAST)
        return [Token(_NUMBER, at, ordinal.end(), index, index)]
    if (match := WORD.match(text, at)) is None:
        return _misspelt(text, at)
    key = key_of(match[0])
    if (named := _before_numbers(text, match, key)) is not None:
        return named
    if key in NONE_KEYS:
        return [Token(_ALL, at, match.end()), Token(_NO, at, match.end())]
    word = VOCABULARY.get(key)
    return [Token(word, at, match.end())] if word else []


def _misspelt(text: str, at: int) -> list[Token]:
    """A long verdict with one letter wrong, missing or too many: "cofirmed", "corect"."""
    match = _LATIN_WORD.match(text, at)
    if match is None or len(match[0]) < _LONG:
        return []
    close = [word for word in _LONG_VERDICTS if DamerauLevenshtein.distance(match[0].lower(), word, score_cutoff=1) <= 1]
    return [Token(VOCABULARY[close[0]], at, match.end())] if len(close) == 1 else []


def _before_numbers(text: str, match: re.Match[str], key: str) -> list[Token] | None:
    """ "not 3" and "neither 1 nor 2" deny what they name; "both 1 and 2" says no more than the numbers do."""
    if key not in _NAMING or _NAMED.match(text, match.end()) is None:
        return None
    return [Token(_NAMING[key], match.start(), match.end())]


def lex(text: str, at: int, limit: int = 2_000) -> list[Token]:
    """All answer words from a position on, up to the first prose. "All but" means "all except"."""
    tokens: list[Token] = []
    everything = False
    while len(tokens) < limit:
        gap = _GAP.match(text, at)
        at = gap.end() if gap else at
        found = _word_at(text, at)
        if not found:
            break
        everything = everything or found[0].kind is Kind.ALL
        if everything and text[at : found[-1].end].lower() == "but":
            found = [Token(_EXCEPT, at, found[-1].end)]
        tokens += found
        at = found[-1].end
    return tokens


def _prose_follows(text: str, at: int, link: bool) -> bool:
    """Whether prose goes on at once: no separator, no "also", not the end."""
    rest = text[at : at + 400].lstrip()
    return bool(rest) and not link and _STOP.match(rest) is None


def _keeps_its_meaning(text: str, tokens: list[Token]) -> bool:
    """Whether the last token is an answer although prose follows it at once."""
    last = tokens[-1]
    if last.kind is not Kind.VERDICT or last.word.leads:
        return False
    subjects = (Kind.NUMBER, Kind.ALL, Kind.REST)
    numbered = len(tokens) > 1 and tokens[-2].kind in subjects
    if numbered and tokens[-2].kind is Kind.NUMBER and last.word.hold >= Hold.NUMBERED:
        return True
    if last.word.hold is Hold.FREE:
        return True
    return last.word.hold is Hold.PRONOUN and PRONOUN.match(text[last.end : last.end + 40].lstrip()) is not None


def _trim(text: str, tokens: list[Token]) -> list[Token]:
    """The tokens that are an answer: what belongs to the prose behind them is given back to it."""
    kept = [token for token in tokens if token.kind not in _SILENT]
    links = {token.start for token in tokens if token.kind is Kind.LINK}
    behind = len(text)
    whole = kept[-1] if kept else None
    while kept:
        last = kept[-1]
        link = any(last.end <= start < behind for start in links) if len(links) < 9 else True
        silent_end = last is whole and not text[tokens[-1].end :].strip(" .!")
        goes_on = not silent_end and _prose_follows(text, last.end, link)
        if last.kind not in (Kind.ONLY, Kind.EXCEPT) and (not goes_on or _keeps_its_meaning(text, kept)):
            return kept
        behind = last.start
        while kept and kept[-1].start == behind:  # "none" is two tokens of one word
            kept.pop()
    return []


def _answer_in(text: str, start: int, end: int) -> int | None:
    """Where an answer with a number begins inside prose: "1 yes it is very high 2 no". None: nowhere."""
    for match in _INNER.finditer(text, start, end):
        run = _trim(text, lex(text, match.start(), limit=40))
        if len(run) > 1 and run[0].kind is Kind.NUMBER and run[1].kind is Kind.VERDICT:
            return match.start()
    return None


def pieces(text: str) -> Iterator[list[Token] | Prose]:
    """The text as runs of answer words and prose, in order. `text` is `narrow`."""
    at, begun, answering = 0, -1, False
    while at < len(text):
        all_tokens = lex(text, at)
        if run := _trim(text, all_tokens):
            if begun >= 0:
                yield Prose(begun, at)
            yield run
            at, begun, answering = run[-1].end, -1, True
            goes_on = run[-1].word.hold in (Hold.NUMBERED, Hold.PRONOUN) and _prose_follows(text, at, link=False)
            if goes_on and not PRONOUN.match(text[at : at + 40].lstrip()):
                begun = run[-1].start  # "1 no errors": the observation is "no errors"
            continue
        if all_tokens and not text[all_tokens[-1].end :].strip():  # fillers up to the end
            break
        begun = at if begun < 0 else begun
        # What the prose took back is prose as well: no answer begins inside it.
        separator = _SEPARATOR.search(text, all_tokens[-1].end if all_tokens else at)
        end = separator.start() if separator else len(text)
        inner = _answer_in(text, at + 1, end) if answering else None
        if inner is not None:
            yield Prose(begun, inner)
            at, begun = inner, -1
            continue
        at = separator.end() if separator else len(text)
        if separator and separator["hard"]:
            yield Prose(begun, end)
            begun, answering = -1, False
    if begun >= 0:
        yield Prose(begun, len(text))
