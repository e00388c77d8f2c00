"""`bullpen up` names the sample shop only where there is one."""

from workers.blackboard.engine import Database
from workers.local.fleet import has_sample

ADD = """INSERT INTO sources (name, kind, limits, owners, insisted, sample)
VALUES (%(name)s, 'sqlite', '{}', '{}', false, %(sample)s) RETURNING name"""


def test_the_sample_is_named_until_somebody_has_a_source_of_their_own(database: Database, database_url: str) -> None:
    """It was offered beside an own database, where it was never made: `There is no source shop`."""
    assert has_sample(database_url)
    database.row(ADD, {"name": "shop", "sample": True})
    assert has_sample(database_url)
    database.row(ADD, {"name": "pedalo", "sample": False})
    assert not has_sample(database_url)
