"""Generated rows: whole tables that honour what the catalogue knows, with the rows that break scripts."""

from workers.engines.pipelines.rows.generate import Generator, Shape
from workers.engines.pipelines.rows.late import changed_rows, later_rows, with_old_rows

__all__ = ("Generator", "Shape", "changed_rows", "later_rows", "with_old_rows")
