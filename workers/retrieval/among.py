"""A part of a corpus: what a search is restricted to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, LiteralString


@dataclass(frozen=True, slots=True)
class Among:
    """The texts of a table for which a condition holds. The fields but `parameters` are SQL, written by the domain."""

    table: LiteralString
    key: LiteralString
    condition: LiteralString
    """Over the columns of the table."""
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
