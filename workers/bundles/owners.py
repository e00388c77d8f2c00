"""Whose uploads are whose. Content is stored once, under its hash; a reference to it means something only to an owner who brought it.

An owner who brings the same content again has it too. What a worker takes in from an allowed path or URL belongs to the owner of the job.
"""

from contracts.statements import quote, say
from workers.blackboard.engine import Database
from workers.bundles.keys import gone
from workers.bundles.manifest import REF_PREFIX


def give(db: Database, ref: str, owner: str) -> None:
    """Record that this owner has the bundle."""
    db.statement(
        "INSERT INTO bundle_owners (ref, owner) VALUES (%(ref)s, %(owner)s) ON CONFLICT (ref, owner) DO NOTHING",
        {"ref": ref, "owner": owner},
    )


def require_own(db: Database, ref: str, owner: str) -> None:
    """Raise `NotFound`, as for a bundle that does not exist, where the owner has no bundle of this reference. Paths and URLs are allowed
    or refused by the settings instead."""
    if not ref.startswith(REF_PREFIX):
        return
    if db.row("SELECT 1 FROM bundle_owners WHERE ref = %(ref)s AND owner = %(owner)s", {"ref": ref, "owner": owner}) is None:
        raise gone(say("bundles.refused.bundle", ref=quote(ref[:80])))


def forget(db: Database, ref: str) -> None:
    """The bundle was removed."""
    db.statement("DELETE FROM bundle_owners WHERE ref = %(ref)s", {"ref": ref})
