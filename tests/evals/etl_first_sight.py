"""Requirements given for the first time, to a strong model whose server anybody can play: the product and one plain prompt, side by side.

    python -m tests.evals.etl_first_sight CASES OUT --model NAME --base-url URL [--only TEXT] [--arms product,plain]

CASES is a folder of companies, as in `ask_first_sight`; its cases.yaml is a list of
  {id, requirement, mode: overwrite | append | upsert | history, key: [columns], sql, columns}
where `sql` gives the right rows, and `columns` names those of its columns that count (none: all). Of mode history, `sql` has the rows that
hold now.

Every requirement becomes a job of `etl` (engine `llm`), and a request with the plain prompt for one SELECT. A question of the product gets
`REPLY`, at most `MOST_ANSWERS` times; one that comes again in the same words ends the case. A case is right when the job succeeded and the
statements of its package, run on a copy of the company's database, leave the right rows in the target; of the plain prompt, when the SELECT
gives them. OUT/results.jsonl has a line for each arm and case.
"""

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import duckdb
from sqlglot import exp

from contracts.base import Json
from contracts.jobs import EngineChoice, JobStatus, SubmitJob
from contracts.pipelines.analysis import AnalysisResult, EtlTarget, HistoryColumns
from contracts.pipelines.package import EtlPackage
from contracts.pipelines.review import ReviewResult
from contracts.pipelines.script import SqlScript
from contracts.sql_review import WriteMode
from contracts.statements import read_stored
from tests.evals.ask_first_sight import (
    Company,
    has_rows_and_more,
    open_companies,
    parser_of_cases,
    play_all,
    play_plain,
    read_arguments,
    run_until_it_stops,
    used,
)
from tests.support.said import said
from workers.coordinator.actions import answer, open_questions
from workers.coordinator.intake import accept
from workers.engines.results.comparing import comparable, same_rows
from workers.engines.sql.trees import parse, table_name
from workers.errors import InvalidInput
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.etl.playbook import ANALYSIS, DESIGN_REVIEW, DEVELOPMENT_REVIEW, SCRIPT
from workers.kinds.etl.roles.loader import statements_of

if TYPE_CHECKING:
    from openai import OpenAI

REPLY = "Decide yourself what is most usual; the requirement has all that we know."
MOST_ANSWERS = 3
PLAIN_QUESTION = "Write one SELECT that fills the table that is described: {requirement}"
MOST_COLUMNS_TO_CHOOSE_FROM = 12
"""Of wider results, it is not tried which of the columns might be the right ones."""
MODES = tuple(mode.value for mode in WriteMode)


@dataclass(frozen=True)
class Rows:
    """Rows with the names of their columns."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]

    def of(self, places: Sequence[int]) -> list[tuple[Any, ...]]:
        """The rows with these columns only."""
        return [tuple(row[place] for place in places) for row in self.rows]

    def counted(self) -> Counter[tuple[str, ...]]:
        """The rows as a multiset."""
        return Counter(tuple(comparable(cell) for cell in row) for row in self.rows)

    def beyond(self, before: "Rows") -> "Rows":
        """The rows that were not there before."""
        left, added = before.counted(), list[tuple[Any, ...]]()
        for row in self.rows:
            mark = tuple(comparable(cell) for cell in row)
            left[mark] -= 1
            if left[mark] < 0:
                added.append(row)
        return Rows(self.columns, added)


def read(connection: duckdb.DuckDBPyConnection, sql: str) -> Rows:
    """The rows of a query."""
    found = connection.execute(sql)
    return Rows(tuple(column[0] for column in found.description or ()), found.fetchall())


def right_rows(company: Company, case: Json) -> Rows:
    """The rows of a case in the columns that count."""
    with closing(duckdb.connect(str(company.path), read_only=True)) as connection:
        found = read(connection, case["sql"])
    wanted = tuple(case.get("columns") or found.columns)
    places = places_of(found.columns, wanted)
    if places is None:
        raise ValueError(f"The query of case {case['id']} has fewer columns than {wanted}.")
    return Rows(wanted, found.of(places))


def places_of(columns: Sequence[str], wanted: Sequence[str]) -> list[int] | None:
    """Where each wanted column is: the one of its name, else the next of those that have no wanted name. None: there are too few."""
    names, words = [name.lower() for name in columns], [word.lower() for word in wanted]
    rest = (place for place, name in enumerate(names) if name not in words)
    places = [names.index(word) if word in names else next(rest, -1) for word in words]
    return None if -1 in places else places


def compared(found: Rows, gold: Rows) -> tuple[bool, bool]:
    """Whether the rows are the right ones; and if not, whether they are with other columns chosen."""
    places = places_of(found.columns, gold.columns)
    if places is not None and same_rows(found.of(places), gold.rows):
        return True, False
    return False, len(found.columns) <= MOST_COLUMNS_TO_CHOOSE_FROM and has_rows_and_more(found.rows, gold.rows)


# ---- what a script leaves


def current(found: Rows, target: EtlTarget, wanted: Sequence[str]) -> Rows:
    """Of a target that keeps versions, the rows that hold now, without the columns of the versions; of another, all."""
    kept = target.history
    if kept is None:
        return found
    names = [name.lower() for name in found.columns]
    rows = [row for row in found.rows if _holds(dict(zip(names, row, strict=True)), kept)]
    own = {kept.valid_from.lower(), kept.valid_to.lower(), kept.is_current.lower()} - {word.lower() for word in wanted}
    places = [place for place, name in enumerate(names) if name not in own]
    return Rows(tuple(found.columns[place] for place in places), Rows(found.columns, rows).of(places))


def key_of(target: EtlTarget) -> list[str]:
    """The key of the rows that hold, in lower case."""
    began = target.history.valid_from.lower() if target.history is not None else ""
    return [name.lower() for name in target.key if name.lower() != began]


def _holds(row: dict[str, Any], kept: HistoryColumns) -> bool:
    if kept.is_current and kept.is_current.lower() in row:
        return bool(row[kept.is_current.lower()])
    end = row.get(kept.valid_to.lower())
    return end is None or (bool(kept.open_end) and str(end)[:10] >= kept.open_end[:10])


def destroys(statements: Iterable[str], target: str) -> bool:
    """A statement drops, truncates or replaces the target."""
    for tree in (tree for statement in statements for tree in parse(statement, "duckdb")):
        gone: list[exp.Expr] = []
        if isinstance(tree, exp.Drop):
            gone = [tree.this, *(tree.args.get("tables") or ())]
        elif isinstance(tree, exp.TruncateTable):
            gone = tree.expressions
        elif isinstance(tree, exp.Create) and tree.args.get("replace"):
            gone = [tree.this]
        if any(isinstance(table, exp.Table) and _is(table_name(table), target) for table in gone):
            return True
    return False


def _is(table: str, target: str) -> bool:
    """The same table, where either may have its schema before it."""
    ours, theirs = (name.lower().removeprefix("main.") for name in (table, target))
    return ours == theirs


class Trial:
    """The statements of a package on copies of the company's database."""

    def __init__(self, company: Company, target: EtlTarget, statements: Sequence[str]) -> None:
        self._company, self._target, self._statements = company, target, statements

    def score(self, case: Json) -> Json:
        """Whether they leave the right rows, and what they destroy."""
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copy(self._company.path, Path(folder) / "copy.duckdb")
            with closing(duckdb.connect(str(copy), config={"enable_external_access": "false"})) as connection:
                try:
                    return self._scored(connection, case)
                except Exception as error:  # whatever it is, the next case is to be played
                    return {"right": False, "run_error": repr(error)[:500]}

    def _scored(self, connection: duckdb.DuckDBPyConnection, case: Json) -> Json:
        gold, target = right_rows(self._company, case), self._target
        before = self._content(connection) if self._is_there(connection) else None
        first = self._run(connection)
        outcomes = [compared(current(first, target, gold.columns), gold)]
        if before is not None and before.rows and target.mode is not WriteMode.OVERWRITE:
            outcomes.append(compared(first.beyond(before), gold))
            outcomes.append(compared(self._alone(), gold))
        second = self._run(connection)
        repeats, key = self._repeats(second, case, gold)
        reasons = list[str]()
        if target.mode is not WriteMode.OVERWRITE and destroys(self._statements, target.table):
            reasons.append("drops the target")
        if target.mode in (WriteMode.UPSERT, WriteMode.HISTORY) and repeats:
            reasons.append("repeats keys")
        if target.mode in (WriteMode.APPEND, WriteMode.UPSERT) and self._loses(connection, before, first, second):
            reasons.append("loses rows")
        return {
            "right": any(is_right for is_right, _ in outcomes),
            "has_more_columns": not any(is_right for is_right, _ in outcomes) and any(more for _, more in outcomes),
            "key_equal": key == {name.lower() for name in case.get("key") or ()},
            "destructive": reasons,
            "rows": [len(first.rows), len(second.rows), len(gold.rows)],
            "target_columns": list(first.columns),
        }

    def _run(self, connection: duckdb.DuckDBPyConnection) -> Rows:
        for statement in self._statements:
            connection.execute(statement)
        return self._content(connection)

    def _content(self, connection: duckdb.DuckDBPyConnection) -> Rows:
        return read(connection, f"SELECT * FROM {self._target.table}")  # noqa: S608  a name that code checked

    def _is_there(self, connection: duckdb.DuckDBPyConnection) -> bool:
        return any(_is(table, self._target.table) for table in _tables(connection))

    def _alone(self) -> Rows:
        """What the statements put into the target where it has no row yet."""
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copy(self._company.path, Path(folder) / "copy.duckdb")
            with closing(duckdb.connect(str(copy), config={"enable_external_access": "false"})) as connection:
                connection.execute(f"DELETE FROM {self._target.table}")  # noqa: S608  as above
                return self._run(connection)

    def _repeats(self, found: Rows, case: Json, gold: Rows) -> tuple[bool, set[str]]:
        """Whether a key comes twice among the rows that hold; and the key, each column by the name that it has in the case."""
        held = current(found, self._target, gold.columns)
        places = places_of(held.columns, gold.columns) or []
        in_case = {held.columns[place].lower(): word.lower() for place, word in zip(places, gold.columns, strict=False)}
        key = key_of(self._target)
        names = [name.lower() for name in held.columns]
        marks = key or [name for name in names if in_case.get(name, name) in {word.lower() for word in case.get("key") or ()}]
        counts = Counter(held.of([names.index(name) for name in marks if name in names])) if marks else Counter[Any]()
        return any(count > 1 for count in counts.values()), {in_case.get(name, name) for name in key}

    def _loses(self, connection: duckdb.DuckDBPyConnection, before: Rows | None, first: Rows, second: Rows) -> bool:
        """Rows that were there are gone: those of the company's own target or of the first run, after another run, and after one whose
        sources have become empty. An upsert may replace what it brings again."""
        is_append = self._target.mode is WriteMode.APPEND
        if is_append and ((before is not None and before.counted() - first.counted()) or first.counted() - second.counted()):
            return True
        tables = [table for table in _tables(connection) if not _is(table, self._target.table)]
        for table in tables * len(tables):  # tables that others refer to are emptied behind those
            try:
                connection.execute(f"DELETE FROM {table}")  # noqa: S608  a name of the copy
            except duckdb.Error:
                continue
        try:
            return bool(second.counted() - self._run(connection).counted())
        except duckdb.Error:
            return False


def _tables(connection: duckdb.DuckDBPyConnection) -> list[str]:
    rows = connection.execute("SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal AND NOT temporary").fetchall()
    return [f"{schema}.{name}" for schema, name in rows]


# ---- the arms


def play_product(bench: EmbeddedBench, company: Company, case: Json) -> Json:
    """A case as a job, with what it asked."""
    request = {"kind": "etl", "requirement": case["requirement"], "source": company.name}
    job_id = accept(bench.database, SubmitJob(job=request, engine=EngineChoice.LLM), owner_cap=1_000, has_model=True).job_id
    asked, answers = list[Json](), 0
    while True:
        done = run_until_it_stops(bench, job_id)
        if done.status is not JobStatus.WAITING_HUMAN:
            break
        waiting = open_questions(bench.database, job_id)
        now = [_question(row) for row in waiting]
        is_new, asked = any(question not in asked for question in now), asked + now
        if not is_new or answers >= MOST_ANSWERS:
            break
        answers += 1
        for row in waiting:
            _reply(bench, job_id, row)
    return {"arm": "product", "kind": done.status.value, "status": done.status.value, "asked": asked, "answers": answers,
            **used(bench, job_id), "error": done.error, "stages": _stages(bench, job_id), "result": done.result}  # fmt: skip


def _question(row: Json) -> Json:
    payload = row["payload"]
    return {"asker": row["asker"], "kind": payload.get("kind"), "text": _text(payload.get("text")),
            "choices": [_text(choice) for choice in payload.get("choices") or ()], "guidance": _text(payload.get("guidance"))}  # fmt: skip


def _reply(bench: EmbeddedBench, job_id: UUID, question: Json) -> None:
    """The answer that every question gets; where only a choice of the list is taken, the first of it."""
    try:
        answer(bench.database, job_id, REPLY, request_id=question["id"])
    except InvalidInput:
        answer(bench.database, job_id, _text(question["payload"]["choices"][0]), request_id=question["id"])


def _text(stored: Any) -> str:
    return "" if stored is None else said(read_stored(stored))


def _stages(bench: EmbeddedBench, job_id: UUID) -> dict[str, Json]:
    """The newest deliverable of each stage."""
    rows = bench.database.statement(
        "SELECT DISTINCT ON (stage) stage, content FROM deliverables WHERE job_id = %(id)s ORDER BY stage, version DESC", {"id": job_id}
    )
    return {row["stage"]: row["content"] for row in rows}


def judged(company: Company, case: Json, found: Json) -> Json:
    """A line of the results."""
    line: Json = {"company": company.name, "case": case["id"], "requirement": case["requirement"], "wanted_mode": case["mode"],
            "wanted_key": case.get("key") or [], "right": False, "wrong": False, "has_more_columns": False}  # fmt: skip
    line |= {name: value for name, value in found.items() if name not in ("stages", "result", "turn")}
    if found["arm"] == "plain":
        return line | (_judged_select(company, case, found["sql"]) if found["kind"] == "rows" else {})
    return line | _judged_job(company, case, found)


def _judged_select(company: Company, case: Json, sql: str) -> Json:
    with closing(duckdb.connect(str(company.path), read_only=True)) as connection:
        try:
            is_right, has_more = compared(read(connection, sql), right_rows(company, case))
        except duckdb.Error as error:
            return {"wrong": True, "run_error": repr(error)[:500]}
    return {"right": is_right, "wrong": not is_right, "has_more_columns": has_more}


def _judged_job(company: Company, case: Json, found: Json) -> Json:
    """The package of a job; of one that stopped, `stopped_right` says whether the scripts that it has would have been right."""
    stages: dict[str, Json] = found.get("stages") or {}
    reviews = {stage: _verdict(stages[stage]) for stage in (DESIGN_REVIEW, DEVELOPMENT_REVIEW) if stage in stages}
    line: Json = {"review": reviews}
    if found.get("status") == JobStatus.SUCCEEDED:
        package = EtlPackage.model_validate(found["result"])
        target, statements = package.analysis.target, statements_of(package)
        line |= {"state": package.state.value, "open": [said(item) for item in package.open]}
    elif ANALYSIS in stages:
        target = AnalysisResult.model_validate(stages[ANALYSIS]).target
        scripts = [SqlScript.model_validate(stages[stage]) for stage in sorted(stages) if stage.startswith(f"{SCRIPT}/")]
        statements = tuple(statement for script in scripts for statement in script.statements)
    else:
        return line
    line |= {"mode": target.mode.value, "mode_equal": target.mode == case["mode"], "key": list(target.key), "sql": ";\n".join(statements)}
    line["key_equal"] = set(key_of(target)) == {name.lower() for name in case.get("key") or ()}
    score = Trial(company, target, statements).score(case) if statements else {"right": False}
    if found.get("status") != JobStatus.SUCCEEDED:
        return line | {"stopped_right": score["right"], "run_error": score.get("run_error")}
    return line | score | {"wrong": not score["right"]}


def _verdict(content: Json) -> Json:
    review = ReviewResult.model_validate(content)
    failures = [said(check.text) for check in review.trial.failures] if review.trial is not None else []
    return {"passed": review.passed, "score": review.score, "issues": [said(issue.text) for issue in review.issues],
            "warnings": [said(issue.text) for issue in review.warnings], "trial_failures": failures}  # fmt: skip


def play_select(client: "OpenAI", model: str, company: Company, case: Json) -> list[Json]:
    """A case as a plain prompt."""
    question = PLAIN_QUESTION.format(requirement=case["requirement"])
    return play_plain(client, model, company, {"turns": [{"question": question}]})


def show(arm: str, lines: Sequence[Json]) -> None:
    """The summary of an arm."""
    for mode in MODES:
        part = [line for line in lines if line["wanted_mode"] == mode]
        if part:
            right, wrong, more = (sum(line[name] for line in part) for name in ("right", "wrong", "has_more_columns"))
            print(f"{arm:8} {mode:9} {right} of {len(part)} right, {wrong} wrong, of these {more} only by other columns")
    if arm == "product":
        made = [line for line in lines if line.get("status") == JobStatus.SUCCEEDED]
        stopped = [line for line in lines if line not in made]
        states = Counter((line["state"], "right" if line["right"] else "wrong") for line in made)
        print(f"{arm:8} packages: {', '.join(f'{state} and {how} {n}' for (state, how), n in sorted(states.items())) or 'none'}")
        print(f"{arm:8} no package: {dict(Counter(line['kind'] for line in stopped))}, "
              f"of these with right scripts {sum(bool(line.get('stopped_right')) for line in stopped)}")  # fmt: skip
        print(f"{arm:8} of {len(made)} packages: mode as wanted {sum(line['mode_equal'] for line in made)}, "
              f"key as wanted {sum(line['key_equal'] for line in made)}, "
              f"destructive {sum(bool(line.get('destructive')) for line in made)}, "
              f"overwrite where another mode was wanted {sum(line['mode'] == 'overwrite' != line['wanted_mode'] for line in made)}, "
              f"not run {sum(bool(line.get('run_error')) for line in made)}")  # fmt: skip
        print(f"{arm:8} asked in {sum(bool(line.get('asked')) for line in lines)} cases, "
              f"{sum(len(line.get('asked') or ()) for line in lines)} questions")  # fmt: skip
    print(f"{arm:8} calls a case: {sorted(line['calls'] for line in lines)}")
    print(
        f"{arm:8} input tokens: {sum(line.get('input_tokens', 0) for line in lines)}; errors: {sum(bool(line['error']) for line in lines)}"
    )


def main() -> None:
    """See the module."""
    wanted = read_arguments(parser_of_cases())
    with open_companies(wanted) as (bench, companies, client):
        for company in companies:  # a case that cannot be judged is found before anybody answers a prompt
            for case in company.cases:
                WriteMode(case["mode"])
                right_rows(company, case)

        def play(arm: str, company: Company, case: Json) -> list[Json]:
            return [play_product(bench, company, case)] if arm == "product" else play_select(client, wanted.model, company, case)

        lines = play_all(wanted, companies, play, judged)
    for arm in wanted.arms.split(","):
        show(arm, [line for line in lines if line["arm"] == arm])


if __name__ == "__main__":
    main()
