"""Takes rows away while a failure still shows, so that what is left explains it."""

from collections.abc import Callable

from workers.engines.pipelines.trial.checks import Failure
from workers.engines.sql.review.rows import Data, Maker

MOST_TRIES = 60
"""Plays of a script with fewer rows; a play takes some hundredths of a second."""


def shrunk(data: Data, maker: Maker, still: Callable[[Data], Failure | None]) -> tuple[Data, Failure] | None:
    """Fewer rows on which it still fails, and the failure on these; None: it does not fail again."""
    failure = still(data)
    if failure is None:
        return None
    tries = 0
    for table in list(data):
        for row in list(data[table]):
            if tries >= MOST_TRIES:
                return data, failure
            fewer = maker.kept({name: [kept for kept in rows if name != table or kept is not row] for name, rows in data.items()})
            if not any(fewer.values()):
                continue
            tries += 1
            smaller = still(fewer)
            if smaller is not None:
                data, failure = fewer, smaller
    return data, failure
