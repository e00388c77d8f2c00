"""The part of the log server's templates that is run here: `{{ .label }}`, `{{ .label | ToUpper }}`, `{{ or .a .b }}`."""

import re
from collections.abc import Callable, Mapping

_PIECE = re.compile(r"\{\{-?((?:(?!\{\{).)*?)-?\}\}", re.DOTALL)
_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`|\||\S+')


class UnknownTemplate(ValueError):
    """A template that needs more than is run here."""


_FUNCTIONS: dict[str, Callable[[list[str]], str]] = {
    "ToLower": lambda texts: texts[-1].lower(),
    "lower": lambda texts: texts[-1].lower(),
    "ToUpper": lambda texts: texts[-1].upper(),
    "upper": lambda texts: texts[-1].upper(),
    "TrimSpace": lambda texts: texts[-1].strip(),
    "trim": lambda texts: texts[-1].strip(),
    "or": lambda texts: next((text for text in texts if text), ""),
    "default": lambda texts: texts[-1] or texts[0],
    "trunc": lambda texts: texts[-1][: int(texts[0])],
    "replace": lambda texts: texts[2].replace(texts[0], texts[1]),
    "print": "".join,
}


class Template:
    """A template, parsed once."""

    def __init__(self, text: str) -> None:
        """Raises `UnknownTemplate`."""
        pieces = _PIECE.split(text)
        self._texts = pieces[0::2]
        self._actions = [_calls(action.strip()) for action in pieces[1::2]]

    def write(self, labels: Mapping[str, str], line: str) -> str:
        """The text for an entry. Raises `ValueError`."""
        parts = [self._texts[0]]
        for calls, text in zip(self._actions, self._texts[1:], strict=True):
            parts += [_run(calls, labels, line), text]
        return "".join(parts)


def _calls(action: str) -> list[list[str]]:
    calls: list[list[str]] = [[]]
    for word in _WORD.findall(action):
        if word == "|":
            calls.append([])
        else:
            calls[-1].append(word)
    for number, call in enumerate(calls):
        if not call:
            raise UnknownTemplate(action)
        if not _is_value(call[0]) and call[0] not in _FUNCTIONS:
            raise UnknownTemplate(call[0])
        if _is_value(call[0]) and (number > 0 or len(call) > 1):
            raise UnknownTemplate(action)
        if any(not _is_value(word) for word in call[1:]):
            raise UnknownTemplate(action)
    return calls


def _is_value(word: str) -> bool:
    return word[0] in '."`' or word in ("__line__",) or word.isdigit()


def _value(word: str, labels: Mapping[str, str], line: str) -> str:
    if word == "__line__":
        return line
    if word[0] == ".":
        return labels.get(word[1:], "")
    return word.strip('"`') if word[0] in '"`' else word


def _run(calls: list[list[str]], labels: Mapping[str, str], line: str) -> str:
    given: list[str] = []
    for first, *rest in calls:
        if _is_value(first):
            given = [_value(first, labels, line)]
            continue
        texts = [_value(word, labels, line) for word in rest] + given
        if not texts:
            raise ValueError(first)
        try:
            given = [_FUNCTIONS[first](texts)]
        except IndexError:
            raise ValueError(first) from None
    return given[0]
