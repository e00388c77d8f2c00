"""The tokens of a SCOPE or U-SQL script, with their places. Comments and the insides of strings and of C# blocks are no tokens.

One pass from left to right: every step moves on by at least one character, so any text is read in time that grows with its length."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import Enum

from contracts.statements import Statement as Said
from contracts.statements import say

NAME = re.compile(r"@@\w+@@|[@#]?[^\W\d]\w*")
NUMBER = re.compile(r"\d+(?:\.\d+)?\w*")
OPERATOR = re.compile(r"==|!=|<=|>=|=>|&&|\|\||\?\?|::|.", re.DOTALL)
BRACKETED = re.compile(r"\[([^\W\d][^\]\n\"']{0,127})\]")
"""A quoted name of U-SQL: `[dbo]`. After a name it is an indexer of C#."""
BLOCK_END = re.compile(r"^[ \t]*#ENDCS\b", re.IGNORECASE | re.MULTILINE)
LINE_DIRECTIVES = {"#IF", "#ELSE", "#ELSEIF", "#ELIF", "#ENDIF", "#REGION", "#ENDREGION", "#ENDCS", "#PRAGMA"}
"""They stand alone in their line and end no statement."""


class TokenKind(Enum):
    """What a token is."""

    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    OPERATOR = "operator"
    BLOCK = "block"
    """`#CS ... #ENDCS`, whole."""


@dataclass(frozen=True, slots=True)
class Token:
    """One token; its text is the name without brackets, the string without quotes, or as the script has it."""

    kind: TokenKind
    text: str
    start: int
    end: int
    line: int
    column: int
    """Counted from 0."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What was read, and in which lines something does not end."""

    tokens: list[Token]
    broken: list[tuple[int, Said]]


def tokenize(text: str) -> Tokens:
    """All tokens in the order of the text. Never raises."""
    return _Scanner(text).run()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.line_starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self.tokens: list[Token] = []
        self.broken: list[tuple[int, Said]] = []

    def run(self) -> Tokens:
        position = 0
        while position < len(self.text):
            position = self._step(position)
        return Tokens(self.tokens, self.broken)

    def _step(self, at: int) -> int:
        text, character = self.text, self.text[at]
        if character.isspace() or character == "\ufeff":
            return at + 1
        if text.startswith("//", at):
            return self._line_end(at)
        if text.startswith("/*", at):
            return self._until(at, "*/", say("scope.unread.open_comment"))
        if text.startswith(('@"', '$@"', '@$"'), at):
            return self._verbatim(at, text.index('"', at) + 1)
        if character == '"' or text.startswith('$"', at):
            return self._string(at, text.index('"', at) + 1, '"')
        if character == "'":
            return self._string(at, at + 1, "'")
        return self._word(at)

    def _word(self, at: int) -> int:
        name = NAME.match(self.text, at)
        if name is not None:
            upper = name[0].upper()
            if upper == "#CS":
                return self._block(at, name.end())
            if upper in LINE_DIRECTIVES:
                return self._line_end(at)
            return self._add(TokenKind.NAME, name[0], at, name.end())
        number = NUMBER.match(self.text, at)
        if number is not None:
            return self._add(TokenKind.NUMBER, number[0], at, number.end())
        after_name = bool(self.tokens) and self.tokens[-1].kind is TokenKind.NAME and self.tokens[-1].end == at
        quoted = None if after_name else BRACKETED.match(self.text, at)
        if quoted is not None:
            return self._add(TokenKind.NAME, quoted[1], at, quoted.end())
        operator = OPERATOR.match(self.text, at)
        end = operator.end() if operator else at + 1
        return self._add(TokenKind.OPERATOR, self.text[at:end], at, end)

    def _string(self, at: int, inside: int, quote: str) -> int:
        """A string of one line; a backslash takes the next character with it."""
        position, line_end = inside, self._line_end(at)
        while position < line_end:
            if self.text[position] == "\\":
                position += 2
            elif self.text[position] == quote:
                return self._add(TokenKind.STRING, self.text[inside:position], at, position + 1)
            else:
                position += 1
        self.broken.append((self._line(at), say("scope.unread.open_string")))
        return self._add(TokenKind.STRING, self.text[inside:line_end], at, line_end)

    def _verbatim(self, at: int, inside: int) -> int:
        """A string over lines, in which a quote is doubled."""
        position = inside
        while True:
            position = self.text.find('"', position)
            if position < 0:
                self.broken.append((self._line(at), say("scope.unread.open_string")))
                return self._add(TokenKind.STRING, self.text[inside:], at, len(self.text))
            if not self.text.startswith('""', position):
                return self._add(TokenKind.STRING, self.text[inside:position].replace('""', '"'), at, position + 1)
            position += 2

    def _block(self, at: int, inside: int) -> int:
        end = BLOCK_END.search(self.text, inside)
        if end is None:
            self.broken.append((self._line(at), say("scope.unread.open_block")))
        self._add(TokenKind.BLOCK, self.text[inside : end.start() if end else len(self.text)], at, end.start() if end else len(self.text))
        return end.end() if end else len(self.text)

    def _until(self, at: int, mark: str, problem: Said) -> int:
        end = self.text.find(mark, at + len(mark))
        if end < 0:
            self.broken.append((self._line(at), problem))
            return len(self.text)
        return end + len(mark)

    def _line_end(self, at: int) -> int:
        end = self.text.find("\n", at)
        return len(self.text) if end < 0 else end

    def _line(self, at: int) -> int:
        return bisect_right(self.line_starts, at)

    def _add(self, kind: TokenKind, text: str, start: int, end: int) -> int:
        line = self._line(start)
        self.tokens.append(Token(kind, text, start, end, line, start - self.line_starts[line - 1]))
        return end
