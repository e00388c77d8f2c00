"""Real event logs that nobody here wrote, against numbers that were counted apart from this code."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from contracts.spark import BytesSource, StageFacts
from workers.engines.spark.eventlog import read_run
from workers.errors import UnreadableLog

NAME_CHARS = 60
"""The facts' file cuts names there."""

DISTRIBUTIONS = {"d": "task_ms", "sr": "shuffle_read_bytes", "in": "input_bytes"}


def in_the_words_of_the_file(stage: StageFacts) -> dict[str, Any]:
    """A stage as `stage_facts.jsonl` writes it. That file knows a stage's name and plan only once it has completed."""
    completed = stage.completed_at is not None
    told: dict[str, Any] = {
        "stage": stage.stage_id,
        "attempt": stage.attempt,
        "n": stage.planned_tasks if completed else None,
        "name": stage.name[:NAME_CHARS] if completed else "",
        "done": stage.succeeded_tasks,
        "failed": stage.failed_tasks,
        "dsum": stage.task_ms,
        "run": stage.run_ms,
        "gc": stage.gc_ms,
        "ms": stage.memory_spill_bytes,
        "ds": stage.disk_spill_bytes,
        "srb": stage.shuffle_read_bytes,
        "swb": stage.shuffle_write_bytes,
        "inb": stage.input_bytes,
        "run_share": stage.run_share,
    }
    for short, name in DISTRIBUTIONS.items():
        spread = stage.distributions.get(name)
        told[f"{short}med"], told[f"{short}max"] = (spread.median, spread.max) if spread else (0, 0)
    if stage.succeeded_tasks:
        told["time_ratio"] = stage.time_ratio
        told["bytes_ratio"] = 0 if stage.bytes_source is BytesSource.NONE else stage.bytes_ratio
        told["bytes_source"] = stage.bytes_source.value
    return told


def test_every_stage_of_every_real_log_has_the_exact_facts(eval_data: Path) -> None:
    """T1: versions 1.4 to 4.1 of six platforms, plain and compressed, rolled, truncated, malformed."""
    expected: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in (eval_data / "spark" / "stage_facts.jsonl").read_text().splitlines():
        row = json.loads(line)
        row.pop("rules", None)
        expected[row.pop("id")].append(row)
    malformed = {}

    for path in sorted((eval_data / "spark" / "logs").iterdir()):
        run = read_run(path)
        log = path.name.split("__")[0]
        found = [in_the_words_of_the_file(stage) for stage in run.stages if stage.succeeded_tasks or stage.failed_tasks]
        assert found == sorted(expected.pop(log, []), key=lambda row: (row["stage"], row["attempt"])), path.name
        malformed[log] = run.reading.malformed_lines

    assert not expected
    assert {log: count for log, count in malformed.items() if count} == {"5a5a08b6cc": 1}


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("duplicate-part.tgz", "duplicate_part"),
        ("missing-dbc-event.zip", "unknown_part"),
        ("missing-first-part.zip", "missing_first_part"),
        ("missing-part.zip", "missing_part"),
        ("non-unique-context-id.zip", "several_logs"),
    ],
)
def test_each_bad_bundle_gets_its_word(eval_data: Path, name: str, word: str) -> None:
    """T1."""
    with pytest.raises(UnreadableLog) as refused:
        read_run(eval_data / "spark" / "bad" / name)

    assert refused.value.reason == word
