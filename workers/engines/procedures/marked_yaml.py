"""YAML as plain texts, lists and mappings, with the line of every part. No tags, no aliases, no key twice."""

from typing import Any

import yaml

MOST_CHARACTERS = 200_000
MOST_DEPTH = 30

Path = tuple[str | int, ...]


class Fault(Exception):
    """What is wrong in a file, and on which line."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


class _Texts(yaml.BaseLoader):
    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            alias: Any = self.get_event()  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] PyYAML has no types
            at = int(alias.start_mark.line)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType] as above
            raise Fault(at + 1, "aliases (*name) are not allowed")
        return super().compose_node(parent, index)


def _is_colon(problem: str) -> bool:
    return "mapping values" in problem or problem.endswith("got ':'")


def read_marked(text: str) -> tuple[Any, dict[Path, int]]:
    """The value, and the line of each path in it. Raises `Fault`."""
    if len(text) > MOST_CHARACTERS:
        raise Fault(1, f"the file has more than {MOST_CHARACTERS:,} characters")
    try:
        loader = _Texts(text)
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        hint = "; a text that holds a colon and a space needs quotation marks" if _is_colon(str(error.problem)) else ""
        raise Fault(line, f"the file is not YAML: {error.problem or error.context}{hint}") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise Fault(1, f"the file is not YAML: {' '.join(str(error).split())[:200]}") from None
    lines: dict[Path, int] = {(): 1}
    return (None if node is None else _value(node, (), lines)), lines


def _value(node: yaml.Node, path: Path, lines: dict[Path, int]) -> Any:
    line = node.start_mark.line + 1
    lines.setdefault(path, line)
    if len(path) > MOST_DEPTH:
        raise Fault(line, "the file is nested too deeply")
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, (*path, place), lines) for place, item in enumerate(node.value)]
    found: dict[str, Any] = {}
    for key, item in node.value:
        at = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise Fault(at, "a key must be a text")
        name = str(key.value)
        if name in found:
            raise Fault(at, f"{name!r} is there twice")
        lines[(*path, name)] = at
        found[name] = _value(item, (*path, name), lines)
    return found
