"""A mobile network as the tools of network optimisation show it: cells, grids, indicators, root causes, changes and their effect."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from contracts.base import Contract, Text
from contracts.charts import Chart
from contracts.statements import Sayable

SAMPLE_ROWS = 5
"""Rows of a table that a model is shown. The user gets all of them through the table's reference."""

MOST_IDS = 200
"""Cells or grids that a group of problems names; `count` has the whole number."""

MOST_PAGE = 500
"""Rows that `get_network_rows` returns at once."""

MOST_ITEMS = 50
"""Problems that are explained one by one; the groups count all of them."""

TwinId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=64)]
"""The id of a digital twin: `NET-01`."""

TableReference = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.,/:-]+$", max_length=400)]
"""Where all rows of a table are: twin, version of its data, level, time and indicators. Read it with `get_network_rows`."""

Cell = str | int | float | None
"""A value of a table. None: the cell or grid has no samples."""


class Level(StrEnum):
    """The unit of an analysis."""

    CELL = "cell"
    GRID = "grid"
    """A square of the map."""


class Cause(StrEnum):
    """Why a cell or a grid is a problem."""

    NONE = "none"
    WEAK_COVERAGE = "weak_coverage"
    OVERSHOOT = "overshoot"
    """A cell serves or disturbs places far outside its own area."""
    OVERLAP_INTERFERENCE = "overlap_interference"
    """Several cells are equally strong in the same place."""
    HIGH_LOAD = "high_load"
    MISSING_NEIGHBOUR = "missing_neighbour"
    """Handovers fail because a neighbour relation is not configured."""


class Parameter(StrEnum):
    """What a change sets."""

    TILT = "tilt_deg"
    AZIMUTH = "azimuth_deg"
    POWER = "power_dbm"
    CARRIERS = "carriers"
    NEIGHBOURS = "neighbours"
    OTHER = "other"
    """A change that the twin's own files describe in words."""


class ChartType(StrEnum):
    """How two states of a network are compared (K23)."""

    GROUPED_BAR = "grouped_bar_chart"
    LINE = "line_chart"
    STACKED_BAR = "stacked_bar_chart"
    SCATTER = "scatter_plot"
    HEATMAP = "heatmap"
    TABLE = "table"


class ScenarioCard(Contract):
    """A digital twin by its names."""

    digitaltwinsId: TwinId  # noqa: N815 the name that the tools of the field use
    name_zh: Text
    name_en: Text
    aliases: tuple[Text, ...] = ()


class ScenarioMatch(Contract):
    """Of `match_scenario`. A text that names no known twin is a business error, which lists the known ones."""

    digitaltwinsId: TwinId | None = None  # noqa: N815 as above
    """None: the text fits several twins, and the user has to choose one of the candidates."""
    candidates: tuple[TwinId, ...] = Field(min_length=1)
    """The best fits; the chosen one alone when there is no doubt."""
    scenarios: tuple[ScenarioCard, ...]
    """The candidates' names, in the same order."""
    matched: Text
    """The words of the text that named it."""


class TermFound(Contract):
    """A term of the field."""

    id: Text
    term: Text
    """In the language of the job."""
    synonyms: tuple[Text, ...] = ()
    """Its other names, those in other languages included."""
    text: Text
    indicators: tuple[Text, ...] = ()
    """The indicators that measure it."""
    score: float = Field(ge=0, le=1)


class Terms(Contract):
    """Of `search_terminology`."""

    terms: tuple[TermFound, ...]


class DesignDocument(Contract):
    """How a kind of problem is analysed."""

    id: Text
    topic: Text
    """`coverage`, `interference`, `capacity`, or another."""
    title: Text
    text: Text
    levels: tuple[Level, ...] = ()
    """The levels that it asks for, in its order."""
    indicators: dict[Level, tuple[Text, ...]] = {}
    """Which indicators to query at which level. It may name a level that `levels` leaves to need."""
    score: float = Field(ge=0, le=1)


class DesignDocuments(Contract):
    """Of `search_design_doc`."""

    documents: tuple[DesignDocument, ...]


class IndicatorColumn(Contract):
    """A column of a table."""

    name: Text
    unit: Text = ""
    is_indicator: bool = False
    """False: it names or places the row."""


class NetworkTable(Contract):
    """A table by reference, with its first rows."""

    reference: TableReference
    columns: tuple[IndicatorColumn, ...]
    row_count: int = Field(ge=0)
    sample: tuple[tuple[Cell, ...], ...] = Field(max_length=SAMPLE_ROWS)
    """The first rows; the table begins with the worst."""


class NetworkRows(Contract):
    """Of `get_network_rows`: a page of a table."""

    columns: tuple[IndicatorColumn, ...]
    rows: tuple[tuple[Cell, ...], ...] = Field(max_length=MOST_PAGE)
    offset: int = Field(ge=0)
    row_count: int = Field(ge=0)
    """Of the whole table."""


class Limit(Contract):
    """What makes a cell or grid a problem: the indicator is beyond the value."""

    indicator: Text
    value: float
    unit: Text = ""
    is_upper: bool
    """True: a problem is above the value."""


class ProblemGroup(Contract):
    """The cells or grids with the same root cause."""

    cause: Cause
    indicator: Text
    """The indicator that shows the problem best, by which the group is ordered."""
    count: int = Field(ge=1)
    ids: tuple[Text, ...] = Field(max_length=MOST_IDS)
    """Ordered by id."""
    worst_id: Text
    worst_value: float
    mean: float
    """Of the indicator over the group, rounded as it is shown."""


class ProblemItem(Contract):
    """Why a cell or a grid is a problem."""

    id: Text
    cause: Cause
    culprits: tuple[Text, ...] = ()
    """The cells that cause it: itself, or others. Empty: the data has no geometry to tell."""
    says: Sayable
    """The evidence: figures and, where they are known, places and parameters."""


class RootCauseAnalysis(Contract):
    """Of `query_root_cause_analysis`."""

    digitaltwinsId: TwinId  # noqa: N815 as above
    scenario: ScenarioCard | None = None
    """Its names. Results of older releases have none."""
    level: Level
    indicators: tuple[Text, ...]
    limits: tuple[Limit, ...]
    """By which problems were found, for the asked indicators."""
    table: NetworkTable
    """Place, the asked indicators and the root cause of each row."""
    groups: tuple[ProblemGroup, ...]
    """The problems that the asked indicators show, the largest group first."""
    other_groups: tuple[ProblemGroup, ...] = ()
    """Problems that only other indicators show."""
    items: tuple[ProblemItem, ...] = Field(default=(), max_length=MOST_ITEMS)
    """The worst of each group, explained."""
    says: tuple[Sayable, ...] = ()
    """The findings in sentences."""


class ParameterChange(Contract):
    """A change that the optimisation makes."""

    cell: Text
    parameter: Parameter
    before: float | None = None
    after: float | None = None
    cause: Cause = Cause.NONE
    """The problem that it mends."""
    says: Sayable


class Worsened(Contract):
    """A cell or grid that is worse after the changes."""

    id: Text
    indicator: Text
    before: float
    after: float


class IndicatorEffect(Contract):
    """What the changes do to an indicator, over the cells or grids that were a problem by it."""

    indicator: Text
    unit: Text = ""
    problems: tuple[Text, ...] = Field(default=(), max_length=MOST_IDS)
    """Which they were."""
    problem_count: int = Field(ge=0)
    mean_before: float | None = None
    """None: no cell was a problem by this indicator."""
    mean_after: float | None = None
    still_problem: tuple[Text, ...] = Field(default=(), max_length=MOST_IDS)
    new_problem: tuple[Text, ...] = Field(default=(), max_length=MOST_IDS)
    overall_before: float | None = None
    """Mean over all cells or grids."""
    overall_after: float | None = None
    worse: tuple[Worsened, ...] = Field(default=(), max_length=MOST_ITEMS)
    """Those that lost more than the tolerance of the indicator, the greatest loss first."""


class Promise(Contract):
    """The gain that was promised before the simulation, and what it gave."""

    indicator: Text
    cause: Cause
    promised: float
    """The least improvement of the mean over the problem cells; positive is better."""
    reached: float

    @property
    def is_kept(self) -> bool:
        """Whether the simulation gave at least what was promised."""
        return self.reached >= self.promised


class SimulationResults(Contract):
    """Of `query_simulation_results`."""

    digitaltwinsId: TwinId  # noqa: N815 as above
    level: Level
    indicators: tuple[Text, ...]
    is_computed: bool
    """True: a model of the network was run. False: the twin's files held the results."""
    table: NetworkTable
    """Before and after of each row: columns `rsrp_dbm` and `rsrp_dbm_after`."""
    changes: tuple[ParameterChange, ...] = ()
    effects: tuple[IndicatorEffect, ...]
    promises: tuple[Promise, ...] = ()
    says: tuple[Sayable, ...] = ()


class Comparison(Contract):
    """Of `compare_simulation_data`."""

    digitaltwinsId: TwinId  # noqa: N815 as above
    level: Level
    indicators: tuple[Text, ...]
    chart_type: ChartType
    chart: Chart | None = None
    """None: a table was asked for."""
    table: NetworkTable


class DriveFault(StrEnum):
    """Why the throughput of a drive test dropped."""

    WEAK_FAR_END = "weak_far_end"
    """The downtilt is too large: weak coverage at the far end."""
    OVERSHOOT = "overshoot"
    """The serving cell covers more than a kilometre."""
    BETTER_NEIGHBOUR = "better_neighbour"
    """A neighbouring cell gives a higher throughput."""
    OVERLAP = "overlap"
    """Co-frequency cells of other sites overlap."""
    HANDOVERS = "handovers"
    """Frequent handovers."""
    PCI_MOD_30 = "pci_mod_30"
    """A neighbour has the same PCI modulo 30."""
    SPEED = "speed"
    """The vehicle is faster than 40 km/h."""
    FEW_BLOCKS = "few_blocks"
    """Too few resource blocks are scheduled."""


class DriveFeatures(Contract):
    """What was computed from a drive test."""

    seconds: int
    """Rows of the test."""
    slow_seconds: int
    """Rows whose throughput is below the limit."""
    limit_mbps: float
    values: dict[str, float]
    """Name → figure."""


class DriveTestCause(Contract):
    """Of `find_drive_test_cause`."""

    fault: DriveFault
    option: Text = ""
    """The label of the option that says so, as the question names it: `C7`. Empty: the question has no such option."""
    also: tuple[DriveFault, ...] = ()
    """Other causes whose rule holds too, but which explain less."""
    features: DriveFeatures
    says: tuple[Sayable, ...]
    """What happened, and the evidence for this cause."""
