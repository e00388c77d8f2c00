"""Requirements by their parts: target, grain, columns, rules; and questions about the parts that are not read."""

from workers.engines.requirements.outline.asking import open_point
from workers.engines.requirements.outline.heads import is_requirement
from workers.engines.requirements.outline.layout import ANSWERS, clarified
from workers.engines.requirements.outline.reading import OutlineReader
from workers.engines.requirements.outline.unplaced import unplaced_words

__all__ = ["ANSWERS", "OutlineReader", "clarified", "is_requirement", "open_point", "unplaced_words"]
