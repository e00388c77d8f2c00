"""Our cluster's nightly report: a line `STAGE <id> WRITES <bytes>` for each stage."""

import re

from contracts.artefacts import ShuffleLog, ShuffleRow
from contracts.bundles import Information
from workers.engines.artefacts.kinds import ArtefactKind, ArtefactSource, Parsed

LINE = re.compile(r"STAGE (\d{1,9}) WRITES (\d{1,18})$")


def sniff(name: str, head: bytes) -> float:
    """How sure it is, from 0 to 1, that a file is of this kind."""
    return 0.95 if head.startswith(b"ACME NIGHTLY REPORT") else 0.0


def parse(source: ArtefactSource) -> Parsed:
    """The facts of the file, or what is wrong with it."""
    rows: list[ShuffleRow] = []
    with source.path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if found := LINE.match(line.rstrip()):
                rows.append(ShuffleRow(line=number, stage=found[1], stage_id=int(found[1]), write_bytes=int(found[2])))
    if not rows:
        return Parsed(problem="It has no line `STAGE <id> WRITES <bytes>`.")
    return Parsed(
        facts=(ShuffleLog(name=source.name, rows=tuple(rows)),),
        tells=frozenset((Information.SHUFFLE_STATISTICS,)),
        summary=f"{len(rows)} stages.",
    )


KIND = ArtefactKind(
    name="acme_report",
    description="Our cluster's nightly report of shuffles.",
    tells=frozenset((Information.SHUFFLE_STATISTICS,)),
    sniff=sniff,
    parse=parse,
    parser="acme_report",
)
