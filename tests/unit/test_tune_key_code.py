"""Which places in the code are shown, and why."""

from contracts.tune.steps import Classification
from contracts.verdicts import Blame, ColumnRef, ScriptSpot, Severity, TuningClass, VerdictKind
from tests.support.said import said as shown
from tests.support.tune_bundles import catalogue_of, findings_of, read_of, verdict_of
from workers.engines.code.python_script import read_script
from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.first_look import classification, classify_by_words
from workers.kinds.tune.rules.key_code import key_code

TEXT = """from pyspark.sql import functions as F
orders = spark.table("orders")
customers = spark.table("customers")
joined = orders.join(customers, "customer_id")
sums = joined.groupBy("region").agg(F.sum("amount"))
pairs = orders.crossJoin(customers)
sums.write.parquet("/out")
"""
SCRIPT = NamedScript("job.py", read_script(TEXT), TEXT)
READ = [read_of("log", "spark_event_log")]
WORDS = classify_by_words("", (), catalogue_of())


def measured(*verdicts: object) -> Classification:
    return classification(findings_of(*verdicts), WORDS, READ)  # pyright: ignore[reportArgumentType]


def at(line: int, operation: str, text: str) -> Blame:
    return Blame(spots=(ScriptSpot(line=line, operation=operation, text=text),), columns=(ColumnRef(table="orders", column="customer_id"),))


JOIN = at(4, "join", "join(customers, 'customer_id')")
GROUP = at(5, "group", "groupBy('region')")


def test_the_place_of_the_heaviest_problem_comes_first_with_its_share() -> None:
    """T6: the class's own problems before others, problems before hints."""
    verdicts = (
        verdict_of(VerdictKind.SPILL, 0.2, blame=GROUP),
        verdict_of(VerdictKind.DATA_SKEW, 0.4, blame=JOIN),
        verdict_of(VerdictKind.BROADCASTABLE_JOIN, 0.6, Severity.HINT, blame=JOIN),
    )

    found = key_code(findings_of(*verdicts), [SCRIPT], measured(*verdicts))

    assert [(one.line, one.share, one.stage_ids) for one in found.spots] == [(4, 0.4, (4,)), (5, 0.2, (4,))]
    assert found.spots[0].why == "Stage 4 has data_skew."
    assert found.spots[0].columns == (ColumnRef(table="orders", column="customer_id"),)


def test_the_lines_around_a_place_are_shown_as_they_stand() -> None:
    """T6."""
    verdict = verdict_of(VerdictKind.DATA_SKEW, blame=JOIN)

    (spot,) = key_code(findings_of(verdict), [SCRIPT], measured(verdict)).spots

    assert (spot.artefact, spot.excerpt_from) == ("job.py", 2)
    assert spot.excerpt == tuple(TEXT.split("\n")[1:6])
    assert spot.excerpt[spot.line - spot.excerpt_from] == 'joined = orders.join(customers, "customer_id")'


def test_of_several_scripts_the_one_that_has_the_operation_is_named() -> None:
    """T6."""
    other = NamedScript("other.py", read_script("x = 1\n"), "x = 1\n")
    verdict = verdict_of(VerdictKind.DATA_SKEW, blame=JOIN)

    (spot,) = key_code(findings_of(verdict), [other, SCRIPT], measured(verdict)).spots

    assert spot.artefact == "job.py"


def test_without_a_run_the_places_are_by_what_such_code_leads_to() -> None:
    """T6: in both languages; no share is claimed."""
    found = key_code(None, [SCRIPT], WORDS)

    assert [(one.line, one.share) for one in found.spots[:2]] == [(6, 0), (4, 0)]
    assert "a cross join" in shown(found.spots[0].why)
    assert "笛卡尔积" in shown(found.spots[0].why, "zh")
    assert shown(found.not_known[0]).startswith("No run was read")
    assert shown(found.not_known[0], "zh").startswith("没有读到运行数据")


def test_a_run_whose_verdicts_reach_no_line_says_so() -> None:
    """T6."""
    verdict = verdict_of(VerdictKind.GC_PRESSURE)

    found = key_code(findings_of(verdict), [SCRIPT], measured(verdict))

    assert shown(found.not_known[0]).startswith("No finding of the run could be traced to a line")


def test_without_a_readable_script_there_are_no_places() -> None:
    """T6: and the reason is told."""
    broken = NamedScript("bad.py", read_script("def ("), "def (")

    assert shown(key_code(None, [], WORDS).not_known[0]) == "No script was read, so no line can be named."
    assert key_code(None, [broken], WORDS).spots == ()
    assert shown(key_code(None, [broken], WORDS).not_known[0]).startswith("bad.py: The script is no Python")


def test_a_line_beyond_the_text_has_the_last_lines_around_it() -> None:
    """T6: a script that was changed after the run raises nothing."""
    verdict = verdict_of(VerdictKind.DATA_SKEW, blame=at(900, "join", "join(x)"))

    (spot,) = key_code(findings_of(verdict), [SCRIPT], measured(verdict)).spots

    assert spot.line == 900
    assert spot.excerpt == tuple(TEXT.split("\n")[-3:])


def test_notes_point_at_no_code() -> None:
    """T6: they name no fault."""
    note = verdict_of(VerdictKind.WARM_UP, severity=Severity.NOTE, blame=JOIN)

    found = key_code(findings_of(note), [SCRIPT], measured(note))

    assert measured(note).tuning_class is TuningClass.NONE
    assert all(one.share == 0 for one in found.spots)
