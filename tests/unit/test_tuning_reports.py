"""Verdicts without an event log: what reports, tables and plain logs say, each figure with its artefact and line."""

from pathlib import Path

import workers.kinds  # noqa: F401  registers the texts of the libraries
from contracts.artefacts import ConfigurationFacts, LogFacts, ShuffleLog, SkewReport, StageTable
from contracts.base import Contract
from contracts.verdicts import Severity, Verdict, VerdictKind
from workers.bundles.registry import load_kinds
from workers.engines.artefacts.kinds import ArtefactSource
from workers.engines.spark.verdicts.reports import judge_reports
from workers.saying import text_of

KINDS = load_kinds(())


def judged(tmp_path: Path, **texts: str) -> tuple[Verdict, ...]:
    """What is said of these artefacts, by kind."""
    facts: list[Contract] = []
    for kind, text in texts.items():
        path = tmp_path / kind
        path.write_text(text, encoding="utf-8")
        facts += KINDS[kind].parse(ArtefactSource(f"{kind}.txt", path, path.stat().st_size)).facts
    return judge_reports(
        stage_tables=[fact for fact in facts if isinstance(fact, StageTable)],
        skew_reports=[fact for fact in facts if isinstance(fact, SkewReport)],
        shuffle_logs=[fact for fact in facts if isinstance(fact, ShuffleLog)],
        logs=[fact for fact in facts if isinstance(fact, LogFacts)],
        configurations=[fact for fact in facts if isinstance(fact, ConfigurationFacts)],
    )


def said(verdicts: tuple[Verdict, ...]) -> list[tuple[VerdictKind, Severity, tuple[int, ...]]]:
    return [(verdict.kind, verdict.severity, verdict.stage_ids) for verdict in verdicts]


def test_a_hot_key_is_data_skew_with_column_key_and_line(tmp_path: Path) -> None:
    """T2."""
    (verdict,) = judged(
        tmp_path, skew_report="table,column,key,rows,share\norders,customer_id,-1,570000,38%\norders,customer_id,7,20,0.0%\n"
    )

    assert said((verdict,)) == [(VerdictKind.DATA_SKEW, Severity.PROBLEM, ())]
    assert [(key.value, key.rows, key.share, key.is_sentinel) for key in verdict.blame.keys] == [("-1", 570_000, 0.38, True)]
    assert verdict.blame.columns[0].column == "customer_id"
    assert text_of(verdict.figures[0].source, "en") == "skew_report.txt, line 2"


def test_even_keys_and_small_tables_are_no_skew(tmp_path: Path) -> None:
    assert judged(tmp_path, skew_report="column,key,rows,share\nid,1,50000,0.1%\nid,2,49000,0.1%\n") == ()
    assert judged(tmp_path, skew_report="column,key,rows,share\nid,1,90,90%\nid,2,10,10%\n") == ()


def test_a_heavy_partition_is_skew_by_bytes(tmp_path: Path) -> None:
    rows = "".join(f"3,{number},{'2 GB' if number == 0 else '10 MB'}\n" for number in range(8))

    (verdict,) = judged(tmp_path, skew_report="stage,partition,size\n" + rows)

    assert said((verdict,)) == [(VerdictKind.DATA_SKEW, Severity.PROBLEM, (3,))]
    assert verdict.figures[2].value > 100


def test_uneven_bytes_are_a_problem_and_uneven_times_alone_a_hint(tmp_path: Path) -> None:
    by_bytes = judged(tmp_path, stage_table="stage,duration (s),tasks,max task bytes,median task bytes\n3,60,200,2 GB,10 MB\n")
    by_time = judged(tmp_path, stage_table="stage,duration (s),tasks,max task time (s),median task time (s)\n3,60,200,55,1\n")

    assert said(by_bytes) == [(VerdictKind.DATA_SKEW, Severity.PROBLEM, (3,))]
    assert said(by_time) == [(VerdictKind.DATA_SKEW, Severity.HINT, (3,))]
    assert "straggler" in text_of(by_time[0].summary, "en")


def test_uneven_times_with_even_bytes_are_no_skew(tmp_path: Path) -> None:
    table = "stage,duration (s),tasks,max task bytes,median task bytes,max task time (s),median task time (s)\n3,60,200,11 MB,10 MB,55,1\n"

    assert judged(tmp_path, stage_table=table) == ()


def test_a_stage_of_few_tasks_is_never_skewed(tmp_path: Path) -> None:
    assert judged(tmp_path, stage_table="stage,duration (s),tasks,max task time (s),median task time (s)\n3,60,2,55,1\n") == ()


def test_shuffling_much_more_than_is_read_is_said_with_both(tmp_path: Path) -> None:
    """T3."""
    header = "stage,duration (s),tasks,input,shuffle write\n"

    much = judged(tmp_path, stage_table=header + "0,10,8,1 GB,2 GB\n1,50,8,,3 GB\n")
    usual = judged(tmp_path, stage_table=header + "0,10,8,5 GB,2 GB\n1,50,8,,3 GB\n")
    unknown = judged(tmp_path, stage_table=header + "0,10,8,,2 GB\n1,50,8,,3 GB\n")

    assert said(much) == [(VerdictKind.SHUFFLE_VOLUME, Severity.PROBLEM, (0, 1))]
    assert much[0].figures[2].value == 5.0
    assert usual == unknown == ()


def test_a_shuffle_log_is_weighed_against_the_input_of_a_stage_table(tmp_path: Path) -> None:
    alone = judged(tmp_path, shuffle_log="Stage 1: shuffle write: 5 GB\n")
    both = judged(tmp_path, shuffle_log="Stage 1: shuffle write: 5 GB\n", stage_table="stage,duration (s),tasks,input\n0,10,8,1 GB\n")

    assert alone == ()
    assert said(both) == [(VerdictKind.SHUFFLE_VOLUME, Severity.PROBLEM, (1,))]


def test_spill_and_gc_of_a_stage_table_are_said(tmp_path: Path) -> None:
    table = "stage,duration (s),tasks,task time (s),gc time (s),shuffle read,disk spill\n3,60,200,600,200,1 GB,2 GB\n4,1,2,2,0,1 MB,0\n"

    assert {verdict.kind for verdict in judged(tmp_path, stage_table=table)} == {VerdictKind.SPILL, VerdictKind.GC_PRESSURE}


def test_a_plain_log_tells_why_it_failed_and_with_which_memory(tmp_path: Path) -> None:
    log = "24/01/31 10:00:00 INFO Main: up\n24/01/31 10:00:02 ERROR Executor: java.lang.OutOfMemoryError: Java heap space\n"

    (verdict,) = judged(tmp_path, plain_log=log, configuration="spark.executor.memory 4g\nspark.executor.cores 4\n")

    assert said((verdict,)) == [(VerdictKind.FAILURES, Severity.PROBLEM, ())]
    assert "spark.executor.memory = 4g" in text_of(verdict.summary, "en")
    assert text_of(verdict.figures[0].source, "en") == "plain_log.txt, line 2"


def test_a_single_lost_connection_is_a_hint(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, plain_log="24/01/31 10:00:00 WARN Channel: Connection reset by peer\n")

    assert [verdict.severity for verdict in verdicts] == [Severity.HINT]


def test_a_log_of_a_good_run_says_nothing(tmp_path: Path) -> None:
    assert judged(tmp_path, plain_log="24/01/31 10:00:00 INFO Main: up\n24/01/31 10:00:01 ERROR Ui: port in use\n") == ()


def test_what_two_files_say_is_not_counted_twice(tmp_path: Path) -> None:
    verdicts = judged(
        tmp_path,
        skew_report="stage,tasks,max bytes,median bytes\n3,200,2 GB,10 MB\n",
        stage_table="stage,duration (s),tasks,max task bytes,median task bytes\n3,60,200,2 GB,10 MB\n",
    )

    assert said(verdicts) == [(VerdictKind.DATA_SKEW, Severity.PROBLEM, (3,))]
    assert text_of(verdicts[0].figures[0].source, "en").startswith("skew_report.txt")
