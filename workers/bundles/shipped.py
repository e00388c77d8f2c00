"""The artefact kinds of this release."""

from collections.abc import Callable
from functools import lru_cache

from contracts.bundles import Information
from contracts.statements import name, say
from workers.engines.artefacts.configuration import read_configuration, sniff_configuration
from workers.engines.artefacts.descriptions import DESCRIPTIONS
from workers.engines.artefacts.event_log import BYTES_PER_SECOND, MAX_BYTES, read_event_log, sniff_event_log
from workers.engines.artefacts.explained_plan import read_explained, sniff_plan
from workers.engines.artefacts.kinds import ArtefactKind, ArtefactSource, Parsed
from workers.engines.artefacts.plain_log import LOG_BYTES, read_plain_log, sniff_plain_log
from workers.engines.artefacts.rows import Rows, rows_of
from workers.engines.artefacts.scripts import script_parser, sniff_pyspark, sniff_scala, sniff_sql
from workers.engines.artefacts.shuffle_log import read_shuffle_log, sniff_shuffle_log
from workers.engines.artefacts.skew_report import read_skew_report, sniff_skew_report
from workers.engines.artefacts.stage_table import read_stage_table, sniff_stage_table
from workers.engines.artefacts.table_metadata import read_table_metadata, sniff_table_metadata
from workers.engines.artefacts.texts import Decoded, decode, of_text
from workers.engines.encodings import is_binary
from workers.engines.scope.kinds import scope_kinds

UNKNOWN = "unknown"

SCRIPT_TELLS = frozenset((Information.SCRIPT_LOGIC, Information.JOIN_DETAILS, Information.PARTITIONING, Information.CONFIGURATION))
TABLE_TELLS = frozenset((
    Information.STAGE_RUNS, Information.RUN_METRICS, Information.SHUFFLE_STATISTICS, Information.DATA_DISTRIBUTION,
    Information.DATA_VOLUME, Information.ERRORS,
))  # fmt: skip
LOG_TELLS = frozenset((
    Information.STAGE_RUNS, Information.RUN_METRICS, Information.DATA_DISTRIBUTION, Information.SHUFFLE_STATISTICS,
    Information.DATA_VOLUME, Information.DATA_FLOW, Information.OPERATORS, Information.JOIN_DETAILS, Information.PARTITIONING,
    Information.CONFIGURATION, Information.ERRORS,
))  # fmt: skip

EVENT_LOG = ArtefactKind(
    name="spark_event_log",
    description=DESCRIPTIONS["spark_event_log"],
    tells=LOG_TELLS,
    sniff=sniff_event_log,
    parse=read_event_log,
    parser="spark_event_log",
    version=2,
    cost_s=lambda size_bytes: 0.2 + size_bytes / BYTES_PER_SECOND,
    max_bytes=MAX_BYTES,
    reads_first=True,
)

PLAIN_LOG = ArtefactKind(
    name="plain_log",
    description=DESCRIPTIONS["plain_log"],
    tells=frozenset((Information.ERRORS, Information.WARNINGS)),
    sniff=lambda name, head: sniff_plain_log(_text(head), name),
    parse=read_plain_log,
    parser="plain_log",
    version=3,
    max_bytes=LOG_BYTES,
)


@lru_cache(maxsize=4)
def _text(head: bytes) -> str:
    """The decoded beginning of a file. It is cached, since every kind reads the same beginning."""
    return "" if is_binary(head) else decode(head, is_whole=False).text


@lru_cache(maxsize=4)
def _table(head: bytes) -> Rows:
    return rows_of(_text(head))


def _text_kind(
    name: str,
    tells: frozenset[Information],
    sniff: Callable[[str, bytes], float],
    parse: Callable[[str, Decoded], Parsed],
    *,
    reads_first: bool = False,
    version: int = 1,
) -> ArtefactKind:
    return ArtefactKind(
        name=name, description=DESCRIPTIONS[name], tells=tells, sniff=sniff, parse=of_text(parse), parser=name, reads_first=reads_first,
        version=version,
    )  # fmt: skip


SCRIPTS = (
    ("pyspark_script", "python", sniff_pyspark, "workers.engines.code.notebooks", "read_python"),
    ("sql_script", "sql", sniff_sql, "workers.engines.sql.operations.script", "read_sql"),
    ("scala_script", "scala", sniff_scala, "workers.engines.code.scala_script", "read_scala"),
)
"""Kind, language, how it is recognised, and the name of its reader: a worker loads only the grammars that it needs."""


def _script_kind(name: str, language: str, sniff: Callable[[str, str], float], module: str, function: str) -> ArtefactKind:
    parse = script_parser(language, module, function)
    return _text_kind(name, SCRIPT_TELLS, lambda named, head: sniff(_text(head), named), parse, reads_first=True, version=3)


TABLES = (
    _text_kind(
        "table_metadata",
        frozenset((Information.DATA_VOLUME, Information.HOT_KEYS)),
        lambda name, head: sniff_table_metadata(_table(head), _text(head)),
        read_table_metadata,
    ),
    _text_kind("stage_table", TABLE_TELLS, lambda _, head: sniff_stage_table(_table(head)), read_stage_table, version=3),
    _text_kind(
        "skew_report",
        frozenset((Information.DATA_DISTRIBUTION, Information.HOT_KEYS)),
        lambda name, head: sniff_skew_report(_table(head), _text(head), name),
        read_skew_report,
    ),
    _text_kind(
        "shuffle_log",
        frozenset((Information.SHUFFLE_STATISTICS, Information.DATA_VOLUME, Information.PARTITIONING)),
        lambda name, head: sniff_shuffle_log(_table(head), _text(head), name),
        read_shuffle_log,
    ),
)

EXPLAINED = _text_kind(
    "explained_plan",
    frozenset((Information.OPERATORS, Information.JOIN_DETAILS, Information.PARTITIONING)),
    lambda _, head: sniff_plan(_text(head)),
    read_explained,
    reads_first=True,
    version=2,
)

CONFIGURATION = _text_kind(
    "configuration", frozenset((Information.CONFIGURATION,)), lambda name, head: sniff_configuration(_text(head), name), read_configuration
)


def _not_read(source: ArtefactSource) -> Parsed:
    return Parsed(problem=say("bundles.problem.unknown_kind", file=name(source.name)))


NO_KIND = ArtefactKind(
    name=UNKNOWN,
    description=DESCRIPTIONS[UNKNOWN],
    tells=frozenset(),
    sniff=lambda _name, _head: 0.0,
    parse=_not_read,
    cost_s=lambda _size_bytes: 0.0,
)
"""The kind of a file that is not recognised."""


def shipped_kinds() -> tuple[ArtefactKind, ...]:
    """The kinds of this release."""
    scripts = tuple(_script_kind(*script) for script in SCRIPTS)
    return (EVENT_LOG, *scripts, *TABLES, EXPLAINED, CONFIGURATION, PLAIN_LOG, *scope_kinds(), NO_KIND)
