"""What the names of a statement mean: the catalogue's words, or in Chinese those of a dictionary."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from contracts.tables import TableDetail
from workers.engines.questions.names import chinese_names
from workers.engines.questions.words import key, split_name

MOST_NAMES = 12
_LONGEST = 80
_CJK = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[A-Za-z_][\w$]*")


@lru_cache(1)
def _chinese() -> dict[str, str]:
    """English words of schemas, and a Chinese word for each."""
    found: dict[str, str] = {}
    for chinese, phrase in chinese_names():
        if 1 < len(chinese) <= 4:
            found.setdefault(" ".join(phrase), chinese)
    return found


def glosses(sql: str, tables: Sequence[TableDetail], language: str) -> Iterator[tuple[str, str]]:
    """The names of tables and columns in a statement, each with its meaning; those without one are left out."""
    written = {word.lower() for word in _WORD.findall(sql)}
    seen: set[str] = set()
    for table in tables:
        if table.name.lower() not in written:
            continue
        for name, description in ((table.name, table.description), *((column.name, column.description) for column in table.columns)):
            if name.lower() in written and name.lower() not in seen and (meaning := _meaning(name, description, language)):
                seen.add(name.lower())
                yield name, meaning


def _meaning(name: str, description: str, language: str) -> str:
    text = re.split(r"[.;。；\n]", description.strip())[0]
    if not language.startswith("zh"):
        return text if 0 < len(text) <= _LONGEST and text.lower() != name.lower() else ""
    if _CJK.search(text):
        return text[:_LONGEST]
    words = [key(word) for word in split_name(name)]
    known = _chinese()
    made = [known.get(word, "" if word == "id" else "?") for word in words]
    if "?" in made or not any(made):
        return ""
    return "".join(made) + ("编号" if words[-1] == "id" else "")
