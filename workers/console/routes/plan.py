"""A question about data that is filled in from the catalogue: its SQL and how it is read are shown before it runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError
from starlette.datastructures import FormData, QueryParams

from contracts.base import Json
from contracts.charts import Mark
from contracts.plan_wishes import PlanWish
from contracts.queries import Aggregate, Operator, TimeUnit
from contracts.tables import ColumnDetail, TableDetail
from workers.app.submitting import submit
from workers.catalogue import Catalogue
from workers.console.filled import Filled
from workers.console.pages import Look, Submitting
from workers.console.routes.sources import sees
from workers.console.routing import PageRoute
from workers.coordinator.intake import faults, read_submission
from workers.engines.sql.plan_check import is_numeric, is_temporal
from workers.engines.wished_plans import joinable
from workers.errors import InvalidInput
from workers.gateway.access.caller import Here
from workers.gateway.context import Gateway
from workers.kinds.base import BuiltQuery
from workers.kinds.registry import all_kinds
from workers.saying.errors import message_of
from workers.sources import list_sources

router = APIRouter(prefix="/console/plan", include_in_schema=False, route_class=PageRoute)

FIGURES, CONDITIONS = 2, 3
"""Rows that a form has for them at first; it always has one more than are filled in."""
MOST_ROWS = 5
MOST_TABLES = 300
MOST_VALUES = 100
"""Values of a column that are suggested."""
_WITHOUT_VALUES = (Operator.IS_NULL, Operator.NOT_NULL, Operator.IS_TRUE, Operator.IS_FALSE)
_SEVERAL = (Operator.IN, Operator.NOT_IN)
MARKS = tuple(mark.value for mark in Mark)


@dataclass(frozen=True, slots=True)
class _Column:
    """A column to choose."""

    place: str
    label: str
    detail: ColumnDetail

    @property
    def is_number(self) -> bool:
        """Whether it can be added up."""
        return is_numeric(self.detail)

    @property
    def is_time(self) -> bool:
        """Whether it can say when."""
        return is_temporal(self.detail) and bool(self.detail.type)


@router.get("")
def builder(request: Request, here: Here, look: Submitting) -> Response:
    """The page."""
    return look.html("plan.html", **_values(here, look, request.query_params))


@router.get("/form")
def form(request: Request, here: Here, look: Submitting) -> Response:
    """The form alone, with what was chosen so far: other tables bring other columns."""
    return look.html("plan_form.html", **_values(here, look, request.query_params))


@router.post("/preview")
def preview(here: Here, look: Submitting, form: Filled) -> Response:
    """How the query is read back, and its SQL. Nothing runs."""
    try:
        built = _built(here, look, form)
    except InvalidInput as error:
        return look.html("plan_preview.html", built=None, problem=message_of(error, look.language))
    return look.html("plan_preview.html", built=built, problem=None)


@router.post("")
def ask(here: Here, look: Submitting, form: Filled) -> Response:
    """Make the job."""
    built = _built(here, look, form)
    body = {"job": built.request, "owner": look.who.owner, "engine": here.settings.engine.value}
    made = submit(here.services, read_submission(body))
    return Response(status_code=201, headers={"HX-Redirect": f"/console/jobs/{made.job_id}"})


def _built(here: Gateway, look: Look, form: FormData) -> BuiltQuery:
    kind = next(kind for kind in all_kinds() if kind.builder is not None)
    if kind.builder is None or str(form.get("source") or "") not in _sources(here, look):
        raise InvalidInput(look("console.plan.no_source"))
    try:
        wish = PlanWish.model_validate(_wish(form))
    except ValidationError as error:
        raise InvalidInput.of(faults(error)) from None
    return kind.builder.load()(here.db, wish, look.who.owner, look.language)


def _wish(form: FormData | QueryParams) -> Json:
    """What was filled in."""
    figures = [{"aggregate": how, "column": of or None} for _, how, of in _figures(form)]
    conditions = [_condition(form, n) for n in range(MOST_ROWS) if form.get(f"where-{n}")]
    wish: Json = {"source": form.get("source"), "table": form.get("table"), "figures": figures, "conditions": conditions}
    wish |= {"others": form.getlist("other"), "columns": form.getlist("column"), "descending": "descending" in form}
    shown, order = _shown(form), str(form.get("order") or "")
    wish["order"] = shown.index(order) + 1 if order in shown else None
    return wish | {name: form.get(name) or None for name in ("time", "unit", "since", "until", "limit", "mark")}


def _figures(form: FormData | QueryParams) -> list[tuple[int, str, str]]:
    """The rows of figures that are filled in: the row's number, the figure and its column; "" for rows."""
    rows = [(n, str(form.get(f"how-{n}") or ""), str(form.get(f"of-{n}") or "")) for n in range(MOST_ROWS)]
    return [(n, how, of) for n, how, of in rows if how and (how == Aggregate.COUNT or of)]


def _shown(form: FormData | QueryParams) -> list[str]:
    """The columns of the result in their order: `unit` for the time, columns by their place, `figure-N` for the figure of row N."""
    unit = ["unit"] if form.get("time") and form.get("unit") else []
    return [*unit, *map(str, form.getlist("column")), *(f"figure-{n}" for n, _, _ in _figures(form))]


def _orders(look: Look, chosen: QueryParams, places: Mapping[str, _Column]) -> list[tuple[str, str]]:
    """By what the result can be sorted, each with what it is called."""
    labels = {place: column.label for place, column in places.items()}
    if unit := chosen.get("unit"):
        labels["unit"] = look(f"console.plan.unit.{unit}")
    for n, how, of in _figures(chosen):
        labels[f"figure-{n}"] = f"{look(f'console.plan.how.{how}')} {labels.get(of) or look('console.plan.rows')}"
    return [(key, labels[key]) for key in _shown(chosen) if key in labels]


def _condition(form: FormData | QueryParams, n: int) -> Json:
    operator, text = str(form.get(f"is-{n}") or Operator.EQUAL), str(form.get(f"value-{n}") or "").strip()
    if operator in _WITHOUT_VALUES:
        values: list[str] = []
    else:
        values = [part.strip() for part in text.split(",") if part.strip()] if operator in _SEVERAL else [text]
    return {"column": form.get(f"where-{n}"), "operator": operator, "values": values}


def _sources(here: Gateway, look: Look) -> list[str]:
    return [source.name for source in list_sources(here.db) if sees(source.owners, look.who)]


def _values(here: Gateway, look: Look, chosen: QueryParams) -> dict[str, Any]:
    """What the form offers and what it holds. What does not belong to the chosen tables is left out."""
    sources = _sources(here, look)
    source = _one_of(chosen.get("source"), sources)
    catalogue = Catalogue(here.db, None)
    tables = catalogue.tables(source, owner=look.who.owner, limit=MOST_TABLES) if source else ()
    known = {table.full_name: table for table in tables}
    table = _one_of(chosen.get("table"), list(known))
    paths = catalogue.joins(source, list(known), owner=look.who.owner) if len(known) > 1 else ()
    reachable = joinable(table, tables, paths) if table else []
    others = [name for name in chosen.getlist("other") if name in reachable]
    columns = _columns([known[name] for name in ([table] if table else []) + others])
    places = {column.place: column for column in columns}
    figures = [(chosen.get(f"how-{n}") or "", chosen.get(f"of-{n}") or "") for n in range(MOST_ROWS)]
    conditions = [
        (chosen.get(f"where-{n}") or "", chosen.get(f"is-{n}") or "equal", chosen.get(f"value-{n}") or "") for n in range(MOST_ROWS)
    ]
    return {
        "sources": sources, "source": source, "tables": tables, "table": table, "reachable": reachable, "others": others,
        "columns": columns, "picked": [name for name in chosen.getlist("column") if name in places],
        "figures": figures[: max(FIGURES, 1 + sum(1 for how, _ in figures if how))],
        "conditions": [
            (where, how, value, places[where].detail.values[:MOST_VALUES] if where in places else ())
            for where, how, value in conditions[: max(CONDITIONS, 1 + sum(1 for where, *_ in conditions if where))]
        ],
        "held": {name: chosen.get(name) or "" for name in ("time", "unit", "since", "until", "order", "limit", "mark")},
        "orders": _orders(look, chosen, places), "descending": "descending" in chosen, "aggregates": [item.value for item in Aggregate],
        "operators": [item.value for item in Operator], "units": [item.value for item in TimeUnit], "marks": MARKS,
    }  # fmt: skip


def _columns(tables: list[TableDetail]) -> list[_Column]:
    several = len(tables) > 1
    return [
        _Column(f"{table.full_name}.{column.name}", f"{table.name}.{column.name}" if several else column.name, column)
        for table in tables for column in table.columns
    ]  # fmt: skip


def _one_of(wanted: str | None, known: list[str]) -> str:
    return wanted if wanted in known else (known[0] if known else "")
