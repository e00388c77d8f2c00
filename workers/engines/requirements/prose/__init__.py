"""Requirements in prose: what a row of the target is, its columns by their definitions, and the rules around them."""

from workers.engines.requirements.prose.reports import read_report
from workers.engines.requirements.prose.sentences import read_prose

__all__ = ["read_prose", "read_report"]
