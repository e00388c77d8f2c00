"""Who ordered the fixes of a report, and what users' feedback moved in it."""

from collections.abc import Sequence

from contracts.tune.plan import FixKind, OrderedBy, TuningPlan, TuningReport
from contracts.tune.steps import Classification, Experience
from contracts.verdicts import TuningClass
from tests.support.said import said
from tests.support.scope import SAMPLES, sample
from workers.engines.scope.job import ScopeJob
from workers.engines.scope.replay import ScopeReplay
from workers.engines.scope.script import read_scope
from workers.engines.scripts.given import NamedScript
from workers.kinds.base import ShowOptions
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.scope_findings import find_scope
from workers.kinds.tune.rules.summarise import report
from workers.kinds.tune.view import show_result
from workers.saying.document import texts_in

FACTS, TABLES = sample("scope_shuffle")
FINDINGS = find_scope(FACTS, TABLES)


def plan_of(*experience: Experience) -> TuningPlan:
    text = (SAMPLES / "scope_shuffle" / "scope.script").read_text()
    scripts = [NamedScript("scope.script", read_scope(text).script, text)]
    job = ScopeJob(FACTS, TABLES)
    return advise(FINDINGS, None, scripts, TABLES, experience=experience, estimate=ScopeReplay(job).gain, scope=job)


def piece(kind: FixKind, *, ignored: int = 0, adopted: int = 0) -> Experience:
    return Experience(
        experience_id="p/x",
        pack="p",
        title="x",
        tuning_class=TuningClass.EXCESS_SHUFFLE,
        language="en",
        text="x",
        score=1,
        ignored=ignored,
        adopted=adopted,
        remedies=(kind.value,),
    )


def texts(plan: TuningPlan) -> Sequence[str]:
    made: TuningReport = report(FINDINGS, Classification(tuning_class=FINDINGS.tuning_class, scores=FINDINGS.scores), plan, language="en")
    document = show_result(made.to_json(), ShowOptions())
    assert document is not None
    return [said(text) for text in texts_in(document)]


def test_a_remedy_that_users_ignored_moves_down_and_the_report_says_from_where() -> None:
    """T30: visibly."""
    before, after = plan_of(), plan_of(piece(FixKind.BROADCAST_JOIN, ignored=8))
    place = [fix.kind for fix in before.fixes].index(FixKind.BROADCAST_JOIN)
    moved = next(fix for fix in after.fixes if fix.kind is FixKind.BROADCAST_JOIN)

    assert after.fixes.index(moved) > place
    assert moved.moved_from == place + 1
    assert any(f"moved here from place {place + 1} by what users did with it before" in text for text in texts(after))
    assert all(fix.moved_from is None for fix in before.fixes)


def test_a_remedy_that_users_adopted_moves_up() -> None:
    """T30."""
    before, after = plan_of(), plan_of(piece(FixKind.PRE_AGGREGATION, adopted=20))
    place = [fix.kind for fix in before.fixes].index(FixKind.PRE_AGGREGATION)
    moved = next(fix for fix in after.fixes if fix.kind is FixKind.PRE_AGGREGATION)

    assert after.fixes.index(moved) < place
    assert moved.moved_from == place + 1


def test_the_report_says_who_ordered_the_fixes() -> None:
    """T27."""
    plan = plan_of()

    assert any(text.startswith("Ordered by the rules") for text in texts(plan))
    assert any(text.startswith("Ordered by a model") for text in texts(plan.model_copy(update={"ordered_by": OrderedBy.MODEL})))
