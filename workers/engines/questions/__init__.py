"""Questions about data as query plans, without a model: a small grammar, published in docs/questions.md."""

from workers.engines.questions.reader import Reader

__all__ = ["Reader"]
