"""YAML as plain texts, lists and mappings, with the place of every part. No tags, no aliases, no key twice."""

from dataclasses import dataclass
from typing import Any

import yaml

from contracts.refusals import yaml_hint
from contracts.statements import Statement, count, name, passage, say

MOST_CHARACTERS = 200_000
MOST_DEPTH = 30

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a file: line and column, both from 1."""

    line: int = 1
    column: int = 1


class Fault(Exception):
    """What is wrong in a file, and where."""

    def __init__(self, line: int, message: Statement, column: int = 1) -> None:
        super().__init__(message.code)
        self.line = line
        self.column = column
        self.message = message


class _Texts(yaml.BaseLoader):
    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            alias: Any = self.get_event()  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] PyYAML has no types
            mark: Any = alias.start_mark  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] as above
            raise Fault(int(mark.line) + 1, say("procedures.alias"), int(mark.column) + 1)  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType] as above
        return super().compose_node(parent, index)


def read_marked(text: str) -> tuple[Any, dict[Path, Mark]]:
    """The value, and the place of each path in it: of its key, where it has one. Raises `Fault`."""
    if len(text) > MOST_CHARACTERS:
        raise Fault(1, say("procedures.too_long", most=count(MOST_CHARACTERS, exact=True)))
    try:
        loader = _Texts(text)
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        line, column = (error.problem_mark.line + 1, error.problem_mark.column + 1) if error.problem_mark else (1, 1)
        problem, hint = passage(str(error.problem or error.context)[:200]), yaml_hint(text, line, str(error.problem))
        message = say("procedures.not_yaml_since", error=problem, hint=hint) if hint else say("procedures.not_yaml", error=problem)
        raise Fault(line, message, column) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise Fault(1, say("procedures.not_yaml", error=passage(" ".join(str(error).split())[:200]))) from None
    marks: dict[Path, Mark] = {(): Mark()}
    return (None if node is None else _value(node, (), marks)), marks


def _value(node: yaml.Node, path: Path, marks: dict[Path, Mark]) -> Any:
    begin = _mark(node)
    marks.setdefault(path, begin)
    if len(path) > MOST_DEPTH:
        raise Fault(begin.line, say("procedures.too_deep"), begin.column)
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, (*path, place), marks) for place, item in enumerate(node.value)]
    found: dict[str, Any] = {}
    for key, item in node.value:
        at = _mark(key)
        if not isinstance(key, yaml.ScalarNode):
            raise Fault(at.line, say("procedures.key_not_text"), at.column)
        field = str(key.value)
        if field in found:
            raise Fault(at.line, say("procedures.twice", name=name(field[:100])), at.column)
        marks[(*path, field)] = at
        found[field] = _value(item, (*path, field), marks)
    return found


def _mark(node: yaml.Node) -> Mark:
    return Mark(node.start_mark.line + 1, node.start_mark.column + 1)
