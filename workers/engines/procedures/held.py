"""Questions about what an analysis has found: they are answered from its tables, and nothing is called."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from contracts.base import Json
from contracts.procedure_results import Compared, Found, HeldTable
from contracts.procedures import Named, Vocabulary
from workers.engines.procedures.computing import better_of, number_in
from workers.engines.procedures.limits import Limit, read_limits
from workers.engines.procedures.words import folded, names_spoken, says

MOST_RANKED = 5

SHORT = 12
LONGEST_ORDINAL = 24
"""Characters of a reply that is an ordinal: "the second one, please"."""

"""Characters below which "the third?" asks for a place in the ranking that the conversation is about."""


class Held(StrEnum):
    """What a question is after."""

    RANK = "rank"
    """The first rows by a column."""
    KINDS = "kinds"
    """The rows with certain kinds of problems."""
    WORSE = "worse"
    """What got worse in a comparison."""
    STILL = "still"
    """What is still a problem after it."""
    ROW = "row"
    """Rows by their keys."""
    EFFECT = "effect"
    """What a comparison shows."""
    COUNT = "count"
    """How many."""
    WHERE = "where"
    """The rows within limits that the message names."""
    OPEN = "open"
    """The same, with a limit whose sense is not sure."""


@dataclass(frozen=True, slots=True)
class HeldQuestion:
    """A question that the tables can answer."""

    kind: Held
    column: str = ""
    is_ascending: bool = True
    first: int = 1
    """The place of the first row that is wanted, from 1."""
    many: int = 1
    is_after: bool = False
    """By the figures after what was simulated."""
    is_before: bool = False
    """By the earlier figures, where there are newer ones beside them."""
    values: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    level: str = ""
    """What a row is, if the message says so: it decides which table answers."""
    limits: tuple[Limit, ...] = ()
    cells: tuple[str, ...] = ()
    """Only the rows that have one of these texts are meant."""


@dataclass(frozen=True, slots=True)
class HeldRows:
    """The rows that answer."""

    table: HeldTable
    rows: tuple[Json, ...]
    places: tuple[int, ...] = field(default=())
    """Their places in the ranking."""


_NUMERALS = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
    "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5,
}  # fmt: skip
_TOKEN = re.compile(r"[a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?")
"""What a key may look like in a text, also between Chinese characters."""
_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])(?:-\d{2})?")
_NTH = re.compile(
    rf"第\s*(?P<zh>[一二两三四五六七八九十]|\d{{1,2}})|\b(?P<en>{'|'.join(_ORDINALS)})\b|\b(?P<num>\d{{1,2}})(?:st|nd|rd|th)\b"
)
_NEXT = re.compile(r"其次|次差|仅次于|\bnext (?:worst|best|highest|lowest)\b|\brunner-up\b")
_TOP = re.compile(
    r"(?:前|最\S的)\s*(?P<zh>[一二两三四五六七八九十]|\d{1,2})\s*(?:个|名|大)?|\b(?:top|first|worst|best)\s+(?P<en>\d{1,2}|two|three|four|five|ten)\b"
)
_WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10}
_HIGH = re.compile(r"最高|最大|最多|\bhighest|\blargest|\bmost\b|\bmaxim|\bbiggest|\bbusiest")
_LOW = re.compile(r"最低|最小|最少|\blowest|\bsmallest|\bleast\b|\bminim")
_WORST = re.compile(r"最差|最严重|最弱|最糟|最坏|差的|严重的|\bworst\b|\bweakest\b|\bpoorest\b|次差")
_BEST = re.compile(r"最好|最强|最优|好的小|\bbest\b|\bstrongest\b")
_WORSE = re.compile(r"变差|恶化|退化|劣化|反而(?:差|下降|降低)|更差|\bgot worse|\bworse\b|\bworsen|\bdegrad|\bdeteriorat")
_STILL = re.compile(
    r"仍然?|依然|依旧|还(?:有|是).{0,12}(?:问题|弱|差|未)|没(?:有)?(?:解决|改善)|未(?:解决|改善)|\bstill\b|\bremain|\bunsolved|\bleft over"
)
_AFTER = re.compile(
    r"\b(?:after (?:the |that |this )?(?:\w+ )?(?:optimi[sz]ation|simulation|change|changes|it)|afterwards)\b|(?:优化|仿真|调整|改动|之)后"
)
_COUNT = re.compile(r"多少个?|几个|\bhow many\b")
_EFFECT = re.compile(r"提升|改善|提高|效果|均值|平均|\bimprov|\bgains?\b|\beffect|\bmean\b|\baverage")
_DETAIL = re.compile(r"明细|详细|详情|具体|清单|哪些|哪几个|哪个|列出|看看|\bdetails?\b|\blist\b|\bwhich\b|\bshow\b|\bonly\b")


def read_held(
    message: str,
    vocabulary: Vocabulary,
    *,
    keys: Iterable[str],
    column: str,
    has_comparison: bool,
    others: Sequence[str] = (),
    earlier: Sequence[str] = (),
    cells: Sequence[str] = (),
) -> HeldQuestion | None:
    """The question, if the tables can answer it. `keys`: names of rows. `column`: by which the worst was named so far. `others`: columns
    of the tables that the vocabulary does not have. `earlier`: what the first table of a comparison is called. `cells`: texts
    in the tables, of which a message that has one means only the rows."""
    within = names_spoken(message, [Named(name=cell) for cell in cells if cell])
    found = _read(message, vocabulary, keys=keys, column=column, has_comparison=has_comparison, others=others)
    if within and (found is None or found.kind is Held.COUNT) and (_COUNT.search(folded(message)) or _DETAIL.search(folded(message))):
        found = HeldQuestion(Held.KINDS, values=within)
    return found and replace(found, is_before=says(message, earlier), cells=within)


def _read(
    message: str, vocabulary: Vocabulary, *, keys: Iterable[str], column: str, has_comparison: bool, others: Sequence[str]
) -> HeldQuestion | None:
    text, level = folded(message), level_named(message, vocabulary)
    plain = [Named(name=other, words=(other.replace("_", " "),)) for other in others]
    measures: list[Named] = [*(column for column in vocabulary.columns if column.better or column.words), *plain]
    read = read_limits(message, measures, column)
    if (read.limits or read.is_open) and (read.names_column or _COUNT.search(text) or _DETAIL.search(text)):
        kind = Held.OPEN if read.is_open else Held.WHERE
        return HeldQuestion(kind, level=level, limits=read.limits, is_after=_AFTER.search(text) is not None)
    named, stranger = _rows_named(text, keys)
    if stranger:
        return HeldQuestion(Held.ROW, keys=(stranger,))
    values = names_spoken(message, vocabulary.values)
    columns = names_spoken(message, measures)
    ranked = _ranked(text, columns[0] if columns else column, vocabulary, level)
    is_by_another = len(names_spoken(message, vocabulary.columns)) > 1  # "the mean share by sector": no comparison says it
    if has_comparison and (compared := _of_comparison(text, is_ranked=ranked is not None or is_by_another)) is not None:
        return HeldQuestion(compared)
    if named:
        return HeldQuestion(Held.ROW, keys=named)
    if ranked is not None:
        return ranked
    if _COUNT.search(text):
        return HeldQuestion(Held.COUNT, values=values)
    if values and _DETAIL.search(text):
        return HeldQuestion(Held.KINDS, values=values)
    return None


def _rows_named(text: str, keys: Iterable[str]) -> tuple[tuple[str, ...], str]:
    """The rows that a text names; where it names none, what looks like one and is none."""
    there = {folded(key): key for key in keys if key}
    spoken = [found for found in _TOKEN.findall(text) if found in there]
    named = tuple(dict.fromkeys(there[found] for found in spoken)) or _spoken_whole(text, there)
    return named, "" if named else _stranger(text, there)


def _of_comparison(text: str, *, is_ranked: bool) -> Held | None:
    """What is asked of a comparison of before and after: what got worse, what is still bad, or what it came to."""
    if _WORSE.search(text):
        return Held.WORSE
    if _STILL.search(text):
        return Held.STILL
    return Held.EFFECT if not is_ranked and _EFFECT.search(text) else None


def _spoken_whole(text: str, keys: Mapping[str, str]) -> tuple[str, ...]:
    """Keys of several words, or in another script."""
    return tuple(key for plain, key in keys.items() if re.search(rf"(?<![a-z0-9_-]){re.escape(plain)}(?![a-z0-9_-])", text))


def _stranger(text: str, keys: Collection[str]) -> str:
    """What looks like a key, letter for letter and digit for digit, and is none."""
    shapes = {_shape(key) for key in keys if any(letter.isdigit() for letter in key)}
    spoken = dict.fromkeys(_TOKEN.findall(text)) if shapes else ()
    tokens = (token for token in spoken if any(map(str.isdigit, token)) and not token.isdecimal() and not _DATE.fullmatch(token))
    return next((token for token in tokens if _shape(token) in shapes), "")


def _shape(token: str) -> str:
    return re.sub(r"[a-z]+", "a", re.sub(r"\d+", "0", token))


def level_named(message: str, vocabulary: Vocabulary) -> str:
    """What a row is, in the words of the message; empty if it does not say."""
    return next(iter(names_spoken(message, vocabulary.levels)), "")


def _several_asked(text: str, vocabulary: Vocabulary) -> bool:
    """Whether a question without a number is about several rows: "which machines"."""
    words = "|".join(re.escape(folded(word)) for level in vocabulary.levels for word in level.spoken() if word.isascii())
    pattern = r"哪些|哪几个|几个|ones\b|cells\b" + (rf"|\b(?:{words})s\b" if words else "")
    return re.search(pattern, text) is not None


def _ranked(text: str, column: str, vocabulary: Vocabulary, level: str) -> HeldQuestion | None:
    nth, top = _NTH.search(text), _TOP.search(text)
    low_is_bad = better_of(vocabulary, column) == "high"
    if _HIGH.search(text):
        ascending = False
    elif _LOW.search(text):
        ascending = True
    elif _BEST.search(text):
        ascending = not low_is_bad
    elif _WORST.search(text) or (nth and (len(text) < SHORT or re.search(r"差|严重|弱|worst|weakest", text))):
        ascending = low_is_bad
    else:
        return None
    if not column:
        return None
    first = _ordinal(nth) if nth else 2 if _NEXT.search(text) else 1
    many = _many(top) if top and not nth else MOST_RANKED if first == 1 and _several_asked(text, vocabulary) else 1
    is_after = _AFTER.search(text) is not None
    return HeldQuestion(Held.RANK, column=column, is_ascending=ascending, first=first, many=min(many, 50), is_after=is_after, level=level)


def worst_of(vocabulary: Vocabulary, column: str, many: int, level: str) -> HeldQuestion:
    """The question for the worst rows."""
    return HeldQuestion(Held.RANK, column=column, is_ascending=better_of(vocabulary, column) == "high", many=many, level=level)


def _ordinal(found: re.Match[str]) -> int:
    if found["zh"]:
        return _NUMERALS.get(found["zh"]) or int(found["zh"])
    return _ORDINALS.get(found["en"] or "", 0) or int(found["num"] or 1) or 1


def ordinal_in(text: str) -> int | None:
    """`the second one`, `2nd`, 第二个 as a number, where a text is hardly more than that."""
    found = _NTH.search(folded(text))
    return _ordinal(found) if found is not None and len(text.strip()) < LONGEST_ORDINAL else None


def _many(found: re.Match[str]) -> int:
    written = found["zh"] or found["en"] or "1"
    return _NUMERALS.get(written) or _WORDS.get(written) or int(written)


def narrowed(table: HeldTable, cells: Sequence[str]) -> HeldTable:
    """The rows that have one of these texts; all, if there are no texts."""
    if not cells:
        return table
    rows = tuple(row for row in table.rows if any(cell in cells for cell in row))
    return table.model_copy(update={"rows": rows, "row_count": len(rows) + table.row_count - len(table.rows)})


def rank(table: HeldTable, question: HeldQuestion) -> HeldRows:
    """The rows by a column, those without a value left out."""
    rows = [row for row in table.as_objects() if number_in(row, question.column) is not None]
    rows.sort(key=lambda row: number_in(row, question.column) or 0.0, reverse=not question.is_ascending)
    chosen = rows[question.first - 1 : question.first - 1 + question.many]
    return HeldRows(table, tuple(chosen), tuple(range(question.first, question.first + len(chosen))))


def within(table: HeldTable, limits: Sequence[Limit]) -> HeldRows:
    """The rows within all the limits, in the order of the table."""
    return HeldRows(table, tuple(row for row in table.as_objects() if all(limit.holds(row) for limit in limits)))


def of_keys(table: HeldTable, keys: Sequence[str]) -> HeldRows:
    """The rows with these keys, in the order of the keys."""
    by_key = {str(row.get(table.key, "")): row for row in table.as_objects()}
    return HeldRows(table, tuple(by_key[key] for key in keys if key in by_key))


def keys_of_kinds(found: Found, values: Sequence[str]) -> tuple[str, ...]:
    """The keys of the rows with these kinds of problems."""
    return tuple(key for value in values for key in found.by.get(value, ()))


def newest_comparison(results: Iterable[Json]) -> Compared | None:
    """The last comparison among results."""
    found = [result for result in results if result.get("kind") == "compared"]
    return Compared.model_validate(found[-1]) if found else None


def findings(results: Iterable[Json]) -> list[Found]:
    """What was found to be wrong, in the order of the steps."""
    return [Found.model_validate(result) for result in results if result.get("kind") == "found"]
