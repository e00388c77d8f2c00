"""Finds words and phrases that make our prose hard to read, in Python and Markdown files. `test_plain_english.py` holds them at zero."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Rule:
    """A phrase to avoid, and what to write instead."""

    name: str
    pattern: re.Pattern[str]
    instead: str
    unless: re.Pattern[str] | None = None
    """Matches of `pattern` that are good English all the same."""


@dataclass(frozen=True)
class Finding:
    """A place that breaks a rule."""

    path: str
    line: int
    rule: Rule
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule.name}: {self.text.strip()[:110]!r}. {self.rule.instead}"


def _rule(name: str, pattern: str, instead: str, *, unless: str | None = None) -> Rule:
    return Rule(name, re.compile(pattern, re.IGNORECASE), instead, re.compile(unless, re.IGNORECASE) if unless else None)


_NOUNS = "text|folder|file|path|list|event|contract|option|number|kind|role|stage|step|job|name|URL|JSON|YAML|UTF|object|table|column|key"
_STAND_IDIOMS = r"(?!-| (?:for|out|up|by|alone|aside|still|behind|in for)\b)"

PROSE = (
    _rule("told", r"\btold\b", "Say who gives or reports what: `given`, `reported`, `declared`, `recognised`."),
    _rule(
        "so many",
        r"\b(?:at (?:most|least)|for|after|in|about|or|than|of|with) so many\b(?![^.;]{0,40} that\b)",
        "Name the number: `max_bytes`.",
    ),
    _rule("as like", r"\bas like\b", "Write `as similar as`."),
    _rule("whoever", r"\bwho(?:m|so)?ever\b", "Name the person or the program: `the caller`, `anybody who`."),
    _rule("whatever", r"\bwhatever\b", "Write `any`, `every`, `regardless of` or `independent of`."),
    _rule("anew", r"\banew\b", "Write `again`."),
    _rule("is none of", r"\b(?:is|are|be|was|were) none (?:of|that)\b", "Write `is not one of` or `does not belong to`."),
    _rule("is none", r"\b(?:it|that|which|this|they) (?:is|are|was|were) none\b(?! of\b)", "Write `is not a ...`, with the noun."),
    _rule("of X alone", r"\bof (?:[\w`']+ )?[\w`']+ alone\b", "Write `only X`, and name what of X is meant."),
    _rule(
        "stands",
        rf"\b(?:as (?:it|they|things) |where \W*do\b[^.;\n]{{0,40}})?stands?\b{_STAND_IDIOMS}",
        "Write `is`, `is stored`, `appears` or `holds`.",
        unless=r"^(?:as|where) ",
    ),
    _rule(
        "apart",
        r"(?:\b(?:far|seconds|minutes|tell(?:s|ing)?|told)\b[^.;:]{0,60})?\bapart\b(?! from\b)",
        "Write `separate`, `separately` or `distinguish`.",
        unless=r"^(?:far|seconds|minutes|tell)",
    ),
    _rule("one's own", r"\bone's own\b", "Name the owner: `of the user`, `of an extension`."),
    _rule("is no X", rf"(?<!\bthere )\b(?:is|are|was|were) no (?:{_NOUNS})s?\b", "Write `is not a ...`."),
)
"""Rules for docstrings, comments, texts and Markdown."""

NAMES = (
    Rule("told", re.compile(r"(?:^|_)told(?:_|$)"), "Name the value: `reply`, `declared`, `observations`."),
    Rule("one", re.compile(r"^one$"), "Name the loop variable or parameter by its noun: `verdict`, `stage`."),
    Rule("said", re.compile(r"^said$"), "Name the value: `answer`, `usage`, `message`."),
    Rule("anew", re.compile(r"(?:^|_)anew(?:_|$)"), "Write `again` or `rebuild`."),
    Rule("whatever", re.compile(r"(?:^|_)(?:whatever|whoever)(?:_|$)"), "Name the value."),
)
"""Rules for names that a file binds: variables, parameters, functions, classes, attributes."""

STORED = frozenset({"told_by"})
"""Names that are fields of stored contracts, so they cannot change."""

STORED_TEXTS = {
    ("workers/coordinator/want.py", "told"),  # a key of a stored hash: a changed key would make every finished stage stale
    ("contracts/diagnose/deliverables.py", "told"),  # a value of `Evidence.source`
}
"""Texts that are stored, so they cannot change. Elsewhere code refers to them by a constant."""

CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def python_findings(path: Path) -> Iterator[Finding]:
    """Findings in the docstrings, comments, texts and bound names of a Python file."""
    source = path.read_text(encoding="utf-8")
    shown = path.relative_to(ROOT).as_posix()
    for line, text in _texts(source):
        if (shown, text.strip("\"'")) not in STORED_TEXTS:
            yield from _in_prose(shown, line, text)
    for line, name in _bound_names(ast.parse(source)):
        for rule in NAMES:
            if name not in STORED and rule.pattern.search(name):
                yield Finding(shown, line, rule, name)


def markdown_findings(path: Path) -> Iterator[Finding]:
    """Findings in a Markdown file, code left out."""
    yield from _in_prose(path.relative_to(ROOT).as_posix(), 1, path.read_text(encoding="utf-8"))


def _in_prose(path: str, first: int, text: str) -> Iterator[Finding]:
    plain = CODE.sub(lambda code: re.sub(r"[^\n]", "_", code[0]), text)
    for rule in PROSE:
        for match in rule.pattern.finditer(plain):
            if rule.unless is not None and rule.unless.search(match[0]):
                continue
            line = plain.count("\n", 0, match.start())
            yield Finding(path, first + line, rule, text.splitlines()[line])


def _texts(source: str) -> Iterator[tuple[int, str]]:
    """Comments and string literals, each with its first line. The parts of an f-string come one by one."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING) or tokenize.tok_name[token.type] == "FSTRING_MIDDLE":
            yield token.start[0], token.string


def _bound_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The names that a file binds, each where it is bound."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name
