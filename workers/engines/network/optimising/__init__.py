"""Changes that mend the root causes, what they promise, and what the simulation of them gives."""

from workers.engines.network.optimising.advice import Advice, Change, advise
from workers.engines.network.optimising.promises import Promised, Reached, promise, reached_by

__all__ = ["Advice", "Change", "Promised", "Reached", "advise", "promise", "reached_by"]
