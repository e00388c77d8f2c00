"""A requirement written as a report falls into parts: a heading, what its rows are, conditions, columns, order, number of rows."""

# ruff: noqa: E501 patterns

import re
from dataclasses import dataclass, field

from workers.engines.requirements.prose.column_lists import number_of

_SUPERLATIVE = r"highest|largest|biggest|greatest|most|latest|newest|longest|lowest|smallest|least|fewest|earliest|oldest|shortest"
_UP = frozenset({"lowest", "smallest", "least", "fewest", "earliest", "oldest", "shortest", "upward", "upwards", "ascending", "asc"})
_DOWN = frozenset({"downward", "downwards", "descending", "desc", "down"})
_ORDER = re.compile(
    rf"(?:it is |they are |the rows are |rows are )?(?:(?:sorted|ordered|order|sort) by .+|by (?:the )?\w.*|(?:the )?(?:{_SUPERLATIVE})(?: [\w ]+?)? first(?:,? (?:and )?then .+)?|then (?:by )?.+)",
    re.IGNORECASE,
)
_ORDER_ZH = re.compile(
    r"按.+(?:排序|排列|降序|升序|倒序|从高到低|从低到高|从大到小|从小到大|从多到少|从少到多).*|.+(?:降序|升序|倒序)|从(?:高到低|低到高|大到小|小到大|多到少|少到多)(?:排序|排列)?|.{0,12}(?:高|大|多|新|晚|低|小|少|早|旧)者?(?:在前|优先|排前)(?:[，,、]\s*(?:其次|再|然后)按.+)?|(?:其次|再|然后)按.+"
)
_LIMIT = re.compile(
    r"(?:at most|no more than|limit(?:ed)?(?: to)?|only|just)?\s*(?:the )?(?:first |top )?(?P<n>\d+|[a-z]+) ?(?:rows?|lines?|entries|of them)?|(?:最多|至多|只取|取|仅取|只要|限)?\s*(?:前)?\s*(?P<zh>\d+)\s*(?:行|条|个|名)?",
    re.IGNORECASE,
)
_LIMITS = re.compile(r"at most|no more than|limit|first|top|最多|至多|只取|取|仅取|只要|限|前", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass
class Parts:
    """The parts of a report."""

    sentences: list[list[str]] = field(default_factory=list[list[str]])
    """Sentences, each as what is between its colons."""
    order: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    """Words for a column, empty where it is the only number, and whether the largest comes first."""
    limit: int | None = None


def parts_of(sentences: list[str]) -> Parts:
    """The parts of a requirement's sentences."""
    found = Parts()
    for sentence in sentences:
        pieces = _split(resolved(sentence))
        while len(pieces) > 1 and _taken(pieces[-1], found):
            pieces.pop()
        body = _without_tail("; ".join(pieces), found)
        if body and not _taken(body, found):
            found.sentences.append([part.strip() for part in _at_colons(body) if part.strip()])
    return found


def resolved(sentence: str) -> str:
    """With the date in the place of `that day`, and what was named before in the place of `it`."""
    dates = _DATE.findall(sentence)
    if len(set(dates)) == 1:
        at = sentence.index(dates[0])
        tail = re.sub(
            r"\b(?:that|this|the same) (?:day|date)\b|(?:该|此|这一?)(?:日期|日|天)", dates[0], sentence[at:], flags=re.IGNORECASE
        )
        sentence = sentence[:at] + tail
    if named := re.search(
        r"\b(?:after|before) (?P<what>(?:the |its )?[a-z]+ (?:date|day|time))\b(?P<between>.*?)\b(?P<sign>after|before) it\b", sentence
    ):
        sentence = f"{sentence[: named.end() - 2]}{named['what']}{sentence[named.end() :]}"
    return sentence


def _split(sentence: str) -> list[str]:
    """At semicolons outside of brackets."""
    made, depth = [""], 0
    for letter in sentence:
        depth += (letter in "(（") - (letter in ")）")
        if letter in ";；" and depth == 0:
            made.append("")
        else:
            made[-1] += letter
    return [part.strip() for part in made if part.strip()]


def _at_colons(text: str) -> list[str]:
    return re.split(r"\s*:\s+|\s*：\s*", text)


def _without_tail(text: str, found: Parts) -> str:
    """`name and address, sorted by name`: the order stands behind the last comma, or the last ones."""
    marks = [match.start() for match in re.finditer(r"[,，]", text)]
    for place in marks:
        tail = text[place + 1 :].strip()
        if re.match(r"(?:sorted|ordered) by|按|at most|最多|至多", tail) and _tail_taken(tail, found):
            return text[:place].strip()
    return text


def _tail_taken(tail: str, found: Parts) -> bool:
    head, mark, last = tail.rpartition("，") if "，" in tail else tail.rpartition(",")
    if mark and (number := _limit(last.strip())) is not None and _taken(head.strip(), found):
        found.limit = number
        return True
    return _taken(tail, found)


def _taken(text: str, found: Parts) -> bool:
    """Note an order or a number of rows."""
    text = text.strip(" .。,，")
    for mark in (",", "，"):  # 总价高者在前，最多 100 行
        head, _, last = text.rpartition(mark)
        if head and (number := _limit(last.strip())) is not None and _ordered(head.strip(), found):
            found.limit = number
            return True
    if (number := _limit(text)) is not None:
        found.limit = number
        return True
    return _ordered(text, found)


def _limit(text: str) -> int | None:
    match = _LIMIT.fullmatch(text)
    return number_of(match["n"] or match["zh"]) if match and _LIMITS.match(text) else None


def _ordered(text: str, found: Parts) -> bool:
    if not (_ORDER.fullmatch(text) or _ORDER_ZH.fullmatch(text)):
        return False
    body = re.sub(
        r"^(?:it is |they are |the rows are |rows are )?(?:(?:sorted|ordered|order|sort) by |by )|^按\s*|(?:排序|排列)$",
        "",
        text,
        flags=re.IGNORECASE,
    )
    for part in re.split(r",? (?:and )?then (?:by )?|\s*[,，、]\s*(?:其次|再|然后)?按?|\s+and\s+", body):
        if part.strip():
            found.order.append(_key(part.strip()))
    return True


def _key(part: str) -> tuple[str, bool]:
    if first := re.fullmatch(rf"(?:the )?(?P<way>{_SUPERLATIVE})(?: (?P<of>[\w ]+?))? first", part, re.IGNORECASE):
        return first["of"] or "", first["way"].lower() not in _UP
    if last := re.fullmatch(r"(?P<of>.*?)\s*(?P<way>高|大|多|新|晚|低|小|少|早|旧)者?(?:在前|优先|排前)", part):
        return last["of"], last["way"] in "高大多新晚"
    if way := re.fullmatch(r"(?P<of>.*?)\s*(?:降序|倒序|从高到低|从大到小|从多到少)", part):
        return way["of"], True
    if way := re.fullmatch(r"(?P<of>.*?)\s*(?:升序|从低到高|从小到大|从少到多)", part):
        return way["of"], False
    words = part.split()
    if words[-1].lower() in _UP | _DOWN:
        return " ".join(words[:-1]), words[-1].lower() in _DOWN
    return part, False
