"""Several runs in one bundle: the worst first, which jobs have become slower, and which run a report is about."""

from workers.kinds.tune.rules.runs.choosing import logs_of, named_run, of_one_run
from workers.kinds.tune.rules.runs.comparing import compared
from workers.kinds.tune.rules.runs.profile import RunProfile, profile

__all__ = ["RunProfile", "compared", "logs_of", "named_run", "of_one_run", "profile"]
