"""Networks in which something is wrong, made by a seed, and what was planted."""

from workers.engines.network.scenarios.planting import Fault, Problem, Scenario, make_scenario
from workers.engines.network.scenarios.truth import Truth, truth_of

__all__ = ["Fault", "Problem", "Scenario", "Truth", "make_scenario", "truth_of"]
