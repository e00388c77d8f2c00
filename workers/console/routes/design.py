"""The components of the console's own design system, in both themes beside each other: for those who change a page, and for the tests."""

from fastapi import APIRouter, Response

from contracts.charts import Channel, Chart, Mark
from contracts.statements import count, name, seconds, share, term
from workers.console.pages import Reading
from workers.console.routing import PageRoute
from workers.saying.document import Align, CodeBlock, Column, Diff, Document, Figure, Figures, Table

router = APIRouter(prefix="/console/design", include_in_schema=False, route_class=PageRoute)

STATES = ("accepted", "running", "waiting_human", "succeeded", "failed", "cancelled")
REGIONS = (("north", 1_432, 0.41), ("south", 1_020, 0.3), ("west", 980, 0.29))
MONTHS = tuple(f"2026-{month:02}" for month in range(1, 10))


@router.get("")
def design(look: Reading) -> Response:
    """The page. It needs a login, as all do, and is in no menu."""
    themes = {theme: look.document(_report(theme), below=2) for theme in ("light", "dark")}
    return look.html("design.html", shown=themes, states=STATES)


def _report(theme: str) -> Document:
    """The components that reports are made of: figures, a table, a chart, code, a diff."""
    region, orders = name("region"), name("orders")
    rows = tuple((name(region), count(orders, exact=True), share(part)) for region, orders, part in REGIONS)
    chart = Chart(
        title=term("console.design.chart"),
        mark=Mark.LINE,
        x=Channel(field="x", title=name("month")),
        y=Channel(field="y", type="quantitative", title=orders),
        color=Channel(field="series", title=region),
        data=tuple(
            {"x": month, "series": known, "y": float(orders + 40 * place * (1 if known == theme else place % 3))}
            for place, month in enumerate(MONTHS)
            for known, orders, _ in REGIONS
        ),
    )
    return Document(
        title=term(f"console.theme.{theme}"),
        blocks=(
            Figures(
                figures=(
                    Figure(label=orders, value=count(3_432, exact=True), note=term("console.now")),
                    Figure(label=term("console.job.took"), value=seconds(12.3)),
                )
            ),
            Table(
                columns=(Column(title=region), Column(title=orders, align=Align.RIGHT), Column(title=name("share"), align=Align.RIGHT)),
                rows=rows,
            ),
            chart,
            CodeBlock(text="SELECT region, COUNT(*) AS orders\nFROM orders -- of all time\nWHERE status = 'completed'", language="sql"),
            CodeBlock(text="@task(retries=2)\ndef load(day):  # one day\n    return read(day, limit=10)", language="python"),
            CodeBlock(text="target: paid  # one row a day\nsource: shop", language="yaml"),
            Diff(text="-SELECT *\n+SELECT region, 'all'\n FROM orders -- of all time\n WHERE n > 1", language="sql"),
        ),
    )
