"""How many artefacts are read until the class is right: on the generated jobs, and on bundles that are mostly noise."""

from pathlib import Path
from statistics import mean

import pytest

from contracts.bundles import Catalogue, Information
from contracts.verdicts import TuningClass, VerdictKind
from tests.support.tune_bundles import KINDS, case_of, catalogue_of, verdict_of
from tests.support.tune_generated import generated_cases
from workers.kinds.tune.evaluation.reads import ReadCase, by_seed, ours, read_all, reads_until_right


def test_one_read_is_enough_for_the_class_of_every_generated_job(eval_data: Path) -> None:
    """T9, T26: the event log first; reading all takes three."""
    cases = generated_cases(eval_data / "spark_generated")

    assert {case.name: reads_until_right(case, ours(KINDS)) for case in cases} == {case.name: 1 for case in cases}
    assert {read_all(case) for case in cases} == {3}


SCOPE = (
    ("Algebra.xml", "scope_algebra"),
    ("CompilerTimers.xml", "scope_compiler_timers"),
    ("CompileOutput.txt", "scope_compile_output"),
    ("DataMap.json", "scope_data_flow"),
    ("ErrorLog.txt", "scope_warnings"),
    ("GeneratedCode.cs", "scope_generated_code"),
    ("InternalInfo.xml", "scope_internal_info"),
    ("JobStatistics.xml", "scope_job_statistics"),
    ("ScopeScript.script", "scope_script"),
    ("StreamInfo.xml", "scope_stream_info"),
)
SPARK = (
    ("a/driver.log", "plain_log", 4_000_000),
    ("a/executor-1.log", "plain_log", 9_000_000),
    ("a/executor-2.log", "plain_log", 9_000_000),
    ("app.conf", "configuration"),
    ("notes.txt", "unknown"),
    ("picture.bin", "unknown"),
    ("tables.json", "table_metadata"),
    ("x/application_1", "spark_event_log", 800_000_000),
    ("y/job.py", "pyspark_script"),
)
PARTED = (
    ("Algebra.xml", "scope_algebra"),
    ("CompileOutput.txt", "scope_compile_output"),
    ("DataMap.json", "scope_data_flow"),
    ("GeneratedCode.cs", "scope_generated_code"),
    ("InternalInfo.xml", "scope_internal_info"),
    ("RuntimeStatistics.xml", "scope_runtime_statistics"),
    ("StreamInfo.xml", "scope_stream_info"),
    ("Warnings.xml", "scope_warnings"),
    ("keys.csv", "skew_report"),
)
"""What tells the class lies in two of nine files."""
SKEW_NEEDS = frozenset({Information.DATA_DISTRIBUTION, Information.STAGE_RUNS})
SHUFFLE_NEEDS = frozenset({Information.SHUFFLE_STATISTICS})


def noisy_cases() -> list[ReadCase]:
    """Bundles of nine and ten artefacts of which one or two tell the class, with and without a clue in the user's words."""
    skew, shuffle, spill = (verdict_of(kind) for kind in (VerdictKind.DATA_SKEW, VerdictKind.SHUFFLE_VOLUME, VerdictKind.SPILL))
    told = [
        ("skew", TuningClass.DATA_SKEW, skew, SKEW_NEEDS, "the nightly job is slow"),
        ("skew, said", TuningClass.DATA_SKEW, skew, SKEW_NEEDS, "stage 4 卡在 199/200，怀疑数据倾斜"),
        ("shuffle", TuningClass.EXCESS_SHUFFLE, shuffle, SHUFFLE_NEEDS, "每天的作业越来越慢"),
        ("shuffle, said", TuningClass.EXCESS_SHUFFLE, shuffle, SHUFFLE_NEEDS, "shuffle过多"),
        ("other", TuningClass.OTHER, spill, frozenset({Information.RUN_METRICS}), "it spills"),
    ]
    return [
        case_of(f"{engine}, {name}", catalogue_of(*files), right, [verdict], needs, description)
        for engine, files in (("scope", SCOPE), ("spark", SPARK), ("parted", PARTED))
        for name, right, verdict, needs, description in told
    ]


def test_of_many_artefacts_ours_reads_what_tells_the_class_and_not_the_noise() -> None:
    """T9, T13, T26: three reads at most; the seed's profile, and reading all, take several times as many."""
    cases = noisy_cases()

    by_ours = {case.name: reads_until_right(case, ours(KINDS)) for case in cases}
    seed = {case.name: reads_until_right(case, by_seed(KINDS)) for case in cases}
    everything = {case.name: read_all(case) for case in cases}

    assert all(count is not None and count <= 3 for count in by_ours.values()), by_ours
    assert 3 * _mean(by_ours) < _mean(seed) < _mean(everything), (by_ours, seed, everything)


def _mean(counts: dict[str, int | None]) -> float:
    return mean(count for count in counts.values() if count is not None)


def test_a_bundle_without_anything_measured_ends_without_an_answer() -> None:
    """T26: bounded: each artefact is read once, and then it is over."""
    case = case_of("hopeless", catalogue_of(("a.txt", "unknown"), ("b.txt", "unknown")), TuningClass.DATA_SKEW, [], frozenset())

    assert reads_until_right(case, ours(KINDS)) is None
    assert read_all(case) is None


def test_a_class_by_words_alone_counts_as_no_answer() -> None:
    """T2: however right it happens to be."""
    case = case_of(
        "lucky",
        catalogue_of(("job.py", "pyspark_script")),
        TuningClass.DATA_SKEW,
        [verdict_of(VerdictKind.DATA_SKEW)],
        SKEW_NEEDS,
        "data skew, I am sure",
    )

    assert reads_until_right(case, ours(KINDS)) is None


def test_a_chooser_that_names_what_is_not_there_still_ends() -> None:
    """T26: and pays for reading on in the catalogue's order."""
    case = noisy_cases()[0]

    counted = reads_until_right(case, lambda case, revealed: ["/etc/passwd", "JobStatistics.xml/../x"])

    assert counted == [one.name for one in case.catalogue.artefacts].index("JobStatistics.xml") + 1


@pytest.mark.parametrize("empty", [Catalogue(bundle="b", content_hash="0")])
def test_an_empty_bundle_takes_no_read(empty: Catalogue) -> None:
    """T26."""
    assert reads_until_right(case_of("empty", empty, TuningClass.DATA_SKEW, [], frozenset()), ours(KINDS)) is None
