"""Embeddings from any server that speaks the OpenAI protocol, through LangChain. LangChain's loose types end in this module."""

import threading
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from contracts.base import clean_text
from workers.errors import ConfigurationError, EngineError, ModelAnswerUnusable, ModelUnavailable
from workers.llm.embedder import Role

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

MAX_DIM = 4_000
"""Largest number of dimensions that pgvector can index (`halfvec`)."""

_MAX_CHARACTERS = 2_000
"""Characters of a text that are embedded, as for the other embedders. Small models read at most 512 tokens."""

_BATCH = 64
"""Texts in a request. 64 texts of the maximum length stay below OpenAI's limit of 300,000 tokens in any language."""

_TIMEOUT_S = 20.0
"""Seconds for one request."""
_RETRIES = 2
"""Retries after a 429, a 5xx or a lost connection, with growing pauses."""


class OpenAIEmbedder:
    """An embedding model behind a server. Its vectors are stored under the model's name, independent of the server."""

    def __init__(self, name: str, *, base_url: str, api_key: str | None, dim: int | None = None) -> None:
        """`dim`: numbers in a vector. If None, it is found by embedding one text."""
        self.model = f"openai:{name}"
        self._name = name
        self._base_url = base_url
        self._api_key = api_key
        self._dim = dim
        self._client: Any = None
        self._lock = threading.Lock()

    @property
    def dim(self) -> int:
        """See `Embedder`. Raises what `embed` does if it has to ask."""
        return self._dim or int(self.embed(["ready?"], "query").shape[1])

    def trust(self, text: str) -> float:
        """See `Embedder`: nothing is known of a served model's languages."""
        return 1.0

    def embed(self, texts: Sequence[str], role: Role) -> "NDArray[float32]":
        """See `Embedder`; the role makes no difference. Raises `ModelUnavailable` when the server does not
        answer, `ModelAnswerUnusable` when it refuses or does not send vectors, and `ConfigurationError` without the package."""
        import numpy as np

        cut = [clean_text(text[:_MAX_CHARACTERS]).strip() or "-" for text in texts]  # an empty text is refused
        if not cut:
            return np.zeros((0, self.dim), dtype=np.float32)
        return self._checked(self._ask(cut), len(cut))

    def _ask(self, texts: list[str]) -> Any:
        client = self._get()
        openai: Any = import_module("openai")
        try:
            return client.embed_documents(texts)
        except openai.APIStatusError as error:  # its text may hold a part of the key, so only the status is reported
            status: int = error.status_code
            if status in (408, 409, 429) or status >= 500:
                raise ModelUnavailable(f"{self._who()} answered {status}, {_RETRIES + 1} times.") from None
            raise ModelAnswerUnusable(f"{self._who()} refused with {status}. Check {_SETTINGS}.") from None
        except openai.APIConnectionError as error:
            raise ModelUnavailable(
                f"{self._who()} does not answer ({type(error).__name__}). Check {_SETTINGS}, and that the server runs."
            ) from None
        except (openai.OpenAIError, ValueError, TypeError, LookupError, AttributeError) as error:
            raise self._unusable(f"no vectors ({type(error).__name__})") from None

    def _checked(self, raw: Any, count: int) -> "NDArray[float32]":
        import numpy as np

        try:
            vectors = np.asarray(raw, dtype=np.float64)
        except (TypeError, ValueError):
            raise self._unusable("something that is not a list of vectors of equal length") from None
        if vectors.ndim != 2 or len(vectors) != count or vectors.shape[1] == 0:
            raise self._unusable(f"{len(vectors) if vectors.ndim else 0} vectors for {count} texts")
        dim = int(vectors.shape[1])
        expected = self._dim or dim
        if dim != expected:
            raise self._unusable(f"vectors of {dim} numbers where {expected} were expected; see BULLPEN_EMBEDDINGS_DIM")
        if dim > MAX_DIM:
            raise self._unusable(f"vectors of {dim} numbers, but Postgres can index at most {MAX_DIM}; use a smaller model")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not (lengths > 0).all():
            raise self._unusable("a vector that has no direction (zero, infinite or not a number)")
        self._dim = dim
        return (vectors / lengths).astype(np.float32)

    def _unusable(self, what: str) -> EngineError:
        return ModelAnswerUnusable(f"{self._who()} gave {what}.")

    def _who(self) -> str:
        return f"The embedding model {self._name} at {_without_secrets(self._base_url)}"

    def _get(self) -> Any:
        with self._lock:
            if self._client is None:
                self._client = self._connect()
            return self._client

    def _connect(self) -> Any:
        try:
            langchain_openai: Any = import_module("langchain_openai")
        except ImportError:
            raise ConfigurationError(
                f"BULLPEN_EMBEDDINGS=openai:{self._name} needs the package langchain-openai. Run `pip install langchain-openai`, "
                "or set BULLPEN_EMBEDDINGS to wordllama or none."
            ) from None
        return langchain_openai.OpenAIEmbeddings(
            model=self._name,
            base_url=self._base_url,
            api_key=self._api_key or "none",  # the client requires a key
            timeout=_TIMEOUT_S,
            max_retries=_RETRIES,
            chunk_size=_BATCH,
            check_embedding_ctx_length=False,  # it would download a tokenizer
            model_kwargs={"encoding_format": "float"},
        )


_SETTINGS = "BULLPEN_EMBEDDINGS, BULLPEN_EMBEDDINGS_BASE_URL and BULLPEN_EMBEDDINGS_API_KEY"


def _without_secrets(url: str) -> str:
    scheme, _, rest = url.partition("://")
    host = rest.split("/", 1)[0].rpartition("@")[2]
    return f"{scheme}://{host}"
