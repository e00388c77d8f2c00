"""The generated jobs as cases for the recommender: event log, script and tables of each, revealed as they are read."""

import json
from functools import cache
from pathlib import Path

from contracts.bundles import Information
from contracts.verdicts import TuningClass
from tests.support.tune_bundles import LOG_TELLS, catalogue_of, read_of
from workers.engines.artefacts.tables import read_tables
from workers.engines.code.python_script import read_script
from workers.engines.spark.eventlog import read_run
from workers.kinds.tune.evaluation.reads import ReadCase, Revealed
from workers.kinds.tune.rules.findings import find

KIND_OF = {"eventlog.zstd": "spark_event_log", "script.py": "pyspark_script", "tables.json": "table_metadata"}
TELLS = {
    "eventlog.zstd": LOG_TELLS,
    "script.py": (Information.SCRIPT_LOGIC,),
    "tables.json": (Information.HOT_KEYS, Information.DATA_VOLUME),
}


@cache
def generated_cases(folder: Path) -> tuple[ReadCase, ...]:
    """The generated jobs, as a user without a clue would bring them."""
    rows = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]
    return tuple(_generated(folder / row["id"], TuningClass(row["label"])) for row in rows)


def _generated(case: Path, right: TuningClass) -> ReadCase:
    catalogue = catalogue_of(*((path.name, KIND_OF[path.name], path.stat().st_size) for path in case.iterdir()))
    run = read_run(case / "eventlog.zstd")
    text = (case / "script.py").read_text()
    script, tables = read_script(text), read_tables(json.loads((case / "tables.json").read_text()))

    def reveal(names: tuple[str, ...]) -> Revealed:
        has_run, has_script = "eventlog.zstd" in names, "script.py" in names
        known = (script if has_script else read_script(""), tables if "tables.json" in names else ())
        return Revealed(
            read=tuple(read_of(path, KIND_OF[path], *TELLS[path]) for path in names),
            findings=find(run, *known) if has_run else None,
            scripts=(("script.py", script, text),) if has_script else (),
            run=run if has_run else None,
            texts={"script.py": text} if has_script else {},
        )

    return ReadCase(case.name, "the nightly job is slow", catalogue, right, reveal)
