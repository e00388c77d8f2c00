"""Questions about data, read without a model: see `docs/questions.md`."""

from workers.engines.questions.answering import Reader

__all__ = ["Reader"]
