"""Limits of a bundle's size, and the size of a chunk."""

from dataclasses import dataclass

from workers.settings import Settings

CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class BundleLimits:
    """Limits for the files of one job."""

    bytes: int
    """Bytes of all files together, and of each file. A larger file is left out; if the sum is larger, the whole bundle is refused."""
    files: int

    @classmethod
    def of(cls, settings: Settings) -> "BundleLimits":
        """The limits of this deployment."""
        return cls(settings.bundle_bytes, settings.bundle_files)
