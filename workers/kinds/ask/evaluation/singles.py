"""Single questions of `nl2sql`, each a job of its own: how many are answered, and how many rightly. This is where a model is measured."""

import json
import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from uuid import uuid4

from contracts.ask.results import Cell, Queried, SqlMade
from contracts.ask.steps import AskPlan
from contracts.base import Json
from contracts.jobs import EngineChoice
from workers.engines.results.comparing import same_rows
from workers.kinds.ask.evaluation.form import QuestionSet
from workers.kinds.ask.evaluation.material import DataFolder
from workers.kinds.ask.evaluation.playing import databases
from workers.kinds.base import Bench, FinishedJob

_SMALL = 24
_SMALL_DATABASES = frozenset({"restaurants", "geography", "academic"})
_SEED = 7


@dataclass(frozen=True, slots=True)
class Single:
    """A question, and the statements whose result is right."""

    id: str
    database: str
    question: str
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of a question."""

    single: Single
    sql: str
    """The statement that was run or shown; empty: the question was not answered."""
    is_verified: bool
    """It ran at once; a statement that nothing verifies waits for the user."""
    is_right: bool
    took_ms: int
    stated: str


def read_singles(data: Path, wanted: QuestionSet) -> list[Single]:
    """The questions of a set, in the order in which they are asked."""
    lines = (data / "nl2sql" / "questions.jsonl").read_text("utf-8").splitlines()
    rows: list[Json] = [json.loads(line) for line in lines]
    singles = [
        Single(row["id"], row["db"], "\n".join(filter(None, (row["question"], row["instructions"]))), tuple(row["gold_sqlite"]))
        for row in rows
    ]
    if wanted is QuestionSet.ALL:
        return singles
    small = [single for single in singles if single.database in _SMALL_DATABASES]
    return random.Random(_SEED).sample(small, min(_SMALL, len(small)))


def ask_singles(bench: Bench, data: DataFolder, singles: Sequence[Single], engine: EngineChoice) -> Iterator[Answered]:
    """Ask each; the databases are there from the first question to the last."""
    with ExitStack() as stack:
        stack.enter_context(databases(bench, data, sorted({single.database for single in singles})))
        for single in singles:
            request: Json = {"kind": "ask", "question": single.question, "source": single.database, "strategy": "direct"}
            job = bench.run_job(request, engine, session_id=uuid4())
            yield _answered(single, job, bench.settings.data_dir / f"{single.database}.sqlite")


def _answered(single: Single, job: FinishedJob, path: Path) -> Answered:
    plan = AskPlan.model_validate(job.result) if job.result is not None else None
    results = plan.answer.results if plan is not None and plan.answer is not None else ()
    found = next((result for result in reversed(results) if isinstance(result, Queried | SqlMade)), None)
    sql = found.sql if found is not None and not found.problems else ""
    rows = _rows(path, sql) if sql else None
    gold = [_rows(path, statement) for statement in single.gold]
    return Answered(
        single=single,
        sql=sql,
        is_verified=isinstance(found, Queried) and bool(sql),
        is_right=rows is not None and any(known is not None and same_rows(rows, known) for known in gold),
        took_ms=job.took_ms,
        stated=job.error or "",
    )


def _rows(path: Path, sql: str) -> list[tuple[Cell, ...]] | None:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        try:
            return connection.execute(sql).fetchall()
        except sqlite3.Error:
            return None


def single_figures(found: Sequence[Answered]) -> dict[str, float]:
    """How many were answered, how many rightly, and what a verified answer is worth."""
    answered = [each for each in found if each.sql]
    verified = [each for each in answered if each.is_verified]
    n = max(1, len(found))
    return {
        "questions": float(len(found)),
        "answered": float(len(answered)),
        "right": float(sum(each.is_right for each in found)),
        "right_share": round(sum(each.is_right for each in found) / n, 4),
        "verified": float(len(verified)),
        "verified_right": float(sum(each.is_right for each in verified)),
        "verified_right_share": round(sum(each.is_right for each in verified) / len(verified), 4) if verified else 0.0,
        "job_ms_p50": float(median(each.took_ms for each in found)) if found else 0.0,
    }
