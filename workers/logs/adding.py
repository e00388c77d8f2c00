"""A log is added; the sample is made first."""

from pathlib import Path

from contracts.log_sources import LogSource
from workers.blackboard.engine import Database
from workers.logs.addresses import sample_folder
from workers.logs.registry import add_log


def add_with_sample(db: Database, data_dir: Path, log: LogSource) -> tuple[str, ...]:
    """Keep a log after a look at it; the names of its labels. Raises as `add_log` does."""
    if log.sample:
        from workers.logs.sample import make_log

        make_log(sample_folder(data_dir))
    return add_log(db, data_dir, log)
