"""What a model of embeddings is to the rest of the fleet."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

Role = Literal["query", "passage", "question"]
"""What a text is to its search. A *question* is searched by, and a *passage* is a document that may answer it. Some models embed the
two differently. Texts of one sort that are compared with each other (is this the same symptom?) are all *queries*."""


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

    def trust(self, text: str) -> float:
        """How much the model has to say about a text, from 0 to 1: less where it has not learnt the language. Where it is 0,
        the text is neither embedded nor searched by its vector."""
        ...

    def embed(self, texts: Sequence[str], role: Role) -> "NDArray[float32]":
        """One unit-length vector per text, shape (len(texts), dim). The same text in the same role gives the same vector."""
        ...
