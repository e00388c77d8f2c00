"""Reads terms and design documents.

Shipped ones are Markdown that the catalogue imports too: `terms.md` with the sections Terms and 术语, whose items name each other in
parentheses, and `*.en.md` and `*.zh.md` with a list of levels and indicators. A folder of networks may bring its own as JSON lines:
`terminology.jsonl` and `design_docs.jsonl`.
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contracts.network import Level
from contracts.statements import name as identifier
from contracts.statements import passage, say
from workers.errors import InvalidInput

ENGLISH, CHINESE = "en", "zh"

_ITEM = re.compile(r"^- \*\*(?P<name>[^*]+)\*\* \((?P<others>[^)]+)\)[:：]\s*(?P<text>.+)$")
_CODE = re.compile(r"`([a-z][a-z0-9_]*)`")
_LEVEL = re.compile(r"^- `(?P<level>cell|grid)`\s*(?P<note>[（(][^)）]*[)）])?\s*[:：](?P<rest>.*)$")


@dataclass(frozen=True)
class Entry:
    """A term or a document in the languages that it has."""

    id: str
    title: dict[str, str]
    text: dict[str, str]
    other_names: tuple[str, ...] = ()
    topic: str = ""
    levels: tuple[Level, ...] = ()
    indicators: dict[Level, tuple[str, ...]] = field(default_factory=dict[Level, tuple[str, ...]])
    """By level; of a term, under `Level.CELL`."""

    def in_language(self, texts: dict[str, str], language: str) -> str:
        """The text in a language, else in another."""
        wanted = CHINESE if language.lower().startswith("zh") else ENGLISH
        return texts.get(wanted) or next(iter(texts.values()), "")

    @property
    def names(self) -> tuple[str, ...]:
        """All names."""
        return tuple(dict.fromkeys((*self.title.values(), *self.other_names)))


def read_references(folder: Path) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """Terms and documents of Markdown files. Raises `InvalidInput` if there are none."""
    try:
        terms = _terms((folder / "terms.md").read_text(encoding="utf-8"))
        documents = tuple(_document(path) for path in sorted((folder / "design").glob("*.en.md")))
    except OSError as error:
        raise InvalidInput.of(say("network.refused.documents", reason=passage(str(error)))) from None
    return terms, documents


def read_folder(folder: Path) -> tuple[tuple[Entry, ...], tuple[Entry, ...]] | None:
    """Terms and documents of JSON lines; None if the folder brings none."""
    terms, documents = folder / "terminology.jsonl", folder / "design_docs.jsonl"
    if not terms.is_file() and not documents.is_file():
        return None
    return tuple(_json_term(row) for row in _lines(terms)), tuple(_json_document(row) for row in _lines(documents))


def _terms(text: str) -> tuple[Entry, ...]:
    """English items, each with the Chinese item that names it."""
    english: list[re.Match[str]] = []
    chinese: dict[str, re.Match[str]] = {}
    for line in text.splitlines():
        found = _ITEM.match(line)
        if found is None:
            continue
        if re.search(r"[\u4e00-\u9fff]", found["name"]):
            chinese[_split(found["others"])[0].casefold()] = found
        else:
            english.append(found)
    return tuple(_term(item, chinese.get(item["name"].casefold())) for item in english)


def _term(item: re.Match[str], other: re.Match[str] | None) -> Entry:
    title, text = {ENGLISH: item["name"]}, {ENGLISH: item["text"]}
    names = _split(item["others"])
    if other is not None:
        title[CHINESE], text[CHINESE] = other["name"], other["text"]
        names += _split(other["others"])
    return Entry(
        id=re.sub(r"[^a-z0-9]+", "-", item["name"].casefold()).strip("-"), title=title, text=text, other_names=tuple(dict.fromkeys(names)),
        indicators={Level.CELL: tuple(dict.fromkeys(_CODE.findall(item["text"])))},
    )  # fmt: skip


def _split(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"[,，、;；]", text) if part.strip()]


def _document(path: Path) -> Entry:
    """An English file and the Chinese one beside it."""
    texts = {ENGLISH: path.read_text(encoding="utf-8")}
    other = path.with_name(path.name.replace(".en.md", ".zh.md"))
    if other.is_file():
        texts[CHINESE] = other.read_text(encoding="utf-8")
    titles = {language: text.partition("\n")[0].lstrip("# ").strip() for language, text in texts.items()}
    levels: list[Level] = []
    indicators: dict[Level, tuple[str, ...]] = {}
    for line in texts[ENGLISH].splitlines():
        found = _LEVEL.match(line)
        if found is not None:
            level = Level(found["level"])
            indicators[level] = tuple(_CODE.findall(found["rest"]))
            levels += [] if found["note"] else [level]
    topic = path.name.removesuffix(".en.md")
    words = [word for text in texts.values() for word in _keywords(text)]
    return Entry(id=topic, title=titles, text=texts, other_names=tuple(words), topic=topic, levels=tuple(levels), indicators=indicators)


def _keywords(text: str) -> list[str]:
    """The line `Keywords: a, b` or `关键词：甲、乙`."""
    found = re.search(r"^(?:Keywords:|关键词：)(.+)$", text, re.MULTILINE)
    return _split(found.group(1).rstrip(".。")) if found else []


def _lines(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        return []
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise InvalidInput.of(say("network.refused.json_lines", file=identifier(path.name), reason=passage(str(error)))) from None


def _texts(row: dict[str, Any], name: str) -> dict[str, str]:
    return {language: str(row[f"{name}_{language}"]) for language in (ENGLISH, CHINESE) if row.get(f"{name}_{language}")}


def _json_term(row: dict[str, Any]) -> Entry:
    indicators = tuple(str(each) for each in row.get("indicators", ()))
    return Entry(str(row.get("id", "")), _texts(row, "term"), _texts(row, "text"), indicators={Level.CELL: indicators})


def _json_document(row: dict[str, Any]) -> Entry:
    known = {level.value: level for level in Level}
    return Entry(
        id=str(row.get("id", "")), title=_texts(row, "title"), text=_texts(row, "body"), topic=str(row.get("topic", "")),
        levels=tuple(known[each] for each in row.get("levels", ()) if each in known),
        indicators={known[level]: tuple(names) for level, names in row.get("indicators", {}).items() if level in known},
    )  # fmt: skip
