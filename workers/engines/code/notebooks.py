"""Notebooks of Jupyter, Databricks, Fabric and Zeppelin into one PySpark script, whose lines are known by cell."""

import ast
import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from contracts.code import ScriptFacts, ScriptOperation, SettingPlace
from contracts.statements import say
from workers.engines.code.python_script import read_script

DATABRICKS = "# Databricks notebook source"
DATABRICKS_SQL = "-- Databricks notebook source"
COMMAND = re.compile(r"^(?:#|--) COMMAND -{10}[ \t]*$", re.MULTILINE)
FABRIC = "# Fabric notebook source"
FABRIC_PART = re.compile(r"^# ([A-Z ]{4,30}) \*{4,}[ \t]*$", re.MULTILINE)
FABRIC_CODE = ("CELL", "PARAMETERS CELL")
MAGIC = "# MAGIC"
DATABRICKS_MAGIC = (MAGIC, "-- MAGIC")
IPYNB = re.compile(r'"nbformat"\s*:\s*\d|"cell_type"\s*:\s*"(?:code|markdown)"')
ZEPPELIN = re.compile(r'"paragraphs"\s*:\s*\[')
ZEPPELIN_PYTHON = ("pyspark", "ipyspark", "python", "ipython")
"""Last parts of the names of Zeppelin's interpreters, as in `%spark.pyspark`; `%spark` alone is Scala."""
SPARK = re.compile(r"\bspark\b|pyspark|sparkmagic|%%(?:sql|configure|spark)\b", re.IGNORECASE)

MOST_CELLS = 5_000
CELL_CHARS = 200_000
SETTINGS = 500


@dataclass
class Notebook:
    """The code cells as one text."""

    lines: list[str] = field(default_factory=list[str])
    begins: list[int] = field(default_factory=list[int])
    """The first line of each code cell, counted from 1."""
    numbers: list[int] = field(default_factory=list[int])
    """What each of them is called: its place among all cells."""
    settings: dict[str, str] = field(default_factory=dict[str, str])
    setting_lines: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def text(self) -> str:
        """As a script."""
        return "\n".join(self.lines) + "\n"

    def add(self, number: int, source: str) -> None:
        """A cell, below a line that names it."""
        self.lines.append(f"# [{number}]")
        self.begins.append(len(self.lines) + 1)
        self.numbers.append(number)
        body = source.rstrip("\n").split("\n")
        magic = body[0].strip() if body else ""
        if magic.startswith("%%configure"):
            self._configure("\n".join(body[1:]))
        if magic.startswith("%%") and not magic.startswith(("%%time", "%%capture", "%%spark", "%%pyspark")):
            body = _as_sql(body) if magic.startswith("%%sql") else [f"# {line}" for line in body]
        self.lines += [f"# {line}" if line.lstrip().startswith(("%", "!")) else line for line in body]

    def _configure(self, text: str) -> None:
        try:
            document = json.loads(text[:CELL_CHARS])
        except (ValueError, RecursionError):
            return
        conf = cast("dict[str, Any]", document).get("conf") if isinstance(document, dict) else None
        for name, value in list(cast("dict[str, Any]", conf).items())[:SETTINGS] if isinstance(conf, dict) else ():
            if name.startswith("spark.") and isinstance(value, str | int | float):
                self.settings[name] = str(value).lower() if isinstance(value, bool) else str(value)
                self.setting_lines[name] = self.begins[-1]

    def configure(self, text: str, number: int) -> None:
        """Take the settings of a paragraph, a name and its value in each line."""
        self.add(number, "")
        for line in text.split("\n")[:SETTINGS]:
            name, _, value = line.strip().partition(" ")
            if name.startswith("spark.") and value.strip():
                self.settings[name] = value.strip()
                self.setting_lines[name] = self.begins[-1]

    def cell_of(self, line: int) -> tuple[int, int] | None:
        """(cell, line within it) of a line of the text."""
        place = bisect_right(self.begins, line) - 1
        return (self.numbers[place], line - self.begins[place] + 1) if place >= 0 else None


def is_notebook(text: str) -> bool:
    """It begins like one of them, and Spark is in it."""
    head = text.lstrip("\ufeff \n\t")
    if head.startswith((DATABRICKS, DATABRICKS_SQL, FABRIC)):
        return True
    return head.startswith("{") and bool(IPYNB.search(head) or ZEPPELIN.search(head)) and bool(SPARK.search(head))


def notebook_of(text: str) -> Notebook | None:
    """The notebook; None where the text is none, or a damaged one."""
    source = text.lstrip("\ufeff")
    made = Notebook()
    head = source.lstrip()
    if head.startswith((DATABRICKS, DATABRICKS_SQL)):
        cells = _databricks(source)
    elif head.startswith(FABRIC):
        cells = _fabric(source)
    else:
        cells = _zeppelin(source, made) if ZEPPELIN.search(head) and not IPYNB.search(head) else _jupyter(source)
    for number, cell in cells:
        made.add(number, cell[:CELL_CHARS])
    return made if made.begins else None


def read_python(text: str) -> ScriptFacts:
    """A PySpark script or a notebook. What a notebook's lines are called is with its operations."""
    made = notebook_of(text) if is_notebook(text) else None
    if made is None:
        if is_notebook(text):
            return ScriptFacts(unreadable=say("code.problem.no_notebook"))
        return read_script(text)
    facts = read_script(made.text)
    places = {name: SettingPlace(line=line) for name, line in made.setting_lines.items()}
    return facts.model_copy(
        update={
            "operations": tuple(_by_cell(made, operation) for operation in facts.operations),
            "settings": {**made.settings, **facts.settings},
            "setting_places": {**places, **facts.setting_places},
        }
    )


def source_of(text: str) -> str:
    """The text that the lines of `read_python` count."""
    made = notebook_of(text) if is_notebook(text) else None
    return made.text if made else text


def _by_cell(made: Notebook, operation: ScriptOperation) -> ScriptOperation:
    cell, line = made.cell_of(operation.line) or (None, None)
    loop_cell, loop_line = (operation.loop_line and made.cell_of(operation.loop_line)) or (None, None)
    return operation.model_copy(update={"cell": cell, "cell_line": line, "loop_cell": loop_cell, "loop_cell_line": loop_line})


def _jupyter(text: str) -> Iterator[tuple[int, str]]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return
    cells = cast("dict[str, Any]", document).get("cells") if isinstance(document, dict) else None
    for number, cell in enumerate(cast("list[Any]", cells)[:MOST_CELLS] if isinstance(cells, list) else (), start=1):
        if not isinstance(cell, dict) or cast("dict[str, Any]", cell).get("cell_type") != "code":
            continue
        source = cast("dict[str, Any]", cell).get("source", "")
        parts = cast("list[Any]", source) if isinstance(source, list) else [source]
        yield number, "".join(part for part in parts if isinstance(part, str)).replace("\r\n", "\n")


def _databricks(text: str) -> Iterator[tuple[int, str]]:
    """The cells of a notebook of Python or of SQL; one of another language has `MAGIC` before each line and names it in the first."""
    first, _, body = text.lstrip().partition("\n")
    for number, cell in enumerate(COMMAND.split(body)[:MOST_CELLS], start=1):
        lines = cell.strip("\n").split("\n")
        if not any(line.strip() for line in lines):
            continue
        magic = [line.strip().partition("MAGIC")[2].removeprefix(" ") for line in lines if line.lstrip().startswith(DATABRICKS_MAGIC)]
        language, _, rest = magic[0].strip().partition(" ") if magic else ("", "", "")
        if language == "%python":
            yield number, "\n".join([rest, *magic[1:]])
        elif language.startswith("%"):
            yield number, "\n".join(["%" + magic[0].strip(), *magic[1:]])
        else:
            yield number, "\n".join(["%%sql", *lines] if first.startswith(DATABRICKS_SQL) else lines)


def _fabric(text: str) -> Iterator[tuple[int, str]]:
    """The cells between lines such as `# CELL ****`; what is not Python has `# MAGIC` before each line."""
    _, *parts = FABRIC_PART.split(text)
    cells = [body for kind, body in zip(parts[::2], parts[1::2], strict=True) if kind in FABRIC_CODE]
    for number, cell in enumerate(cells[:MOST_CELLS], start=1):
        lines = cell.strip("\n").split("\n")
        magic = [line.strip()[len(MAGIC) :].removeprefix(" ") for line in lines if line.lstrip().startswith(MAGIC)]
        yield number, "\n".join(magic if magic and magic[0].startswith("%%") else lines)


def _zeppelin(text: str, made: Notebook) -> Iterator[tuple[int, str]]:
    """The paragraphs, whose first word names their interpreter. Those of `%spark.conf` are settings."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return
    paragraphs = cast("dict[str, Any]", document).get("paragraphs") if isinstance(document, dict) else None
    for number, paragraph in enumerate(cast("list[Any]", paragraphs)[:MOST_CELLS] if isinstance(paragraphs, list) else (), start=1):
        source = cast("dict[str, Any]", paragraph).get("text") if isinstance(paragraph, dict) else None
        if not isinstance(source, str) or not source.strip().startswith("%"):
            continue
        first, _, body = source.strip().replace("\r\n", "\n").partition("\n")
        called, _, rest = first[1:].partition(" ")
        interpreter = called.partition("(")[0].rpartition(".")[2]
        body = f"{rest}\n{body}" if rest.strip() and not rest.startswith("(") else body
        if interpreter == "conf":
            made.configure(body, number)
        elif interpreter in ZEPPELIN_PYTHON:
            yield number, body
        elif interpreter == "sql":
            yield number, f"%%sql\n{body}"


def _as_sql(body: list[str]) -> list[str]:
    """A cell of SQL as the call that it is, on as many lines."""
    statement = "\n".join(body[1:]).strip("\n")
    if not statement.strip():
        return [f"# {line}" for line in body]
    quoted = statement.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    made = ['spark.sql("""', *quoted.split("\n")]
    made[-1] += ' """)'
    try:
        ast.parse("\n".join(made))
    except (SyntaxError, ValueError):
        return [f"# {line}" for line in body]
    return made
