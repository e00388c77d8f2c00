"""A tuning report as a data engineer reads it: the finding, what to do in which order, where the problem is, and what is not known."""

from collections.abc import Iterator

from pydantic import ValidationError

from contracts.base import Json
from contracts.statements import Term, code, count, say, term
from contracts.tune.plan import TuningReport
from contracts.verdicts import Severity, TuningClass
from workers.engines.artefacts.other_engines import FLINK
from workers.kinds.base import ShowOptions
from workers.kinds.tune.report.basis import (
    code_shown,
    gaps_shown,
    generated_shown,
    hypotheses_shown,
    is_unmeasured,
    leads_shown,
    reading_shown,
    unknown_shown,
)
from workers.kinds.tune.report.findings import findings_shown, scores_shown
from workers.kinds.tune.report.fixes import fixes_shown
from workers.kinds.tune.report.runs import runs_shown
from workers.kinds.tune.report.stages import spreads_shown, timeline_shown
from workers.kinds.tune.report.time import time_shown
from workers.kinds.tune.rules.classify import has_failed
from workers.kinds.tune.rules.headline import LEAST_OTHER, answered_first
from workers.kinds.tune.rules.known import TASKS_NOT_SEEN
from workers.kinds.tune.rules.known_causes import CLASS_OF
from workers.kinds.tune.rules.saying import class_term, kind_term
from workers.saying.document import Block, Document, Paragraph, Tone


def show_result(content: Json, options: ShowOptions) -> Document | None:
    """The report; brief unless details are asked for. None when the content is not a report."""
    try:
        report = TuningReport.model_validate(content)
    except ValidationError:
        return None
    found = report.classification
    is_fine = found.tuning_class is TuningClass.NONE
    tone = Tone.WARNING if found.is_preliminary else Tone.GOOD if is_fine else Tone.BAD
    return Document(title=say("tune.report.title", found=_name(report)), tone=tone, blocks=tuple(_blocks(report, options)))


def _name(report: TuningReport) -> Term:
    """The class; of other problems, as the first sentence has it: what failed, else what the first fix answers, else the heaviest."""
    found = report.classification
    if found.tuning_class is TuningClass.NONE:
        has_stages = TASKS_NOT_SEEN in report.not_known
        unmeasured = term("tune.report.tasks_not_seen") if has_stages else term("tune.report.unmeasured")
        return unmeasured if found.is_preliminary else class_term(found.tuning_class)
    first = answered_first(report.verdicts, found.tuning_class, report.fixes)
    heavy = [
        verdict
        for verdict in report.verdicts
        if verdict.severity is Severity.PROBLEM
        and CLASS_OF.get(verdict.kind) is found.tuning_class
        and (verdict.run_share or verdict.share) >= LEAST_OTHER
    ]
    answered = [report.verdicts[first]] if first is not None else []
    failed = [verdict for verdict in report.verdicts if has_failed(verdict)]
    lead = next((verdict.kind for verdict in (*failed, *answered, *heavy)), None)
    return kind_term(lead) if lead is not None and found.tuning_class is TuningClass.OTHER else class_term(found.tuning_class)


def _blocks(report: TuningReport, options: ShowOptions) -> Iterator[Block]:
    yield from runs_shown(report, details=options.details)
    yield Paragraph(text=report.headline, tone=Tone.STRONG)
    if report.classification.corrected_from is not None:
        yield Paragraph(text=say("tune.report.corrected", before=class_term(report.classification.corrected_from)), tone=Tone.DIM)
    yield from time_shown(report, details=options.details)
    if options.details:
        yield from timeline_shown(report)
        yield from spreads_shown(report)
    is_first_look = report.classification.is_preliminary and not options.details
    if is_first_look:  # what it shows is all that there is to look at
        yield from findings_shown(report, details=False)
    yield from fixes_shown(report, details=options.details)
    if is_first_look:
        yield from () if report.engine == FLINK else leads_shown(report)
        yield from reading_shown(report, with_others=True)
        yield from unknown_shown(report)
    else:
        yield from _grounds(report, details=options.details)
        if not options.details and is_unmeasured(report):
            yield from leads_shown(report)
    yield from _closing(report, options)


def _grounds(report: TuningReport, *, details: bool) -> Iterator[Block]:
    """What was found, and what that rests on."""
    if details:
        yield from scores_shown(report)
    yield from findings_shown(report, details=details)
    if details:
        yield from code_shown(report)
        yield from generated_shown(report)
        yield from hypotheses_shown(report)
    yield from reading_shown(report, details=details, with_others=details)
    yield from gaps_shown(report, details=details)


def _closing(report: TuningReport, options: ShowOptions) -> Iterator[Block]:
    """Where the rest is, and how to say what helped."""
    if report.left_out and options.details:
        yield Paragraph(text=say("tune.report.left_out", n=count(report.left_out)), tone=Tone.DIM)
    if options.job_id is None or options.has_buttons:
        return
    job = str(options.job_id).rpartition("-")[2]  # every command takes the end of an id
    if not options.details:
        yield Paragraph(text=say("tune.report.more", command=code(f"bullpen show {job} --details")), tone=Tone.DIM)
    if report.fixes:
        ignored = " --ignored 2" if len(report.fixes) > 1 else ""
        yield Paragraph(text=say("tune.report.feedback", command=code(f"bullpen feedback {job} --adopted 1{ignored}")), tone=Tone.DIM)
