"""The class by words and code, and what measured findings make of it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.bundles import Artefact, Catalogue, Information
from contracts.verdicts import Severity, TuningClass, VerdictKind
from tests.support.said import said as shown
from tests.support.tune_bundles import catalogue_of, findings_of, read_of, verdict_of
from workers.bundles.registry import load_kinds
from workers.engines.artefacts.kinds import ArtefactSource
from workers.engines.code.python_script import read_script
from workers.kinds.tune.rules.first_look import classification, classify_by_words
from workers.kinds.tune.rules.known import Known, ReadFacts
from workers.kinds.tune.rules.mentions import mentions

ARTEFACT_KINDS = load_kinds(())
EMPTY = Catalogue(bundle="test", content_hash="0")
NONE, SKEW, SHUFFLE, OTHER = TuningClass.NONE, TuningClass.DATA_SKEW, TuningClass.EXCESS_SHUFFLE, TuningClass.OTHER

SAID = [
    ("stage 4 is stuck at 199/200", SKEW),
    ("one hot key, I guess", SKEW),
    ("任务卡在99%不动", SKEW),
    ("没有跑完，最后一个任务特别慢", SKEW),
    ("数据分布不均匀", SKEW),
    ("too much shuffle between the stages", SHUFFLE),
    ("作业shuffle量太大", SHUFFLE),
    ("small table joined without broadcast", SHUFFLE),
    ("反复重分区", SHUFFLE),
    ("executors die with OutOfMemoryError", OTHER),
    ("Full GC 频繁", OTHER),
    ("spills 40 GB to disk", OTHER),
    ("任务失败重试多次，连接重置", OTHER),
    ("executors are idle most of the time", OTHER),
    ("the nightly job is slow", NONE),
    ("", NONE),
    ("今天的作业比昨天慢", NONE),
]

DENIED = [
    ("no skew", NONE),
    ("there isn't any skew", NONE),
    ("不是数据倾斜", NONE),
    ("数据不倾斜", NONE),
    ("没有数据倾斜，但shuffle量很大", SHUFFLE),
    ("不是数据倾斜而是GC太久", OTHER),
    ("no skew or spill; the shuffle is huge", SHUFFLE),
    ("没有倾斜、溢写，只是小文件很多", OTHER),
    ("I do not see any sign of data skew, rather GC", OTHER),
    ("Skew has been ruled out. It spills.", OTHER),
    ("shuffle正常，疑似热点key", SKEW),
    ("the shuffle is not the problem, the join is skewed", SKEW),
    ("the job does not finish because of data skew", SKEW),
    ("不仅有数据倾斜", SKEW),
    ("no doubt it is skew", SKEW),
]

OPTIONS = [
    "is it data skew, excess shuffle or something else?",
    "数据倾斜、过多Shuffle还是其他问题？",
    "[THINK 1] 问题分类（数据倾斜、过多Shuffle、其它？）",
    "Classify: data skew | excess shuffle | other",
]


@pytest.mark.parametrize(("description", "wanted"), SAID)
def test_a_class_is_told_by_the_words_for_it(description: str, wanted: TuningClass) -> None:
    """T2: in both languages; words that say nothing give no class."""
    assert classify_by_words(description, (), EMPTY).tuning_class is wanted


@pytest.mark.parametrize(("description", "wanted"), DENIED)
def test_a_denial_speaks_for_nothing_that_it_denies(description: str, wanted: TuningClass) -> None:
    """T2: in both languages."""
    assert classify_by_words(description, (), EMPTY).tuning_class is wanted


@pytest.mark.parametrize("description", OPTIONS)
def test_a_text_that_repeats_the_three_options_gives_no_class(description: str) -> None:
    """T2: the first option named is no answer."""
    assert classify_by_words(description, (), EMPTY).tuning_class is NONE


def test_what_is_said_beside_the_options_still_counts() -> None:
    """T2."""
    assert classify_by_words("数据倾斜、过多Shuffle还是其他？有任务卡在199/200", (), EMPTY).tuning_class is SKEW
    assert classify_by_words("The join is skewed. Other jobs shuffle as much and are fast.", (), EMPTY).tuning_class is SKEW


@pytest.mark.parametrize(
    ("counts", "told"), [("199/200", True), ("1999 / 2000", True), ("200/200", False), ("12/200", False), ("1/2", False)]
)
def test_a_stage_that_waits_for_its_last_tasks_is_told_by_its_counts(counts: str, told: bool) -> None:
    """T2: all done is not stuck, and neither is hardly begun."""
    assert bool(mentions(f"it shows {counts}")) is told


@given(
    st.text(max_size=400)
    | st.lists(st.sampled_from(["不是", "数据倾斜", " or ", "no ", "shuffle", "，", "OOM", "99/100 ", "其他"]), max_size=40).map("".join)
)
def test_any_text_gives_scores_that_sum_to_one(description: str) -> None:
    """T2: and raises nothing."""
    found = classify_by_words(description, (), EMPTY)

    assert sum(one.score for one in found.scores) == pytest.approx(1, abs=1e-3)
    assert {one.tuning_class for one in found.scores} == set(TuningClass)
    assert found.is_preliminary


def test_code_alone_points_at_no_class() -> None:
    """T2: every job joins and groups; what code can lead to is told as a reason."""
    script = read_script("a = spark.table('a')\nb = a.join(spark.table('b'), 'k').groupBy('k').agg(F.collect_list('v'))\n")

    found = classify_by_words("", [("job.py", script, "")], EMPTY)

    assert found.tuning_class is NONE
    assert any("job.py, line 2" in shown(one) for one in found.reasons)


def test_code_helps_words_that_are_weak() -> None:
    """T2: the description's trace alone stays below the bar."""
    script = read_script("a = spark.table('a')\na.rdd.groupByKey().count()\na.join(spark.table('b'), 'k')\n")
    words = "表里有长尾"

    assert classify_by_words(words, (), EMPTY).scores[0].score < classify_by_words(words, [("j", script, "")], EMPTY).scores[0].score


def test_reasons_are_in_the_readers_language() -> None:
    """T2."""
    (reason,) = classify_by_words("shuffle太多", (), EMPTY).reasons

    assert shown(reason, "zh") == "描述中提到「shuffle」，指向 shuffle 远多于读取。"
    assert shown(reason) == "The description says “shuffle”, which suggests more shuffled than read."


def test_a_users_braces_are_no_format() -> None:
    """T2: text of the user is only data."""
    script = read_script("spark.table('{0}').join(spark.table('{text}'), '{name}')\n")

    assert classify_by_words("{title} skew {0}", [("{x}.py", script, "")], EMPTY).tuning_class is SKEW


def test_a_file_kept_for_one_purpose_is_a_weak_hint() -> None:
    """T2: and an empty one is none."""
    found = classify_by_words("", (), catalogue_of(("skew.csv", "skew_report"), ("err", "scope_error", 0)))

    scores = {one.tuning_class: one.score for one in found.scores}
    assert found.tuning_class is NONE
    assert scores[SKEW] > 0 == scores[OTHER]


def test_measured_findings_beat_words() -> None:
    """T2: and what the words said is kept as corrected."""
    by_words = classify_by_words("data skew", (), EMPTY)
    findings = findings_of(verdict_of(VerdictKind.SPILL))

    found = classification(findings, by_words, [read_of("log", "spark_event_log")])

    assert (found.tuning_class, found.corrected_from, found.is_preliminary) == (OTHER, SKEW, False)
    assert found.reasons == ("Stage 4 has spill.",)
    assert found.scores == findings.scores


def test_a_class_that_was_not_known_is_not_corrected() -> None:
    """T2."""
    found = classification(
        findings_of(verdict_of(VerdictKind.SPILL)), classify_by_words("", (), EMPTY), [read_of("log", "spark_event_log")]
    )

    assert (found.tuning_class, found.corrected_from) == (OTHER, None)


def test_a_correction_is_remembered_in_later_rounds() -> None:
    """T7."""
    read = [read_of("log", "spark_event_log")]
    findings = findings_of(verdict_of(VerdictKind.SPILL))
    first = classification(findings, classify_by_words("data skew", (), EMPTY), read)

    assert classification(findings, first, read).corrected_from is SKEW
    assert classification(findings_of(verdict_of(VerdictKind.DATA_SKEW)), first, read).corrected_from is OTHER


def test_findings_without_anything_measured_leave_the_class_by_words() -> None:
    """T2: a script's rules are hints."""
    by_words = classify_by_words("shuffle", (), EMPTY)
    hints = findings_of(verdict_of(VerdictKind.CROSS_JOIN, severity=Severity.HINT))
    read = [read_of("job.py", "pyspark_script", Information.SCRIPT_LOGIC)]

    found = classification(hints, by_words, read)

    assert (found.tuning_class, found.is_preliminary, found.read) == (SHUFFLE, True, tuple(read))


def test_a_measured_run_without_a_problem_has_no_class_whatever_was_said() -> None:
    """T2: in Chinese."""
    found = classification(findings_of(), classify_by_words("数据倾斜", (), EMPTY), [read_of("log", "spark_event_log")])

    assert (found.tuning_class, found.corrected_from) == (NONE, SKEW)
    assert tuple(shown(one, "zh") for one in found.reasons) == ("测得的数据中，没有哪一项的影响大到算得上问题。",)


@pytest.mark.parametrize(
    ("table", "can_tell"),
    [
        ("stage,duration (s),tasks,shuffle read\n6,276,200,10.3 GB\n4,84,180,\n", False),
        ("stage,duration (s),tasks,max task time (s),median task time (s)\n6,60,200,1.2,1\n", True),
    ],
)
def test_a_table_without_single_tasks_shows_no_problem_and_not_that_there_is_none(tmp_path: Path, table: str, can_tell: bool) -> None:
    """The page of stages was said to have no problem, and to deny the skew that its user saw."""
    path = tmp_path / "stages.csv"
    path.write_text(table)
    parsed = ARTEFACT_KINDS["stage_table"].parse(ArtefactSource("stages.csv", path, path.stat().st_size))
    artefact = Artefact(name="stages.csv", kind="stage_table", size_bytes=path.stat().st_size)
    known = Known((ReadFacts.of(artefact, parsed, lambda: parsed.facts, reason="test"),))

    found = classification(known.findings(), classify_by_words("stage 6 is stuck at 199/200", (), EMPTY), known.read)

    assert (found.tuning_class, found.is_preliminary) == ((NONE, False) if can_tell else (SKEW, True))
    told = [shown(text) for text in known.findings().not_known]
    assert any(text.startswith("The table of stages has no figures of single tasks") for text in told) is not can_tell
