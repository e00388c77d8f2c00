"""The trivial methods that the search is compared with: TF-IDF over the same texts, and the embedding model alone."""

from collections import Counter
from collections.abc import Callable, Sequence
from math import log, sqrt
from typing import TYPE_CHECKING

from workers.retrieval.tokens import tokens

if TYPE_CHECKING:
    from workers.llm import Embedder

Ranker = Callable[[str], list[int]]
"""Places of all texts, the best first."""


def by_tfidf(texts: Sequence[str]) -> Ranker:
    """Cosine of TF-IDF vectors over words; ties in the order of the texts."""
    counts = [Counter(tokens(text)) for text in texts]
    holders = Counter(word for count in counts for word in count)
    weight = {word: log((1 + len(texts)) / (1 + held)) + 1 for word, held in holders.items()}
    vectors = [{word: number * weight[word] for word, number in count.items()} for count in counts]
    norms = [sqrt(sum(value * value for value in vector.values())) or 1.0 for vector in vectors]

    def rank(question: str) -> list[int]:
        asked = {word: weight[word] for word in tokens(question) if word in weight}
        scores = [sum(asked[word] * vector.get(word, 0.0) for word in asked) / norm for vector, norm in zip(vectors, norms, strict=True)]
        return sorted(range(len(texts)), key=lambda place: (-scores[place], place))

    return rank


def by_model(embedder: "Embedder", texts: Sequence[str]) -> Ranker:
    """Cosine of the embeddings of the texts, each as a whole."""
    passages = embedder.embed(texts, "passage")

    def rank(question: str) -> list[int]:
        scores = passages @ embedder.embed([question], "question")[0]
        return sorted(range(len(texts)), key=lambda place: (-float(scores[place]), place))

    return rank
