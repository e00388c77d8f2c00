"""How much a bundle may be, and how much of a file is held at a time."""

from dataclasses import dataclass

from workers.settings import Settings

CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class BundleLimits:
    """Bounds on what is taken in."""

    bytes: int
    """Of all files together, and of each. A file beyond it is left out; files that are beyond it together are refused."""
    files: int

    @classmethod
    def of(cls, settings: Settings) -> "BundleLimits":
        """Those of this deployment."""
        return cls(settings.bundle_bytes, settings.bundle_files)
