"""The reviewer's checks of a plan by rules, a model or a person. A fix that does not pass must not reach the user."""

from collections.abc import Callable, Iterator, Sequence

from contracts.spark import RunFacts
from contracts.statements import Value, member_term, name, say_member, share
from contracts.tune.plan import Fix, FixKind, TuningPlan
from contracts.verdicts import Findings, Severity, TuningClass, Verdict
from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.advice.case import ADAPTIVE_SINCE, Case
from workers.kinds.tune.rules.advice.figures import figures_of
from workers.kinds.tune.rules.advice.gate import objection_to
from workers.kinds.tune.rules.advice.objections import Objection, Rule
from workers.kinds.tune.rules.advice.pairs import against_each_other
from workers.kinds.tune.rules.advice.rewrites.patches import apply_diff
from workers.kinds.tune.rules.advice.rewrites.source import Source
from workers.kinds.tune.rules.advice.settings import problem_of
from workers.kinds.tune.rules.claims import untrue_percentages
from workers.kinds.tune.rules.classify import is_symptom
from workers.kinds.tune.rules.known_causes import CLASS_OF
from workers.kinds.tune.rules.saying import kind_term, names, shown_name, value_of

GAIN_MARGIN = 1.25
GAIN_SLACK = 0.05
"""Waiting for the stage and the driver's part of it are not in the time of its tasks."""

ADAPTIVE = frozenset({FixKind.SKEW_JOIN, FixKind.ADAPTIVE_EXECUTION})

ONLY_FOR: dict[FixKind, frozenset[TuningClass]] = {
    **dict.fromkeys((FixKind.FILTER_SENTINEL, FixKind.SPLIT_HOT_KEYS, FixKind.SALT, FixKind.SKEW_JOIN), frozenset({TuningClass.DATA_SKEW})),
    FixKind.TWO_STAGE_AGGREGATION: frozenset({TuningClass.DATA_SKEW}),
    FixKind.BROADCAST_JOIN: frozenset({TuningClass.DATA_SKEW, TuningClass.EXCESS_SHUFFLE}),
    **dict.fromkeys(
        (FixKind.REMOVE_REPARTITION, FixKind.REUSE_PARTITIONING, FixKind.EARLY_PROJECTION, FixKind.EARLY_FILTER),
        frozenset({TuningClass.EXCESS_SHUFFLE}),
    ),
    FixKind.PRE_AGGREGATION: frozenset({TuningClass.DATA_SKEW, TuningClass.EXCESS_SHUFFLE}),
    **dict.fromkeys(
        (FixKind.SPECULATION, FixKind.SLOW_CALL, FixKind.FIX_FAILURES, FixKind.RELEASE_EXECUTORS, FixKind.LESS_GARBAGE),
        frozenset({TuningClass.OTHER}),
    ),
}
"""Remedies that help against one class, or two. Those that are missing here may help against any."""


def review(plan: TuningPlan, evidence: Findings, run: RunFacts | None, scripts: Sequence[NamedScript]) -> tuple[Objection, ...]:
    """What speaks against the plan's fixes, in their order; nothing when all may go out."""
    case = Case(evidence, run, scripts, ())
    alone = [objection for fix in plan.fixes for check in CHECKS for objection in check(case, fix)]
    return (*alone, *against_each_other(plan.fixes))


def rests_on_verdicts(case: Case, fix: Fix) -> Iterator[Objection]:
    """No fix without evidence that is on the board."""
    wrong = [place for place in fix.verdicts if not 0 <= place < len(case.findings.verdicts)]
    if not fix.verdicts or wrong:
        yield _objection(fix, Rule.NO_VERDICT, places=names(wrong or ["-"]))
    if not fix.evidence:
        yield _objection(fix, Rule.NO_FIGURE)


def figures_are_true(case: Case, fix: Fix) -> Iterator[Objection]:
    """No claim without an artefact and a number, and the number is that of the verdict."""
    verdicts = _verdicts(case, fix)
    if not verdicts:
        return  # nothing to hold them to, which is an objection already
    known = [figure for verdict in verdicts for figure in figures_of(verdict)]
    true = {(figure.id, figure.name, figure.value, figure.unit, figure.source) for figure in known}
    for figure in fix.evidence:
        if (figure.id, figure.name, figure.value, figure.unit, figure.source) not in true:
            yield _objection(fix, Rule.OTHER_FIGURE, figure=value_of(figure.name))
    for found in untrue_percentages((fix.title, fix.what, *fix.pros), verdicts):
        yield _objection(fix, Rule.CLAIM, claim=share(found / 100))


def fits_the_engine(case: Case, fix: Fix) -> Iterator[Objection]:
    """Engine, version and settings allow it, and it is not done already."""
    if case.is_scope and fix.configuration:
        yield _objection(fix, Rule.NOT_SPARK)
    if fix.kind in ADAPTIVE and case.version is not None and case.version < ADAPTIVE_SINCE:
        yield _objection(fix, Rule.VERSION, setting=name("spark.sql.adaptive.enabled"))
    for setting in fix.configuration:
        problem = problem_of(setting, case.version)
        was = case.setting(setting.name)
        if problem:
            yield _objection(fix, problem, **_of_setting(problem, setting.name, setting.value))
        elif setting.was is not None and setting.was != was:
            yield _objection(fix, Rule.SETTING_WAS, **_of_setting(Rule.SETTING_WAS, setting.name, setting.was))
        elif was == setting.value:
            yield _objection(fix, Rule.SETTING_ALREADY, **_of_setting(Rule.SETTING_ALREADY, setting.name, setting.value))


def diff_applies(case: Case, fix: Fix) -> Iterator[Objection]:
    """The lines are those of the script, something changes, and what parsed still does."""
    if not fix.diff:
        return
    script = next((script for script in case.scripts if script.name == fix.artefact), None)
    new = apply_diff(fix.diff, script.text) if script else None
    if script is None or new is None or new == script.text:
        yield _objection(fix, Rule.DIFF, script=shown_name(fix.artefact or "-"))
    elif Source.read_as(script.text, script.facts.language) is not None and Source.read_as(new, script.facts.language) is None:
        yield _objection(fix, Rule.DIFF_BREAKS, script=shown_name(fix.artefact))


def gain_is_possible(case: Case, fix: Fix) -> Iterator[Objection]:
    """No more is saved than the time in which the problem's stages ran: both are shares of the run's wall clock."""
    touched = min(1.0, sum(verdict.span_share or verdict.share for verdict in _verdicts(case, fix)))
    if fix.gain is not None and fix.gain.saved_share > GAIN_MARGIN * touched + GAIN_SLACK:
        yield _objection(fix, Rule.GAIN, gain=share(fix.gain.saved_share), share=share(touched))


def is_worth_it(case: Case, fix: Fix) -> Iterator[Objection]:
    """A model's fix passes the gate that our own fixes have passed."""
    verdicts = _verdicts(case, fix) if fix.is_by_model else []
    reason = objection_to(fix, tuple(verdicts)) if verdicts else None
    if reason is not None:
        yield _objection(fix, Rule.WORTH, reason=reason)


def belongs_to_the_class(case: Case, fix: Fix) -> Iterator[Objection]:
    """A remedy of the problem's own class; another class only for a problem that nothing else explains."""
    verdicts = _verdicts(case, fix)
    if not verdicts:
        return
    first = verdicts[0]
    wanted = CLASS_OF.get(first.kind)
    is_own = wanted is case.findings.tuning_class
    stands_alone = first.severity is Severity.PROBLEM and not is_symptom(first, case.findings.verdicts)
    allowed = ONLY_FOR.get(fix.kind)
    mixes = allowed is not None and wanted not in allowed
    if case.findings.tuning_class is TuningClass.NONE or wanted is None or mixes or not (is_own or stands_alone):
        yield _objection(fix, Rule.CLASS, remedy=member_term("tune.fix_kind", fix.kind), kind=kind_term(first.kind))


CHECKS: tuple[Callable[[Case, Fix], Iterator[Objection]], ...] = (
    rests_on_verdicts,
    figures_are_true,
    fits_the_engine,
    diff_applies,
    gain_is_possible,
    is_worth_it,
    belongs_to_the_class,
)
"""Checks of a single fix; checks of pairs are in `advice/pairs.py`."""


def _verdicts(case: Case, fix: Fix) -> list[Verdict]:
    return [case.findings.verdicts[place] for place in fix.verdicts if 0 <= place < len(case.findings.verdicts)]


def _of_setting(rule: Rule, setting: str, value: str) -> dict[str, Value]:
    """What the text of a rule on settings names."""
    named: dict[str, Value] = {"setting": shown_name(setting)}
    without_value = (Rule.VERSION, Rule.SETTING_NAME, Rule.SETTING_UNKNOWN)
    return named if rule in without_value else {**named, "value": shown_name(value)}


def _objection(fix: Fix, rule: Rule, **values: Value) -> Objection:
    return Objection(fix_id=fix.fix_id, rule=rule, text=say_member("tune.objection", rule, **values))


__all__ = ["Objection", "review"]
