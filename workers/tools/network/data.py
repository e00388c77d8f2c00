"""What the tools work on: the networks and the knowledge of this deployment."""

from functools import lru_cache
from pathlib import Path

from workers.engines.network.knowledge import Knowledge, read_folder, read_references
from workers.engines.network.twins import Library, open_library
from workers.settings import Settings
from workers.skills.folders import shipped_folder

REFERENCES = ("network-optimisation", "references")
"""Where the shipped pack has its terms and documents."""


def library_of(settings: Settings) -> Library:
    """The networks of `BULLPEN_NETWORKS`, or the sample."""
    return open_library(settings.networks)


def knowledge_of(settings: Settings) -> Knowledge:
    """The terms and documents of `BULLPEN_NETWORKS` if the folder has them, else those of the shipped pack."""
    if settings.networks is not None and (own := read_folder(settings.networks)) is not None:
        return Knowledge(*own)
    return _shipped(shipped_folder().joinpath(*REFERENCES))


@lru_cache(maxsize=1)
def _shipped(folder: Path) -> Knowledge:
    return Knowledge(*read_references(folder))
