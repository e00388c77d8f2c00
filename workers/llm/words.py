"""The words of an answer while it is written: the text of one field of a JSON object that is not complete yet, or its list of texts. The
object may come bare, or as the final value of a step (`{"step": {"final": {...}}}`)."""

import json
from collections.abc import Callable

_THINKS, _THOUGHT = "<think>", "</think>"
_WRAPPERS = ("step", "final")
"""Keys of the objects in which the final value of work with tools comes (`workers/llm/tool_steps.py`)."""


class Words:
    """Reads an answer piece by piece, and says what is new in the field. Reads each character once."""

    def __init__(self, field: str, say: Callable[[str], None]) -> None:
        self._field = field
        self._say = say
        self._waiting = ""
        """What cannot be read yet: the beginning of an escape, or of a mark."""
        self._in_thought: bool | None = None
        self._depth = 0
        self._outer = 0
        """How many of the open marks, from the first, are the answer itself or an object that it is wrapped in."""
        self._in_string = False
        self._string: list[str] | None = None
        """Characters of the current string of the answer, which may be a key."""
        self._key: str | None = None
        self._is_value = False
        self._in_list = False
        """Within the field's list of texts."""
        self._is_next = False
        """A text of that list was before."""
        self._is_done = False

    def feed(self, piece: str) -> None:
        """The next characters of the answer."""
        if self._is_done:
            return
        text, self._waiting = self._waiting + piece, ""
        text = self._without_thought(text)
        at = 0
        new: list[str] = []
        while at < len(text) and not self._is_done:
            if self._in_string:
                taken, letters = _letter(text, at)
                if taken == 0:
                    self._waiting = text[at:]
                    break
                at += taken
                self._take(letters, new)
            else:
                self._take_mark(text[at])
                at += 1
        if new:
            self._say("".join(new))

    def _take(self, letters: str | None, new: list[str]) -> None:
        """A character of a string; None: its end."""
        if letters is None:
            self._in_string = False
            if self._is_wanted:
                self._is_done = not self._in_list
                self._is_next = self._in_list
            elif self._is_outer and not self._is_value and self._string is not None:
                self._key = "".join(self._string)
            self._string = None
        elif self._is_wanted:
            new.append(f" {letters}" if self._is_next else letters)
            self._is_next = False
        elif self._string is not None:
            self._string.append(letters)

    @property
    def _is_outer(self) -> bool:
        """The place is in the answer's own object, and not in a value of it."""
        return self._depth > 0 and self._depth == self._outer

    @property
    def _is_of_field(self) -> bool:
        return self._is_outer and self._is_value and self._key == self._field

    @property
    def _is_wanted(self) -> bool:
        return self._is_of_field or (self._in_list and self._depth == self._outer + 1)

    def _take_mark(self, mark: str) -> None:
        if mark == '"' and self._depth > 0:
            self._in_string = True
            self._string = [] if self._is_outer and not self._is_value else None
        elif mark in "{[":
            self._in_list = self._in_list or (mark == "[" and self._is_of_field)
            if self._depth == 0 or (mark == "{" and self._is_outer and self._is_value and self._key in _WRAPPERS):
                self._outer = self._depth + 1
                self._is_value, self._key = False, None
            self._depth += 1
        elif mark in "}]":
            self._depth -= 1
            if self._depth < self._outer:
                self._outer, self._is_value, self._key = self._depth, True, None
            self._is_done = self._in_list and self._is_outer
        elif self._is_outer and mark == ":":
            self._is_value = True
        elif self._is_outer and mark == ",":
            self._is_value, self._key = False, None

    def _without_thought(self, text: str) -> str:
        """The text without what a model thinks aloud before its answer."""
        if self._in_thought is None:
            bare = text.lstrip()
            if bare.startswith(_THINKS):
                self._in_thought, text = True, bare
            elif _THINKS.startswith(bare):
                self._waiting = text
                return ""
            else:
                self._in_thought = False
        if self._in_thought:
            end = text.find(_THOUGHT)
            if end < 0:
                self._waiting = text[-len(_THOUGHT) :]
                return ""
            self._in_thought, text = False, text[end + len(_THOUGHT) :]
        return text


def _letter(text: str, at: int) -> tuple[int, str | None]:
    """How many characters of JSON the next character of a string takes, and the character; 0: it is not complete; None: the string ends."""
    mark = text[at]
    if mark == '"':
        return 1, None
    if mark != "\\":
        return 1, mark
    if at + 1 >= len(text):
        return 0, ""
    if text[at + 1] != "u":
        return 2, _decoded(text[at : at + 2])
    if at + 6 > len(text):
        return 0, ""
    if text[at + 2 : at + 4].lower() in ("d8", "d9", "da", "db"):  # the first half of a pair
        follows = text[at + 6 : at + 12]
        if len(follows) < 6 and "\\u".startswith(follows[:2]):
            return 0, ""
        if follows.startswith("\\u"):
            return 12, _decoded(text[at : at + 12])
    return 6, _decoded(text[at : at + 6])


def _decoded(escape: str) -> str:
    try:
        return json.loads(f'"{escape}"').encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    except ValueError:
        return "\ufffd"
