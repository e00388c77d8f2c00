"""What the verdicts of all libraries share: figures with ids, sources, severities, thresholds and the order they are shown in."""

from workers.engines.verdicts.amounts import measured
from workers.engines.verdicts.figures import figure, figure_of, label
from workers.engines.verdicts.order import heaviest_first, problem_if
from workers.engines.verdicts.sources import at_line, in_artefact

__all__ = ["at_line", "figure", "figure_of", "heaviest_first", "in_artefact", "label", "measured", "problem_if"]
