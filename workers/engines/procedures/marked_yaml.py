"""YAML as plain texts, lists and mappings, with the line of every part. No tags, no aliases, no key twice."""

from typing import Any

import yaml

from contracts.refusals import yaml_hint
from contracts.statements import Statement, count, name, passage, say

MOST_CHARACTERS = 200_000
MOST_DEPTH = 30

Path = tuple[str | int, ...]


class Fault(Exception):
    """What is wrong in a file, and on which line."""

    def __init__(self, line: int, message: Statement) -> None:
        super().__init__(message.code)
        self.line = line
        self.message = message


class _Texts(yaml.BaseLoader):
    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            alias: Any = self.get_event()  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] PyYAML has no types
            at = int(alias.start_mark.line)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType] as above
            raise Fault(at + 1, say("procedures.alias"))
        return super().compose_node(parent, index)


def read_marked(text: str) -> tuple[Any, dict[Path, int]]:
    """The value, and the line of each path in it. Raises `Fault`."""
    if len(text) > MOST_CHARACTERS:
        raise Fault(1, say("procedures.too_long", most=count(MOST_CHARACTERS, exact=True)))
    try:
        loader = _Texts(text)
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem, hint = passage(str(error.problem or error.context)[:200]), yaml_hint(text, line, str(error.problem))
        message = say("procedures.not_yaml_since", error=problem, hint=hint) if hint else say("procedures.not_yaml", error=problem)
        raise Fault(line, message) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise Fault(1, say("procedures.not_yaml", error=passage(" ".join(str(error).split())[:200]))) from None
    lines: dict[Path, int] = {(): 1}
    return (None if node is None else _value(node, (), lines)), lines


def _value(node: yaml.Node, path: Path, lines: dict[Path, int]) -> Any:
    line = node.start_mark.line + 1
    lines.setdefault(path, line)
    if len(path) > MOST_DEPTH:
        raise Fault(line, say("procedures.too_deep"))
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, (*path, place), lines) for place, item in enumerate(node.value)]
    found: dict[str, Any] = {}
    for key, item in node.value:
        at = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise Fault(at, say("procedures.key_not_text"))
        field = str(key.value)
        if field in found:
            raise Fault(at, say("procedures.twice", name=name(field[:100])))
        lines[(*path, field)] = at
        found[field] = _value(item, (*path, field), lines)
    return found
