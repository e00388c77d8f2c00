"""The judgement on a set of artefacts, worked out once for all steps and jobs that have read the same ones."""

import hashlib
from functools import cache
from pathlib import Path

import contracts
from contracts.base import content_hash
from workers import engines
from workers.blackboard.engine import Database
from workers.bundles.facts import packed, unpacked
from workers.bundles.kept import Key, keep, recall
from workers.kinds.tune import rules
from workers.kinds.tune.rules.judged import Judged, judged
from workers.kinds.tune.rules.known import Known

JUDGEMENT = "tune_judgement"
"""Under which kind it is kept."""

CODE = (contracts, engines, rules)
"""The packages that a judgement follows from."""


def judgement(db: Database | None, known: Known) -> Judged:
    """The judgement on these artefacts, from the cache where there is one."""
    key = _key(known)
    kept = recall(db, key) if key is not None else None
    found = _from_bytes(kept) if kept is not None else None
    if found is None:
        found = judged(known)
        if key is not None:
            keep(db, key, packed(found.to_json()))
    return found


def _key(known: Known) -> Key | None:
    """The artefacts in their order and the code that judges. None: one of them may read differently the next time."""
    bases = [artefact.basis for artefact in known.reads]
    return None if None in bases else Key(content_hash(bases), JUDGEMENT, code_version())


def _from_bytes(kept: bytes) -> Judged | None:
    try:
        return Judged.model_validate(unpacked(kept))
    except ValueError:
        return None


@cache
def code_version() -> str:
    """A hash of the source that judges, so that nothing kept outlives a change of a rule, whether or not somebody raised a number."""
    seen = hashlib.sha256()
    for package in CODE:
        for file in sorted(Path(package.__path__[0]).rglob("*.py")):
            seen.update(file.read_bytes())
    return seen.hexdigest()
