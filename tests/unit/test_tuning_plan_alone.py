"""A plan alone: what it proves, and what only a run can tell."""

import pytest
from pydantic import ValidationError

from contracts.artefacts import PlanText
from contracts.bundles import ArtefactRead
from contracts.spark import RunFacts
from contracts.tune.steps import Classification
from contracts.verdicts import Findings, Severity, TuningClass, VerdictKind
from tests.support.explained import ALL_PARTITIONS, BY_RANGE, FILTERED_BY_CAST, FORMATTED, ONE_PARTITION, READ_THREE_TIMES
from tests.support.said import said
from workers.engines.spark.plan_text import read_plans
from workers.kinds.registry import load_kinds
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.headline import headline, preliminary
from workers.kinds.tune.rules.known import PLAN_ALONE, Known, ReadFacts
from workers.kinds.tune.submission import TuneSubmission

load_kinds(())


def found_in(text: str) -> Findings:
    facts = (PlanText(name="pasted.txt", executions=read_plans(text)),)
    read = ArtefactRead(name="pasted.txt", kind="query_plan", reason="", round=0)
    return Known((ReadFacts(read, lambda: facts, shapes=frozenset({"PlanText"})),)).findings()


def hints(text: str) -> dict[VerdictKind, str]:
    return {verdict.kind: said(verdict.summary) for verdict in found_in(text).verdicts if verdict.severity is Severity.HINT}


def test_a_join_by_a_range_is_a_problem_without_a_run() -> None:
    findings = found_in(BY_RANGE)

    assert findings.tuning_class is TuningClass.OTHER
    assert said(headline(findings, [])).startswith("A cross join: CartesianProduct: no column has to equal another")
    assert PLAN_ALONE in findings.not_known


def test_the_condition_of_a_join_is_shown_without_its_kind_and_side() -> None:
    outer = BY_RANGE.replace("CartesianProduct (", "BroadcastNestedLoopJoin BuildRight, LeftOuter, (")

    assert "to test `((user_id#0L >= user_id#6L) AND" in hints(outer)[VerdictKind.CROSS_JOIN]


def test_a_filter_that_the_source_does_not_get_is_named_by_its_condition() -> None:
    found = hints(FILTERED_BY_CAST)

    assert "`cast(day#1 as date) = 2026-01-05`" in found[VerdictKind.WHOLE_SCAN]
    assert "one at a time: `<lambda>`" in found[VerdictKind.PYTHON_UDF]
    assert VerdictKind.BROADCASTABLE_JOIN not in found  # it is one already


def test_partitions_without_a_filter_are_all_read() -> None:
    assert "by_day has partitions by day" in hints(ALL_PARTITIONS)[VerdictKind.WHOLE_SCAN]
    assert hints(ONE_PARTITION) == {}


def test_a_table_with_several_scans_is_read_several_times() -> None:
    found = hints(READ_THREE_TIMES)

    assert "reads events 3 times" in found[VerdictKind.RECOMPUTATION]
    assert VerdictKind.WHOLE_SCAN not in found  # its filters are pushed


def test_the_formatted_form_says_the_same() -> None:
    assert "1 join by user_id" in hints(FORMATTED)[VerdictKind.BROADCASTABLE_JOIN]


@pytest.mark.parametrize("text", [FILTERED_BY_CAST, ALL_PARTITIONS, READ_THREE_TIMES, FORMATTED])
def test_nothing_is_advised_for_what_nobody_measured(text: str) -> None:
    """T27: a plan has no times."""
    assert advise(found_in(text), None, []).fixes == ()


def test_the_first_sentences_are_what_the_plan_shows_and_that_no_run_was_measured() -> None:
    nothing_known = Classification(tuning_class=TuningClass.NONE, scores=(), is_preliminary=True)

    first = said(preliminary(nothing_known, found_in(READ_THREE_TIMES)))
    assert first.startswith("No run was measured. The plan shows: The plan reads events 3 times")
    assert "shows no join without a key" in said(preliminary(nothing_known, found_in(ONE_PARTITION)))
    assert "only the event log of a run tells" in said(PLAN_ALONE)


def test_a_log_says_more_than_the_plan_beside_it() -> None:
    run = RunFacts.model_validate(
        {"platform": "local", "start_from": "first_event", "end_from": "last_event",
         "reading": {"files": [], "layout": "single", "compressions": [], "expanded_bytes": 0, "lines": 0, "malformed_lines": 0}}
    )  # fmt: skip
    plan = PlanText(name="p", executions=read_plans(READ_THREE_TIMES))
    reads = [ReadFacts(ArtefactRead(name=name, kind="x", reason="", round=0), lambda facts=facts: (facts,), shapes=None) for name, facts in
             (("log", run), ("plan", plan))]  # fmt: skip

    assert PLAN_ALONE not in Known(tuple(reads)).findings().not_known


def test_a_plan_is_submitted_without_files() -> None:
    """It said that the bundle was missing."""
    assert TuneSubmission(description=BY_RANGE).bundle == ""
    for words in ("", "the job is slow since Monday"):
        with pytest.raises(ValidationError, match="Name files in bundle, or give the text of an EXPLAIN plan"):
            TuneSubmission(description=words)
    assert TuneSubmission(bundle="sha256:1", description="the job is slow since Monday").bundle
