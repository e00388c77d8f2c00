"""A dialogue played through whole jobs: a session, a job for each message, an answer where the job waits."""

import os
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from uuid import UUID, uuid4

from contracts.ask.results import Cell, SqlFixed, SqlMade
from contracts.ask.steps import AskPlan, Understanding
from contracts.base import Json
from contracts.jobs import EngineChoice, JobStatus
from contracts.log_sources import LogKind, LogSource
from contracts.sources import Source, SourceKind
from contracts.statements import Statement
from workers.blackboard.engine import Database
from workers.catalogue.importing import Form, import_path, import_source
from workers.kinds.ask.evaluation.dialogues import Dialogue, Turn
from workers.kinds.ask.evaluation.material import DataFolder
from workers.kinds.ask.evaluation.scoring import Played, Score, score
from workers.kinds.ask.view import show_result
from workers.kinds.base import Bench, FinishedJob, ShowOptions
from workers.logs import add_log, remove_log
from workers.saying import text_of
from workers.saying.document import texts_in
from workers.sources import add_source, remove_source


@contextmanager
def databases(bench: Bench, data: DataFolder, names: Sequence[str]) -> Generator[None]:
    """The databases as sources, imported into the catalogue with their descriptions; they are gone afterwards."""
    folder = bench.settings.data_dir
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        data.lay_database(name, folder / f"{name}.sqlite")
        os.environ[f"BULLPEN_SOURCE_{name.upper()}_URL"] = f"sqlite:///{folder / name}.sqlite"
        add_source(bench.database, folder, Source(name=name, kind=SourceKind.SQLITE))
        import_source(bench.database, bench.embedder, folder, name)
        described, form = data.lay_descriptions(name, folder)
        import_path(bench.database, bench.embedder, described, form=form, source=name, dialect="sqlite")
    try:
        yield
    finally:
        for name in names:
            remove_source(bench.database, name)


@contextmanager
def log(bench: Bench, data: DataFolder, name: str) -> Generator[None]:
    """The log as a folder of JSON lines; without a name nothing."""
    if not name:
        yield
        return
    folder = bench.settings.data_dir / "lines" / name
    folder.mkdir(parents=True, exist_ok=True)
    data.lay_log(folder)
    os.environ[f"BULLPEN_LOG_{name.upper()}_URL"] = folder.as_uri()
    add_log(bench.database, bench.settings.data_dir, LogSource(name=name, kind=LogKind.FILES))
    try:
        yield
    finally:
        remove_log(bench.database, name)


def import_documents(bench: Bench, data: DataFolder) -> None:
    """The documents of all dialogues, into the catalogue."""
    folder = bench.settings.data_dir / "faq"
    folder.mkdir(parents=True, exist_ok=True)
    data.lay_documents(folder)
    import_path(bench.database, bench.embedder, folder, form=Form.DOCUMENTS, source="", dialect="")


class Player:
    """Plays dialogues one after the other."""

    def __init__(self, bench: Bench, engine: EngineChoice) -> None:
        self._bench = bench
        self._engine = engine

    def play(self, dialogue: Dialogue) -> list[tuple[Played, Score]]:
        """What each turn led to, and what was right in it."""
        session, waiting = uuid4(), None
        found: list[tuple[Played, Score]] = []
        for turn in dialogue.turns:
            if waiting is not None:
                job = self._bench.answer(waiting, turn.user)
            else:
                job = self._bench.run_job(self._request(dialogue, turn), self._engine, session_id=session)
            waiting = job.job_id if job.status is JobStatus.WAITING_HUMAN else None
            played = self._played(job, dialogue)
            rows = self._rows(played, dialogue)
            found.append((played, score(played, turn.expect, rows)))
        return found

    @staticmethod
    def _request(dialogue: Dialogue, turn: Turn) -> Json:
        fields = turn.fields
        request: Json = {
            "kind": "ask", "question": turn.user, "strategy": dialogue.strategy, "sql": fields.get("original_sql"),
            "error": fields.get("error"), "dialect": fields.get("dialect"), "product": fields.get("product"),
        }  # fmt: skip
        if len(dialogue.databases) == 1:
            request["source"] = dialogue.databases[0]
        if agent := fields.get("agent"):
            request["agent"] = agent
        return request

    def _played(self, job: FinishedJob, dialogue: Dialogue) -> Played:
        understanding = _deliverable(self._bench.database, job.job_id, "understand")
        understood = Understanding.model_validate(understanding) if understanding else None
        rewritten, final = (understood.question, understood.final_intent.value) if understood else ("", "")
        if job.status is JobStatus.WAITING_HUMAN:
            return self._question(job, dialogue, rewritten)
        if job.result is None:
            return Played(route=(), final_intent="", ends_with=f"{job.status}: {job.error}", took_ms=job.took_ms)
        plan = AskPlan.model_validate(job.result)
        document = show_result(job.result, ShowOptions())
        shown = list(texts_in(document)) if document else []
        text = "\n".join(part if isinstance(part, str) else text_of(part, dialogue.lang) for part in shown)
        return Played(
            route=tuple(tool.value for tool in plan.route),
            final_intent=final,
            ends_with=plan.answer.ends_with.value if plan.answer else "",
            results=plan.answer.results if plan.answer else (),
            text=text,
            rewritten=rewritten,
            took_ms=job.took_ms,
        )

    def _question(self, job: FinishedJob, dialogue: Dialogue, rewritten: str) -> Played:
        rows = self._bench.database.statement(
            "SELECT payload FROM requests WHERE job_id = %(id)s AND kind = 'question' AND response IS NULL ORDER BY id DESC LIMIT 1",
            {"id": job.job_id},
        )
        payload: Json = rows[0]["payload"] if rows else {}
        calls = self._bench.database.statement(
            "SELECT task FROM stages WHERE job_id = %(id)s AND name LIKE 'tool/%%'", {"id": job.job_id}
        )  # fmt: skip
        route = ["data_discovery" for row in calls if row["task"] == "ask.discover"]
        return Played(
            route=(*route, "ask_human"), final_intent="ask_human", ends_with="question",
            text=_said(payload.get("text"), dialogue.lang), rewritten=rewritten, took_ms=job.took_ms,
            options=tuple(_said(choice, dialogue.lang) for choice in payload.get("choices", ())),
        )  # fmt: skip

    def _rows(self, played: Played, dialogue: Dialogue) -> Sequence[Sequence[Cell]] | None:
        """The result of SQL that the turn made and did not run."""
        made = next((result for result in reversed(played.results) if isinstance(result, SqlMade | SqlFixed)), None)
        if made is None or not made.sql or not dialogue.databases:
            return None
        path = self._bench.settings.data_dir / f"{dialogue.databases[0]}.sqlite"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            try:
                return [tuple(row) for row in connection.execute(made.sql).fetchall()]
            except sqlite3.Error:
                return None


def _said(shown: object, language: str) -> str:
    """A text of a stored question."""
    return text_of(Statement.model_validate(shown), language) if isinstance(shown, dict) else str(shown or "")


def _deliverable(database: Database, job_id: UUID, stage: str) -> Json | None:
    row = database.row(
        "SELECT content FROM deliverables WHERE job_id = %(id)s AND stage = %(stage)s ORDER BY version DESC LIMIT 1",
        {"id": job_id, "stage": stage},
    )
    return row["content"] if row else None
