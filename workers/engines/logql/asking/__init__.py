"""Questions about logs in words, English or Chinese, read without a model."""

from workers.engines.logql.asking.reader import read_log_question

__all__ = ["read_log_question"]
