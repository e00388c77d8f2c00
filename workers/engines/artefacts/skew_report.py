"""A report of skew: how many rows or bytes single keys or partitions carry, or how uneven the tasks of stages are."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from contracts import statements
from contracts.artefacts import HotPartition, SkewReport, UnevenStage
from contracts.base import clean_text
from contracts.bundles import Information
from contracts.statements import Statement, say
from workers.engines import counts
from workers.engines.artefacts.headings import Heading, Measure
from workers.engines.artefacts.kinds import Parsed
from workers.engines.artefacts.rows import TEXT_CHARS, Row, Rows, rows_of
from workers.engines.artefacts.texts import Decoded
from workers.engines.artefacts.values import number_of, stage_number
from workers.engines.counts import exactly
from workers.engines.problems import rows_left_out

WEIGHTS = frozenset(("records", "size", "share", "input", "input_records", "shuffle_read", "shuffle_read_records"))
UNEVEN = frozenset(("max_bytes", "max_records", "ratio"))
ABOUT_SKEW = re.compile(r"skew|hot[ _-]?key|倾斜|热点", re.IGNORECASE)

MENTION = re.compile(
    r"(?P<what>key|partition|task|键|分区|任务)\s{0,3}[:=#'\"]{0,3}\s{0,3}(?P<label>[^\s,;:，；：'\"=]{1,80})['\"]?"
    r"[^\d\n%]{1,40}?(?P<value>\d[\d,.]{0,20}\s?(?:%|[kmgt]i?b\b|bytes|rows|records|行|条))",
    re.IGNORECASE,
)
"""`key -1 carries 38 %`, `partition 7: 12,000,000 rows`, `键 -1 占 38%`: bounded gaps, so the search is linear."""

STAGE = re.compile(r"(?:stage|阶段)\s{0,3}[#:]?\s{0,3}(\d{1,9})", re.IGNORECASE)
COLUMN = re.compile(r"(?:column|join key|字段|列)\s{0,3}[:=]?\s{0,3}[`'\"]?([A-Za-z_][\w.]{0,80})", re.IGNORECASE)
LINE_CHARS = 2_000
PARTITIONS = 10_000

NUMBERS = tuple(
    Heading(field, measure, None) for field, measure in (("share", Measure.SHARE), ("size", Measure.BYTES), ("records", Measure.COUNT))
)


def sniff_skew_report(table: Rows, text: str, name: str) -> float:
    """Keys or partitions with a weight, or stages with the largest against the usual; prose that is about skew."""
    is_about = bool(ABOUT_SKEW.search(text[:5_000]) or ABOUT_SKEW.search(name))
    if table.fields & {"key", "partition", "index"} and table.fields & WEIGHTS and "distinct" not in table.fields:
        return 0.85 if is_about or "key" in table.fields else 0.7
    if table.fields & UNEVEN and table.fields & {"stage", "id"}:
        return 0.9 if is_about else 0.6
    return 0.55 if is_about and any(True for _ in _mentions(text[:20_000])) else 0.0


def read_skew_report(name: str, text: Decoded) -> Parsed:
    """What it says of keys, partitions and stages."""
    table = rows_of(text.text)
    partitions = (
        [_partition(row) for row in table.rows if row.text("key", "partition", "index") or "key" in table.fields]
        if table.fields & WEIGHTS
        else []
    )
    stages = [_stage(row) for row in table.rows if row.text("stage", "id", "name")] if table.fields & UNEVEN else []
    if not table.rows:
        partitions = list(_mentions(text.text))
    if not partitions and not stages:
        return Parsed(problem=say("artefacts.problem.no_weights"))
    notes = [text.note] if text.note else []
    if len(partitions) > PARTITIONS:
        notes.append(rows_left_out(len(partitions) - PARTITIONS, PARTITIONS))
    hot = _with_shares(partitions[:PARTITIONS])
    facts = SkewReport(name=name, partitions=hot, stages=tuple(stages[:PARTITIONS]), notes=(*notes, *table.notes))
    tells = {Information.DATA_DISTRIBUTION} | {Information.HOT_KEYS for partition in hot if partition.key is not None}
    return Parsed(facts=(facts,), tells=frozenset(tells), summary=_summary(facts))


def _partition(row: Row) -> HotPartition:
    share = row.number("share")
    has_key = "key" in row.cells
    partition = row.text("partition", "index")
    return HotPartition(
        line=row.line,
        **_place(row),
        table=row.text("table"),
        column=row.text("column"),
        key=(row.text("key") or ("null" if row.cells["key"] is None else "")) if has_key else None,
        partition=partition or None,
        records=row.number("records", "input_records", "shuffle_read_records"),
        size_bytes=row.number("size", "input", "shuffle_read"),
        share=share if share is not None and share <= 1 else None,
        duration_ms=row.number("duration", "task_total", "task_max"),
    )


def _place(row: Row) -> dict[str, Any]:
    """The stage that a row names. The `id` of a row about a key or a partition does not mean a stage."""
    stage = row.text("stage")
    return {"stage": stage, "stage_id": stage_number(stage)}


def _stage(row: Row) -> UnevenStage:
    return UnevenStage(
        line=row.line,
        **row.stage(),
        tasks=row.count("tasks"),
        max_bytes=row.number("max_bytes"),
        median_bytes=row.number("median_bytes"),
        max_records=row.number("max_records"),
        median_records=row.number("median_records"),
        max_ms=row.number("task_max"),
        median_ms=row.number("task_median"),
        ratio=row.number("ratio"),
    )


def _mentions(text: str) -> Iterator[HotPartition]:
    """What prose says of a key or a partition; stage and column are the last ones named before."""
    stage, column = "", ""
    for number, line in enumerate(text.split("\n"), start=1):
        line = line[:LINE_CHARS]
        found_stage, found_column = STAGE.search(line), COLUMN.search(line)
        stage = found_stage[1] if found_stage else stage
        column = found_column[1] if found_column else column
        for mention in MENTION.finditer(line):
            weight = _weight(mention["value"].strip())
            label = clean_text(mention["label"])[:TEXT_CHARS]
            is_key = mention["what"].lower() in ("key", "键")
            place: dict[str, Any] = {"stage": stage, "stage_id": stage_number(stage) if stage else None, "column": column if is_key else ""}
            yield HotPartition(line=number, **place, key=label if is_key else None, partition=None if is_key else label, **weight)


def _weight(value: str) -> dict[str, Any]:
    """The number by its unit: share, bytes, or rows."""
    share, size, records = NUMBERS
    if value.endswith("%"):
        quantity = number_of(value, share)
        return {"share": quantity} if quantity is not None and quantity <= 1 else {}
    if value.lower().endswith(("b", "bytes")):
        quantity = number_of(value, size)
        return {} if quantity is None else {"size_bytes": quantity}
    quantity = number_of(value, records)
    return {} if quantity is None else {"records": quantity}


def _with_shares(partitions: list[HotPartition]) -> tuple[HotPartition, ...]:
    """Fill in missing shares: a partition's part of all that is listed for its stage, table and column. Reports list all partitions but
    seldom all keys, so the share of a key stays unknown."""
    sums: defaultdict[tuple[str, str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for partition in partitions:
        sums[partition.stage, partition.table, partition.column][0] += partition.records or 0
        sums[partition.stage, partition.table, partition.column][1] += partition.size_bytes or 0
    found: list[HotPartition] = []
    for partition in partitions:
        records, size = sums[partition.stage, partition.table, partition.column]
        if partition.share is None and partition.key is None and (records or size):
            share = (partition.records or 0) / records if records else (partition.size_bytes or 0) / size
            partition = partition.model_copy(update={"share": min(1.0, round(share, 4))})
        found.append(partition)
    return tuple(found)


def _summary(facts: SkewReport) -> Statement:
    entries = say("artefacts.entries", n=exactly(len(facts.partitions)))
    heaviest = max(facts.partitions, key=lambda partition: partition.share or 0, default=None)
    if heaviest is not None and heaviest.share:
        share = statements.share(heaviest.share)
        if heaviest.key is not None:
            return say("artefacts.summary.hot_key", entries=entries, key=statements.quote(heaviest.key), share=share)
        return say("artefacts.summary.hot_partition", entries=entries, partition=statements.name(heaviest.partition), share=share)
    return say("artefacts.summary.entries", entries=entries, stages=counts.stages(len(facts.stages)))
