"""Reads a SCOPE or U-SQL script from its tokens: what is read, joined by which keys, grouped and partitioned, and in which line.

The script is never run or compiled. Rowsets are followed by their names in the order of the text. A statement that is not understood
is skipped and reported with its line."""

import re
from collections.abc import Sequence

from contracts import statements as statements_
from contracts.code import OperationKind, ScriptFacts
from contracts.scope import ScopeDialect, ScopeScriptFacts, ScopeUserCode, UnreadStatement
from contracts.statements import Statement as Said
from contracts.statements import say
from workers.engines.scope.clauses import Words, cut
from workers.engines.scope.record import Flow, Record, table_name
from workers.engines.scope.rowsets import Rowsets
from workers.engines.scope.spread import partitioning_of
from workers.engines.scope.statements import Group, Item, Statement, first_token, flat, split_statements
from workers.engines.scope.tokens import Token, TokenKind, tokenize
from workers.engines.scripts.facts import SCRIPT_CHARS, TOO_LONG
from workers.engines.scripts.ledger import TEXT_CHARS

DEFINED = re.compile(r"\b(?:class\s+(\w+)|(?:public|private|internal|static)\s[\w<>\[\],?. \t]{1,120}?\b(\w+)\s*\()")
"""Classes and methods that a block of C# defines."""

LANGUAGE = "scope"
"""Of `ScriptFacts`: advice for such a script speaks of SCOPE's statements and not of Spark."""

UNREAD = 50
"""Places that are reported."""

DECLARING = ("DECLARE", "#DECLARE", "#SET")
HARMLESS = (
    *("USING", "REFERENCE", "RESOURCE", "IMPORT", "EXPORT", "SET", "USE", "DROP", "ALTER", "IF", "BEGIN", "END", "MODULE", "PARAMS"),
    *("VIEW", "FUNC", "PROC", "DEPLOY", "TRUNCATE", "DELETE", "GRANT", "ELSE", "#IF", "#ENDIF"),
)
"""Statements without a rowset."""


def read_scope(text: str, artefact: str = "") -> ScopeScriptFacts:
    """Its operations and what is SCOPE's own. Never raises; `script.unreadable` says so where nothing could be read."""
    if len(text) > SCRIPT_CHARS:
        return ScopeScriptFacts(artefact=artefact, script=ScriptFacts(unreadable=TOO_LONG))
    found = tokenize(text)
    broken = list(found.broken)
    statements = split_statements(found.tokens, broken)
    reader = _Reader(text, Words(found.tokens))
    for statement in statements:
        reader.take(statement)
    record = reader.record
    is_read = bool(record.operations) or bool(reader.functions)
    dialect = ScopeDialect.USQL if any(name.startswith("@") for name in reader.assigned) else ScopeDialect.SCOPE
    return ScopeScriptFacts(
        artefact=artefact,
        script=ScriptFacts(
            language=LANGUAGE,
            operations=tuple(record.operations),
            functions=tuple(reader.functions),
            unreadable=None if is_read else say("scope.problem.no_rowset"),
        ),
        dialect=dialect,
        lines=text.count("\n") + 1,
        statements=len(statements),
        joins=tuple(record.joins),
        partitionings=tuple(record.partitionings),
        hints=tuple(record.hints),
        user_code=tuple(record.user_code),
        unread=tuple(UnreadStatement(line=line, reason=reason) for line, reason in sorted([*broken, *reader.unread], key=_place)[:UNREAD]),
    )


def _place(unread: tuple[int, Said]) -> tuple[int, str]:
    return unread[0], unread[1].code


class _Reader:
    def __init__(self, text: str, words: Words) -> None:
        self.record = Record(text)
        self.words = words
        self.rowsets = Rowsets(self.record, words)
        self.functions: dict[str, None] = {}
        self.assigned: list[str] = []
        self.unread: list[tuple[int, Said]] = []

    def take(self, statement: Statement) -> None:
        """One statement; of a function's or a procedure's definition first its head, then the first statement of its body."""
        begin = next((place for place, item in enumerate(statement.items) if place and self.words.of(item) == "BEGIN"), None)
        if begin is not None:
            self._take(statement.items[:begin])
            if statement.items[begin + 1 :]:
                self.take(Statement(statement.items[begin + 1 :]))
            return
        self._take(statement.items)

    def _take(self, items: list[Item]) -> None:
        token = first_token(items[0])
        if token.kind is TokenKind.BLOCK:
            self._block(token)
            return
        head = token.text.upper()
        if head in DECLARING:
            self._declare(items)
        elif head == "OUTPUT":
            self._output(items)
        elif head == "INSERT":
            self._insert(items)
        elif head == "CREATE":
            self._create(items)
        else:
            self._rowset(items, token, head)

    def _rowset(self, items: list[Item], token: Token, head: str) -> None:
        """`name = expression`, or an expression alone, which the next statement may work on."""
        is_assignment = len(items) > 2 and token.kind is TokenKind.NAME and first_token(items[1]).text == "="
        if not is_assignment and head in HARMLESS:
            return
        if not is_assignment and not any(clause.name for clause in cut(items, self.words)):
            self.unread.append((token.line, say("scope.unread.statement", begins=statements_.quote(token.text[:40]))))
            return
        before = len(self.record.operations)
        flow = self.rowsets.read(items[2:] if is_assignment else items)
        if is_assignment:
            self.assigned.append(token.text)
            self.record.names[token.text] = flow
            self.record.named(token.text, before)
        self.record.names[""] = flow

    def _declare(self, items: list[Item]) -> None:
        """`DECLARE @path string = "...";` keeps the first string, since scripts give the paths of their inputs in this way."""
        tokens = list(flat(items))
        name = next(
            (token.text for token in tokens[1:] if token.kind is TokenKind.NAME and token.text.upper() not in ("EXTERNAL", "CONST")), ""
        )
        assembly = next((token.text for token in tokens if token.kind is TokenKind.STRING), None)
        if name and assembly is not None:
            for spelled in (name, f"@{name}", f"@@{name}@@"):
                self.record.constants[spelled] = assembly

    def _output(self, items: list[Item]) -> None:
        clauses = cut(items, self.words)
        output = next((clause for clause in clauses if clause.name == "OUTPUT"), None)
        if output is None or output.token is None:
            return
        flow = self.rowsets.read(output.items) if output.items else self.record.names.get("", Flow())
        to = next((clause for clause in clauses if clause.name == "TO"), None)
        target = self._path(to.items) if to else ""
        sort = next((clause for clause in clauses if clause.name in ("ORDER BY", "SORTED BY")), None)
        flow = self.rowsets.spread(clauses, flow, target)
        if sort is not None and sort.token is not None and sort.name == "ORDER BY":
            flow = self.record.add(OperationKind.SORT, sort.token, sort.items, [flow], columns=[])
        for clause in clauses:
            if clause.name == "USING" and clause.token is not None:
                self.record.run_by_user("outputter", clause.token, clause.items)
        self.record.add(OperationKind.WRITE, output.token, items[1:], [flow])

    def _insert(self, items: list[Item]) -> None:
        clauses = cut(items, self.words)
        body = next((place for place, clause in enumerate(clauses) if clause.name in ("SELECT", "EXTRACT")), None)
        flow = self.rowsets.read(_items_from(items, clauses[body].token)) if body is not None else Flow()
        self.record.add(OperationKind.WRITE, first_token(items[0]), items[1:], [flow])

    def _create(self, items: list[Item]) -> None:
        """A table's definition tells how it is partitioned; a procedure's or view's body is read as what it is."""
        words = [self.words.of(item) for item in items[:4]]
        if "TABLE" in words:
            name = ".".join(token.text for token in _name_after(items, words.index("TABLE") + 1))
            inside = next((item.items for item in items if isinstance(item, Group) and item.token.text == "("), list[Item]())
            found = [*cut(inside, self.words), *cut(items, self.words)]
            for place, clause in enumerate(found):
                if clause.name == "SPREAD" and "CLUSTERED" not in clause.words:
                    partitioning = partitioning_of(found, place, table_name(name), None)
                    self.record.partitionings.append(partitioning)
                    self.record.names[name] = Flow(partitioned=frozenset(partitioning.columns))
                    self.record.names.setdefault(table_name(name), self.record.names[name])
        if "INDEX" in words:
            self._index(items)
        body = next((clause.token for clause in cut(items, self.words) if clause.name in ("SELECT", "EXTRACT")), None)
        if body is not None:
            self.rowsets.read(_items_from(items, body))

    def _index(self, items: list[Item]) -> None:
        """`CREATE CLUSTERED INDEX i ON db.dbo.T (a) DISTRIBUTED BY HASH (b)`: how the rows of a table that is there already are spread."""
        on = next((place for place, item in enumerate(items) if self.words.of(item) == "ON"), None)
        name = ".".join(token.text for token in _name_after(items, on + 1)) if on is not None else ""
        found = cut(items, self.words)
        for place, clause in enumerate(found):
            if name and clause.name == "SPREAD" and "CLUSTERED" not in clause.words:
                partitioning = partitioning_of(found, place, table_name(name), None)
                self.record.partitionings.append(partitioning)
                self.record.names[name] = Flow(partitioned=frozenset(partitioning.columns))
                self.record.names.setdefault(table_name(name), self.record.names[name])

    def _block(self, token: Token) -> None:
        names = [groups[0] or groups[1] for groups in DEFINED.findall(token.text)]
        self.functions.update(dict.fromkeys(name[:TEXT_CHARS] for name in names))
        shown = ", ".join(dict.fromkeys(names)) or "C#"
        self.record.user_code.append(ScopeUserCode(line=token.line, kind="block", name=shown[:TEXT_CHARS], text="#CS ... #ENDCS"))

    def _path(self, items: Sequence[Item]) -> str:
        for token in flat(items):
            if token.kind is TokenKind.STRING:
                return table_name(token.text)
            if token.text in self.record.constants:
                return table_name(self.record.constants[token.text])
        return ""


def _items_from(items: list[Item], token: Token | None) -> list[Item]:
    """The items from a keyword on."""
    return [item for item in items if token is not None and first_token(item).start >= token.start]


def _name_after(items: list[Item], at: int) -> list[Token]:
    """The parts of the dotted name that begins here, past IF NOT EXISTS."""
    found: list[Token] = []
    for item in items[at:]:
        if isinstance(item, Group):
            break
        if item.kind is TokenKind.NAME and item.text.upper() not in ("IF", "NOT", "EXISTS"):
            found.append(item)
        elif item.text != "." and found:
            break
    return found
