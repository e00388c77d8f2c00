"""The five whole runs of tests/five_runs.md on the sample shop, by one command: `python -m tests.five_runs`.

Each is a job of the whole pipeline in this process, without a model. What is printed of it is what the docs show, apart from ids.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from uuid import UUID

from contracts.jobs import EngineChoice
from contracts.pipelines.review import ReviewResult
from contracts.sql_review import SampleTable
from contracts.statements import Statement
from tests.support.etl_jobs import FACTS, FACTS_OF_FAILED, package_of, runs
from workers.catalogue import offer_sample
from workers.coordinator.actions import open_questions, revise
from workers.coordinator.replay import replay_stage
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.base import FinishedJob, ShowOptions
from workers.kinds.etl.view import show_result
from workers.kinds.registry import load_kinds
from workers.saying import text_of
from workers.saying.terminal import to_lines
from workers.settings import load_settings

MONTHS = "建立 region_orders：2026年每个地区的订单数；schedule：0 2 * * *"
REVENUE = "Build region_revenue: revenue per region in 2026; partition_by: day; schedule: 0 6 * * *"
FAN_OUT = (
    "SELECT c.region, SUM(p.amount) AS revenue FROM customers c JOIN orders o ON o.customer_id = c.customer_id "
    "JOIN payments p ON p.order_id = o.order_id JOIN order_items i ON i.order_id = o.order_id GROUP BY c.region"
)
WIDTH = 100


def measures_of_several_tables(bench: EmbeddedBench) -> tuple[UUID, list[str]]:
    """Run 1: a job for each table, then one that joins them; the job, and what its trial says."""
    job = _submit(bench, spec=FACTS)
    trial = package_of(job).reviews[-1].trial
    assert trial is not None
    report = [text_of(item.text, "en") for item in trial.checks]
    return job.job_id, [*_shown(job, "en"), *report]


def in_chinese(bench: EmbeddedBench) -> list[str]:
    """Run 2."""
    return _shown(_submit(bench, requirement=MONTHS), "zh")


def an_open_point(bench: EmbeddedBench) -> tuple[UUID, list[str]]:
    """Run 3: the target has no column `day`; the question, then the package."""
    job = _submit(bench, requirement=REVENUE)
    question = open_questions(bench.database, job.job_id)[-1]["payload"]["text"]
    asked = text_of(Statement.model_validate(question), "en")
    return job.job_id, [asked, *_shown(bench.answer(job.job_id, "region"), "en")]


def a_stopped_fan_out(bench: EmbeddedBench, revenue: UUID) -> list[str]:
    """Run 4: the script of run 3, edited so that payments are repeated by order items; the rows that the review shows."""
    before = len(runs(bench, revenue))
    replay_stage(bench.database, revenue, "script/1", edit={"sql": FAN_OUT})
    ended = bench.go_on(revenue)
    rows = bench.database.statement(
        "SELECT content FROM deliverables WHERE job_id = %(id)s AND stage = 'development_review' ORDER BY version", {"id": revenue}
    )
    stopped = next(review for row in rows if not (review := ReviewResult.model_validate(row["content"])).passed)
    return [f"score {stopped.score}", *_counterexample(stopped), *runs(bench, revenue)[before:], *_shown(ended, "en")]


def changed_in_mid_way(bench: EmbeddedBench, facts: UUID) -> list[str]:
    """Run 5: the measure `completed` of run 1 counts orders that failed; the steps that ran again, in their order."""
    before = len(runs(bench, facts))
    revise(bench.database, facts, "input", {"kind": "etl", "spec": FACTS_OF_FAILED, "source": "shop"})
    package_of(bench.go_on(facts))
    return runs(bench, facts)[before:]


def all_five(bench: EmbeddedBench) -> Iterator[tuple[str, list[str]]]:
    """Each run by its title, and what it prints."""
    facts, lines = measures_of_several_tables(bench)
    yield "1. Measures of several tables", lines
    yield "2. In Chinese", in_chinese(bench)
    revenue, lines = an_open_point(bench)
    yield "3. An open point", lines
    yield "4. A fan-out is stopped", a_stopped_fan_out(bench, revenue)
    yield "5. Changed in mid-way", changed_in_mid_way(bench, facts)


def _submit(bench: EmbeddedBench, **fields: str) -> FinishedJob:
    return bench.run_job({"kind": "etl", "source": "shop", **fields}, EngineChoice.RULES)


def _shown(job: FinishedJob, language: str) -> list[str]:
    document = show_result(job.result or {}, ShowOptions())
    assert document is not None
    return [line.plain for line in to_lines(document, language, WIDTH)]


def _counterexample(review: ReviewResult) -> Iterator[str]:
    """The rows of the first counterexample, and both results."""
    found = next(issue.finding.counterexample for issue in review.issues if issue.finding is not None and issue.finding.counterexample)
    yield from (f"{table.name}: {_rows(table)}" for table in found.rounds[0])
    yield f"The script gives: {_rows(found.given)}"
    if found.meant is not None:
        yield f"It should give: {_rows(found.meant)}"


def _rows(table: SampleTable) -> str:
    return " · ".join(
        ", ".join(f"{name} {value}" for name, value in zip(table.columns, row, strict=True) if value is not None) for row in table.rows
    )


def _quiet(name: str, parts: int) -> AbstractContextManager[Callable[[object], None]]:
    del name, parts
    return nullcontext(lambda _: None)


def main(say: Callable[[str], object] = lambda text: sys.stdout.write(f"{text}\n")) -> None:
    """Play them on servers of their own, and print them."""
    load_kinds([])
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = load_settings().model_copy(update={"home": home, "embeddings": "none"})
        bench = EmbeddedBench(settings, stack, _quiet, lambda _: None)
        offer_sample(bench.database, bench.settings.data_dir)
        for title, lines in all_five(bench):
            say("\n".join(["", title, "", *lines]))


if __name__ == "__main__":
    main()
