"""DDL files: CREATE TABLE and CREATE VIEW with their keys and comments (`-- comments` too), COMMENT ON, and what ALTER and DROP make of
them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import filterfalse
from pathlib import Path

from sqlglot import exp

from contracts.catalogue import CatalogueProblem
from contracts.statements import Quote, names, quote, say
from contracts.statements import name as identifier
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.catalogue.forms.dumps import descriptions, plain_ddl
from workers.catalogue.forms.files import FileTexts, files_in
from workers.catalogue.forms.migrations import changed, forward, in_order, referring
from workers.catalogue.forms.table_nodes import table_nodes
from workers.catalogue.store import Item
from workers.engines.sql.ddl_comments import DdlComments, ddl_comments
from workers.engines.sql.lineage.script import statements
from workers.engines.sql.names.known import FIRST_SCHEMAS
from workers.saying.reasons import reason_of

ENDINGS = (".sql", ".ddl")
_OF_NO_TABLE = re.compile(
    r"(?:\s|--[^\n]*\n)*(?:CREATE|ALTER|DROP)\s+(?:OR\s+REPLACE\s+|UNIQUE\s+)*(?:FUNCTION|PROCEDURE|TRIGGER|INDEX|POLICY|SEQUENCE|EXTENSION|"
    r"TYPE|DOMAIN|AGGREGATE|OPERATOR|RULE|EVENT|ROLE|USER|PACKAGE|PUBLICATION|STATISTICS)\b",
    re.IGNORECASE,
)
"""A statement that the parser may not know, and that makes no table, view or key."""


@dataclass
class _Read:
    tables: dict[str, TableDetail] = field(default_factory=dict[str, TableDetail])
    comments: dict[str, str] = field(default_factory=dict[str, str])
    """`table` or `table.column`, in lower case."""
    keys: list[tuple[str, exp.Expr]] = field(default_factory=list[tuple[str, exp.Expr]])
    """Of tables that are not made yet: the table in lower case, and the constraint."""
    dropped: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """The file that drops a table, and the table."""
    early: list[tuple[str, tuple[str, ...], str]] = field(default_factory=list[tuple[str, tuple[str, ...], str]])
    """The file that changes a table which is not made yet, what may be its name, and the statement."""
    unclear: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    """The file, or the table, that names a table of several schemas without one, that name, and what is left out."""
    schemas: frozenset[str] = FIRST_SCHEMAS
    """Where a table without a schema is, in lower case."""

    def copy(self) -> "_Read":
        """What is read so far."""
        return _Read({**self.tables}, {**self.comments}, [*self.keys], [*self.dropped], [*self.early], [*self.unclear], self.schemas)

    def named(self, table: str, beside: str = "") -> str:
        """The table as it is kept that a statement means; empty: none, or `is_unclear`. A name with a schema means a table of no other, but
        in a key of `beside`, where no file makes tables in that schema. One without is a table without, else one beside `beside`, else one
        of the schema in which engines look first, else the only one of that name."""
        low = ".".join(table.lower().split(".")[-2:])
        if low in self.tables:
            return low
        schema, _, plain = low.rpartition(".")
        if schema:
            is_only = bool(beside) and not any(of.startswith(f"{schema}.") for of in self.tables)
            return plain if plain in self.tables and (schema in self.schemas or is_only) else ""
        alike = self._alike(plain)
        schemas = ({beside.rpartition(".")[0]}, self.schemas, set(alike.values()))
        found = [[name for name, schema in alike.items() if schema in each] for each in schemas]
        first = found[0] or found[1] or found[2]
        return first[0] if len(first) == 1 else ""

    def is_unclear(self, table: str, beside: str = "") -> bool:
        """Whether tables of several schemas have a name that has none."""
        return "." not in table and not self.named(table, beside) and bool(self._alike(table.lower()))

    def _alike(self, plain: str) -> dict[str, str]:
        """The tables of this name, and the schema of each."""
        parts = {name: name.rpartition(".") for name in self.tables}
        return {name: schema for name, (schema, _, last) in parts.items() if last == plain}

    def drop(self, table: str, file: str) -> None:
        """Forget a table, and what is said of it."""
        if name := self.named(table):
            self.dropped.append((file, self.tables[name].full_name))
            del self.tables[name]
            self.comments = {of: text for of, text in self.comments.items() if of != name and not of.startswith(f"{name}.")}

    def rename(self, table: str, new: str) -> None:
        """Give a table another name, in the keys that lead to it too."""
        if not (name := self.named(table)):
            return
        schema, _, plain = new.rpartition(".")
        made = self.tables[name].model_copy(update={"name": plain} | ({"schema_name": schema} if schema else {}))
        self.tables = {made.full_name.lower() if of == name else of: made if of == name else each for of, each in self.tables.items()}
        self._lead(name, to=made.full_name)
        low = made.full_name.lower()
        self.comments = {
            low + of.removeprefix(name) if of == name or of.startswith(f"{name}.") else of: text for of, text in self.comments.items()
        }

    def rename_column(self, table: str, old: str, new: str) -> None:
        """What else names a column that has another name now."""
        self._lead(table, column=(old, new))
        before = f"{table}.{old}".lower()
        self.comments = {f"{table}.{new}".lower() if of == before else of: text for of, text in self.comments.items()}

    def _lead(self, table: str, *, to: str = "", column: tuple[str, str] = ("", "")) -> None:
        for of, each in self.tables.items():
            if each.foreign_keys:
                keys = tuple(referring(key, table, to=to, column=column) for key in each.foreign_keys)
                self.tables[of] = each.model_copy(update={"foreign_keys": keys})


def read_ddl(path: Path, source: str, dialect: str, texts: FileTexts | None = None) -> Iterator[Item]:
    """The tables of a file, or what the files of a folder, in the order of their versions, leave."""
    read = _Read()
    files, back = in_order(files_in(path, ENDINGS))
    for name in back:
        yield CatalogueProblem(place=name, reason=say("refused.import.part.undoes"))
    for name, file in files:
        unread: list[str] = []
        before = read.copy()
        try:
            whole = (texts or FileTexts()).read(file)
            read.comments.update(descriptions(whole))
            for tree, text in statements(plain_ddl(forward(whole), dialect), dialect, unread):
                unread += [] if _take(read, tree, text, dialect, name) else [text]
        except Exception as error:  # somebody else's file and a parser: the other files are read
            yield CatalogueProblem(place=name, reason=say("refused.import.part.unread", reason=reason_of(error, 200)))
        for text in filterfalse(_OF_NO_TABLE.match, unread):
            yield CatalogueProblem(place=name, reason=say("refused.import.part.statement", statement=_brief(text)))
        if before.tables and not read.tables:  # a script that clears the database away, beside those that make it
            read = before
            yield CatalogueProblem(place=name, reason=say("refused.import.part.drops_all"))
    yield from _unseen(read)
    for table in _finished(read):
        yield from table_nodes(source, table)


def _unseen(read: _Read) -> Iterator[CatalogueProblem]:
    """What the order of the files leaves out: tables that one drops, and changes of a table that only a later one makes."""
    for file in dict.fromkeys(file for file, _ in read.dropped):
        gone = dict.fromkeys(table for of, table in read.dropped if of == file and table.lower() not in read.tables)
        if gone:
            yield CatalogueProblem(place=file, reason=say("refused.import.part.drops", tables=names(list(gone))))
    for file, tables, text in read.early:
        if any(map(read.named, tables)):
            yield CatalogueProblem(place=file, reason=say("refused.import.part.early", statement=_brief(text)))
    for name, table in read.tables.items():
        keys = ((key.table, ", ".join(key.columns)) for key in table.foreign_keys if read.is_unclear(key.table, name))
        read.unclear += [(table.full_name, other, f"FOREIGN KEY ({columns}) REFERENCES {other}") for other, columns in keys]
    for place, other, text in read.unclear:
        yield CatalogueProblem(place=place, reason=say("refused.import.part.which", table=identifier(other), statement=_brief(text)))


def _brief(text: str) -> Quote:
    return quote(" ".join(text.split())[:160])


def _take(read: _Read, tree: exp.Expr, text: str, dialect: str, file: str) -> bool:
    """Take in what a statement makes of the tables. False: it changes one in a way that is not known here."""
    if isinstance(tree, exp.Create) and tree.kind in ("TABLE", "VIEW"):
        place = tree.find(exp.Table) if tree.args.get("exists") else None
        table = None if place is not None and _name(place).lower() in read.tables else _created(tree, read)
        if table is not None:
            read.tables[table.full_name.lower()] = _with_comments(table, ddl_comments(text, dialect))
            _apply_keys(read, table.full_name.lower())
            return all(read.named(_name(like.this), table.full_name.lower()) for like in tree.find_all(exp.LikeProperty))
    elif isinstance(tree, exp.Comment) and isinstance(tree.expression, exp.Literal):
        named = tree.this
        parts = [part.name for part in named.parts] if isinstance(named, exp.Table | exp.Column) else []
        read.comments[".".join(parts[-3:]).lower()] = tree.expression.name
    elif isinstance(tree, exp.Use) and isinstance(tree.this, exp.Table):
        read.schemas |= {tree.this.name.lower()}
    elif schemas := _set_schemas(tree):
        read.schemas |= schemas
    elif isinstance(tree, exp.Drop) and tree.args.get("kind") in ("TABLE", "VIEW"):
        for table in tree.find_all(exp.Table):
            if read.is_unclear(_name(table)):
                read.unclear.append((file, table.name, text))
            read.drop(_name(table), file)
    elif isinstance(tree, exp.Alter) and isinstance(tree.this, exp.Table):
        actions = tree.args.get("actions") or ()
        if read.is_unclear(_name(tree.this)):
            read.unclear.append((file, tree.this.name, text))
            return True
        if not read.named(_name(tree.this)) and not all(map(_keys_in, actions)):
            read.early.append((file, (_name(tree.this),), text))
        known = [_alter(read, _name(tree.this), action) for action in actions]
        return all(known)
    elif isinstance(tree, exp.Command) and tree.this.upper() in ("ALTER", "RENAME"):
        return _takes_no_column(tree, read, file)
    return True


def _set_schemas(tree: exp.Expr) -> frozenset[str]:
    """The schemas, in lower case, in which a statement lets the session look: SET search_path, ALTER SESSION SET CURRENT_SCHEMA."""
    if not isinstance(tree, exp.Set | exp.Command):
        return frozenset()
    words = (str(tree.expression) if isinstance(tree, exp.Command) else tree.sql()).replace("=", " ").replace(",", " ").split()
    names = [_unquoted(word).lower().strip("'") for word in words]
    place = next((place for place, word in enumerate(names) if word in ("search_path", "current_schema")), len(names))
    return frozenset(word for word in names[place + 1 :] if word not in ("to", "$user"))


def _keys_in(action: exp.Expr) -> list[exp.Expr]:
    return [*action.find_all(exp.PrimaryKey, exp.ForeignKey, exp.UniqueColumnConstraint)] if isinstance(action, exp.AddConstraint) else []


def _alter(read: _Read, table: str, action: exp.Expr) -> bool:
    """Whether a part of ALTER TABLE is known. What changes a table that no file makes is left alone; its keys may come before it."""
    name = read.named(table)
    keys = _keys_in(action)
    if not name or keys:
        read.keys += [(name or table.lower(), key) for key in keys]
        _apply_keys(read, name)
        return True
    if isinstance(action, exp.AlterRename):
        read.rename(name, _name(action.this))
        return True
    there = {column.name.lower() for column in read.tables[name].columns}
    defined = list(action.find_all(exp.ColumnDef))
    made = [part for part in defined if not (part.args.get("exists") and part.name.lower() in there)]
    if defined and not made:
        return True
    after = changed(read.tables[name], action, [_column(part) for part in made])
    if after is None:
        return False
    for part in made:
        after = _with_column_keys(after, part)
    read.tables[name] = after
    if isinstance(action, exp.RenameColumn):
        read.rename_column(name, action.this.name, action.args["to"].name)
    return True


def _takes_no_column(tree: exp.Command, read: _Read, file: str) -> bool:
    """Whether an ALTER that the parser cannot read leaves names, columns and keys alone, as OWNER TO does, or is of a table that no file
    makes. RENAME is carried out."""
    words = str(tree.expression).replace("'", "").replace(",", " , ").split()
    if tree.this.upper() == "RENAME":
        pairs = [place for place, word in enumerate(words) if word.upper() == "TO"]
        for place in pairs:
            read.rename(_unquoted(words[place - 1]), _unquoted(words[place + 1]))
        return True
    place = next((place for place, word in enumerate(words[:5]) if place and read.named(_unquoted(word))), None)
    if place is None:
        place = next((place for place, word in enumerate(words[:5]) if place and word.upper() not in ("IF", "EXISTS", "ONLY")), 0)
        if _changes_columns(words, place):
            read.early.append((file, (_unquoted(words[place]),), f"ALTER {tree.expression}"))
        return True
    return not _changes_columns(words, place)


def _changes_columns(words: Sequence[str], table: int) -> bool:
    return words[table + 1 :][:1] != [] and words[table + 1].upper() in ("ADD", "MODIFY", "CHANGE", "RENAME", "DROP")


def _unquoted(name: str) -> str:
    return name.translate(str.maketrans("", "", '"`[]'))


def _apply_keys(read: _Read, name: str) -> None:
    """Give a table the keys that are said of it."""
    for written, key in read.keys:
        if name and written == name:
            read.tables[name] = _with_key(read.tables[name], key)
    read.keys = [pair for pair in read.keys if not name or pair[0] != name]


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
        elif not isinstance(part, exp.LikeProperty):
            if (clustered := part.find(exp.ClusteredColumnConstraint, exp.NonClusteredColumnConstraint)) is not None:
                read.keys += _clustered(detail.full_name.lower(), part, clustered)
            for key in part.find_all(exp.PrimaryKey, exp.ForeignKey, exp.UniqueColumnConstraint):
                read.keys.append((detail.full_name.lower(), key))
    for like in tree.find_all(exp.LikeProperty):
        detail, columns = _like(read, detail, columns, like)
    if not columns and isinstance(tree.expression, exp.Query):
        columns = [ColumnDetail(name=name) for name in tree.expression.named_selects if name and name != "*"]
    comment = tree.find(exp.SchemaCommentProperty)
    partition = tree.find(exp.PartitionedByProperty)
    columns += [_column(part) for part in partition.find_all(exp.ColumnDef)] if partition else []  # as Hive has them
    return detail.model_copy(
        update={
            "columns": tuple(columns),
            "description": comment.this.name if comment is not None else "",
            "partitioned_by": tuple(dict.fromkeys(node.name for node in partition.find_all(exp.Identifier))) if partition else (),
        }
    )


def _like(read: _Read, made: TableDetail, columns: list[ColumnDetail], like: exp.LikeProperty) -> tuple[TableDetail, list[ColumnDetail]]:
    """A table, and its columns, with those of the one that it is made like. `LIKE` between its columns takes the keys only where it says
    so; no foreign keys."""
    of = read.tables.get(read.named(_name(like.this), made.full_name.lower()))
    if of is None:
        return made, columns
    taken = {str(part.args["value"]).upper() for part in like.expressions if part.name.upper() == "INCLUDING"}
    if not isinstance(like.parent, exp.Schema) or taken & {"ALL", "INDEXES"}:
        made = made.model_copy(update={"primary_key": made.primary_key or of.primary_key, "unique": (*made.unique, *of.unique)})
    return made, [*of.columns, *columns]


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
    for written, key in read.keys:
        name = read.named(written)
        if (table := read.tables.get(name)) is not None:
            read.tables[name] = _with_key(table, key)
    for name, table in read.tables.items():
        own = (name, table.name.lower()) if read.named(table.name) == name else (name,)
        columns = tuple(
            column.model_copy(update={"description": _comment(read, own, f".{column.name.lower()}") or column.description})
            for column in table.columns
        )
        clear = (key for key in table.foreign_keys if not read.is_unclear(key.table, name))
        keys = tuple(_complete(key, table, read) for key in clear)
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


def _complete(key: ForeignKey, table: TableDetail, read: _Read) -> ForeignKey:
    """A reference that names no columns means the primary key; one that names no schema means a table that is there."""
    found = read.named(key.table, table.full_name.lower())
    other = table if found == table.full_name.lower() else read.tables.get(found)
    if other is None:
        return key if key.references else key.model_copy(update={"references": key.columns})
    return key.model_copy(update={"table": other.full_name, "references": key.references or other.primary_key or key.columns})
