"""What is found in a script while it is read: its operations in order, and what is SCOPE's own about them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from contracts.code import OperationKind, ScriptOperation
from contracts.scope import ScopeHint, ScopeJoin, ScopePartitioning, ScopeUserCode
from workers.engines.scope.clauses import paths, split_at
from workers.engines.scope.statements import Item
from workers.engines.scope.tokens import Token, TokenKind
from workers.engines.scripts.ledger import TEXT_CHARS, Ledger, Spot
from workers.engines.scripts.ledger import Flow as TableFlow
from workers.engines.scripts.words import table_of

SPACES = re.compile(r"\s+")
ENDING = re.compile(r"\.(?:sstream|ss|tsv|csv|txt|log|json|parquet|orc|gz)$", re.IGNORECASE)
DATE_PART = re.compile(r"[_.-]?(?:\{[^{}]{0,60}\}|%[A-Za-z]|\d{4}[-_]?\d{2}[-_]?\d{2})")
"""A day in a stream's name: `clicks_2026-11-20.ss`, `clicks_%Y%m%d.ss`, `clicks_{date:yyyyMMdd}.ss` are streams of `clicks`."""

USER_CODE = 200
"""Places of user code that are kept: a generated script may have thousands."""

NO_COLUMNS = frozenset(
    (
        *("AND", "OR", "NOT", "AS", "ASC", "DESC", "IN", "IS", "NULL", "BETWEEN", "LIKE", "TRUE", "FALSE", "NEW", "CASE", "WHEN", "THEN"),
        *("ELSE", "END", "OVER", "ALL", "DISTINCT", "STRING", "INT", "LONG", "SHORT", "BYTE", "CHAR", "BOOL", "FLOAT", "DOUBLE", "DECIMAL"),
        *("OBJECT", "DATETIME", "GUID", "MATH", "CONVERT", "REGEX", "TIMESPAN", "ENUMERABLE"),
    )
)
"""Words of expressions that never name a column: operators, and the types of C# whose methods are called. Upper case."""

LISTS = ("columns", "functions")

SYSTEM_CODE = ("Extractors.", "Outputters.", "DefaultText", "Default")
"""Readers and writers that come with the engine, and which the optimiser knows."""


@dataclass(frozen=True, slots=True)
class Flow:
    """A rowset as it flows through the script."""

    tables: tuple[str, ...] = ()
    last: int | None = None
    """The operation it comes from."""
    partitioned: frozenset[str] = frozenset()
    """By which columns, as far as the script tells."""


@dataclass
class Record:
    """The places for what is found."""

    text: str
    ledger: Ledger = field(default_factory=Ledger)
    joins: list[ScopeJoin] = field(default_factory=list[ScopeJoin])
    partitionings: list[ScopePartitioning] = field(default_factory=list[ScopePartitioning])
    hints: list[ScopeHint] = field(default_factory=list[ScopeHint])
    user_code: list[ScopeUserCode] = field(default_factory=list[ScopeUserCode])
    names: dict[str, Flow] = field(default_factory=dict[str, Flow])
    """Rowsets by name; and tables whose partitioning a definition tells."""
    constants: dict[str, str] = field(default_factory=dict[str, str])
    """Declared strings: most often the paths."""

    @property
    def operations(self) -> list[ScriptOperation]:
        """The operations so far."""
        return self.ledger.operations

    def add(
        self,
        kind: OperationKind,
        token: Token,
        items: Sequence[Item],
        flows: Sequence[Flow],
        *,
        tables: Sequence[str] = (),
        partitioned: frozenset[str] | None = None,
        until: int = 0,
        **details: Any,
    ) -> Flow:
        """An operation at the place of its keyword over these flows, and the rowset it makes. `details`: other fields of the operation."""
        inputs = [TableFlow(last=last) for last in dict.fromkeys(flow.last for flow in flows)]
        made = self.ledger.add(
            kind,
            Spot(token.line, token.column, self.shown(token, items, until)),
            *inputs,
            tables=tuple(dict.fromkeys([*(name for flow in flows for name in flow.tables), *tables])),
            **{field: tuple(dict.fromkeys(value)) if field in LISTS else value for field, value in details.items()},
        )
        kept = partitioned if partitioned is not None else (flows[0].partitioned if flows else frozenset[str]())
        return Flow(made.tables, made.last, kept)

    def shown(self, token: Token, items: Sequence[Item], until: int = 0) -> str:
        """From the keyword to the end of the items, on one line and cut."""
        end = max([token.end, until, *(item.end for item in items[-1:])])
        return SPACES.sub(" ", self.text[token.start : min(end, token.start + 2 * TEXT_CHARS)]).strip()[:TEXT_CHARS]

    def run_by_user(self, kind: str, token: Token, items: Sequence[Item]) -> str:
        """The code that a `USING` names, noted unless it is the engine's own; its name."""
        name = dotted(items)
        if name and not name.startswith(SYSTEM_CODE):
            self.note_code(kind, token, name, items)
        return name

    def note_code(self, kind: str, token: Token, name: str, items: Sequence[Item]) -> None:
        """One place of user code."""
        if len(self.user_code) < USER_CODE:
            self.user_code.append(ScopeUserCode(line=token.line, kind=kind, name=name[:TEXT_CHARS], text=self.shown(token, items)))

    def named(self, variable: str, since: int) -> None:
        """The operations made since then belong to the rowset of this name."""
        self.operations[since:] = [operation.model_copy(update={"variable": variable}) for operation in self.operations[since:]]


def table_name(path: str) -> str:
    """A stream's or table's own name: the last part of its path or dotted name, without ending and day."""
    last = table_of(path.strip().split("?", 1)[0])
    return DATE_PART.sub("", ENDING.sub("", last)).strip("_.-") or last


def dotted(items: Sequence[Item]) -> str:
    """The dotted name at the beginning: `new My.Processor(...)` → `My.Processor`."""
    names: list[str] = []
    for item in items:
        if not isinstance(item, Token) or (item.kind is not TokenKind.NAME and item.text != "."):
            break
        if item.text not in (".", "new"):
            names.append(item.text)
    return ".".join(names)


def column_names(items: Sequence[Item]) -> list[str]:
    """The columns of a list: of `a.X`, `X AS Y`, `X DESC` and `f(X)` each the bare `X`."""
    found: dict[str, None] = {}
    for part in split_at(items, ","):
        found.update(dict.fromkeys(columns_in(part)))
    return list(found)


def columns_in(items: Sequence[Item]) -> list[str]:
    """The bare columns in an expression."""
    shown: list[Item] = []
    for item in items:
        if isinstance(item, Token) and item.text.upper() == "AS":
            break
        shown.append(item)
    named = [path[-1] for path in paths(shown)]
    return list(dict.fromkeys(name for name in named if name.upper() not in NO_COLUMNS and not name.startswith(("@", "#"))))


def output_names(items: Sequence[Item]) -> list[str]:
    """What a SELECT list calls its columns: the name behind AS, else the column's own; `*` for all."""
    found: list[str] = []
    for part in split_at(items, ","):
        last = part[-1]
        if isinstance(last, Token) and last.text == "*":
            found.append("*")
        elif isinstance(last, Token) and last.kind is TokenKind.NAME:
            found.append(last.text)
        else:
            found += columns_in(part)[:1]
    return found
