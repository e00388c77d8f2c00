"""What tests of texts share: the codes that the source uses against the catalogues, and words of a language that do not belong."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from contracts.statements import Shown
from workers.saying import INSTALLED, Catalogues, SpanKind, spans_of
from workers.saying.document import Document, texts_in
from workers.saying.po import Message, read_po

_SAYING = frozenset({"say", "term", "framed"})
_MEMBERS = frozenset({"say_member", "member_term"})
_NOT_VALUES = frozenset({"language", "catalogues"})

_CJK = re.compile(r"[\u3400-\u9fff\u3000-\u303f\uff01-\uff5e]+")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]+")
_FILE = re.compile(r"\b\w+\.(?:json|csv|md)\b")
"""A file's name, which is the same in each language."""

UNITS = frozenset({"B", "KiB", "MiB", "GiB", "TiB", "PiB", "US", "UTC"})
"""Latin letters that every language has."""

TECHNICAL = frozenset(
    [
        "spark",
        "scope",
        "sql",
        "u-sql",
        "aqe",
        "gc",
        "jvm",
        "udf",
        "cpu",
        "io",
        "id",
        "json",
        "csv",
        "parquet",
        "shuffle",
        "stage",
        "job",
        "task",
        "executor",
        "driver",
        "exchange",
        "join",
        "spill",
        "vertex",
        "broadcast",
        "sort",
        "hash",
        "null",
        "bullpen",
    ]
)
"""Words of the field that a Chinese text keeps."""


@dataclass
class CodesUsed:
    """The message codes that source files name."""

    values: dict[str, frozenset[str] | None] = field(default_factory=dict[str, "frozenset[str] | None"])
    """The names of the values that a code is given in all; None where a call passes a mapping."""
    not_literal: list[str] = field(default_factory=list[str])
    """Calls whose code cannot be read off the source: `file:line`."""

    def add(self, code: str, names: frozenset[str] | None) -> None:
        before = self.values.get(code, frozenset())
        self.values[code] = None if names is None or before is None else before | names


def codes_used(sources: Iterable[Path], enums: Mapping[str, Sequence[type[StrEnum]]] | None = None) -> CodesUsed:
    """All codes of calls of `say`, `term`, `say_member` and `member_term` in the files (folders are walked).

    `enums` names the enums whose members a prefix is used with: `{"tune.kind": [VerdictKind]}`.
    """
    used = CodesUsed()
    for path in _python_files(sources):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                _add_call(used, node, path, enums or {})
    return used


def _python_files(sources: Iterable[Path]) -> Iterator[Path]:
    for source in sources:
        yield from sorted(source.rglob("*.py")) if source.is_dir() else [source]


def _add_call(used: CodesUsed, call: ast.Call, path: Path, enums: Mapping[str, Sequence[type[StrEnum]]]) -> None:
    called = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id if isinstance(call.func, ast.Name) else ""
    if called not in _SAYING | _MEMBERS or not call.args:
        return
    first = call.args[0]
    if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
        used.not_literal.append(f"{path}:{call.lineno}")
        return
    names = (
        None
        if any(keyword.arg is None for keyword in call.keywords)
        else frozenset(keyword.arg for keyword in call.keywords if keyword.arg)
    )
    if called in _SAYING:
        used.add(first.value, names)
    elif first.value not in enums:
        used.not_literal.append(f"{path}:{call.lineno} (declare the enum of {first.value})")
    else:
        for member in (member for enum in enums[first.value] for member in enum):
            used.add(f"{first.value}.{member.value}", names)


def catalogue_problems(folder: Path, used: CodesUsed, *, languages: Sequence[str] = ("en", "zh")) -> list[str]:
    """What keeps the catalogues of a folder from being complete: a code without a message, a message without a use, other
    placeholders than the source gives or than the first language has. Empty when all is well."""
    problems = [f"{place}: the code is not a literal" for place in used.not_literal]
    catalogues = {language: _messages(folder, language) for language in languages}
    for language, messages in catalogues.items():
        problems += [f"{language}: {code} is missing" for code in sorted(used.values.keys() - messages.keys())]
        problems += [f"{language}: {code} is used nowhere" for code in sorted(messages.keys() - used.values.keys())]
        for code, names in used.values.items():
            if code in messages and names is not None and (unknown := messages[code].placeholders - names):
                problems.append(f"{language}: {code} has {{{', '.join(sorted(unknown))}}}, which the source does not give")
    problems += _differing(catalogues, languages)
    shown = {
        code: frozenset[str]().union(*(texts[code].placeholders for texts in catalogues.values() if code in texts)) for code in used.values
    }
    for code, names in used.values.items():
        if names is not None and (unused := names - shown[code]):
            problems.append(f"{code} is given {{{', '.join(sorted(unused))}}}, which no language shows")
    return problems


def _messages(folder: Path, language: str) -> dict[str, Message]:
    """A code is in one file of a language only."""
    found: dict[str, Message] = {}
    for path in sorted((folder / language / "LC_MESSAGES").glob("*.po")):
        messages = read_po(path)
        assert not found.keys() & messages.keys(), f"{path}: {sorted(found.keys() & messages.keys())} are in another file too"
        found |= messages
    return found


def _differing(catalogues: Mapping[str, Mapping[str, Message]], languages: Sequence[str]) -> Iterator[str]:
    first = catalogues[languages[0]]
    for language in languages[1:]:
        for code, message in catalogues[language].items():
            if code in first and message.placeholders != first[code].placeholders:
                yield f"{language}: {code} has other placeholders than in {languages[0]}"


def foreign_words(shown: Shown, language: str, *, known: Iterable[str] = (), catalogues: Catalogues = INSTALLED) -> list[str]:
    """Words of another language in a text: Chinese in English, English in Chinese.

    Quotes, names, code and references are data and may be in any language; so may `known` words, in either case.
    """
    allowed = {word.lower() for word in (*known, *TECHNICAL, *UNITS)}
    found: list[str] = []
    for span in spans_of(shown, language, catalogues):
        if span.kind in (SpanKind.PLAIN, SpanKind.GIVEN):
            found += foreign_in_text(span.text, language, allowed)
    return found


def foreign_in_text(text: str, language: str, known: Iterable[str] = ()) -> list[str]:
    """The same of printed text, in which data is not distinguished from our words."""
    if language != "zh":
        return _CJK.findall(text)
    allowed = {word.lower() for word in known}
    return [word for word in _WORD.findall(_FILE.sub("", text)) if word.lower() not in allowed]


def foreign_words_in(document: Document, language: str, *, known: Iterable[str] = (), catalogues: Catalogues = INSTALLED) -> list[str]:
    """The same of all texts of a document."""
    return [word for shown in texts_in(document) for word in foreign_words(shown, language, known=known, catalogues=catalogues)]
