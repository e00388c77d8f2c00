"""What the tools answer about a twin: tables by reference, root causes, the effect of changes, comparisons."""

from workers.engines.network.answers.comparison import compare
from workers.engines.network.answers.root_causes import analyse
from workers.engines.network.answers.simulation import simulate
from workers.engines.network.answers.tables import chosen_indicators, page_of

__all__ = ["analyse", "chosen_indicators", "compare", "page_of", "simulate"]
