"""PromQL: read, checked, narrowed to the series of a system, and printed. Nothing here knows a metrics server."""

from workers.engines.promql.expressions import Expression, Selector, is_filter, longest_s, narrowed
from workers.engines.promql.parser import PromQLSyntaxError, parse_matchers, parse_promql
from workers.engines.promql.printer import print_matchers, print_promql

__all__ = [
    "Expression",
    "PromQLSyntaxError",
    "Selector",
    "is_filter",
    "longest_s",
    "narrowed",
    "parse_matchers",
    "parse_promql",
    "print_matchers",
    "print_promql",
]
