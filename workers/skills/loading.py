"""Loads skills: Agent Skills folders (`NAME/SKILL.md`) and flat files (`NAME.md`). A broken skill is reported, and the others are read."""

import os
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, cast

from contracts.base import clean_json
from contracts.refusals import near
from contracts.statements import Statement, count, listing, name, quote, say
from workers.skills.files import as_text, is_binary, read_bytes
from workers.skills.front_matter import FrontMatter, read_front_matter
from workers.skills.skill import Library, Reference, Skill, SkillProblem, Unusable, name_key

SKILL = "SKILL.md"
PROCEDURE = "procedure.yaml"
EVALS = "evals"
"""The folder of a skill's evaluations. A job never reads it, since it holds the answers."""

_DEEPEST, _MOST_NAMED, _LOOKED_INTO = 4, 5, 500
"""Levels and folders below a skill in which others that lie too deep are looked for, and how many of them are named."""
_MAX_SKILLS = 200
"""Entries of one skill folder. If the setting names a wrong folder with many subfolders, an error appears instead of a long wait."""
_MAX_REFERENCES = 300
_MAX_FILES = 2_000
"""Files of a skill's folder that are looked at, pictures included."""
_MAX_DEPTH = 6
_MAX_REFERENCE_BYTES = 8 << 20
"""All reference files of a skill together. They are stored with every version that a job uses."""

_NAME = re.compile(r"\w[\w .-]*")
_RESERVED = frozenset({"none", "null", "default"})
"""Words that choose no skill."""
_SPEC_FIELDS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
_OWN_FIELDS = frozenset({"title", "triggers", "priority", "kind"})
_NOT_SKILLS = frozenset({"readme", "changelog", "license", "licence", "contributing", "notice", "security", "code_of_conduct"})
"""Markdown files that lie beside skills and are none. They count as skills only with front matter."""


def load_skills(folders: Iterable[Path]) -> Library:
    """The skills in these folders. A skill replaces a skill of the same name in an earlier folder.

    A folder that holds a `SKILL.md` itself is one skill; one that holds folders of skills is a category of them. Nothing that a
    folder can hold raises an error.
    """
    skills: dict[str, Skill] = {}
    unread: list[SkillProblem] = []
    for folder in folders:
        try:
            found = _in_folder(folder, unread)
        except Unusable as error:
            unread.append(error.at(str(folder)))
            continue
        skills |= found
    return Library(tuple(sorted(skills.values(), key=lambda skill: (-skill.priority, skill.name))), tuple(unread))


def read_reference(skill: Skill, path: str) -> str:
    """The text of one of the skill's references, by its exact path. Raises `Unusable`: of a file in the folder that is left out, why."""
    if not any(reference.path == path for reference in skill.references):
        if not skill.is_flat and any(file.relative_to(skill.folder).as_posix() == path for file in _walk(skill.folder)):
            as_text(read_bytes(skill.folder, skill.folder / path))
        raise Unusable(say("skills.problem.no_reference", path=quote(path[:200])))
    return as_text(read_bytes(skill.folder, skill.folder / path))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a skill's text is."""

    root: Path
    """The skill folder of the setting."""
    folder: Path
    file: Path
    is_flat: bool

    def shown(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()


def _in_folder(root: Path, unread: list[SkillProblem]) -> dict[str, Skill]:
    found: dict[str, Skill] = {}
    for place in _places(root):
        shown = place.shown(place.file)
        try:
            skill = _read(place)
            if skill is None:
                continue
            key = name_key(skill.name)
            if key in found:
                first = Path(os.path.relpath(found[key].source, root)).as_posix()
                raise Unusable(say("skills.problem.same_name", name=name(skill.name), file=name(first)))
            found[key] = skill
        except Unusable as error:
            unread.append(error.at(shown))
    return found


def _places(root: Path) -> list[_Place]:
    try:
        if not root.is_dir():
            raise Unusable(say("skills.problem.not_a_folder") if root.exists() else say("skills.problem.no_folder"))
        if _skill_file(root) is not None:
            return [_Place(root.parent, root, _skill_file(root) or root / SKILL, is_flat=False)]
        inside = sorted(path for path in root.iterdir() if not path.name.startswith((".", "_")))
        folders = [path for path in inside if path.is_dir()]
        flat = [path for path in inside if path.suffix == ".md" and path not in folders]
        folders = [skill for path in folders for skill in _in_category(path)]
    except (OSError, ValueError) as error:
        raise Unusable(say("skills.problem.unreadable", error=quote(getattr(error, "strerror", None) or str(error)[:200]))) from None
    if len(folders) + len(flat) > _MAX_SKILLS:
        raise Unusable(say("skills.problem.too_many", n=count(len(folders) + len(flat)), most=count(_MAX_SKILLS)))
    whole = [_Place(root, path, _skill_file(path) or path / SKILL, is_flat=False) for path in folders]
    return [*whole, *(_Place(root, root, path, is_flat=True) for path in flat)]


def _in_category(folder: Path) -> list[Path]:
    """The folders of skills in a folder that groups them; the folder itself where it is a skill, or has none below it."""
    if _skill_file(folder) is not None:
        return [folder]
    below = sorted(path for path in folder.iterdir() if not path.name.startswith((".", "_")) and path.is_dir())
    return [path for path in below if _skill_file(path) is not None] or [folder]


def _skill_file(folder: Path) -> Path | None:
    with suppress(OSError):
        if os.path.lexists(folder / SKILL):
            return folder / SKILL
        return next((path for path in sorted(folder.iterdir()) if path.name.lower() == SKILL.lower()), None)
    return None


def _read(place: _Place) -> Skill | None:
    """The skill at a place; None if a flat file is not meant to be a skill."""
    deeper = () if place.is_flat else _deeper(place.folder)
    if deeper and not os.path.lexists(place.file):
        raise Unusable(say("skills.problem.deeper", folders=listing(*map(name, deeper))))
    raw = read_bytes(place.root if place.is_flat else _real(place), place.file)
    text = as_text(raw)
    if place.is_flat and not text.startswith("---") and name_key(place.file.stem).replace("-", "_") in _NOT_SKILLS:
        return None
    front = read_front_matter(text)
    shown = place.shown(place.file)
    remarks = _Remarks(shown, front, list(front.problems(shown)))
    if raw.startswith(b"\xef\xbb\xbf"):
        remarks.add("", say("skills.problem.bom"))
    if deeper:
        remarks.add("", say("skills.problem.below", folders=listing(*map(name, deeper))))
    skill = _described(place, front, remarks)
    if place.is_flat:
        return replace(skill, problems=tuple(remarks.found))
    references, procedure = _files(place, remarks)
    return replace(skill, references=references, procedure=procedure, problems=tuple(remarks.found))


def _deeper(folder: Path) -> tuple[str, ...]:
    """Folders below that hold a skill of their own, which is not read there; links are not entered."""
    found: list[str] = []
    for path, folders, files in islice(os.walk(folder), _LOOKED_INTO):
        inside = Path(path).relative_to(folder)
        folders[:] = (
            sorted(each for each in folders if not each.startswith((".", "_")))[:_MAX_SKILLS] if len(inside.parts) < _DEEPEST else []
        )
        if inside.parts and any(file.lower() == SKILL.lower() for file in files):
            found.append(inside.as_posix())
        if len(found) == _MOST_NAMED:
            break
    return tuple(found)


def _real(place: _Place) -> Path:
    """The skill's folder, which must really be inside the skill folder."""
    try:
        if place.folder.resolve(strict=True).is_relative_to(place.root.resolve(strict=True)):
            return place.folder
    except (OSError, RuntimeError):  # a link to nothing, or to itself
        raise Unusable(say("skills.problem.link_circle")) from None
    raise Unusable(say("skills.problem.link_out"))


def kind_remarks(skills: Iterable[Skill], kinds: Collection[str]) -> list[SkillProblem]:
    """A remark at each skill that is for a kind of job which does not exist. `kinds`: those that do."""
    there = listing(*map(name, sorted(kinds)))
    strangers = [skill for skill in skills if skill.kind and skill.kind not in kinds]
    return [skill.remark("kind", say("skills.problem.no_kind", kind=name(skill.kind[:100]), there=there)) for skill in strangers]


@dataclass(frozen=True)
class _Remarks:
    """Collects what is wrong with a skill that can be used."""

    file: str
    front: FrontMatter
    found: list[SkillProblem]

    def add(self, field: str, reason: Statement) -> None:
        line = self.front.lines.get(f"metadata.{field}") or self.front.lines.get(field) or 1
        self.found.append(SkillProblem(self.file, reason, line, is_left_out=False))


def _described(place: _Place, front: FrontMatter, remarks: _Remarks) -> Skill:
    given: Any = front.fields.get("metadata", {})
    if not isinstance(given, dict):
        remarks.add("metadata", say("skills.problem.not_a_mapping"))
        given = {}
    metadata = cast("dict[str, Any]", given)
    own: dict[str, Any] = {key: value for key, value in metadata.items() if key not in _SPEC_FIELDS}
    fields: dict[str, Any] = clean_json({**front.fields, **own})
    _compare_with_spec(place, front, remarks)
    for field in metadata:
        if meant := _near(field, _OWN_FIELDS):
            remarks.add(field, say("skills.problem.perhaps_field", field=name(field[:100]), near=name(meant)))
    skill_name = _name(place, fields, front, remarks)
    return Skill(
        name=skill_name,
        title=_text(fields, "title", remarks)[:200] or skill_name,
        description=_text(fields, "description", remarks),
        body=str(clean_json(front.body)),
        source=place.file,
        folder=place.folder,
        is_flat=place.is_flat,
        kind=_text(fields, "kind", remarks),
        priority=_priority(fields, remarks),
        triggers=tuple(dict.fromkeys(trigger[:200] for trigger in _several(fields, "triggers", remarks)))[:100],
        tool_names=_tools(fields, remarks),
        fields=fields,
        lines=front.lines,
    )


def _name(place: _Place, fields: dict[str, Any], front: FrontMatter, remarks: _Remarks) -> str:
    given = fields.get("name", "")
    if not isinstance(given, str):
        raise Unusable(say("skills.problem.not_text", field=name("name")), front.lines["name"])
    own = place.file.stem if place.is_flat else place.folder.resolve().name
    if not given.strip():
        remarks.add("name", say("skills.problem.no_name", name=name(own)))
    found = given.strip() or own
    if not _NAME.fullmatch(found) or len(found) > 100:
        raise Unusable(say("skills.problem.bad_name", name=quote(found[:100])), front.lines.get("name", 1))
    if name_key(found) in _RESERVED:
        raise Unusable(say("skills.problem.reserved_name", name=quote(found)), front.lines.get("name", 1))
    if not place.is_flat and given.strip() and own != found:
        remarks.add("name", say("skills.problem.other_folder", name=name(found), folder=name(own[:100])))
    return found


def _compare_with_spec(place: _Place, front: FrontMatter, remarks: _Remarks) -> None:
    """Remarks about what the Agent Skills specification does not allow. Flat files are older than it."""
    if not place.is_flat:
        for field in front.fields:
            if field in _OWN_FIELDS:
                remarks.add(field, say("skills.problem.own_field", field=name(field)))
            elif meant := _near(field, (*_SPEC_FIELDS, *_OWN_FIELDS)):
                remarks.add(field, say("skills.problem.perhaps_field", field=name(field[:100]), near=name(meant)))
            elif field not in _SPEC_FIELDS:
                remarks.add(field, say("skills.problem.unknown_field", field=name(field[:100])))
        if len(str(front.fields.get("description", ""))) > 1024:
            remarks.add("description", say("skills.problem.long_description", most=count(1024, exact=True)))
        if len(str(front.fields.get("compatibility", ""))) > 500:
            remarks.add("compatibility", say("skills.problem.long_compatibility", most=count(500, exact=True)))
        for line in front.flow_lines:
            remarks.found.append(SkillProblem(remarks.file, say("skills.problem.brackets"), line, is_left_out=False))
        given = str(front.fields.get("name", ""))
        if given and (len(given) > 64 or given != given.lower() or not re.fullmatch(r"[^\W_]+(-[^\W_]+)*", given)):
            remarks.add("name", say("skills.problem.spec_name", name=name(given[:100])))
    if not front.fields.get("description"):
        remarks.add("description", say("skills.problem.no_description"))


def _near(field: str, known: Collection[str]) -> str:
    """The field that was perhaps meant; empty if it is one of them, or none is close."""
    return "" if field in known else near(field, known, 0.8)


def _text(fields: dict[str, Any], field: str, remarks: _Remarks) -> str:
    value = fields.get(field, "")
    if isinstance(value, str):
        return value.strip()
    remarks.add(field, say("skills.problem.not_text", field=name(field)))
    return ""


def _priority(fields: dict[str, Any], remarks: _Remarks) -> int:
    value = fields.get("priority", "0")
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,9}\s*", value):
        return int(value)
    remarks.add("priority", say("skills.problem.not_a_number", field=name("priority")))
    return 0


def _several(fields: dict[str, Any], field: str, remarks: _Remarks) -> list[str]:
    """A list of texts, or texts separated by commas."""
    value = fields.get(field, [])
    if isinstance(value, str):
        return [part.strip() for part in re.split(r"[,，;；、\n]", value) if part.strip()]
    if isinstance(value, list) and all(isinstance(item, str) for item in value):  # pyright: ignore[reportUnknownVariableType] YAML has no static type
        return [item.strip() for item in value if item.strip()]  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    remarks.add(field, say("skills.problem.not_a_list", field=name(field)))
    return []


def _tools(fields: dict[str, Any], remarks: _Remarks) -> tuple[str, ...] | None:
    """The tools that a skill names, separated by spaces or commas; what is in brackets belongs to the name before it."""
    if "allowed-tools" not in fields:
        return None
    value = fields["allowed-tools"]
    if isinstance(value, str):
        return tuple(dict.fromkeys(re.findall(r"[^\s,()]+(?:\([^)]*\))?", value)))
    if isinstance(value, list) and all(isinstance(item, str) for item in value):  # pyright: ignore[reportUnknownVariableType] YAML has no static type
        return tuple(dict.fromkeys(item.strip() for item in value if item.strip()))  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType, reportUnknownArgumentType]
    remarks.add("allowed-tools", say("skills.problem.not_a_list", field=name("allowed-tools")))
    return ()


def _files(place: _Place, remarks: _Remarks) -> tuple[tuple[Reference, ...], str | None]:
    """The reference files of a skill's folder, and the text of its procedure."""
    references: list[Reference] = []
    procedure: str | None = None
    total = 0
    for number, path in enumerate(_walk(place.folder)):
        relative = path.relative_to(place.folder).as_posix()
        if number >= _MAX_FILES:
            remarks.found.append(SkillProblem(place.shown(path), say("skills.problem.too_many_references")))
            break
        try:
            if relative != PROCEDURE and is_binary(place.folder, path):
                continue  # nothing that a step could read
            raw = read_bytes(place.folder, path)
            text = as_text(raw)
        except Unusable as error:
            remarks.found.append(error.at(place.shown(path)))
            continue
        if relative == PROCEDURE:
            procedure = text
            continue
        total += len(raw)
        if len(references) >= _MAX_REFERENCES or total > _MAX_REFERENCE_BYTES:
            remarks.found.append(SkillProblem(place.shown(path), say("skills.problem.too_many_references")))
            break
        references.append(Reference(relative, len(raw), sha256(raw).hexdigest()))
    return tuple(references), procedure


def _walk(folder: Path) -> Iterator[Path]:
    """The files of a skill's folder but for `SKILL.md`, `evals/` and what is hidden. Folders behind a link are not entered."""
    for current, folders, files in os.walk(folder):
        here = Path(current)
        depth = len(here.relative_to(folder).parts)
        folders[:] = sorted(name for name in folders if depth < _MAX_DEPTH and _is_entered(name, depth))
        for file in sorted(files):
            if not file.startswith(".") and not (depth == 0 and file.lower() == SKILL.lower()):
                yield here / file


def _is_entered(folder: str, depth: int) -> bool:
    return not folder.startswith((".", "__", "node_modules")) and not (depth == 0 and folder == EVALS)
