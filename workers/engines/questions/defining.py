"""Sentences that define something: `revenue is the sum of the amounts`, `by ASP we mean the average sale price`, 客单价是指….

The one grammar of definitions, for documents and comments, for messages of a conversation, and for questions with a definition inside. What
they compute is read in `definitions`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from workers.engines.questions.products import with_named_products

_IGNORE = re.IGNORECASE
_WIDE = str.maketrans("（）＝：，", "()=:,", "`")
_WIDE_SIGNS = str.maketrans("（）＝：，＊×÷／－−", "()=:,**//--")
_SENTENCES = re.compile(r"(?<=[a-z\d)])[.;](?:\s|$)|[\n;；。]")

_MEANS = r"\bmeans\b|\bis defined as\b|\bis calculated as\b"
_MEANS_ZH = "是指|定义为"
"""Between a name and what it is, in every kind of text. What else each kind allows is with its own form below."""
_GLOSS = r"\s*(?:\((?P<gloss>[^)]{1,60})\))?"
_SPOKEN_NAME = rf"(?:the\s+)?(?P<name>[\w%' -]{{1,40}}?){_GLOSS}"

_WRITTEN = re.compile(
    r"^\s*(?:-\s*)?(?:note that |where |here,? |(?:we|i) (?:define|call) |by )?(?:the )?(?P<name>[A-Za-z%][\w%'-]*(?: [\w%'-]+){0,3}?"
    r"|[\u3400-\u9fff][\u3400-\u9fffA-Za-z]{1,11}?)\s*(?:\((?P<gloss>[^)]{1,80})\))?\s*"
    rf"(?:=|:=|{_MEANS}|\brefers to\b|\bequals\b|,? (?:we|i) mean\b|{_MEANS_ZH}|指的是|的定义是|等于"
    r"|\b(?:is|as)(?= (?:the )?(?:sum|average|number|ratio|total|count)\b))\s*(?P<what>.+)$",
    _IGNORE,
)
"""A sentence of a document that is a definition from its beginning to its end."""
_SPOKEN = tuple(
    re.compile(form, _IGNORE)
    for form in (
        rf"\b(?:we|i)\s+(?:define|call)\s+{_SPOKEN_NAME}\s+(?:as|to be)\s+(?P<what>.+)",
        rf"\bby\s+{_SPOKEN_NAME}\s*,?\s+(?:we|i)\s+mean\s+(?P<what>.+)",
        rf"(?:^|\bnote that |\bwhere ){_SPOKEN_NAME}\s*(?:=|{_MEANS}|\bstands for\b|\bis\b(?=\s*\())\s*(?P<what>.+)",
        rf"(?:我们把|我们将|把|将)?\s*(?P<name>[\w%\u3400-\u9fff]{{1,20}}?){_GLOSS}\s*(?:{_MEANS_ZH}|定义是|指的是|等于|=|就是)\s*(?P<what>.+)",
    )
)
"""A definition in a sentence of a conversation, perhaps behind other words; the first that fits."""
_SAYS_MEANING = re.compile(
    rf"\b(?:we|i)\s+(?:define|mean|call)\b|{_MEANS}|\bare defined as\b|\bstands for\b"
    r"|^(?!\W*(?:and |so )?(?:what|which|who|how|where|when|why)\b)[^?]*\bis the (?:sum|total|average|number|count|ratio|share) of\b[^?]*$"
    rf"|\S\s*=\s*\S|等于.*[/÷除]|就是.*[/÷除]|{_MEANS_ZH}|定义是|指的是.{{4,}}|我们把",
    _IGNORE,
)
_NOTE = re.compile(
    r"\s*\b(?:note that|where|here,?) (?P<what>[\w ]{2,40}? (?:refers to|means|is defined as|equals|=) [^.?]+)[.?]?", _IGNORE
)
_BASED_ON = re.compile(r"\b(?P<name>[\w]+) \(based on (?P<what>[\w ]+)\)", _IGNORE)
_COMPUTES = re.compile(r"\b(?:sum|average|avg|count|number|total|min|max)\b|[/*×÷]|之和|总和|总数|平均|除以|数量", _IGNORE)
"""What a sentence of a document must have to be read as a formula: `an order is a contract` defines no measure."""


class Definition(NamedTuple):
    """What a name means, in the words of its sentence."""

    name: str
    gloss: str
    """What is in brackets behind the name; empty without."""
    what: str


def definitions_in(texts: Sequence[str]) -> Iterator[Definition]:
    """The definitions of documents, comments and instructions."""
    for text in texts:
        for sentence in _SENTENCES.split(text.translate(_WIDE)):
            if sentence and (match := _WRITTEN.match(sentence.strip())):
                yield Definition(match["name"], match["gloss"] or "", match["what"].strip().rstrip("."))


def measures_in(text: str) -> Iterator[Definition]:
    """The definitions of a document that compute something, and no prose: `an order is a contract` defines no measure."""
    return (found for found in definitions_in([text]) if _COMPUTES.search(found.what))


def says_meaning(sentence: str) -> bool:
    """Whether a sentence of a conversation says what a word means, also where `spoken_definition` finds no name in it."""
    return bool(_SAYS_MEANING.search(sentence))


def spoken_definition(sentence: str) -> Definition | None:
    """What a sentence of a conversation defines, with plain signs for wide ones and for × and ÷; None where it defines nothing."""
    text = sentence.translate(_WIDE_SIGNS).strip()
    match = next((match for form in _SPOKEN if (match := form.search(text))), None)
    if match is None:
        return None
    return Definition(match["name"].strip(), (match["gloss"] or "").strip(), match["what"].strip().rstrip(".。;； "))


def own_definitions(text: str) -> tuple[str, list[str]]:
    """The question without the definitions that it holds itself, and these."""
    found = [match["what"] for match in _NOTE.finditer(text)]
    found += [f"{match['name']} = sum of {match['what']}" for match in _BASED_ON.finditer(text)]
    if not found:  # the formula of a definition is read with its definition
        text, found = with_named_products(text)
    return _BASED_ON.sub(r"\g<name>", _NOTE.sub(" ", text)), found
