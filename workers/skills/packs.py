"""Skill packs: the folders inside the skill folders, each with a `SKILL.md`. A broken pack is reported, and the others are read."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from workers.skills.files import Unusable, read_text
from workers.skills.front_matter import FrontMatter, read_front_matter

SKILL = "SKILL.md"

_MAX_PACKS = 200
"""Packs in one skill folder. If the setting names a wrong folder with many subfolders, an error appears instead of a long wait."""


@dataclass(frozen=True)
class SkillPack:
    """One pack."""

    folder: Path
    about: FrontMatter

    @property
    def name(self) -> str:
        """The pack's name, which is also its folder's name."""
        return self.about.name


@dataclass(frozen=True)
class PackProblem:
    """A pack or a part of a pack that was left out."""

    place: str
    """Pack, file and line as far as they are known: `tune-skew/experience.en.md, line 12`."""
    reason: str


@dataclass(frozen=True)
class PacksRead:
    """The packs in the skill folders, and the packs that could not be read."""

    packs: tuple[SkillPack, ...]
    """Sorted by name."""
    problems: tuple[PackProblem, ...]


def read_packs(folders: Iterable[Path]) -> PacksRead:
    """The packs in the folders. A pack in a later folder replaces a pack of the same name in an earlier folder."""
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
                    raise Unusable(f"is called {about.name}, but its folder is {path.name[:100]}; both names must be the same")
                packs[about.name] = SkillPack(path, about)
            except Unusable as error:
                problems.append(PackProblem(f"{path.name}/{SKILL}", str(error)))
    return PacksRead(tuple(packs[name] for name in sorted(packs)), tuple(problems))


def _pack_folders(folder: Path) -> list[Path]:
    """The folders inside a skill folder, without hidden folders."""
    try:
        if not folder.is_dir():
            raise Unusable("is not a folder")
        inside = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith((".", "_")))
    except OSError as error:
        raise Unusable(f"cannot be read: {error.strerror or error}") from None
    if len(inside) > _MAX_PACKS:
        raise Unusable(
            f"holds {len(inside)} folders, but a skill folder may hold at most {_MAX_PACKS} packs; check that it is the right folder"
        )
    return inside
