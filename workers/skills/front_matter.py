"""The YAML between the two `---` lines at the beginning of a skill: texts, and lists and mappings of texts, with their lines.

The reader is our own because of what others lose silently: a byte order mark hides the whole front matter, `name: no` becomes False,
the last of two equal keys wins. Here every scalar is text as its author wrote it, and every fault has a line.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import yaml

from contracts.refusals import yaml_hint
from contracts.statements import Statement, count, name, quote, say
from workers.skills.skill import SkillProblem, Unusable

_MAX_CHARACTERS = 16_000

_UNQUOTED = re.compile(r"(?P<key>[A-Za-z][\w-]*): +(?P<value>[^\s\"'\[{>|&*!].*)")
"""A field whose value begins like a plain text. YAML refuses such a text when it contains `: `, but authors write it often."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields of a skill and the text below them."""

    fields: dict[str, Any]
    lines: dict[str, int]
    """The line of each field, from 1. A field under `metadata` is `metadata.NAME`."""
    body: str
    remarks: tuple[tuple[int, Any], ...]
    """Faults that did not hinder reading: line and statement."""
    flow_lines: tuple[int, ...] = ()
    """Lines with a list or mapping in brackets, which the Agent Skills validator refuses."""

    def problems(self, file: str) -> tuple[SkillProblem, ...]:
        """The remarks as problems of a file."""
        return tuple(SkillProblem(file, reason, line, is_left_out=False) for line, reason in self.remarks)


def read_front_matter(text: str) -> FrontMatter:
    """Split a skill's text, whose lines end with `\\n`. Raises `Unusable` with the reason and the line."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        raise Unusable(say("skills.problem.no_fence"), 1)
    end = next((number for number, line in enumerate(lines[1:], start=1) if line.rstrip() == "---"), None)
    if end is None:
        raise Unusable(say("skills.problem.no_closing_fence"), 1)
    front = lines[1:end]
    if sum(map(len, front)) > _MAX_CHARACTERS:
        raise Unusable(say("skills.problem.long_front", most=count(_MAX_CHARACTERS, exact=True)), 1)
    remarks: list[tuple[int, Any]] = []
    try:
        node = _composed(tuple(front))
    except Unusable as first:
        quoted = [_quoted(line) for line in front]
        if quoted == front:
            raise
        try:
            node = _composed(tuple(quoted))
        except Unusable:
            raise first from None
        remarks.append((first.line or 1, first.reason))
    if node is not None and not isinstance(node, yaml.MappingNode):
        raise Unusable(say("skills.problem.not_a_mapping"), 2)
    found: dict[str, int] = {}
    fields = _mapping(node, "", found, remarks) if node is not None else {}
    flow = tuple(sorted(set(_flow_lines(node)))) if node is not None else ()
    return FrontMatter(fields, found, "\n".join(lines[end + 1 :]).strip(), tuple(remarks), flow)


class _Plain(yaml.BaseLoader):
    """Aliases are refused, since a short text could expand to a huge value."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise Unusable(say("skills.problem.alias"), self.line + 2)
        return super().compose_node(parent, index)


@lru_cache(maxsize=256)
def _composed(lines: tuple[str, ...]) -> Any:
    """The YAML tree of the front matter, whose first line is line 2 of the file. It is read only: every step of `analyze` looks at
    all skills again, and YAML is most of what that costs."""
    try:
        return _Plain("\n".join(lines)).get_single_node()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else None
        raise Unusable(_not_yaml(lines, error, line), line) from None
    except yaml.reader.ReaderError as error:
        line = "\n".join(lines)[: error.position].count("\n") + 2
        raise Unusable(say("skills.problem.not_yaml", error=quote(error.reason)), line) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise Unusable(say("skills.problem.not_yaml", error=quote(str(error).splitlines()[0][:200])), 2) from None


def _not_yaml(lines: Sequence[str], error: yaml.MarkedYAMLError, line: int | None) -> Statement:
    problem = str(error.problem or error.context)[:200]
    hint = yaml_hint("\n".join(lines), line - 1, problem) if line else None
    if hint is not None:
        return say("skills.problem.not_yaml_since", error=quote(problem), hint=hint)
    return say("skills.problem.not_yaml", error=quote(problem))


def _quoted(line: str) -> str:
    found = _UNQUOTED.fullmatch(line.rstrip())
    if found is None or (": " not in found["value"] and not found["value"].endswith(":")):
        return line
    value = found["value"].replace("'", "''")
    return f"{found['key']}: '{value}'"


def _flow_lines(node: Any) -> Iterator[int]:
    if isinstance(node, yaml.CollectionNode):
        if node.flow_style:
            yield int(node.start_mark.line) + 2
            return
        for part in cast("list[Any]", node.value):
            for child in cast("tuple[Any, ...]", part) if isinstance(part, tuple) else (part,):
                yield from _flow_lines(child)


def _value(node: Any, path: str, lines: dict[str, int], remarks: list[tuple[int, Any]]) -> Any:
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, lines, remarks)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, path, lines, remarks) for item in node.value]
    return str(node.value)


def _mapping(node: yaml.MappingNode, path: str, lines: dict[str, int], remarks: list[tuple[int, Any]]) -> dict[str, Any]:
    """A mapping with the first of several equal keys."""
    found: dict[str, Any] = {}
    for key, value in node.value:
        line = key.start_mark.line + 2
        if not isinstance(key, yaml.ScalarNode):
            raise Unusable(say("skills.problem.key_not_text"), line)
        field = str(key.value)
        if field in found:
            remarks.append((line, say("skills.problem.twice", field=name(field[:100]))))
            continue
        inner = f"{path}.{field}" if path else field
        lines[inner] = line
        found[field] = _value(value, inner, lines, remarks)
    return found
