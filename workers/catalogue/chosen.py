"""What an owner chose among the definitions of a word, kept beside them: asked once, for as long as the definitions stay as they are."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

from contracts.base import Json
from contracts.questions import Meaning
from workers.blackboard.engine import Database, jsonb
from workers.catalogue.corpora import take_turns
from workers.catalogue.nodes import CHOSEN

_OF_WORD = """
SELECT node_id, given FROM catalogue_nodes
 WHERE kind IN ('metric', 'term') AND source IN (%(source)s, '') AND gone_at IS NULL
   AND (lower(content->>'name') = lower(%(name)s) OR EXISTS (
     SELECT FROM jsonb_array_elements_text(COALESCE(content->'synonyms', '[]')) other WHERE lower(other) = lower(%(name)s)))
 ORDER BY source DESC, kind, key, node_id LIMIT 1 FOR UPDATE
"""
_MOST = 50
"""Choices of an owner that a node keeps, the latest: each import that changes a definition asks again."""


def keep_choice(db: Database, source: str, name: str, digest: str, meaning: Meaning, *, owner: str) -> bool:
    """Keep what a word means to an owner in a source; whether the catalogue has the word. Keeping the same again changes nothing.
    `digest`: of the definitions among which it was chosen."""
    with db.session() as connection, connection.transaction():
        take_turns(connection)
        row = connection.execute(_OF_WORD, {"source": source, "name": name.strip()}).fetchone()
        if row is None:
            return False
        origin = f"{CHOSEN}:{owner}"
        before: Json = row["given"].get(origin) or {}
        on = datetime.now(UTC).date().isoformat()
        choices = {**{each: kept for each, kept in before.items() if each != digest}, digest: {**meaning.to_json(), "on": on}}
        latest = sorted(choices.items(), key=lambda item: str(item[1].get("on")))[-_MOST:]
        given = {**row["given"], origin: dict(latest)}
        connection.execute(
            "UPDATE catalogue_nodes SET given = %(given)s WHERE node_id = %(id)s", {"given": jsonb(given), "id": row["node_id"]}
        )
    return True


def choices_of(given: Mapping[str, Any], owner: str | None) -> dict[str, Meaning]:
    """Digest of the definitions of a word, and what an owner chose among them."""
    kept = cast("Mapping[str, Json]", given.get(f"{CHOSEN}:{owner}") or {})
    return {
        digest: Meaning(formula=str(choice.get("formula") or ""), restriction=str(choice.get("restriction") or ""))
        for digest, choice in kept.items()
    }
