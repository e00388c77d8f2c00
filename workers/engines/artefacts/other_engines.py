"""By what a log or a script shows that its job ran on an engine that is not judged here."""

FLINK = "Flink"
HIVE = "Hive on MapReduce"

_IN_LOGS = (
    (FLINK, ("org.apache.flink.",)),
    (HIVE, ("Hadoop job information for Stage-", "MapReduce Total cumulative CPU time", "org.apache.hadoop.hive.ql.exec.mr.")),
)
_IN_SQL = (
    (FLINK, ("watermark for ", "'connector'")),
    (HIVE, ("set hive.execution.engine=mr",)),
)
"""Engine → what its SQL has together; no other engine of SQL has these."""


def engine_of_line(line: str) -> str:
    """The engine that a line of a log names; empty: none of these."""
    return next((engine for engine, signs in _IN_LOGS if any(sign in line for sign in signs)), "")


def engine_of_sql(text: str) -> str:
    """The engine that a script in SQL is for; empty: any."""
    plain = " ".join(text.lower().replace(" =", "=").replace("= ", "=").split())
    return next((engine for engine, signs in _IN_SQL if all(sign in plain for sign in signs)), "")
