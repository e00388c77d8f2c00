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
from contracts.refusals import in_words
from contracts.sources import SourceKind, SourceName
from contracts.statements import LanguageCode, name, passage, quote, say
from workers.skills.files import as_text, read_bytes
from workers.skills.loading import EVALS
from workers.skills.skill import Skill, SkillProblem, Unusable

CHOOSING = "choosing.yaml"
SOURCES = "sources.yaml"
_MOST_FILES = 50


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
    places: Mapping[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    """Dialogue → its file and line."""
    problems: tuple[SkillProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnPlayed:
    """A turn, and what was as expected in its answer."""

    user: str
    checks: dict[str, bool]
    """Name of the check → whether it holds. A turn is right if all of them hold."""
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
    fits: list[str] = []
    others: list[str] = []
    dialogues: dict[str, Dialogue] = {}
    sources: dict[str, EvalSource] = {}
    places: dict[str, tuple[str, int]] = {}
    problems: list[SkillProblem] = []
    for path in _files(skill):
        shown = skill.shown(f"{EVALS}/{path.name}")
        try:
            for line, value in _values(as_text(read_bytes(skill.folder, path)), path.suffix):
                if path.name == CHOOSING:
                    lists = _validated(_Choosing, value, line)
                    fits += lists.fits
                    others += lists.others
                    continue
                if path.name == SOURCES:
                    source = _validated(EvalSource, value, line)
                    if source.files is not None and source_files(skill, source) is None:
                        raise Unusable(say("skills.eval.no_files", files=name(source.files[:200])), line)
                    sources[source.name] = source
                    continue
                dialogue = _validated(Dialogue, value, line)
                if dialogue.id in dialogues:
                    raise Unusable(say("skills.eval.same_id", id=name(dialogue.id)), line)
                dialogues[dialogue.id], places[dialogue.id] = dialogue, (shown, line)
        except Unusable as error:
            problems.append(error.at(shown))
    return SkillEvals(tuple(fits), tuple(others), tuple(dialogues.values()), tuple(sources.values()), places, tuple(problems))


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


def _values(text: str, suffix: str) -> Iterator[tuple[int, Any]]:
    """Line and value of each dialogue in a file."""
    if suffix == ".jsonl":
        for line, row in enumerate(text.split("\n"), start=1):
            if row.strip():
                try:
                    yield line, json.loads(row)
                except (ValueError, RecursionError) as error:
                    raise Unusable(say("skills.eval.not_json", error=quote(str(error)[:200])), line) from None
        return
    try:
        loader = _Safe(text)
        node: Any = loader.get_single_node()
        if isinstance(node, yaml.SequenceNode):
            for part in cast("list[Any]", node.value):
                yield part.start_mark.line + 1, loader.construct_document(part)
        elif node is not None:
            yield node.start_mark.line + 1, loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise Unusable(say("skills.eval.not_yaml", error=quote(str(error.problem or error.context)[:200])), line) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise Unusable(say("skills.eval.not_yaml", error=quote(str(error).splitlines()[0][:200]))) from None


def _validated(contract: Any, value: Any, line: int) -> Any:
    try:
        return contract.model_validate(clean_json(value))
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in fault["loc"]) or "-"
        raise Unusable(say("skills.eval.wrong", field=name(where[:200]), error=passage(in_words(fault)[:200])), line) from None
