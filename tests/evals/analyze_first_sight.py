"""Analyses that a skill guides, asked for the first time, by a strong model whose server anybody can play: the product, the product without
a model, and one plain prompt, side by side.

    python -m tests.evals.analyze_first_sight CASES OUT --model NAME --base-url URL [--only TEXT] [--arms product,plain,rules]

CASES is a folder (`tests/evals/analyze_cases` is one) with
  skills/NAME/     a skill, with a procedure or without one
  data/SOURCE/     a folder of CSV files
  tasks.yaml       a list of {id, skill, source, question, reply, expect: [sql], never: [sql]}

Every question becomes a job of `analyze`, which chooses among these skills and those of the release; `reply` answers what it asks. The
plain prompt has the SKILL.md of the right skill, the schema, three rows of each table and the question, and is answered once, with up to
three SELECTs; their rows are its findings.
A task is right when every cell of the results of `expect` is in the findings, no figure of `never` (what comes of a forgotten rule of the
skill) is, and the words have no stray figure: one that is neither in the question, the skill or the result of a statement, nor a fact of
the tables such as a number of rows. A task that expects nothing asks for what the data does not have. OUT/results.jsonl has a line for each
arm and task.
"""

import argparse
import re
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import duckdb
import yaml

from contracts.analyze.answer import AnalyzeAnswer
from contracts.base import Json
from contracts.jobs import EngineChoice, JobStatus, SubmitJob
from contracts.statements import read_stored
from tests.evals.ask_first_sight import (
    offer_source,
    open_bench,
    parser_of_cases,
    play_all,
    read_arguments,
    run_until_it_stops,
    schema_of,
    used,
)
from tests.support.said import said
from workers.coordinator.actions import answer, open_questions
from workers.coordinator.intake import accept
from workers.engines.stray_figures import stray_figures
from workers.evaluation.bench import EmbeddedBench
from workers.settings import load_settings

if TYPE_CHECKING:
    from openai import OpenAI

PLAIN = """You analyse data by the instructions of an expert. You write SQL for duckdb. Today is {date}.
Instructions:
{skill}
Tables:
{ddl}
Three rows of each table:
{rows}
Question: {question}
Answer with up to three SELECT statements, separated by semicolons, whose results answer the question, or with one sentence beginning with
CANNOT: or ASK:."""
MOST_ANSWERS = 4
MOST_ROWS = 20
"""Rows of a table that count as said: as many as a terminal shows of an answer."""
ANSWERED = "answered"
LEFT_OUT = "analyze.follow.stray"
"""The sentence that names figures which are not said."""

Rows = list[tuple[Any, ...]]


class Data:
    """One source with its tasks."""

    def __init__(self, cases: Path, name: str, tasks: list[Json], data_dir: Path) -> None:
        self.name, self.cases = name, tasks
        self.folder = (cases / "data" / name).resolve()
        self.path = data_dir / f"{name}.duckdb"
        self._skills = {task["skill"]: (cases / "skills" / task["skill"] / "SKILL.md").read_text("utf-8") for task in tasks}
        self.path.unlink(missing_ok=True)
        with closing(duckdb.connect(str(self.path))) as connection:
            for file in sorted(self.folder.glob("*.csv")):
                connection.execute(f"CREATE TABLE {file.stem} AS SELECT * FROM read_csv('{file}')")  # noqa: S608  a file of the cases
            self._facts = " ".join(_facts(connection))
        for task in tasks:  # a task that cannot be judged is found before anybody answers a prompt
            self.gold(task)

    def skill(self, task: Json) -> str:
        """The text of the skill of a task."""
        return self._skills[task["skill"]]

    def run(self, sql: str) -> Rows:
        """The rows of a statement. Raises `duckdb.Error`."""
        with closing(duckdb.connect(str(self.path), read_only=True)) as connection:
            connection.execute("SET enable_external_access = false")
            return connection.execute(sql).fetchall()

    def gold(self, task: Json) -> tuple[list[Any], list[float]]:
        """The cells that have to be said, and the figures that must not be. Raises `ValueError` for a task that decides nothing."""
        cells = [cell for sql in task["expect"] for row in self.run(sql) for cell in row]
        right = [float(cell) for cell in cells if not isinstance(cell, str)]
        wrong = [float(cell) for sql in task["never"] for row in self.run(sql) for cell in row]
        never = [figure for figure in wrong if figure not in right]
        if not never or (task["expect"] and not right) or any(cell is None for cell in cells):
            raise ValueError(f"{task['id']}: what it expects and what it forbids are the same, or empty")
        return cells, never

    def known(self, task: Json) -> list[str]:
        """What a figure may come from beside the results of statements."""
        return [task["question"], task.get("reply", ""), self.skill(task), self._facts]


def _facts(connection: duckdb.DuckDBPyConnection) -> Iterable[str]:
    """What a look at the tables tells: numbers of rows and values, least and largest values."""
    for (table,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
        for row in connection.execute(f"SELECT count, approx_unique, min, max FROM (SUMMARIZE {table})").fetchall():  # noqa: S608  as above
            yield " ".join(map(str, row))


@dataclass(frozen=True)
class Findings:
    """What an arm says."""

    kind: str
    """How it ended: `answered`, or why not."""
    words: str
    """All sentences."""
    tables: tuple[Rows, ...] = ()
    own_words: str = ""
    """The sentences that a model wrote."""
    returned: tuple[str, ...] = ()
    """The results of the statements that were run."""


# ---- the arms


def play_product(bench: EmbeddedBench, data: Data, task: Json, arm: str) -> Json:
    """A task as a job."""
    engine = EngineChoice.LLM if arm == "product" else EngineChoice.RULES
    submission = SubmitJob(job={"kind": "analyze", "question": task["question"]}, engine=engine)
    job_id = accept(bench.database, submission, owner_cap=1_000, has_model=engine is EngineChoice.LLM).job_id
    asked = list[str]()
    while (done := run_until_it_stops(bench, job_id)).status is JobStatus.WAITING_HUMAN and len(asked) < MOST_ANSWERS:
        for row in open_questions(bench.database, job_id):
            asked.append(said(read_stored(row["payload"]["text"])))
            answer(bench.database, job_id, task.get("reply", "Go on without it."), request_id=row["id"])
    acts = _acts(bench, job_id)
    line: Json = {"arm": arm, "asked": asked, "error": done.error, **used(bench, job_id), "notes": _notes(bench, job_id),
                  "calls_of_tools": [[call["tool"], call["arguments"]] for call in _calls(acts)]}  # fmt: skip
    if done.status is not JobStatus.SUCCEEDED:
        return line | {"kind": done.status.value, "findings": Findings(done.status.value, "")}
    found = AnalyzeAnswer.model_validate(done.result)
    says = [
        (text if isinstance(text, str) else said(text, found.language), isinstance(text, str))
        for text in found.says
        if isinstance(text, str) or text.code != LEFT_OUT
    ]
    own = [found.summary, *(text for text, is_own in says if is_own)]
    by_code = [text for text, is_own in says if not is_own]
    findings = Findings(
        kind=found.ending.value,
        words="\n".join([*own, *by_code, *found.verbatim]),
        tables=tuple([tuple(row) for row in table.rows] for table in found.tables),
        own_words="\n".join(own),
        returned=(*by_code, *_returned(data, acts)),
    )
    return line | {"kind": found.ending.value, "skill": found.skill, "findings": findings}


def _acts(bench: EmbeddedBench, job_id: UUID) -> list[Json]:
    rows = bench.database.statement(
        "SELECT DISTINCT ON (stage) stage, content FROM deliverables WHERE job_id = %(id)s AND stage LIKE 'act/%%' "
        "ORDER BY stage, version DESC",
        {"id": job_id},
    )
    return [row["content"] for row in rows]


def _calls(acts: Iterable[Json]) -> list[Json]:
    return [call for act in acts for call in (*([act["call"]] if act.get("call") else []), *(act.get("calls") or ()))]


def _notes(bench: EmbeddedBench, job_id: UUID) -> list[str]:
    rows = bench.database.statement("SELECT notes FROM steps WHERE job_id = %(id)s AND notes IS NOT NULL ORDER BY id", {"id": job_id})
    return [note for row in rows for note in row["notes"]]


def _returned(data: Data, acts: Iterable[Json]) -> list[str]:
    """What the statements of a job gave, run again on a copy of the data."""
    found: list[str] = []
    for call in _calls(acts):
        sql, values = str(call["arguments"].get("sql") or ""), call["arguments"].get("values") or {}
        for name, value in values.items():
            sql = re.sub(rf":{name}\b", lambda _, value=value: f"'{value}'" if isinstance(value, str) else str(value), sql)
        if sql and call["tool"] == "query_source":
            try:
                rows = data.run(sql)
            except duckdb.Error:
                continue
            found.append(f"{len(rows)} {_text_of(rows)}")
    return found


def play_plain(client: "OpenAI", model: str, data: Data, task: Json) -> Json:
    """A task as a plain prompt."""
    ddl, rows = schema_of(data.path, task["question"])
    prompt = PLAIN.format(date=time.strftime("%Y-%m-%d"), skill=data.skill(task), ddl=ddl, rows=rows, question=task["question"])
    reply = client.chat.completions.create(model=model, messages=[{"role": "user", "content": prompt}])
    text = (reply.choices[0].message.content or "").strip().removeprefix("```sql").strip("`\n ")
    spent = {"input_tokens": reply.usage.prompt_tokens, "output_tokens": reply.usage.completion_tokens} if reply.usage else {}
    line: Json = {"arm": "plain", "calls": 1, "said": text, "error": None, **spent}
    if text.upper().startswith(("CANNOT:", "ASK:")):
        return line | {"kind": "declined", "findings": Findings("declined", text)}
    try:
        tables = [data.run(sql) for sql in text.split(";") if sql.strip()]
    except duckdb.Error as error:
        return line | {"kind": "failed", "run_error": repr(error)[:300], "findings": Findings("failed", "")}
    has_rows = any(cell not in (None, 0) and not isinstance(cell, str) for table in tables for row in table for cell in row)
    kind = ANSWERED if has_rows or task["expect"] else "declined"
    return line | {"kind": kind, "findings": Findings(kind, "", tables=tuple(tables))}


# ---- what is right


def judged(data: Data, task: Json, found: Json) -> Json:
    """A line of the results."""
    findings: Findings = found.pop("findings", Findings("failed", ""))
    cells, never = data.gold(task)
    shown = [row for table in findings.tables for row in table[:MOST_ROWS]]
    whole = f"{findings.words}\n{_text_of(shown)}"
    figures = figures_in(whole)
    missing = [cell for cell in cells if not _is_said(cell, whole, figures)]
    asked = figures_in("\n".join(data.known(task)[:3]))
    right = [float(cell) for cell in cells if not isinstance(cell, str)]
    false = [figure for figure in never if is_among(figure, figures) and figure not in asked and not is_among(figure, right)]
    stray = sorted(stray_figures(findings.own_words, [*data.known(task), *findings.returned]))
    is_answer = findings.kind == ANSWERED
    is_clean = not (missing or false or stray)
    is_declined = findings.kind == "declined" if found.get("arm") == "plain" else is_answer and bool(findings.words.strip())
    is_right = is_clean and (is_answer if task["expect"] else is_declined)
    is_wrong = is_answer and not (is_right or (is_clean and not findings.words.strip() and not shown))
    return {"source": data.name, "task": task["id"], "case": task["id"],
            "expects": bool(task["expect"]), "right": is_right, "wrong": is_wrong, "missing": missing, "false": false,
            "stray": stray, "skill_right": found.get("skill", task["skill"]) == task["skill"], "words": findings.words,
            "rows": [list(row) for row in shown], **found}  # fmt: skip


def _is_said(cell: Any, text: str, figures: Sequence[float]) -> bool:
    return cell.lower() in text.lower() if isinstance(cell, str) else is_among(float(cell), figures)


def is_among(figure: float, figures: Iterable[float]) -> bool:
    """The figure is said, with as many decimals or more; a share also as per cent."""
    digits = len(f"{figure:.10f}".rstrip("0").partition(".")[2])
    return any(round(said_one, digits) == figure or round(said_one * 100, digits) == figure for said_one in figures)


_FIGURE = re.compile(r"(?<![\w.])[-−]?\d+(?:[.,]\d+)*")


def figures_in(text: str) -> list[float]:
    """The figures of a text, without separators of thousands."""
    found = (match.replace(",", "").replace("−", "-") for match in _FIGURE.findall(text))
    return [float(number) for number in found if number.count(".") <= 1]


def _text_of(rows: Iterable[Sequence[Any]]) -> str:
    return "\n".join(" | ".join(_cell(cell) for cell in row) for row in rows)


def _cell(cell: Any) -> str:
    if isinstance(cell, float | Decimal):
        return f"{float(cell):.6f}".rstrip("0").rstrip(".")
    return cell.isoformat() if isinstance(cell, date | datetime) else str(cell)


# ---- the figures


def show(arm: str, lines: Sequence[Json]) -> None:
    """The summary of an arm."""
    for is_wanted, what in ((True, "with an answer"), (False, "without one")):
        part = [line for line in lines if line["expects"] is is_wanted]
        right, wrong = (sum(line[name] for line in part) for name in ("right", "wrong"))
        print(f"{arm:8} tasks {what}: {right} of {len(part)} right, {wrong} wrong")
    print(f"{arm:8} skill right: {sum(line['skill_right'] for line in lines)} of {len(lines)}; with a figure of a forgotten rule: "
          f"{sum(bool(line['false']) for line in lines)}; with a stray figure: {sum(bool(line['stray']) for line in lines)}")  # fmt: skip
    print(f"{arm:8} calls a task: {sorted(line['calls'] for line in lines)}; input tokens: "
          f"{sum(line.get('input_tokens', 0) for line in lines)}; errors: {sum(bool(line['error']) for line in lines)}")  # fmt: skip


def read_data(cases: Path, data_dir: Path) -> list[Data]:
    """The sources of the cases, with their tasks."""
    tasks: list[Json] = yaml.safe_load((cases / "tasks.yaml").read_text("utf-8"))
    data_dir.mkdir(parents=True, exist_ok=True)
    names = sorted({task["source"] for task in tasks})
    return [Data(cases, name, [task for task in tasks if task["source"] == name], data_dir) for name in names]


def play(wanted: argparse.Namespace) -> list[Json]:
    """All tasks in all arms."""
    data = read_data(wanted.cases, wanted.out / "copies")
    skills = (*load_settings().skills, str((wanted.cases / "skills").resolve()))
    with open_bench(wanted, skills=skills) as (bench, client):
        for source in data:
            offer_source(bench, source.name, source.folder)

        def play_one(arm: str, source: Data, task: Json) -> list[Json]:
            return [play_plain(client, wanted.model, source, task) if arm == "plain" else play_product(bench, source, task, arm)]

        return play_all(wanted, data, play_one, judged)


def main() -> None:
    """See the module."""
    wanted = read_arguments(parser_of_cases(), arms="product,plain,rules")
    lines = play(wanted)
    for arm in wanted.arms.split(","):
        show(arm, [line for line in lines if line["arm"] == arm])


if __name__ == "__main__":
    main()
