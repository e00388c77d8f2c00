"""The archive of a package: the same bytes for the same files."""

import hashlib
import io
import zipfile
from collections.abc import Sequence

from contracts.pipelines.package import PackageFile

EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The first moment that a zip file can hold; the moment of packing would make each archive another one."""
EXECUTABLE = ("run.py",)


def packed(path: str, text: str) -> PackageFile:
    """A file of a package."""
    data = text.encode("utf-8")
    return PackageFile(path=path, sha256=hashlib.sha256(data).hexdigest(), bytes=len(data), text=text)


def archive(files: Sequence[PackageFile], folder: str) -> bytes:
    """A zip file with one folder. Its bytes depend on the files alone."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as target:
        for file in sorted(files, key=lambda file: file.path):
            entry = zipfile.ZipInfo(f"{folder}/{file.path}", EARLIEST)
            entry.create_system = 3  # Unix, on every system
            entry.external_attr = (0o755 if file.path in EXECUTABLE else 0o644) << 16
            target.writestr(entry, file.text.encode("utf-8"))  # stored: what deflate writes depends on its version
    return made.getvalue()
