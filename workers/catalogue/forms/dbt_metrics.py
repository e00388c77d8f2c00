"""dbt's metrics as formulas of the published grammar: legacy ones, those over measures of semantic models, and those that aggregate
themselves. What is more than an aggregate of a column (or of a product of two) over simple conditions keeps its text, and is named."""

from collections.abc import Iterator, Mapping
from typing import Any

from sqlglot import exp

from contracts.base import Json
from contracts.statements import Statement, code, name, say
from workers.catalogue.forms.conditions import grammar_conditions
from workers.catalogue.forms.loose_json import as_list, as_mapping, mappings
from workers.engines.sql.bounded import parse_one
from workers.engines.sql.trees import PARSER_FAULTS

_BEFORE = {
    "sum": "sum of", "average": "average", "avg": "average", "min": "lowest", "max": "highest", "count_distinct": "number of different",
}  # fmt: skip


class NoFormula(Exception):
    """A metric that the grammar cannot say. The argument is the reason."""

    def __init__(self, reason: Statement) -> None:
        super().__init__(reason.code)
        self.reason = reason


class Metrics:
    """The metrics of a manifest."""

    def __init__(self, manifest: Json, tables: Mapping[str, str]) -> None:
        """`tables`: full names of tables by the ids of their nodes."""
        self._metrics = {str(item.get("name")): item for item in mappings(manifest.get("metrics"))}
        self._models = {str(item.get("name")): item for item in mappings(manifest.get("semantic_models"))}
        self._tables = tables

    def formula(self, metric: Json) -> tuple[str, str]:
        """The formula and the restriction, as the grammar reads them. The two sides of a ratio have restrictions of their own, which are
        in its formula. Raises `NoFormula`."""
        given = as_mapping(metric.get("type_params"))
        if given and metric.get("type") == "ratio" and not metric.get("filter"):
            return " / ".join(self._side(as_mapping(given.get(side))) for side in ("numerator", "denominator")), ""
        table, method, expression, conditions = self._parts(metric)
        restriction = " ".join(each for text in conditions for each in self._conditions(text, table, metric))
        return _formula(table, method, expression), restriction

    def written(self, metric: Json) -> str:
        """What the manifest says, as text: never read as a formula."""
        given = as_mapping(metric.get("type_params"))
        try:
            _, method, expression, conditions = self._parts(metric)
        except NoFormula:
            sides = [str(as_mapping(given.get(side)).get("name") or "") for side in ("numerator", "denominator")]
            shown = given.get("expr") or metric.get("expression") or metric.get("sql") or " / ".join(filter(None, sides))
            return f"SQL: {metric.get('calculation_method') or metric.get('type')} {shown}".strip()
        return " and ".join([f"SQL: {method}({expression}){' where ' if conditions else ''}{''.join(conditions[:1])}", *conditions[1:]])

    def _side(self, side: Json) -> str:
        other = self._metrics.get(str(side.get("name")))
        if other is None or side.get("filter") or as_mapping(other.get("type_params")).get("numerator"):
            raise NoFormula(say("refused.import.metric.kind", kind=name("ratio")))
        return " ".join(filter(None, self.formula(other)))

    def _parts(self, metric: Json) -> tuple[str, str, str, list[str]]:
        """The table's name, the aggregation, the expression, and conditions. Raises `NoFormula`."""
        given = as_mapping(metric.get("type_params"))
        if not given:  # before MetricFlow
            method = str(metric.get("calculation_method") or metric.get("type") or "")
            expression = str(metric.get("expression") or metric.get("sql") or "")
            nodes = [node for node in as_list(as_mapping(metric.get("depends_on")).get("nodes")) if node in self._tables]
            if len(nodes) != 1 or metric.get("window"):
                raise NoFormula(say("refused.import.metric.kind", kind=name("window" if metric.get("window") else method)))
            filters = [f"{item.get('field')} {item.get('operator')} {item.get('value')}" for item in mappings(metric.get("filters"))]
            return self._tables[nodes[0]], method, expression, filters
        measure = as_mapping(given.get("measure"))
        own = as_mapping(given.get("metric_aggregation_params"))
        model = self._model(metric)
        found = own or next((item for item in mappings(model.get("measures")) if item.get("name") == measure.get("name")), as_mapping(None))
        if metric.get("type") != "simple" or not found or found.get("non_additive_dimension") or measure.get("fill_nulls_with") is not None:
            raise NoFormula(say("refused.import.metric.kind", kind=name(str(metric.get("type")))))
        expression = str(given.get("expr") or found.get("expr") or found.get("name") or metric.get("name"))
        filters = [*_filters(metric.get("filter")), *_filters(measure.get("filter")), *_filters(found.get("filter"))]
        relation = as_mapping(model.get("node_relation"))
        return str(relation.get("alias") or ""), str(found.get("agg")), expression, filters

    def _model(self, metric: Json) -> Json:
        """The semantic model that has the metric's measure, or that it names."""
        given = as_mapping(metric.get("type_params"))
        named = as_mapping(given.get("metric_aggregation_params")).get("semantic_model")
        measure = as_mapping(given.get("measure")).get("name")
        having = (model for model in self._models.values() if any(item.get("name") == measure for item in mappings(model.get("measures"))))
        return self._models.get(str(named), as_mapping(None)) if named else next(having, as_mapping(None))

    def _conditions(self, text: str, table: str, metric: Json) -> Iterator[str]:
        """The parts of a condition, each as the grammar says it."""
        known = self._model(metric) if metric.get("type_params") else {}
        plain = _rendered(text, known)
        says = grammar_conditions(plain, table.rpartition(".")[2]) if plain else None
        if says is None:
            raise NoFormula(say("refused.import.metric.filter", filter=code(text[:200])))
        yield from says


def _formula(table: str, method: str, expression: str) -> str:
    tree, short = _parsed(expression), table.rpartition(".")[2]
    factors = [tree.this, tree.expression] if isinstance(tree, exp.Mul) else [tree]
    columns = [f"{short}.{factor.name}" for factor in factors if isinstance(factor, exp.Column) and not factor.table]
    is_of_rows = isinstance(tree, exp.Star) or (isinstance(tree, exp.Literal) and tree.name == "1")
    if not table or not (is_of_rows or len(columns) == len(factors)):
        raise NoFormula(say("refused.import.metric.expression", expression=code(expression[:200])))
    if is_of_rows and method in ("count", "sum"):
        return f"number of {short}"
    if method == "count" and len(columns) == 1:
        return f"number of {short} with {columns[0]} is not empty"
    if method in _BEFORE and columns and not (len(columns) > 1 and method == "count_distinct"):
        return f"{_BEFORE[method]} {' * '.join(columns)}"
    raise NoFormula(say("refused.import.metric.aggregation", aggregation=name(method)))


def _rendered(template: str, model: Json) -> str:
    """A condition of MetricFlow with the columns in the place of `{{ Dimension('order__status') }}`; empty: something else is in it."""
    first, *rest = template.split("{{")
    made = [first]
    entities = [item.get("name") for item in mappings(model.get("entities")) if item.get("type") == "primary"]
    entities.append(model.get("primary_entity"))
    columns = {item.get("name"): str(item.get("expr") or item.get("name")) for item in mappings(model.get("dimensions"))}
    for piece in rest:
        call, _, after = piece.partition("}}")
        inner = call.strip().removeprefix("Dimension(").removesuffix(")").strip(" '\"")
        entity, _, dimension = inner.rpartition("__")
        if entity not in entities or dimension not in columns or not call.strip().startswith("Dimension("):
            return ""
        made += [columns[dimension], after]
    return "".join(made) if "{%" not in template else ""


def _filters(value: Any) -> list[str]:
    """The conditions of a metric or measure: `{where_filters: [{where_sql_template}]}`, or a text."""
    if isinstance(value, str):
        return [value]
    return [str(item.get("where_sql_template") or "") for item in mappings(as_mapping(value).get("where_filters"))]


def _parsed(text: str) -> exp.Expr | None:
    try:
        return parse_one(text, "")
    except PARSER_FAULTS:
        return None
