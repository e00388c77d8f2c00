"""Searches of logs in a closed form, English or Chinese, read without a model: a small grammar, published in docs/logs.md."""

from workers.engines.logql.asking.reader import is_log_search, read_log_search

__all__ = ["is_log_search", "read_log_search"]
