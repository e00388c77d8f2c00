"""The readers of texts that have a form (SQL, scripts, notebooks, tickets, YAML, plans, queries of logs), attacked as wholes, in a process
of its own: `python -m tests.support.attacked_forms READER,READER [EVERY]`. `EVERY`: of the shapes only each so-many-th.

Each shape is read at two sizes. Reported, a line of JSON each, are a time that grows much faster than the text, an error that is no
refusal, and a reading that had to be broken off. A crash of the interpreter ends the process.
"""

# ruff: noqa: T201 what is found is printed

import json
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from contracts.existing_sql import ExistingSql
from contracts.sources import SourceKind
from tests.support.attack_shapes import (
    CODE_SHAPES,
    JSON_SHAPES,
    PATH_SHAPES,
    PLAN_SHAPES,
    QUERY_SHAPES,
    SCOPE_SHAPES,
    SQL_SHAPES,
    TEXT_SHAPES,
    YAML_SHAPES,
    Shape,
)
from tests.support.attacks import PLAIN
from tests.unit.test_question_grammar import TABLES
from workers.bundles.shipped import shipped_kinds
from workers.catalogue.forms.dbt import read_dbt
from workers.catalogue.forms.ddl import read_ddl
from workers.catalogue.forms.documents import read_documents
from workers.catalogue.forms.plain import read_plain
from workers.catalogue.forms.queries import read_queries_in
from workers.checks.own import read_check
from workers.checks.statements import parse_check
from workers.engines.artefacts.kinds import ArtefactSource
from workers.engines.code import scala_tree
from workers.engines.code.notebooks import is_notebook, read_python, source_of
from workers.engines.code.scala_script import read_scala
from workers.engines.logql.checker import check_logql
from workers.engines.logql.parser import parse_logql
from workers.engines.logql.printer import print_logql
from workers.engines.logql.tokens import LogQLSyntaxError
from workers.engines.procedures.expressions import BadExpression, names_in
from workers.engines.procedures.reading import read_procedure
from workers.engines.promql import parse_promql
from workers.engines.promql.parser import PromQLSyntaxError
from workers.engines.promql.printer import print_promql
from workers.engines.scope.script import read_scope
from workers.engines.sql.ddl_comments import ddl_comments
from workers.engines.sql.errors.reading import read_error
from workers.engines.sql.explain import explain
from workers.engines.sql.lineage.script import script_lineage
from workers.engines.sql.operations.expressions import expression_columns, expression_windows
from workers.engines.sql.operations.script import read_sql
from workers.engines.sql.repair.search import repair
from workers.engines.sql.review import review
from workers.engines.sql.trees import NotParsed
from workers.errors import BullpenError
from workers.kinds.etl.existing import existing_spec
from workers.kinds.etl.rules.specification import WrongSpec, analysis_in
from workers.skills.loading import load_skills
from workers.sources.parsing import parse_statement
from workers.tickets.ticket_files import open_tickets

SIZES = (5_000, 20_000)
LEAST_S = 0.5
"""CPU seconds at the larger size below which growth is not looked at: a part of these is what the machine does beside."""
MOST_GROWTH = 10.0
"""How many times as long four times the text may take: 4 where the time is linear, 16 where it is quadratic."""
MOST_S = 8.0
"""CPU seconds at which a reading is broken off."""
_KEPT = tempfile.TemporaryDirectory(prefix="bullpen-attacked-")
FOLDER = Path(_KEPT.name)
"""It goes with the process."""


class TooLong(BaseException):
    """A reading was broken off. No reader catches it."""


class FormReader(NamedTuple):
    read: Callable[[str], object]
    shapes: Sequence[Shape]
    refusals: tuple[type[Exception], ...] = ()
    """The errors that tell a user what is wrong with the text."""
    frames: tuple[str, ...] = ("{}",)
    """Texts around an attack, so that it gets to the readers behind."""


def _file(name: str, text: str) -> Path:
    path = FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def _artefact(text: str) -> None:
    """Every kind of artefact but Scala, which is a reader of its own here."""
    path = _file("artefact.txt", text)
    for kind in (kind for kind in shipped_kinds() if kind.name != "scala_script"):
        kind.sniff(path.name, path.read_bytes()[: 1 << 16])
        kind.parse(ArtefactSource(path.name, path, path.stat().st_size))


def _tickets(ending: str, text: str) -> None:
    list(open_tickets(_file(f"tickets.{ending}", text)).items)


def _dbt(file: str, text: str) -> None:
    root = _file("project/dbt_project.yml", "name: p\nversion: '1'\nprofile: p\nmodel-paths: [models]\n").parent
    _file("project/models/m.sql", "select 1 as a")
    _file(f"project/models/{file}", text)
    existing_spec(ExistingSql(dbt=str(root), select="m"), "shop", "duckdb")


def _manifest(text: str) -> None:
    list(read_dbt(_file("manifest/manifest.json", text).parent, "shop"))


def _skill(text: str) -> None:
    _file("skills/one/SKILL.md", text)
    load_skills([FOLDER / "skills"])


def _logql(text: str) -> None:
    check_logql(text)
    print_logql(parse_logql(text))


def _repair(error: str, text: str) -> None:
    repair(text, error, "duckdb", TABLES, lambda _: "no", most_dry_runs=3)


MADE = tuple(Shape("CREATE TABLE r AS " + shape.before, *shape[1:]) for shape in SQL_SHAPES if shape.before.startswith(("SELECT", "WITH ")))
CELLS = tuple(
    Shape('{"cells":[{"cell_type":"code","source":[', cell, '"x"', "", ']}],"metadata":{},"nbformat":4}')
    for cell in ('"a\\n",', '"%sql (",', '"(",', "[", "1,")
)
ENGINES = ("duckdb", "postgres", "mysql", "sqlite", "spark", "clickhouse")
_REFUSED = (BullpenError,)
_NOT_PARSED = (NotParsed,)
READERS = {
    "statement": FormReader(lambda text: parse_statement(text, SourceKind.DUCKDB), SQL_SHAPES, _REFUSED),
    "check_statement": FormReader(parse_check, SQL_SHAPES, _REFUSED),
    "operations": FormReader(read_sql, SQL_SHAPES),
    "expressions": FormReader(lambda text: (expression_columns(text), expression_windows(f"{text} over (partition by a)")), SQL_SHAPES),
    "review": FormReader(lambda text: review(text, TABLES, "duckdb", None), SQL_SHAPES, _NOT_PARSED),
    "requirement": FormReader(lambda text: review("SELECT 1 AS a", TABLES, "duckdb", None, requirement=text), TEXT_SHAPES),
    "lineage": FormReader(lambda text: script_lineage(text, TABLES, "duckdb"), SQL_SHAPES),
    "explain": FormReader(lambda text: explain(text, "duckdb", TABLES), SQL_SHAPES, _NOT_PARSED),
    "repair": FormReader(partial(_repair, 'Parser Error: syntax error at or near "x"'), SQL_SHAPES),
    "sql_error": FormReader(lambda text: [read_error(text, engine) for engine in ENGINES], TEXT_SHAPES),
    "ddl_comments": FormReader(lambda text: ddl_comments(text, "mysql"), SQL_SHAPES),
    "ddl": FormReader(lambda text: [*read_ddl(_file("tables.sql", text), "shop", "mysql")], SQL_SHAPES, _REFUSED),
    "queries": FormReader(lambda text: [*read_queries_in(_file("log.sql", text), "shop", "duckdb", TABLES)], SQL_SHAPES, _REFUSED),
    "sql_files": FormReader(lambda text: existing_spec(ExistingSql(sql=str(_file("own.sql", text))), "shop", "duckdb"), MADE, _REFUSED),
    "dbt_model": FormReader(partial(_dbt, "m.sql"), SQL_SHAPES, _REFUSED, ("{}", "{{ {} }}", "{% {} %}", "{{ config({}) }}")),
    "dbt_yaml": FormReader(partial(_dbt, "schema.yml"), YAML_SHAPES, _REFUSED),
    "dbt_manifest": FormReader(_manifest, JSON_SHAPES, _REFUSED),
    "scope": FormReader(read_scope, SCOPE_SHAPES),
    "python": FormReader(read_python, (*CODE_SHAPES, *JSON_SHAPES)),
    "notebook": FormReader(lambda text: (is_notebook(text), read_python(text), source_of(text)), (*CELLS, *JSON_SHAPES)),
    "scala": FormReader(read_scala, CODE_SHAPES),
    "artefact": FormReader(_artefact, (*PLAN_SHAPES, *TEXT_SHAPES)),
    "tickets.csv": FormReader(partial(_tickets, "csv"), TEXT_SHAPES, _REFUSED),
    "tickets.json": FormReader(partial(_tickets, "json"), (*JSON_SHAPES, *TEXT_SHAPES), _REFUSED),
    "tickets.jsonl": FormReader(partial(_tickets, "jsonl"), JSON_SHAPES, _REFUSED),
    "tickets.xml": FormReader(partial(_tickets, "xml"), TEXT_SHAPES, _REFUSED),
    "tickets.md": FormReader(partial(_tickets, "md"), TEXT_SHAPES, _REFUSED),
    "spec": FormReader(
        lambda text: analysis_in(text, "shop", "duckdb", TABLES),
        YAML_SHAPES,
        (WrongSpec, *_REFUSED),
        ("{}", "target:\n  name: r\n  columns:\n    - name: a\n{}", "target: r\nsource: shop\nsql: |\n  {}"),
    ),
    "procedure": FormReader(read_procedure, YAML_SHAPES, _REFUSED),
    "path": FormReader(names_in, PATH_SHAPES, (BadExpression,)),
    "own_check": FormReader(read_check, YAML_SHAPES, _REFUSED),
    "skill_file": FormReader(_skill, (*YAML_SHAPES, *TEXT_SHAPES), (), ("{}", "---\nname: one\ndescription: x\n{}\n---\nbody")),
    "logql": FormReader(_logql, QUERY_SHAPES, (LogQLSyntaxError,)),
    "promql": FormReader(lambda text: print_promql(parse_promql(text)), QUERY_SHAPES, (PromQLSyntaxError,)),
    "documents": FormReader(
        lambda text: [[*read_documents(_file(f"text.{ending}", text), "shop", TABLES)] for ending in ("md", "txt", "html")],
        TEXT_SHAPES,
        _REFUSED,
    ),
    "plain": FormReader(lambda text: [*read_plain(_file("plain.csv", text), "shop")], TEXT_SHAPES, _REFUSED),
    "plain_yaml": FormReader(lambda text: [*read_plain(_file("plain.yaml", text), "shop")], (*YAML_SHAPES, *JSON_SHAPES), _REFUSED),
}


def _break_off(signum: int, frame: FrameType | None) -> None:
    raise TooLong


def _places(error: BaseException) -> str:
    found = [place for place in traceback.extract_tb(error.__traceback__) if "/workers/" in place.filename]
    return " < ".join(f"{place.filename.rpartition('/workers/')[2]}:{place.lineno}" for place in reversed(found[-4:]))


def _cpu_of(reader: FormReader, text: str) -> tuple[float, str]:
    """CPU seconds of a reading, and what went wrong."""
    begun = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_S)
    try:
        reader.read(text)
    except TooLong as broken:
        return float("inf"), f"broken off: {_places(broken)}"
    except reader.refusals:
        pass
    except Exception as error:
        return time.process_time() - begun, f"{type(error).__name__}: {str(error)[:100]} {_places(error)}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - begun, ""


def _fault_of(reader: FormReader, frame: str, shape: Shape) -> str:
    """What is wrong with reading this shape; empty: nothing."""
    texts = [frame.replace("{}", shape.text(size)) for size in SIZES]
    times = list[float]()
    for text in texts:
        cpu, wrong = _cpu_of(reader, text)
        if wrong:
            return wrong
        times.append(cpu)
    if times[1] <= LEAST_S or times[1] <= MOST_GROWTH * times[0]:
        return ""
    times = [max(times[0], _cpu_of(reader, f"{texts[0]} ")[0]), min(times[1], _cpu_of(reader, f"{texts[1]} ")[0])]  # not from a cache
    shown = " and ".join(f"{cpu:.2f} s" for cpu in times)
    return f"{shown} of CPU for {' and '.join(map(str, SIZES))} characters" if times[1] > max(LEAST_S, MOST_GROWTH * times[0]) else ""


def attack(name: str, every: int) -> int:
    """Print what grows too fast or fails; how many attacks were made."""
    reader = READERS[name]
    for frame in reader.frames:  # what is made once
        for plain in ("SELECT 1", "a: 1", "x"):
            _cpu_of(reader, frame.replace("{}", plain))
    shapes = [*reader.shapes, *(Shape(*plain[:2], "", "", plain.after) for plain in PLAIN)]
    made = [(frame, shape) for frame in reader.frames for shape in shapes][every // 2 :: every]
    for frame, shape in made:
        if fault := _fault_of(reader, frame, shape):
            print(json.dumps({"reader": name, "frame": frame, "shape": repr(shape), "fault": fault}, ensure_ascii=False), flush=True)
    return len(made)


if __name__ == "__main__":
    scala_tree.PARSE_S = LEAST_S / 4  # its bound is a time
    signal.signal(signal.SIGVTALRM, _break_off)
    chosen = READERS if sys.argv[1] == "all" else sys.argv[1].split(",")
    print(json.dumps({"attacks": sum(attack(reader, int(sys.argv[2]) if len(sys.argv) > 2 else 1) for reader in chosen)}))
