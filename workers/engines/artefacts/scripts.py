"""The user's own script: which language it is in, its operations, and its text for excerpts and diffs."""

import re
from collections.abc import Callable
from importlib import import_module

from contracts.artefacts import SourceText
from contracts.bundles import Information
from contracts.code import OperationKind, ScriptFacts
from contracts.statements import Statement, say
from workers.engines import counts
from workers.engines.artefacts.kinds import Parsed
from workers.engines.artefacts.other_engines import engine_of_sql
from workers.engines.artefacts.texts import Decoded
from workers.engines.code.notebooks import is_notebook, source_of
from workers.engines.counts import exactly

PYTHON_LANGUAGE = "python"
SQL_LANGUAGE = "sql"

SOURCE_CHARS = 200_000
"""Of a script that is kept for diffs; one a person wrote has a tenth of it."""

PYTHON_SPARK = re.compile(
    r"^[ \t]*(?:from\s+pyspark|import\s+pyspark)|SparkSession|\bspark\.(?:read|sql|table|createDataFrame)\b", re.MULTILINE
)
PYTHON = re.compile(r"^(?:import\s+\w+|from\s+[\w.]+\s+import\s|def\s+\w+\s*\(|if\s+__name__\s*==)", re.MULTILINE)
SCALA_SPARK = re.compile(r"^[ \t]*import\s+org\.apache\.spark\b", re.MULTILINE)
SCALA = re.compile(r"^[ \t]*(?:(?:case\s+)?(?:object|class)\s+\w+|val\s+\w+|def\s+\w+)", re.MULTILINE)
JAVA = re.compile(r"^[ \t]*import\s+[\w.]+;[ \t]*$|^[ \t]*public\s+(?:static\s+|final\s+)*(?:class|void)\b", re.MULTILINE)
SQL = re.compile(r"\s*(?:SELECT|WITH|INSERT|CREATE|MERGE|SET|USE|DROP|ALTER|CACHE|REFRESH|ANALYZE|EXPLAIN|DELETE|UPDATE)\b", re.IGNORECASE)
SQL_FROM = re.compile(r"\b(?:SELECT|FROM|JOIN|INTO|TABLE)\b", re.IGNORECASE)
SCOPE = re.compile(r"^[ \t]*@?\w+\s*=\s*(?:EXTRACT|SELECT|REDUCE|PROCESS|SSTREAM|VIEW)\b|^[ \t]*#(?:DECLARE|CS|IF)\b", re.MULTILINE)

TELLS = {
    OperationKind.JOIN: Information.JOIN_DETAILS,
    OperationKind.REPARTITION: Information.PARTITIONING,
    OperationKind.COALESCE: Information.PARTITIONING,
}


def sniff_pyspark(text: str, name: str) -> float:
    """Python, and Spark in it."""
    if is_notebook(text):
        return 0.95
    is_python = bool(PYTHON.search(text)) or name.lower().endswith(".py")
    if is_python and PYTHON_SPARK.search(text) and not SCALA_SPARK.search(text):
        return 0.9
    return 0.4 if name.lower().endswith((".py", ".ipynb")) else 0.0


def sniff_scala(text: str, name: str) -> float:
    """Scala, and Spark in it; Java has semicolons."""
    if JAVA.search(text) and not name.lower().endswith(".scala"):
        return 0.0
    if SCALA.search(text) and SCALA_SPARK.search(text):
        return 0.9
    return 0.4 if name.lower().endswith((".scala", ".sc")) else 0.0


def sniff_sql(text: str, name: str) -> float:
    """It begins with a statement."""
    body = without_comments(text)
    if SCOPE.search(body):
        return 0.0
    if SQL.match(body) and SQL_FROM.search(body):
        return 0.85
    return 0.4 if name.lower().endswith((".sql", ".hql")) else 0.0


def without_comments(text: str) -> str:
    """SQL without its comments. It only serves to recognise the kind of an artefact, so strings are not searched."""
    kept: list[str] = []
    at = 0
    while True:
        line, block = text.find("--", at), text.find("/*", at)
        starts = [start for start in (line, block) if start >= 0]
        if not starts:
            return " ".join([*kept, text[at:]])
        start = min(starts)
        kept.append(text[at:start])
        end = text.find("\n", start) if start == line else text.find("*/", start + 2)
        if end < 0:
            return " ".join(kept)
        at = end if start == line else end + 2


def script_parser(language: str, module: str, function: str) -> Callable[[str, Decoded], Parsed]:
    """A parser of scripts by the reader `module:function`, which is imported when the first one is read. Of a notebook the text is that of
    its code cells, one below the other, since lines are counted in it."""

    def parse(name: str, text: Decoded) -> Parsed:
        whole = source_of(text.text) if language == PYTHON_LANGUAGE else text.text
        source = SourceText(name=name, language=language, text=whole[:SOURCE_CHARS], is_cut=len(whole) > SOURCE_CHARS, note=text.note)
        reader: Callable[[str], ScriptFacts] = getattr(import_module(module), function)
        facts = reader(text.text)
        if language == SQL_LANGUAGE and (engine := engine_of_sql(without_comments(text.text))):
            facts = facts.model_copy(update={"engine": engine})
        return Parsed(facts=(facts, source), tells=_tells(facts), summary=_summary(facts, text), problem=facts.unreadable)

    return parse


def _tells(facts: ScriptFacts) -> frozenset[Information]:
    if not facts.operations:
        return frozenset({Information.CONFIGURATION} if facts.settings else ())
    found = {information for operation in facts.operations if (information := TELLS.get(operation.kind))}
    return frozenset({Information.SCRIPT_LOGIC, *found, *([Information.CONFIGURATION] if facts.settings else [])})


def _summary(facts: ScriptFacts, text: Decoded) -> Statement:
    return say(
        "artefacts.summary.script",
        lines=counts.lines(text.text.count("\n") + 1),
        operations=say("artefacts.operations", n=exactly(len(facts.operations))),
        joins=counts.joins(sum(operation.kind is OperationKind.JOIN for operation in facts.operations)),
    )
