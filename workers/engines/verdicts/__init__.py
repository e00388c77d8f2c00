"""What the libraries' verdicts share: figures found by their ids, where a number comes from, and the order of verdicts."""

from workers.engines.verdicts.figures import MIB, figure, figure_of, label, measured
from workers.engines.verdicts.order import heaviest_first, rounded_share
from workers.engines.verdicts.sources import at_line, in_artefact

__all__ = ["MIB", "at_line", "figure", "figure_of", "heaviest_first", "in_artefact", "label", "measured", "rounded_share"]
