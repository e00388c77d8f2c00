"""A question in, a contract and its cost out; here so far: a text in, a vector out."""

from workers.llm.embeddings import Embedder, load_embedder

__all__ = ["Embedder", "load_embedder"]
