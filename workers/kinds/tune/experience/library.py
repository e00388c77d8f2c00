"""All packs of a deployment, and the index of their experience kept equal to them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from contracts.statements import names, say
from contracts.verdicts import TuningClass
from workers.blackboard.engine import Database
from workers.kinds.tune.experience.index import IndexReport, Piece, index_experience
from workers.kinds.tune.experience.pieces import LANGUAGES, file_name, read_pieces
from workers.kinds.tune.playbook import PLAYBOOK
from workers.llm.embedder import Embedder
from workers.loggers import get_logger
from workers.saying import text_of
from workers.settings import Settings
from workers.skills import Skill, SkillProblem, Unusable, load_skills, skill_folders
from workers.skills.files import read_text

log = get_logger(__name__)


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

    packs: tuple[Skill, ...]
    pieces: tuple[Piece, ...]
    """The experience of the packs of this kind, in every language."""
    problems: tuple[SkillProblem, ...]
    """What was left out."""
    classes: Mapping[str, TuningClass]
    """Pack → its class, only for packs of this kind."""


def read_library(folders: Iterable[Path]) -> Library:
    """Read every pack; what is broken is left out and named."""
    read = load_skills(folders)
    library = read_experience(read.skills)
    return replace(library, problems=(*read.problems, *library.problems))


def read_experience(packs: Sequence[Skill]) -> Library:
    """The experience in packs of this kind; a pack without a class is left out and named."""
    kept: list[Skill] = []
    pieces: list[Piece] = []
    problems: list[SkillProblem] = []
    classes: dict[str, TuningClass] = {}
    for pack in packs:
        if pack.kind == PLAYBOOK.kind:
            try:
                classes[pack.name] = TuneSkill.model_validate(pack.fields).tuning_class
            except ValidationError:
                classed = names(value.value for value in TuningClass if value is not TuningClass.NONE)
                problems.append(SkillProblem(pack.shown(pack.source.name), say("tune.skill.no_class", classes=classed)))
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
        if problem.is_left_out:
            log.warning("skill_left_out", place=problem.place, reason=text_of(problem.reason, "en"))
    return library, index_experience(db, embedder, library.pieces, rebuild=rebuild)


def _experience_of(pack: Skill, tuning_class: TuningClass) -> tuple[list[Piece], list[SkillProblem]]:
    pieces: list[Piece] = []
    problems: list[SkillProblem] = []
    for language in LANGUAGES:
        path = pack.folder / file_name(language)
        if not (path.exists() or path.is_symlink()):
            continue
        try:
            found, faults = read_pieces(pack, tuning_class, language, read_text(pack.folder, path))
            pieces += found
            problems += faults
        except Unusable as error:
            problems.append(error.at(pack.shown(path.name)))
    if not pieces and not problems:
        problems.append(SkillProblem(pack.folder.name, say("tune.skill.no_experience", files=names(map(file_name, LANGUAGES)))))
    return pieces, problems
