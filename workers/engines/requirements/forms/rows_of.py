"""placeholder"""
from collections.abc import Sequence
from contracts.tables import TableDetail
from workers.engines.requirements.facts import RequirementReading
def read_rows_of(text: str, tables: Sequence[TableDetail]) -> RequirementReading | None:
    return None
