"""One rowset expression after the other: what a SELECT, EXTRACT, PROCESS, REDUCE or COMBINE reads, joins, groups and spreads."""

from collections.abc import Sequence
from typing import Any

from contracts.code import OperationKind
from contracts.scope import JoinKind, ScopeJoin
from workers.engines.scope.clauses import JOIN_WORDS, SETS, Clause, Words, cut, split_at
from workers.engines.scope.expressions import alias_of, called_in, csharp_in, without_top
from workers.engines.scope.joins import Source, join_keys, join_kind
from workers.engines.scope.record import Flow, Record, column_names, columns_in, output_names, table_name
from workers.engines.scope.spread import hint_of, partitioning_of
from workers.engines.scope.statements import MAX_DEPTH, Group, Item, first_token, flat
from workers.engines.scope.tokens import Token, TokenKind

READERS = {"SSTREAM", "STREAM", "STREAMSET", "VIEW", "TABLE", "MODULE", "UNSTRUCTURED", "STRUCTURED"}
"""Before a stream's path or a view's name."""

USER_OPERATORS = {"PROCESS": OperationKind.PROCESS, "REDUCE": OperationKind.REDUCE, "COMBINE": OperationKind.COMBINE}
CODE_KINDS = {"PROCESS": "processor", "REDUCE": "reducer", "COMBINE": "combiner"}
HINT_CLAUSES = 100


class Rowsets:
    """Reads expressions into a record."""

    def __init__(self, record: Record, words: Words) -> None:
        self.record = record
        self.words = words

    def read(self, items: Sequence[Item], depth: int = 0) -> Flow:
        """The rowset that an expression makes; an unknown one flows on as an empty one."""
        clauses = cut(items, self.words)
        parts: list[tuple[Clause | None, list[Clause]]] = [(None, [])]
        for clause in clauses:
            if clause.name in SETS:
                parts.append((clause, [Clause("", (), None, clause.items)]))
            elif clause.token is not None or clause.items:
                parts[-1][1].append(clause)
        flows = [self._one(part, depth) for _, part in parts]
        found = flows[0]
        for (clause, _), other in zip(parts[1:], flows[1:], strict=True):
            if clause is not None and clause.token is not None:
                found = self.record.add(OperationKind.UNION, clause.token, (), [found, other], partitioned=frozenset())
                if clause.words[-1:] == ("DISTINCT",):
                    found = self.record.add(OperationKind.DISTINCT, clause.token, (), [found])
        return found

    def _one(self, clauses: list[Clause], depth: int) -> Flow:
        if not clauses:
            return Flow()
        by_name = {clause.name: clause for clause in reversed(clauses)}
        self._hints(clauses)
        for verb, kind in USER_OPERATORS.items():
            if verb in by_name:
                return self._user_operator(verb, kind, clauses, by_name, depth)
        if "EXTRACT" in by_name:
            return self._extract(clauses, by_name)
        if "SELECT" in by_name:
            return self._select(clauses, by_name, depth)
        found = self._source(clauses[0].items, depth).flow
        return self._spread(clauses, self._sorted(by_name, found))

    def _select(self, clauses: list[Clause], by_name: dict[str, Clause], depth: int) -> Flow:
        found = self._all_of(clauses, by_name, depth)
        where, having, select, group = (by_name.get(name) for name in ("WHERE", "HAVING", "SELECT", "GROUP BY"))
        if where is not None and where.token is not None:
            found = self._add(OperationKind.FILTER, where, [found], columns=columns_in(where.items))
        if group is not None and group.token is not None:
            keys = column_names(group.items)
            functions = called_in(select.items) if select else []
            found = self._add(OperationKind.GROUP, group, [found], columns=keys, functions=functions, partitioned=frozenset(keys))
        if having is not None and having.token is not None:
            found = self._add(OperationKind.FILTER, having, [found], columns=columns_in(having.items))
        if select is not None and select.token is not None:
            found = self._windows(select, found)
            listed = without_top(select.items, self.words)
            names = output_names(listed)
            if names != ["*"]:
                found = self._add(OperationKind.SELECT, select, [found], columns=names)
            if self.words.of(select.items[0] if select.items else None) == "DISTINCT":
                found = self._add(OperationKind.DISTINCT, select, [found], columns=names)
        for clause in clauses:
            if clause.name in ("SELECT", "WHERE", "HAVING", "ON"):
                self._note_code(clause)
        return self._spread(clauses, self._sorted(by_name, found))

    def _all_of(self, clauses: list[Clause], by_name: dict[str, Clause], depth: int) -> Flow:
        """The sources of FROM, joined one after the other; several without a JOIN are joined by what WHERE says. A SELECT
        without FROM works on the rowset before it."""
        source_clause = by_name.get("FROM")
        parts = split_at(source_clause.items, ",") if source_clause else []
        sources = [self._source(part, depth) for part in parts] or [Source(self.record.names.get("", Flow()), "")]
        joined, seen = sources[0].flow, sources[:1]
        for other in sources[1:]:
            condition = by_name["WHERE"].items if "WHERE" in by_name else []
            joined = self._join(source_clause or clauses[0], condition, joined, seen, other, is_implicit=True)
            seen.append(other)
        for place, clause in enumerate(clauses):
            if clause.name != "JOIN":
                if clause.name == "USING" and "FROM" in by_name and clause.token is not None:
                    self.record.run_by_user("extractor", clause.token, clause.items)
                continue
            if clause.words[-1] == "APPLY":
                joined = self._add(OperationKind.MAP, clause, [joined], functions=called_in(clause.items))
                continue
            other = self._source(clause.items, depth)
            after = clauses[place + 1] if place + 1 < len(clauses) else None
            condition = after.items if after is not None and after.name == "ON" else []
            joined = self._join(clause, condition, joined, seen, other)
            seen.append(other)
        return joined

    def _join(
        self, clause: Clause, condition: Sequence[Item], joined: Flow, seen: list[Source], other: Source, *, is_implicit: bool = False
    ) -> Flow:
        left, right = join_keys(condition, seen, other, self.words)
        kind = join_kind(clause.words) if not is_implicit else JoinKind.INNER if left or right else JoinKind.CROSS
        hints = tuple(
            word for word in clause.words if word not in (*JOIN_WORDS, "INNER", "OUTER", "FULL", "RIGHT", "SEMI", "ANTI", "CROSS", "LEFT")
        )
        token = clause.token
        if token is None:
            return joined
        flows = [joined, other.flow]
        is_partitioned = any(flow.partitioned and flow.partitioned <= set(keys) for flow, keys in ((joined, left), (other.flow, right)))
        number = len(self.record.operations)
        found = self.record.add(
            OperationKind.JOIN,
            token,
            [*clause.items, *condition] if not is_implicit else clause.items,
            flows,
            columns=[*left, *right],
            is_broadcast=any(hint.startswith("BROADCAST") for hint in hints),
            partitioned=frozenset(left),
        )
        if len(self.record.operations) > number:
            self.record.joins.append(
                ScopeJoin(
                    operation=number,
                    line=token.line,
                    kind=kind,
                    left=joined.tables,
                    right=other.flow.tables,
                    left_keys=tuple(left),
                    right_keys=tuple(right),
                    hints=hints,
                    is_partitioned=is_partitioned,
                )
            )
        return found

    def _source(self, items: Sequence[Item], depth: int) -> Source:
        """A table, a stream, a rowset or an expression in brackets, and its alias."""
        rest = [item for item in items if self.words.of(item) not in READERS]
        if not rest:
            return Source(Flow(), "")
        head, token = rest[0], first_token(rest[0])
        alias = alias_of(rest)
        if isinstance(head, Group):
            return Source(self.read(head.items, depth + 1) if depth < MAX_DEPTH else Flow(), alias)
        if head.kind is TokenKind.STRING:
            return Source(self._table(token, head.text, rest[:1]), alias)
        length = _dotted(rest)
        name = "".join(first_token(item).text for item in rest[:length])
        known = self.record.names.get(name)
        if known is not None and (known.last is not None or known.tables):
            return Source(known, alias or name)
        if name in self.record.constants:
            return Source(self._table(token, self.record.constants[name], rest[:1]), alias)
        if head.kind is not TokenKind.NAME or name.startswith("@"):
            return Source(known or Flow(), alias or name)
        if _is_call(rest, length):  # a function of the database that returns rows
            return Source(self._table(token, name, rest[: length + 1]), alias)
        found = self._table(token, name, rest[:length])
        known = known or self.record.names.get(table_name(name))  # defined with the name of its database, read without
        partitioned = known.partitioned if known else frozenset[str]()
        return Source(Flow(found.tables, found.last, partitioned), alias or name.rpartition(".")[2])

    def _table(self, token: Token, path: str, items: Sequence[Item]) -> Flow:
        return self.record.add(OperationKind.READ, token, items, (), tables=[table_name(path)], partitioned=frozenset())

    def _extract(self, clauses: list[Clause], by_name: dict[str, Clause]) -> Flow:
        extract, source = by_name["EXTRACT"], by_name.get("FROM")
        tables: list[str] = []
        for part in split_at(source.items, ",") if source else []:
            for token in flat(part):
                pattern = token.text if token.kind is TokenKind.STRING else self.record.constants.get(token.text, "")
                if pattern:
                    tables.append(table_name(pattern))
                elif token.kind is TokenKind.NAME:
                    tables.append(token.text.lstrip("@"))
        using = by_name.get("USING")
        functions = [self.record.run_by_user("extractor", using.token, using.items)] if using and using.token else []
        names = [first_token(part[0]).text for part in split_at(extract.items, ",")]
        found = self._add(OperationKind.READ, extract, [], tables=tables, columns=names, functions=functions, partitioned=frozenset())
        return self._spread(clauses, found)

    def _user_operator(self, verb: str, kind: OperationKind, clauses: list[Clause], by_name: dict[str, Clause], depth: int) -> Flow:
        clause = by_name[verb]
        inputs = [self._source(part, depth) for part in split_at(clause.items, ",")] if clause.items else []
        if verb == "COMBINE" and "WITH" in by_name:
            inputs.append(self._source(by_name["WITH"].items, depth))
        flows = [source.flow for source in inputs] or [self.record.names.get("", Flow())]
        using, on = by_name.get("USING"), by_name.get("ON")
        functions = [self.record.run_by_user(CODE_KINDS[verb], using.token, using.items)] if using and using.token else []
        keys = columns_in(on.items) if on and verb == "COMBINE" else column_names(on.items) if on else []
        partitioned = frozenset(keys) if keys else frozenset[str]()
        found = self._add(kind, clause, flows, columns=keys, functions=functions, partitioned=partitioned)
        if "WHERE" in by_name:
            self._note_code(by_name["WHERE"])
        return self._spread(clauses, self._sorted(by_name, found))

    def _sorted(self, by_name: dict[str, Clause], found: Flow) -> Flow:
        order = by_name.get("ORDER BY")
        return self._add(OperationKind.SORT, order, [found], columns=column_names(order.items)) if order else found

    def _spread(self, clauses: list[Clause], found: Flow) -> Flow:
        return self.spread(clauses, found, "")

    def spread(self, clauses: list[Clause], found: Flow, target: str) -> Flow:
        """The clauses that say how the rows are spread, each a repartition of its own."""
        for place, clause in enumerate(clauses):
            if clause.name != "SPREAD" or clause.token is None:
                continue
            partitioning = partitioning_of(clauses, place, target, len(self.record.operations))
            found = self._add(
                OperationKind.REPARTITION,
                clause,
                [found],
                columns=partitioning.columns,
                count=partitioning.buckets,
                partitioned=frozenset(partitioning.columns),
            )
            self.record.partitionings.append(partitioning)
        return found

    def _windows(self, select: Clause, found: Flow) -> Flow:
        for place, item in enumerate(select.items[:-1]):
            group = select.items[place + 1]
            if self.words.of(item) == "OVER" and isinstance(group, Group):
                inside = cut(group.items, self.words)
                keys = [name for clause in inside if clause.name == "SPREAD" for name in column_names(clause.items)]
                found = self.record.add(
                    OperationKind.WINDOW, first_token(item), [group], [found], columns=keys, partitioned=frozenset(keys)
                )
        return found

    def _note_code(self, clause: Clause) -> None:
        found = csharp_in(clause.items)
        if found is not None:
            self.record.note_code("expression", *found, clause.items)

    def _hints(self, clauses: list[Clause]) -> None:
        for clause in clauses:
            group = clause.items[0] if clause.name == "OPTION" and clause.items else None
            if isinstance(group, Group) and len(self.record.hints) < HINT_CLAUSES:
                self.record.hints += [hint_of(part) for part in split_at(group.items, ",")]

    def _add(self, kind: OperationKind, clause: Clause, flows: Sequence[Flow], **details: Any) -> Flow:
        """An operation of a clause that has its keyword."""
        if clause.token is None:
            return flows[0] if flows else Flow()
        return self.record.add(kind, clause.token, clause.items, flows, until=clause.end, **details)


def _dotted(items: Sequence[Item]) -> int:
    """How many items the dotted name at the beginning has: `db.dbo.T` has five."""
    at = 1
    while at + 1 < len(items) and _text(items[at]) == "." and isinstance(items[at + 1], Token):
        at += 2
    return at


def _is_call(items: Sequence[Item], at: int) -> bool:
    following = items[at] if at < len(items) else None
    return isinstance(following, Group) and following.token.text == "("


def _text(item: Item) -> str:
    return item.text if isinstance(item, Token) else ""
