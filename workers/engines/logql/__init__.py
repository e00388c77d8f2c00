"""LogQL: read, checked, printed and run over given entries. Nothing here knows a log server."""

from workers.engines.logql.checker import check_logql, check_query
from workers.engines.logql.collecting import LineReader, TooMuch, collect
from workers.engines.logql.entries import LogEntry
from workers.engines.logql.metrics import vector_at
from workers.engines.logql.parser import parse_logql
from workers.engines.logql.printer import duration_text, print_logql
from workers.engines.logql.tokens import LogQLSyntaxError, duration_ns

__all__ = [
    "LineReader",
    "LogEntry",
    "LogQLSyntaxError",
    "TooMuch",
    "check_logql",
    "check_query",
    "collect",
    "duration_ns",
    "duration_text",
    "parse_logql",
    "print_logql",
    "vector_at",
]
