"""What the verdicts of all libraries share: figures with ids, sources, severities, thresholds and the order they are shown in."""

from workers.engines.verdicts.figures import at_line, figure, figure_of, in_artefact, label, measured
from workers.engines.verdicts.order import heaviest_first, problem_if

__all__ = ["at_line", "figure", "figure_of", "heaviest_first", "in_artefact", "label", "measured", "problem_if"]
