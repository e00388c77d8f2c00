"""What a user said, made ready to be compared: in pieces, in words, and as vectors where a model understands it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from workers.llm.embedder import Embedder
from workers.retrieval.meaning import Meaning, understand

_MAX_SENTENCES = 8
_SENTENCE_END = re.compile(r"[。；;！？!?\n]+|\.\s+")


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


def _sentences(text: str) -> list[str]:
    sentences = [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]
    return sentences[:_MAX_SENTENCES] if len(sentences) > 1 else []
