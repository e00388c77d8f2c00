"""All packs of a deployment, and the index of their experience kept equal to them."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import structlog

import workers
from workers.blackboard.engine import Database
from workers.knowledge.experience_index import IndexReport, Piece, index_experience
from workers.llm.embeddings import Embedder
from workers.settings import SHIPPED_SKILLS, Settings
from workers.skills.experience import LANGUAGES, file_name, read_pieces
from workers.skills.files import Unusable, read_text
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


def skill_folders(settings: Settings) -> tuple[Path, ...]:
    """Where packs lie, the shipped ones in the place that the setting gives them."""
    return tuple(shipped_folder() if name == SHIPPED_SKILLS else Path(name).expanduser() for name in settings.skills)


def shipped_folder() -> Path:
    """The packs of this release: an installed one has its own copy, a checkout has them at its top."""
    package = Path(workers.__file__ or "").parent
    installed = package / "skill_packs"
    return installed if installed.is_dir() else package.parent / "skills"


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
