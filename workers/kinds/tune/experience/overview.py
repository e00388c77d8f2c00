"""What `bullpen skills` shows of the packs that hold experience for `tune`."""

from collections.abc import Mapping, Sequence

from contracts.base import Json
from workers.blackboard.engine import Database
from workers.kinds.tune.experience.library import keep_indexed, read_experience
from workers.llm.embedder import Embedder
from workers.settings import Settings
from workers.skills import Skill, SkillProblem


def list_experience(packs: Sequence[Skill]) -> Mapping[str, Json]:
    """Pack → its class, how many pieces of experience it holds, and in which languages."""
    library = read_experience(packs)
    shown: dict[str, Json] = {}
    for pack, tuning_class in library.classes.items():
        pieces = [piece for piece in library.pieces if piece.pack == pack]
        shown[pack] = {
            "class": tuning_class.value,
            "pieces": len({piece.slug for piece in pieces}),
            "languages": sorted({piece.language for piece in pieces}),
        }
    return shown


def problems_of(packs: Sequence[Skill]) -> Sequence[SkillProblem]:
    """What was left out."""
    return read_experience(packs).problems


def reindex(database: Database, embedder: Embedder | None, settings: Settings) -> Json:
    """Write the index of experience again from the packs."""
    _, report = keep_indexed(database, embedder, settings, rebuild=True)
    return {"pieces": report.pieces, "stored": report.stored, "removed": report.removed}
