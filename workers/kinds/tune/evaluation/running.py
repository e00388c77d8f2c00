"""`bullpen eval tune`: whole jobs over bundles whose problem is known, by the same boss and roles as in the fleet."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from contracts.base import Contract, Text
from contracts.jobs import EngineChoice
from contracts.tune.plan import Fix, TuningReport
from contracts.verdicts import Severity, TuningClass, Verdict
from workers.bundles import bring, open_job_bundle
from workers.errors import ConfigurationError, InvalidInput
from workers.kinds.base import Bench, EvaluationResult
from workers.kinds.tune.evaluation.form import TuneEvaluation
from workers.kinds.tune.evaluation.read_cases import read_case
from workers.kinds.tune.evaluation.reads import by_seed, ours, read_all, reads_until_right
from workers.kinds.tune.experience.library import keep_indexed
from workers.kinds.tune.playbook import PLAYBOOK
from workers.kinds.tune.rules.known_causes import CLASS_OF
from workers.saying import text_of


class TuneLabel(Contract):
    """What is known of one bundle. Fields beside these are left alone."""

    model_config = {**Contract.model_config, "extra": "ignore"}

    id: Text = Field(min_length=1, max_length=200)
    """The name of its folder (or archive, without the ending)."""
    label: TuningClass
    cause: Text = ""
    fix_keywords_any: tuple[Text, ...] = ()
    """The advice must hold one of them, in any case."""


class TunedCase(Contract):
    """What came of one case."""

    id: str
    label: TuningClass
    found: TuningClass | None
    """None: the job failed."""
    error: str | None = None
    named: tuple[str, ...] = ()
    """Which of stage, table, column and line the verdict that the first fix answers names; of class `none` nothing has to be."""
    advice_has: str | None = None
    """The keyword that the advice holds; None: none of them."""
    foreign: tuple[str, ...] = ()
    """Fixes that answer no problem of the label's class."""
    fixes: int = 0
    rounds: int = 0
    """Artefacts were asked for so often."""
    read: int = 0
    """Artefacts read in the whole job."""
    took_ms: int = 0
    reads: dict[str, int | None] = {}
    """Recommender → artefacts read until the class was right; None: it never was."""


class ReadFigures(Contract):
    """How many artefacts one way of choosing reads until the class is right."""

    name: str
    mean: float
    """Over the cases in which it gets there."""
    never: int = 0
    """Cases in which it does not."""


class TuneReport(EvaluationResult):
    """What an evaluation of `tune` found."""

    cases: int
    right: int
    majority: float
    """What always naming the commonest class would get."""
    confusion: dict[str, dict[str, int]]
    """Label → class found → cases."""
    problems: int
    """Cases of a class other than `none`; the next three are of these."""
    fully_named: int
    """Stage, table, column and line."""
    advice_complete: int
    with_foreign_advice: int
    reads: tuple[ReadFigures, ...]
    p50_ms: int
    played: tuple[TunedCase, ...]


@dataclass(frozen=True, slots=True)
class TuneCase:
    """A bundle and what is known of it."""

    path: Path
    label: TuneLabel


ENGLISH = "en"
"""The language of the labels' keywords."""

NEUTRAL = "the nightly job is slow"

PLACES = ("stage", "table", "column", "line")
ENDINGS = ("", ".zip", ".tar", ".tar.gz", ".tar.zst", ".tgz")


def read_cases(bundles: Path, labels: Path) -> list[TuneCase]:
    """The cases of a labels file (JSON lines), each with its bundle in the folder. Raises `InvalidInput`."""
    try:
        lines = [line for line in labels.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{labels} cannot be read: {error}.") from None
    cases: list[TuneCase] = []
    for number, line in enumerate(lines, start=1):
        try:
            label = TuneLabel.model_validate_json(line)
        except ValidationError as error:
            raise InvalidInput(f"{labels} line {number} is no label: {error.errors(include_url=False)[0]['msg']}.") from None
        path = next((bundles / f"{label.id}{ending}" for ending in ENDINGS if (bundles / f"{label.id}{ending}").exists()), None)
        if path is None or path.resolve().parent != bundles.resolve():
            raise InvalidInput(f"{labels} line {number}: {bundles} holds no bundle {label.id!r}.")
        cases.append(TuneCase(path, label))
    if not cases:
        raise InvalidInput(f"{labels} holds no label.")
    return cases


def run_evaluation(bench: Bench, form: TuneEvaluation) -> TuneReport:
    """Run every case as a job of its own, and write the details. A label is no part of a job.

    `named`: the verdict that the first fix answers says stage, table, column (or function) and line. `advice`: the fixes hold one of
    the label's keywords. `foreign`: fixes that answer no problem of the label's class. `reads`: artefacts read until the class is
    right. Raises `InvalidInput` for a file that cannot be used, and `ConfigurationError` for `--engine llm` without a model.
    """
    if form.engine is EngineChoice.LLM and not bench.settings.has_model:
        raise ConfigurationError("`--engine llm` needs a model. Set BULLPEN_MODEL (docs/models.md), or leave the option out.")
    keep_indexed(bench.database, bench.embedder, bench.settings)  # in the fleet a thread makes the vectors
    report = evaluate_tune(read_cases(form.bundles, form.labels), bench, form.engine)
    if form.details:
        try:
            form.details.write_text("".join(f"{line_of(played)}\n" for played in report.played), encoding="utf-8")
        except OSError as error:
            raise InvalidInput(f"{form.details} cannot be written: {error.strerror}.") from None
    return report


def evaluate_tune(cases: Sequence[TuneCase], bench: Bench, engine: EngineChoice) -> TuneReport:
    """Run every case as a job of its own."""
    played: list[TunedCase] = []
    with bench.progress("Jobs", len(cases)) as progress:
        for number, case in enumerate(cases, start=1):
            played.append(play_tune(bench, case, engine))
            progress(number)
    problems = [case for case in played if case.label is not TuningClass.NONE]
    confusion: dict[str, dict[str, int]] = {}
    for outcome in played:
        row = confusion.setdefault(outcome.label, {})
        row[outcome.found or "failed"] = row.get(outcome.found or "failed", 0) + 1
    times = sorted(outcome.took_ms for outcome in played)
    reads = tuple(_read_figures(name, played) for name in played[0].reads)
    report = TuneReport(
        figures={},
        cases=len(played),
        right=sum(outcome.found == outcome.label for outcome in played),
        majority=round(max(Counter(outcome.label for outcome in played).values()) / len(played), 4),
        confusion=confusion,
        problems=len(problems),
        fully_named=sum(set(PLACES) <= set(outcome.named) for outcome in problems),
        advice_complete=sum(outcome.advice_has is not None for outcome in problems),
        with_foreign_advice=sum(bool(outcome.foreign) for outcome in played),
        reads=reads,
        p50_ms=times[len(times) // 2],
        played=tuple(played),
    )
    return report.model_copy(update={"figures": _figures(report)})


def _figures(report: TuneReport) -> dict[str, float]:
    """Each figure by its name; beside `class_right` what always naming the commonest class would get."""
    shares = {
        "class_right": report.right / report.cases,
        "class_right_majority": report.majority,
        "fully_named": report.fully_named / max(report.problems, 1),
        "advice_complete": report.advice_complete / max(report.problems, 1),
        "foreign_advice": report.with_foreign_advice / report.cases,
    }
    reads = {f"reads_{read.name.replace(' ', '_')}": read.mean for read in report.reads}
    return {name: round(value, 4) for name, value in (shares | reads).items()}


def play_tune(bench: Bench, case: TuneCase, engine: EngineChoice) -> TunedCase:
    """One job, from the upload of its bundle to its report. The label is never part of it."""
    ref = bring(bench.database, bench.settings, [case.path], owner="default").ref
    job = bench.run_job({"kind": PLAYBOOK.kind, "bundle": ref}, engine)
    reads = _reads(bench, case.label, ref)
    if job.result is None:
        error = f"{job.status}: {job.error or 'no reason given'}"
        return TunedCase(id=case.label.id, label=case.label.label, found=None, error=error, took_ms=job.took_ms, reads=reads)
    return _judged(case.label, TuningReport.model_validate(job.result), job.took_ms, reads)


def _reads(bench: Bench, label: TuneLabel, ref: str) -> dict[str, int | None]:
    """By our recommender, by the seed's, and by reading all; the user says nothing that gives the class away."""
    bundle = open_job_bundle(ref, bench.settings)
    case = read_case(label.id, NEUTRAL, label.label, bundle, bench.database)
    return {
        "ours": reads_until_right(case, ours(bundle.kinds)),
        "seed": reads_until_right(case, by_seed(bundle.kinds)),
        "read all": read_all(case),
    }


def _read_figures(name: str, played: Sequence[TunedCase]) -> ReadFigures:
    counts = [outcome.reads.get(name) for outcome in played]
    there = [count for count in counts if count is not None]
    return ReadFigures(name=name, mean=round(sum(there) / len(there), 3) if there else 0.0, never=len(counts) - len(there))


def _judged(label: TuneLabel, report: TuningReport, took_ms: int, reads: dict[str, int | None]) -> TunedCase:
    text = "\n".join(advice_text(fix) for fix in report.fixes).lower()
    return TunedCase(
        id=label.id,
        label=label.label,
        found=report.classification.tuning_class,
        named=_named(report),
        advice_has=next((word for word in label.fix_keywords_any if word.lower() in text), None),
        foreign=tuple(text_of(fix.title, ENGLISH) for fix in report.fixes if not _answers(fix, report, label.label)),
        fixes=len(report.fixes),
        rounds=max((artefact.round for artefact in report.read), default=0),
        read=len(report.read),
        took_ms=took_ms,
        reads=reads,
    )


def advice_text(fix: Fix) -> str:
    """All that a fix says to its reader."""
    settings = [f"{setting.name}={setting.value}" for setting in fix.configuration]
    before = (text_of(text, ENGLISH) for text in (fix.title, fix.what, *fix.pros, *fix.cons, fix.risk_note))
    return "\n".join((*before, fix.diff, *settings, *(text_of(text, ENGLISH) for text in fix.verify)))


def _answers(fix: Fix, report: TuningReport, wanted: TuningClass) -> bool:
    return any(CLASS_OF.get(report.verdicts[place].kind) is wanted for place in fix.verdicts if place < len(report.verdicts))


def _named(report: TuningReport) -> tuple[str, ...]:
    """Of the verdict that the first fix answers, or else of the heaviest problem."""
    places = report.fixes[0].verdicts if report.fixes else ()
    verdict = next((report.verdicts[place] for place in places if place < len(report.verdicts)), None)
    verdict = verdict or next((verdict for verdict in report.verdicts if verdict.severity is Severity.PROBLEM), None)
    return () if verdict is None else tuple(place for place, there in zip(PLACES, _places(verdict), strict=True) if there)


def _places(verdict: Verdict) -> tuple[Any, ...]:
    blame = verdict.blame
    return verdict.stage_ids, blame.tables, blame.columns or blame.functions, blame.spots


def line_of(case: TunedCase) -> str:
    """A case as a line of JSON."""
    return json.dumps(case.to_json(), ensure_ascii=False)
