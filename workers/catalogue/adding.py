"""A source is added; the sample is made first, and the catalogue learns of it."""

from pathlib import Path

from contracts.sources import Source
from workers.blackboard.engine import Database
from workers.sources import Checked, add_source
from workers.sources.addresses import sample_path


def add_with_sample(db: Database, data_dir: Path, source: Source) -> Checked:
    """Keep a source after a look at it. Raises as `add_source` does."""
    if not source.sample:
        return add_source(db, data_dir, source)
    from workers.catalogue.sample import import_sample  # reads SQL, which takes a second to import
    from workers.sources.sample import make_shop

    make_shop(sample_path(data_dir))
    checked = add_source(db, data_dir, source)
    import_sample(db, None, data_dir, source.name)
    return checked
