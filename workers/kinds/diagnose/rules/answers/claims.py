"""What an answer claims: verdicts and the items that they speak of, collected run by run ("1 yes 2 no", "yes: 1, 3", "all except 2") and
resolved at the end into one finding for each item.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, field

from contracts.diagnose.deliverables import AnswerProblem, AnswerProblemKind, Finding
from workers.kinds.diagnose.rules.answers.sentences import Claim, Read
from workers.kinds.diagnose.rules.answers.tokens import LAST, Token
from workers.kinds.diagnose.rules.answers.words import OPPOSITE, Kind

_SUBJECTS = (Kind.NUMBER, Kind.ALL, Kind.REST)
HARD_BREAK = re.compile(r"[\n\r;；。!！]|[.?]\s")
"""What ends a claim for good."""
_POINTS = re.compile(r"\b(?:about|on|for|to|with|regarding)\b|关于", re.IGNORECASE)
"""What makes a verdict speak of the items behind it: "dunno about 1"."""


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


class Reader:
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
                if subject.numbers and HARD_BREAK.search(text, run[at - 2].end, token.start):
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
