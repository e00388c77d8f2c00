"""The grammar of answers: "1 yes 2 no, also the disk is full", "1确认 2否定", "all except 2", "都不是".

Negation is read before what it negates, and length is never a criterion: "死锁" alone is a symptom, "不是" is a no.
Nothing is guessed silently: what cannot be read is a problem, and what is not an answer is an observation.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from contracts.diagnose.deliverables import AnswerProblem, AnswerProblemKind, AnswerReading, Finding, PhenomenonQuestion, UserQuery
from workers.kinds.diagnose.rules.answers.corrections import split_corrections
from workers.kinds.diagnose.rules.answers.items import Items, items_of
from workers.kinds.diagnose.rules.answers.manners import is_symptom, questions_in, without_orders, without_questions
from workers.kinds.diagnose.rules.answers.normal_form import normal_form
from workers.kinds.diagnose.rules.answers.queries import asked_back, taken_out
from workers.kinds.diagnose.rules.answers.sentences import Claim, Read, read_figures, read_sentence
from workers.kinds.diagnose.rules.answers.systems import is_wrong_system, says_system, system_named
from workers.kinds.diagnose.rules.answers.tokens import LAST, Prose, Token, narrow, pieces
from workers.kinds.diagnose.rules.answers.values import with_verdicts
from workers.kinds.diagnose.rules.answers.words import LINK_WORDS, OPPOSITE, Kind

READ_CHARACTERS = 4_000
"""An answer longer than this is prose from there on."""

_SUBJECTS = (Kind.NUMBER, Kind.ALL, Kind.REST)
_HARD_BREAK = re.compile(r"[\n\r;；。!！]|[.?]\s")
_POINTS = re.compile(r"\b(?:about|on|for|to|with|regarding)\b|关于", re.IGNORECASE)
"""What makes a verdict speak of the items behind it: "dunno about 1"."""
_EDGE = " \t\r\n,，、;；。:：.!！-–—|"


@dataclass
class _Subject:
    """The items to which a verdict will apply."""

    numbers: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    without: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    everything: bool = False
    rest: bool = False
    only: bool = False

    def __bool__(self) -> bool:
        return bool(self.numbers or self.without or self.everything or self.rest)


class _Reader:
    """Collects the claims of the runs of an answer, and resolves them at the end."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.items: defaultdict[int, list[Finding]] = defaultdict(list)
        self.all: list[Finding] = []
        self.rest: list[Finding] = []
        self.bare: list[tuple[Finding, list[int]]] = []
        """Verdicts without items, with the items of the claim before them."""
        self.latest: list[int] = []
        self.verdict: Finding | None = None
        self.problems: list[AnswerProblem] = []
        self.vague: Finding | None = None
        """What a sentence says that names no item, where nothing else is said."""
        self.sentences: dict[int, Finding | None] = {}
        """What sentences say of an item, the last one counting; None: it will be looked up later."""

    def problem(self, kind: AnswerProblemKind, text: str) -> None:
        """Note a problem once."""
        found = AnswerProblem(kind=kind, text=text)
        if found not in self.problems:
            self.problems.append(found)

    def known(self, ranges: list[tuple[int, int]]) -> list[int]:
        """The items of these ranges that the question has; the others become problems."""
        numbers: list[int] = []
        for first, last in ranges:
            low, high = (self.size, self.size) if first == LAST else (first, last)
            numbers += range(max(low, 1), min(high, self.size) + 1)
            if low < 1:
                self.problem(AnswerProblemKind.OUT_OF_RANGE, "0")
            if high > self.size:
                beyond = max(low, self.size + 1)
                text = str(beyond) if beyond == high else f"{beyond}-{high}"
                self.problem(AnswerProblemKind.OUT_OF_RANGE, text)
        return numbers

    def claim(self, subject: _Subject, finding: Finding) -> None:
        """Record that the items of the subject have this finding, and its exceptions the opposite one."""
        without = self.known(subject.without)
        numbers = [number for number in self.known(subject.numbers) if number not in without]
        for number in numbers:
            self.items[number].append(finding)
        opposite = OPPOSITE.get(finding)
        if opposite:
            for number in without:
                self.items[number].append(opposite)
        if not subject.numbers and (subject.everything or subject.without):
            self.all.append(finding)
        elif subject.rest:
            self.rest.append(finding)
        if subject.only and opposite:
            self.rest.append(opposite)
        self.latest, self.verdict = numbers, finding

    def retold(self, read: Read) -> list[str]:
        """What a sentence tells in other words of items that were answered by number before it: "1 yes 2 no, the disk fills fast". The
        numbers decide; the sentence is an observation, unless it denies."""
        return [claim.wording for claim in read.claims if self._settled(claim) and claim.finding is Finding.CONFIRMED]

    def _settled(self, claim: Claim) -> bool:
        return bool(claim.wording) and all(self.items.get(number) for number in claim.numbers)

    def take(self, read: Read) -> bool:
        """Record what the sentences say. Whether they say anything of the items."""
        for claim in read.claims:
            for number in claim.numbers:
                self.sentences[number] = claim.finding
            if claim.vague:
                self.vague = claim.finding
            elif claim.finding is not None and claim.everything:
                self.all.append(claim.finding)
            elif claim.finding is not None and claim.rest:
                self.rest.append(claim.finding)
        return bool(read.claims)

    @property
    def said_anything(self) -> bool:
        """Whether there is a claim at all."""
        return bool(self.items or self.sentences or self.all or self.rest or self.bare or self.vague)

    def read(self, run: list[Token], text: str) -> None:
        """Read one run: subjects before their verdict ("1 yes") or behind it ("yes: 1, 3")."""
        subject = _Subject()
        leading = _leads_with_verdicts(run)
        at = 0
        while at < len(run):
            token = run[at]
            at += 1
            if token.kind is Kind.NUMBER:
                subject.numbers.append((token.first, token.last))
            elif token.kind is Kind.ALL:
                subject.everything = True
            elif token.kind is Kind.REST:
                if subject.numbers and _HARD_BREAK.search(text, run[at - 2].end, token.start):
                    self._unsaid(subject)
                    subject = _Subject()
                subject.rest = True
            elif token.kind is Kind.ONLY:
                subject.only = True
            elif token.kind is Kind.EXCEPT:
                at = self._except(run, at, subject)
            elif token.kind is Kind.UNCLEAR:
                self.problem(AnswerProblemKind.AMBIGUOUS, text[token.start : token.end])
                subject = _Subject()
                at += at < len(run) and run[at].kind is Kind.VERDICT
            elif token.word.finding is not None:
                if subject and not token.word.leads:
                    self.claim(subject, token.word.finding)
                    subject = _Subject()
                    continue
                self._unsaid(subject)
                subject, at = self._verdict_first(run, at, leading, text), at
                if subject:
                    at += len(subject.numbers) if subject.numbers and not subject.rest else _subjects_from(run, at)
                    self.claim(subject, token.word.finding)
                    at = self._trailing_except(run, at)
                    subject = _Subject()
        self._unsaid(subject)

    def _except(self, run: list[Token], at: int, subject: _Subject) -> int:
        """Take the exceptions behind "except": of the subject so far, or of the claim before it."""
        ranges: list[tuple[int, int]] = []
        while at < len(run) and run[at].kind is Kind.NUMBER:
            ranges.append((run[at].first, run[at].last))
            at += 1
        if subject or self.verdict is None:
            subject.without += ranges
            return at
        finding = OPPOSITE.get(self.verdict)
        if at < len(run) and run[at].kind is Kind.VERDICT:  # "all yes but 2 no"
            finding = run[at].word.finding
            at += 1
        for number in self.known(ranges):
            self.items[number] = [finding] if finding else []
        return at

    def _trailing_except(self, run: list[Token], at: int) -> int:
        """ "yes to all except 2"."""
        if at < len(run) and run[at].kind is Kind.EXCEPT:
            return self._except(run, at + 1, _Subject())
        return at

    def _verdict_first(self, run: list[Token], at: int, leading: bool, text: str) -> _Subject:
        """The subject behind the verdict at `at - 1`; empty when the verdict stands alone, which is recorded."""
        word = run[at - 1].word
        count = _subjects_from(run, at)
        ends = at + count == len(run)
        pointed = count and _POINTS.search(text, run[at - 1].end, run[at].start) is not None
        if count and (word.leads or leading or ends or pointed):
            subject = _Subject()
            if pointed and not ends and not leading:
                count = _numbers_from(run, at, text) or count
            for token in run[at : at + count]:
                if token.kind is Kind.NUMBER:
                    subject.numbers.append((token.first, token.last))
                subject.everything = subject.everything or token.kind is Kind.ALL
                subject.rest = subject.rest or token.kind is Kind.REST
            return subject
        if (
            word.finding is not None
            and not word.leads
            and (not word.needs_subject or (self.size == 1 and word.finding is Finding.CONFIRMED and len(run) == 1))
        ):
            self.bare.append((word.finding, self.latest))
        else:
            token = run[at - 1]
            self.problem(AnswerProblemKind.AMBIGUOUS, text[token.start : token.end])
        return _Subject()

    def _unsaid(self, subject: _Subject) -> None:
        """A subject without a verdict: bare numbers and "all" are a yes, and the reading says so."""
        if not subject:
            return
        if subject.rest and not subject.numbers:
            self.problem(AnswerProblemKind.AMBIGUOUS, "…")
            return
        if subject.numbers and not subject.only:
            numbers = ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in subject.numbers if a != LAST)
            self.problem(AnswerProblemKind.ASSUMED, numbers or str(self.size))
        self.claim(subject, Finding.CONFIRMED)

    def settle(self) -> dict[int, Finding]:
        """One finding for each item: a claim that names the item takes precedence over `the rest`, and that over a claim about all."""
        general = list(self.all)
        findings = [finding for finding, _ in self.bare]
        if self.vague and not (self.items or self.sentences or self.all or self.rest or self.bare):
            return dict.fromkeys(range(1, self.size + 1), self.vague)
        open_items = [number for number in range(1, self.size + 1) if number not in self.items and number not in self.sentences]
        if len(findings) == len(open_items) > 1 and not (self.all or self.rest) and all(not before for _, before in self.bare):
            for number, finding in zip(open_items, findings, strict=True):  # "yes. no. the third I have not checked"
                self.items[number].append(finding)
            self.bare.clear()
        specific = any(self.items.values()) or bool(self.all) or bool(self.rest) or bool(self.sentences)
        if not specific and any(before for _, before in self.bare):  # "I checked 1, it is true"
            for finding, before in self.bare:
                for number in before:
                    self.items[number].append(finding)
            self.bare = [(finding, before) for finding, before in self.bare if not before]
            return self.settle()
        if not specific and len(findings) == self.size > 1:
            return dict(enumerate(findings, start=1))  # "yes no yes"
        if not specific and len(set(findings)) == 1:
            general += findings[:1]
        elif not specific and findings:
            self.problem(AnswerProblemKind.AMBIGUOUS, "/".join(finding.value for finding in findings))
            return dict.fromkeys(range(1, self.size + 1), Finding.UNKNOWN)
        else:
            for finding, before in self.bare:
                if before:
                    for number in before:  # "1 yes, no": takes it back
                        self.items[number].append(finding)
                elif not self.all and not self.rest:
                    general.append(finding)  # "no, 2 yes"
        return self._each(general)

    def _each(self, general: list[Finding]) -> dict[int, Finding]:
        """The finding of each item to which a claim applies."""
        result: dict[int, Finding] = {}
        for number in range(1, self.size + 1):
            findings = set(self.items.get(number, ()))
            if not findings and number in self.sentences:
                findings = {found for found in (self.sentences[number],) if found is not None}
            elif not findings:
                findings = set(self.rest) or set(general)
            if len(findings) > 1:
                self.problem(AnswerProblemKind.CONTRADICTION, str(number))
                result[number] = Finding.UNKNOWN
            elif findings:
                result[number] = next(iter(findings))
        return result


def _subjects_from(run: list[Token], at: int) -> int:
    """How many tokens from `at` on name items."""
    count = 0
    while at + count < len(run) and run[at + count].kind in _SUBJECTS:
        count += 1
    return count


def _numbers_from(run: list[Token], at: int, text: str) -> int:
    """How many tokens from `at` on are items of the verdict before them: not those behind a comma that have a verdict of their own ("no for
    2 and 3, 1 yes")."""
    count = 0
    while at + count < len(run) and run[at + count].kind is Kind.NUMBER:
        count += 1
    if at + count < len(run) and run[at + count].kind is Kind.VERDICT:
        breaks = [n for n in range(1, count) if re.search(r"[,，;；]", text[run[at + n - 1].end : run[at + n].start])]
        return breaks[-1] if breaks else count
    return count


def _leads_with_verdicts(run: list[Token]) -> bool:
    """Whether verdicts come before their items in the whole run: "yes 1 3, no 2", but not "no, 2 yes"."""
    end = len(run)
    while end > 1 and run[end - 1].kind is Kind.NUMBER:
        end -= 1
    if not (end and run[end - 1].kind is Kind.EXCEPT):
        end = len(run)
    return run[0].kind is Kind.VERDICT and run[end - 1].kind in _SUBJECTS


@dataclass(frozen=True)
class _Part:
    """A piece of an answer by position: a run of answer words, or prose (no run)."""

    start: int
    end: int
    run: tuple[Token, ...] = ()


def _parts(text: str) -> list[_Part]:
    """Runs and prose of a text, in order. Numbers without any verdict beside prose are prose; prose beside prose is one piece up to the end
    of the sentence."""
    found = list(pieces(narrow(text)))
    has_prose = any(isinstance(piece, Prose) and _plain(text[piece.start : piece.end]) for piece in found)
    parts: list[_Part] = []
    for piece in found:
        if isinstance(piece, Prose):
            part = _Part(piece.start, piece.end)
        elif has_prose and all(token.kind is Kind.NUMBER for token in piece):
            part = _Part(piece[0].start, piece[-1].end)
        else:
            parts.append(_Part(piece[0].start, piece[-1].end, tuple(piece)))
            continue
        if parts and not parts[-1].run and not _HARD_BREAK.search(text, parts[-1].end, part.start + 1):
            part = _Part(parts.pop().start, part.end)
        parts.append(part)
    return parts


def _plain(text: str) -> str:
    """An observation without the separators and the "also" around it; empty when nothing was said."""
    text = text.strip(_EDGE)
    while (link := LINK_WORDS.match(text)) is not None and link.end() > 0:
        text = text[link.end() :].lstrip(_EDGE)
    return text if any(character.isalnum() or ord(character) > 0x2FFF for character in text) else ""


def _symptoms(pieces_of_it: Sequence[str]) -> list[str]:
    """Those of these pieces of prose that may be observations."""
    return [plain for piece in pieces_of_it if (plain := _plain(piece)) and is_symptom(plain)]


def _has_prose(text: str) -> bool:
    return any(not part.run and _plain(text[part.start : part.end]) for part in _parts(text))


def _without_queries(text: str) -> tuple[str, tuple[UserQuery, ...]]:
    """The answer without the questions in it, with positions kept, and these questions. A mere noun is a question only if there is no
    prose beside it."""
    found = asked_back(narrow(text))
    rest = taken_out(text, found)
    if any(query.bare for query in found) and _has_prose(rest):
        found = [query for query in found if not query.bare]
        rest = taken_out(text, found)
    asked = {query.query for query in found}
    return rest, tuple(query for query in UserQuery if query in asked)


def read_answer(text: str, question: PhenomenonQuestion) -> AnswerReading:
    """The findings on the items of `question`, further observations, and questions of the user. Does not raise on any text.

    Without items (the question for a key symptom) everything beyond a bare answer is an observation.
    """
    asked = tuple([(item.phenomenon_id, item.description) for item in question.items])
    return _kept(text, asked) if len(text) <= _KEPT_CHARACTERS else _read(text, asked)


_KEPT = 256
_KEPT_CHARACTERS = 1_000
"""Readings that are kept, and how long an answer may be for it: 2 MB at most. Reading one takes as long as weighing forty causes,
several parts of a step want it, and each turn wants those of all turns before."""


@lru_cache(_KEPT)
def _kept(text: str, asked: tuple[tuple[str, str], ...]) -> AnswerReading:
    return _read(text, asked)


def _read(text: str, asked: Sequence[tuple[str, str]]) -> AnswerReading:
    """`asked`: id and text of each item."""
    texts = tuple([description for _, description in asked])
    head, tail = with_verdicts(normal_form(text[:READ_CHARACTERS], len(asked)), texts), text[READ_CHARACTERS:]
    head, queries = _without_queries(head)
    head = without_orders(head)
    about = questions_in(head)
    head, corrections = split_corrections(without_questions(head))
    reader = _Reader(len(asked))
    if asked:
        observations = _read_parts(reader, head, items_of(texts))
    else:
        pieces_of_it = re.split(r"[\n\r;；。]+", head) if _has_prose(head) else []
        observations = [plain for piece in pieces_of_it if (plain := _plain(piece))]
    if tail.strip():
        observations.append(tail.strip())
    findings = reader.settle() if reader.said_anything else {}
    wrong_system = Finding.CONFIRMED not in findings.values() and is_wrong_system(text, texts)
    if wrong_system:
        observations = [observation for observation in observations if not says_system(observation)]
    return AnswerReading(
        findings={asked[number - 1][0]: finding for number, finding in findings.items()},
        observations=tuple(dict.fromkeys(observations)),
        problems=tuple(reader.problems),
        queries=(*queries, UserQuery.HOW) if about and asked else queries,
        corrections=corrections,
        asked_items=_asked_about(about, texts),
        wrong_system=wrong_system,
        system=system_named(text),
    )


_NOT_THAT = re.compile(r"\b(?:it is not|it isn't|it's not|not) that (?=(?:the|we|it|there|this|our|i)\b)", re.IGNORECASE)
"""What introduces a sentence that is said only to be corrected: "it isn't that the group doesn't rebalance, it does"."""
_IT = re.compile(r"[\s,，;；]*(?:and |but )?(?:it|that|this)(?:'s|’s| is| does| has| was| did)\b", re.IGNORECASE)
"""A verdict on what was spoken of just before."""
_IT_DOES = re.compile(
    r"\W*(?:(?:oh|well|actually) )?(?:it|that|this|they|these) (?:is|does|has|are|do|have|was|were|did)\W*", re.IGNORECASE
)


def _just_named(text: str, items: Items) -> list[int]:
    """The one item that a piece of prose names, by number or in its words."""
    numbers = {int(found) for found in re.findall(r"(?<![\w.])([1-9])(?![A-Za-z0-9_%]|[.:]\d)", text) if int(found) <= len(items.each)}
    if len(numbers) == 1:
        return list(numbers)
    spoken = items.spoken_of(text) if not numbers else None
    return [spoken[0]] if spoken else []


def _asked_about(questions: Sequence[str], texts: tuple[str, ...]) -> tuple[int, ...]:
    """The items that questions of the user name, by number or in their words."""
    items = items_of(texts)
    return tuple(dict.fromkeys(number for question in questions for number in _just_named(question, items))) if texts else ()


def _read_parts(reader: _Reader, text: str, items: Items) -> list[str]:
    """Let the reader read the runs, and the sentences of the prose; what is neither is returned: observations.

    A verdict without items, and numbers without a verdict, belong to the sentence beside them, if that says something of the items: "yes
    on heap", "1 and 2 I have not looked at".
    """
    text = _NOT_THAT.sub(lambda match: " " * len(match[0]), text)
    parts = _parts(text)
    observations: list[str] = []
    if len(items.each) == 1 and _IT_DOES.fullmatch(text):
        reader.items[1].append(Finding.CONFIRMED)
        return observations
    verdicts = any(token.kind is Kind.VERDICT for part in parts for token in part.run)
    if len(items.each) == 1 and not verdicts and text.strip() != "1" and reader.take(read_figures(text, items)):
        return observations
    at = 0
    while at < len(parts):
        part = parts[at]
        at += 1
        if part.run:
            follows = (
                parts[at] if at < len(parts) and not parts[at].run and not _HARD_BREAK.search(text, part.end, parts[at].start + 1) else None
            )
            cut = _open_end(part.run)
            if follows is not None and cut is not None:
                read = read_sentence(text[part.run[cut].start : follows.end], items)
                if reader.take(read):
                    if cut:
                        reader.read(list(part.run[:cut]), text)
                    observations += _symptoms(read.left)
                    at += 1
                    continue
            before = parts[at - 2] if at > 1 else None
            if (
                before is not None
                and not before.run
                and _IT.match(text, before.end)
                and not _HARD_BREAK.search(text, before.end, part.start)
            ):
                reader.latest = _just_named(text[before.start : before.end], items) or reader.latest
            reader.read(list(part.run), text)
            continue
        first = at - 1
        while at < len(parts) and not parts[at].run:
            at += 1
        read = read_sentence(text[part.start : parts[at - 1].end], items)
        if reader.take(read):
            observations += _symptoms([*reader.retold(read), *read.left])
        else:
            observations += _symptoms([text[prose.start : prose.end] for prose in parts[first:at]])
    return observations


def _open_end(run: Sequence[Token]) -> int | None:
    """Where the part of a run begins that the prose behind it may belong to: its last verdict without items, or its last items without a
    verdict. None: the run is complete."""
    if all(token.kind is Kind.VERDICT for token in run):
        return 0 if len({token.word.finding for token in run}) == 1 else None
    end = len(run)
    while end and run[end - 1].kind in (Kind.NUMBER, Kind.REST):
        end -= 1
    if end == len(run) or not any(token.kind is Kind.VERDICT for token in run):
        return None if end == len(run) else 0
    return None if run[0].kind is Kind.VERDICT else end
