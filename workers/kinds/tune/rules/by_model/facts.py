"""What is known of a run, as items of a prompt: findings with their figures, stages, tables, settings; no raw log."""

from collections.abc import Sequence

from contracts.bundles import ArtefactRead
from contracts.code import TableFacts
from contracts.spark import RunFacts, StageFacts
from contracts.statements import Sayable, milliseconds, share, size
from contracts.verdicts import ClassScore, Findings, Verdict
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.settings import KNOWN, WORDS
from workers.kinds.tune.rules.by_model.layers import Item
from workers.kinds.tune.rules.by_model.numbers import Numbers
from workers.kinds.tune.rules.clipping import clipped
from workers.kinds.tune.rules.saying import figure_text
from workers.saying import text_of

MOST_KEYS = 3
MOST_COLUMNS = 6
MOST_STAGES = 12
MOST_TABLES = 12


def findings_shown(findings: Findings, numbers: Numbers, language: str) -> tuple[Item, ...]:
    """Each finding with where it comes from and its figures, by number. Of findings of one kind at one place, as a loop makes them, the
    first is shown, with what all take together."""
    figures: dict[int, list[str]] = {}
    for number, (place, figure) in numbers.figures.items():
        named, source = text_of(figure_text(figure), language), text_of(figure.source, language)
        figures.setdefault(place, []).append(f"  figure {number}: {clipped(named)} ({clipped(source)})")
    alike: dict[tuple[object, ...], list[int]] = {}
    for number, place in numbers.verdicts.items():
        alike.setdefault(_place_of(findings.verdicts[place], place), []).append(number)
    return tuple(
        Item(same[0], "\n".join([
            _verdict(same[0], findings.verdicts[numbers.verdicts[same[0]]], language),
            *([_more([findings.verdicts[numbers.verdicts[number]] for number in same])] if len(same) > 1 else []),
            *figures.get(numbers.verdicts[same[0]], []),
        ]))
        for same in alike.values()
    )  # fmt: skip


def _place_of(verdict: Verdict, place: int) -> tuple[object, ...]:
    """What findings have in common that differ in their stages and figures alone; one without a line of code is like no other."""
    spots = tuple((spot.artefact, spot.line) for spot in verdict.blame.spots)
    return (verdict.kind, verdict.severity, verdict.blame.operator, spots) if spots else (place,)


def _more(same: Sequence[Verdict]) -> str:
    together = min(sum(verdict.share for verdict in same), 1.0)
    return f"  {len(same)} such findings at this place, {_percent(together)} of the run's time together"


def scores_shown(scores: Sequence[ClassScore], reasons: Sequence[Sayable], language: str) -> tuple[Item, ...]:
    """What the rules make of it so far."""
    line = ", ".join(f"{score.tuning_class} {score.score:.2f}" for score in scores)
    return (
        Item("scores", f"scores: {line}"),
        *(Item(number, f"- {clipped(text_of(text, language))}") for number, text in enumerate(reasons)),
    )


def artefacts_shown(read: Sequence[ArtefactRead], language: str) -> tuple[Item, ...]:
    """What was read, by number, each in a line."""
    return tuple(Item(number, f"artefact {number}: {_artefact(artefact, language)}") for number, artefact in enumerate(read, start=1))


def read_shown(read: Sequence[ArtefactRead], language: str) -> tuple[Item, ...]:
    """The same without numbers, where it is not to be cited."""
    return tuple(Item(artefact.name, f"- {_artefact(artefact, language)}") for artefact in read)


def _artefact(artefact: ArtefactRead, language: str) -> str:
    content = clipped(text_of(artefact.problem or artefact.summary, language))
    return f"{clipped(artefact.name)} ({artefact.kind}) {content}".rstrip()


def stages_shown(run: RunFacts | None) -> tuple[Item, ...]:
    """The stages with the most task time, the heaviest first."""
    heaviest = sorted(run.stages if run else (), key=lambda stage: -stage.run_ms)[:MOST_STAGES]
    return tuple(Item(stage.stage_id, _stage(stage)) for stage in heaviest)


def tables_shown(tables: Sequence[TableFacts], findings: Findings) -> tuple[Item, ...]:
    """The tables with their heavy keys, those that findings name first."""
    named = {name for verdict in findings.verdicts for name in verdict.blame.tables}
    ranked = sorted(tables, key=lambda table: (table.name not in named, -(table.rows or 0)))
    return tuple(Item(candidate.name, _table(candidate)) for candidate in ranked[:MOST_TABLES])


def settings_shown(case: Case) -> tuple[Item, ...]:
    """The engine's version, and those of its settings that may be advised; none that holds free words, which may hold a secret."""
    version = case.run.spark_version if case.run else None
    first = [Item("version", f"Spark {clipped(version)}, {case.slots} tasks at a time")] if version else []
    names = (name for name, known in KNOWN.items() if known.value is not WORDS)
    settings = ((name, case.setting(name)) for name in names)
    return (*first, *(Item(name, f"{name}={clipped(value)}") for name, value in settings if value is not None))


def _verdict(number: int, verdict: Verdict, language: str) -> str:
    stages = f", stages {', '.join(str(stage_id) for stage_id in verdict.stage_ids[:MOST_COLUMNS])}" if verdict.stage_ids else ""
    lines = [f"finding {number}: {verdict.kind}, {verdict.severity}{stages}, {_percent(verdict.share)} of the run's time"]
    lines.append(f"  {clipped(text_of(verdict.summary, language), 300)}")
    blame = verdict.blame
    parts = [blame.operator, *(f"{column.table}.{column.column}".lstrip(".") for column in blame.columns[:MOST_COLUMNS])]
    parts += [f"{spot.artefact or 'script'} line {spot.line}: {spot.text}" for spot in blame.spots[:2]]
    parts += [f"user function {function}" for function in blame.functions[:2]]
    found = "; ".join(clipped(part) for part in parts if part)
    return "\n".join([*lines, f"  from: {found}"] if found else lines)


def _stage(stage: StageFacts) -> str:
    parts = [
        f"stage {stage.stage_id} ({clipped(stage.name)}): {stage.succeeded_tasks} tasks",
        f"{_percent(stage.run_share)} of all stages' task time",
        text_of(milliseconds(stage.run_ms), "en"),
    ]
    for name in ("input_bytes", "shuffle_read_bytes", "shuffle_write_bytes", "disk_spill_bytes"):
        if value := getattr(stage, name):
            parts.append(f"{name} {text_of(size(value), 'en')}")
    if stage.gc_ms:
        parts.append(f"gc {text_of(milliseconds(stage.gc_ms), 'en')}")
    if stage.failed_tasks:
        parts.append(f"{stage.failed_tasks} failed")
    if stage.time_ratio:
        parts.append(f"longest task {stage.time_ratio:.1f} times the usual")
    return ", ".join(parts)


def _table(table: TableFacts) -> str:
    sizes = [f"{table.rows} rows"] if table.rows is not None else []
    sizes += [text_of(size(table.size_bytes), "en")] if table.size_bytes is not None else []
    lines = [f"table {clipped(table.name)}: {', '.join(sizes) or 'size not known'}"]
    for column, keys in list(table.keys.items())[:MOST_COLUMNS]:
        top = ", ".join(
            f"{'null' if key.value is None else clipped(key.value)} {_percent(key.share)} ({key.rows} rows)" for key in keys.top[:MOST_KEYS]
        )
        distinct = "" if keys.distinct is None else f" {keys.distinct} values"
        lines.append(f"  {clipped(column)}:{distinct} {top}".rstrip())
    return "\n".join(lines)


def _percent(part: float) -> str:
    return text_of(share(part), "en")
