"""All packs of a deployment, and the index of their experience kept equal to them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import structlog
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from contracts.verdicts import TuningClass
from workers.blackboard.engine import Database
from workers.kinds.tune.experience.index import IndexReport, Piece, index_experience
from workers.kinds.tune.experience.pieces import LANGUAGES, file_name, read_pieces
from workers.kinds.tune.playbook import PLAYBOOK
from workers.llm.embedder import Embedder
from workers.settings import Settings
from workers.skills.files import Unusable, read_text
from workers.skills.folders import skill_folders
from workers.skills.packs import SKILL, PackProblem, SkillPack, read_packs

log = structlog.get_logger()


class TuneSkill(BaseModel):
    """What a pack of kind `tune` says beside what every pack says."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    tuning_class: TuningClass = Field(alias="class")
    """The class that its experience is about."""

    @field_validator("tuning_class")
    @classmethod
    def _is_a_problem(cls, value: TuningClass) -> TuningClass:
        if value is TuningClass.NONE:
            raise ValueError("none is no problem")
        return value


@dataclass(frozen=True)
class Library:
    """What the skill folders hold."""

    packs: tuple[SkillPack, ...]
    pieces: tuple[Piece, ...]
    """The experience of the packs of this kind, in every language."""
    problems: tuple[PackProblem, ...]
    """What was left out."""
    classes: Mapping[str, TuningClass]
    """Pack → its class, only for packs of this kind."""


def read_library(folders: Iterable[Path]) -> Library:
    """Read every pack; what is broken is left out and named."""
    read = read_packs(folders)
    library = read_experience(read.packs)
    return replace(library, problems=(*read.problems, *library.problems))


def read_experience(packs: Sequence[SkillPack]) -> Library:
    """The experience in packs of this kind; a pack without a class is left out and named."""
    kept: list[SkillPack] = []
    pieces: list[Piece] = []
    problems: list[PackProblem] = []
    classes: dict[str, TuningClass] = {}
    for pack in packs:
        if pack.about.kind == PLAYBOOK.kind:
            try:
                classes[pack.name] = TuneSkill.model_validate(pack.about.fields).tuning_class
            except ValidationError:
                needs = "a pack of kind tune needs a class: data_skew, excess_shuffle or other"
                problems.append(PackProblem(f"{pack.name}/{SKILL}", f"front matter: {needs}"))
                continue
            found, faults = _experience_of(pack, classes[pack.name])
            pieces += found
            problems += faults
        kept.append(pack)
    return Library(tuple(kept), tuple(pieces), tuple(problems), classes)


def keep_indexed(db: Database, embedder: Embedder | None, settings: Settings, *, rebuild: bool = False) -> tuple[Library, IndexReport]:
    """Make the index of experience equal to the packs as they are now. Cheap when nothing changed: the files are read, and a single
    statement asks for what is stored. `rebuild`: write everything again."""
    library = read_library(skill_folders(settings))
    for problem in library.problems:
        log.warning("skill_left_out", place=problem.place, reason=problem.reason)
    return library, index_experience(db, embedder, library.pieces, rebuild=rebuild)


def _experience_of(pack: SkillPack, tuning_class: TuningClass) -> tuple[list[Piece], list[PackProblem]]:
    pieces: list[Piece] = []
    problems: list[PackProblem] = []
    for language in LANGUAGES:
        path = pack.folder / file_name(language)
        if not (path.exists() or path.is_symlink()):
            continue
        try:
            found, faults = read_pieces(pack, tuning_class, language, read_text(pack.folder.parent, path))
            pieces += found
            problems += faults
        except Unusable as error:
            problems.append(PackProblem(f"{pack.name}/{path.name}", str(error)))
    if not pieces and not problems:
        problems.append(PackProblem(pack.name, f"holds no experience: {' or '.join(file_name(language) for language in LANGUAGES)}"))
    return pieces, problems
