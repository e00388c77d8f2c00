"""Digital twins: networks by name, simulated by a seed or read from files, and how a text names one."""

from workers.engines.network.twins.library import Library, open_library
from workers.engines.network.twins.matching import match
from workers.engines.network.twins.twin import Effect, LevelTable, Twin

__all__ = ["Effect", "LevelTable", "Library", "Twin", "match", "open_library"]
