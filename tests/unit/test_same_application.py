"""Whether a script is of the application of a log, and that a place is of a kind that can make the plan's operator."""

import pytest

from contracts.artefacts import LogFacts, LoggedFrame
from contracts.spark import RunFacts, SqlExecution
from tests.support.advice import script_of
from tests.support.said import said
from tests.support.tuning import plan_of, run_of, stage_of
from workers.engines.code.scala_script import read_scala
from workers.engines.scripts.given import NamedScript
from workers.engines.spark.eventlog.configuration import main_file
from workers.engines.spark.same_application import LoggedApplication, OtherApplication, misfit
from workers.kinds.tune.rules.findings import find
from workers.kinds.tune.rules.known import of_another

HEADER = "from pyspark.sql import SparkSession\n"
STOCK = 'spark = SparkSession.builder.appName("{name}").getOrCreate()\nstock = spark.read.parquet("/in/stock")\n'


def joined(key: str = "shelf", *, kind: str = "Inner", table: str = "parcels") -> SqlExecution:
    return plan_of(
        (0, f"SortMergeJoin [{key}#1L], [{key}#2L], {kind}", {}, (2,)),
        (1, f"Exchange hashpartitioning({key}#1L, 10), ENSURE_REQUIREMENTS", {}, (0, 2)),
        (2, f"FileScan parquet [{key}#1L,weight#3] Batched: true, Location: InMemoryFileIndex(1 paths)[file:/w/{table}]", {}, (0,)),
        (1, f"Exchange hashpartitioning({key}#2L, 10), ENSURE_REQUIREMENTS", {}, (1, 2)),
        (2, f"FileScan parquet [{key}#2L] Batched: true, Location: InMemoryFileIndex(1 paths)[file:/w/depots]", {}, (1,)),
    )


def logged(name: str = "parcel-report", execution: SqlExecution | None = None, **given: object) -> LoggedApplication:
    run = run_of(stage_of(2, [60_000, *[1_000] * 9], execution_id=0), executions=[execution or joined()], app_name=name)
    return LoggedApplication.of_run(run.model_copy(update=given))


def script(text: str, name: str = "job.py") -> NamedScript:
    return script_of(HEADER + text, name)


OTHER = script(STOCK.format(name="stock-count") + 'stock.groupBy("aisle").count().show()\n')
"""Neither its name nor its tables and columns are in the log."""


def test_a_script_of_another_name_and_other_data_is_of_another_application() -> None:
    assert misfit(logged(), OTHER) == OtherApplication("job.py", "stock-count", "parcel-report")


def test_short_names_of_columns_that_any_script_has_do_not_make_it_the_same() -> None:
    text = STOCK.format(name="stock-count") + 'a = stock.select("a")\nb = stock.select("b")\na.crossJoin(b).count()\n'
    execution = plan_of((0, "SortMergeJoin [a#1L], [b#2L], Inner", {}, (2,)), (1, "Scan ExistingRDD[a#1L,b#2L]", {}, (0,)))

    assert misfit(logged("Profiling Tool Unit Tests", execution), script(text)) is not None


@pytest.mark.parametrize(
    "text",
    [
        STOCK.format(name="parcel-report"),
        STOCK.format(name="Parcel-Report"),
        STOCK.format(name="parcel"),
        'NAME = "parcel-report"\nspark = SparkSession.builder.appName(NAME).getOrCreate()\nspark.read.parquet("/x").count()\n',
        'spark = SparkSession.builder.appName("renamed").getOrCreate()\nspark.read.parquet("/w/parcels").groupBy("n").count().show()\n',
        'spark = SparkSession.builder.appName("renamed").getOrCreate()\nf = spark.table(T)\nf.select("shelf", "weight").show()\n',
        'spark = SparkSession.builder.getOrCreate()\nspark.read.parquet(PATH).groupBy("shelf").count().show()\n',
        "spark = SparkSession.builder.getOrCreate()\nspark.read.parquet(PATH).repartition(8).write.parquet(OUT)\n",
    ],
)
def test_a_script_with_the_same_name_or_data_or_nothing_to_compare_is_of_the_log(text: str) -> None:
    assert misfit(logged(), script(text)) is None


def test_a_script_without_a_name_needs_a_column_or_a_table_of_the_plan() -> None:
    text = 'spark = SparkSession.builder.getOrCreate()\nspark.read.parquet("/in/stock").groupBy("aisle").count().show()\n'
    found = misfit(logged(), script(text))

    assert found is not None
    assert "names no table and no column" in said(of_another(found))


@pytest.mark.parametrize("name", ["Spark shell", "Databricks Shell", "PySparkShell", "Zeppelin", "livy-session-4"])
def test_a_name_that_a_platform_gives_says_nothing(name: str) -> None:
    text = STOCK.format(name="renamed") + 'spark.read.parquet(PATH).groupBy("weight").count().show()\n'

    assert misfit(logged(name), script(text)) is None


def test_the_submitted_file_and_those_that_stages_name_are_of_the_application() -> None:
    by_stage = run_of(stage_of(1, [1_000], name="count at /srv/jobs/job.py:12"), app_name="parcel-report")

    assert misfit(logged(main_file="job.py"), OTHER) is None
    assert misfit(LoggedApplication.of_run(by_stage), OTHER) is None
    assert misfit(logged(main_file="parcels.py"), OTHER) is not None


def test_a_plain_log_names_its_application_and_its_files() -> None:
    log = LogFacts(name="driver.log", lines=9, errors=0, warnings=0, application="parcel-report")
    traced = log.model_copy(update={"frames": (LoggedFrame(file="job.py", line=3),)})

    assert misfit(LoggedApplication.of_logs([log]), OTHER) is not None
    assert misfit(LoggedApplication.of_logs([traced]), OTHER) is None
    assert misfit(LoggedApplication.of_logs([]), OTHER) is None


def test_scala_is_compared_as_well() -> None:
    text = (
        'val spark = SparkSession.builder.appName("stock-count").getOrCreate()\nval a = spark.table("stock")\na.groupBy($"aisle").count()\n'
    )
    same = text.replace("stock-count", "any").replace("aisle", "weight").replace('"stock"', '"parcels"')

    assert misfit(logged(), NamedScript("a.scala", read_scala(text), text)) is not None
    assert misfit(logged(), NamedScript("a.scala", read_scala(same), same)) is None


@pytest.mark.parametrize(
    ("command", "properties", "wanted"),
    [
        (
            "org.apache.spark.deploy.SparkSubmit --master yarn --py-files a.py,b.py --conf spark.x=c.py /srv/jobs/night.py --day 1",
            {},
            "night.py",
        ),
        ("org.apache.spark.deploy.SparkSubmit --class com.acme.Main app.jar", {}, ""),
        ("", {"spark.yarn.primary.py.file": "hdfs:///jobs/night.py"}, "night.py"),
        ("", {}, ""),
    ],
)
def test_the_submitted_file_is_read_from_the_command(command: str, properties: dict[str, str], wanted: str) -> None:
    assert main_file(properties, {"sun.java.command": command}) == wanted


@pytest.mark.parametrize(("kind", "line"), [("Inner", 5), ("Cross", 4)])
def test_a_cross_join_is_the_place_of_a_join_by_keys_only_if_the_plan_calls_it_one(kind: str, line: int) -> None:
    text = (
        'parcels = spark.read.parquet("/w/parcels")\ndepots = spark.read.parquet("/w/depots")\n\n'
        "pairs = parcels.crossJoin(depots)\nparcels.join(depots, parcels.x == depots.y).count()\n"
    )
    heavy = stage_of(2, [60_000, *[1_000] * 9], wall_ms=62_000, shuffle_read_bytes=[300 << 20, *[2 << 20] * 9], execution_id=0)
    run: RunFacts = run_of(heavy, executions=[joined("x", kind=kind)])
    spots = [spot.line for spot in find(run, script_of(text).facts).verdicts[0].blame.spots]

    assert (4 in spots) is (line == 4)
