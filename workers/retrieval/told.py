"""What a user told, made ready to be compared: in pieces, in words, and as vectors where a model understands it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from workers.errors import EngineError
from workers.llm.embeddings import Embedder
from workers.retrieval.tokens import latin_share

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

log = structlog.get_logger()

_MAX_SENTENCES = 8
_SENTENCE_END = re.compile(r"[。；;！？!?\n]+|\.\s+")


@dataclass(frozen=True)
class Meaning:
    """Texts as vectors of a model."""

    embedder: Embedder
    vectors: "NDArray[float32]"
    trust: float
    """How much the model has to say about them, above 0 and at most 1."""

    @property
    def weight(self) -> float:
        """Of meaning, against 1 for words: on the English incident tickets either alone finds about as much, and words
        are right more often at the first place."""
        return self.trust / 2


@dataclass(frozen=True)
class Told:
    """The description and the observations of an incident."""

    everything: str
    pieces: tuple[str, ...]
    """The description, the observations, and the description's sentences if it has several."""
    sentences_only: bool
    """Whether the description is looked up sentence by sentence and not as a whole."""
    meaning: Meaning | None
    """Of `everything`, then of each piece."""


def hear(embedder: Embedder | None, texts: Sequence[str]) -> Told:
    """Take in the description and the observations. May call a server, so it is done before a transaction begins."""
    pieces = tuple(dict.fromkeys([*texts, *_sentences(texts[0])]))
    everything = "\n".join(texts)
    return Told(everything, pieces, len(pieces) > len(set(texts)), understand(embedder, everything, pieces))


def understand(embedder: Embedder | None, text: str, pieces: Sequence[str] = ()) -> Meaning | None:
    """A text and its pieces as vectors. None: there is no model, it has not learnt the language, or it does not answer now,
    and the search goes by words alone."""
    trust = trust_in_vectors(embedder, text)
    if embedder is None or not trust:
        return None
    try:
        return Meaning(embedder, embedder.embed([text, *pieces]), trust)
    except EngineError as error:
        log.warning("searched_by_words_only", model=embedder.model, reason=str(error))
        return None


def trust_in_vectors(embedder: Embedder | None, text: str) -> float:
    """How much the embedder has to say about the text, from 0 to 1: nothing about languages it has not learnt."""
    if embedder is None:
        return 0.0
    share = 1.0 if embedder.cjk else latin_share(text)
    return round(share, 2) if share > 0.5 else 0.0


def _sentences(text: str) -> list[str]:
    sentences = [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]
    return sentences[:_MAX_SENTENCES] if len(sentences) > 1 else []
