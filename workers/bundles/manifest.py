"""The manifest of a stored bundle: names, sizes and hashes of its files, and the files that were refused."""

from pydantic import Field

from contracts.base import Contract, Text, canonical_json, content_hash
from contracts.bundles import RefusedFile

REF_PREFIX = "sha256:"


class StoredFile(Contract):
    """One file of a bundle. Its bytes are in the store under their hash."""

    name: Text
    size_bytes: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class Manifest(Contract):
    """A bundle. Its reference is the hash of its canonical JSON, so the same files under the same names have the same reference."""

    files: tuple[StoredFile, ...]
    """Sorted by name."""
    refused: tuple[RefusedFile, ...] = ()

    @property
    def digest(self) -> str:
        """The sha256 of `to_bytes`."""
        return content_hash(self.to_json())

    @property
    def ref(self) -> str:
        """The reference in a job's request: `sha256:...`."""
        return REF_PREFIX + self.digest

    @property
    def files_hash(self) -> str:
        """The sha256 of the names and hashes of the files, without the refused files."""
        return content_hash([[file.name, file.sha256] for file in self.files])

    def to_bytes(self) -> bytes:
        """The stored form."""
        return canonical_json(self.to_json()).encode()
