"""The encoding of a text, recognised from the text itself: from its mark, its NULs, its being UTF-8, or the words that it makes.

Bytes of one encoding read in another give signs of their own: a rare Chinese character within a Latin word, a capital with an accent
within small letters, Cyrillic beside Latin. Each candidate reads the lines that are not ASCII, and its text is scored by such signs.
"""

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from contracts.statements import name as named
from contracts.statements import names, say
from workers.errors import InvalidInput

CODECS = {
    "utf-8": "utf-8-sig", "utf-16": "utf-16", "utf-16-le": "utf-16-le", "utf-16-be": "utf-16-be", "utf-32": "utf-32",
    "gb18030": "gb18030", "gbk": "gb18030", "big5": "cp950", "shift_jis": "cp932", "euc-jp": "euc_jp", "euc-kr": "cp949",
    "windows-1250": "cp1250", "windows-1251": "cp1251", "windows-1252": "cp1252", "windows-1253": "cp1253", "windows-1254": "cp1254",
    "iso-8859-1": "latin-1", "iso-8859-2": "iso8859-2", "iso-8859-15": "iso8859-15", "koi8-r": "koi8-r", "cp437": "cp437", "cp850": "cp850",
    "mac-roman": "mac-roman",
}  # fmt: skip
"""The encodings that a person may name → Python's codec."""

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ORDERS = {"utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)}
"""The marks of encodings that are not read without one: the low byte first, and the high one."""
_HEAD = 1 << 16
"""First bytes in which NULs are looked for."""
_SAMPLE = 1 << 15
"""Bytes of lines that are not ASCII, which the candidates read."""
_AROUND = 1 << 10
_HIGH = re.compile(rb"[\x80-\xff]")
_FEWEST_NULS = 0.02
"""Share of the 16-bit units of a UTF-16 text that are ASCII: in Chinese its commas and line ends."""
_BROKEN_SHARE = 10
"""A text is UTF-8 with broken bytes when at most one in ten of its characters beyond ASCII is broken."""
_MARGIN = 0.5
_MARGIN_SHARE = 0.1
"""The best candidate is sure when it leads by half a point, and by a tenth of its score: a text with one accent in it has two points."""


@dataclass(frozen=True, slots=True)
class Read:
    """A text with the encoding that it was read in."""

    text: str
    encoding: str
    """A name of `CODECS`."""
    rival: str = ""
    """An encoding that fits about as well and gives another text: the reader should not go on without asking."""
    broken: int = 0
    """Characters that could not be read, and are U+FFFD."""

    @property
    def is_guess(self) -> bool:
        """Whether neither a mark nor UTF-8's own form says the encoding."""
        return not self.encoding.startswith("utf-")


def decode(data: bytes, encoding: str = "", *, is_whole: bool = True) -> Read:
    """The text. `encoding`: a name of `CODECS` that a person gave; `is_whole`: false for a beginning, which may end within a character.
    Never raises for what the bytes are."""
    if encoding:
        return _as(data, encoding, is_whole=is_whole)
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _as(data, name, is_whole=is_whole)
    if wide := _by_nuls(data[:_HEAD]):
        return _as(data, wide, is_whole=is_whole)
    text = _as(data, "utf-8", is_whole=is_whole)
    foreign = len(text.text) - len(text.text.encode("ascii", "ignore"))
    breaks_off = text.broken == 1 < foreign and text.text.endswith("\ufffd")  # within a character, after others that were whole
    if not text.broken or breaks_off or text.broken * _BROKEN_SHARE <= foreign:
        return text
    best, rival = _best(_sample(data))
    found = _as(data, best, is_whole=is_whole)
    return Read(found.text, best, rival, found.broken)


def read_surely(data: bytes, file: object, encoding: str = "") -> Read:
    """The text of a file that a person gave. Raises `InvalidInput` for a name that is not in `CODECS`, and where two encodings fit."""
    if encoding and encoding.lower() not in CODECS:
        raise InvalidInput.of(say("refused.text.no_encoding", encoding=named(encoding[:100]), known=names(CODECS)))
    read = decode(data, encoding.lower())
    if read.rival:
        first, second, option = named(read.encoding), named(read.rival), named(f"--encoding {read.encoding}")
        raise InvalidInput.of(say("refused.text.encodings", file=named(file), first=first, second=second, option=option))
    return read


def is_binary(data: bytes) -> bool:
    """Whether the beginning of a file has NULs, and not as UTF-16 or UTF-32 has them."""
    return b"\0" in data and not data.startswith(tuple(mark for mark, _ in _MARKS)) and not _by_nuls(data)


def _as(data: bytes, name: str, *, is_whole: bool) -> Read:
    low_first, high_first = _ORDERS.get(name, (b"", b""))
    if not data.startswith((low_first, high_first)):
        data = (high_first if _by_nuls(data[:_HEAD]) == "utf-16-be" else low_first) + data
    decoder = codecs.getincrementaldecoder(CODECS[name])
    try:
        return Read(decoder("strict").decode(data, final=is_whole), name)
    except UnicodeDecodeError:
        text = decoder("replace").decode(data, final=is_whole)
        return Read(text, name, broken=text.count("\ufffd"))


def _by_nuls(head: bytes) -> str:
    """UTF-16 without a mark: the halves of its ASCII characters that are NUL are all on one side. A binary file has NULs on both."""
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) < _FEWEST_NULS * len(head) / 2 or (even and odd):
        return ""
    name = "utf-16-le" if odd else "utf-16-be"
    try:
        text = codecs.getincrementaldecoder(CODECS[name])("strict").decode(head, final=False)
    except UnicodeDecodeError:
        return ""
    return "" if not even + odd or _CONTROL.search(text) else name


def _sample(data: bytes) -> bytes:
    """Lines that are not ASCII, as many as are looked at. Of a line of megabytes, what is around its first such byte."""
    pieces: list[bytes] = []
    size = place = 0
    while size < _SAMPLE and (found := _HIGH.search(data, place)):
        start = max(data.rfind(b"\n", place, found.start()) + 1, place, found.start() - _AROUND)
        end = data.find(b"\n", found.start(), start + _SAMPLE)
        place = start + _SAMPLE if end < 0 else end + 1
        pieces.append(data[start:place])
        size += place - start
    return b"".join(pieces)


def _best(sample: bytes) -> tuple[str, str]:
    """The encoding that makes the best text of the sample, and one that makes another text about as good."""
    texts = {name: sample.decode(CODECS[name], "replace") for name in _SCORES}
    points = {name: score(texts[name]) for name, score in _SCORES.items()}
    ranked = sorted(points, key=lambda name: -points[name])
    best = ranked[0]
    second = next((name for name in ranked[1:] if texts[name] != texts[best]), best)
    lead = points[best] - points[second]
    is_sure = points[best] > 0 and lead >= max(_MARGIN, _MARGIN_SHARE * points[best])
    return best, "" if is_sure or second == best else second


_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff]")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_SYLLABLES = frozenset(
    "이다는을가에의고하지한로기사도은를리서어아그자대나해라시인정일들과게으수있부전상보제만주장여원스니오구동안성공면국비조적마물연경거었았위방신내실선무우중것관계생유세미용모와년회말야때문소간"
    "발화치습트바진단산드업당운금분김박최민현재체명품번호객태송완료결패취배출입점등록처건반교학력행통양작각강영식"
)
"""Common syllables of Korean: of Chinese that is read as Korean, nearly none is one."""
_FEWEST_SYLLABLES = 3
"""That are no chance."""
_USUAL = 2
"""Bytes of a syllable in the standard; others are written by their letters."""
_CJK_MARKS = frozenset("　、。，；：！？（）【】《》「」『』“”‘’…—－·～ー々％")
_LATIN_MARKS = frozenset("€£§°«»“”„‚‘’–—…·×²³µ±©®™¿¡ºª½¼\xa0")
_ALPHABETS = {
    "windows-1252": (
        "äöüß", "àâæçéèêëîïôœùûü", "áéíñóúü", "ãáéíóúâêôàçü", "àèéìíîòóùú", "åäöé", "åæøé", "éëïóöüè",
    ),
    "windows-1250": ("áčďéěíňóřšťúůýžäľô", "ąćęłńóśźż", "áéíóöőúüű", "ăâîşţ", "čćđšž"),
    "windows-1254": ("çğıöşüâî",),
    "cp850": ("äöüß", "àâçéèêëîïôùû", "áéíñóúü"),
}  # fmt: skip
"""The letters beyond ASCII of the languages that are written in an encoding, small: German, French, Spanish, Portuguese, Italian, Swedish,
Danish, Dutch; Czech and Slovak, Polish, Hungarian, Romanian, Croatian; Turkish."""
_LONGEST_RUN = 3
"""Characters beyond ASCII in a row that Latin text has: two letters and a quotation mark."""
_LETTER = 2.0
_FAULT = -2.0
_BROKEN = -5.0
_MIXED = -3.0
"""A Chinese character that is not common, or a Cyrillic letter, beside a Latin one."""


def _latin(name: str, weight: float) -> Callable[[str], float]:
    """Scores by the language whose letters explain the text best. `weight`: below one where every text of a more usual encoding can also be
    read, in other letters."""

    def score(text: str) -> float:
        points = max(_words(text, frozenset(letters)) for letters in _ALPHABETS[name])
        return points * weight if points > 0 else points

    return score


def _words(text: str, letters: frozenset[str]) -> float:
    points = 0.0
    for match in _FOREIGN.finditer(text):
        run, start = match[0], match.start()
        if _CONTROL.search(run):
            points += _BROKEN
        elif len(run) > _LONGEST_RUN or (len(run) > 1 and run.isalpha() and not _beside(text, match)):  # no word is accents alone
            points -= len(run)
        else:
            points += sum(_letter(text, start + place, letters) for place in range(len(run)))
    return points


def _letter(text: str, place: int, letters: frozenset[str]) -> float:
    """What one character beyond ASCII says for the text."""
    char, before, after = text[place], text[place - 1 : place], text[place + 1 : place + 2]
    if char.lower() in letters:
        if char.isupper() and before.islower():
            return _FAULT
        if before.isalpha() or after.isalpha():
            return _LETTER
        return 0.5 if (before + after).isascii() else 0.0
    if char.isalpha() and char not in _LATIN_MARKS:
        return _FAULT
    if char not in _LATIN_MARKS or (before.isalpha() and after.isalpha() and char != "’"):
        return -1.0
    return 0.5


def _beside(text: str, match: re.Match[str]) -> bool:
    """Whether an ASCII letter is right before or after."""
    return text[max(0, match.start() - 1) : match.start()].isalpha() or text[match.end() : match.end() + 1].isalpha()


def _cyrillic(text: str) -> float:
    points = 0.0
    for match in _FOREIGN.finditer(text):
        run = match[0]
        points += _MIXED if _beside(text, match) else 0.0
        for before, char in zip(" " + run, run, strict=False):
            if _CONTROL.match(char):
                points += _BROKEN
            elif "а" <= char.lower() <= "я" or char in "ёЁіІїЇєЄ":
                points += 0.8 if char.islower() else _FAULT if before.islower() else 0.4
            else:
                points += 0.5 if char in _LATIN_MARKS and not before.isalpha() else -1.0
    return points - 1.0


def _han(codec: str, common: tuple[int, int], *, han: float, kana: float) -> Callable[[str], float]:
    """Scores by characters of the encoding's first level, whose lead bytes are `common`: the standards put the usual ones there."""

    @cache
    def worth(char: str) -> float:
        written = char.encode(codec, "ignore")
        if "一" <= char <= "鿿" or "㐀" <= char <= "䶿":
            return han if written and common[0] <= written[0] <= common[1] else 0.0 if written else -1.0
        if "ぁ" <= char <= "ヺ":
            return kana
        if char in _CJK_MARKS or "！" <= char <= "～":
            return 0.5
        return _BROKEN if _CONTROL.match(char) else -1.0

    @cache
    def is_doubtful(char: str) -> bool:
        """Not common, or its second byte is an ASCII character that may be one of its own."""
        return worth(char) <= 0 or char.encode(codec, "ignore")[-1:] < b"\x80"

    def score(text: str) -> float:
        points = 0.0
        for match in _FOREIGN.finditer(text):
            run = match[0]
            for beside, char in ((text[max(0, match.start() - 1) : match.start()], run[0]), (text[match.end() : match.end() + 1], run[-1])):
                points += _MIXED if beside.isalpha() and is_doubtful(char) else 0.0
            points += min(0.0, worth(run)) if len(run) == 1 and is_doubtful(run) else sum(map(worth, run))
        return points

    return score


def _korean(text: str) -> float:
    points = 0.0
    for match in _FOREIGN.finditer(text):
        for char in match[0]:
            if char in _CJK_MARKS or "！" <= char <= "～" or ("가" <= char <= "힣" and len(char.encode("euc_kr", "ignore")) == _USUAL):
                points += 0.5
            else:
                points += _BROKEN if _CONTROL.match(char) else -1.0
    common = sum(char in _SYLLABLES for char in text)
    return points + (1.5 * common if common >= _FEWEST_SYLLABLES else 0.0)


_SCORES: dict[str, Callable[[str], float]] = {
    "windows-1252": _latin("windows-1252", 1.0),
    "gb18030": _han("gb2312", (0xB0, 0xD7), han=1.0, kana=-1.0),
    "windows-1250": _latin("windows-1250", 0.8),
    "windows-1254": _latin("windows-1254", 0.8),
    "windows-1251": _cyrillic,
    "big5": _han("cp950", (0xA4, 0xC6), han=0.5, kana=-1.0),
    "shift_jis": _han("cp932", (0x88, 0x98), han=0.5, kana=1.5),
    "euc-jp": _han("euc_jp", (0xB0, 0xCF), han=0.5, kana=1.5),
    "euc-kr": _korean,
    "cp850": _latin("cp850", 0.6),
}
"""The candidates, in the order in which equal ones are taken."""
