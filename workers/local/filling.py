"""`python -m workers.local.filling`: what a new fleet of one machine begins with in its catalogue, taken in by a process that then ends.

Reading it takes the readers of SQL, of documents and of engines: 90 MB that what supervises the fleet would keep for as long as it runs.
"""

from pathlib import Path

from workers.blackboard.engine import Database
from workers.catalogue import import_own_documents, offer_sample
from workers.local.fleet import has_sample
from workers.loggers import get_logger
from workers.settings import load_settings
from workers.telemetry import configure_logging

log = get_logger(__name__)


def fill(database_url: str, data_dir: Path) -> None:
    """Take in Bullpen's own documents and, where nobody has a source of their own, once the sample shop. A fleet runs as well without."""
    database = Database(database_url, pool_size=1, name="bullpen-sample")
    try:
        import_own_documents(database)
        if has_sample(database_url):
            offer_sample(database, data_dir)
    except Exception as error:  # a convenience: nothing of the fleet depends on it
        log.warning("catalogue_not_filled", reason=str(error))
    finally:
        database.close()


if __name__ == "__main__":
    known = load_settings()
    configure_logging(known.log_format, known.log_level)
    fill(known.database_url or "", known.data_dir)
