"""The values that the loader makes of skill folders: skills, what could not be read, and the library of both."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from contracts.base import content_hash
from contracts.statements import Sayable, Statement, as_value, count, name, say
from contracts.tools import ActiveSkill

READ_REFERENCE = "read_skill_reference"
"""The tool that reads a skill's own files. A skill that names tools keeps this tool, since the files belong to the skill."""

_TOOL_NAME = re.compile(r"[a-z][a-z0-9_]*([.-][a-z0-9_]+)*")
"""How tools of the fleet are named (`contracts.tools.ToolName`). Other authors name tools of other programs, such as `Bash(git:*)`."""


@dataclass(frozen=True, slots=True)
class SkillProblem:
    """Something in a skill folder that is left out, or that is read in spite of a fault."""

    file: str
    """The file, relative to the skill folder; for a skill folder, its path."""
    reason: Sayable
    line: int | None = None
    """From 1."""
    is_left_out: bool = True
    """Whether the file, or this part of it, is left out. False: it is read, and this is a remark for its author."""

    always_fails: bool = False
    """It is read, and what it says fails in every job."""

    @property
    def is_fault(self) -> bool:
        """Whether its author has to mend it. Otherwise this is a remark."""
        return self.is_left_out or self.always_fails

    @property
    def place(self) -> str:
        """File and line: `tune-skew/SKILL.md:3`."""
        return self.file if self.line is None else f"{self.file}:{self.line}"

    def sentence(self) -> Statement:
        """The place, the reason, and whether the file is left out, as one text."""
        values = {"file": name(self.file), "reason": as_value(self.reason)}
        if self.line is not None:
            where = say("skills.problem.at", **values, line=count(self.line, exact=True))
        else:
            where = say("skills.problem.in", **values)
        return say("skills.problem.left_out", problem=where) if self.is_left_out else where


class Unusable(Exception):
    """A file, or a part of it, that cannot be used, and why."""

    def __init__(self, reason: Statement, line: int | None = None) -> None:
        super().__init__(reason.code)
        self.reason = reason
        self.line = line

    def at(self, file: str, *, is_left_out: bool = True) -> SkillProblem:
        """This as a problem of a file."""
        return SkillProblem(file, self.reason, self.line, is_left_out)


@dataclass(frozen=True, slots=True)
class Reference:
    """A text file of a skill's folder that a step may read: instructions in detail, a template, the text of a script."""

    path: str
    """Relative to the skill's folder, with `/`."""
    size_bytes: int
    sha256: str
    """Of its bytes."""


@dataclass(frozen=True)
class Skill:
    """A skill as its author wrote it. All texts are data: nothing in a skill grants a tool."""

    name: str
    title: str
    """The name, if the author gave no title."""
    description: str
    body: str
    """The Markdown below the front matter, with `\\n` line ends."""
    source: Path
    """`SKILL.md`, or the flat file."""
    folder: Path
    """The skill's own folder. For a flat file, the skill folder that it is in, of which the skill may read no other file."""
    is_flat: bool = False
    kind: str = ""
    """The kind of job that the skill is for. Empty: the skill names none, as those of other authors; any kind that follows skills may
    follow it."""
    priority: int = 0
    triggers: tuple[str, ...] = ()
    tool_names: tuple[str, ...] | None = None
    """The tools that the skill names, as it writes them. None: it names none, so it narrows nothing."""
    references: tuple[Reference, ...] = ()
    """Sorted by path."""
    procedure: str | None = None
    """The text of `procedure.yaml`."""
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """All fields of the front matter: texts, lists and mappings. Those under `metadata` are also at the top."""
    lines: Mapping[str, int] = field(default_factory=dict[str, int])
    """Field of the front matter → its line; those under `metadata` as `metadata.kind`."""
    problems: tuple[SkillProblem, ...] = ()
    """Remarks about this skill, which is usable all the same."""

    @cached_property
    def hash(self) -> str:
        """The sha256 of everything that a job takes from the skill. The evaluations in `evals/` do not count."""
        front = {"name": self.name, "title": self.title, "description": self.description, "kind": self.kind, "triggers": self.triggers}
        parts = {"front": front, "priority": self.priority, "tools": self.tool_names, "body": self.body, "procedure": self.procedure}
        return content_hash({**parts, "references": [(reference.path, reference.sha256) for reference in self.references]})

    def shown(self, file: str) -> str:
        """A file of the skill as problems name it: `tune-skew/experience.en.md`."""
        return f"{self.folder.name}/{file}"

    def remark(self, field: str, reason: Statement) -> SkillProblem:
        """A remark about a field of the front matter."""
        line = self.lines.get(f"metadata.{field}") or self.lines.get(field) or 1
        file = self.source.name if self.is_flat else self.shown(self.source.name)
        return SkillProblem(file, reason, line, is_left_out=False)

    @property
    def allowed_tools(self) -> tuple[str, ...] | None:
        """The named tools that a tool of the fleet can have. None: the skill names none, so it narrows nothing."""
        if self.tool_names is None:
            return None
        kept = [tool for tool in self.tool_names if len(tool) <= 64 and _TOOL_NAME.fullmatch(tool)]
        return tuple(dict.fromkeys([*kept, READ_REFERENCE]))

    def active(self) -> ActiveSkill:
        """The skill as a step that follows it holds it: it narrows what the step may call."""
        return ActiveSkill(name=self.name, allowed_tools=self.allowed_tools)


@dataclass(frozen=True)
class Library:
    """The skills of several folders."""

    skills: tuple[Skill, ...] = ()
    """By priority, the highest first; skills of the same priority by name."""
    unread: tuple[SkillProblem, ...] = ()
    """Folders and files that hold no usable skill."""

    @property
    def problems(self) -> tuple[SkillProblem, ...]:
        """What is left out, then the remarks about usable skills."""
        return (*self.unread, *(problem for skill in self.skills for problem in skill.problems))

    def get(self, name: str) -> Skill | None:
        """The skill of a name. Case, and `_` or a space for `-`, make no difference."""
        return self._by_name.get(name_key(name))

    def of_kind(self, kind: str) -> "Library":
        """The skills for jobs of one kind: those that name it, and those that name no kind."""
        return Library(tuple(skill for skill in self.skills if skill.kind in ("", kind)), self.unread)

    @cached_property
    def hash(self) -> str:
        """Changes whenever a skill comes, goes or changes."""
        return content_hash([skill.hash for skill in self.skills])

    @cached_property
    def _by_name(self) -> dict[str, Skill]:
        return {name_key(skill.name): skill for skill in self.skills}


def name_key(name: str) -> str:
    """Names with the same key are the same name."""
    return re.sub(r"[\s_-]+", "-", unicodedata.normalize("NFKC", name).strip().casefold())
