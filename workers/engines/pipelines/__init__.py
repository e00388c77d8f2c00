"""Pipelines of SQL scripts: generated data, a trial of the scripts on it, and the package that a data engineer would commit.

`trial` runs a workflow's scripts in a locked engine and checks what they leave; `package` makes the files. Nothing here knows a kind,
a source or a language: texts come in through the function that the caller hands in.
"""

from workers.engines.pipelines.package import package
from workers.engines.pipelines.trial import Breach, NoBreach, Reply, SourceAtHand, SourceReply, check_meaning, find_breach, trial

__all__ = ("Breach", "NoBreach", "Reply", "SourceAtHand", "SourceReply", "check_meaning", "find_breach", "package", "trial")
