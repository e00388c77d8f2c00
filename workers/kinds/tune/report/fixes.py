"""What to do: the fixes of a report, each with what it brings, what speaks against it, and its diff."""

from collections.abc import Iterator, Sequence

from contracts.statements import (
    Join,
    Shown,
    Statement,
    Target,
    Term,
    Value,
    count,
    listing,
    member_term,
    milliseconds,
    name,
    ref,
    say,
    say_member,
    share,
    term,
)
from contracts.tune.plan import Fix, Setting, TuningReport
from contracts.verdicts import Severity, TuningClass, Verdict, VerdictKind
from contracts.whatif import Gain
from workers.kinds.tune.rules.known import SCOPE
from workers.kinds.tune.rules.known_causes import UNFAMILIAR
from workers.kinds.tune.rules.saying import joined, value_of
from workers.saying.code_colours import language_of_file
from workers.saying.document import Block, CodeBlock, Diff, Fact, Facts, Heading, Paragraph, Tone

SLACK = 0.01
"""Of the run: so much an estimate and a finding may differ without a word."""

OF_EXCHANGES = frozenset(
    {
        VerdictKind.BROADCASTABLE_JOIN,
        VerdictKind.REDUNDANT_EXCHANGE,
        VerdictKind.SHUFFLE_VOLUME,
        VerdictKind.LATE_PROJECTION,
        VerdictKind.LATE_FILTER,
    }
)

IN_FULL = 3
"""Fixes that a brief report shows with their reasons and diffs; none of them is instead of another."""

WITH_EVENT_LOG = "spark-submit --conf spark.eventLog.enabled=true --conf spark.eventLog.dir=file:/tmp/spark-events ..."
"""How a run is measured."""


def fixes_shown(report: TuningReport, *, details: bool) -> Iterator[Block]:
    """All fixes, the best first."""
    yield Heading(text=term("tune.report.todo"))
    if not report.fixes:
        yield Paragraph(text=_why_nothing(report))
        if report.classification.is_preliminary and not report.engine and not any(read.kind.startswith(SCOPE) for read in report.read):
            yield Paragraph(text=term("tune.report.measure"))
            yield CodeBlock(text=WITH_EVENT_LOG)
    if len(report.fixes) > 1:
        yield Paragraph(text=say_member("tune.ordered", report.ordered_by), tone=Tone.DIM)
    in_full = [fix.fix_id for fix in report.fixes if not fix.instead_of][:IN_FULL]
    for fix in report.fixes:
        if details or not fix.instead_of:
            verdicts = [report.verdicts[place] for place in fix.verdicts if place < len(report.verdicts)]
            yield from _fix(fix, verdicts, is_full=details or fix.fix_id in in_full, details=details)
            others = [] if details else [other for other in report.fixes if other.instead_of[:1] == (fix.fix_id,)]
            if others:
                yield Facts(
                    facts=tuple(Fact(label=term("tune.report.other_way"), value=_other_way(other), tone=Tone.DIM) for other in others)
                )
    if report.combined is not None and len(report.fixes) > 1:
        yield Facts(facts=(Fact(label=term("tune.report.combined"), value=gain_text(report.combined), tone=_tone(report.combined)),))


def _other_way(fix: Fix) -> Statement:
    """A fix of which this one is instead, in a line."""
    named = ref(Target.FIX, fix.fix_id)
    if fix.gain is None or not fix.gain.is_promised:
        return say("tune.report.other_fix", fix=named, title=value_of(fix.title))
    return say("tune.report.other_fix_saves", fix=named, title=value_of(fix.title), saved=share(fix.gain.saved_share))


def _why_nothing(report: TuningReport) -> Term | Statement:
    """Nothing has to be done, or nothing is known yet, or nothing passed, or the engine is one that is not judged."""
    if report.engine:
        return say("tune.report.other_engine", engine=name(report.engine))
    found = report.classification
    if found.is_preliminary:
        return term("tune.report.hints_alone") if report.verdicts else term("tune.report.nothing_measured")
    if any(verdict.kind in UNFAMILIAR and verdict.severity is not Severity.NOTE for verdict in report.verdicts):
        return term("tune.report.todo_lost")
    return term("tune.report.nothing_to_do") if found.tuning_class is TuningClass.NONE else term("tune.report.nothing_passed")


def gain_text(gain: Gain) -> Statement:
    """The time before and after, and the likely range; where that reaches into a loss, the range alone."""
    times = {
        "before": milliseconds(gain.before_ms),
        "after": milliseconds(gain.after_ms),
        "low": milliseconds(gain.low_ms),
        "high": milliseconds(gain.high_ms),
        "changed": share(abs(gain.saved_share)),
    }
    if gain.saved_share < 0:
        return say("tune.report.loss", **times)
    if gain.high_ms > gain.before_ms:
        return say("tune.report.gain_open", **{name: value for name, value in times.items() if name not in ("after", "changed")})
    return say("tune.report.gain", **times)


def _tone(gain: Gain) -> Tone:
    return Tone.GOOD if gain.is_promised else Tone.NORMAL


def _fix(fix: Fix, verdicts: Sequence[Verdict], *, is_full: bool, details: bool) -> Iterator[Block]:
    """Of a fix that is not shown in full: what it is, what it brings, what speaks against it, and its settings; what to do in words, where
    neither a setting nor a diff says it."""
    title = say("tune.report.fix", fix=ref(Target.FIX, fix.fix_id), title=value_of(fix.title))
    yield Heading(to=Target.FIX, id=fix.fix_id, level=3, text=title)
    yield Paragraph(text=say("tune.report.marks", marks=listing(*_marks(fix), join=Join.CLAUSES)), tone=Tone.DIM)
    if is_full or not (fix.diff or fix.configuration):
        yield Paragraph(text=fix.what)
    facts = [*_gain(fix, verdicts, is_full=is_full, details=details), *_reasons(fix, is_full=is_full), *_settings(fix)]
    if is_full:
        facts += [Fact(label=term("tune.report.check"), value=text) for text in fix.verify]
    if details and fix.experience:
        pieces = listing(*map(name, fix.experience), join=Join.PLAIN)
        facts.append(Fact(label=term("tune.report.experience"), value=pieces, tone=Tone.DIM))
    if facts:
        yield Facts(facts=tuple(facts))
    if is_full and fix.diff:
        yield Diff(text=fix.diff, language=language_of_file(fix.artefact), title=name(fix.artefact) if fix.artefact else None)


def _marks(fix: Fix) -> Iterator[Value]:
    yield say("tune.report.risk", risk=member_term("tune.risk", fix.risk))
    if fix.verdicts:
        findings = listing(*(ref(Target.VERDICT, str(place + 1)) for place in sorted(fix.verdicts)))
        yield say("tune.report.answers", n=count(len(fix.verdicts)), findings=findings)
    if fix.instead_of:
        yield say("tune.report.instead", fixes=listing(*(ref(Target.FIX, fix_id) for fix_id in fix.instead_of), join=Join.OR))
    if fix.is_by_model:
        yield term("tune.report.by_model")
    if fix.moved_from is not None:
        yield say("tune.report.moved", place=name(fix.moved_from))


def _gain(fix: Fix, verdicts: Sequence[Verdict], *, is_full: bool, details: bool) -> Iterator[Fact]:
    if fix.gain is not None:
        yield Fact(label=term("tune.report.time"), value=gain_text(fix.gain), tone=_tone(fix.gain))
        taken = _taken(verdicts)
        if taken and fix.gain.saved_share > taken + SLACK:
            values = {"share": share(taken), "reason": _why_more(verdicts[0])}
            yield Fact(label=term("tune.report.more_than_found"), value=say("tune.report.why_more", **values), tone=Tone.DIM)
        if details:
            yield Fact(label=term("tune.report.method"), value=fix.gain.method, tone=Tone.DIM)
        if details and fix.gain.assumptions:
            yield Fact(label=term("tune.report.assuming"), value=joined(fix.gain.assumptions), tone=Tone.DIM)
    elif fix.gain_unknown and is_full:
        yield Fact(label=term("tune.report.time"), value=say("tune.report.gain_unknown", reason=value_of(fix.gain_unknown)), tone=Tone.DIM)


def _taken(verdicts: Sequence[Verdict]) -> float:
    """The largest share of the run that findings of one kind take together; zero where it is not known."""
    kinds: dict[VerdictKind, float] = {}
    for verdict in verdicts:
        kinds[verdict.kind] = kinds.get(verdict.kind, 0.0) + verdict.run_share
    return min(1.0, max(kinds.values(), default=0.0))


def _why_more(verdict: Verdict) -> Statement:
    """What goes with a fix beside what its finding counts."""
    if verdict.kind is VerdictKind.TINY_TASKS:
        return say("tune.why_more.tiny_tasks")
    return say("tune.why_more.exchange") if verdict.kind in OF_EXCHANGES else say("tune.why_more.waits")


def _reasons(fix: Fix, *, is_full: bool) -> Iterator[Fact]:
    if is_full:
        yield from (Fact(label=term("tune.report.pro"), value=text) for text in fix.pros)
    yield from (Fact(label=term("tune.report.con"), value=text) for text in fix.cons)
    if fix.risk_note:  # what has to hold for the result to stay the same is never left to the details
        yield Fact(label=term("tune.report.risk_note"), value=fix.risk_note)


def _settings(fix: Fix) -> Iterator[Fact]:
    for setting in fix.configuration:
        yield Fact(label=term("tune.report.setting"), value=_setting(setting))


def _setting(setting: Setting) -> Shown:
    line = name(f"{setting.name}={setting.value}")
    return line if setting.was is None else say("tune.report.setting_was", setting=line, was=name(setting.was))
