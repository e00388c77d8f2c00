"""The smallest difference: a repaired statement in the words, spaces and comments of the original wherever that means the same."""

import difflib
from dataclasses import dataclass

import sqlglot
from sqlglot.errors import SqlglotError

from workers.engines.sql.repair.dialects import parsed, printed


@dataclass(frozen=True, slots=True)
class Word:
    """A token with its place in the text."""

    text: str
    start: int
    end: int

    @property
    def key(self) -> str:
        """What is compared: keywords and names in any case, literals as they are."""
        return self.text if self.text.startswith(("'", '"', "`")) else self.text.upper()


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of the original and what takes its place."""

    start: int
    end: int
    text: str
    words: int


def words_of(sql: str, dialect: str) -> list[Word] | None:
    """The tokens of a text; None where it cannot be cut into tokens."""
    try:
        tokens = sqlglot.tokenize(sql, read=dialect or None)
    except SqlglotError:
        return None
    return [Word(sql[token.start : token.end + 1], token.start, token.end + 1) for token in tokens]


def edits_between(original: str, repaired: str, read: str, write: str) -> list[Edit] | None:
    """What turns one text into the other, by tokens."""
    ours, theirs = words_of(original, read), words_of(repaired, write)
    if ours is None or theirs is None:
        return None
    matcher = difflib.SequenceMatcher(None, [word.key for word in ours], [word.key for word in theirs], autojunk=False)
    edits: list[Edit] = []
    for tag, first, last, begin, end in matcher.get_opcodes():
        if tag == "equal":
            continue
        text = repaired[theirs[begin].start : theirs[end - 1].end] if end > begin else ""
        start = ours[first].start if first < len(ours) else len(original.rstrip().rstrip(";"))
        stop = ours[last - 1].end if last > first else start
        edits.append(Edit(start, stop, text, max(last - first, end - begin)))
    return edits


def applied(original: str, edits: list[Edit]) -> str:
    """The original with the edits made."""
    text, at = "", 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        text = _joined(text, original[at : edit.start])
        is_insert = edit.start == edit.end
        if is_insert and text and not text[-1:].isspace() and edit.text[:1] not in ",).(" and text[-1:] not in "(.":
            text += " "
        text = _joined(text, edit.text)
        if (
            is_insert
            and edit.text
            and edit.start < len(original)
            and original[edit.start] not in " \n\t,);.("
            and edit.text[-1:] not in "(."
        ):
            text += " "
        at = edit.end
    return _joined(text, original[at:])


def _joined(text: str, more: str) -> str:
    """Two pieces without spaces before a comma or a closing bracket, or behind an opening one."""
    if more[:1] in {",", ")"} or (text[-1:] == " " and more[:1] == " "):
        return text.rstrip(" ") + more
    if (text[-1:].isalnum() or text[-1:] in {")", "_", "'", '"'}) and (more[:1].isalnum() or more[:1] == "_"):
        return f"{text} {more}"
    return text + (more.lstrip(" ") if text.endswith("(") else more)


def smallest(original: str, repaired: str, read: str, write: str) -> str:
    """The repaired statement, with every edit taken back that the meaning does not need."""
    goal = parsed(repaired, write)
    edits = edits_between(original, repaired, read, write)
    if goal is None or edits is None:
        return repaired
    text = printed(goal, write)
    if not _means(applied(original, edits), text, write):
        return repaired
    needed = [edit for edit in edits if _drops_argument(original, edit) or (read != write and _renames_call(original, edit))]
    for edit in sorted(edits, key=lambda edit: edit.words):
        fewer = [other for other in edits if other != edit]
        if edit not in needed and not _has_text(original, edit) and _means(applied(original, fewer), text, write):
            edits = fewer
    return applied(original, edits)


def _means(sql: str, goal: str, dialect: str) -> bool:
    """Whether a text is read by the engine's dialect as the same statement. The parser reads over a bracket that does not close."""
    tree = parsed(sql, dialect)
    signs = [word.text for word in words_of(sql, dialect) or ()]
    return tree is not None and printed(tree, dialect) == goal and signs.count("(") == signs.count(")")


def _has_text(original: str, edit: Edit) -> bool:
    """Whether an edit changes a text: trees hold formats of dates in a single form for all engines."""
    return "'" in edit.text or "'" in original[edit.start : edit.end]


def _drops_argument(original: str, edit: Edit) -> bool:
    """Whether an edit takes an argument away: the parser reads over one too many, which the engine does not."""
    return not edit.text and "," in original[edit.start : edit.end]


def _renames_call(original: str, edit: Edit) -> bool:
    """Whether an edit gives a function the name that it has in another dialect: the parser knows the names of all of them, which the engine
    does not."""
    before = original[edit.start : edit.end]
    return before[-1:].isalnum() and edit.text[-1:].isalnum() and original[edit.end :].lstrip()[:1] == "("
