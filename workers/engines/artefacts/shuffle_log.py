"""A log of shuffles: how much each stage or exchange writes and reads, as a table or as lines of text."""

import re
from collections.abc import Iterator
from typing import Any

from contracts import statements
from contracts.artefacts import ShuffleLog, ShuffleRow
from contracts.bundles import Information
from contracts.statements import say
from workers.engines.artefacts.headings import Heading, Measure
from workers.engines.artefacts.kinds import Parsed
from workers.engines.artefacts.rows import Row, Rows, rows_of
from workers.engines.artefacts.stage_table import RUN_FIELDS
from workers.engines.artefacts.texts import Decoded
from workers.engines.artefacts.values import number_of, stage_number
from workers.engines.counts import exactly
from workers.engines.problems import rows_left_out

VOLUMES = frozenset(("shuffle_read", "shuffle_write"))
ROWS = 20_000
LINE_CHARS = 2_000

VOLUME = re.compile(
    r"(?:shuffle|exchange|洗牌|混洗)[ _-]{0,2}(?P<way>writ(?:e|ten|es)|read|写入|读取|写|读)\w{0,10}\s{0,3}[:=]?\s{0,3}"
    r"(?P<size>\d[\d,.]{0,20}\s?(?:[kmgt]i?b?|b|bytes)\b)",
    re.IGNORECASE,
)
"""`shuffle write: 12.3 GB`, `Shuffle Read 11 GiB`, `shuffle写入 3 GB`."""

STAGE = re.compile(r"(?:stage|阶段)\s{0,3}[#:]?\s{0,3}(\d{1,9})", re.IGNORECASE)
EXCHANGE = re.compile(r"\b((?:hash|range|round ?robin|single)\s?partitioning(?:\([^()\n]{0,200}\))?|Exchange\s?\S{0,100})", re.IGNORECASE)
SIZE = Heading("size", Measure.BYTES, None)


def sniff_shuffle_log(table: Rows, text: str, name: str) -> float:
    """A table of shuffled bytes that tells little else; lines with such volumes."""
    if table.fields & VOLUMES:
        if table.fields & {"stage", "id", "exchange", "name"}:
            return 0.75 if not table.fields & RUN_FIELDS else 0.5
        return 0.0
    lines = [line for line in text[:20_000].split("\n") if line.strip()]
    volumes = sum(bool(VOLUME.search(line[:LINE_CHARS])) for line in lines)
    return (
        min(0.8, 0.4 + volumes / len(lines) / 2)
        if lines and volumes and volumes >= len(lines) / 5
        else 0.35
        if volumes and "shuffle" in name.lower()
        else 0.0
    )


def read_shuffle_log(name: str, text: Decoded) -> Parsed:
    """Its rows, or the lines of its text that tell a volume."""
    table = rows_of(text.text)
    found = [_row(row) for row in table.rows] if table.fields & VOLUMES else list(_lines(text.text))
    rows = tuple(row for row in found if row.write_bytes is not None or row.read_bytes is not None)
    if not rows:
        return Parsed(problem=say("artefacts.problem.no_volumes", example=statements.code("stage 3: shuffle write 12.3 GB")))
    notes = [*([text.note] if text.note else []), *table.notes]
    if len(rows) > ROWS:
        notes.append(rows_left_out(len(rows) - ROWS, ROWS))
    tells = {Information.SHUFFLE_STATISTICS}
    tells |= {Information.DATA_VOLUME for row in rows if row.input_bytes} | {Information.PARTITIONING for row in rows if row.exchange}
    written = sum(row.write_bytes or 0 for row in rows)
    return Parsed(
        facts=(ShuffleLog(name=name, rows=rows[:ROWS], notes=tuple(notes)),),
        tells=frozenset(tells),
        summary=say("artefacts.summary.shuffles", n=exactly(len(rows)), written=statements.size(written)),
    )


def _row(row: Row) -> ShuffleRow:
    stage = row.text("stage", "id")
    return ShuffleRow(
        line=row.line,
        stage=stage,
        stage_id=stage_number(stage) if stage else None,
        exchange=row.text("exchange", "name", "column"),
        write_bytes=row.number("shuffle_write"),
        read_bytes=row.number("shuffle_read"),
        write_records=row.number("shuffle_write_records", "records"),
        read_records=row.number("shuffle_read_records"),
        input_bytes=row.number("input"),
        spill_bytes=row.number("disk_spill", "memory_spill"),
        partitions=row.count("partitions"),
    )


def _lines(text: str) -> Iterator[ShuffleRow]:
    """A row for each line that tells a volume; the stage is the one last named."""
    stage = ""
    for number, line in enumerate(text.split("\n"), start=1):
        line = line[:LINE_CHARS]
        named = STAGE.search(line)
        stage = named[1] if named else stage
        values: dict[str, Any] = {}
        for volume in VOLUME.finditer(line):
            way = "write_bytes" if volume["way"].lower().startswith(("w", "写")) else "read_bytes"
            values.setdefault(way, number_of(volume["size"].strip(), SIZE))
        if values:
            exchange = EXCHANGE.search(line)
            yield ShuffleRow(
                line=number,
                stage=stage,
                stage_id=stage_number(stage) if stage else None,
                exchange=exchange[1] if exchange else "",
                **values,
            )
