"""What parsers note in English, for a Chinese reader."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.bundles import ArtefactRead
from contracts.code import ScriptFacts
from contracts.tune.plan import TuningPlan
from contracts.tune.steps import Classification
from contracts.verdicts import Figure, Severity, Unit, Verdict, VerdictKind
from tests.support.tuning import run_of
from workers.kinds.tune.rules.classify import classify
from workers.kinds.tune.rules.findings import find
from workers.kinds.tune.rules.known import NOTHING_MEASURED
from workers.kinds.tune.rules.notes_zh import in_chinese
from workers.kinds.tune.rules.scope_findings import find_scope
from workers.kinds.tune.rules.summarise import report
from workers.kinds.tune.rules.wording import figure_name, summary

CHINESE = re.compile("[\u4e00-\u9fff]")
ENGLISH = re.compile(r"\b(?:the|of|it|was|were|cannot|and|none)\b", re.IGNORECASE)


@pytest.mark.parametrize(
    ("note", "chinese"),
    [
        (
            "Spark 3.5.9 on local: 4 jobs, 9 stages, 114 tasks in 150.5 s.",
            "Spark 3.5.9（本地模式）：4 个 job，9 个 Stage，114 个 task，共 150.5 秒。",
        ),
        (
            "4 stages in 71 min, longest SV3_Combine with 58 min, skewed tasks: 1 (SV3_Combine), metrics exceeded: 1 of 3",
            "4 个 Stage，共 71 分钟，最长的是 SV3_Combine，用了 58 分钟，倾斜的 task：1 个（SV3_Combine），3 项指标中 1 项超限。",
        ),
        ("1 table, 1 row in all.", "1 张表，共 1 行。"),
        ("1 vertex; most memory: SV1; most time: SV2", "1 个 vertex；内存最多：SV1；用时最多：SV2"),
        (
            "SCOPE, 20 lines, 5 statements: 2 read, 1 join, 1 custom",
            "SCOPE，20 行，5 条语句：2 个读取，1 个 join，1 个 custom。",
        ),
        (
            "driver.log: 9 lines, 1 error, 0 warnings; out of memory in 3 lines, stage aborted in 1 line.",
            "driver.log：9 行，1 条错误，0 条警告；内存不足（OOM）3 行，Stage 中止 1 行。",
        ),
        (
            "It breaks off (a/log: its last line breaks off; b: it ends within a zstd frame).",
            "内容中断（a/log：最后一行不完整；b：压缩数据在中途结束）。",
        ),
        ("2 warnings: PageOf is user code.", "2 条告警：PageOf is user code."),
        ("It is empty.", "文件为空。"),
        (
            "big.log: It is 9.0 GiB, more than the 4.0 GiB that are taken. Give the part that matters.",
            "big.log：大小为 9.0 GiB，超过 4.0 GiB 的上限。请只提供有用的部分。",
        ),
        ("event log, stage 4, task metrics", "事件日志，Stage 4 的 task 指标"),
        ("Script: No script was given. Lines cannot be named.", "脚本：没有提供脚本。无法指出是哪一行。"),
        ("17 lines, {0} operations", "17 lines, {0} operations"),
    ],
)
def test_a_note_is_told_in_chinese_and_what_is_not_ours_stays(note: str, chinese: str) -> None:
    """T27."""
    assert in_chinese(note) == chinese


@given(st.text(max_size=300))
def test_any_text_goes_over_without_an_error_and_names_stay_in_it(text: str) -> None:
    """T26: a name or a log line with braces or brackets is no template."""
    assert isinstance(in_chinese(text), str)
    if text.strip() and "\n" not in text:
        assert text in in_chinese(f"Error: {text}")


def test_what_is_not_known_is_told_in_chinese_whatever_is_missing() -> None:
    """T27: no word of English is left in what a Chinese report says of its gaps."""
    missing = {*find(run_of()).not_known, *find(run_of(), ScriptFacts(unreadable="The script is longer than 9 characters.")).not_known}
    missing |= {*find_scope(()).not_known, NOTHING_MEASURED, "7 verdicts beyond the 20 heaviest of their kind are left out."}

    for note in missing:
        assert CHINESE.search(in_chinese(note)), note
        assert not ENGLISH.search(in_chinese(note)), in_chinese(note)


def test_a_report_tells_its_reader_what_was_read_in_their_language() -> None:
    """T27."""
    found = classify((), ("Data flow: none was read. The volume of the shuffles cannot be named.",))
    read = ArtefactRead(name="job.py", kind="pyspark_script", round=0, reason="x", summary="", problem="It is empty.")
    told = {
        language: report(
            found, Classification(tuning_class=found.tuning_class, scores=found.scores), TuningPlan(), language=language, read=[read]
        )
        for language in ("en", "zh")
    }

    assert (told["en"].read[0].problem, told["zh"].read[0].problem) == ("It is empty.", "文件为空。")
    assert told["zh"].not_known == ("数据流：没有读到，无法给出 shuffle 的数据量。",)


def test_a_verdict_without_a_sentence_names_its_figures() -> None:
    """T27: a headline that says the class twice says nothing."""
    figures = (Figure(name="out of memory", value=2, unit=Unit.COUNT, source="driver.log, line 3"),)
    failed = Verdict(kind=VerdictKind.FAILURES, severity=Severity.PROBLEM, share=0.5, summary="The log reports.", figures=figures)
    exceeded = failed.model_copy(
        update={"kind": VerdictKind.EXCEEDED_LIMIT, "figures": (Figure(name="SkewRatio", value=9, unit=Unit.RATIO, source="x"),)}
    )

    assert summary(failed, "zh") == "内存不足（OOM）：2。"
    assert summary(exceeded, "zh") == "SkewRatio 被引擎标为超限，数值为 9 倍。"
    assert (
        figure_name(Figure(name="tasks that the engine calls skewed", value=1, unit=Unit.TASKS, source="x"), "zh") == "引擎标为倾斜的 task"
    )
