"""The generated cases of the evaluation data, with all that a plan is made from."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from contracts.code import TableFacts
from contracts.spark import RunFacts
from contracts.verdicts import Findings
from workers.engines.artefacts.tables import read_tables
from workers.engines.code.python_script import read_script
from workers.engines.scripts.given import NamedScript
from workers.engines.spark.eventlog import read_run
from workers.kinds.tune.rules.findings import find


@dataclass(frozen=True)
class GeneratedCase:
    """One job that was really run, with its label."""

    name: str
    label: str
    kind: str
    keywords: tuple[str, ...]
    run: RunFacts
    script: NamedScript
    tables: tuple[TableFacts, ...]
    findings: Findings


@cache
def generated_cases(eval_data: Path) -> tuple[GeneratedCase, ...]:
    """All of them, in the order of the labels."""
    return tuple(_cases(eval_data / "spark_generated"))


def _cases(folder: Path) -> Iterator[GeneratedCase]:
    for line in (folder / "labels.jsonl").read_text().splitlines():
        row = json.loads(line)
        text = (folder / row["id"] / "script.py").read_text()
        script = NamedScript("script.py", read_script(text), text)
        tables = read_tables(json.loads((folder / row["id"] / "tables.json").read_text()))
        run = read_run(folder / row["id"] / "eventlog.zstd")
        findings = find(run, script.facts, tables)
        yield GeneratedCase(row["id"], row["label"], row["kind"], tuple(row["fix_keywords_any"]), run, script, tables, findings)


def script_of(text: str, name: str = "job.py") -> NamedScript:
    """A PySpark script."""
    return NamedScript(name, read_script(text), text)
