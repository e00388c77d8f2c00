"""The arguments of the network tools.

| tool | arguments | result |
|---|---|---|
| `search_terminology` | `KnowledgeQuery` | `Terms` |
| `search_design_doc` | `KnowledgeQuery` | `DesignDocuments` |
| `match_scenario` | `ScenarioText` | `ScenarioMatch` |
| `query_root_cause_analysis` | `NetworkQuery` | `RootCauseAnalysis` |
| `query_simulation_results` | `NetworkQuery` | `SimulationResults` |
| `compare_simulation_data` | `ComparisonQuery` | `Comparison` |
| `get_network_rows` | `RowsQuery` | `NetworkRows` |
| `find_drive_test_cause` | `DriveTestText` | `DriveTestCause` |
"""

from pydantic import Field

from contracts.base import Contract, Text
from contracts.network import MOST_PAGE, ChartType, Level, TableReference

TEXT_MAX = 2_000
"""Characters of a text in which a term or a scenario is looked for."""

DRIVE_TEST_MAX = 200_000
"""Characters of a drive test: one with its cells has about 5,000."""

MOST_INDICATORS = 12
"""Indicators of a query; a cell has ten."""

MOST_FOUND = 20
"""Terms or documents of a search."""


class KnowledgeQuery(Contract):
    """A search in the terms or the design documents."""

    query: Text = Field(min_length=1, max_length=TEXT_MAX, description="The user's words, in any language.")
    limit: int = Field(default=3, ge=1, le=MOST_FOUND, description="How many to return, the best first.")


class ScenarioText(Contract):
    """Words that name an area."""

    text: Text = Field(max_length=TEXT_MAX, description="The user's sentence, or the name alone. Empty: every area is a candidate.")


class NetworkQuery(Contract):
    """A question about a twin. An unknown twin, level or indicator is a business error, which lists the known ones."""

    digitaltwinsId: Text = Field(min_length=1, max_length=64, description="From `match_scenario`.")  # noqa: N815 the name that the tools of the field use
    level: Level = Field(default=Level.CELL, description="Whether rows are cells or grids.")
    indicators: tuple[Text, ...] = Field(
        default=(), max_length=MOST_INDICATORS, description="Names such as `rsrp_dbm`. Empty: all of the level."
    )


class ComparisonQuery(NetworkQuery):
    """Two states of a network to draw."""

    chart_type: ChartType = Field(default=ChartType.GROUPED_BAR, description="How the two states are drawn.")
    only_problems: bool = Field(
        default=True, description="Only cells or grids that were a problem, or became worse. False: all that fit into the chart."
    )


class RowsQuery(Contract):
    """A page of a table."""

    reference: TableReference = Field(description="Of a result of `query_simulation_results` or another tool that gives one.")
    offset: int = Field(default=0, ge=0, description="Rows to skip.")
    limit: int = Field(default=100, ge=1, le=MOST_PAGE, description="How many rows to return.")


class DriveTestText(Contract):
    """A drive test as text: tables with `|` between columns, and the possible causes if there are some."""

    text: Text = Field(
        min_length=1,
        max_length=DRIVE_TEST_MAX,
        description="The tables with `|` between columns, and the possible causes if there are some.",
    )
