"""The charts of a job's report as files: Vega-Lite specifications, or pictures drawn from them."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from contracts.base import Json
from contracts.statements import code, say
from contracts.statements import name as identifier
from workers.cli.context import job_id
from workers.cli.job_voice import voice_for
from workers.cli.reach.doing import do
from workers.errors import Conflict
from workers.kinds.shown import content_of, result_document
from workers.operations.jobs import job as facts_of
from workers.saying.document import Block, Callout, Fold, Items
from workers.saying.plots import Plotted, is_empty, plot_of
from workers.saying.reasons import name_taken
from workers.saying.spans import Speaker
from workers.saying.vega_pictures import picture_of

_SPECIFICATION = (".vl.json", ".vg.json", ".json")
_PICTURES = (".svg", ".png")


def is_picture(to: Path) -> bool:
    """Whether the ending of a file asks for charts."""
    return to.name.lower().endswith((*_SPECIFICATION, *_PICTURES))


def export_charts(job: str, to: Path, *, overwrite: bool) -> list[Path]:
    """Write each chart of a job's report; of several, the second gets `-2` before its ending. Raises `Conflict` where the report has no
    chart or a file exists, and `ConfigurationError` where the extra `charts` is missing."""
    facts = do(facts_of, job_id(job))
    document = result_document(facts.job.kind, content_of(facts), facts.job.id)
    charts = list(_charts(document.blocks)) if document is not None else []
    if document is None or not charts:
        raise Conflict.of(
            say("refused.export.no_chart", job=identifier(str(facts.job.id)), command=code(f"bullpen export {facts.job.id} --to FILE.html"))
        )
    speaker = Speaker(voice_for(facts.job, None).language)
    files = [_numbered(to, number) for number in range(1, len(charts) + 1)]
    for file in files:
        if file.exists() and (file.is_dir() or not overwrite):
            raise Conflict.of(name_taken(file))
    made = [_made(plot_of(chart, speaker).whole(document.title, chart.title, speaker=speaker), to) for chart in charts]
    for file, content in zip(files, made, strict=True):
        file.write_bytes(content)
    return files


def _made(spec: Json, to: Path) -> bytes:
    match to.suffix.lower():
        case ".svg":
            return picture_of(spec, "svg")
        case ".png":
            return picture_of(spec, "png")
        case _:
            return (json.dumps(spec, ensure_ascii=False, indent=1) + "\n").encode()


def _charts(blocks: Sequence[Block]) -> Iterator[Plotted]:
    for block in blocks:
        if isinstance(block, Plotted):
            if not is_empty(block):
                yield block
        elif isinstance(block, Fold | Callout):
            yield from _charts(block.blocks)
        elif isinstance(block, Items):
            for item in block.items:
                yield from _charts(item.blocks)


def _numbered(to: Path, number: int) -> Path:
    if number == 1:
        return to
    stem, dot, ending = to.name.partition(".") if to.name.lower().endswith(_SPECIFICATION) else to.name.rpartition(".")
    return to.with_name(f"{stem}-{number}{dot}{ending}")
