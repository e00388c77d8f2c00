"""What can be measured beside the kinds of jobs: libraries that several kinds use, by the name that `bullpen eval` has for each."""

from workers.kinds.base import Evaluation

LIBRARIES: dict[str, Evaluation] = {}
"""Name → how it is measured."""
