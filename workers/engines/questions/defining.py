"""Sentences that define something: `revenue is the sum of the amounts`, `ASP = average sale price`, 客单价是指….

They are found here; what they compute is read in `definitions`.
"""

import re
from collections.abc import Iterator, Sequence

_WIDE = str.maketrans("（）＝：，", "()=:,", "`")
_SENTENCES = re.compile(r"(?<=[a-z\d)])[.;](?:\s|$)|[\n;；。]")
_DEFINITION = re.compile(
    r"^\s*(?:-\s*)?(?:note that |where |here,? |(?:we|i) (?:define|call) |by )?(?:the )?(?P<name>[A-Za-z%][\w%'-]*(?: [\w%'-]+){0,3}?"
    r"|[\u3400-\u9fff][\u3400-\u9fffA-Za-z]{1,11}?)\s*(?:\((?P<gloss>[^)]{1,80})\))?\s*"
    r"(?:=|:=|＝|\brefers to\b|\bmeans\b|\bis defined as\b|\bequals\b|\bis calculated as\b|,? (?:we|i) mean\b|是指|指的是|定义为|的定义是|等于|\b(?:is|as)(?= (?:the )?(?:sum|average|number|ratio|total|count)\b))\s*(?P<what>.+)$",  # noqa: E501 a pattern
    re.IGNORECASE,
)
_COMPUTES = re.compile(r"\b(?:sum|average|avg|count|number|total|min|max)\b|[/*×÷]|之和|总和|总数|平均|除以|数量", re.IGNORECASE)
"""What a sentence of a document must have to be read as a formula: `an order is a contract` defines no measure."""


def definitions_in(texts: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """The definitions of the texts: a name, what is in brackets behind it, and what it is."""
    for text in texts:
        for sentence in _SENTENCES.split(text.translate(_WIDE)):
            if sentence and (match := _DEFINITION.match(sentence.strip())):
                yield match["name"], match["gloss"] or "", match["what"].strip().rstrip(".")


def measures_in(text: str) -> Iterator[tuple[str, str, str]]:
    """The definitions of a document that compute something, and no prose: `an order is a contract` defines no measure."""
    return (found for found in definitions_in([text]) if _COMPUTES.search(found[2]))
