"""Ranges of time in English and Chinese text: `last quarter`, `since March`, 最近7天, 2025年第三季度."""

from workers.engines.times.grammar import find_times
from workers.engines.times.words import TimeWords

__all__ = ["TimeWords", "find_times"]
