"""The registered tools."""

from contracts.network import (
    Comparison,
    DesignDocuments,
    DriveTestCause,
    NetworkRows,
    RootCauseAnalysis,
    ScenarioMatch,
    SimulationResults,
    Terms,
)  # fmt: skip
from contracts.network_calls import ComparisonQuery, DriveTestText, KnowledgeQuery, NetworkQuery, RowsQuery, ScenarioText
from contracts.tools import Cost
from workers.engines.network.answers import analyse, chosen_indicators, compare, page_of, simulate
from workers.engines.network.drive_tests import find_cause, read_drive_test
from workers.engines.network.knowledge import find_documents, find_terms
from workers.tools.network.data import knowledge_of, library_of
from workers.tools.tool import Tool, ToolContext

OPENS = frozenset({"service"})


def _terms(ctx: ToolContext, arguments: KnowledgeQuery) -> Terms:
    return find_terms(knowledge_of(ctx.services.settings), arguments.query, arguments.limit, ctx.language)


def _documents(ctx: ToolContext, arguments: KnowledgeQuery) -> DesignDocuments:
    return find_documents(knowledge_of(ctx.services.settings), arguments.query, arguments.limit, ctx.language)


def _match(ctx: ToolContext, arguments: ScenarioText) -> ScenarioMatch:
    return library_of(ctx.services.settings).match(arguments.text)


def _analyse(ctx: ToolContext, arguments: NetworkQuery) -> RootCauseAnalysis:
    twin = library_of(ctx.services.settings).twin(arguments.digitaltwinsId)
    return analyse(twin, arguments.level, chosen_indicators(twin, arguments.level, arguments.indicators))


def _simulate(ctx: ToolContext, arguments: NetworkQuery) -> SimulationResults:
    twin = library_of(ctx.services.settings).twin(arguments.digitaltwinsId)
    return simulate(twin, arguments.level, chosen_indicators(twin, arguments.level, arguments.indicators))


def _compare(ctx: ToolContext, arguments: ComparisonQuery) -> Comparison:
    twin = library_of(ctx.services.settings).twin(arguments.digitaltwinsId)
    indicators = chosen_indicators(twin, arguments.level, arguments.indicators)
    return compare(twin, arguments.level, indicators, arguments.chart_type, only_problems=arguments.only_problems)


def _rows(ctx: ToolContext, arguments: RowsQuery) -> NetworkRows:
    return page_of(library_of(ctx.services.settings).twin, arguments.reference, arguments.offset, arguments.limit)


def _drive_test(_ctx: ToolContext, arguments: DriveTestText) -> DriveTestCause:
    return find_cause(read_drive_test(arguments.text))


SEARCH_TERMINOLOGY = Tool(
    "search_terminology",
    "Looks up terms of mobile networks: what they mean, their thresholds, and the indicators that measure them. Call it first.",
    KnowledgeQuery, Terms, _terms, opens=OPENS,
)  # fmt: skip

SEARCH_DESIGN_DOC = Tool(
    "search_design_doc",
    "Looks up how a problem is analysed: which levels (cell, grid), which indicators, and what to look at.",
    KnowledgeQuery, DesignDocuments, _documents, opens=OPENS,
)  # fmt: skip

MATCH_SCENARIO = Tool(
    "match_scenario",
    "Finds the digital twin of the area that a text names. When several fit, `digitaltwinsId` is empty and the user has to choose one of "
    "`candidates`.",
    ScenarioText, ScenarioMatch, _match, opens=OPENS,
)  # fmt: skip

QUERY_ROOT_CAUSE_ANALYSIS = Tool(
    "query_root_cause_analysis",
    "Finds the problem cells or grids of a twin by the given indicators, and their root causes.",
    NetworkQuery, RootCauseAnalysis, _analyse, cost=Cost.MEDIUM, opens=OPENS,
)  # fmt: skip

QUERY_SIMULATION_RESULTS = Tool(
    "query_simulation_results",
    "Simulates the changes that mend the root causes: indicators before and after, what is still a problem, and what became worse. Only "
    "after the user agreed.",
    NetworkQuery, SimulationResults, _simulate, cost=Cost.MEDIUM, opens=OPENS,
)  # fmt: skip

COMPARE_SIMULATION_DATA = Tool(
    "compare_simulation_data",
    "Draws an indicator before and after the changes: grouped_bar_chart (default), line_chart, stacked_bar_chart, scatter_plot, heatmap "
    "or table. After a simulation.",
    ComparisonQuery, Comparison, _compare, cost=Cost.MEDIUM, opens=OPENS,
)  # fmt: skip

GET_NETWORK_ROWS = Tool(
    "get_network_rows", "Reads rows of a table by its reference, a page at a time.", RowsQuery, NetworkRows, _rows, opens=OPENS,
)  # fmt: skip

FIND_DRIVE_TEST_CAUSE = Tool(
    "find_drive_test_cause",
    "Finds why the throughput of a drive test dropped, from its tables as text, and which of the given options says so.",
    DriveTestText, DriveTestCause, _drive_test, opens=OPENS,
)  # fmt: skip
