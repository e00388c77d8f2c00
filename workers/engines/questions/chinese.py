"""A Chinese question cut into the same tokens as an English one: the longest word that is known at each place.

Values and names that stay in Latin letters are tokens as in English. A Chinese word before such a value in brackets is explained by it:
意大利菜（Italian）.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import cn2an

from contracts.times import FoundTime
from workers.engines.questions.chinese_words import COUNTERS, LEXICON, NEUTRAL, PHRASES
from workers.engines.questions.items import Kind
from workers.engines.questions.places import CHINESE_NAMES
from workers.engines.questions.tokens import Token, tokens_of
from workers.engines.questions.words import key, other_keys

_LONGEST = 8
_CJK = re.compile(r"[\u3400-\u9fff]")
_GLOSS = re.compile(r"[（(]\s*(?P<value>[A-Za-z][\w .'&-]*)\s*[）)]")
_NUMBER = re.compile(r"\d+(?:\.\d+)?[百千万亿]+(?!分)|[一二两三四五六七八九十百千零〇]{2,}[万亿]*(?!分)|[一二两三四五六七八九十][万亿]+")
"""Numbers that are more than a digit or a word of one character."""
_MOST_DIGITS = 40
_MOST_NUMBER = 10**15
"""Above it, what is shown would no longer be what was written."""
_ENDS = frozenset({"在", "是", "的", "有"})


def is_chinese(text: str) -> bool:
    """Whether a text is to be read as Chinese."""
    return len(_CJK.findall(text)) >= 2


def chinese_tokens(text: str, times: Sequence[FoundTime], own_words: Mapping[str, str] | None = None) -> list[Token]:
    """The tokens. `own_words`: further words, such as Chinese names of columns, and the names they stand for."""
    lexicon = {**LEXICON, **(own_words or {})}
    made: list[Token] = []
    place, waiting = 0, list(times)
    while place < len(text):
        while waiting and waiting[0].begin < place:
            waiting.pop(0)
        if waiting and place == waiting[0].begin:
            found = waiting.pop(0)
            made.append(Token(found.begin, found.stop, found.text, found.text, kind=Kind.TIME, payload=found.range))
            place = found.stop
        elif (match := _NUMBER.match(text, place)) and (number := _number(match[0])):
            made.append(Token(place, match.end(), match[0], match[0], kind=Kind.NUMBER, payload=number))
            place = match.end()
        elif match := _GLOSS.match(text, place):
            value = match["value"]
            made = _explained(made, place, value)
            made.append(Token(match.start("value"), match.end("value"), value, value.lower(), is_quoted=True))
            place = match.end()
        elif _CJK.match(text, place) or text[place] in "、＞＜≥≤":
            token = _word(text, place, lexicon, waiting[0].begin if waiting else len(text), made, own_words or {})
            place = token.stop
            made.append(token)
        else:
            end = place + 1
            while (
                end < len(text)
                and not _CJK.match(text, end)
                and text[end] not in "（(、＞＜≥≤"
                and not (waiting and end == waiting[0].begin)
            ):
                end += 1
            made += [
                replace(token, begin=token.begin + place, stop=token.stop + place) for token in tokens_of(text[place:end], ())
            ]  # fmt: skip
            place = end
    return [token for token in _joined(made) if not token.is_neutral]


def _number(text: str) -> str:
    """The digits of a number in Chinese, such as 十五, 三千 and 1.5亿; empty where the text is not a number."""
    if len(text) > _MOST_DIGITS:
        return ""
    try:
        found = float(cn2an.cn2an(text.replace("两", "二").replace("〇", "零"), "smart"))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType] untyped
    except (ValueError, OverflowError):
        return ""
    return f"{found:.15g}" if abs(found) <= _MOST_NUMBER else ""


def _word(text: str, place: int, lexicon: Mapping[str, str], bound: int, made: Sequence[Token], own: Collection[str]) -> Token:
    """The longest word that is known here; else a single character without a meaning. `own`: words of the schema and of its values, which
    say something even where they are neutral elsewhere: 通过 is no preposition where exams are passed."""
    for size in range(min(_LONGEST, bound - place), 0, -1):
        word = text[place : place + size]
        stop = place + size
        if size > 1 or word not in lexicon or _is_counter(word, place, made):
            if (
                (meaning := PHRASES.get(word)) is not None
                and not _is_counted(word, made)
                and not _begins_word(text, stop, size, meaning[0], lexicon)
            ):
                kind, payload = meaning
                return Token(place, stop, word, word, kind=kind, payload=payload)
            is_grouped = word == "区" and bool(made) and made[-1].kind == Kind.EACH and made[-1].stop == place
            if (word in NEUTRAL and word not in own and not is_grouped) or (
                word in COUNTERS and made and made[-1].kind in (Kind.NUMBER, Kind.EACH, Kind.COUNT, Kind.ASK)
            ):
                return Token(place, stop, word, word, is_neutral=True)
        if word in lexicon:
            return Token(place, stop, word, word, keys=_keys(lexicon[word]))
    return Token(place, place + 1, text[place], text[place])


def _begins_word(text: str, stop: int, size: int, kind: Kind, lexicon: Mapping[str, str]) -> bool:
    """各套餐, 各类别: what looks like a counter begins the next word."""
    if size == 1 or kind not in (Kind.EACH, Kind.ASK, Kind.COUNT):
        return False
    return any(text[stop - 1 : end] in lexicon for end in range(stop + 1, min(stop + 3, len(text)) + 1))


def _is_counter(word: str, place: int, made: Sequence[Token]) -> bool:
    """前3名: behind a number, a counter is one even where it is a word for something else."""
    return _is_counted(word, made) and made[-1].stop == place


def _is_counted(word: str, made: Sequence[Token]) -> bool:
    """`三家`: a counter is not a word of its own behind a number."""
    return word in COUNTERS and bool(made) and made[-1].kind == Kind.NUMBER


def _keys(english: str) -> tuple[str, ...]:
    found: list[str] = []
    for option in english.split("/"):
        words = option.split()
        found.append("_".join(key(word) for word in words))
        found += other_keys(words[0]) if len(words) == 1 else ()
    return tuple(found)


def _explained(made: list[Token], place: int, value: str) -> list[Token]:
    """Without the Chinese words that the value in brackets explains: those up to the last word with a meaning of its own."""
    kept = list(made)
    begin = place
    names = {key(value.lower()), "_".join(key(word) for word in value.lower().split())}
    if (
        len(kept) > 1
        and _CJK.search(kept[-2].text)
        and kept[-2].kind is None
        and kept[-2].stop == kept[-1].begin
        and kept[-1].stop == begin
    ):
        before = kept[-2]  # 教育行业（education）, 金融行业（finance）: the value is in front of the name of its column
        is_behind = bool(kept[-1].keys) and not names & set(kept[-1].keys) and not before.is_neutral
        if is_behind and before.text not in _ENDS and (not before.keys or names & set(before.keys)) and len(kept[-1].text) > 1:
            return [*_without_unknown(kept[:-2], before), kept[-1]]
    while kept and kept[-1].stop == begin and _CJK.search(kept[-1].text) and kept[-1].kind is None:
        last = kept[-1]
        is_same = bool(names & set(last.keys)) or last.text in CHINESE_NAMES
        if not is_same and ((last.keys and begin - last.begin > 1) or last.text in _ENDS):
            break
        begin = kept.pop().begin
        if is_same:
            break
    return kept


def _without_unknown(tokens: Sequence[Token], last: Token) -> list[Token]:
    """Without the unknown characters that belong to the last, which was taken off."""
    kept = list(tokens)
    while kept and not last.keys and _is_unknown(kept[-1]) and kept[-1].stop == last.begin:
        last = kept.pop()
    return kept


def _joined(tokens: Sequence[Token]) -> list[Token]:
    """Unknown characters side by side as a single word, for the message and for a model to look at."""
    made: list[Token] = []
    for token in tokens:
        last = made[-1] if made else None
        if last is not None and _is_unknown(token) and _is_unknown(last) and last.stop == token.begin:
            made[-1] = Token(last.begin, token.stop, last.text + token.text, last.text + token.text)
        else:
            made.append(token)
    return made


def _is_unknown(token: Token) -> bool:
    return token.kind is None and not token.keys and not token.is_neutral and not token.is_quoted and bool(_CJK.search(token.text))
