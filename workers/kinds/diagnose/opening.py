"""What a newcomer can type: the opening of an incident that the history has."""

from workers.blackboard.engine import Database

MOST, CHARACTERS = 2, 160

_NEWEST = "SELECT description FROM tickets ORDER BY ticket_id DESC LIMIT %(most)s"


def examples(db: Database, owner: str, language: str) -> tuple[str, ...]:
    """The beginnings of tickets of the history: what is known of them should be found again."""
    del owner, language
    rows = db.statement(_NEWEST, {"most": MOST})
    return tuple(text for row in rows if (text := row["description"].strip().splitlines()[0][:CHARACTERS].strip()))
