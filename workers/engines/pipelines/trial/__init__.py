"""The trial of a workflow's scripts."""

from workers.engines.pipelines.trial.design import lineage_of
from workers.engines.pipelines.trial.trial import trial

__all__ = ("lineage_of", "trial")
