"""Statements of any dialect as the trial's engine runs them: tables with their schemas, storage clauses left out, an overwrite as a
delete and an insert."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from contracts.statements import Statement, code, say
from contracts.tables import TableDetail
from workers.engines.sql.names import KnownTables
from workers.engines.sql.review.duckdb import fit, printed
from workers.engines.sql.script import Part, Script
from workers.engines.sql.trees import parts_of, table_name

SCHEMA = "main"
"""Where tables without a schema are."""
STAGE = "__trial_stage"
"""Holds what an overwrite is about to write, since its query may read the table that it replaces."""
NO_EFFECT = (exp.Set, exp.Use, exp.Analyze, exp.Comment, exp.Refresh, exp.Uncache)
"""Settings of an engine and hints to it: they change no row."""
RUN_AS_ONE = (exp.Transaction, exp.Commit)
"""Each statement of a trial is a transaction of its own: nobody else is there."""
NO_EFFECT_WORDS = frozenset({"MSCK REPAIR", "REFRESH", "VACUUM", "ANALYZE", "INVALIDATE", "EXPLAIN"})


@dataclass(frozen=True, slots=True)
class Translated:
    """A statement for the trial's engine."""

    number: int
    """Of the statement among all statements, from 1."""
    text: str
    """As it was written."""
    sql: tuple[str, ...]
    """Empty: it has no effect on rows."""
    makes: str = ""
    """Full name of the table that it creates, in lower case."""


class NotTranslated(Exception):
    """A statement that the trial's engine cannot be given."""

    def __init__(self, reason: Statement) -> None:
        super().__init__(reason.code)
        self.reason = reason


class Translator:
    """Translates the statements of a script."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._known = KnownTables(script.tables)

    def place(self, name: str) -> exp.Table:
        """A table by its name: `schema.table` of what is known; else as it is written."""
        found = self._known.find(name)
        full = found.full_name if found is not None else name
        schema, _, last = full.rpartition(".")
        return exp.Table(
            this=exp.to_identifier(last, quoted=True),
            db=exp.to_identifier(schema, quoted=True) if schema else exp.to_identifier(SCHEMA, quoted=True),
        )

    def schemas(self) -> tuple[str, ...]:
        """The schemas that must be there before the first statement."""
        found = {table.schema_name for table in self._script.tables}
        for part in self._script.parts:
            found |= {".".join(piece.name for piece in node.parts[:-1]) for node in part.tree.find_all(exp.Table) if len(node.parts) > 1}
        return tuple(sorted(name for name in found if name))

    def translate(self, part: Part) -> Translated:
        """Raises `NotTranslated`."""
        tree = part.tree
        if isinstance(tree, NO_EFFECT + RUN_AS_ONE) or (isinstance(tree, exp.Command) and str(tree.this).upper() in NO_EFFECT_WORDS):
            return Translated(part.number, part.text, ())
        copy = self._with_places(part)
        fit(copy, part, self._script)
        made = self._made(tree)
        if isinstance(copy, exp.Insert):
            return Translated(part.number, part.text, tuple(self._insert(copy, part)))
        if isinstance(copy, exp.Cache) and isinstance(copy.expression, exp.Query):
            name = copy.this.sql("duckdb")
            return Translated(part.number, part.text, (f"CREATE OR REPLACE TEMP VIEW {name} AS {printed(copy.expression)}",), made)
        if isinstance(copy, exp.Create):
            self._without_storage(copy, part)
        elif isinstance(copy, exp.TruncateTable):
            return Translated(part.number, part.text, tuple(printed(exp.Delete(this=node)) for node in copy.expressions))
        elif isinstance(copy, exp.Drop):
            copy.set("cascade", None)
            copy.set("constraints", None)
            copy.set("purge", None)
        elif not isinstance(copy, exp.Query | exp.Update | exp.Delete | exp.Merge | exp.Alter):
            raise NotTranslated(say("pipelines.trial.not_sql", statement=code(_head(part.text))))
        if isinstance(copy, exp.Drop | exp.Create) and str(copy.args.get("kind")).upper() not in ("TABLE", "VIEW", "SCHEMA"):
            raise NotTranslated(say("pipelines.trial.not_sql", statement=code(_head(part.text))))
        if isinstance(copy, exp.Drop):
            return Translated(part.number, part.text, (printed(copy),))
        return Translated(part.number, part.text, (printed(copy),), made)

    def _with_places(self, part: Part) -> exp.Expr:
        """A copy in which every table has its schema. CTEs, temporary and unknown tables stay as they are written."""
        copy = part.tree.copy()
        is_read = {id(source.node) for source in part.resolved.tables}
        target = part.resolved.target
        ctes = {cte.alias_or_name.lower() for cte in part.tree.find_all(exp.CTE)}
        for ours, theirs in zip(part.tree.walk(), list(copy.walk()), strict=True):
            if not isinstance(ours, exp.Table) or isinstance(ours.this, exp.Func) or not isinstance(theirs, exp.Table):
                continue
            name = table_name(ours)
            is_table = id(ours) in is_read or (target is not None and target.node is ours) or name.lower() not in ctes
            found = self._known.find(name) if is_table else None
            if found is not None and not self._is_temporary(found):
                place = self.place(name)
                theirs.set("this", place.this)
                theirs.set("db", place.args["db"])
                theirs.set("catalog", None)
            elif is_table and len(ours.parts) > 1:
                theirs.set("db", exp.to_identifier(".".join(piece.name for piece in ours.parts[:-1]), quoted=True))
                theirs.set("catalog", None)
        return copy

    def _is_temporary(self, table: TableDetail) -> bool:
        """Made by the script without a schema: it is in the schema of temporary tables, or in the default one."""
        return not table.schema_name and all(known.full_name != table.full_name for known in self._script.inputs)

    def _made(self, tree: exp.Expr) -> str:
        if isinstance(tree, exp.Select) and isinstance(into := tree.find(exp.Into), exp.Into) and isinstance(into.this, exp.Table):
            return self._full(table_name(into.this))
        if not isinstance(tree, exp.Create | exp.Cache):
            return ""
        node = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
        return self._full(table_name(node)) if isinstance(node, exp.Table) else ""

    def _full(self, name: str) -> str:
        found = self._known.find(name)
        return (found.full_name if found is not None else name).lower()

    def _without_storage(self, create: exp.Create, part: Part) -> None:
        properties = create.args.get("properties")
        if isinstance(properties, exp.Properties):
            if isinstance(create.this, exp.Schema):
                for found in properties.find_all(exp.PartitionedByProperty):
                    inner = found.this
                    added = [item for item in inner.expressions if isinstance(item, exp.ColumnDef)] if isinstance(inner, exp.Schema) else []
                    create.this.set("expressions", [*create.this.expressions, *(item.copy() for item in added)])
            kept = [item for item in properties.expressions if isinstance(item, exp.TemporaryProperty)]
            create.set("properties", exp.Properties(expressions=kept) if kept else None)
        for name in ("clone", "indexes", "no_schema_binding"):
            create.set(name, None)
        if not isinstance(create.this, exp.Schema):
            return
        kept_items = [item for item in create.this.expressions if not isinstance(item, exp.ForeignKey | exp.IndexColumnConstraint)]
        create.this.set("expressions", kept_items)
        for column in create.this.find_all(exp.ColumnDef):
            constraints = [item for item in parts_of(column, "constraints") if isinstance(item.args.get("kind"), KEPT_CONSTRAINTS)]
            column.set("constraints", constraints)
            if (
                column.kind is not None
                and part.resolved.dialect == "postgres"
                and column.kind.is_type("serial", "bigserial", "smallserial")
            ):
                column.set("kind", exp.DataType.build("bigint"))

    def _insert(self, insert: exp.Insert, part: Part) -> Iterator[str]:
        if not isinstance(insert.this, exp.Table | exp.Schema):
            raise NotTranslated(say("pipelines.trial.not_sql", statement=code(_head(part.text))))
        table = insert.this.this if isinstance(insert.this, exp.Schema) else insert.this
        partition = table.args.get("partition")
        if isinstance(partition, exp.Partition):
            table.set("partition", None)
        if insert.args.get("ignore"):
            insert.set("ignore", None)
            insert.set("alternative", "IGNORE")
        conflict = insert.args.get("conflict")
        if isinstance(conflict, exp.OnConflict) and conflict.args.get("duplicate"):
            insert.set("conflict", self._on_duplicate(conflict, table))
        if not insert.args.get("overwrite") and not isinstance(partition, exp.Partition):
            yield printed(insert)
            return
        yield from self._overwrite(insert, table, partition if isinstance(partition, exp.Partition) else None, part)

    def _overwrite(self, insert: exp.Insert, table: exp.Table, partition: exp.Partition | None, part: Part) -> Iterator[str]:
        query, place = insert.expression, table.sql("duckdb")
        fixed = [item for item in partition.expressions if isinstance(item, exp.EQ)] if partition is not None else []
        free = [item for item in partition.expressions if not isinstance(item, exp.EQ)] if partition is not None else []
        root = part.resolved.root
        names = [output.name for output in root.outputs] if root is not None and root.columns is not None else []
        if (fixed and free) or (free and (len(names) < len(free) or len(set(names)) < len(names))):
            raise NotTranslated(say("pipelines.trial.partitions", statement=code(_head(part.text))))
        yield f'CREATE OR REPLACE TEMP TABLE "{STAGE}" AS {printed(query)}'
        if insert.args.get("overwrite"):
            condition = " AND ".join(item.sql("duckdb") for item in fixed)
            if free:
                columns = ", ".join(_quoted(item.name) for item in free)
                written = ", ".join(_quoted(name) for name in names[-len(free) :])
                condition = f'({columns}) IN (SELECT {written} FROM "{STAGE}")'  # noqa: S608 identifiers of a parsed statement
            yield f"DELETE FROM {place} WHERE {condition}" if condition else f"DELETE FROM {place}"  # noqa: S608 as above
        constants = "".join(f", {item.expression.sql('duckdb')}" for item in fixed)
        yield f'INSERT INTO {insert.this.sql("duckdb")} SELECT *{constants} FROM "{STAGE}"'  # noqa: S608 as above
        yield f'DROP TABLE "{STAGE}"'

    def _on_duplicate(self, conflict: exp.OnConflict, table: exp.Table) -> exp.OnConflict:
        """MySQL's ON DUPLICATE KEY UPDATE, which names no key."""
        found = self._known.find(table_name(table))
        key = found.primary_key or next(iter(found.unique), ()) if found is not None else ()
        if not key:
            raise NotTranslated(say("pipelines.trial.no_key", table=code(table_name(table))))
        for node in list(conflict.find_all(exp.Anonymous)):
            if node.name.upper() == "VALUES" and len(node.expressions) == 1:
                node.replace(exp.column(node.expressions[0].name, table="excluded", quoted=True))
        return exp.OnConflict(
            conflict_keys=[exp.to_identifier(name, quoted=True) for name in key],
            action=exp.Var(this="DO UPDATE"),
            expressions=[item.copy() for item in conflict.expressions],
        )


KEPT_CONSTRAINTS = (exp.NotNullColumnConstraint, exp.PrimaryKeyColumnConstraint, exp.UniqueColumnConstraint, exp.DefaultColumnConstraint)


def _quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql("duckdb")


def _head(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79] + "…"
