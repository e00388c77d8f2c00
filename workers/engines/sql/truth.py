"""Columns that say yes or no: of a boolean type, or numbers of which there are only 0 and 1 and whose name or comment asks a question."""

import re

from contracts.tables import ColumnDetail
from workers.engines.sql.build_values import BOOLEAN, NUMERIC

_ASKING = re.compile(r"^(?:is|has|had|have|was|can|did|allows?|needs?|requires?)_|(?:ed|able)$|(?:^|_)(?:active|flag|flg)$", re.IGNORECASE)
_SAYS_WHETHER = re.compile(r"^(?:是否|whether\b|1 (?:if|when|while|for)\b|true (?:if|when|while)\b|flag\b)|[01] ?(?:=|是|为|表示)|\b1 (?:if|when|while)\b", re.IGNORECASE)  # fmt: skip # noqa: E501 a pattern


def holds_truth(column: ColumnDetail) -> bool:
    """Whether the column says yes or no. SQLite, MySQL and exports have no type for it: there 1 means yes, and 0 no."""
    if BOOLEAN.search(column.type):
        return True
    if not NUMERIC.search(column.type) or (column.minimum, column.maximum) not in (("0", "1"), ("1", "1"), ("0", "0")):
        return False
    return bool(_ASKING.search(column.name) or _SAYS_WHETHER.search(column.description))
