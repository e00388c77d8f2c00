"""What each shipped kind of artefact is called, and what it holds."""

from enum import StrEnum

from contracts.statements import Statement, say_member


class CommonKind(StrEnum):
    """The kinds of artefact that are known for any engine or Spark."""

    SPARK_EVENT_LOG = "spark_event_log"
    PYSPARK_SCRIPT = "pyspark_script"
    SQL_SCRIPT = "sql_script"
    SCALA_SCRIPT = "scala_script"
    TABLE_METADATA = "table_metadata"
    STAGE_TABLE = "stage_table"
    SKEW_REPORT = "skew_report"
    SHUFFLE_LOG = "shuffle_log"
    EXPLAINED_PLAN = "explained_plan"
    CONFIGURATION = "configuration"
    PLAIN_LOG = "plain_log"
    UNKNOWN = "unknown"


DESCRIPTIONS: dict[str, Statement] = {kind.value: say_member("artefacts.description", kind) for kind in CommonKind}
"""By kind. A sentence or two; the recommender shows it."""

NAMES: dict[str, Statement] = {kind.value: say_member("artefacts.kind", kind) for kind in CommonKind}
"""By kind: what it is called within a sentence."""
