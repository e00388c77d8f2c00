"""A dialogue played through whole jobs: a session, a job for each message, an answer where the job waits."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import UUID, uuid4

from contracts.analyze.answer import AnalyzeAnswer
from contracts.analyze.steps import ParamsRequest
from contracts.base import Json
from contracts.jobs import EngineChoice, JobStatus
from workers.engines.language import language_of
from workers.kinds.analyze.view import show_result
from workers.kinds.base import Bench, FinishedJob, ShowOptions
from workers.saying import text_of
from workers.saying.document import texts_in
from workers.skills.evals import Dialogue


def read_dialogues(path: Path) -> list[Dialogue]:
    """The dialogues of a file of JSON lines; what only their readers use is left out."""
    read = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [Dialogue.model_validate({name: raw[name] for name in Dialogue.model_fields if name in raw}) for raw in read]


@dataclass(frozen=True, slots=True)
class Played:
    """What a turn led to."""

    calls: tuple[tuple[str, Json, Json | None], ...] = ()
    """Tool, arguments and result of the calls of this turn; the result is None if the tool failed."""
    failed: tuple[tuple[str, str], ...] = ()
    """Tool and message of the steps that failed."""
    answer: AnalyzeAnswer | None = None
    form: ParamsRequest | None = None
    """When the job waits for the user."""
    text: str = ""
    """All that the user reads."""
    words: str = ""
    """The sentences of it, without tables and charts."""
    skill_before: str = ""
    ended: str = ""
    """The status of the job when it failed, and why."""
    took_ms: int = 0
    options: tuple[str, ...] = field(default=())


class Player:
    """Plays dialogues."""

    def __init__(self, bench: Bench, engine: EngineChoice) -> None:
        self._bench = bench
        self._engine = engine

    def play(self, dialogue: Dialogue) -> list[Played]:
        """What each turn led to."""
        session, waiting, seen, skill = uuid4(), None, 0, ""
        found: list[Played] = []
        for turn in dialogue.turns:
            text = as_text(turn.user)
            if waiting is not None:
                job = self._bench.answer(waiting, text)
            else:
                job, seen = self._bench.run_job({"kind": "analyze", "question": text}, self._engine, session_id=session), 0
            waiting = job.job_id if job.status is JobStatus.WAITING_HUMAN else None
            acts = self._acts(job.job_id)
            played = self._played(job, dialogue.lang or language_of(text), acts[seen:], skill)
            played = replace(played, failed=tuple(failure for act in acts[seen:] for failure in _failures(act)))
            seen = len(acts)
            skill = played.answer.skill if played.answer else skill
            found.append(played)
        return found

    def _acts(self, job_id: UUID) -> list[Json]:
        rows = self._bench.database.statement(
            "SELECT DISTINCT ON (stage) stage, content FROM deliverables WHERE job_id = %(id)s AND stage LIKE 'act/%%' "
            "ORDER BY stage, version DESC",
            {"id": job_id},
        )
        return [row["content"] for row in sorted(rows, key=lambda row: int(row["stage"].partition("/")[2]))]

    def _played(self, job: FinishedJob, language: str, acts: Sequence[Json], skill: str) -> Played:
        calls = tuple(call for act in acts for call in _calls(act))
        if job.status is JobStatus.WAITING_HUMAN:
            return self._question(job, language, calls, skill)
        if job.result is None:
            return Played(calls=calls, ended=f"{job.status}: {job.error}", skill_before=skill, took_ms=job.took_ms)
        document = show_result(job.result, ShowOptions(details=True))
        parts = list(texts_in(document)) if document else []
        text = "\n".join(part if isinstance(part, str) else text_of(part, language) for part in parts[1:])
        answer = AnalyzeAnswer.model_validate(job.result)
        sentences = [*answer.says, *answer.verbatim, *(item.text for item in answer.suggestions)]
        words = "\n".join(part if isinstance(part, str) else text_of(part, language) for part in sentences)
        return Played(calls=calls, answer=answer, text=text, words=words, skill_before=skill, took_ms=job.took_ms)

    def _question(self, job: FinishedJob, language: str, calls: tuple[tuple[str, Json, Json | None], ...], skill: str) -> Played:
        rows = self._bench.database.statement(
            "SELECT payload FROM requests WHERE job_id = %(id)s AND kind = 'question' AND response IS NULL ORDER BY id DESC LIMIT 1",
            {"id": job.job_id},
        )
        payload: Json = rows[0]["payload"] if rows else {}
        form = ParamsRequest.model_validate(payload["detail"]) if payload.get("kind") == "params_request" else None
        chosen = self._bench.database.row("SELECT content FROM deliverables WHERE job_id = %(id)s AND stage = 'skill'", {"id": job.job_id})
        skill_of_job: Json = (chosen["content"].get("skill") if chosen else None) or {}
        name = str(skill_of_job.get("name", ""))
        return Played(
            calls=calls, form=form, text=f"{payload.get('text', '')}", skill_before=skill, ended=f"waits with {name}", took_ms=job.took_ms
        )


def as_text(user: str | Mapping[str, object]) -> str:
    """A turn as the text that a client sends: a form's parameters as JSON, chosen suggestions a line each."""
    if isinstance(user, str):
        return user
    selected = user.get("selected")
    if isinstance(selected, list):
        return "\n".join(map(str, selected))  # pyright: ignore[reportUnknownArgumentType] JSON has no static type
    return json.dumps(user, ensure_ascii=False)


def _failures(act: Json) -> list[tuple[str, str]]:
    """The call of a step that failed, with its message; a result that holds an error speaks for itself."""
    call: Json | None = act.get("call")
    result: Json = act.get("result") or {}
    return [(call["tool"], str(act.get("message") or "-"))] if call and act.get("outcome") == "failed" and not result.get("error") else []


def _calls(act: Json) -> list[tuple[str, Json, Json | None]]:
    found: list[tuple[str, Json, Json | None]] = [(call["tool"], call["arguments"], None) for call in act.get("calls", ())]
    call = act.get("call")
    return [*found, (call["tool"], call["arguments"], act.get("result"))] if call else found
