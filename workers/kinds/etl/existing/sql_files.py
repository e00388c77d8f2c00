"""Files of SQL: a file, or a folder whose files read each other's tables."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from sqlglot import exp

from contracts.existing_sql import ExistingSql
from contracts.statements import Join, Statement, code, count, listing, name, names, passage, say
from workers.catalogue.forms.files import files_in
from workers.engines.encodings import read_surely
from workers.engines.sql.trees import NotParsed, parse, table_name
from workers.errors import InvalidInput
from workers.kinds.etl.existing.stated import REPLACE, Unit, clauses_of, columns_of, is_replace, key_of, mode_of, partition_of, units_of
from workers.kinds.etl.existing.upstream import bring
from workers.kinds.etl.existing.written import Existing

MOST_CHARACTERS = 50_000
"""Of a file: as much as a specification takes as one query or script."""
TRIED = (exp.Query, exp.Create, exp.Drop, exp.TruncateTable, exp.Insert, exp.Update, exp.Delete, exp.Merge)
"""Statements that a review reads and a trial runs."""
LEFT_OUT = (exp.Transaction, exp.Commit, exp.Comment, exp.Analyze, exp.Grant)
"""Statements that change no row: they are left out."""
OTHERS = (
    "bigquery", "snowflake", "databricks", "spark", "redshift", "postgres", "mysql", "tsql", "oracle", "clickhouse", "trino", "duckdb",
)  # fmt: skip
"""Dialects that are tried on a text that is not understood in the one that was said."""
MOST_FILES = 200
"""Of a folder."""


def read_files(given: ExistingSql, dialect: str) -> Existing:
    """The table that the files make. Raises `InvalidInput` or `NotFound`, with file and line."""
    texts = _texts(Path(given.sql).expanduser())
    units = [unit for file, text in texts.items() for unit in units_of(parsed(text, file, dialect), file)]
    if not units:
        raise InvalidInput.of(say("etl.existing.empty", path=name(given.sql)))
    unit = _chosen(units, given)
    own = {_called(other): other for other in units if other is not unit}

    def find(table: exp.Table) -> str | None:
        written = table_name(table).lower()
        return next((key for key in own if _is_same(key, written)), None)

    for other in units:
        if other.replaced is None and (tree := next(filter(is_replace, other.trees), None)) is not None:
            raise _no_content(tree, other.file, dialect)
    queries = {key: other.query for key, other in own.items() if other.query is not None and other.replaced is None}
    brought = bring(unit.trees if unit.query is None else [unit.query], find, queries, dialect)
    is_alone = len(parse(texts[unit.file], dialect)) == sum(len(other.trees) for other in units) and not brought.queries
    written = ";\n\n".join(tree.sql(dialect=dialect, pretty=True) for tree in brought.trees)
    as_it_is = is_alone and (unit.query is None or unit.query is unit.trees[0])
    content = texts[unit.file].strip().rstrip(";") if as_it_is else written
    return Existing(
        target=unit.table,
        mode=mode_of(unit),
        key=key_of(unit),
        columns=tuple(columns_of(unit)),
        dialect=dialect,
        sql=content if unit.query is not None else "",
        script=content if unit.query is None else "",
        queries=brought.queries,
        partition_by=partition_of(unit),
        file=unit.file,
        notes=tuple(_notes(unit, brought.left, dialect)),
    )


def _notes(unit: Unit, left: Sequence[str], dialect: str) -> Iterator[Statement]:
    """Tables that are read as they are, and clauses of a CREATE TABLE that the package does not keep."""
    if left:
        yield say("etl.existing.as_tables", tables=names(left))
    if unit.query is not None and (clauses := clauses_of(unit, dialect)):
        yield say("etl.existing.clauses", clauses=listing(*map(code, clauses), join=Join.PLAIN))


def parsed(text: str, file: str, dialect: str) -> list[exp.Expr]:
    """The statements of a file. Raises `InvalidInput` with its line."""
    if len(text) > MOST_CHARACTERS:
        raise InvalidInput.of(
            say("etl.existing.long", file=name(file), n=count(len(text), exact=True), most=count(MOST_CHARACTERS, exact=True))
        )
    try:
        trees = parse(text, dialect)
    except NotParsed as error:
        line, reason = name(str(error.line or 1)), passage(error.reason)
        raise InvalidInput.of(
            say("etl.existing.not_parsed", file=name(file), line=line, dialect=name(dialect), reason=reason, option=code("--dialect"))
        ) from None
    kept = [_as_insert(tree, dialect) for tree in trees if not isinstance(tree, LEFT_OUT)]
    for tree in kept:
        if not isinstance(tree, TRIED):
            shown = " ".join(tree.sql(dialect=dialect).split())[:80]
            if isinstance(tree, exp.Command) and str(tree.this).upper() == "REPLACE":
                raise _no_content(tree, file, dialect)
            if isinstance(tree, exp.Command) and (others := _readable_in(text)):
                option, dialects = code("--dialect"), listing(*map(name, others), join=Join.OR)
                raise InvalidInput.of(
                    say(
                        "etl.existing.other_dialect",
                        file=name(file),
                        statement=code(shown),
                        dialect=name(dialect),
                        option=option,
                        dialects=dialects,
                    )
                )
            raise InvalidInput.of(say("etl.existing.command", file=name(file), statement=code(shown)))
    return kept


def _as_insert(tree: exp.Expr, dialect: str) -> exp.Expr:
    """A `REPLACE INTO`, which the parser does not read, as the INSERT that it is; other statements as they are."""
    if not (isinstance(tree, exp.Command) and str(tree.this).upper() == "REPLACE" and isinstance(tree.expression, exp.Expr)):
        return tree
    try:
        made = parse(f"INSERT {tree.expression.name}", dialect)
    except NotParsed:
        return tree
    if len(made) != 1 or not isinstance(made[0], exp.Insert):
        return tree
    made[0].set("alternative", "REPLACE")
    made[0].meta[REPLACE] = True
    return made[0]


def _no_content(tree: exp.Expr, file: str, dialect: str) -> InvalidInput:
    """Why a `REPLACE INTO` is not taken that is not alone with one query."""
    shown = " ".join(tree.sql(dialect=dialect).replace("INSERT OR REPLACE", "REPLACE").split())[:80]
    on_key = "ON CONFLICT (KEY) DO UPDATE SET ..." if dialect == "sqlite" else "ON DUPLICATE KEY UPDATE ..."
    instead, options = code(f"INSERT INTO ... SELECT ... {on_key}"), code("--target TABLE --mode upsert --grain KEY")
    return InvalidInput.of(say("etl.existing.replace", file=name(file), statement=code(shown), instead=instead, options=options))


def _readable_in(text: str) -> list[str]:
    """The dialects in which all statements of a text are ones that are reviewed."""
    found: list[str] = []
    for dialect in OTHERS:
        try:
            trees = parse(text, dialect)
        except NotParsed:
            continue
        if all(isinstance(tree, (*TRIED, *LEFT_OUT)) for tree in trees):
            found.append(dialect)
    return found


def _texts(path: Path) -> dict[str, str]:
    files = list(files_in(path, (".sql",)))
    if len(files) > MOST_FILES:
        raise InvalidInput.of(
            say("etl.existing.many", path=name(str(path)), n=count(len(files), exact=True), most=count(MOST_FILES, exact=True))
        )
    found: dict[str, str] = {}
    for file, at in files:
        if at.stat().st_size > 4 * MOST_CHARACTERS:
            size, most = count(at.stat().st_size, exact=True), count(MOST_CHARACTERS, exact=True)
            raise InvalidInput.of(say("etl.existing.long", file=name(file), n=size, most=most))
        found[file] = read_surely(at.read_bytes(), at, "").text
    return found


def _called(unit: Unit) -> str:
    """What others call it: the table that it writes, or a query's file."""
    return unit.table or Path(unit.file).stem.lower()


def _is_same(table: str, written: str) -> bool:
    """A name without its schema means the table too."""
    return table == written or (("." in table) != ("." in written) and table.rpartition(".")[2] == written.rpartition(".")[2])


def _chosen(units: Sequence[Unit], given: ExistingSql) -> Unit:
    """The one that was asked for, or the only one that no other reads. Raises `InvalidInput`."""
    if given.target:
        wanted = given.target.lower()
        asked = [unit for unit in units if _is_same(_called(unit), wanted)] or (
            [units[0]] if len(units) == 1 and not units[0].table else []
        )
        if len(asked) == 1:
            return asked[0]
    read = {
        table_name(table).lower()
        for unit in units
        for tree in unit.trees
        for table in tree.find_all(exp.Table)
        if table_name(table).lower() != unit.table
    }
    last = [unit for unit in units if not any(_is_same(_called(unit), table) for table in read)]
    if len(last) == 1 and not given.target:
        return last[0]
    tables = names(dict.fromkeys(_called(unit) for unit in (units if given.target else last or units)))
    raise InvalidInput.of(say("etl.existing.which", path=name(given.sql), tables=tables, option=code("--target")))
