"""Source code with its keywords, texts, numbers, comments and names in elements of their own, for a style sheet to colour.

Pygments, which rich brings, reads it. Some of its patterns take the square of a line's length (20,000 characters of `%` as YAML: 6 s),
and all of them some 20 µs a character. So a text that is longer than `LONGEST`, or has a longer line than `LONGEST_LINE`, is shown plain.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from workers.saying.html_text import escaped

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LONGEST, LONGEST_LINE = 20_000, 2_000
"""Characters. The worst text that was found within both takes half a second."""

_LEXERS = {"sql": ("sql", "SqlLexer"), "python": ("python", "PythonLexer"), "yaml": ("data", "YamlLexer"), "json": ("data", "JsonLexer")}
_ENDINGS = {"sql": "sql", "py": "python", "yaml": "yaml", "yml": "yaml", "json": "json"}
_CLASSES = {
    "Keyword": "k", "Word": "k", "String": "s", "Number": "m", "Comment": "c",
    "Builtin": "n", "Function": "n", "Class": "n", "Decorator": "n", "Tag": "n", "Attribute": "n",
}  # fmt: skip
"""The last part of a token's type, or of one that it is a part of → the class."""


def language_of_file(path: str) -> str:
    """The language that the ending of a file's name says, as blocks name it; empty: none that is coloured."""
    return _ENDINGS.get(path.rpartition(".")[2].lower(), "")


def coloured(text: str, language: str) -> str:
    """Code as HTML: `k` keywords, `s` texts, `m` numbers, `c` comments, `n` names. Plain in a language that is not coloured."""
    return "\n".join(coloured_lines(text.split("\n"), language))


def coloured_lines(lines: Sequence[str], language: str) -> list[str]:
    """The same line by line: no element goes on over the end of a line."""
    lexer = _lexer(language)
    if lexer is None or sum(map(len, lines)) > LONGEST or max(map(len, lines), default=0) > LONGEST_LINE:
        return [escaped(line) for line in lines]
    found = [""]
    for _, token, text in lexer.get_tokens_unprocessed("\n".join((*lines, ""))):
        for place, part in enumerate(text.split("\n")):
            if place:
                found.append("")
            found[-1] += _element(part, token)
    return found[: len(lines)]


def coloured_diff(lines: Sequence[str], language: str) -> Iterator[tuple[str, str]]:
    """The lines of a unified diff as their sign and their HTML. Each side is read as a text of its own, so that a text over several
    lines is known as one on both."""
    sides = {sign: coloured_lines([line[1:] for line in lines if line[:1] in (sign, " ")], language) for sign in ("-", "+")}
    places = dict.fromkeys(sides, 0)
    for line in lines:
        sign = line[:1]
        html = escaped(line[1:])
        for side in sides:
            if sign in (side, " "):
                html = sides[side][places[side]]
                places[side] += 1
        yield sign, html


@cache
def _lexer(language: str) -> "Lexer | None":
    if language not in _LEXERS:
        return None
    module, name = _LEXERS[language]
    return getattr(import_module(f"pygments.lexers.{module}"), name)()


def _element(text: str, token: Any) -> str:
    if not text:
        return ""
    kind = next((_CLASSES[part] for part in reversed(tuple(token)) if part in _CLASSES), "")
    return f'<span class="{kind}">{escaped(text)}</span>' if kind and not text.isspace() else escaped(text)
