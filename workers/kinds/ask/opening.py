"""What a newcomer can type: questions about the own tables, which the small reader answers; and what a pasted query is."""

from datetime import datetime
from itertools import islice

from contracts.statements import Shown, term
from workers.blackboard.engine import Database
from workers.engines.offered_questions import offered
from workers.engines.questions import Reader
from workers.engines.sql.trees import NotParsed, parse_statement
from workers.kinds.ask.building import known_of
from workers.sources import list_sources

MOST = 3
"""Questions that are offered."""
MOST_SQL = 20_000


def is_query(name: str, head: bytes) -> Shown | None:
    """One SELECT, all of it; None: something else."""
    del name
    text = head.decode("utf-8", "replace").strip()
    if not text or len(text) > MOST_SQL or text.split(None, 1)[0].lower() not in ("select", "with"):
        return None
    try:
        parse_statement(text, "")
    except NotParsed:
        return None
    return term("ask.opening.query")


def examples(db: Database, owner: str, language: str) -> tuple[str, ...]:
    """Questions about the owner's own tables; about the sample's where there are no others."""
    visible = [source for source in list_sources(db) if source.is_open_to(owner)]
    for source in sorted(visible, key=lambda source: source.sample):
        tables, paths = known_of(db, source.name, owner)
        reader = Reader(tables, datetime.now(), paths)  # noqa: DTZ005  local time of the source
        if found := tuple(islice(offered(reader, language), MOST)):
            return found
    return ()
