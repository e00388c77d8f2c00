"""Bundles and stores for tests."""

import io
import tarfile
import zipfile
from pathlib import Path

from workers.settings import Settings


def deployment(tmp_path: Path, **settings: object) -> Settings:
    """Settings with a home of the test's own."""
    return Settings(home=tmp_path / "home", **settings)  # pyright: ignore[reportArgumentType] a test names what it means


def folder_of(path: Path, files: dict[str, bytes]) -> Path:
    """A folder with these files."""
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


def zip_of(path: Path, files: dict[str, bytes]) -> Path:
    """A zip with these members, under any names."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return path


def tar_of(path: Path, files: dict[str, bytes], mode: str = "w") -> Path:
    """A tar with these members, under any names."""
    with tarfile.open(path, mode) as archive:  # pyright: ignore[reportCallIssue, reportArgumentType] a mode is a string
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def kept_files(home: Path) -> list[Path]:
    """What the store of a deployment holds, drafts included."""
    return [file for file in (home / "artefacts").rglob("*") if file.is_file()]
