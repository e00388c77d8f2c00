"""Skills by meaning: the vectors of their descriptions. They are stored by the description's hash, so each is computed once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from workers.errors import EngineError
from workers.llm.embedder import Embedder
from workers.loggers import get_logger
from workers.retrieval.vectors import read_vectors, store_vectors
from workers.skills.skill import Skill

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from workers.blackboard.engine import Database

log = get_logger(__name__)

VECTORS = "skill"
"""The name of these vectors in `embeddings.owner_kind`."""

_BACKGROUND = (
    "A recipe for a cake with apples and cinnamon", "The history of a football club and its players", "How to repair a bicycle",
    "Opening hours and prices of a museum", "The weather tomorrow in the mountains", "A contract of employment and its notice period",
    "一个苹果蛋糕的食谱", "足球俱乐部的历史", "明天的天气", "如何修理自行车",
)  # fmt: skip
"""Texts about other things. A question's mean similarity to them is what any text has; only what is above it counts. So the score means
the same for every model, and for a library of one skill."""

_MEMORY: "dict[tuple[str, str], NDArray[float32]]" = {}
"""Model and hash → vector: what this process computed or read."""
_MOST_REMEMBERED = 2_000

_WRITERS_LOCK = 823649211
"""Of Postgres: steps of several jobs that meet a new skill at once store its vectors one after the other."""


@dataclass(frozen=True)
class SkillVectors:
    """The vectors of skills, in their order, and of the background."""

    embedder: Embedder
    vectors: "NDArray[float32]"
    background: "NDArray[float32]"

    def scores(self, question: str) -> list[float]:
        """How much nearer each skill is to the question than any text is: about 0 for what has nothing to do with it, 0.1 for what fits.
        Empty if the model does not know the language or does not answer."""
        trust = self.embedder.trust(question)
        if not trust:
            return []
        try:
            asked = self.embedder.embed([question], "question")[0]
        except EngineError as error:
            log.warning("skill_chosen_without_vectors", model=self.embedder.model, reason=str(error))
            return []
        usual = float((self.background @ asked).mean())
        return [trust * (float(score) - usual) for score in self.vectors @ asked]


def vectors_of(skills: Sequence[Skill], embedder: Embedder | None, database: "Database | None" = None) -> SkillVectors | None:
    """The vectors of these skills, computed where they are missing. None: there is no model, or it does not answer, and a skill is
    chosen by words. With a database, a vector that any worker computed is read instead."""
    if embedder is None or not skills:
        return None
    texts = {_key(text): text for text in (*map(_text, skills), *_BACKGROUND)}
    try:
        found = _vectors(texts, embedder, database)
    except EngineError as error:
        log.warning("skill_vectors_missing", model=embedder.model, reason=str(error))
        return None
    import numpy as np

    rows = np.stack([found[_key(_text(skill))] for skill in skills])
    return SkillVectors(embedder, rows, np.stack([found[_key(text)] for text in _BACKGROUND]))


def forget_vectors_of_old_skills(skills: Sequence[Skill], database: "Database") -> int:
    """Delete stored vectors that belong to none of these skills, and say how many they were."""
    kept = [_key(text) for text in (*map(_text, skills), *_BACKGROUND)]
    rows = database.statement(
        "DELETE FROM embeddings WHERE owner_kind = %(kind)s AND owner_id <> ALL (%(kept)s) RETURNING owner_id",
        {"kind": VECTORS, "kept": kept},
    )
    return len(rows)


def _vectors(texts: Mapping[str, str], embedder: Embedder, database: "Database | None") -> "Mapping[str, NDArray[float32]]":
    found = {key: _MEMORY[embedder.model, key] for key in texts if (embedder.model, key) in _MEMORY}
    missing = [key for key in texts if key not in found]
    if missing and database is not None:
        with database.session() as connection:
            found |= read_vectors(connection, embedder.model, VECTORS, missing)
        missing = [key for key in texts if key not in found]
    if missing:
        made = dict(zip(missing, embedder.embed([texts[key] for key in missing], "passage"), strict=True))
        if database is not None:
            with database.session() as connection, connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(%(lock)s)", {"lock": _WRITERS_LOCK})
                store_vectors(connection, embedder.model, VECTORS, made)
        log.info("skill_vectors_made", count=len(made), model=embedder.model)
        found |= made
    if len(_MEMORY) > _MOST_REMEMBERED:
        _MEMORY.clear()
    _MEMORY.update({(embedder.model, key): vector for key, vector in found.items()})
    return found


def _text(skill: Skill) -> str:
    return "\n".join(dict.fromkeys((skill.name, skill.title, skill.description)))


def _key(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()
