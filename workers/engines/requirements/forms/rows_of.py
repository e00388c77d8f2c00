"""A table with one row for each thing: "Build T, one row for each customer: customer_id; orders (number of orders); ...".

The measures of each table are aggregated by themselves before they are joined, so that no join repeats a row before it is counted.
Things without rows stay: their counts are 0.
"""

# ruff: noqa: E501 patterns

import re
from collections.abc import Sequence
from itertools import pairwise

from contracts.pipelines.analysis import AggregateWork, DeriveWork, EtlTarget, FilterWork, JoinSide, JoinWork, SourceWork, TargetColumn
from contracts.pipelines.expressions import Call, ColumnOf, Constant, Expression, Function, NamedExpression, ValueType
from contracts.sql_review import WriteMode
from contracts.statements import name, names, say
from contracts.tables import ColumnDetail, ForeignKey, JoinEvidence, TableDetail
from workers.engines.requirements.envelope import Envelope, is_frame
from workers.engines.requirements.facts import RequirementReading, Steps, filter_text, may_be_null
from workers.engines.requirements.forms.definitions import Definition, entity_of, read_definition
from workers.engines.requirements.forms.sentences import both, column_of

SURE = 0.95
_MAIN = re.compile(
    r"(?:please )?(?:build|create|make|produce|maintain|(?:we|i) need)(?: me| us)?(?: the| a| an)?(?: new)?(?: table)? (?P<table>[A-Za-z_][\w.]*)[,:]?(?: with| that has)? one row (?:for "
    r"each|for every|per|a) (?P<grain>[^:;,]{1,60}?)(?: ?: ?|,? with(?: the columns)?:? |,? and )(?P<columns>.+)",
    re.IGNORECASE | re.DOTALL,
)
_MAIN_ZH = re.compile(
    r"(?:请)?(?:我们?需要)?(?:建立|创建|新建|生成|制作|构建|加工|产出)(?:表)?\s*(?P<table>[A-Za-z_][\w.]*)\s*(?:表)?\s*[,，:：]\s*每(?:一)?(?:个|只|张|位|家|名|条|笔|件)?(?P<grain>[^,，:：;；]{1,20}?)(?:一|占一)行"
    r"\s*[:：,，]\s*(?:包含|列为?[:：]?)?(?P<columns>.+)",
    re.DOTALL,
)
_COLUMN = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*(?:[（(](?P<inside>.+)[)）]|\s*(?:=|:|：|＝)\s*(?P<behind>.+))?", re.DOTALL)


def read_rows_of(text: str, tables: Sequence[TableDetail]) -> RequirementReading | None:
    """The table, when every sentence and every column is read."""
    frame = Envelope()
    parts = [part.strip() for part in re.split(r"(?<=\.)(?=\s|$)|(?<=。)|\n+", text) if part.strip(" .。")]
    content = [part for part in parts if not is_frame(part, frame)]
    if len(content) != 1:
        return None
    main = content[0].strip(" .。")
    found = _MAIN.fullmatch(main) or _MAIN_ZH.fullmatch(main)
    if not found:
        return None
    entity = entity_of(found["grain"], tables)
    if entity is None or not entity.primary_key:
        return None
    columns = [_COLUMN.fullmatch(part.strip()) for part in _split(found["columns"])]
    if not columns or any(column is None for column in columns):
        return None
    return _reading(found["table"].lower(), entity, [column for column in columns if column is not None], tables)


def _split(text: str) -> list[str]:
    """The columns: at semicolons where there are any, else at commas outside of brackets."""
    marks = ";；" if re.search(r"[;；]", text) else ",，、"
    parts, depth = [""], 0
    for letter in text:
        depth += letter in "(（"
        depth -= letter in ")）"
        if letter in marks and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    cleaned = [re.sub(r"^\s*(?:and\s+|和|以及)", "", part).strip(" .。") for part in parts]
    return [part for part in cleaned if part]


def _reading(
    target: str, entity: TableDetail, columns: Sequence[re.Match[str]], tables: Sequence[TableDetail]
) -> RequirementReading | None:
    attributes: dict[str, str] = {}
    measures: dict[str, Definition] = {}
    for column in columns:
        label, text = column["name"].lower(), column["inside"] or column["behind"]
        definition = read_definition(text, tables) if text else None
        if definition is not None:
            measures[label] = definition
        elif (text is None and (known := column_of(label, entity))) or (
            text is not None and re.fullmatch(r"\w+", text.strip()) and (known := column_of(text.strip(), entity))
        ):
            attributes[label] = known.name
        else:
            return None
    if not measures or len(measures) + len(attributes) != len(columns):
        return None
    words = {column["name"].lower(): (column["inside"] or column["behind"] or "").strip() for column in columns}
    return _made(target, entity, words, attributes, measures, tables)


def _made(
    target: str,
    entity: TableDetail,
    words: dict[str, str],
    attributes: dict[str, str],
    measures: dict[str, Definition],
    tables: Sequence[TableDetail],
) -> RequirementReading | None:
    steps, order = Steps(), list(words)
    own = steps.add(
        entity.name,
        SourceWork(table=entity.full_name),
        say("requirements.step.source", table=name(entity.full_name)),
        tables=(entity.full_name,),
    )
    key = entity.primary_key
    last, places = own, {item: ColumnOf(step=own, name=item) for item in (*key, *attributes.values())}
    values: dict[str, Expression] = {}
    used = [entity.full_name]
    for table in dict.fromkeys(definition.table.full_name for definition in measures.values()):
        detail = next(item for item in tables if item.full_name == table)
        here = {label: definition for label, definition in measures.items() if definition.table.full_name == table}
        branch = _branch(steps, detail, entity, here, tables, used)
        if branch is None:
            return None
        on = both([Call(function=Function.EQUAL, arguments=(places[item], ColumnOf(step=branch, name=item))) for item in key])
        names_ = [*places, *values]
        kept = [NamedExpression(name=item, value=places[item]) for item in places]
        kept += [NamedExpression(name=label, value=value) for label, value in values.items()]
        kept += [
            NamedExpression(name=label, value=_or_zero(ColumnOf(step=branch, name=label), definition)) for label, definition in here.items()
        ]
        if len({item.name for item in kept}) != len(kept) or any(label in names_ for label in here):
            return None
        work = JoinWork(left=last, right=branch, side=JoinSide.LEFT, on=on, columns=tuple(kept), evidence=JoinEvidence.DECLARED)
        last = steps.add(
            f"with_{detail.name}", work, say("requirements.step.join", left=name(entity.name), right=name(branch), columns=names(key))
        )
        places = {item: ColumnOf(step=last, name=item) for item in places}
        values = {label: ColumnOf(step=last, name=label) for label in (*values, *here)}
    chosen = tuple(NamedExpression(name=label, value=values.get(label) or places[attributes[label]]) for label in order)
    steps.add("result", DeriveWork(input=last, columns=chosen), say("requirements.step.derive", columns=names(order)))
    shown = {attributes[label]: label for label in attributes}
    grain = tuple(shown[item] for item in key) if all(item in shown for item in key) else ()
    described = words | {label: getattr(column_of(column, entity), "description", "") for label, column in attributes.items()}
    result = EtlTarget(
        table=target,
        mode=WriteMode.OVERWRITE,
        columns=tuple(
            TargetColumn(name=label, description=described.get(label, ""), nullable=False if label in grain else None) for label in order
        ),
        key=grain,
        keeps_all=entity.full_name,
    )
    assumed = () if grain else (say("requirements.assume.no_key", table=name(entity.full_name), columns=names(key)),)
    says = [say("requirements.says.row_of", table=name(entity.full_name)), say("requirements.says.keeps_all", table=name(entity.full_name))]
    return RequirementReading(
        steps=tuple(steps.made), target=result, tables=tuple(dict.fromkeys(used)), says=tuple(says), assumptions=assumed, confidence=SURE
    )  # fmt: skip


def _or_zero(value: Expression, definition: Definition) -> Expression:
    is_count = definition.function in (Function.COUNT, Function.COUNT_DISTINCT)
    zero = Constant(type=ValueType.INTEGER, value="0")
    return Call(function=Function.COALESCE, arguments=(value, zero)) if is_count or definition.is_zero else value


def _branch(
    steps: Steps, table: TableDetail, entity: TableDetail, measures: dict[str, Definition], tables: Sequence[TableDetail], used: list[str]
) -> str | None:
    """The measures of a table, one row for each of the entity: the table, the way up to the entity's key, the aggregate."""
    path = path_up(table, entity, tables)
    if path is None:
        return None
    at = steps.add(
        table.name,
        SourceWork(table=table.full_name),
        say("requirements.step.source", table=name(table.full_name)),
        tables=(table.full_name,),
    )
    used.append(table.full_name)
    needed = {
        item.name for definition in measures.values() for part in (definition.value, definition.where) if part for item in _columns(part)
    }
    keys = tuple(ColumnOf(step=at, name=column) for column in path[0].columns)
    for reference, following in pairwise(path):
        parent = next(item for item in tables if item.full_name == reference.table)
        up = steps.add(
            parent.name,
            SourceWork(table=parent.full_name),
            say("requirements.step.source", table=name(parent.full_name)),
            tables=(parent.full_name,),
        )
        used.append(parent.full_name)
        pairs = zip(keys, reference.references, strict=True)
        on = both([Call(function=Function.EQUAL, arguments=(left, ColumnOf(step=up, name=right))) for left, right in pairs])
        kept = [NamedExpression(name=item, value=ColumnOf(step=at, name=item)) for item in sorted(needed)]
        further = [NamedExpression(name=f"{parent.name}_{item}", value=ColumnOf(step=up, name=item)) for item in following.columns]
        work = JoinWork(left=at, right=up, on=on, columns=(*kept, *further), evidence=JoinEvidence.DECLARED)
        at = steps.add(
            f"{table.name}_with_{parent.name}",
            work,
            say("requirements.step.join", left=name(table.name), right=name(parent.name), columns=names(reference.columns)),
        )
        keys = tuple(ColumnOf(step=at, name=item.name) for item in further)
    if lacking := [key for key, detail in zip(keys, _linked(table, path, tables), strict=True) if detail is None or may_be_null(detail)]:
        where = both([Call(function=Function.NOT_NULL, arguments=(key,)) for key in lacking])
        at = steps.add(f"{table.name}_kept", FilterWork(input=at, where=where), filter_text(table.name, where))
        keys = tuple(ColumnOf(step=at, name=key.name) for key in keys)
    by = tuple(NamedExpression(name=item, value=key) for item, key in zip(entity.primary_key, keys, strict=True))
    made = tuple(NamedExpression(name=label, value=definition.of(at)) for label, definition in measures.items())
    text = say("requirements.step.aggregate", columns=names(entity.primary_key))
    return steps.add(f"{table.name}_by_{entity.name}", AggregateWork(input=at, by=by, measures=made), text)


def _linked(table: TableDetail, path: Sequence[ForeignKey], tables: Sequence[TableDetail]) -> list[ColumnDetail | None]:
    """The columns that hold the key of the thing: of the table itself, or of the last that is joined on the way."""
    at = table if len(path) == 1 else next(item for item in tables if item.full_name == path[-2].table)
    return [column_of(column, at) for column in path[-1].columns]


def _columns(value: Expression) -> list[ColumnOf]:
    if isinstance(value, ColumnOf):
        return [value]
    return [item for argument in value.arguments for item in _columns(argument)] if isinstance(value, Call) else []


MOST_STEPS_UP = 3


def path_up(table: TableDetail, entity: TableDetail, tables: Sequence[TableDetail]) -> list[ForeignKey] | None:
    """The references from a table to the entity's key, the shortest. None: there is none, or two are equally short."""
    waiting: list[tuple[TableDetail, list[ForeignKey]]] = [(table, [])]
    for _ in range(MOST_STEPS_UP):
        reached: list[list[ForeignKey]] = []
        further: list[tuple[TableDetail, list[ForeignKey]]] = []
        for at, path in waiting:
            for key in at.foreign_keys:
                other = next((item for item in tables if key.table in (item.full_name, item.name)), None)
                if other is None or key.references != other.primary_key:
                    continue
                key_ = key.model_copy(update={"table": other.full_name})
                if other.full_name == entity.full_name:
                    reached.append([*path, key_])
                else:
                    further.append((other, [*path, key_]))
        if reached:
            return reached[0] if len(reached) == 1 else None
        waiting = further
    return None
