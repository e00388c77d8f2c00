"""Lineage: the tables and columns from which those that a statement writes or yields are computed."""

from workers.engines.sql.lineage.columns import Origin, Origins
from workers.engines.sql.lineage.script import Lineage, script_lineage
from workers.engines.sql.lineage.statement import ColumnEdge, column_edges, source_tables, target_table

__all__ = ("ColumnEdge", "Lineage", "Origin", "Origins", "column_edges", "script_lineage", "source_tables", "target_table")
