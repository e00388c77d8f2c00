"""Root causes of problems in a network, by rules over its indicators, its geometry and its configuration."""

from workers.engines.network.causes.by_rules import Causes, find_causes
from workers.engines.network.causes.configuration import Configuration, configuration_of

__all__ = ["Causes", "Configuration", "configuration_of", "find_causes"]
