"""Networks in which something is wrong, made by a seed, and what was planted."""

from workers.engines.network.scenarios.planting import Fault, Problem, Scenario, make_scenario

__all__ = ["Fault", "Problem", "Scenario", "make_scenario"]
