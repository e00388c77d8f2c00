"""Whether a script is of the application that a log is of: by the names of the application and its main file, by the files that the
log's stages name, and by the tables, columns and functions of its plans."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from contracts.artefacts import LogFacts
from contracts.spark import RunFacts
from workers.engines.scripts.given import NamedScript
from workers.engines.spark.call_sites import SITE
from workers.engines.spark.plan import Plan, attributes, is_scan

APP_NAME = re.compile(
    r"""\b(?:setAppName|appName)\(\s*(?:name\s*=\s*)?["']([^"'\n]{1,200})["']\s*\)"""
    r"""|["']spark\.app\.name["']\s*,\s*["']([^"'\n]{1,200})["']"""
)
SAID_BY_ANY = re.compile(
    r"^$|shell|^databricks|zeppelin|jupyter|notebook|livy|thrift|^sparksql|^nativespark|glue"
    r"|^spark[ -]?(?:pi|app|application|job)?$|^(?:org|com)\.apache\.",
    re.IGNORECASE,
)
"""Names of applications that a platform gives to all that runs in it."""

PYTHON_FUNCTION = re.compile(r"\b([A-Za-z_]\w{0,99})\([^()]{0,200}\)#\d+")
"""A function of the user in the line of a plan: `clean(note#12)#40`."""

QUOTED = re.compile(r"\"\"\"(.{0,20000}?)\"\"\"|\"([^\"\n]{0,500})\"|'([^'\n]{0,500})'", re.DOTALL)
WORD = re.compile(r"[^\W\d]\w*")
MEMBER = re.compile(r"\.([A-Za-z_]\w*)\b(?!\s*\()|'([A-Za-z_]\w*)\b(?!')|\$\"(\w+)\"")
"""A column as a member of a table (`orders.day`), or as Scala writes it."""

TELLING = 3
"""Characters from which on a name's being in both says something: `a` and `id` are in any script."""

ENOUGH = 0.5
"""Of the plan's telling columns a script has to name so many where the names of the applications differ."""

CALLED = re.compile(r"\(([^\s():]{1,200}\.(?:py|scala|java)):\d+\)")


@dataclass(frozen=True, slots=True)
class OtherApplication:
    """A script that does not fit the log."""

    script: str
    of: str
    """The application that the script names; empty: it names none."""
    log: str
    """The application that the log names; empty: it names none."""


@dataclass(frozen=True, slots=True)
class LoggedApplication:
    """What a log tells of its application."""

    name: str = ""
    files: frozenset[str] = frozenset()
    """The main file and those that stages and traces name, without their folders."""
    tables: frozenset[str] = frozenset()
    columns: frozenset[str] = frozenset()
    functions: frozenset[str] = field(default_factory=frozenset[str])

    @classmethod
    def of_run(cls, run: RunFacts) -> "LoggedApplication":
        """From an event log."""
        frames = [frame for stage in run.stages for frame in (stage.name, *stage.call_site)]
        files = {found[3] for frame in frames for found in SITE.finditer(frame)} | {
            _last(found[1]) for frame in frames for found in CALLED.finditer(frame)
        }
        plans = [Plan(execution) for execution in run.executions if execution.nodes]
        scans = [node for plan in plans for node in plan.nodes.values() if is_scan(node)]
        lines = [node.simple_string for plan in plans for node in plan.nodes.values() if "Python" in node.name or "InPandas" in node.name]
        return cls(
            name=run.app_name,
            files=frozenset(files | ({run.main_file} if run.main_file else set())),
            tables=_lower(table for plan in plans for table in plan.tables.values()),
            columns=_lower(column.name for node in scans for column in attributes(node.simple_string)),
            functions=frozenset(name for line in lines for name in PYTHON_FUNCTION.findall(line)),
        )

    @classmethod
    def of_logs(cls, logs: Sequence[LogFacts]) -> "LoggedApplication":
        """From plain logs."""
        name = next((log.application for log in logs if log.application), "")
        return cls(name=name, files=frozenset(frame.file for log in logs for frame in log.frames))


def misfit(logged: LoggedApplication, script: NamedScript) -> OtherApplication | None:
    """That a script is of another application; None where it fits, or where nothing says that it does not.

    A file, a function or a name that both have settles it. Names that differ hold unless a table or most of the columns are the same.
    Where a name is missing, a script does not fit that names columns and none of the plan's, nor any of its tables.
    """
    own = tuple(dict.fromkeys(found[1] or found[2] for found in APP_NAME.finditer(script.text)))
    if _last(script.name) in logged.files or logged.functions & set(script.facts.functions) or _says(script, own, logged.name):
        return None
    differs = bool(own) and not SAID_BY_ANY.search(logged.name)
    is_other = not _has_same_data(logged, script) if differs else _has_no_data_of(logged, script)
    return OtherApplication(script.name, next(iter(own), ""), logged.name) if is_other else None


def _says(script: NamedScript, own: Sequence[str], name: str) -> bool:
    """The script has the name that the log has: as that of its application, perhaps with a date behind it, or as any other text."""
    plain = name.lower()
    called = any(given.lower() in plain or plain in given.lower() for given in own if len(given) >= TELLING)
    return bool(plain) and (called or any(f"{mark}{name}{mark}" in script.text for mark in ("'", '"')))


def _has_same_data(logged: LoggedApplication, script: NamedScript) -> bool:
    """A table of the plan, or most of its columns; names that are in any script do not count."""
    tables, columns = _telling(logged.tables), _telling(logged.columns)
    return bool(tables & _tables(script)) or (bool(columns) and len(columns & _words(script.text)) >= ENOUGH * len(columns))


def _has_no_data_of(logged: LoggedApplication, script: NamedScript) -> bool:
    """The script names columns, and neither one of them nor one of its tables is in the plan."""
    named = any(operation.columns for operation in script.facts.operations)
    return named and bool(logged.columns) and not logged.columns & _words(script.text) and not logged.tables & _tables(script)


def _tables(script: NamedScript) -> frozenset[str]:
    return _lower(table for operation in script.facts.operations for table in operation.tables)


def _words(text: str) -> frozenset[str]:
    """What may be a column: words in quotation marks, members of a table, symbols."""
    quoted = (part for found in QUOTED.findall(text) for part in found if part)
    return _lower(
        (*(word for part in quoted for word in WORD.findall(part)), *(name for found in MEMBER.findall(text) for name in found if name))
    )


def _telling(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name for name in names if len(name) >= TELLING)


def _lower(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in names if name)


def _last(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]
