"""What each shipped kind of artefact is called, and what it holds."""

from contracts.statements import Statement, say

DESCRIPTIONS: dict[str, Statement] = {
    "spark_event_log": say("artefacts.description.spark_event_log"),
    "pyspark_script": say("artefacts.description.pyspark_script"),
    "sql_script": say("artefacts.description.sql_script"),
    "scala_script": say("artefacts.description.scala_script"),
    "table_metadata": say("artefacts.description.table_metadata"),
    "stage_table": say("artefacts.description.stage_table"),
    "skew_report": say("artefacts.description.skew_report"),
    "shuffle_log": say("artefacts.description.shuffle_log"),
    "configuration": say("artefacts.description.configuration"),
    "plain_log": say("artefacts.description.plain_log"),
    "unknown": say("artefacts.description.unknown"),
}
"""By kind. A sentence or two; the recommender shows it."""

NAMES: dict[str, Statement] = {
    "spark_event_log": say("artefacts.kind.spark_event_log"),
    "pyspark_script": say("artefacts.kind.pyspark_script"),
    "sql_script": say("artefacts.kind.sql_script"),
    "scala_script": say("artefacts.kind.scala_script"),
    "table_metadata": say("artefacts.kind.table_metadata"),
    "stage_table": say("artefacts.kind.stage_table"),
    "skew_report": say("artefacts.kind.skew_report"),
    "shuffle_log": say("artefacts.kind.shuffle_log"),
    "configuration": say("artefacts.kind.configuration"),
    "plain_log": say("artefacts.kind.plain_log"),
    "unknown": say("artefacts.kind.unknown"),
}
"""By kind: what it is called within a sentence."""
