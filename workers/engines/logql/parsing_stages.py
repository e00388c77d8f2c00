"""Parsers of lines: json, logfmt, regexp, pattern, unpack."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, cast

from contracts.logs import JsonParser, LogfmtParser, PatternParser, RegexpParser
from workers.engines.logql.entries import Item
from workers.engines.logql.expressions import compiled, read_pattern

Step = Callable[[Item], bool]
"""Changes an entry; False: the entry is dropped."""

_NOT_A_LABEL = re.compile(r"[^a-zA-Z0-9_]")
_PATH = re.compile(r'\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|\.?([^.\[\]]+)')
_PAIR = re.compile(r'([^\s="]+)(?:=("(?:[^"\\]|\\.)*"|[^\s"]*))?')
_FAULT = re.compile(r'^=|\s=|"[^"\s]*$')


def label_of(name: str) -> str:
    """A field's name as a label."""
    name = _NOT_A_LABEL.sub("_", name)
    return f"_{name}" if name[:1].isdigit() else name


def _loaded(line: str) -> dict[str, Any] | None:
    """The JSON object of a line, numbers as they are written."""
    if not line.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(line, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _flat(fields: dict[str, Any], before: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    for name, value in fields.items():
        label = f"{before}_{label_of(name)}" if before else label_of(name)
        if isinstance(value, dict):
            if depth < 20:
                yield from _flat(cast("dict[str, Any]", value), label, depth + 1)
        elif isinstance(value, str):
            yield label, value
        elif isinstance(value, bool):
            yield label, "true" if value else "false"


def json_step(stage: JsonParser) -> Step:
    """`| json`."""
    paths = [(extraction.label, _path(extraction.expression or extraction.label)) for extraction in stage.extractions]

    def every_field(item: Item) -> bool:
        fields = _loaded(item.line)
        if fields is None:
            item.fail("JSONParserErr")
            return True
        for label, text in _flat(fields):
            item.extract(label, text)
        return True

    def some_fields(item: Item) -> bool:
        fields = _loaded(item.line)
        if fields is None:
            item.fail("JSONParserErr")
            return True
        for label, path in paths:
            item.extract(label, _at(fields, path))
        return True

    return some_fields if paths else every_field


def _path(expression: str) -> list[str | int]:
    return [int(number) if number else key or name for key, number, name in _PATH.findall(expression)]


def _at(value: Any, path: list[str | int]) -> str:
    for step in path:
        if isinstance(step, str) and isinstance(value, dict):
            value = cast("dict[str, Any]", value).get(step)
        elif isinstance(step, int) and isinstance(value, list) and step < len(cast("list[Any]", value)):
            value = cast("list[Any]", value)[step]
        else:
            return ""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def logfmt_step(stage: LogfmtParser) -> Step:
    """`| logfmt`."""
    wanted = {extraction.expression or extraction.label: extraction.label for extraction in stage.extractions}

    def step(item: Item) -> bool:
        if stage.is_strict and _FAULT.search(item.line):
            item.fail("LogfmtParserErr")
            return True
        found = dict[str, str]()
        for name, text in _PAIR.findall(item.line):
            value = _unquoted(text) if text[:1] == '"' else text
            if value or stage.keeps_empty:
                found[name] = value
        if wanted:
            for name, label in wanted.items():
                item.extract(label, found.get(name, ""))
        else:
            for name, value in found.items():
                item.extract(label_of(name), value)
        return True

    return step


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError:
        return text[1:-1]


def regexp_step(stage: RegexpParser) -> Step:
    """`| regexp`."""
    expression = compiled(stage.pattern)
    names = tuple(expression.groupindex)

    def step(item: Item) -> bool:
        found = expression.search(item.line)
        if found is not None:
            for name in names:
                item.extract(name, found.group(name) or "")
        return True

    return step


def pattern_step(stage: PatternParser) -> Step:
    """`| pattern`."""
    pattern = read_pattern(stage.pattern)

    def step(item: Item) -> bool:
        for name, text in (pattern.read(item.line) or {}).items():
            item.extract(name, text)
        return True

    return step


def unpack_step(item: Item) -> bool:
    """`| unpack`."""
    fields = _loaded(item.line)
    if fields is None:
        item.fail("JSONParserErr")
        return True
    for name, value in fields.items():
        if name == "_entry" and isinstance(value, str):
            item.line = value
        elif isinstance(value, str):
            item.extract(label_of(name), value)
    return True
