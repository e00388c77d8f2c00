"""The text of an incident, prepared for comparison: in pieces, as words, and as vectors if there is a model for its language."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from workers.llm.embedder import Embedder
from workers.retrieval.meaning import Meaning, understand

_MAX_SENTENCES = 8
_SENTENCE_END = re.compile(r"[。；;！？!?\n]+|\.\s+")


@dataclass(frozen=True)
class IncidentText:
    """The description and the observations of an incident."""

    everything: str
    pieces: tuple[str, ...]
    """The description, the observations, and the description's sentences if it has several."""
    sentences_only: bool
    """Whether the description is looked up sentence by sentence and not as a whole."""
    meaning: Meaning | None
    """The vectors of `everything`, followed by those of the pieces."""


def prepare(embedder: Embedder | None, texts: Sequence[str]) -> IncidentText:
    """Prepare the description and the observations. It may call a server, so it must not run inside a transaction."""
    pieces = tuple(dict.fromkeys([*texts, *_sentences(texts[0])]))
    everything = "\n".join(texts)
    return IncidentText(everything, pieces, len(pieces) > len(set(texts)), understand(embedder, everything, pieces))


def _sentences(text: str) -> list[str]:
    sentences = [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]
    return sentences[:_MAX_SENTENCES] if len(sentences) > 1 else []
