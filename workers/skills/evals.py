"""The evaluations in a skill's folder `evals/`: questions that it is for, questions that it is not for, and dialogues.

`choosing.yaml` holds two lists of questions, `fits` and `others`. `sources.yaml` names the data that the dialogues are played over. Every
other `*.yaml` or `*.jsonl` file holds dialogues: messages of a user, and what is expected of each answer. What may be expected is defined
by the kind of job that follows the skill.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, cast

import yaml
from pydantic import Field, ValidationError, model_validator

from contracts.base import Contract, Json, Text, clean_json
from contracts.refusals import at, in_words, names_at, of_the_file, place_of, without_echoes, yaml_hint
from contracts.sources import SourceKind, SourceName
from contracts.statements import LanguageCode, Statement, name, quote, say
from workers.engines.safe_yaml import FAULTS
from workers.skills.files import as_text, read_bytes
from workers.skills.loading import EVALS
from workers.skills.skill import Skill, SkillProblem, Unusable

CHOOSING = "choosing.yaml"
SOURCES = "sources.yaml"
_MOST_FILES = 50
_MOST_FAULTS = 5
"""Faults of one dialogue that are shown."""

Lines = Mapping[tuple[str | int, ...], int]
"""Place in a value → its line; `()` is the value itself."""


class Turn(Contract):
    """A message of the user, and what is expected of the answer."""

    user: Text | Json
    """A text, or an answer that is not one: `{"params": {...}}` fills in a form, `{"cancel": true}`, `{"selected": [...]}`."""
    expect: Json = {}
    """Names of checks with their values, which the kind of job knows."""


class Dialogue(Contract):
    """A conversation."""

    id: Text = Field(min_length=1, max_length=200)
    title: Text = ""
    lang: LanguageCode | None = None
    tags: tuple[Text, ...] = ()
    turns: tuple[Turn, ...] = Field(min_length=1)


class EvalSource(Contract):
    """A source that the dialogues are played over, in one of three ways."""

    name: SourceName
    files: Text | None = None
    """A folder of CSV, Parquet or JSON lines in `evals/`, or a DuckDB or SQLite file there."""
    sample: bool = False
    """The sample shop."""
    kind: SourceKind | None = None
    """A database whose URL is in the environment, `BULLPEN_SOURCE_<NAME>_URL`."""

    @model_validator(mode="after")
    def _says_where_it_is(self) -> Self:
        if (self.files is not None) + self.sample + (self.kind is not None) != 1:
            raise ValueError("a source has exactly one of files, sample, kind")
        return self


class _Choosing(Contract):
    fits: tuple[Text, ...] = ()
    others: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class SkillEvals:
    """What `evals/` holds."""

    fits: tuple[str, ...] = ()
    """Questions for which this skill must be chosen."""
    others: tuple[str, ...] = ()
    """Questions for which it must not be chosen."""
    dialogues: tuple[Dialogue, ...] = ()
    sources: tuple[EvalSource, ...] = ()
    """What the dialogues are played over."""
    places: Mapping[str, tuple[str, tuple[int, ...]]] = field(default_factory=dict[str, tuple[str, tuple[int, ...]]])
    """Dialogue → its file, its line and the lines of its turns."""
    source_lines: Mapping[str, int] = field(default_factory=dict[str, int])
    """Source → its line in `sources.yaml`."""
    problems: tuple[SkillProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnPlayed:
    """A turn, and what was as expected in its answer."""

    user: str
    checks: dict[str, bool]
    """Name of the check → whether it holds. A turn is right if all of them hold."""
    why: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name of a check that does not hold → what was expected, and what came."""
    note: str = ""
    """What came out, for the author of a turn that was not right."""

    @property
    def is_right(self) -> bool:
        """Whether every check holds."""
        return all(self.checks.values())


@dataclass(frozen=True, slots=True)
class DialoguePlayed:
    """A dialogue that was played."""

    id: str
    turns: tuple[TurnPlayed, ...] = field(default=())

    @property
    def is_right(self) -> bool:
        """Whether every check of every turn holds."""
        return all(turn.is_right for turn in self.turns)


def read_evals(skill: Skill) -> SkillEvals:
    """The evaluations of a skill. A file that cannot be read is a problem with its line, and the others are read."""
    found = _Read()
    for path in _files(skill):
        shown = skill.shown(f"{EVALS}/{path.name}")
        try:
            for lines, value in _values(as_text(read_bytes(skill.folder, path)), path.suffix):
                try:
                    found.add(skill, path, value, lines)
                except _Faulty as error:
                    found.problems += [fault.at(shown) for fault in error.faults]
        except Unusable as error:
            found.problems.append(error.at(shown))
    return found.evals()


@dataclass
class _Read:
    """What was read so far."""

    fits: list[str] = field(default_factory=list[str])
    others: list[str] = field(default_factory=list[str])
    dialogues: dict[str, Dialogue] = field(default_factory=dict[str, Dialogue])
    sources: dict[str, EvalSource] = field(default_factory=dict[str, EvalSource])
    places: dict[str, tuple[str, tuple[int, ...]]] = field(default_factory=dict[str, tuple[str, tuple[int, ...]]])
    source_lines: dict[str, int] = field(default_factory=dict[str, int])
    problems: list[SkillProblem] = field(default_factory=list[SkillProblem])

    def add(self, skill: Skill, path: Path, value: Any, lines: Lines) -> None:
        """Add a value of a file. Raises `_Faulty`, or `Unusable`."""
        line = lines[()]
        if path.name == CHOOSING:
            lists = _validated(_Choosing, value, lines)
            self.fits += lists.fits
            self.others += lists.others
            return
        if path.name == SOURCES:
            source = _validated(EvalSource, value, lines)
            if source.files is not None and source_files(skill, source) is None:
                raise Unusable(say("skills.eval.no_files", files=name(source.files[:200])), line)
            self.sources[source.name], self.source_lines[source.name] = source, line
            return
        dialogue = _validated(Dialogue, value, lines)
        if dialogue.id in self.dialogues:
            raise Unusable(say("skills.eval.same_id", id=name(dialogue.id)), line)
        turns = tuple(_line(("turns", number), lines) for number in range(len(dialogue.turns)))
        self.dialogues[dialogue.id] = dialogue
        self.places[dialogue.id] = skill.shown(f"{EVALS}/{path.name}"), (line, *turns)

    def evals(self) -> SkillEvals:
        """All of it."""
        return SkillEvals(
            tuple(self.fits), tuple(self.others), tuple(self.dialogues.values()), tuple(self.sources.values()), self.places,
            self.source_lines, tuple(self.problems),
        )  # fmt: skip


class _Faulty(Exception):
    """What is wrong with one value of a file: the others are read."""

    def __init__(self, faults: list[Unusable]) -> None:
        super().__init__()
        self.faults = faults


def source_files(skill: Skill, source: EvalSource) -> Path | None:
    """Where the files of a source are; None if there are none in `evals/`."""
    evals = (skill.folder / EVALS).resolve()
    path = (evals / (source.files or "")).resolve()
    return path if source.files and path != evals and path.is_relative_to(evals) and path.exists() else None


def _files(skill: Skill) -> list[Path]:
    if skill.is_flat:
        return []
    folder = skill.folder / EVALS
    try:
        found = [path for path in sorted(folder.iterdir()) if path.suffix in (".yaml", ".yml", ".jsonl") and not path.name.startswith(".")]
    except OSError:
        return []
    return found[:_MOST_FILES]


class _Safe(yaml.SafeLoader):
    """Aliases are refused, since a short text could expand to a huge value."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise Unusable(say("skills.problem.alias"), self.line + 1)
        return super().compose_node(parent, index)


def _values(text: str, suffix: str) -> Iterator[tuple[Lines, Any]]:
    """Lines and value of each dialogue in a file."""
    if suffix == ".jsonl":
        for line, row in enumerate(text.split("\n"), start=1):
            if row.strip():
                try:
                    yield {(): line}, json.loads(row)
                except (ValueError, RecursionError) as error:
                    raise Unusable(say("skills.eval.not_json", error=quote(str(error)[:200])), line) from None
        return
    try:
        loader = _Safe(text)
        node: Any = loader.get_single_node()
        for part in cast("list[Any]", node.value) if isinstance(node, yaml.SequenceNode) else () if node is None else (node,):
            yield dict(_marks(part)), loader.construct_document(part)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        problem = str(error.problem or error.context)[:200]
        hint = yaml_hint(text, line, problem) if line else None
        given = {"error": quote(problem)}
        message = say("skills.eval.not_yaml_since", **given, hint=hint) if hint else say("skills.eval.not_yaml", **given)
        raise Unusable(message, line) from None
    except FAULTS as error:
        raise Unusable(say("skills.eval.not_yaml", error=quote((str(error).splitlines() or [""])[0][:200]))) from None


def _validated(contract: Any, value: Any, lines: Lines) -> Any:
    try:
        return contract.model_validate(clean_json(value))
    except ValidationError as error:
        faults = without_echoes(error.errors(include_url=False, include_input=False), contract)
        found: dict[str, tuple[Statement, int]] = {}
        for fault in faults:
            parts = of_the_file(fault["loc"])
            message = say("skills.eval.one_place") if fault["type"] == "value_error" else _fault(contract, fault)
            found.setdefault(place_of(parts), (message, _line(parts, lines)))
        raise _Faulty(
            [Unusable(say("skills.eval.wrong", error=message), line) for message, line in list(found.values())[:_MOST_FAULTS]]
        ) from None


def _fault(contract: Any, fault: Any) -> Statement:
    message = in_words(fault, names_at(contract, fault["loc"][:-1]))
    return at(place_of(fault["loc"]) or "-", message)


def _line(parts: tuple[str | int, ...], lines: Lines) -> int:
    """The line of a place, or of what it is in."""
    while parts not in lines and parts:
        parts = parts[:-1]
    return lines.get(parts, 1)


def _marks(node: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], int]]:
    """Place in a value, and its line."""
    yield path, node.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode):
        for place, item in enumerate(cast("list[Any]", node.value)):
            yield from _marks(item, (*path, place))
    elif isinstance(node, yaml.MappingNode):
        for key, item in cast("list[tuple[Any, Any]]", node.value):
            inner = (*path, str(key.value))
            yield from _marks(item, inner)
            yield inner, key.start_mark.line + 1
