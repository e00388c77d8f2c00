"""Questions asked for the first time, to a strong model whose server anybody can play: the product and one plain prompt, side by side.

    python -m tests.evals.ask_first_sight CASES OUT --model NAME --base-url URL [--only TEXT]
    python -m tests.evals.ask_first_sight CASES OUT --arms rules

CASES is a folder of companies, each a folder with
  company.sql   DuckDB statements that make its tables, with their comments
  terms.yaml    definitions, in the catalogue's own form (may be missing)
  cases.yaml    a list of {id, turns: [{question, expect: rows | ask | decline, sql, ordered}]}; `sql` gives the right rows

Every question becomes a job of `ask` (engine `llm`, strategy `direct`), and a request with the plain prompt: the schema, three rows of each
table, the definitions and the question, one answer, no repair. Both arms ask the same server, mixed. The arm `rules` is the product
without a model. OUT/results.jsonl has a line a turn.
A turn that expects rows is right when its last statement gives the same rows; `wrong` is one that answered with others.
"""

import argparse
import itertools
import json
import os
import re
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from uuid import UUID, uuid4

import duckdb
import yaml

from contracts.ask.results import Queried, SqlMade
from contracts.ask.steps import AskPlan
from contracts.base import Json
from contracts.jobs import EngineChoice, JobStatus, SubmitJob
from contracts.sources import Source, SourceKind
from workers.app.in_process import run_all
from workers.catalogue.importing import Form, import_path, import_source
from workers.coordinator.actions import answer
from workers.coordinator.intake import accept
from workers.engines.results.comparing import same_rows
from workers.evaluation.bench import EmbeddedBench, embedded_bench
from workers.kinds.base import FinishedJob
from workers.kinds.registry import load_kinds
from workers.settings import load_settings
from workers.sources import add_source

if TYPE_CHECKING:
    from openai import OpenAI

PLAIN = """You write SQL for {dialect}. Today is {date}.
Tables:
{ddl}
Three rows of each table:
{rows}
{definitions}
Question: {question}
Answer with one SQL statement, or with one sentence beginning with CANNOT: or ASK:."""
MOST_TABLES = 60
MOST_WORKERS = 16
MOST_RUNS = 100_000
"""Steps of one call of a worker, which also runs the steps of other cases."""


class Company:
    """One company: its database, definitions and cases."""

    def __init__(self, folder: Path, data_dir: Path) -> None:
        self.name = folder.name
        self.terms = folder / "terms.yaml"
        self.cases: list[Json] = yaml.safe_load((folder / "cases.yaml").read_text("utf-8"))
        self.path = data_dir / f"{self.name}.duckdb"
        with closing(duckdb.connect(str(self.path))) as connection:
            connection.execute((folder / "company.sql").read_text("utf-8"))

    def rows(self, sql: str) -> list[tuple[Any, ...]] | None:
        """The result of a statement; None: it does not run."""
        with closing(duckdb.connect(str(self.path), read_only=True)) as connection:
            try:
                return connection.execute(sql).fetchall()
            except duckdb.Error:
                return None

    def schema(self, words: str) -> tuple[str, str]:
        """As `schema_of` the company's database."""
        return schema_of(self.path, words)


def schema_of(path: Path, words: str) -> tuple[str, str]:
    """DDL with comments, and three rows of each table; the tables that share most words with the question where there are many."""
    with closing(duckdb.connect(str(path), read_only=True)) as connection:
        tables = connection.execute(
            "SELECT schema_name || '.' || table_name, coalesce(comment, ''), sql FROM duckdb_tables() ORDER BY 1"
        ).fetchall()
        columns = connection.execute(
            "SELECT schema_name || '.' || table_name, column_name, comment FROM duckdb_columns() WHERE comment IS NOT NULL"
        ).fetchall()
        if len(tables) > MOST_TABLES:
            asked = set(re.findall(r"\w+", words.lower()))
            about = {table: " ".join(f"{column} {note}" for name, column, note in columns if name == table) for table, _, _ in tables}
            tables.sort(key=lambda row: -len(asked & set(re.findall(r"[a-z]+", f"{row[0]} {row[1]} {row[2]} {about[row[0]]}".lower()))))
        shown, rows = [], []
        for table, comment, text in tables[:MOST_TABLES]:
            notes = [f"-- {column}: {note}" for name, column, note in columns if name == table]
            shown.append("\n".join([text, *([f"-- {comment}"] if comment else []), *notes]))
            found = connection.execute(f"SELECT * FROM {table} LIMIT 3").fetchall()  # noqa: S608  a table of this file
            rows.append(f"{table}: " + "; ".join(str(tuple(str(cell)[:40] for cell in row)) for row in found))
        return "\n".join(shown), "\n".join(rows)


def play_product(bench: EmbeddedBench, company: Company, case: Json, engine: EngineChoice = EngineChoice.LLM) -> list[Json]:
    """The turns of a case as jobs of one session."""
    session, found, job_id = uuid4(), list[Json](), uuid4()
    for number, turn in enumerate(case["turns"], 1):
        request = {"kind": "ask", "question": turn["question"], "source": company.name, "strategy": "direct"}
        submission = SubmitJob(job=request, engine=engine, session_id=session)
        if found and found[-1]["kind"] == "ask":  # what was asked is answered, as in the console
            answer(bench.database, job_id, turn["question"])
        else:
            job_id = accept(bench.database, submission, owner_cap=1_000, has_model=engine is EngineChoice.LLM).job_id
        done = run_until_it_stops(bench, job_id)
        sql, kind = _outcome(done.status, done.result)
        found.append(
            {
                "arm": "rules" if engine is EngineChoice.RULES else "product",
                "turn": number,
                "kind": kind,
                "sql": sql,
                **used(bench, job_id),
                "error": done.error,
            }
        )
    return found


def run_until_it_stops(bench: EmbeddedBench, job_id: UUID) -> FinishedJob:
    """Run the steps of all jobs until this one has ended or waits for a human."""
    began = time.monotonic()
    while True:
        run_all(bench._services, most=MOST_RUNS)
        row = bench.database.row("SELECT status FROM jobs WHERE id = %(id)s", {"id": job_id})
        if row is not None and row["status"] in ("waiting_human", "succeeded", "failed", "cancelled"):
            return bench._ended(job_id, round((time.monotonic() - began) * 1000))
        time.sleep(0.5)


def used(bench: EmbeddedBench, job_id: UUID) -> Json:
    """Calls of models and their input tokens, of all steps of a job."""
    usage = bench.database.statement("SELECT usage FROM steps WHERE job_id = %(id)s AND usage IS NOT NULL", {"id": job_id})
    return {
        "calls": sum(int(item["usage"].get("model_calls", 0)) for item in usage),
        "input_tokens": sum(int(item["usage"].get("input_tokens", 0)) for item in usage),
        "output_tokens": sum(int(item["usage"].get("output_tokens", 0)) for item in usage),
    }


def _outcome(status: JobStatus, result: Json | None) -> tuple[str, str]:
    if status is JobStatus.WAITING_HUMAN:
        return "", "ask"
    if status is not JobStatus.SUCCEEDED or result is None:
        return "", "failed"
    answer = AskPlan.model_validate(result).answer
    last = answer.results[-1] if answer is not None else None
    if isinstance(last, Queried | SqlMade) and last.sql and not last.problems:
        return last.sql, "rows"
    return "", "decline"


def play_plain(client: "OpenAI", model: str, company: Company, case: Json) -> list[Json]:
    """The turns of a case as plain prompts; earlier questions stand above with their right statements."""
    found, above = list[Json](), ""
    definitions = company.terms.read_text("utf-8") if company.terms.exists() else ""
    for number, turn in enumerate(case["turns"], 1):
        ddl, rows = company.schema(turn["question"])
        prompt = PLAIN.format(
            dialect="duckdb", date=time.strftime("%Y-%m-%d"), ddl=ddl, rows=rows, definitions=definitions, question=above + turn["question"]
        )
        reply = client.chat.completions.create(model=model, messages=[{"role": "user", "content": prompt}])
        text = (reply.choices[0].message.content or "").strip().removeprefix("```sql").strip("`\n ")
        head = text.upper()
        kind = "decline" if head.startswith("CANNOT:") else "ask" if head.startswith("ASK:") else "rows"
        tokens = reply.usage.prompt_tokens if reply.usage is not None else 0
        found.append(
            {"arm": "plain", "turn": number, "kind": kind, "sql": text if kind == "rows" else "", "said": text, "calls": 1,
             "input_tokens": tokens, "error": None}
        )  # fmt: skip
        above += f"{turn['question']}\n{turn.get('sql', '')}\n"
    return found


def has_rows_and_more(ours: list[tuple[Any, ...]] | None, gold: list[tuple[Any, ...]] | None) -> bool:
    """Whether the rows are the right ones with further columns, such as the id beside a name."""
    if not ours or not gold or len(ours) != len(gold) or len(ours[0]) <= len(gold[0]):
        return False
    return any(
        same_rows([[row[place] for place in kept] for row in ours], gold)
        for kept in itertools.combinations(range(len(ours[0])), len(gold[0]))
    )


def judged(company: Company, case: Json, found: Json) -> Json:
    """Whether the outcome of a turn is right."""
    turn = case["turns"][found["turn"] - 1]
    is_right = found["kind"] == turn["expect"]
    if turn["expect"] == "rows" and is_right:
        ours, gold = company.rows(found["sql"]), company.rows(turn["sql"])
        is_right = ours is not None and gold is not None and same_rows(ours, gold, ordered=bool(turn.get("ordered")))
    is_wrong = not is_right and found["kind"] == "rows"
    has_more = is_wrong and turn["expect"] == "rows" and has_rows_and_more(company.rows(found["sql"]), company.rows(turn["sql"]))
    return {"has_more_columns": has_more, "company": company.name, "case": case["id"], "question": turn["question"],
            "expect": turn["expect"], "right": is_right,
            "wrong": is_wrong, **found}  # fmt: skip


def read_arguments(parser: argparse.ArgumentParser, arms: str = "product,plain") -> argparse.Namespace:
    """The command line of an evaluation at first sight, behind what `parser` takes already; makes the folder of its results."""
    parser.add_argument("out", type=Path)
    parser.add_argument("--model", default="none")
    parser.add_argument("--base-url", default="http://127.0.0.1:9/v1")
    parser.add_argument("--only", default="")
    parser.add_argument("--arms", default=arms)
    wanted = parser.parse_args()
    wanted.out.mkdir(parents=True, exist_ok=True)
    return wanted


def parser_of_cases() -> argparse.ArgumentParser:
    """A command line whose first word is the folder of the cases."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", type=Path)
    return parser


@contextmanager
def open_bench(wanted: argparse.Namespace, **more: object) -> Generator["tuple[EmbeddedBench, OpenAI]"]:
    """A bench, and the client of the plain prompts. Timeouts suit a person who answers by hand. `more`: other settings."""
    from openai import OpenAI  # takes longer than the rest of this module, and tests need the rest only

    load_kinds()
    changed = {"model": wanted.model, "model_base_url": wanted.base_url, "model_timeout_s": 3600.0, "model_first_timeout_s": 3600.0,
               "step_timeout_s": 7200.0, "model_context_tokens": 128_000, "home": wanted.out.resolve() / "home", **more}  # fmt: skip
    os.environ.setdefault("BULLPEN_MODEL_KEY", "none")
    with embedded_bench(load_settings().model_copy(update=changed), lambda *_: nullcontext(lambda _: None), print) as bench:
        _ = bench.database  # its server starts here, since one that a pool's thread started would end with it
        yield bench, OpenAI(base_url=wanted.base_url, api_key="none", timeout=3600, max_retries=0)


@contextmanager
def open_companies(wanted: argparse.Namespace) -> Generator["tuple[EmbeddedBench, list[Company], OpenAI]"]:
    """A bench whose sources are the companies, and the client of the plain prompts."""
    with open_bench(wanted) as (bench, client):
        data_dir = bench.settings.data_dir
        data_dir.mkdir(parents=True, exist_ok=True)
        companies = [Company(folder, data_dir) for folder in sorted(wanted.cases.iterdir()) if (folder / "cases.yaml").exists()]
        for company in companies:
            offer_source(bench, company.name, company.path)
            if company.terms.exists():
                import_path(bench.database, bench.embedder, company.terms, form=Form.TABLES, source=company.name)
        yield bench, companies, client


def offer_source(bench: EmbeddedBench, name: str, path: Path) -> None:
    """A DuckDB file or a folder of CSV files as a source, with what it says of itself in the catalogue."""
    os.environ[f"BULLPEN_SOURCE_{name.upper()}_URL"] = f"duckdb:///{path}"
    add_source(bench.database, bench.settings.data_dir, Source(name=name, kind=SourceKind.DUCKDB))
    import_source(bench.database, bench.embedder, bench.settings.data_dir, name)


class HasCases(Protocol):
    """A group of cases that share their data."""

    cases: list[Json]
    """Each with an `id`."""


G = TypeVar("G", bound=HasCases)


def play_all(
    wanted: argparse.Namespace, groups: Sequence[G], play: Callable[[str, G, Json], list[Json]], judge: Callable[[G, Json, Json], Json]
) -> list[Json]:
    """Play every case in every arm, mixed, and write each outcome as it is judged to OUT/results.jsonl."""
    work = [(arm, group, case) for group in groups for case in group.cases for arm in wanted.arms.split(",")]
    work = [item for item in work if wanted.only in str(item[2]["id"])]
    Random(7).shuffle(work)
    lock, out = threading.Lock(), wanted.out / "results.jsonl"

    def play_one(item: tuple[str, G, Json]) -> list[Json]:
        arm, group, case = item
        try:
            outcomes = play(arm, group, case)
        except Exception as error:
            outcomes = [{"arm": arm, "turn": 1, "kind": "failed", "sql": "", "calls": 0, "error": repr(error)}]
        lines = [judge(group, case, found) for found in outcomes]
        with lock, out.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(line, ensure_ascii=False, default=str) + "\n" for line in lines)
        return lines

    with ThreadPoolExecutor(MOST_WORKERS) as pool:
        return [line for found in pool.map(play_one, work) for line in found]


def main() -> None:
    """See the module."""
    wanted = read_arguments(parser_of_cases())
    with open_companies(wanted) as (bench, companies, client):

        def play(arm: str, company: Company, case: Json) -> list[Json]:
            if arm == "plain":
                return play_plain(client, wanted.model, company, case)
            return play_product(bench, company, case, EngineChoice.RULES if arm == "rules" else EngineChoice.LLM)

        lines = play_all(wanted, companies, play, judged)
    for arm in wanted.arms.split(","):
        of_arm = [line for line in lines if line["arm"] == arm]
        for expect in ("rows", "ask", "decline"):
            part = [line for line in of_arm if line["expect"] == expect]
            right, wrong = sum(line["right"] for line in part), sum(line["wrong"] for line in part)
            more = sum(line["has_more_columns"] for line in part)
            print(f"{arm:8} {expect:8} {right} of {len(part)} right, {wrong} answered wrong, of these {more} only by further columns")
        print(f"{arm:8} calls a turn: {sorted(line['calls'] for line in of_arm)}")


if __name__ == "__main__":
    main()
