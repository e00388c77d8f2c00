"""What was observed, drawn from prose by rules: statements of fact, figures, log lines, and the commands that show them.

A sentence is an observation if somebody else could find it true or false on their own system. Headings, steps to reproduce, versions,
greetings, orders, plans and questions are not; and neither is a sentence that names the cause or the fix, because that is the answer.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workers.tickets.gauges import is_all_well
from workers.tickets.headings import field_under
from workers.tickets.lists import parted
from workers.tickets.looking import commands_in, looking_commands
from workers.tickets.prose_words import (
    BACKTICKED,
    BRACKETED,
    BULLET,
    CAUSE_BEHIND,
    CAUSE_LABEL,
    CAUSE_SAID,
    CHATTER,
    CJK,
    CJK_CLAUSE_END,
    CJK_COMMA,
    COMMAND_LINE,
    DEED,
    EXCEPTION,
    FENCE,
    FIX_LABEL,
    FIX_SAID,
    FRAME,
    INFO_LEVEL,
    INLINE_COMMAND,
    LABEL,
    LEADS_ON,
    LOG_LEVEL,
    LOG_START,
    PROMPT,
    QUESTION,
    QUOTES,
    REFERENCE,
    SENTENCE_END,
    SKIPPED,
    STATEMENT,
    VARIES,
    VERB_FORM,
    WORD,
)

_MOST = 12
"""Observations of one ticket. What comes later in a long ticket is mostly detail of one run."""
_SENTENCE = 5
"""Words of a sentence that is one by its form alone."""
_ENOUGH = 2
"""Observations beside which sentences that are such by their form alone are left out: in a short ticket they may be all that tells it from
others."""
_SHORTEST_CLAUSE = 3
"""Chinese characters of a clause that can be asked alone."""
_LONGEST = 300
"""Characters of an observation. Longer sentences tell a story."""
_METHOD = 500
"""Characters of a check."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One observation, and the check that shows it where the text names one."""

    description: str
    method: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """A text in its parts."""

    symptoms: str
    """The text without what names the cause or the fix."""
    observations: tuple[Observation, ...] = ()
    cause: str | None = None
    fix: str | None = None
    deeds: str | None = None
    """What people at work did, without calling it the fix."""


def take_apart(text: str, *, by_people_at_work: bool = False) -> Told:
    """What a text without markup (see markup.py) observes, and the cause and fix that it names.

    `by_people_at_work`: a comment or a note. Of these only sentences with a figure, a quotation of a log or a check are observations,
    and "由于 … 导致" names the cause; a reporter who writes so guesses. What they did is kept separately: nobody else has it.
    """
    kept: list[str] = []
    drawing = _Drawing(figures_only=by_people_at_work)
    cause: list[str] = []
    fix: list[str] = []
    deeds: list[str] = []
    section = _Section()
    for line, is_code in _lines(text):
        part, rest = section.enter(line, is_code)
        if part == "cause":
            first, *others = _sentences(rest) or [""]
            cause += [first] if first else []
            fix += [labelled[2] for other in others if (labelled := LABEL.match(other)) and _part_of(labelled[1]) == "fix"]
            continue
        if part == "fix":
            fix += [rest] if rest else []
            continue
        sentences = [rest] if is_code or part == "log" else _sentences(rest)
        stay = [sentence for sentence in sentences if not _is_answer(sentence, cause, fix, by_people_at_work)]
        kept.append(line if len(stay) == len(sentences) else " ".join(stay))
        if part == "skip":
            continue
        is_log = is_code or part == "log"
        if by_people_at_work and not is_log:
            stay, done = _parted(stay)
            deeds += done
        drawing.observe(stay, is_log=is_log)
    return Told("\n".join(kept).strip(), drawing.end(), _joined(cause), _joined(fix), _joined(deeds))


def _parted(sentences: list[str]) -> tuple[list[str], list[str]]:
    """What is not a deed, and what is; of a Chinese sentence clause by clause."""
    clauses = [clause for sentence in sentences for clause in (CJK_COMMA.split(sentence) if DEED.search(sentence) else [sentence])]
    return [clause for clause in clauses if not DEED.search(clause)], [clause for clause in clauses if DEED.search(clause)]


class _Section:
    """Where the reading is: a heading holds until the next one."""

    def __init__(self) -> None:
        self._part = "say"
        self._is_form = False
        """Whether the heading was in brackets."""

    def enter(self, line: str, is_code: bool) -> tuple[str, str]:
        """What the line is (say, log, skip, cause, fix), and the line without its label."""
        if is_code:
            return ("skip" if self._part == "skip" else "log" if self._part == "say" else self._part), line
        if not line.strip():
            return self._part, ""
        bare = BULLET.sub("", line)
        labelled = LABEL.match(bare) or _bracketed(bare)
        part = _part_of(labelled[1]) if labelled else None
        if self._part == "skip" and self._is_form and part is None and labelled and BRACKETED.match(bare):
            self._part = "say"  # in a form, what was to be skipped ends at the next bracket
            return "say", ""
        if labelled is None or part is None:
            return self._part, bare
        rest = labelled[2].strip()
        if not rest:
            self._part = "say" if part == "log" else part
            self._is_form = BRACKETED.match(bare) is not None
            return part, ""
        if self._part in ("skip", "cause", "fix"):
            self._part = "say"
        return part, rest


def _bracketed(line: str) -> re.Match[str] | None:
    """A label in brackets: alone on its line, or before a cause or a fix. `[cluster] started` is a line of a log."""
    found = BRACKETED.match(line)
    return found if found and (not found[2].strip() or _part_of(found[1]) in ("cause", "fix")) else None


def _part_of(label: str) -> str | None:
    if (field := field_under(label)) is not None:
        return "cause" if field == "root_cause" else "fix"
    for pattern, part in ((CAUSE_LABEL, "cause"), (FIX_LABEL, "fix"), (LEADS_ON, "say"), (QUOTES, "log"), (SKIPPED, "skip")):
        if pattern.match(label.strip()):
            return part
    return None


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it is in a block of code."""
    end = 0
    for fence in FENCE.finditer(text):
        yield from ((part, False) for line in text[end : fence.start()].splitlines() for part in parted(line))
        yield from ((line, True) for line in fence[1].splitlines() if line.strip())
        end = fence.end()
    yield from ((part, False) for line in text[end:].splitlines() for part in parted(line))


def _sentences(line: str) -> list[str]:
    return [part.strip() for part in SENTENCE_END.split(line) if part.strip()]


def _is_answer(sentence: str, cause: list[str], fix: list[str], by_people_at_work: bool) -> bool:
    """Whether a sentence names the cause or the fix, which is kept then."""
    if stated := CAUSE_SAID.search(sentence) or (CAUSE_BEHIND.search(sentence) if by_people_at_work else None):
        if not QUESTION.search(sentence):
            cause.append(_sentences(stated["cause"])[0])
            return True
        return False
    if stated := FIX_SAID.search(sentence):
        fix.append(stated["fix"].strip())
        return True
    return False


class _Drawing:
    """Observations in the order of the text, with the commands that show them."""

    def __init__(self, *, figures_only: bool) -> None:
        self.found: list[Observation] = []
        self._by_form: list[Observation] = []
        """Those of the found that are sentences and no more: no word in them is one of those that state a fact."""
        self._figures_only = figures_only
        self._command = ""

    def observe(self, sentences: Iterable[str], *, is_log: bool) -> None:
        """Take in what these sentences observe. The output of a command follows a prompt; a bare command shows what was said."""
        for sentence in sentences:
            text, quoted = _without_label(sentence.strip())
            if text[:1] == text[-1:] == "|":
                continue  # a row of a table
            if FRAME.match(text) or INFO_LEVEL.match(LOG_START.sub("", text)):
                continue
            if prompt := PROMPT.match(text):
                self._command = prompt[1].strip()[:_METHOD]
            elif _is_command(text):
                self._show_last(text.strip()[:_METHOD])
            elif quoted or LOG_START.match(text) or LOG_LEVEL.match(text) or EXCEPTION.match(text):
                self._add(_log_line(text), "")
            else:
                for part in _clauses(_sentences(text) if is_log else [text]):
                    if _may_be_observed(part) and (not self._figures_only or _is_exact(part)):
                        if STATEMENT.search(part):
                            self._add(_tidy(part), _check_in(part))
                        elif _is_sentence(part):
                            self._add(_tidy(part), _check_in(part))
                            self._by_form.append(self.found[-1])

    def end(self) -> tuple[Observation, ...]:
        """All of them, each once."""
        if self._command:
            self._show_last(self._command)
        stated = [each for each in self.found if each not in self._by_form]
        return _distinct(stated if len(stated) >= _ENOUGH else self.found)

    def _add(self, description: str, check: str) -> None:
        self.found.append(Observation(description, check or self._command))
        self._command = ""

    def _show_last(self, command: str) -> None:
        if self.found and not self.found[-1].method:
            self.found[-1] = Observation(self.found[-1].description, command)


def _is_command(line: str) -> bool:
    return (
        COMMAND_LINE.match(line) is not None
        and not CJK.search(line)
        and not re.search(r"[.。]\s*$|\b(?:shows?|says?|is|are|was|has)\b|^[^\"']*\w:\s+\w", line)
    )


def _without_label(text: str) -> tuple[str, bool]:
    """The sentence without "Log:" before it, and whether it had that. Of "Impact: ..." nothing is left."""
    labelled = LABEL.match(text)
    part = _part_of(labelled[1]) if labelled and labelled[2].strip() else None
    if labelled is None or part is None:
        return text, False
    return ("", False) if part == "skip" else (labelled[2].strip(), part == "log")


def _clauses(sentences: Iterable[str]) -> Iterator[str]:
    """Chinese sentences that list observations, parted at their commas; others as they are."""
    for sentence in sentences:
        parts = [part for part in CJK_CLAUSE_END.split(sentence) if part.strip()]
        is_list = len(parts) > 1 and all(len(CJK.findall(part)) >= _SHORTEST_CLAUSE for part in parts)
        yield from parts if is_list else [sentence]


def _log_line(line: str) -> str:
    text = re.sub(r"\s+", " ", VARIES.sub("", LOG_START.sub("", line))).strip(" -").rstrip(".;；")
    return text[:_LONGEST]


def _may_be_observed(text: str) -> bool:
    """Whether it is long enough, and none of the things that nobody sees on a system."""
    return (
        len(WORD.findall(text)) >= 3
        and len(text) <= _LONGEST
        and not QUESTION.search(text)
        and not CHATTER.match(text)
        and not REFERENCE.search(text)
        and not text.endswith((":", "："))
        and not is_all_well(text)
    )


def _is_sentence(text: str) -> bool:
    """Whether it has the form of a sentence, independent of its verb: "Queries queue behind a single COPY." """
    return len(WORD.findall(text)) >= _SENTENCE and text[:1].isupper() and VERB_FORM.search(text) is not None


def _is_exact(text: str) -> bool:
    return (
        re.search(
            r"\d|`[^`]+`|\"[^\"]+\"|\w[a-z]_[a-z]\w*\s?(?:(?:is|are|was|were)\b|[=是为])"
            r"|[一二两三四五六七八九十百千万]多?(?:天|次|个|台|条|秒|分钟|小时|倍)",
            text,
        )
        is not None
        or INLINE_COMMAND.search(text) is not None
        or looking_commands().search(text) is not None
    )


def _check_in(text: str) -> str:
    quoted = next((part for part in BACKTICKED.findall(text) if COMMAND_LINE.match(part)), None)
    inline = INLINE_COMMAND.search(text)
    if quoted or inline:
        return quoted or (inline[0] if inline else "")
    return next(iter(commands_in(text)), "")


def _tidy(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().rstrip(".。;；,，").strip()


def _distinct(drawn: list[Observation]) -> tuple[Observation, ...]:
    found: dict[str, Observation] = {}
    for observation in drawn:
        if observation.description:
            found.setdefault(observation.description.casefold(), observation)
    return tuple(found.values())[:_MOST]


def _joined(parts: list[str]) -> str | None:
    text = " ".join(part.strip().rstrip("。") for part in parts if part.strip())
    return _tidy(text) or None
