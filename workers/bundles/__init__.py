"""A job's files: accepting them, storing them by hash, recognising their kinds, and reading them.

The names below are loaded when they are first used: a command that only names a kind of file does not load the parsers of all.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workers.bundles.history_server import Days
    from workers.bundles.limits import BundleLimits
    from workers.bundles.opening import KeptFiles, OpenBundle, kept_files, open_job_bundle
    from workers.bundles.owners import give, require_own
    from workers.bundles.reading import ArtefactReader, ArtefactReading, read_artefact
    from workers.bundles.retention import Freed, purge_store
    from workers.bundles.store import open_store
    from workers.bundles.upload import bring, store_bundle

__all__ = [
    "ArtefactReader",
    "ArtefactReading",
    "BundleLimits",
    "Days",
    "Freed",
    "KeptFiles",
    "OpenBundle",
    "bring",
    "give",
    "kept_files",
    "open_job_bundle",
    "open_store",
    "purge_store",
    "read_artefact",
    "require_own",
    "store_bundle",
]

_MODULES = {
    "history_server": ("Days",),
    "limits": ("BundleLimits",),
    "opening": ("KeptFiles", "OpenBundle", "kept_files", "open_job_bundle"),
    "owners": ("give", "require_own"),
    "reading": ("ArtefactReader", "ArtefactReading", "read_artefact"),
    "retention": ("Freed", "purge_store"),
    "store": ("open_store",),
    "upload": ("bring", "store_bundle"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import the module of a name on its first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
