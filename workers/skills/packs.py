"""Skill packs: the folders under the skill folders, each with a `SKILL.md`. A broken pack is told of, and the others are read."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from workers.skills.files import Unusable, read_text
from workers.skills.front_matter import FrontMatter, read_front_matter

SKILL = "SKILL.md"

_MAX_PACKS = 200
"""In one folder: who points at another folder by mistake is told so instead of waiting."""


@dataclass(frozen=True)
class SkillPack:
    """One pack."""

    folder: Path
    about: FrontMatter

    @property
    def name(self) -> str:
        """Its name, and its folder's."""
        return self.about.name


@dataclass(frozen=True)
class PackProblem:
    """Something that was left out."""

    place: str
    """Pack, file and line, as far as known: `tune-skew/experience.en.md, line 12`."""
    reason: str


@dataclass(frozen=True)
class PacksRead:
    """What the folders hold."""

    packs: tuple[SkillPack, ...]
    """By name."""
    problems: tuple[PackProblem, ...]


def read_packs(folders: Iterable[Path]) -> PacksRead:
    """The packs of the folders; one that comes later takes the place of an earlier one with its name."""
    packs: dict[str, SkillPack] = {}
    problems: list[PackProblem] = []
    for folder in folders:
        try:
            inside = _pack_folders(folder)
        except Unusable as error:
            problems.append(PackProblem(str(folder), str(error)))
            continue
        for path in inside:
            try:
                about = read_front_matter(read_text(folder, path / SKILL))
                if about.name != path.name:
                    raise Unusable(f"is called {about.name}, and its folder {path.name[:100]}: both must be the same")
                packs[about.name] = SkillPack(path, about)
            except Unusable as error:
                problems.append(PackProblem(f"{path.name}/{SKILL}", str(error)))
    return PacksRead(tuple(packs[name] for name in sorted(packs)), tuple(problems))


def _pack_folders(folder: Path) -> list[Path]:
    """The folders of a skill folder, hidden ones left out."""
    try:
        if not folder.is_dir():
            raise Unusable("is no folder")
        found = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith((".", "_")))
    except OSError as error:
        raise Unusable(f"cannot be read: {error.strerror or error}") from None
    if len(found) > _MAX_PACKS:
        raise Unusable(f"holds {len(found)} folders, and at most {_MAX_PACKS} packs are taken from one: is it the right one?")
    return found
