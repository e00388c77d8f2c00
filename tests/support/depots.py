"""Skills over a source of an operator's own: parcels that depots delivered late, in two weeks."""

import csv
from pathlib import Path

import pytest

from contracts.sources import Source, SourceKind
from workers.catalogue.importing import import_source
from workers.evaluation.bench import EmbeddedBench
from workers.sources.registry import add_source

WEEKS = ("2026-11-16", "2026-11-23")
LATE = {"D01": (9.0, 4.0), "D02": (3.0, 7.5), "D03": (1.0, 6.25), "D04": (8.5, 0.5), "D05": (2.0, 2.0), "D06": (0.25, 0.81)}
"""Depot → share of late parcels in the week before and in this one."""
AREAS = {"D01": "North", "D02": "North", "D03": "Harbour", "D04": "Harbour", "D05": "Harbour", "D06": "North"}
SCANS, BAD_SCANS = 300, 40
"""Rows of the table of scans; the last ones are slow."""

SKILL = """\
---
name: depot-late
description: Finds depots with too many late parcels in a week, and compares with the week before.
allowed-tools: query_source
metadata: {title: Late parcels, triggers: "late parcels, late depots", kind: analyze}
---

# Late parcels

1. Find the depots above the limit.
2. Compare with the week before.
"""
PROCEDURE = """\
topic: late
about: join(' ', ['Week', params.week])
vocabulary:
  topics:
    - {name: late, label: late parcels}
  columns:
    - {name: late_pct, label: late share (%), words: [late share, share], better: low, noticeable: 0.5}
    - {name: parcels, label: parcels, better: low}
    - {name: area, label: area}
    - {name: id, label: depot}
  levels:
    - {name: depot, label: depots, words: [depot, depots]}
let:
  measured: "'SELECT depot AS id, area, late_pct, parcels FROM late WHERE week = CAST(:week AS DATE) - CAST(:back AS INT) ORDER BY depot'"
steps:
  - id: which
    when: "!(params.week) || !(params.limit)"
    ask: Which week, and which limit?
    tool: query_source
    missing:
      - {name: week, label: Monday, type: date}
      - {name: limit, label: limit (%), type: number}
  - id: this
    call: query_source
    with: {source: "'depots'", sql: measured, values: "{week: params.week, back: `0`}"}
    table: {rows: rows, key: id, level: depot}
  - id: bad
    find: {rows: results.this.rows, key: id, level: depot, any: [{column: late_pct, above: params.limit}], column: late_pct}
  - id: more
    gate: Compare with the week before?
  - id: earlier
    call: query_source
    with: {source: "'depots'", sql: measured, values: "{week: params.week, back: `7`}"}
    table: {rows: rows, key: id, level: depot}
  - id: change
    compare:
      before: results.earlier.rows
      after: results.this.rows
      key: id
      level: depot
      column: "'late_pct'"
      problems: [{column: late_pct, above: params.limit}]
      labels: {before: week before, after: this week}
"""
SCAN_SKILL = (
    SKILL.replace("depot-late", "slow-scans").replace("Late parcels", "Slow scans").replace("late parcels, late depots", "slow scans")
)
SCAN_PROCEDURE = """\
vocabulary:
  levels:
    - {name: scan, label: scans, words: [scan]}
steps:
  - id: scans
    call: query_source
    with: {source: "'depots'", sql: "'SELECT id, took_s FROM scans ORDER BY id'"}
    table: {rows: rows, key: id, level: scan}
  - id: slow
    find: {rows: results.scans.rows, key: id, level: scan, any: [{column: took_s, above: 9}], column: took_s}
"""
CHECKLIST = """\
---
name: depot-check
description: Checks the depots of an area, which depots there are, and their areas.
allowed-tools: query_source
metadata: {title: Depot check, triggers: depot check, kind: analyze}
---

# Depot check

1. Count the depots of each area.
2. Say which area has the most.
"""


def write_skill(skills: Path, name: str, skill: str, procedure: str | None = None) -> None:
    """A folder of a skill."""
    (skills / name).mkdir(parents=True, exist_ok=True)
    (skills / name / "SKILL.md").write_text(skill, "utf-8")
    if procedure is not None:
        (skills / name / "procedure.yaml").write_text(procedure, "utf-8")


def write_depots(skills: Path, data: Path) -> None:
    """The skills, and the files of the source."""
    write_skill(skills, "depot-late", SKILL, PROCEDURE)
    write_skill(skills, "slow-scans", SCAN_SKILL, SCAN_PROCEDURE)
    write_skill(skills, "depot-check", CHECKLIST)
    data.mkdir(parents=True, exist_ok=True)
    with (data / "late.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["depot", "area", "week", "late_pct", "parcels"])
        rows.writerows(
            [depot, AREAS[depot], week, share, 100 + n]
            for depot, shares in LATE.items()
            for n, (week, share) in enumerate(zip(WEEKS, shares, strict=True))
        )
    with (data / "scans.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "took_s"])
        rows.writerows([f"S{n:03}", 12.5 if n >= SCANS - BAD_SCANS else 3.5] for n in range(SCANS))


def offer_depots(bench: EmbeddedBench, data: Path, patch: pytest.MonkeyPatch) -> None:
    """The folder as the source `depots`."""
    patch.setenv("BULLPEN_SOURCE_DEPOTS_URL", f"duckdb:///{data}")
    add_source(bench.database, bench.settings.data_dir, Source(name="depots", kind=SourceKind.DUCKDB))
    import_source(bench.database, bench.embedder, bench.settings.data_dir, "depots")
