"""Reads a message with a procedure's vocabulary: its topic, the columns it names, what it asks for."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

import yaml

from contracts.procedure_results import Wishes
from contracts.procedures import ChartType, ColumnName, Named, Procedure, Step, Vocabulary
from workers.engines.squeezing import squeezed


@lru_cache(32)
def folded(text: str) -> str:
    """The text as it is compared: full-width forms, case and long runs of blanks do not matter."""
    return squeezed(unicodedata.normalize("NFKC", text).casefold())


@lru_cache(4_000)
def _pattern(word: str) -> re.Pattern[str]:
    """A word as it occurs: words of letters with their boundaries and an ending, Chinese ones anywhere. `*` stands for some words."""
    plain = re.escape(folded(word)).replace(r"\ ", r"[\s-]+").replace(r"\*", r".{1,60}?")
    begin = r"(?<![a-z0-9])" if folded(word)[:1].isascii() else ""
    end = r"(?:s|es)?(?![a-z0-9])" if folded(word)[-1:].isascii() else ""
    return re.compile(begin + plain + end)


@lru_cache(4_000)
def _pieces(word: str) -> tuple[str, ...]:
    """What a text holds wherever it holds the word."""
    return tuple(folded(word).replace("*", " ").split())


def _found(word: str, text: str) -> Iterator[re.Match[str]]:
    return _pattern(word).finditer(text) if all(piece in text for piece in _pieces(word)) else iter(())


def says(message: str, words: Iterable[str]) -> bool:
    """Whether a message has one of the words."""
    text = folded(message)
    return any(True for word in words for _ in _found(word, text))


def spans(message: str, named: Iterable[Named]) -> list[tuple[int, int, str]]:
    """Where names are spoken of: beginning, end, name. The longest words win where several overlap."""
    text = folded(message)
    found = [(match.start(), match.end(), item.name) for item in named for word in item.spoken() for match in _found(word, text)]
    kept, taken = list[tuple[int, int, str]](), bytearray(len(text))
    for begin, end, name in sorted(found, key=lambda span: (span[0] - span[1], span[0])):
        if not any(taken[begin:end]):
            taken[begin:end] = b"\1" * (end - begin)
            kept.append((begin, end, name))
    return sorted(kept)


def names_spoken(message: str, named: Iterable[Named]) -> tuple[str, ...]:
    """The names that a message speaks of, in its order, each once."""
    return tuple(dict.fromkeys(name for _, _, name in spans(message, named)))


def read_wishes(procedure: Procedure, message: str, *, before: str = "") -> Wishes:
    """What a message asks for. `before`: the topic that the conversation is about."""
    vocabulary = procedure.vocabulary
    topics = names_spoken(message, vocabulary.topics)
    topic = topics[0] if topics else before or procedure.topic
    if len(topics) > 1:
        topic = vocabulary.several if vocabulary.several and vocabulary.several not in topics else _of_several(vocabulary, topics)
    measures = tuple(column for column in vocabulary.columns if column.better is not None)
    known = names_spoken(message, measures)
    unknown = () if known or topics else unknown_columns(message, vocabulary)
    return Wishes(
        topic=topic,
        wanted=(*known, *unknown),
        unknown=unknown,
        named=known,
        asked=tuple(step.id for step in asked_steps(procedure.steps, _with_meaning(message, vocabulary))),
        chart_type=chart_type_in(message) or ChartType.GROUPED_BAR,
        no_chart=no_chart_in(message),
        words=message,
    )


def _of_several(vocabulary: Vocabulary, topics: Sequence[str]) -> str:
    return vocabulary.several or topics[0]


_WHAT_IS = re.compile(
    r"^\W*+(?:(?:and|so|but|please|tell me|by the way)\W++)*what(?:'s| is| are) (?:an? )?(?!the\b)(?P<en>[^?]{2,60}?)[\s?.!]*$"
    r"|^\W*+(?:那么?|请问)?\W*+(?P<zh>[^?，,。]{1,30}?)(?:到底|究竟)?(?:是|指)(?:什么|啥)(?:东西)?[\s?。!]*$"
)


def _with_meaning(message: str, vocabulary: Vocabulary) -> str:
    """The message, and, where it is "what is X?" of a word of the vocabulary and of nothing else, the same in the words "what does X mean".
    "What is the X?" asks for a figure."""
    found = _WHAT_IS.match(folded(message))
    if found is None:
        return message
    asked = found["en"] or found["zh"]
    named = (*vocabulary.topics, *vocabulary.columns, *vocabulary.values)
    spans_it = any(_pattern(word).fullmatch(asked) for item in named for word in item.spoken())
    return f"{message}\nwhat does {asked} mean" if spans_it else message


def asked_steps(steps: Iterable[Step], message: str) -> Iterator[Step]:
    """The steps that a message asks for."""
    return (step for step in steps if step.asked and says(message, step.asked))


def asked_together(steps: Iterable[Step], named: Collection[str]) -> tuple[str, ...]:
    """The ids of these steps and of those that the same words ask for: a call for figures, say, and the chart of them."""
    held = tuple(steps)
    words = [step.asked for step in held if step.id in named]
    return tuple(step.id for step in held if step.id in named or (step.asked and step.asked in words))


@lru_cache(1)
def _chart_words() -> dict[str, list[str]]:
    text = Path(__file__).with_name("chart_words.yaml").read_text("utf-8")
    return yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 it reads text only


_NOT_DRAWN = "not_drawn"


def chart_type_in(message: str) -> ChartType | None:
    """The type of chart that a message names."""
    return next((ChartType(kind) for kind, words in _chart_words().items() if kind != _NOT_DRAWN and says(message, words)), None)


def no_chart_in(message: str) -> str:
    """The words of a message for a type of chart that is not drawn; empty if there are none."""
    return next((word for word in _chart_words()[_NOT_DRAWN] if says(message, [word])), "")


def names_chart(message: str) -> bool:
    """Whether a message names a type of chart, whether or not it is drawn here."""
    return chart_type_in(message) is not None or no_chart_in(message) != ""


_DRAWN = re.compile(
    r"^\s*(?:please )?(?:draw|plot|graph|chart|visuali[sz]e)\s+(?:me )?(?:a (?:chart|graph|plot|picture) of )?(?:the )?"
    r"(?P<en>[a-z]{3,20}(?: [a-z]{2,20}){0,2})[\s.!]*$"
    r"|^\s*(?:请|帮我)?(?:画|绘制)(?:一下|出|一?张|一?个)?(?P<zh>[一-鿿]{2,8}?)的?(?:图表?|曲线)?[\s。!]*$"
)
_NO_COLUMN = re.compile(
    r"\b(?:it|that|this|them|these|those|all|both|again|now|please|everything|something|one|chart|graph|plot|picture|figures?|data|results?|"
    r"comparison|difference|changes?|before|after|for|with|as|in|on|to|and|by|out|up)\b|图|表|对比|比较|变化|前后|结果|数据|出来|看看|一下|这个|那个|它|全部|所有|可视化"
)


def unknown_drawn(message: str) -> str:
    """What a short message wants drawn, "draw the footfall": for messages in which no column was found."""
    found = None if names_chart(message) else _DRAWN.match(folded(message))
    what = (found["en"] or found["zh"]) if found else ""
    return "" if _NO_COLUMN.search(what) else what


_EACH = r"(?:各个?|每个?|所有|全部)"
_THE = r"(?:各个?|每个?|所有|全部|这些|那些)?"
_ENDS = r"(?:是多少|怎么样|如何|情况|分别|数据|吗|呢|吧|[?？。!！,，;；]|$)"

_VERBS = "show|list|give|get|check|query|what is|what's|what are|know|see"
_OF = r"(?:of|for|per|by|in|at|on) (?:(?:each|every|all|the|all the|all of the) )?"


@lru_cache(200)
def _unknown_patterns(levels: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    chinese = "|".join(re.escape(word) for word in levels if not word.isascii()) or "行"
    english = "|".join(re.escape(word) for word in levels if word.isascii()) or "row"
    return (
        re.compile(r"的(?P<what>[^的，,。？?\s]{1,12}?(?:率|满意度|次数|时延|评分))(?:是?多少|怎么样|如何|有多|[？?。]|$)"),
        re.compile(rf"{_EACH}(?:{chinese})的?(?P<what>[一-鿿a-z0-9 _-]{{2,16}}?){_ENDS}"),
        re.compile(rf"{_THE}(?:{chinese})的(?P<what>[一-鿿a-z0-9 _-]{{2,16}}?){_ENDS}"),
        re.compile(rf"(?:^|\b(?:{_VERBS})\b(?: me)?)\s*(?:the )?(?P<what>[a-z][a-z0-9 _-]{{2,40}}?) {_OF}(?:{english})s?\b"),
    )


_GENERAL = re.compile(
    r"问题|原因|情况|分析|数据|指标|参数|信息|明细|cause|reason|problem|data|detail|number|analysis|list|figures|situation|state"
)


def unknown_columns(message: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """What a message names in the place of a column, "the X of each cell", when nothing is known of X."""
    levels = tuple(word for level in vocabulary.levels for word in level.spoken())
    if not levels:
        return ()
    text = folded(message)
    known: tuple[Named, ...] = (*vocabulary.topics, *vocabulary.columns, *vocabulary.values, *vocabulary.levels)
    for pattern in _unknown_patterns(tuple(folded(word) for word in levels)):
        found = pattern.search(text)
        if found is None:
            continue
        what = re.sub(rf"^(?:{_VERBS})(?: me)?(?: the)? ", "", found["what"].strip())
        if len(what) > 1 and not names_spoken(what, known) and not _GENERAL.search(what):
            return (what,)
    return ()


def has_subject(message: str, vocabulary: Vocabulary) -> bool:
    """Whether a message says what it is about, beside its topic and words that say nothing."""
    text = folded(message)
    named: tuple[Named, ...] = (*vocabulary.topics, *vocabulary.columns, *vocabulary.values, *vocabulary.levels)
    for word in sorted({*(word for item in named for word in item.spoken()), *vocabulary.ignore}, key=len, reverse=True):
        text = _pattern(word).sub(" ", text)
    known = {part for item in named for word in item.spoken() for part in folded(word).split() if len(part) >= LONG_WORD}
    text = re.sub(r"[a-z]+", lambda found: "" if _is_mistyped(found[0], known) else found[0], text)
    return len(_SAYS_NOTHING.sub("", text)) > 1


_SAYS_NOTHING = re.compile(
    r"[\W_]+|的|了|吧|呢|吗|有没有|有多少|多少|哪些|哪几个|哪个|哪里|几个|有|是|怎么样|如何|比较|对比|请问"
    r"|\b(?:the|a|an|of|for|to|in|at|is|are|was|were|and|or|i|me|my|please|which|what|where|how|many|much|there|list|give|get|compare|here|all|any)\b"
)
"""What is left of a message without its vocabulary and names no place or thing."""


LONG_WORD = 6
"""Letters of a word that is recognised when it is mistyped."""


def _is_mistyped(word: str, known: Collection[str]) -> bool:
    return len(word) >= LONG_WORD - 1 and bool(get_close_matches(word, known, 1, 0.85))


def column_named(vocabulary: Vocabulary, name: str) -> ColumnName | None:
    """A column of the vocabulary."""
    return next((column for column in vocabulary.columns if column.name == name), None)
