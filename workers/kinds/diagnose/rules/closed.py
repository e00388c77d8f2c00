"""The grammar of answers: all that code reads of a person's reply. docs/diagnose.md has it for users, closed_words.toml its words.

    answer  := claim (end claim)* (also REMARK)?  |  also REMARK  |  unknown
    claim   := items (is) verdict  |  verdict (":" | to) (items | all)  |  all (verdict) (except items (verdict))  |  none (except items)
             | only items (yes)  |  items (is) FIGURE  |  (items) query (items)  |  system NAME  |  stop
    items   := NUMBER ((and | range) NUMBER)*  |  rest

It decides only if it consumes every token of a reply. A reply that it does not consume changes nothing here: a model reads it, or the
report says so. So polarity is never guessed, and a text that somebody planted says nothing by containing a "yes". A question with one item
also takes a verdict alone, and a verdict with a REMARK behind a comma or a stop: `yes, since noon`. REMARK is a text as it is; behind
"also" it may not hold the number of an item, which would be an answer. In brackets, without a word of a claim, it may be anywhere.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from contracts.diagnose.deliverables import Finding, UserQuery
from workers.kinds.diagnose.rules.closed_tokens import NONE_OF_THEM, Token, plain_text, tokens_of
from workers.kinds.diagnose.rules.figures import Figure, against, figures_in, in_unit_of, threshold_of, unit_of

READ_CHARACTERS = 4_000
"""A longer reply is no closed answer."""
AS_IT_IS = ":\n"
"""Behind "also": the lines below are a remark in any words, as the console sends what is typed beside its buttons."""
_OPPOSITE = {Finding.CONFIRMED: Finding.DENIED, Finding.DENIED: Finding.CONFIRMED}
_COLON = (":", "=")
_MARKS = (",", ".", ";", "!", "。", "\n")
_LIMITS = ("but", "但")
_ITEM_NUMBERS = 99
_ASIDE = re.compile(r"[(（]([^()（）\n]{1,200})[)）]")
CLAIMS = frozenset({"verdict", "none", "neither", "except", "only", "all", "both", "also", "system", "stop"})
"""Kinds of words that say something of items, or that begin a claim."""
_LIMITING = frozenset({"except", "only", "system", "stop"})
_QUERIES = frozenset(query.value for query in UserQuery)


@dataclass(frozen=True)
class Closed:
    """A reply that the grammar consumed whole."""

    findings: dict[int, Finding] = field(default_factory=dict[int, Finding])
    """Item number → finding."""
    queries: tuple[UserQuery, ...] = ()
    asked_items: tuple[int, ...] = ()
    """The items that the queries name."""
    remark: str = ""
    system: str = ""
    stops: bool = False
    contradicted: tuple[int, ...] = ()
    """Items with a yes and a no; they have no finding."""


class _Unread(Exception):
    """The grammar does not consume the reply."""


def read_closed(text: str, items: Sequence[str]) -> Closed | None:
    """What a reply says of these items (in their order); None where the grammar does not consume it whole."""
    if len(plain_text(text).partition(AS_IT_IS)[0]) > READ_CHARACTERS:
        return None
    return _parsed(text, items) or _verdict_with_remark(text, items) or _with_asides(text, items)


def _with_asides(text: str, items: Sequence[str]) -> Closed | None:
    """ "1 yes (about 2.6 s) 2 ?": what is in brackets is a remark, where it says nothing of an item."""
    parts = _ASIDE.split(text)
    asides = parts[1::2]
    tokens = [token for aside in asides for token in tokens_of(aside)]
    if not asides or any(CLAIMS & token.kinds.keys() or token.text in _LIMITS for token in tokens):
        return None
    found = _parsed(" ".join(parts[::2]), items)
    return replace(found, remark="; ".join(aside.strip() for aside in asides)) if found and found.findings and not found.remark else None


def _parsed(text: str, items: Sequence[str]) -> Closed | None:
    try:
        return _Parser(text, items).answer()
    except _Unread:
        return None


def _verdict_with_remark(text: str, items: Sequence[str]) -> Closed | None:
    """ "yes, since noon", "1 no, by name": a verdict on the only item, and what follows it as a remark. Not where that limits it ("yes,
    but ..."), takes it back ("no, wait: yes"), or says more than a remark ("yes, please stop")."""
    tokens = tokens_of(text) if len(items) == 1 else []
    tokens = tokens[1:] if tokens and tokens[0].text == "1" else tokens
    if len(tokens) < 3 or tokens[1].text not in _MARKS or tokens[2].text in _LIMITS:
        return None
    finding = tokens[0].kinds.get("verdict") or Finding.UNKNOWN
    remark = text[tokens[3 if "also" in tokens[2].kinds and len(tokens) > 3 else 2].start :].strip()
    threshold = threshold_of(items[0])
    by_figure = against(in_unit_of(figures_in(remark), threshold), threshold) if threshold else None
    if finding not in _OPPOSITE or any(found is not finding for found in (by_figure or finding, *read_parts(remark, items).values())):
        return None
    if any(token.kinds.get("verdict", finding) is not finding or _LIMITING & token.kinds.keys() for token in tokens[2:]):
        return None
    return Closed({1: finding}, remark=remark)


def read_parts(text: str, items: Sequence[str]) -> dict[int, Finding]:
    """The findings of those clauses of a reply that the grammar consumes whole, to hold a model's reading against. They decide nothing."""
    found: dict[int, Finding] = {}
    for clause in re.split(r"[,.](?!\d)|[，;；。!！\n]", text[:READ_CHARACTERS]):
        read = _parsed(clause, items) if clause.strip() else None
        for number, finding in (read.findings if read else {}).items():
            found[number] = finding if found.get(number, finding) is finding else Finding.UNKNOWN
    return found


def read_choice(text: str, names: Sequence[str], others: Sequence[Sequence[str]] = ()) -> tuple[str, str] | None:
    """The name that a reply chooses of a list, by its number or exactly (`others`: further exact names of each), and what follows it; `("",
    "")` for "don't know" and "none", and a name that is not in the list behind "system". None where it says neither, or names two."""
    if (read := read_closed(text, ())) and (read.system or read.findings == {0: Finding.UNKNOWN}):
        return read.system, read.remark
    plain = plain_text(text)
    if plain.strip(" .!。") in NONE_OF_THEM:
        return "", ""
    exact = exact_names(names, others)
    chosen = re.match(
        rf"\s*+(?:#|no\.|number |第)?\s*+({'|'.join(re.escape(name) for name in sorted(exact, key=len, reverse=True))}|\d{{1,2}})", plain
    )
    if chosen is None or not chosen[1]:
        return None
    name = exact.get(chosen[1]) or (names[int(chosen[1]) - 1] if chosen[1].isdigit() and 0 < int(chosen[1]) <= len(names) else "")
    ends = chosen.end()
    behind = plain[ends:].lstrip(" .:)")
    beside = max((len(own) for own, meant in exact.items() if meant == name and behind.startswith(own)), default=0)
    if chosen[1].isdigit() and beside:  # "2 yarn"
        ends = len(plain) - len(behind) + beside
    rest = re.match(r"(?:个|项)?\s*(?:$|[,;.:。\n!]\s*)", plain[ends:])
    if not name or rest is None:
        return None
    remark = text[ends + rest.end() :].strip()
    tokens = tokens_of(remark) if remark else []
    also = next((token for token in tokens[:1] if "also" in token.kinds), None)
    is_claim = any(_names_item(tokens, at, remark, len(names)) for at in range(len(tokens))) or (
        also is None and any(_takes_back(token) for token in tokens)
    )
    named_again = any(other in plain_text(remark) for other, meant in exact.items() if meant != name)
    return None if is_claim or named_again else (name, remark[also.end :].strip(" ,:，：") if also else remark)


def exact_names(names: Sequence[str], others: Sequence[Sequence[str]] = ()) -> dict[str, str]:
    """Each name of a list, and each of its further exact names, as `plain_text`, with the name in the list that it means."""
    named = zip(names, (*others, *[()] * len(names)), strict=False)
    return {plain_text(each).strip(): name for name, more in named for each in (name, *more)}


def _names_item(tokens: Sequence[Token], at: int, text: str, items: int) -> bool:
    """Whether a number may be that of an item: one that begins a clause, or has beside it what is reported of items. The others are
    figures and parts of names: `2000 年 1 月`, `bus-mq1`."""
    token = tokens[at]
    if not (token.text.isdigit() and token.text[0] != "0" and int(token.text) <= items and token.stands_alone_in(text)):
        return False
    before = tokens[at - 1] if at else None
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    begins = before is None or not {"end", "also", "and", "item", "range", "verdict"}.isdisjoint(before.kinds)
    return begins or after is None or not {"verdict", "is", "of_item", "and", "range", "none"}.isdisjoint(after.kinds)


def _takes_back(token: Token) -> bool:
    """Whether a word denies or doubts: "1, no wait"."""
    denies = token.kinds.get("verdict") in (Finding.DENIED, Finding.UNKNOWN)
    return denies or not {"none", "neither", "except", "only"}.isdisjoint(token.kinds)


class _Parser:
    """One reply."""

    def __init__(self, text: str, items: Sequence[str]) -> None:
        self.text = text
        self.items = items
        self.tokens = tokens_of(text)
        self.at = 0
        self.named: dict[int, set[Finding]] = {}
        self.general: set[Finding] = set()
        self.rest: set[Finding] = set()
        self.queries: list[UserQuery] = []
        self.asked: list[int] = []
        self.remark, self.system, self.stops = "", "", False

    def answer(self) -> Closed:
        """The reply, read to its end. Raises `_Unread`."""
        self.skip("end")
        while self.at < len(self.tokens):
            self.claim()
            self.skip("end")
        return self.settled()

    def settled(self) -> Closed:
        """One finding for each item that is spoken of: what names it outweighs the rest, and that what is said of all."""
        found: dict[int, Finding] = {0: Finding.UNKNOWN} if 0 in self.named and not self.items else {}
        contradicted: list[int] = []
        for number in range(1, len(self.items) + 1):
            findings = self.named.get(number) or self.rest or self.general
            if len(findings) == 1:
                found[number] = next(iter(findings))
            elif findings:
                contradicted.append(number)
        if not (found or contradicted or self.queries or self.remark or self.system or self.stops):
            raise _Unread
        queries, asked = tuple(dict.fromkeys(self.queries)), tuple(dict.fromkeys(self.asked))
        return Closed(found, queries, asked, self.remark, self.system, self.stops, tuple(contradicted))

    def claim(self) -> None:
        """One claim. Raises `_Unread`."""
        token = self.peek()
        if self.is_("also"):
            self.remark_or_claim()
        elif self.is_("system"):
            self.name_system()
        elif self.is_("stop"):
            self.stops = self.take()
        elif not _QUERIES.isdisjoint(token.kinds):
            self.query([])
        elif self.is_("only") and self.take():
            numbers = self.numbers()
            self.skip("is")
            self.need(not self.is_("verdict") or self.verdict() is Finding.CONFIRMED)
            self.mark(numbers, Finding.CONFIRMED)
            self.rest.add(Finding.DENIED)
        elif self.is_("except") and self.take():
            self.exception(self.numbers(), token.text != "all but")
        elif self.is_("none", "neither") and self.take():
            self.need("neither" not in token.kinds or len(self.items) == 2)
            self.of_all(Finding.DENIED)
        elif self.is_("all", "both") and self.take():
            self.need("both" not in token.kinds or len(self.items) == 2)
            self.of_all(self.verdict() if self.is_("verdict") else Finding.CONFIRMED)
        elif self.is_("verdict"):
            self.leading()
        elif self.is_("rest") and self.take():
            self.need(bool(self.named) and not self.rest)
            self.rest.add(self.behind())
        else:
            self.numbered()

    def of_all(self, finding: Finding) -> None:
        """What is said of all items, with exceptions."""
        self.need(len(self.items) > 0)
        self.general.add(finding)
        before = self.at
        self.skip("end")
        if self.is_("except") and self.peek().text != "all but" and self.take():
            numbers = self.numbers()
            self.mark(numbers, self.verdict() if self.is_("verdict") else self.opposite(finding))
        else:
            self.at = before

    def exception(self, numbers: list[int], leads: bool) -> None:
        """ "all but 2", 除了2都有: the numbers are the exception of what is said of the others, by default a yes."""
        if leads:
            self.need(not self.is_("verdict"))  # "except 2 no": of 2 or of the others
            self.skip("end")
            finding = Finding.DENIED if self.is_("none") and self.take() else self.behind()
        else:
            self.skip("is")
            finding = self.verdict() if self.is_("verdict") else Finding.CONFIRMED
        self.mark(numbers, self.opposite(finding))
        self.rest.add(finding)

    def leading(self) -> None:
        """A verdict before its items ("yes: 1, 3"), or alone where one item was asked; a mere "don't know" is of all."""
        finding = self.verdict()
        if self.at < len(self.tokens) and self.peek().text in (*_COLON, "to") and self.take():
            if self.is_("all", "both"):
                self.need("both" not in self.peek().kinds or len(self.items) == 2)
                self.at += 1
                self.of_all(finding)
            else:
                self.mark(self.numbers(), finding)
            return
        self.need(not (self.named or self.general or self.rest))
        if len(self.items) == 1:
            self.mark([1], finding)
        else:
            self.need(finding is Finding.UNKNOWN)
            self.named[0] = {finding}
            self.general.add(finding)

    def numbered(self) -> None:
        """Numbers with what is said of them, or what is asked about them."""
        if len(self.items) == 1 and (alone := self.figure()) is not None:
            self.mark([1], alone)
            return
        numbers = self.numbers()
        if not _QUERIES.isdisjoint(self.peek().kinds):
            self.query(numbers)
            return
        colon = self.peek().text in (*_COLON, "is")
        if len(numbers) == 1 and colon and self.at + 1 < len(self.tokens) and self.tokens[self.at + 1].number:
            self.at += 1
        if len(numbers) == 1 and (value := self.figure(numbers[0], bare=colon)) is not None:
            self.mark(numbers, value)
            return
        self.mark(numbers, self.behind())

    def behind(self) -> Finding:
        """The verdict behind a subject."""
        while self.is_("is", "of_item"):
            self.at += 1
        if self.is_("none") and plain_text(self.peek().text)[:1] in "都全":  # 1、3都没有
            self.at += 1
            return Finding.DENIED
        return self.verdict()

    def figure(self, number: int = 1, *, bare: bool = False) -> Finding | None:
        """A figure against the threshold of an item; None where there is none, and nothing is consumed."""
        at = self.at
        if at >= len(self.tokens) or not self.tokens[at].number or number > len(self.items):
            return None
        unit = unit_of(self.tokens[at + 1].text) if at + 1 < len(self.tokens) else None
        if (threshold := threshold_of(self.items[number - 1])) is None or not (unit or bare):
            return None
        value = float(self.tokens[at].number.replace(",", ""))
        figure = Figure(unit[0], value * unit[1]) if unit else Figure(None, value)
        finding = against(in_unit_of([figure], threshold), threshold)
        self.need(finding is not None)
        self.at += 2 if unit else 1
        return finding

    def numbers(self) -> list[int]:
        """A list of item numbers. Raises `_Unread` for a number that no item has."""
        found = [self.item_number()]
        while self.at < len(self.tokens):
            joint = self.at
            while self.is_("and"):
                self.at += 1
            if self.at > joint and self.is_number():
                found.append(self.item_number())
                continue
            self.at = joint
            if self.is_("range") and self.at + 1 < len(self.tokens) and self.is_number(self.at + 1) and found[-1] < self.value(self.at + 1):
                self.at += 1
                found += range(found[-1] + 1, self.item_number() + 1)
                continue
            break
        return found

    def item_number(self) -> int:
        """One item number, with the words around it. Raises `_Unread`."""
        self.skip("item")
        self.need(self.is_number())
        number = self.value(self.at)
        self.need(0 < number <= len(self.items))
        self.at += 1
        self.skip("of_item")
        return number

    def is_number(self, at: int | None = None) -> bool:
        at = self.at if at is None else at
        if at < len(self.tokens) and "item" in self.tokens[at].kinds:
            at += 1
        return at < len(self.tokens) and self.value(at) > 0

    def value(self, at: int) -> int:
        number = self.tokens[at].number if at < len(self.tokens) else ""
        return int(number) if number.isdigit() and int(number) <= _ITEM_NUMBERS else 0

    def query(self, numbers: list[int]) -> None:
        """A question of the person, with the items that it names before or behind."""
        token = self.peek()
        self.at += 1
        self.queries.append(next(query for query in UserQuery if query.value in token.kinds))
        self.asked += numbers or (self.numbers() if self.is_number() else [])
        if self.at < len(self.tokens) and self.peek().text == "?":
            self.at += 1

    def name_system(self) -> None:
        """ "system: MySQL": up to the end of the line, or to a comma; what follows that is claims, or a remark ("system: billing, MySQL 8")
        that says nothing of an item."""
        token = self.peek()
        name, _, more = self.text[token.end :].strip(" \t:：=").replace("，", ",").partition(",")
        self.need(0 < len(name) <= 60 and not re.search(r"[\n;；。!！?？]", name))
        self.system = name.strip(" \t.=")
        if self.items and _parsed(more, self.items) is not None:
            self.at = next(at for at, later in enumerate(self.tokens) if later.start >= len(self.text) - len(more))
            return
        self.need(not self.items or not any("verdict" in later.kinds for later in self.tokens[self.at + 1 :]))
        self.remark, self.at = self.remark or more.strip(), len(self.tokens)

    def remark_or_claim(self) -> None:
        """ "also ...": a further claim, or a text as it is."""
        token = self.peek()
        rest = self.text[token.end :].strip(" \t,，:：")
        is_last = not any("also" in later.kinds for later in self.tokens[self.at + 1 :])
        if is_last and _parsed(rest, self.items) is not None:
            self.at += 1
            self.skip("end", "is")
            return
        later = range(self.at + 1, len(self.tokens))
        is_remark = plain_text(self.text).startswith(AS_IT_IS, token.end)
        self.need(bool(rest) and (is_remark or not any(_names_item(self.tokens, at, self.text, len(self.items)) for at in later)))
        self.remark, self.at = rest.strip(), len(self.tokens)

    def mark(self, numbers: list[int], finding: Finding) -> None:
        for number in numbers:
            self.named.setdefault(number, set()).add(finding)

    def opposite(self, finding: Finding) -> Finding:
        self.need(finding in _OPPOSITE)
        return _OPPOSITE[finding]

    def verdict(self) -> Finding:
        self.need(self.is_("verdict"))
        finding = self.tokens[self.at].kinds["verdict"] or Finding.UNKNOWN
        self.at += 1
        while finding is Finding.UNKNOWN and self.is_("verdict") and self.tokens[self.at].kinds["verdict"] is Finding.UNKNOWN:
            self.at += 1  # "? don't know"
        return finding

    def peek(self) -> Token:
        self.need(self.at < len(self.tokens))
        return self.tokens[self.at]

    def is_(self, *kinds: str) -> bool:
        return self.at < len(self.tokens) and any(kind in self.tokens[self.at].kinds for kind in kinds)

    def take(self) -> bool:
        self.at += 1
        return True

    def skip(self, *kinds: str) -> None:
        while self.is_(*kinds):
            self.at += 1

    def need(self, is_so: bool) -> None:
        if not is_so:
            raise _Unread
