"""Texts as vectors. Importing this loads nothing: a worker that never searches stays small."""

import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from contracts.base import clean_text
from workers.errors import ConfigurationError
from workers.llm.openai_embeddings import OpenAIEmbedder
from workers.settings import Settings

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


_MAX_CHARACTERS = 2_000
"""An average over more than that says nothing: longer texts gave no better ranking on real tickets."""

_BATCH_CHARACTERS = 30_000
"""A batch is padded to its longest text and costs about 2 KB a character."""


class Embedder(Protocol):
    """A model that turns a text into a direction. Safe to share between threads."""

    @property
    def model(self) -> str:
        """The name that its vectors are stored under: another model or another dimension is another name."""
        ...

    @property
    def dim(self) -> int:
        """Numbers in a vector."""
        ...

    @property
    def cjk(self) -> bool:
        """Whether it was trained on Chinese, Japanese and Korean. If not, search leaves such texts to their words."""
        ...

    def embed(self, texts: Sequence[str]) -> "NDArray[float32]":
        """One unit-length vector per text, shape (len(texts), dim). The same text gives the same vector."""
        ...


class WordLlamaEmbedder:
    """WordLlama: averaged token vectors, 16 MB, about 75,000 short texts a second on one core, no network.

    Good for English paraphrases. Most Chinese characters are spelled in bytes by its tokenizer, so that any two Chinese
    texts look alike (on 47 Chinese incident tickets: own ticket first in 13 %, against 47 % by words).
    """

    model = "wordllama-256"
    dim = 256
    cjk = False

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: Any = None

    def embed(self, texts: Sequence[str]) -> "NDArray[float32]":
        """See `Embedder`. The first call loads the model (0.5 s); raises `ConfigurationError` without the package."""
        import numpy as np

        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        model = self._get()
        cut = [clean_text(text[:_MAX_CHARACTERS]) for text in texts]
        vectors = np.empty((len(cut), self.dim), dtype=np.float32)
        for chosen in _batches([len(text) for text in cut]):
            vectors[chosen] = model.embed([cut[index] for index in chosen], norm=False, batch_size=len(chosen))
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors[(lengths == 0).ravel(), 0] = 1.0  # a text without a single token: any direction, but a unit
        lengths[lengths == 0] = 1.0
        return vectors / lengths

    def _get(self) -> Any:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load_wordllama()
            return self._loaded


def load_embedder(settings: Settings | Literal["wordllama", "none"]) -> Embedder | None:
    """The embedder that the settings name; None for full text only. Nothing is loaded or asked before its first use."""
    name = settings if isinstance(settings, str) else settings.embeddings
    if name == "none":
        return None
    if isinstance(settings, str) or name == "wordllama":
        return WordLlamaEmbedder()
    return OpenAIEmbedder(
        name.removeprefix("openai:").strip(),
        base_url=settings.embeddings_base_url,
        api_key=settings.embeddings_api_key,
        dim=settings.embeddings_dim,
    )


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Indices of texts in batches of like lengths, so that a long text does not pad a thousand short ones."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[index] > _BATCH_CHARACTERS:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _load_wordllama() -> Any:
    """The model as the wheel ships it. By default the package looks in another folder, and downloads."""
    from importlib import import_module
    from pathlib import Path

    try:
        wordllama: Any = import_module("wordllama")
    except ImportError:
        raise ConfigurationError(
            "BULLPEN_EMBEDDINGS=wordllama needs the package wordllama. Run `pip install 'bullpen-fleet[embedded]'`, "
            "or set BULLPEN_EMBEDDINGS=none to search by full text only."
        ) from None
    return wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
