"""A job's files: accepting them, storing them by hash, recognising their kinds, and reading them."""

from workers.bundles.limits import BundleLimits
from workers.bundles.opening import KeptFiles, OpenBundle, kept_files, open_job_bundle
from workers.bundles.reading import ArtefactReader, ArtefactReading, read_artefact
from workers.bundles.retention import Freed, purge_store
from workers.bundles.store import open_store
from workers.bundles.upload import store_bundle

__all__ = [
    "ArtefactReader",
    "ArtefactReading",
    "BundleLimits",
    "Freed",
    "KeptFiles",
    "OpenBundle",
    "kept_files",
    "open_job_bundle",
    "open_store",
    "purge_store",
    "read_artefact",
    "store_bundle",
]
