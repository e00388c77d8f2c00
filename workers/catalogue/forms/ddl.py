"""DDL files: CREATE TABLE and CREATE VIEW with their keys and comments (`-- comments` too), and COMMENT ON."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sqlglot import exp

from contracts.catalogue import CatalogueProblem
from contracts.statements import quote, say
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.catalogue.forms.dumps import descriptions, plain_ddl
from workers.catalogue.forms.files import FileTexts, files_in
from workers.catalogue.forms.table_nodes import table_nodes
from workers.catalogue.store import Item
from workers.engines.sql.ddl_comments import DdlComments, ddl_comments
from workers.engines.sql.lineage.script import statements
from workers.saying.reasons import reason_of

ENDINGS = (".sql", ".ddl")


@dataclass
class _Read:
    tables: dict[str, TableDetail] = field(default_factory=dict[str, TableDetail])
    comments: dict[str, str] = field(default_factory=dict[str, str])
    """`table` or `table.column`, in lower case."""
    keys: list[tuple[str, exp.Expr]] = field(default_factory=list[tuple[str, exp.Expr]])
    """Of ALTER TABLE: the table in lower case, and the constraint."""


def read_ddl(path: Path, source: str, dialect: str, texts: FileTexts | None = None) -> Iterator[Item]:
    """The tables of a file or of a folder of files."""
    read = _Read()
    for name, file in files_in(path, ENDINGS):
        unread: list[str] = []
        try:
            whole = (texts or FileTexts()).read(file)
            read.comments.update(descriptions(whole))
            for tree, text in statements(plain_ddl(whole, dialect), dialect, unread):
                _take(read, tree, text, dialect)
        except Exception as error:  # somebody else's file and a parser: the other files are read
            yield CatalogueProblem(place=name, reason=say("refused.import.part.unread", reason=reason_of(error, 200)))
        for text in unread:
            yield CatalogueProblem(place=name, reason=say("refused.import.part.statement", statement=quote(" ".join(text.split())[:160])))
    for table in _finished(read):
        yield from table_nodes(source, table)


def _take(read: _Read, tree: exp.Expr, text: str, dialect: str) -> None:
    if isinstance(tree, exp.Create) and tree.kind in ("TABLE", "VIEW"):
        table = _created(tree, read)
        if table is not None:
            read.tables[table.full_name.lower()] = _with_comments(table, ddl_comments(text, dialect))
    elif isinstance(tree, exp.Comment) and isinstance(tree.expression, exp.Literal):
        named = tree.this
        parts = [part.name for part in named.parts] if isinstance(named, exp.Table | exp.Column) else []
        read.comments[".".join(parts[-3:]).lower()] = tree.expression.name
    elif isinstance(tree, exp.Alter) and isinstance(tree.this, exp.Table):
        name = _name(tree.this).lower()
        read.keys += [(name, key) for key in tree.find_all(exp.PrimaryKey, exp.ForeignKey, exp.UniqueColumnConstraint)]


def _with_comments(table: TableDetail, stated: DdlComments) -> TableDetail:
    """The table with the `-- comments` of its statement, where nothing else describes it."""
    if stated.name.lower() != table.name.lower():
        return table
    columns = tuple(
        column if column.description else column.model_copy(update={"description": stated.columns.get(column.name.lower(), "")})
        for column in table.columns
    )
    return table.model_copy(update={"columns": columns, "description": table.description or stated.table})


def _name(table: exp.Table) -> str:
    return f"{table.db}.{table.name}" if table.db else table.name


def _created(tree: exp.Create, read: _Read) -> TableDetail | None:
    schema = tree.this
    place = schema.this if isinstance(schema, exp.Schema) else schema
    if not isinstance(place, exp.Table):
        return None
    columns: list[ColumnDetail] = []
    detail = TableDetail(
        name=place.name, schema_name=place.db, columns=(), is_view=tree.kind == "VIEW",
        definition=tree.expression.sql() if tree.kind == "VIEW" and tree.expression else None,
    )  # fmt: skip
    for part in schema.expressions if isinstance(schema, exp.Schema) else []:
        if isinstance(part, exp.ColumnDef):
            columns.append(_column(part))
            detail = _with_column_keys(detail, part)
        elif isinstance(part, exp.Identifier):
            columns.append(ColumnDetail(name=part.name))
        else:
            if (clustered := part.find(exp.ClusteredColumnConstraint, exp.NonClusteredColumnConstraint)) is not None:
                read.keys += _clustered(detail.full_name.lower(), part, clustered)
            for key in part.find_all(exp.PrimaryKey, exp.ForeignKey, exp.UniqueColumnConstraint):
                read.keys.append((detail.full_name.lower(), key))
    if not columns and isinstance(tree.expression, exp.Query):
        columns = [ColumnDetail(name=name) for name in tree.expression.named_selects if name and name != "*"]
    comment = tree.find(exp.SchemaCommentProperty)
    partition = tree.find(exp.PartitionedByProperty)
    return detail.model_copy(
        update={
            "columns": tuple(columns),
            "description": comment.this.name if comment is not None else "",
            "partitioned_by": tuple(dict.fromkeys(node.name for node in partition.find_all(exp.Identifier))) if partition else (),
        }
    )


def _clustered(table: str, part: exp.Expr, clustered: exp.Expr) -> Iterator[tuple[str, exp.Expr]]:
    """SQL Server's `PRIMARY KEY CLUSTERED (a ASC)`, whose columns are those of how it lies on disk."""
    if part.find(exp.PrimaryKeyColumnConstraint) is not None:
        named = [exp.to_identifier(node.name) for node in clustered.find_all(exp.Identifier)]
        yield table, exp.PrimaryKey(expressions=named)


def _column(part: exp.ColumnDef) -> ColumnDetail:
    constraints = [constraint.kind for constraint in part.constraints]
    comments = [kind.this.name for kind in constraints if isinstance(kind, exp.CommentColumnConstraint)]
    nullable: bool | None = None
    for kind in constraints:
        if isinstance(kind, exp.NotNullColumnConstraint):
            nullable = bool(kind.args.get("allow_null"))
        elif isinstance(kind, exp.PrimaryKeyColumnConstraint):
            nullable = False
    kind = part.kind
    return ColumnDetail(
        name=part.name, type=kind.sql() if kind is not None else "", description=comments[0] if comments else "", nullable=nullable
    )


def _with_column_keys(table: TableDetail, part: exp.ColumnDef) -> TableDetail:
    for constraint in part.constraints:
        match constraint.kind:
            case exp.PrimaryKeyColumnConstraint():
                table = table.model_copy(update={"primary_key": (part.name,)})
            case exp.UniqueColumnConstraint():
                table = table.model_copy(update={"unique": (*table.unique, (part.name,))})
            case exp.Reference() as reference:
                table = _with_reference(table, (part.name,), reference)
            case _:
                continue
    return table


def _with_reference(table: TableDetail, columns: tuple[str, ...], reference: exp.Expr | None) -> TableDetail:
    named = reference.this if reference is not None else None
    place = named.this if isinstance(named, exp.Schema) else named
    if not isinstance(place, exp.Table):
        return table
    others = tuple(node.name for node in named.expressions) if isinstance(named, exp.Schema) else ()
    key = ForeignKey(columns=columns, table=_name(place), references=others)
    return table.model_copy(update={"foreign_keys": (*table.foreign_keys, key)})


def _finished(read: _Read) -> Iterator[TableDetail]:
    """The tables with the keys and comments that other statements give them."""
    plain = {name.rpartition(".")[2]: name for name in read.tables}
    for written, key in read.keys:
        name = written if written in read.tables else plain.get(written.rpartition(".")[2], "")
        if (table := read.tables.get(name)) is not None:
            read.tables[name] = _with_key(table, key)
    for name, table in read.tables.items():
        own = (name, table.name.lower())
        columns = tuple(
            column.model_copy(update={"description": _comment(read, own, f".{column.name.lower()}") or column.description})
            for column in table.columns
        )
        keys = tuple(_complete(key, table, read, plain) for key in table.foreign_keys)
        update = {"columns": columns, "foreign_keys": keys, "description": _comment(read, own, "") or table.description}
        yield table.model_copy(update=update)


def _comment(read: _Read, names: tuple[str, ...], column: str) -> str:
    return next((read.comments[name + column] for name in names if name + column in read.comments), "")


def _with_key(table: TableDetail, key: exp.Expr) -> TableDetail:
    match key:
        case exp.PrimaryKey():
            return table.model_copy(update={"primary_key": _columns(key)})
        case exp.ForeignKey():
            return _with_reference(table, _columns(key), key.args.get("reference"))
        case _:
            named = key.this.expressions if isinstance(key.this, exp.Schema) else []
            columns = tuple(node.name for node in named)
            return table.model_copy(update={"unique": (*table.unique, columns)}) if columns else table


def _columns(key: exp.Expr) -> tuple[str, ...]:
    return tuple(node.name for part in key.expressions for node in [part.find(exp.Identifier) or part])


def _complete(key: ForeignKey, table: TableDetail, read: _Read, plain: dict[str, str]) -> ForeignKey:
    """A reference that names no columns means the primary key; one that names no schema means a table that is there."""
    wanted = key.table.lower()
    found = wanted if wanted in read.tables else plain.get(wanted.rpartition(".")[2], "")
    other = table if found == table.full_name.lower() else read.tables.get(found)
    if other is None:
        return key if key.references else key.model_copy(update={"references": key.columns})
    return key.model_copy(update={"table": other.full_name, "references": key.references or other.primary_key or key.columns})
