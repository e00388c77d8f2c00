"""Existing SQL as the text of a specification, to edit or to submit."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from contracts.existing_sql import ExistingSql
from contracts.sql_review import WriteMode
from contracts.statements import Statement, code, names, say
from workers.engines.sql.trees import dialect_of, parse
from workers.errors import InvalidInput
from workers.kinds.base import DraftedSpec
from workers.kinds.etl.rules.specification import TODO
from workers.saying import text_of

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
"""Texts that mean themselves in YAML; the words that do not (`null`) are read as texts too."""
_NOT_IN_A_BLOCK = re.compile(r"[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


@dataclass
class Existing:
    """A table as its SQL says it."""

    target: str
    mode: WriteMode | None
    key: tuple[str, ...] | None
    """Empty: there is one row. None: nothing says it."""
    columns: tuple[str, ...]
    """As far as the query names them."""
    dialect: str
    sql: str = ""
    script: str = ""
    queries: tuple[tuple[str, str], ...] = ()
    partition_by: tuple[str, ...] = ()
    description: str = ""
    meanings: dict[str, str] = field(default_factory=dict[str, str])
    """By the column's name in lower case."""
    never_null: frozenset[str] = frozenset()
    file: str = ""
    notes: tuple[Statement, ...] = ()
    """What will not be judged, and what was taken otherwise than it is written."""


def as_spec(found: Existing, given: ExistingSql, source: str) -> DraftedSpec:
    """The text, with TODO for what neither the SQL nor an option says; and the option that would say it. Raises `InvalidInput`."""
    target, mode, key = given.target or found.target, given.mode or found.mode, given.key or found.key
    if mode is WriteMode.HISTORY:
        raise InvalidInput.of(say("etl.existing.history", command=code("bullpen spec new")))
    lacks: list[Statement] = []
    if not target:
        lacks.append(say("etl.existing.no_target", option=code("--target TABLE")))
    if mode is None:
        lacks.append(say("etl.existing.no_mode", option=code("--mode"), modes=names(("overwrite", "append", "upsert"))))
    if key is None:
        lacks.append(say("etl.existing.no_key", option=code("--grain COLUMN,..."), columns=names(found.columns[:20] or ("-",))))
    text = "\n".join([*_head(found, source, target, mode, key), *_columns(found), *_content(found), ""])
    return DraftedSpec(text, tuple(lacks), found.notes)


def _head(found: Existing, source: str, target: str, mode: WriteMode | None, key: tuple[str, ...] | None) -> Iterator[str]:
    yield f"# Made from {_one_line(found.file)}: check it, and do each TODO."
    yield from (f"# {_one_line(text_of(note, 'en'))}" for note in found.notes)
    yield f"target: {_scalar(target or TODO)}"
    yield f"source: {source}"
    if found.dialect:
        yield f"dialect: {_scalar(found.dialect)}"
    if found.description and not found.description.startswith(TODO):
        yield f"description: {_scalar(found.description[:4_000])}"
    yield f"mode: {mode or TODO}"
    yield f"grain: [{', '.join(map(_scalar, (TODO,) if key is None else key))}]"
    if found.partition_by:
        yield f"partition_by: [{', '.join(map(_scalar, found.partition_by))}]"


def _columns(found: Existing) -> Iterator[str]:
    """Only where there is more to say than the query does."""
    if not found.columns or not (found.meanings or found.never_null):
        return
    yield "columns:"
    for column in found.columns:
        parts = [f"name: {_scalar(column)}"]
        meaning = found.meanings.get(column.lower(), "")
        if meaning and not meaning.startswith(TODO):
            parts.append(f"meaning: {_scalar(meaning)}")
        if column.lower() in found.never_null:
            parts.append("nullable: false")
        yield f"  - {{{', '.join(parts)}}}"


def _content(found: Existing) -> Iterator[str]:
    if found.queries:
        yield "queries:"
        for query, sql in found.queries:
            yield f"  - name: {query}"
            yield from _block("    sql", sql, found.dialect)
    yield from _block("script", found.script, found.dialect) if found.script else _block("sql", found.sql, found.dialect)


def _block(key: str, sql: str, dialect: str) -> Iterator[str]:
    text = sql.replace("\r\n", "\n").strip()
    if TODO in text:  # in a comment it would be taken for something to be done
        text = ";\n\n".join(tree.sql(dialect=dialect_of(dialect), pretty=True, comments=False) for tree in parse(text, dialect))
    if _NOT_IN_A_BLOCK.search(text):
        yield f"{key}: {json.dumps(text)}"
        return
    indent = " " * (len(key) - len(key.lstrip()) + 2)
    yield f"{key}: |"
    yield from (f"{indent}{line}" if line.strip() else "" for line in text.split("\n"))


def _one_line(text: str) -> str:
    return " ".join(_NOT_IN_A_BLOCK.sub(" ", text).split())[:300]


def _scalar(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=_NOT_IN_A_BLOCK.search(text) is not None)
