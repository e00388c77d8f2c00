"""A dbt project: a model for each job, sources, documentation and tests."""

from collections.abc import Iterator
from typing import Any

import yaml
from sqlglot import exp

from contracts.pipelines.script import SqlScript
from contracts.pipelines.trial import CheckKind
from contracts.statements import name, names, say
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.pipelines.package.assertions import Assertion, assertions
from workers.engines.pipelines.package.comments import COMMENTED
from workers.engines.pipelines.package.contents import Contents
from workers.engines.pipelines.package.dbt_shapes import Materialization, ModelShape, shape_of
from workers.engines.pipelines.package.names import comment, file_name, no_template
from workers.engines.pipelines.package.plain import NEXT, template
from workers.engines.pipelines.package.profiles import profile
from workers.engines.sql.script import Part, conflict_key
from workers.engines.sql.trees import parse, table_name

IGNORED = "target/\nlogs/\ndbt_packages/\n*.duckdb\n*.duckdb.wal\n"
"""What dbt and DuckDB leave in the folder."""
MARK = "__dbt_{}__"
"""Stands for a relation while a tree is printed; what dbt reads is put in afterwards."""


class DbtProject:
    """Makes the files."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self._parts: dict[str, list[Part]] = {}
        parts = list(contents.read.parts)
        for script in contents.scripts:
            many = sum(len(parse(statement, contents.dialect)) for statement in script.statements)
            self._parts[script.job], parts = parts[:many], parts[many:]
        target = contents.analysis.target
        self._shapes = {
            script.job: shape_of(self._parts[script.job], script.temporary, target if contents.is_final(script) else None, script.target)
            for script in contents.scripts
        }

    def files(self) -> Iterator[tuple[str, str]]:
        """Path and text of each file."""
        contents = self._contents
        yield ".gitignore", IGNORED
        yield "dbt_project.yml", _yaml(self._project())
        yield "profiles.yml", _yaml(profile(contents.workflow.name, contents.dialect))
        yield "models/sources.yml", _yaml(self._sources())
        yield "models/models.yml", _yaml(self._models())
        for script in contents.scripts:
            shape, name = self._shapes[script.job], contents.names[script.job]
            for table, query in shape.between.items():
                yield (
                    f"models/{self._between(script, table)}.sql",
                    "{{ config(materialized='ephemeral') }}\n\n" + self._printed(query, script),
                )
            yield f"models/{name}.sql", self._model(script, shape)
        if any(shape.materialization is Materialization.SCRIPT for shape in self._shapes.values()):
            yield "macros/script.sql", template("dbt_script.sql.txt")
        if any("schema" in self._placed(script) for script in contents.scripts):
            yield "macros/generate_schema_name.sql", template("dbt_schema.sql.txt")
        for assertion in self._assertions():
            marked = self._printed(assertion.query, None)
            yield f"tests/{assertion.name}.sql", no_template(comment(contents.text(assertion.says))) + marked

    def _assertions(self) -> Iterator[Assertion]:
        """Those that dbt's own tests of columns do not say."""
        for assertion in assertions(self._contents, lambda table: exp.to_table(table, dialect=self._contents.dialect or None)):
            is_column = assertion.kind is CheckKind.NOT_NULL or (assertion.kind is CheckKind.GRAIN and len(assertion.columns) == 1)
            if not is_column:
                yield assertion

    def _project(self) -> dict[str, Any]:
        name = self._contents.workflow.name
        return {
            "name": name,
            "version": "1.0.0",
            "config-version": 2,
            "profile": name,
            "require-dbt-version": [">=1.10.5", "<3.0.0"],
            "model-paths": ["models"],
            "test-paths": ["tests"],
            "macro-paths": ["macros"],
            "models": {name: {"+materialized": "table"} | ({"+persist_docs": _KEPT} if self._contents.dialect in COMMENTED else {})},
        }

    def _source_name(self, table: TableDetail) -> str:
        return file_name(table.schema_name, self._contents.analysis.source) if table.schema_name else self._contents.analysis.source

    def _sources(self) -> dict[str, Any]:
        grouped: dict[str, list[TableDetail]] = {}
        for table in self._contents.sources:
            grouped.setdefault(self._source_name(table), []).append(table)
        return {
            "version": 2,
            "sources": [
                {
                    "name": name,
                    "schema": tables[0].schema_name or "{{ var('" + name + "_schema', target.schema) }}",
                    "tables": [
                        _described(table.name, table.description)
                        | {
                            "columns": [
                                _described(column.name, column.description) | ({"data_type": column.type} if column.type else {})
                                for column in table.columns
                            ]
                        }
                        for table in tables
                    ],
                }
                for name, tables in grouped.items()
            ],
        }

    def _models(self) -> dict[str, Any]:
        contents, found = self._contents, list[dict[str, Any]]()
        for script in contents.scripts:
            says = contents.about or contents.text(contents.analysis.summary) if contents.is_final(script) else self._on_the_way(script)
            job = contents.job(script)
            says = says or (contents.text(job.name) if job is not None else "")
            key = tuple(name.lower() for name in contents.key(script))
            model, is_final = contents.names[script.job], contents.is_final(script)
            columns = [_column(column, key, model, is_final=is_final) for column in contents.columns(script)]
            found.append(_described(contents.names[script.job], says) | {"columns": columns})
        return {"version": 2, "models": found}

    def _on_the_way(self, script: SqlScript) -> str:
        """What a row of a table on the way is, and the table that it is for."""
        contents = self._contents
        key = contents.key(script)
        return contents.text(say("pipelines.dbt.part", key=names(key), table=name(contents.analysis.target.table))) if key else ""

    def _model(self, script: SqlScript, shape: ModelShape) -> str:
        contents = self._contents
        head = no_template("".join(comment(contents.text(item)) for item in script.says))
        config: dict[str, str | tuple[str, ...]] = {"materialized": shape.materialization.value, **self._placed(script)}
        if shape.query is None:
            pieces = [*self._first(script), *(self._printed(part.tree, script) for part in self._parts[script.job])]
            return f"{_config(config)}\n\n{head}" + f"{NEXT}\n".join(piece.rstrip() + "\n" for piece in pieces)
        if shape.key:
            config |= {"unique_key": shape.key, "incremental_strategy": "delete+insert"}
        query = self._printed(shape.query, script)
        if shape.newer is not None:
            query = self._only_newer(query, shape, script)
        return f"{_config(config)}\n\n{head}{query}"

    def _first(self, script: SqlScript) -> Iterator[str]:
        """The table itself, where the script expects it to be there."""
        known = self._contents.known.find(script.target)
        is_made = any(
            isinstance(part.tree, exp.Create)
            and part.resolved.target is not None
            and self._contents.full(part.resolved.target.table_name) == self._contents.full(script.target)
            for part in self._parts[script.job]
        )
        if known is None or is_made:
            return
        columns = [
            exp.ColumnDef(
                this=exp.to_identifier(column.name, quoted=True),
                kind=exp.DataType.build(column.type or "text", dialect=self._contents.dialect or None),
            )
            for column in known.columns
        ]
        key = [exp.to_identifier(item, quoted=True) for item in conflict_key(self._parts[script.job], known)]
        unique = [exp.UniqueColumnConstraint(this=exp.Schema(expressions=key))] if key else []
        made = exp.Create(this=exp.Schema(this=exp.to_table(known.full_name), expressions=[*columns, *unique]), kind="TABLE", exists=True)
        yield self._printed(made, script)

    def _placed(self, script: SqlScript) -> dict[str, str]:
        """The table's own name and schema, where they are not what the model is called."""
        schema, _, table = script.target.rpartition(".")
        found = {"alias": table} if table != self._contents.names[script.job] else {}
        database, _, schema = schema.rpartition(".")
        return found | ({"schema": schema} if schema else {}) | ({"database": database} if database else {})

    def _only_newer(self, query: str, shape: ModelShape, script: SqlScript) -> str:
        """Rows that would replace a row with their key only if they are newer than it, as the script's upsert says."""
        assert shape.newer is not None  # noqa: S101 the caller asked
        condition = shape.newer.copy()
        last = script.target.rpartition(".")[2].lower()
        for node in condition.find_all(exp.Column):
            node.set("table", exp.to_identifier("excluded" if node.table.lower() == "excluded" else "existing"))
            if node.table != "excluded" and not last:
                node.set("table", None)
        same = exp.and_(
            *(
                exp.EQ(this=exp.column(key, table="existing", quoted=True), expression=exp.column(key, table="excluded", quoted=True))
                for key in shape.key
            )
        )
        dialect = self._contents.dialect or None
        missing = exp.Is(this=exp.column(shape.key[0], table="existing", quoted=True), expression=exp.null()).sql(dialect)
        inner = "".join(f"    {line}\n" for line in query.rstrip().splitlines())
        return (
            f"SELECT\n  excluded.*\nFROM (\n{inner}) AS excluded\n"
            "{% if is_incremental() %}\n"
            f"LEFT JOIN {{{{ this }}}} AS existing\n  ON {no_template(same.sql(dialect))}\n"
            f"WHERE\n  {missing} OR ({no_template(condition.sql(dialect))})\n"
            "{% endif %}\n"
        )

    def _between(self, script: SqlScript, table: str) -> str:
        return f"{self._contents.names[script.job]}__{file_name(table.removesuffix('__new'), 'part')}"

    def _printed(self, tree: exp.Expr, script: SqlScript | None) -> str:
        """SQL of the script's dialect in which tables are what dbt calls them. Braces in it are not a template."""
        copy, relations = tree.copy(), list[str]()
        ctes = {cte.alias_or_name.lower() for cte in tree.find_all(exp.CTE)}
        for node in list(copy.find_all(exp.Table)):
            relation = self._relation(table_name(node), script) if not isinstance(node.this, exp.Func) else None
            if relation is None or (len(node.parts) == 1 and node.name.lower() in ctes):
                continue
            if not node.alias and isinstance(node.parent, exp.From | exp.Join):
                node.set("alias", exp.TableAlias(this=exp.to_identifier(node.name)))
            node.set("this", exp.to_identifier(MARK.format(len(relations))))
            node.set("db", None)
            node.set("catalog", None)
            node.meta.pop("quoted_table", None)  # BigQuery writes one quotation around all parts, and would around the template
            relations.append(relation)
        printed = no_template(copy.sql(self._contents.dialect or None, pretty=True))
        for number, relation in enumerate(relations):
            printed = printed.replace(MARK.format(number), relation)
        return printed + "\n"

    def _relation(self, name: str, script: SqlScript | None) -> str | None:
        contents = self._contents
        maker = contents.makes(name)
        if maker is not None:
            return "{{ this }}" if script is not None and maker.job == script.job else "{{ ref('" + contents.names[maker.job] + "') }}"
        if script is not None and name.lower() in self._shapes[script.job].between:
            return "{{ ref('" + self._between(script, name.lower()) + "') }}"
        table = contents.known.find(name)
        if table is None or all(table.full_name != source.full_name for source in contents.sources):
            return None
        return "{{ source(" + repr(self._source_name(table)) + ", " + _jinja_text(table.name) + ") }}"


_KEPT = {"relation": True, "columns": True}
"""dbt writes descriptions as comments of tables and columns."""


def _jinja_text(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _config(values: dict[str, str | tuple[str, ...]]) -> str:
    shown = ", ".join(
        f"{key}={'[' + ', '.join(map(_jinja_text, value)) + ']' if isinstance(value, tuple) else _jinja_text(value)}"
        for key, value in values.items()
    )
    return "{{ config(" + shown + ") }}"


def _described(name: str, description: str) -> dict[str, Any]:
    return {"name": name} | ({"description": no_template(description)} if description else {})


def _column(column: ColumnDetail, key: tuple[str, ...], model: str, *, is_final: bool) -> dict[str, Any]:
    """A table on the way may have a group without a value, unless its source always has one. dbt names a test by its column, of which it
    keeps Latin letters alone."""
    found = _described(column.name, column.description) | ({"data_type": column.type} if column.type else {})
    tests = ["unique"] if key == (column.name.lower(),) else []
    has_value = column.nullable is False or (is_final and column.name.lower() in key and column.nullable is not True)
    tests += ["not_null"] if has_value else []
    named = tests if column.name.isascii() else [{test: {"name": f"{test}_{model}_{column.name}"}} for test in tests]
    return found | ({"data_tests": named} if tests else {})


def _yaml(value: dict[str, Any]) -> str:
    return yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=120)
