"""Our recommender: what counts as known, when it is enough, and what is worth reading next."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from contracts.bundles import ArtefactRead, Information
from contracts.tune.request import RecommenderProfile
from contracts.tune.steps import Aspect, InformationCheck, KeyCode, KeySpot, Need
from contracts.verdicts import Blame, Findings, ScriptSpot, TuningClass, VerdictKind
from tests.support.said import said as shown
from tests.support.tune_bundles import KINDS, LOG_TELLS, catalogue_of, findings_of, read_of, verdict_of
from tests.support.tune_steps import checked
from workers.kinds.tune.rules.recommend import first_reads
from workers.kinds.tune.rules.recommend.needs import BY_CLASS
from workers.kinds.tune.rules.recommend.news import CLASS_EVIDENCE, entropy
from workers.kinds.tune.rules.recommend.wanted import wanted

NONE, SKEW, SHUFFLE, OTHER = TuningClass.NONE, TuningClass.DATA_SKEW, TuningClass.EXCESS_SHUFFLE, TuningClass.OTHER
LOG = read_of("log", "spark_event_log", *LOG_TELLS)
SCRIPT = read_of("job.py", "pyspark_script", Information.SCRIPT_LOGIC)
TABLES = read_of("tables.json", "table_metadata", Information.HOT_KEYS, Information.DATA_VOLUME)
BUNDLE = catalogue_of(("log", "spark_event_log"), ("job.py", "pyspark_script"), ("tables.json", "table_metadata"), ("app.log", "plain_log"))
SPOTS = (ScriptSpot(line=4, operation="join", text="join(b, 'k')"),)


def asked(read: Sequence[ArtefactRead] = (), findings: Findings | None = None, description: str = "", **told: Any) -> InformationCheck:
    """Of the usual bundle."""
    return checked(BUNDLE, read, findings, description, **told)


def names(found: InformationCheck) -> list[str]:
    return [one.name for one in found.recommended]


SKEWED = findings_of(verdict_of(VerdictKind.DATA_SKEW, blame=Blame(spots=SPOTS)))
SHUFFLED = findings_of(verdict_of(VerdictKind.SHUFFLE_VOLUME))


def test_six_kinds_of_information_are_needed_for_each_named_class() -> None:
    """T15: with weights that sum to one; those of the class's question do so too."""
    assert {one: len(needs) for one, needs in BY_CLASS.items()} == {SKEW: 6, SHUFFLE: 6}
    assert all(sum(needs.values()) == pytest.approx(1) for needs in BY_CLASS.values())
    assert set(CLASS_EVIDENCE) == set(TuningClass)
    assert all(sum(parts.values()) == pytest.approx(1) for parts in CLASS_EVIDENCE.values())


def test_every_need_can_be_told_by_some_kind() -> None:
    """T15: the seed's profile has types of information that nothing can ever tell."""
    told = {one for kind in KINDS.values() for one in kind.tells}

    assert {one for needs in BY_CLASS.values() for one in needs} <= told
    assert asked(read=[LOG, SCRIPT, TABLES], findings=SKEWED).score == 1.0
    assert asked(read=[LOG, SCRIPT, TABLES], findings=SHUFFLED).score == 1.0


def test_information_is_present_by_what_was_read_and_never_by_words() -> None:
    """T21: the user's question has all the words of the seed's profile."""
    found = asked(description="我的脚本 def class import join 数据倾斜 stage shuffle 耗时 分布 热点", read=[])

    assert (found.score, found.sufficient) == (0.0, False)
    assert all(not one.present_in for one in found.needs)


def test_a_need_names_the_artefacts_that_told_it() -> None:
    """T21: what the kind could have told and did not is not present."""
    found = asked(read=[LOG, SCRIPT, read_of("empty", "skew_report", Information.WARNINGS)], findings=SKEWED)

    present = {one.information: one.present_in for one in found.needs}
    assert present[Information.SCRIPT_LOGIC] == ("job.py",)
    assert present[Information.DATA_DISTRIBUTION] == ("log",)
    assert present[Information.HOT_KEYS] == ()


EXAMPLE = catalogue_of(("1", "pyspark_script"), ("2", "dag_report"), ("3", "skew_report"), ("4", "shuffle_log"))
EXAMPLE_KINDS = KINDS | {
    "dag_report": replace(KINDS["unknown"], name="dag_report", tells=frozenset({Information.STAGE_RUNS, Information.DATA_FLOW}))
}


@pytest.mark.parametrize(("description", "wanted"), [("数据倾斜", {"1", "2", "3"}), ("shuffle过多", {"1", "2", "4"})])
def test_the_script_and_the_fitting_report_are_recommended(description: str, wanted: set[str]) -> None:
    """T11, T14: the document's own example, in which its formula never recommends the script, nor the shuffle log for excess shuffle."""
    assert set(names(checked(EXAMPLE, description=description, kinds=EXAMPLE_KINDS))) == wanted


@pytest.mark.parametrize(
    ("read", "findings", "sufficient"),
    [
        ([], None, False),
        ([SCRIPT, TABLES], None, False),
        ([LOG], SKEWED, False),
        ([LOG, SCRIPT], SKEWED, False),
        ([LOG, SCRIPT, TABLES], SKEWED, True),
        ([LOG, TABLES], SKEWED, False),
        ([LOG, SCRIPT, TABLES], SHUFFLED, True),
        ([LOG, SCRIPT], findings_of(verdict_of(VerdictKind.SPILL)), True),
        ([LOG], findings_of(verdict_of(VerdictKind.SPILL)), False),
        ([LOG, SCRIPT], findings_of(), True),
    ],
)
def test_enough_is_known_by_weight_with_measured_facts_and_the_script(
    read: list[ArtefactRead], findings: Findings | None, sufficient: bool
) -> None:
    """T21: 0.7 of the weight; half of it for the other class; and the heavy keys where the bundle can tell them."""
    found = asked(read=read, findings=findings)

    assert found.sufficient is sufficient
    assert bool(found.recommended) is not sufficient


def test_what_the_bundle_does_not_have_is_not_waited_for() -> None:
    """T21: without a script and metadata a plan is possible; what is missing is told."""
    found = checked(catalogue_of(("log", "spark_event_log")), read=[LOG], findings=SHUFFLED)

    assert (found.sufficient, found.recommended) == (True, ())
    assert set(found.not_in_bundle) == {Information.SCRIPT_LOGIC, Information.DATA_VOLUME}


def test_a_script_that_was_read_in_vain_is_not_waited_for() -> None:
    """T21: nor read again."""
    broken = ArtefactRead(name="job.py", kind="pyspark_script", round=0, reason="test", problem="no Python")

    found = asked(read=[LOG, broken, TABLES], findings=SHUFFLED)

    assert found.sufficient
    assert Information.SCRIPT_LOGIC in found.not_in_bundle


def test_nobody_is_asked_for_what_was_read_already_and_did_not_tell() -> None:
    """With the event log read a user was asked for an event log, and with the script read for a script."""
    check = asked(read=[LOG, SCRIPT], findings=SKEWED).model_copy(
        update={"not_in_bundle": (Information.JOIN_DETAILS, Information.DATA_FLOW, Information.HOT_KEYS)}
    )
    heavy = check.model_copy(update={"needs": tuple(Need(information=told, weight=0.5) for told in check.not_in_bundle)})

    of_nothing_read = [shown(text) for text in wanted(heavy, KINDS, [], is_scope=False)]
    told = [shown(text) for text in wanted(heavy, KINDS, [LOG, SCRIPT], is_scope=False)]

    assert len(of_nothing_read) == 3
    assert len(told) == 1
    assert told[0].endswith("a report of skew or table metadata (tables.json).")


def test_nothing_is_recommended_when_nothing_would_help() -> None:
    """T22: and nothing measured is never enough."""
    found = checked(catalogue_of(("a.txt", "unknown"), ("b.bin", "never_heard_of"), ("c", "spark_event_log", 0)), description="skew")

    assert (found.sufficient, found.recommended) == (False, ())
    assert set(found.not_in_bundle) == {one.information for one in found.needs}


def test_a_second_artefact_that_tells_the_same_is_no_news() -> None:
    """T22: one of three executors' logs is enough, and the larger one is it."""
    logs = catalogue_of(("e1", "plain_log", 1000), ("e2", "plain_log", 2000), ("e3", "plain_log", 1000), ("log", "spark_event_log"))

    found = checked(logs, description="the job fails with an error, timeouts, 报错", findings=None)

    assert names(found) == ["log", "e2"]


def test_of_two_that_tell_the_same_the_cheaper_one_is_read() -> None:
    """T13: the same news for less time."""
    kinds = KINDS | {"slow_log": replace(KINDS["spark_event_log"], name="slow_log", cost_s=lambda size: 500.0)}

    assert names(checked(catalogue_of(("a", "slow_log"), ("b", "spark_event_log")), kinds=kinds)) == ["b"]


def test_a_large_log_that_tells_all_goes_before_small_files_that_tell_little() -> None:
    """T13: ten gigabytes take eight minutes; the round that a small file takes is not free either."""
    found = checked(catalogue_of(("log", "spark_event_log", 9 << 30), ("a.conf", "configuration"), ("w", "scope_warnings")))

    assert names(found) == ["log"]
    assert found.recommended[0].cost > 400


def test_an_artefact_that_the_user_names_goes_first_among_equals() -> None:
    """T11: the name is only compared, and never opened."""
    two = catalogue_of(("runs/app_1", "spark_event_log", 50_000), ("runs/app_2", "spark_event_log", 10_000))

    assert names(checked(two, description="see APP_2"))[0] == "runs/app_2"
    assert names(checked(two))[0] == "runs/app_1"
    assert first_reads(two, "see app_2", KINDS)[0].name == "runs/app_2"


def test_a_recommendation_has_the_documents_fields() -> None:
    """T13, T18."""
    best = asked().recommended[0]

    assert (best.name, best.kind, best.content_description) == (
        "log",
        "spark_event_log",
        "Spark 事件日志：各 Stage 的运行情况与 Shuffle 统计",
    )
    assert (best.requires_parser, best.parser) == (True, "parse_spark_event_log")
    assert 0 < best.relevance <= 1
    assert best.expected_information > 1
    assert best.cost == pytest.approx(0.05, abs=0.01)


def test_a_reason_names_what_is_told_and_which_hypothesis_it_settles() -> None:
    """T17: in both languages."""
    reason = asked(description="任务卡在199/200").recommended[0].reason
    english, chinese = shown(reason), shown(reason, "zh")

    assert english.startswith("It would show ")
    assert "decides the class" in english
    assert "H1 (data skew)" in english
    assert chinese.startswith("可得知")
    assert "H1（数据倾斜）" in chinese


def test_what_is_read_for_the_plan_alone_says_so_and_settles_nothing() -> None:
    """T17: the class is known and its hypotheses are settled; the heavy keys are still to be named."""
    (tables,) = asked(read=[LOG, SCRIPT], findings=SKEWED).recommended

    assert (tables.name, shown(tables.reason), tables.expected_information) == ("tables.json", "It would show which keys are heavy.", 0)
    assert tables.relevance == 1.0


def test_progress_has_four_aspects_for_the_named_classes_and_one_for_others() -> None:
    """T23."""
    done = asked(read=[LOG, SCRIPT, TABLES], findings=SKEWED).progress

    assert list(done.values()) == [1.0, 1.0, 1.0, 1.0]
    assert [len(asked(read=[LOG], findings=one).progress) for one in (SKEWED, SHUFFLED, findings_of())] == [4, 4, 1]
    assert list(asked(description="data skew").progress.values()) == [0, 0, 0, 0]
    assert list(asked(read=[LOG, SCRIPT], findings=SHUFFLED).progress) == list(Aspect)[:4]


JOIN = KeyCode(spots=(KeySpot(artefact="job.py", line=4, operation="join", text="join(b, 'k')", why="test"),))


def test_key_findings_of_skew_are_the_joins_and_how_data_is_spread() -> None:
    """T24: with the verdict's numbers, and none without reading."""
    found = asked(read=[LOG], findings=SKEWED, key_code=JOIN).key_findings

    assert [shown(one) for one in found] == [
        "The code joins in `join(b, 'k')` (line 4 of job.py).",
        "Data is spread unevenly over the tasks: Stage 4 has data_skew.",
    ]
    assert asked(description="数据倾斜 join 热点").key_findings == ()


def test_key_findings_of_shuffle_are_the_shuffles_and_the_stages() -> None:
    """T24: in Chinese."""
    found = asked(read=[LOG], findings=SHUFFLED, key_code=JOIN).key_findings

    assert shown(found[0], "zh") == "代码中的 shuffle 操作：`join(b, 'k')`（job.py 第 4 行）。"
    assert shown(found[1], "zh").startswith("shuffle 过多：")
    assert shown(found[2], "zh") == "已从 log 得知各 Stage 的运行情况。"


def test_the_check_says_which_profile_made_it() -> None:
    """T13."""
    assert asked().profile is RecommenderProfile.OURS


def test_where_nothing_was_measured_all_is_read_that_is_there() -> None:
    """`tables.json` beside a script was left unread, and called no file of a run."""
    unmeasured = catalogue_of(("job.py", "pyspark_script"), ("tables.json", "table_metadata"), ("n.txt", "unknown"))

    assert names(checked(unmeasured, [SCRIPT], findings_of())) == ["tables.json"]
    assert names(checked(unmeasured, [SCRIPT, TABLES], findings_of())) == []


def test_first_reads_begin_with_what_decides_the_class() -> None:
    """T9: then what its kind wants read first; metadata and plain logs can wait."""
    assert [one.name for one in first_reads(BUNDLE, "", KINDS)] == ["log", "job.py"]
    assert [one.name for one in first_reads(catalogue_of(("n.txt", "unknown")), "", KINDS)] == []
    assert "可确定问题类别" in shown(first_reads(BUNDLE, "", KINDS)[0].reason, "zh")


def test_words_decide_what_is_read_first() -> None:
    """T11: of files that each show one class, the one that the user speaks of."""
    files = catalogue_of(("keys", "skew_report"), ("shuffles", "shuffle_log"))

    assert first_reads(files, "疑似热点key", KINDS)[0].name == "keys"
    assert first_reads(files, "shuffle is huge", KINDS)[0].name == "shuffles"


def test_entropy_is_in_bits() -> None:
    """T13: four equal chances are two bits; scores need not sum to one."""
    assert entropy([1, 1, 1, 1]) == pytest.approx(2)
    assert entropy([0.5, 0.5]) == pytest.approx(1)
    assert (entropy([1, 0]), entropy([]), entropy([0])) == (0, 0, 0)


def test_that_nothing_is_wrong_is_said_only_after_the_shuffles_were_looked_at() -> None:
    """T21: a class that was supposed by the user's words and contradicted is no reason to stop reading."""
    statistics = read_of("log", "spark_event_log", Information.STAGE_RUNS, Information.RUN_METRICS, Information.DATA_DISTRIBUTION)
    two = catalogue_of(("log", "spark_event_log"), ("job.py", "pyspark_script"), ("shuffle.log", "shuffle_log"))

    found = checked(two, read=[statistics, SCRIPT], findings=findings_of())

    assert (found.sufficient, [one.name for one in found.recommended]) == (False, ["shuffle.log"])
