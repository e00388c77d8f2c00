"""A plan alone: what it proves, and what only a run can tell."""

import pytest
from pydantic import ValidationError

from contracts.artefacts import PlanText, StageRow, StageTable
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


def of_events(columns: str, *, schema: str, condition: str = "(id#0L > 5)", partitions: str = "", pushed: str = "IsNotNull(id)") -> str:
    """A filter over a scan."""
    location = "Format: Parquet, Location: InMemoryFileIndex(1 paths)[hdfs://x/db/events]"
    filters = f"PartitionFilters: [{partitions}], PushedFilters: [{pushed}]"
    scan = f"FileScan parquet db.events[{columns}] Batched: true, DataFilters: [], {location}, {filters}, ReadSchema: {schema}"
    return f"== Physical Plan ==\n*(1) Filter {condition}\n+- *(1) ColumnarToRow\n   +- {scan}\n"


GREATER = "IsNotNull(id), GreaterThan(id,5)"


@pytest.mark.parametrize(
    ("columns", "schema"),
    [
        ("id#0L,tags#1,name#2,device#5", "struct<id:bigint,tags:array<string>,name:string,devi..."),
        ("id#0L,tags#1,name#2,device#5", "struct<id:bigint,tags:array<string>... 2 more fields>"),
        ("id#0L,tags#1,name#2", "struct<id:bigint,tags:array<string>"),
        ("id#0L,_metadata#2", "struct<id:bigint>"),
    ],
)
def test_a_schema_that_is_cut_tells_no_partitions(columns: str, schema: str) -> None:
    assert VerdictKind.WHOLE_SCAN not in hints(of_events(columns, schema=schema, pushed=GREATER))


def test_a_schema_is_whole_beside_what_stands_behind_it() -> None:
    schema = "struct<id:bigint,tags:array<string>>, SelectedBucketsCount: 4 out of 4"

    assert "has partitions by day" in hints(of_events("id#0L,tags#1,day#2", schema=schema, pushed=GREATER))[VerdictKind.WHOLE_SCAN]


@pytest.mark.parametrize(("partitions", "pushed"), [("(day#3 = 2024-01-01)", ""), ("", "EqualTo(country,DE)")])
def test_a_table_with_any_filter_is_not_read_whole(partitions: str, pushed: str) -> None:
    """It said "read whole" of a table of which one partition was read."""
    text = of_events("id#0L,name#2", schema="struct<id:bigint,name:string>", condition="(upper(name#2) = X)")

    assert "upper(name#2)" in hints(text)[VerdictKind.WHOLE_SCAN]
    assert hints(text.replace("Filters: [], Pushed", f"Filters: [{partitions}], Pushed").replace("[IsNotNull(id)]", f"[{pushed}]")) == {}


def cached(columns: str, more: str = "") -> str:
    """Two uses of what is kept in memory."""
    scan = "FileScan parquet db.events[id#0L,name#2] Batched: true, DataFilters: [], Format: Parquet, Location: InMemoryFileIndex(1 paths)"
    rest = "[hdfs://x/db/events], PartitionFilters: [], PushedFilters: [], ReadSchema: struct<id:bigint,name:string>"
    first, second = (
        f"   {sign} InMemoryTableScan {shown}\n   {bar}     +- InMemoryRelation {shown}, StorageLevel(disk, memory, 1 replicas)\n"
        f"   {bar}           +- *(1) ColumnarToRow\n   {bar}              +- {scan}{rest}{last}\n"
        for sign, bar, shown, last in ((":-", ":", "[id#0L, name#2]", ""), ("+-", " ", columns, more))
    )
    return f"== Physical Plan ==\nAdaptiveSparkPlan isFinalPlan=false\n+- Union\n{first}{second}"


def test_what_is_kept_in_memory_is_read_once_however_often_it_is_used() -> None:
    """It advised to keep a table that was kept."""
    assert hints(cached("[id#10L, name#12]")) == {}
    assert "reads events 2 times" in hints(cached("[id#10L, name#12]", ", SelectedBucketsCount: 4"))[VerdictKind.RECOMPUTATION]


def test_a_table_with_several_scans_is_read_several_times() -> None:
    found = hints(READ_THREE_TIMES)

    assert "reads events 3 times" in found[VerdictKind.RECOMPUTATION]
    assert VerdictKind.WHOLE_SCAN not in found  # its filters are pushed


def test_the_formatted_form_says_the_same() -> None:
    assert "1 join by user_id" in hints(FORMATTED)[VerdictKind.BROADCASTABLE_JOIN]


def test_no_side_of_a_full_outer_join_could_be_sent_to_all() -> None:
    """A MERGE of Iceberg: the hint asked for the sizes of sides that Spark never broadcasts."""
    assert VerdictKind.BROADCASTABLE_JOIN not in hints(FORMATTED.replace("Inner", "FullOuter"))


@pytest.mark.parametrize("text", [FILTERED_BY_CAST, ALL_PARTITIONS, READ_THREE_TIMES, FORMATTED])
def test_nothing_is_advised_for_what_nobody_measured(text: str) -> None:
    """T27: a plan has no times."""
    assert advise(found_in(text), None, []).fixes == ()


def test_the_first_sentences_are_what_the_plan_shows_and_that_no_run_was_measured() -> None:
    nothing_known = Classification(tuning_class=TuningClass.NONE, scores=(), is_preliminary=True)

    first = said(preliminary(nothing_known, found_in(READ_THREE_TIMES)))
    assert first.startswith("No run was measured. The plan shows: work done again")
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


def test_a_table_of_stages_beside_a_plan_is_measured() -> None:
    """It said that only the plan was known."""
    plan = PlanText(name="p", executions=read_plans(READ_THREE_TIMES))
    row = StageRow(line=2, stage="3", stage_id=3, duration_ms=60_000, tasks=200, task_max_ms=3_300, task_median_ms=3_000)
    reads = [ReadFacts(ArtefactRead(name=name, kind="x", reason="", round=0), lambda facts=facts: (facts,), shapes=None) for name, facts in
             (("plan", plan), ("stages", StageTable(name="stages", rows=(row,))))]  # fmt: skip

    assert PLAN_ALONE in Known(tuple(reads[:1])).findings().not_known
    assert PLAN_ALONE not in Known(tuple(reads)).findings().not_known


def test_a_plan_is_submitted_without_files() -> None:
    """It said that the bundle was missing."""
    assert TuneSubmission(description=BY_RANGE).bundle == ""
    for words in ("", "the job is slow since Monday"):
        with pytest.raises(ValidationError, match="Name files in bundle, or give the text of an EXPLAIN plan"):
            TuneSubmission(description=words)
    assert TuneSubmission(bundle="sha256:1", description="the job is slow since Monday").bundle
