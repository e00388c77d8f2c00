"""Settings of Spark in a file: spark-defaults.conf, properties, YAML, JSON, and the command lines of spark-submit."""

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any, cast

from contracts.artefacts import ConfigurationFacts
from contracts.bundles import Information
from contracts.statements import say
from workers.engines.artefacts.kinds import Parsed
from workers.engines.artefacts.rows import JSON_DAMAGED
from workers.engines.artefacts.texts import Decoded
from workers.engines.counts import exactly
from workers.engines.spark.eventlog.configuration import what_matters

SETTING = re.compile(r"\s*(?:export\s+|set\s+)?[\"']?(spark\.[A-Za-z0-9_.\-]{1,200}+)[\"']?(?:\s*+[=:]\s*+|\s++)(\S[^\n]*)", re.IGNORECASE)
SUBMIT = re.compile(r"\bspark-submit\b|\bspark-sql\b|\bpyspark\b|--conf\s")
YAML_KEY = re.compile(r"(\s*+)(?:-\s++)?[\"']?([A-Za-z0-9_.\-]{1,200}+)[\"']?\s*+:(?:\s++([^\n]*))?$")
COMMENT = ("#", "//", "--", ";")
FLAGS = {
    "--master": "spark.master",
    "--deploy-mode": "spark.submit.deployMode",
    "--name": "spark.app.name",
    "--num-executors": "spark.executor.instances",
    "--executor-cores": "spark.executor.cores",
    "--executor-memory": "spark.executor.memory",
    "--driver-memory": "spark.driver.memory",
    "--driver-cores": "spark.driver.cores",
    "--total-executor-cores": "spark.cores.max",
}
"""Flags of spark-submit and the settings they stand for."""

SETTINGS = 5_000
LINE_CHARS = 20_000
JSON_DEPTH = 12
NAMED = (("key", "value"), ("name", "value"), ("Key", "Value"))
"""How a list of settings names the two halves of each."""


def sniff_configuration(text: str, name: str) -> float:
    """Most of its lines are settings of Spark, or it starts Spark by a command."""
    lines = [line for line in text[:50_000].split("\n") if line.strip() and not line.lstrip().startswith(COMMENT)]
    if not lines:
        return 0.0
    settings = sum(bool(SETTING.match(line[:LINE_CHARS])) for line in lines)
    if settings >= 0.5 * len(lines):
        return 0.9
    if "--conf" in text[:50_000] and SUBMIT.search(text[:50_000]):
        return 0.8
    if "spark" in text:
        found = list(_settings(text))
        if len(found) >= 3 or (found and len(found) >= 0.5 * len(lines)):
            return 0.7
    by_name = name.lower().endswith((".conf", ".properties")) or "spark-defaults" in name.lower()
    return 0.35 if by_name else 0.0


def read_configuration(name: str, text: Decoded) -> Parsed:
    """Its settings; the later one wins, as in Spark."""
    settings: dict[str, str] = {}
    lines: dict[str, int] = {}
    for line, key, value in _settings(text.text):
        if len(settings) < SETTINGS or key in settings:
            settings[key] = value
            lines[key] = line
    shown = what_matters(settings)
    if not settings:
        return Parsed(problem=say("artefacts.problem.no_settings"))
    places = {key: lines[key] for key in shown if lines.get(key)}
    facts = ConfigurationFacts(name=name, settings=shown, lines=places, left_out=len(settings) - len(shown))
    return Parsed(
        facts=(facts,),
        tells=frozenset({Information.CONFIGURATION} if shown else ()),
        summary=say(
            "artefacts.summary.settings",
            settings=say("artefacts.settings", n=exactly(len(shown))),
            n=exactly(facts.left_out),
        ),
    )


def _settings(text: str) -> Iterator[tuple[int, str, str]]:
    """(line, setting, value) of every setting in any of the supported forms; the line is 0 in JSON."""
    if text.lstrip().startswith(("{", "[")):
        try:
            yield from ((0, key, value) for key, value in _in_json(json.loads(text), "", JSON_DEPTH))
            return
        except JSON_DAMAGED:
            pass
    if SUBMIT.search(text):
        yield from _in_commands(text)
    yield from _in_lines(text)


def _in_json(content: object, path: str, depth: int) -> Iterator[tuple[str, str]]:
    if depth == 0:
        return
    if isinstance(content, dict):
        items = cast("dict[str, Any]", content)
        for key, value in NAMED:
            if isinstance(items.get(key), str) and isinstance(items.get(value), str | int | float):
                yield from _in_json(items[value], items[key], depth - 1)
                return
        for key, value in items.items():
            yield from _in_json(value, f"{path}.{key}" if path else key, depth - 1)
    elif isinstance(content, list):
        for item in cast("list[Any]", content):
            match item:
                case [str() as key, value]:
                    yield from _in_json(value, key, depth - 1)
                case _:
                    yield from _in_json(item, path, depth - 1)
    elif content is not None and (key := _of_spark(path)):
        yield key, str(content).lower() if isinstance(content, bool) else str(content)


def _of_spark(path: str) -> str:
    """The part of a path from `spark.` on; empty without one."""
    if path.startswith("spark."):
        return path
    _, found, rest = path.partition(".spark.")
    return f"spark.{rest}" if found else ""


def _in_lines(text: str) -> Iterator[tuple[int, str, str]]:
    """Properties, and YAML with its keys nested by indentation."""
    open_keys: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        line = line[:LINE_CHARS]
        if not line.strip() or line.lstrip().startswith(COMMENT):
            continue
        setting = SETTING.match(line)
        if setting:
            yield number, setting[1], _value(setting[2])
            continue
        key = YAML_KEY.match(line.rstrip())
        if not key:
            continue
        indent = len(key[1])
        while open_keys and open_keys[-1][0] >= indent:
            open_keys.pop()
        if key[3] and not key[3].startswith("#"):
            path = _of_spark(".".join([*(name for _, name in open_keys), key[2]]))
            if path:
                yield number, path, _value(key[3])
        elif len(open_keys) < JSON_DEPTH:
            open_keys.append((indent, key[2]))


def _value(text: str) -> str:
    text = text.strip().partition(" #")[0].partition("\t#")[0].strip().removesuffix("\\").strip().removesuffix(",")
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'" else text


def _in_commands(text: str) -> Iterator[tuple[int, str, str]]:
    """Settings among the flags of a command, which may continue over lines that end with a backslash."""
    for number, line in enumerate(text.split("\n"), start=1):
        if "--" not in line and "-c " not in line:
            continue
        words = _words(line[:LINE_CHARS].rstrip().removesuffix("\\"))
        for place, word in enumerate(words):
            flag, _, inline = word.partition("=")
            value = inline or (words[place + 1] if place + 1 < len(words) else "")
            if flag in ("--conf", "-c"):
                key, _, setting = value.partition("=")
                if key.startswith("spark.") and setting:
                    yield number, key, setting
            elif flag in FLAGS and value:
                yield number, FLAGS[flag], value


def _words(line: str) -> list[str]:
    """As a shell splits them; a quote that stays open splits at spaces."""
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()
