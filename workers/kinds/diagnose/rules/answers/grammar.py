"""The grammar of answers: "1 yes 2 no, also the disk is full", "1确认 2否定", "all except 2", "都不是".

Negation is read before what it negates, and length is never a criterion: "死锁" alone is a symptom, "不是" is a no.
Nothing is guessed silently: what cannot be read is a problem, and what is not an answer is an observation.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from contracts.diagnose.deliverables import AnswerReading, Finding, PhenomenonQuestion, UserQuery
from workers.engines.squeezing import squeezed
from workers.kinds.diagnose.rules.answers.claims import HARD_BREAK, Reader
from workers.kinds.diagnose.rules.answers.corrections import split_corrections
from workers.kinds.diagnose.rules.answers.items import Items, items_of
from workers.kinds.diagnose.rules.answers.leading import led
from workers.kinds.diagnose.rules.answers.log_lines import log_lines, shielded, unshielded
from workers.kinds.diagnose.rules.answers.manners import asks_how, is_symptom, questions_in, without_orders, without_questions
from workers.kinds.diagnose.rules.answers.normal_form import normal_form
from workers.kinds.diagnose.rules.answers.queries import asked_back, taken_out
from workers.kinds.diagnose.rules.answers.sentences import Read, read_figures, read_sentence
from workers.kinds.diagnose.rules.answers.systems import is_wrong_system, says_system, system_named
from workers.kinds.diagnose.rules.answers.tokens import Prose, Token, narrow, pieces
from workers.kinds.diagnose.rules.answers.values import with_verdicts
from workers.kinds.diagnose.rules.answers.words import LINK_WORDS, Kind

READ_CHARACTERS = 2_000
"""An answer longer than this is prose from there on."""

_EDGE = " \t\r\n,，、;；。:：.!！-–—|"


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
        if parts and not parts[-1].run and not HARD_BREAK.search(text, parts[-1].end, part.start + 1):
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
    """Those of these pieces of prose that may be observations: a mere yes or no is none."""
    return [plain for piece in pieces_of_it if (plain := _plain(piece)) and is_symptom(plain) and not _is_verdict(plain)]


def _is_verdict(text: str) -> bool:
    found = list(pieces(narrow(text)))
    return bool(found) and all(not isinstance(piece, Prose) for piece in found)


def _has_prose(text: str) -> bool:
    return any(not part.run and _plain(text[part.start : part.end]) for part in _parts(text))


def _without_queries(text: str) -> tuple[str, set[UserQuery], list[str]]:
    """The answer without the questions in it, with positions kept, these questions, and the words of those about a meaning. A mere noun is
    a question only if there is no prose beside it."""
    found = asked_back(narrow(text))
    rest = taken_out(text, found)
    if any(query.bare for query in found) and _has_prose(rest):
        found = [query for query in found if not query.bare]
        rest = taken_out(text, found)
    meant = [text[query.start : query.end] for query in found if query.query is UserQuery.MEANING]
    return rest, {query.query for query in found}, meant


def is_plain(text: str, question: PhenomenonQuestion) -> bool:
    """Whether an answer is nothing but numbers and verdicts ("1 yes, 2 and 3 no"), which have one reading."""
    texts = tuple([item.description for item in question.items])
    return len(text) <= READ_CHARACTERS and not _has_prose(with_verdicts(normal_form(text, len(texts)), texts))


def read_answer(text: str, question: PhenomenonQuestion) -> AnswerReading:
    """The findings on the items of `question`, further observations, and questions of the user. Does not raise on any text.

    Without items (the question for a key symptom) everything beyond a bare answer is an observation.
    """
    asked = tuple([(item.phenomenon_id, item.description) for item in question.items])
    if question.systems:  # what names a system is no observation
        return _read(text, asked).model_copy(update={"observations": ()})
    return _kept(text, asked) if len(text) <= _KEPT_CHARACTERS else _read(text, asked)


_KEPT = 256
_KEPT_CHARACTERS = 8_000
"""Readings that are kept, and how long an answer may be for it: 8 MB at most. Reading one takes as long as weighing forty causes,
several parts of a step want it, and each turn wants those of all turns before."""


@lru_cache(_KEPT)
def _kept(text: str, asked: tuple[tuple[str, str], ...]) -> AnswerReading:
    return _read(text, asked)


def _read(text: str, asked: Sequence[tuple[str, str]]) -> AnswerReading:
    """`asked`: id and text of each item."""
    text = squeezed(text)
    text, tail = text[:READ_CHARACTERS], text[READ_CHARACTERS:]
    texts = tuple([description for _, description in asked])
    head = with_verdicts(normal_form(shielded(text), len(asked)), texts)
    head, queries, meant = _without_queries(head)
    head = without_orders(head)
    about = questions_in(head)
    if about and asked:
        queries |= {UserQuery.HOW if asks_how(question) else UserQuery.MEANING for question in about}
    head, corrections = split_corrections(without_questions(head))
    reader = Reader(len(asked))
    named = _asked_about([*meant, *about], texts)
    reader.known([(number, number) for number in named])
    if asked:
        observations = _read_parts(reader, _without_others(reader, head), items_of(texts))
    else:
        pieces_of_it = re.split(r"[\n\r;；。]+", head) if _has_prose(head) else []
        observations = [plain for piece in pieces_of_it if (plain := _plain(piece))]
    observations = [unshielded(observation) for observation in observations]
    observations += [line for line in log_lines(head) if not any(line in observation for observation in observations)]
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
        queries=tuple(query for query in UserQuery if query in queries),
        corrections=tuple(unshielded(correction) for correction in corrections),
        asked_items=named,
        wrong_system=wrong_system,
        system=system_named(text),
    )


_OTHER = re.compile(
    r"(?:^|(?<=[,，;；。\n])|(?<=\.\s))[ \t]*(?:item |#|第)?([2-9])[项个条]?[ \t:：.)、]{1,3}([^,，;；。\n]+)", re.IGNORECASE
)
_PERSON = re.compile(r"(?:i|we|it|that|this|they)\b(?!')|[我它这那]", re.IGNORECASE)


def _without_others(reader: Reader, text: str) -> str:
    """The text without sentences on items by numbers that the question has not: "2 I see that in error.log yes" to one item. They are
    problems of the reader."""

    def taken(clause: re.Match[str]) -> str:
        number = int(clause[1])
        if number <= reader.size or not _PERSON.match(clause[2]):
            return clause[0]
        reader.known([(number, number)])
        return " " * len(clause[0])

    return _OTHER.sub(taken, text)


_NOT_THAT = re.compile(r"\b(?:it is not|it isn't|it's not|not) that (?=(?:the|we|it|there|this|our|i)\b)", re.IGNORECASE)
"""What introduces a sentence that is said only to be corrected: "it isn't that the group doesn't rebalance, it does"."""
_IT = re.compile(r"[\s,，;；]*(?:and |but )?(?:it|that|this)(?:'s|’s| is| does| has| was| did)\b", re.IGNORECASE)
"""A verdict on what was spoken of just before."""
_OF_THE_ITEM = re.compile(r"\W*(?:it|they|that|these|those)(?:'s|’s)?\s|\W*它", re.IGNORECASE)
"""How details go on about an item that was denied: "no, it answers"."""
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


_NAMED_ITEM = re.compile(
    r"(?:\b(?:check|see|find|verify|test|item|items|number|about|for|of|mean by|does)\s|#|第)\s?([1-9])(?![A-Za-z0-9_%]|[.:]\d|\s[a-z]+s\b)"
    r"|(?<![\w.])([1-9])\s?[项个条]?(?=怎|如何|是?[什啥]|在哪|\s?[?？]|\s?$)",
    re.IGNORECASE,
)


def _asked_about(questions: Sequence[str], texts: tuple[str, ...]) -> tuple[int, ...]:
    """The items that questions of the user name, by number or in their words; also numbers that no item has."""
    if not texts:
        return ()
    items = items_of(texts)
    found: list[int] = []
    for question in questions:
        beyond = [int(match[1] or match[2]) for match in _NAMED_ITEM.finditer(question)]
        found += [number for number in beyond if number > len(texts)] or _just_named(question, items)
    return tuple(dict.fromkeys(found))


def _read_parts(reader: Reader, text: str, items: Items) -> list[str]:
    """Let the reader read the runs, and the sentences of the prose; what is neither is returned: observations.

    A verdict without items, and numbers without a verdict, belong to the sentence beside them, if that says something of the items: "yes
    on heap", "1 and 2 I have not looked at".
    """
    text = _NOT_THAT.sub(lambda match: " " * len(match[0]), text)
    if (leading := led(text, items)) is not None:
        reader.items[leading.number].append(leading.finding)
        read = read_sentence(text[leading.details :], items)
        if leading.finding is Finding.CONFIRMED:
            denied = [claim.wording for claim in read.claims if claim.finding is Finding.DENIED]
            reader.take(Read([claim for claim in read.claims if leading.number not in claim.numbers and not claim.vague]))
            return _symptoms([*denied, *read.left])
        return _symptoms([clause for clause in read.left if not _OF_THE_ITEM.match(clause)])
    parts = _parts(text)
    observations: list[str] = []
    if len(items.each) == 1 and _IT_DOES.fullmatch(text):
        reader.items[1].append(Finding.CONFIRMED)
        return observations
    verdicts = any(token.kind is Kind.VERDICT for part in parts for token in part.run)
    if len(items.each) == 1 and not verdicts and text.strip() != "1" and reader.take(read_figures(" ".join(text.split()), items)):
        return observations
    at = 0
    while at < len(parts):
        part = parts[at]
        at += 1
        if part.run:
            follows = (
                parts[at] if at < len(parts) and not parts[at].run and not HARD_BREAK.search(text, part.end, parts[at].start + 1) else None
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
                and not HARD_BREAK.search(text, before.end, part.start)
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
