"""All packs of a deployment, and the index of their experience kept equal to them."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import structlog

from workers.blackboard.engine import Database
from workers.kinds.tune.experience.index import IndexReport, Piece, index_experience
from workers.kinds.tune.experience.pieces import LANGUAGES, file_name, read_pieces
from workers.llm.embeddings import Embedder
from workers.settings import Settings
from workers.skills.files import Unusable, read_text
from workers.skills.folders import skill_folders
from workers.skills.packs import PackProblem, SkillPack, read_packs

log = structlog.get_logger()


@dataclass(frozen=True)
class Library:
    """What the skill folders hold."""

    packs: tuple[SkillPack, ...]
    pieces: tuple[Piece, ...]
    """The experience of the packs of kind `tune`, in every language."""
    problems: tuple[PackProblem, ...]
    """What was left out."""


def read_library(folders: Iterable[Path]) -> Library:
    """Read every pack; what is broken is told of and left out."""
    read = read_packs(folders)
    pieces: list[Piece] = []
    problems = list(read.problems)
    for pack in read.packs:
        if pack.about.kind == "tune":
            found, faults = _experience_of(pack)
            pieces += found
            problems += faults
    return Library(read.packs, tuple(pieces), tuple(problems))


def keep_indexed(db: Database, embedder: Embedder | None, settings: Settings, *, anew: bool = False) -> tuple[Library, IndexReport]:
    """Make the index of experience equal to the packs as they are now. Cheap when nothing changed: the files are read, and one
    statement asks what stands there. `anew`: write everything again."""
    library = read_library(skill_folders(settings))
    for problem in library.problems:
        log.warning("skill_left_out", place=problem.place, reason=problem.reason)
    return library, index_experience(db, embedder, library.pieces, anew=anew)


def _experience_of(pack: SkillPack) -> tuple[list[Piece], list[PackProblem]]:
    pieces: list[Piece] = []
    problems: list[PackProblem] = []
    for language in LANGUAGES:
        path = pack.folder / file_name(language)
        if not (path.exists() or path.is_symlink()):
            continue
        try:
            found, faults = read_pieces(pack, language, read_text(pack.folder.parent, path))
            pieces += found
            problems += faults
        except Unusable as error:
            problems.append(PackProblem(f"{pack.name}/{path.name}", str(error)))
    if not pieces and not problems:
        problems.append(PackProblem(pack.name, f"holds no experience: {' or '.join(file_name(language) for language in LANGUAGES)}"))
    return pieces, problems
