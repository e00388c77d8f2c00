"""The trial of a workflow's scripts."""

from workers.engines.pipelines.trial.breaches import Breach, NoBreach, find_breach
from workers.engines.pipelines.trial.design import lineage_of
from workers.engines.pipelines.trial.dry_run import Reply, SourceAtHand, SourceReply
from workers.engines.pipelines.trial.meaning import check_meaning
from workers.engines.pipelines.trial.trial import trial

__all__ = ("Breach", "NoBreach", "Reply", "SourceAtHand", "SourceReply", "check_meaning", "find_breach", "lineage_of", "trial")
