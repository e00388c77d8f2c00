"""Where whole scripts run: a locked DuckDB in a process of its own, with limits that the operating system holds."""

from workers.engines.pipelines.warehouse.process import Answer, Limits, Warehouse, WarehouseError, open_warehouse

__all__ = ("Answer", "Limits", "Warehouse", "WarehouseError", "open_warehouse")
