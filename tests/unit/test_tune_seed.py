"""The `seed` profile of the recommender: every score computed by hand, and its faults, which ours must not have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.tune.request import RecommenderProfile
from contracts.tune.steps import InformationCheck
from contracts.verdicts import TuningClass
from tests.support.said import said as shown
from tests.support.tune_bundles import KINDS, catalogue_of
from workers.kinds.tune.seed import check
from workers.kinds.tune.seed.choosing import (
    DescribedFile,
    files_of,
    missing_information,
    reason,
    recommend,
    relevance,
)
from workers.kinds.tune.seed.feedback import WORDS, judge
from workers.kinds.tune.seed.vocabulary import ASPECTS, OFFERED_BY, PRESENT_BY, REQUIRED, SUFFICIENT_WITH

SKEW, SHUFFLE, OTHER = "数据倾斜", "过多Shuffle", "其他"

FILES = (
    DescribedFile("文件1", "用户原始脚本"),
    DescribedFile("文件2", "DAG中每个stage的运行情况", "parser_file2"),
    DescribedFile("文件3", "数据倾斜统计报告", "parser_file3"),
    DescribedFile("文件4", "Shuffle操作性能日志"),
)
"""The document's own example."""


def names(problem_type: str, analysis: str = "") -> list[str]:
    return [one.name for one in recommend(problem_type, FILES, analysis)]


def test_each_word_that_a_description_shares_with_what_is_missing_scores_a_fifth() -> None:
    """T14, T16."""
    skew, shuffle = REQUIRED[SKEW], REQUIRED[SHUFFLE]

    assert [relevance(one.description, skew) for one in FILES] == [0.2, 0.0, 0.4, 0.0]
    assert [relevance(one.description, shuffle) for one in FILES] == [0.2, 0.4, 0.0, 0.2]


@given(
    st.text(alphabet="脚本代码逻辑算法joinstage阶段运行执行分布倾斜热点统计连接关联 ", max_size=200),
    st.sampled_from([SKEW, SHUFFLE, OTHER]),
)
def test_a_score_stays_between_zero_and_one(description: str, problem_type: str) -> None:
    """T14: five words and more are 1.0."""
    missing = missing_information(problem_type, "")

    assert 0 <= relevance(description, missing) <= 1


def test_every_word_of_six_types_scores_one_and_no_more() -> None:
    """T14."""
    assert relevance(" ".join(word for words in OFFERED_BY.values() for word in words), tuple(OFFERED_BY)) == 1.0


def test_recommendations_have_the_documents_fields_and_come_best_first() -> None:
    """T12, T13, T18."""
    files = (DescribedFile("low", "脚本 代码"), DescribedFile("high", "数据倾斜统计报告 热点", "parse_skew"))

    best, second = recommend(SKEW, files, "")

    assert (best.name, best.content_description, best.relevance) == ("high", "数据倾斜统计报告 热点", 0.6)
    assert (best.requires_parser, best.parser) == (True, "parse_skew")
    assert (second.name, second.relevance, second.requires_parser, second.parser) == ("low", 0.4, False, None)


def test_what_the_analysis_has_words_for_is_no_longer_missing() -> None:
    """T15."""
    assert missing_information(SKEW, "") == REQUIRED[SKEW]
    assert "Join操作详情" not in missing_information(SKEW, "a JOIN of two tables")
    assert missing_information(OTHER, "") == ()


def test_reasons_are_joined_and_have_a_fallback() -> None:
    """T17."""
    both = reason("脚本与数据分布", REQUIRED[SKEW])

    assert shown(both, "zh").count("。") == 2
    assert shown(reason("脚本", REQUIRED[SKEW]), "zh") in shown(both, "zh")
    assert "Stage" in shown(reason("各stage", REQUIRED[SHUFFLE]), "zh")
    assert shown(reason("其他文件", REQUIRED[SKEW]), "zh") == "可能包含相关分析信息。"


def test_four_items_are_required_and_three_are_enough() -> None:
    """T21: 0.75 reaches 0.7, 0.5 does not."""
    three = judge(SKEW, "脚本 join 分布", FILES, [])
    two = judge(SKEW, "脚本 join", FILES, [])

    assert (three.score, three.sufficient) == (0.75, True)
    assert (two.score, two.sufficient) == (0.5, False)
    assert [len(SUFFICIENT_WITH[one]) for one in (SKEW, SHUFFLE)] == [4, 4]


def test_nothing_is_required_of_other_problems() -> None:
    """T21: so they are sufficient from the first word on."""
    check = judge(OTHER, "", FILES, [])

    assert (check.score, check.sufficient, check.recommended) == (1.0, True, ())


def test_the_next_files_are_at_most_three_unread_ones() -> None:
    """T22."""
    files = tuple(DescribedFile(f"f{n}", "数据倾斜统计报告") for n in range(6))

    check = judge(SKEW, "", files, ["f0", "f2"])

    assert [one.name for one in check.recommended] == ["f1", "f3", "f4"]
    assert check.profile is RecommenderProfile.SEED


def test_progress_has_four_aspects_for_the_named_types_and_one_for_others() -> None:
    """T23."""
    assert [len(judge(one, "", FILES, []).progress) for one in (SKEW, SHUFFLE, OTHER)] == [4, 4, 1]
    assert judge(SKEW, "脚本理解、问题定位都已完成", FILES, []).progress == dict(zip(ASPECTS[SKEW], (1, 1, 0, 0), strict=True))


@pytest.mark.parametrize(
    ("problem_type", "content", "count"),
    [(SKEW, "a JOIN b", 1), (SKEW, "join, 热点", 2), (SHUFFLE, "Shuffle of Stage 3", 2), (SHUFFLE, "重分区", 1), (OTHER, "join stage", 0)],
)
def test_key_findings_are_by_the_words_of_the_file(problem_type: str, content: str, count: int) -> None:
    """T24."""
    assert len(judge(problem_type, "", FILES, [], content).key_findings) == count


def test_the_description_of_a_file_is_its_kinds() -> None:
    """T12: prior knowledge maps a file to what it holds."""
    files = files_of(catalogue_of(("x", "skew_report"), ("y", "unheard_of")), KINDS)

    assert [(one.description, one.parser) for one in files] == [("数据倾斜统计报告", "parse_skew_report"), ("", None)]


def test_defect_the_users_script_is_never_recommended() -> None:
    """T14: one fitting word scores 0.2, and 0.3 has to be passed."""
    assert "文件1" not in [*names(SKEW), *names(SHUFFLE)]


def test_defect_the_shuffle_log_is_not_recommended_for_excess_shuffle() -> None:
    """T14."""
    assert (names(SKEW), names(SHUFFLE)) == (["文件3"], ["文件2"])


def test_defect_half_of_the_types_have_no_words() -> None:
    """T15, T16: three of skew and two of shuffle can neither be offered nor satisfied."""
    without = {one: [need for need in needs if need not in OFFERED_BY] for one, needs in REQUIRED.items()}

    assert without == {SKEW: ["分区策略", "热点键分析", "运行性能指标"], SHUFFLE: ["算子使用情况", "数据流转路径"]}
    assert set(without[SKEW]) <= set(missing_information(SKEW, "分区策略 热点键分析 运行性能指标 " * 3))


def test_defect_two_vocabularies_and_an_item_that_nothing_satisfies() -> None:
    """T21: `数据流` has no words, so shuffle never scores more than three quarters."""
    every_word = " ".join(word for words in PRESENT_BY.values() for word in words) + " 数据流"

    assert set(SUFFICIENT_WITH[SKEW]) & set(REQUIRED[SKEW]) == {"用户脚本逻辑"}
    assert judge(SHUFFLE, every_word, FILES, []).score == 0.75


def test_defect_the_users_own_question_makes_information_present() -> None:
    """T21: nothing was read, and the profile has enough."""
    asked: InformationCheck = check(
        TuningClass.DATA_SKEW, "我的脚本里有join，怀疑数据倾斜，耗时很长", catalogue_of(("log", "spark_event_log")), [], KINDS
    )

    assert (asked.sufficient, asked.score, asked.recommended) == (True, 1.0, ())
    assert {one.present_in for one in asked.needs} == {(WORDS,)}
