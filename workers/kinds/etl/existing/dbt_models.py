"""A model of a dbt project: compiled by dbt, or one that needs no dbt. Jinja is never run here."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from sqlglot import exp

from contracts.base import Json
from contracts.existing_sql import ExistingSql
from contracts.sql_review import WriteMode
from contracts.statements import Statement, as_value, code, count, name, names, say
from workers.catalogue.forms.dbt import full_name, is_of_all_rows, members_of, promises_of, read_manifest
from workers.catalogue.forms.files import files_in, read_text
from workers.catalogue.forms.loose_json import as_list, as_mapping
from workers.engines.procedures.marked_yaml import Fault, read_marked
from workers.engines.sql.conditions import conjuncts
from workers.engines.sql.trees import dialect_of, table_name
from workers.errors import InvalidInput, NotFound
from workers.kinds.etl.existing.jinja import NeedsDbt, compiled
from workers.kinds.etl.existing.sql_files import parsed
from workers.kinds.etl.existing.stated import grain_of
from workers.kinds.etl.existing.upstream import bring
from workers.kinds.etl.existing.written import Existing

MOST_FILES = 3_000
"""Models and property files of a project without a manifest."""
QUERIES = frozenset({"view", "table", "ephemeral", "materialized_view", "dynamic_table"})
"""Materializations whose content is what their query gives."""
_TESTS = ("tests", "data_tests")
_TOGETHER = "unique_combination_of_columns"


@dataclass
class Model:
    """A model, as dbt or its files describe it."""

    key: str
    relation: str
    """As other models' SQL names it: with its schema where that is known."""
    file: str
    code: str | None
    """Compiled. None: only dbt can compile it."""
    raw: str = ""
    config: Json = field(default_factory=dict[str, Any])
    description: str = ""
    meanings: dict[str, str] = field(default_factory=dict[str, str])
    unique: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    never_null: set[str] = field(default_factory=set[str])
    other_tests: list[str] = field(default_factory=list[str])
    needs_dbt: NeedsDbt | None = None
    is_stale: bool = False
    """The file is not what dbt compiled."""

    @property
    def materialized(self) -> str:
        """How dbt writes it."""
        return str(self.config.get("materialized") or "view")


@dataclass
class Project:
    """The models that a project has."""

    models: dict[str, Model]
    dialect: str
    """Empty: not known, as without a manifest."""

    def find(self, table: exp.Table) -> str | None:
        """The model that a table of compiled SQL is."""
        written = table_name(table).lower()
        for model in self.models.values():
            own = model.relation.lower()
            if written == own or written.endswith(f".{own}") or (not table.db and written == own.rpartition(".")[2]):
                return model.key
        return None


def read_model(given: ExistingSql, dialect: str) -> Existing:
    """The model that is selected, with the queries of those that it reads. Raises `InvalidInput` or `NotFound`, with file and line."""
    root = Path(given.dbt).expanduser()
    manifest = next((path for path in (root / "target" / "manifest.json", root / "manifest.json", root) if path.is_file()), None)
    project = _compiled_project(manifest, root) if manifest is not None else _plain_project(root)
    project.dialect = project.dialect or dialect
    model = _selected(project, given)
    if model.is_stale:
        raise InvalidInput.of(say("etl.existing.stale", file=name(model.file), command=code("dbt compile")))
    if model.code is None:
        refusal = (model.needs_dbt or NeedsDbt(1, model.raw.strip()[:80])).refusal(model.file)
        raise InvalidInput.of(refusal)
    return _existing(project, model)


def _selected(project: Project, given: ExistingSql) -> Model:
    wanted = given.select.lower()
    found = [
        model
        for key, model in project.models.items()
        if wanted in (key.lower(), key.lower().partition(".")[2], key.lower().split(".")[2 if key.count(".") > 1 else -1])
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise InvalidInput.of(say("etl.existing.models", model=name(given.select), models=names(model.key for model in found)))
    near = [key.split(".")[-1] for key in project.models][:20]
    raise NotFound.of(say("etl.existing.no_model", model=name(given.select), project=name(given.dbt), models=names(near or ("-",))))


def _existing(project: Project, model: Model) -> Existing:
    dialect = project.dialect
    trees = parsed(model.code or "", model.file, dialect)
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise InvalidInput.of(say("etl.existing.no_query", file=name(model.file)))
    tree = trees[0]
    notes: list[Statement] = []
    mode, key = _mode(model), _key(model)
    if model.materialized == "incremental":
        notes += _first_run(tree, project, model)
    queries: dict[str, exp.Query] = {}
    for other in project.models.values():
        if other is not model and other.materialized in QUERIES and other.code is not None:
            made = _parsed_or_none(other, dialect)
            if made is not None:
                queries[other.key] = made
    brought = bring([tree], project.find, queries, dialect)
    content = cast("exp.Query", brought.trees[0])
    left = [*brought.left, *(key for key in dict.fromkeys(_read(project, [tree, *queries.values()])) if _is_kept_back(project, key))]
    if left:
        notes.append(say("etl.existing.as_tables", tables=names(item.rpartition(".")[2] for item in left)))
    if model.other_tests:
        notes.append(say("etl.existing.other_tests", tests=names(dict.fromkeys(model.other_tests))))
    columns = [] if content.is_star else content.named_selects
    return Existing(
        target=model.relation,
        mode=mode,
        key=key if key else grain_of(tree),
        columns=tuple(columns),
        dialect=dialect,
        sql=content.sql(dialect=dialect_of(dialect), pretty=True),
        queries=brought.queries,
        partition_by=_partition(model.config.get("partition_by")),
        description=model.description,
        meanings=model.meanings,
        never_null=frozenset(model.never_null),
        file=model.file,
        notes=tuple(notes),
    )


def _parsed_or_none(model: Model, dialect: str) -> exp.Query | None:
    """The query of another model; None where it cannot be read, so that it stays a table."""
    try:
        trees = parsed(model.code or "", model.file, dialect)
    except InvalidInput:
        return None
    return trees[0] if len(trees) == 1 and isinstance(trees[0], exp.Query) else None


def _read(project: Project, trees: list[exp.Query]) -> Iterator[str]:
    for tree in trees:
        for table in tree.find_all(exp.Table):
            if (key := project.find(table)) is not None:
                yield key


def _is_kept_back(project: Project, key: str) -> bool:
    """A model that would have been brought along, had it been compiled."""
    model = project.models[key]
    return model.materialized in QUERIES and model.code is None


def _first_run(tree: exp.Query, project: Project, model: Model) -> list[Statement]:
    """dbt leaves out the condition on the model's own rows in a first run. Compiled SQL has it or not; with it, it has to hold for an empty
    table too."""
    found = False
    for where in list(tree.find_all(exp.Where)):
        for part in list(conjuncts(where.this)):
            own = next((table for table in part.find_all(exp.Table) if project.find(table) == model.key), None)
            if own is None:
                continue
            found = True
            empty = exp.Not(
                this=exp.Exists(this=exp.select("1").from_(exp.Table(**{k: own.args.get(k) for k in ("this", "db", "catalog")})))
            )
            part.replace(exp.paren(exp.or_(part.copy(), empty, copy=False), copy=False))
    if found:
        return [say("etl.existing.later_run")]
    if "is_incremental" in model.raw:
        return [say("etl.existing.first_run", command=code("dbt compile"))]
    return []


def _mode(model: Model) -> WriteMode | None:
    match model.materialized:
        case kind if kind in QUERIES:
            return WriteMode.OVERWRITE
        case "incremental":
            strategy = str(model.config.get("incremental_strategy") or "")
            if strategy in ("append", "insert_overwrite"):
                return WriteMode.APPEND
            if strategy not in ("", "merge", "delete+insert", "default"):
                return None
            return WriteMode.UPSERT if as_names(model.config.get("unique_key")) else WriteMode.APPEND
        case _:
            return None


def _key(model: Model) -> tuple[str, ...]:
    own = as_names(model.config.get("unique_key")) if model.materialized == "incremental" else ()
    return own or next((key for key in model.unique if set(key) <= model.never_null), ()) or next(iter(model.unique), ())


def _partition(value: Any) -> tuple[str, ...]:
    return as_names(as_mapping(value).get("field")) if isinstance(value, Mapping) else as_names(value)


def as_names(value: Any) -> tuple[str, ...]:
    """A name or a list of names, as YAML has them."""
    return (value,) if isinstance(value, str) and value else tuple(str(item) for item in as_list(value))


def _compiled_project(path: Path, root: Path) -> Project:
    """What dbt wrote into its `target` folder."""
    manifest = read_manifest(path)
    nodes = {**members_of(manifest, "nodes"), **members_of(manifest, "sources")}
    known = {key: full_name(node) for key, node in nodes.items() if node.get("resource_type") in ("model", "seed", "snapshot", "source")}
    adapter = str(as_mapping(manifest.get("metadata")).get("adapter_type") or "")
    promises = promises_of(nodes, known, adapter)
    project = Project({}, dialect_of(adapter))
    for key, node in nodes.items():
        if node.get("resource_type") == "model":
            project.models[key] = _described(key, node, promises.get(key, {}))
    for key, model in project.models.items():
        _take_code(model, nodes[key], path.parent, root, known, nodes)
    for node in nodes.values():
        test, on = as_mapping(node.get("test_metadata")), str(node.get("attached_node") or "")
        if test and on in project.models and test.get("name") != _TOGETHER:  # whose keys are among the promises
            _add_test(project.models[on], str(test.get("name") or ""), as_mapping(test.get("kwargs")))
    return project


def _described(key: str, node: Json, promised: Mapping[str, Any]) -> Model:
    columns = members_of(node, "columns")
    return Model(
        key=key,
        relation=full_name(node),
        file=str(node.get("original_file_path") or node.get("path") or key),
        code=None,
        raw=str(node.get("raw_code") or node.get("raw_sql") or ""),
        config=as_mapping(node.get("config")),
        description=str(node.get("description") or ""),
        meanings={column.lower(): str(about.get("description") or "") for column, about in columns.items() if about.get("description")},
        unique=[*((str(column),) for column in as_list(promised.get("unique"))), *promised.get("together", ())],
        never_null=set(promised.get("not_null", ())),
    )


def _take_code(model: Model, node: Json, target: Path, root: Path, relations: Mapping[str, str], nodes: Mapping[str, Json]) -> None:
    """What dbt compiled, if the file is still as it was then; or the file itself, if it needs no dbt."""
    own = root / model.file
    if root.is_dir() and own.is_file() and model.raw and read_text(own).strip() != model.raw.strip():
        model.is_stale = True
        return
    code = node.get("compiled_code") or node.get("compiled_sql")
    made = target / "compiled" / str(node.get("package_name") or "") / model.file
    if not code and made.is_file() and made.resolve().is_relative_to(target.resolve()):
        code = read_text(made)
    if isinstance(code, str) and code.strip():
        model.code = code
        return
    depends = [str(item) for item in as_list(as_mapping(node.get("depends_on")).get("nodes"))]

    def ref(wanted: str) -> str:
        return next((relations[key] for key in depends if key in relations and nodes[key].get("name") == wanted), wanted)

    def source(group: str, wanted: str) -> str:
        found = (key for key in depends if key in relations and key.endswith(f".{group}.{wanted}"))
        return next((relations[key] for key in found), f"{group}.{wanted}")

    try:
        model.code = compiled(model.raw, ref, source, model.relation).sql or None
    except NeedsDbt as needs:
        model.needs_dbt = needs


def _add_test(model: Model, test: str, about: Json) -> None:
    test = test.rpartition(".")[2]
    if test == _TOGETHER:
        columns = tuple(column.lower() for column in as_names(about.get("combination_of_columns")))
        if columns:
            model.unique.append(columns)
    elif test not in ("unique", "not_null"):
        column = str(about.get("column_name") or "")
        model.other_tests.append(f"{test} ({column})" if column else test)


def _plain_project(root: Path) -> Project:
    """The files of a project that dbt has not compiled."""
    project_file = root / "dbt_project.yml"
    if not project_file.is_file():
        raise NotFound.of(say("etl.existing.no_project", project=name(str(root))))
    settings = _yaml(project_file, project_file.name)
    folders = as_names(settings.get("model-paths")) or ("models",)
    files = [
        (f"{folder}/{file}", at)
        for folder in folders
        if (root / folder).is_dir()
        for file, at in files_in(root / folder, (".sql", ".yml", ".yaml"))
    ]
    if len(files) > MOST_FILES:
        raise InvalidInput.of(
            say("etl.existing.large_project", project=name(str(root)), n=count(len(files), exact=True), command=code("dbt compile"))
        )
    models: dict[str, Json] = {}
    sources: dict[tuple[str, str], str] = {}
    for file, at in files:
        if at.suffix != ".sql":
            properties = _yaml(at, file)
            models |= {str(about.get("name")): about for item in as_list(properties.get("models")) if (about := as_mapping(item))}
            sources |= dict(_sources(properties))
    found: dict[str, Model] = {}
    for file, at in files:
        if at.suffix == ".sql":
            about = models.get(at.stem, {})
            found[at.stem] = _plain_model(file, at, about, _configured(settings, file.split("/")[1:-1]), sources)
    return Project(found, "")


def _plain_model(file: str, at: Path, about: Json, config: Json, sources: Mapping[tuple[str, str], str]) -> Model:
    model = Model(
        at.stem, at.stem, file, None, read_text(at), {**config, **as_mapping(about.get("config"))}, str(about.get("description") or "")
    )

    def source(group: str, wanted: str) -> str:
        return sources.get((group, wanted), f"{group}.{wanted}")

    try:
        made = compiled(model.raw, lambda wanted: wanted, source, model.key)
        model.code = made.sql
        model.config |= made.config
        model.relation = str(model.config.get("alias") or at.stem)
    except NeedsDbt as needs:
        model.needs_dbt = needs
    for item in as_list(about.get("columns")):
        column = as_mapping(item)
        called = str(column.get("name") or "").lower()
        if column.get("description"):
            model.meanings[called] = str(column["description"])
        for test, kwargs in _listed_tests(column):
            if test == "unique":
                model.unique.append((called,))
            elif test == "not_null":
                model.never_null.add(called)
            else:
                _add_test(model, test, {**kwargs, "column_name": called})
    for test, kwargs in _listed_tests(about):
        _add_test(model, test, as_mapping(kwargs.get("arguments")) or kwargs)
    return model


def _listed_tests(about: Json) -> Iterator[tuple[str, Json]]:
    """Tests that prove nothing of the whole table are left out."""
    for item in (item for part in _TESTS for item in as_list(about.get(part))):
        if isinstance(item, str):
            yield item, {}
        for test, kwargs in as_mapping(item).items():
            details = as_mapping(kwargs)
            config = {**details, **as_mapping(details.get("config"))}
            if is_of_all_rows(config):
                yield test, details


def _sources(properties: Json) -> Iterator[tuple[tuple[str, str], str]]:
    for item in as_list(properties.get("sources")):
        group = as_mapping(item)
        schema = str(group.get("schema") or group.get("name") or "")
        for entry in as_list(group.get("tables")):
            table = as_mapping(entry)
            if "{{" not in schema:
                yield (str(group.get("name")), str(table.get("name"))), f"{schema}.{table.get('identifier') or table.get('name')}"


def _configured(settings: Json, folders: list[str]) -> Json:
    """What dbt_project.yml says of the models in a folder; the inner folder counts."""
    at, found = as_mapping(as_mapping(settings.get("models")).get(str(settings.get("name") or ""))), dict[str, Any]()
    for folder in ["", *folders]:
        at = as_mapping(at.get(folder)) if folder else at
        found |= {key.removeprefix("+"): value for key, value in at.items() if key.removeprefix("+") in _CONFIGS}
    return found


_CONFIGS = ("materialized", "unique_key", "incremental_strategy", "partition_by")


def _yaml(path: Path, file: str) -> Json:
    try:
        value, _ = read_marked(read_text(path))
    except Fault as fault:
        raise InvalidInput.of(
            say("etl.existing.yaml", file=name(file), line=name(str(fault.line)), reason=as_value(fault.message))
        ) from None
    return as_mapping(value)
