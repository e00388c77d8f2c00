"""Versions of skills on the blackboard. A job follows the version that it began with; a change of the folder is for new
jobs."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from contracts.pointers import SkillPointer
from workers.blackboard.engine import Database, jsonb
from workers.loggers import get_logger
from workers.skills.files import as_text, read_bytes
from workers.skills.skill import READ_REFERENCE, Skill, Unusable

log = get_logger(__name__)

_SHORT = 12
"""Characters of the hash in a pointer's place, which a model has to write."""

_USED = "UPDATE skill_versions SET used_at = now() WHERE hash = %(hash)s RETURNING hash"
_KEEP = """
INSERT INTO skill_versions (hash, name, body, procedure, files) VALUES (%(hash)s, %(name)s, %(body)s, %(procedure)s, %(files)s)
ON CONFLICT (hash) DO UPDATE SET used_at = now()
"""
_FIND = """
UPDATE skill_versions SET used_at = now() WHERE name = %(name)s AND left(hash, %(short)s) = %(hash)s
RETURNING hash, name, body, procedure, files
"""


@dataclass(frozen=True, slots=True)
class SkillVersion:
    """A skill as it was when a job chose it."""

    hash: str
    name: str
    body: str
    procedure: str | None
    files: Mapping[str, str]
    """Path → text of each reference."""


def keep_version(database: Database, skill: Skill) -> SkillPointer:
    """Store this version, if it is not stored yet, and return the pointer that opens its references. A step holds the pointer when its
    deliverable has it among its `pointers`."""
    if database.row(_USED, {"hash": skill.hash}) is None:
        row = {"hash": skill.hash, "name": skill.name, "body": skill.body, "procedure": skill.procedure, "files": jsonb(_texts(skill))}
        with database.session() as connection, connection.transaction():
            connection.execute(_KEEP, row)
        log.info("skill_version_kept", skill=skill.name, hash=skill.hash[:_SHORT], files=len(skill.references))
    return pointer_to(skill)


def pointer_to(skill: Skill) -> SkillPointer:
    """The pointer to a version of a skill. Its key reads the skill's own references and nothing else."""
    keys = (READ_REFERENCE,) if skill.references else ()
    return SkillPointer(place=f"{skill.name}@{skill.hash[:_SHORT]}", line=skill.title, score=1.0, keys=keys, skill=skill.name)


def find_version(database: Database, place: str) -> SkillVersion | None:
    """The version that a pointer's place names. None if it was purged, or never kept."""
    name, at, short = place.rpartition("@")
    if not at or len(short) != _SHORT or "\x00" in place:
        return None
    row = database.row(_FIND, {"name": name, "hash": short, "short": _SHORT})
    return None if row is None else SkillVersion(row["hash"], row["name"], row["body"], row["procedure"], row["files"])


def _texts(skill: Skill) -> dict[str, str]:
    """The references as they were when the skill was loaded. A file that changed since then is left out: it belongs to another version."""
    texts: dict[str, str] = {}
    for reference in skill.references:
        try:
            raw = read_bytes(skill.folder, skill.folder / reference.path)
            if sha256(raw).hexdigest() == reference.sha256:
                texts[reference.path] = as_text(raw)
        except Unusable:
            continue
    if len(texts) < len(skill.references):
        log.warning("skill_files_changed", skill=skill.name, missing=len(skill.references) - len(texts))
    return texts
