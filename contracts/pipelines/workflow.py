"""What the architect of `etl` yields: jobs with their stages, what runs them, when, and what may go wrong."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from contracts.base import Contract, Json, Text
from contracts.pipelines.analysis import TargetColumn
from contracts.pipelines.wishes import Component, Environment
from contracts.statements import Sayable
from contracts.tables import JoinPath

JobId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
Cron = Annotated[str, StringConstraints(pattern=r"^(@(hourly|daily|weekly|monthly|yearly)|(\S+\s+){4}\S+)$", max_length=80)]


class ComponentKind(StrEnum):
    """What a component takes."""

    SQL = "SQL"
    SCRIPT = "SCRIPT"
    SYNC = "SYNC"


class ComponentSpec(Contract):
    """A component that may be chosen."""

    component: Component
    kind: ComponentKind
    settings: tuple[Text, ...] = ()
    """Names of settings that a job with it may have."""
    dialects: tuple[Text, ...] = ()
    """Dialects of SQL that belong to it, as sqlglot names them."""


COMPONENTS: tuple[ComponentSpec, ...] = (
    ComponentSpec(component=Component.HIVE, kind=ComponentKind.SQL, settings=("queue", "engine"), dialects=("hive",)),
    ComponentSpec(
        component=Component.SPARK_SQL,
        kind=ComponentKind.SQL,
        settings=("queue", "executors", "executor_memory"),
        dialects=("spark", "spark2", "databricks"),
    ),
    ComponentSpec(component=Component.SHELL, kind=ComponentKind.SCRIPT, settings=("command",)),
    ComponentSpec(component=Component.DATAX, kind=ComponentKind.SYNC, settings=("channels",)),
    ComponentSpec(component=Component.FLINK, kind=ComponentKind.SQL, settings=("parallelism",)),
    ComponentSpec(component=Component.PYTHON, kind=ComponentKind.SCRIPT, settings=("interpreter",)),
    ComponentSpec(component=Component.SQL, kind=ComponentKind.SQL, settings=("connection",)),
)
"""The typed list from which a component is chosen."""


def component_of(dialect: str) -> Component:
    """What runs SQL of this dialect, unless somebody chooses. SQL of most engines is run by their own clients."""
    return next((spec.component for spec in COMPONENTS if dialect in spec.dialects), Component.SQL)


class WorkflowStage(Contract):
    """A part of a job that leaves a table."""

    id: JobId
    step_ids: tuple[Text, ...]
    """Steps of the analysis that it carries out."""
    inputs: tuple[Text, ...]
    """Tables, or outputs of earlier stages."""
    output: Text
    is_temp: bool = False
    """The output is dropped when the job ends. No other job reads it."""
    columns: tuple[TargetColumn, ...] = ()
    """Of a table on the way, where its steps are known in words only. Empty: what its steps yield."""
    key: tuple[Text, ...] = ()
    """As `columns`: those of which no two rows have the same values."""


class WorkflowJob(Contract):
    """A unit that is scheduled, retried and written as a script."""

    id: JobId
    name: Sayable
    step_ids: tuple[Text, ...]
    depends: tuple[JobId, ...] = ()
    stages: tuple[WorkflowStage, ...]
    component: Component
    settings: Json = {}
    timeout_s: int = Field(default=3_600, gt=0)
    retries: int = Field(default=3, ge=0)
    retry_delay_s: int = Field(default=60, ge=0)

    @property
    def output(self) -> str:
        """The table that the job leaves."""
        return self.stages[-1].output


class Workflow(Contract):
    """The jobs of a requirement."""

    name: JobId
    jobs: tuple[WorkflowJob, ...]
    layers: tuple[tuple[JobId, ...], ...]
    """Jobs that may run at the same time, in the order of the layers."""
    schedule: Cron | None = None
    """None: it is started by hand."""
    environment: Environment = Environment.DEV
    dialect: Text = ""
    joins: tuple[JoinPath, ...] = ()
    """The joins of the steps, with their evidence."""
    followed: tuple[Sayable, ...] = ()
    """Historical queries and lineage that the plan follows."""
    deviations: tuple[Sayable, ...] = ()
    """Where it does otherwise, and why."""
    risks: tuple[Sayable, ...] = ()
    confidence: float = Field(default=1.0, ge=0, le=1)


class ComponentQuestion(Contract):
    """A question of the architect: what is to run the jobs."""

    kind: Literal["etl_component"] = "etl_component"
    components: tuple[ComponentSpec, ...] = COMPONENTS


class ScriptLayers(Contract):
    """The developer's assignment: a stage `script/n` for each job, which waits for those of the layers before that it reads."""

    stages: dict[str, JobId]
    """Stage → job."""
    layers: tuple[tuple[JobId, ...], ...]
