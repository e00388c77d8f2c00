"""Jobs: submit, list, read, and what a user or an operator says to one."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from bullpen_client.call import LONG_S, Answer, Call, given, path, raw, returns, text
from bullpen_client.models import (
    Accepted,
    Ended,
    Forked,
    Job,
    JobPage,
    Json,
    Replayed,
    Result,
    Revised,
    Taken,
    Why,
)

JobId = UUID | str


def submit(
    job: Mapping[str, Any],
    *,
    priority: int | None = None,
    idempotency_key: str | None = None,
    correlation_id: str | None = None,
    reply_to: str | None = None,
    session_id: JobId | None = None,
    engine: str | None = None,
    budget: Mapping[str, Any] | None = None,
) -> Call[Accepted]:
    """Make a job. `job`: the request; its `kind` says which other fields it has. The same `idempotency_key` gives the same job.
    `budget`: `wall_time_s`, `tokens`, `cost_usd`."""
    body = given(
        priority=priority, idempotency_key=idempotency_key, correlation_id=correlation_id, reply_to=reply_to, session_id=session_id,
        engine=engine, budget=budget,
    )  # fmt: skip
    return Call("POST", "/v1/jobs", returns(Accepted), body={"job": dict(job), **body})


def jobs(
    *,
    status: str | None = None,
    kind: str | None = None,
    text: str | None = None,
    session_id: JobId | None = None,
    owner: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    before: JobId | None = None,
    limit: int = 20,
) -> Call[JobPage]:
    """Jobs, the newest first. `before`: the `next` of the page before. `owner` is for keys of scope admin."""
    params = given(
        status=status, kind=kind, text=text, session_id=session_id, owner=owner, since=since, until=until, before=before, limit=limit
    )  # fmt: skip
    return Call("GET", "/v1/jobs", returns(JobPage), params)


def job(job_id: JobId, *, language: str | None = None) -> Call[Job]:
    """Everything about a job at one revision."""
    return Call("GET", path("/v1/jobs/{job_id}", job_id=job_id), returns(Job), given(language=language))


def why(job_id: JobId, *, stage: str | None = None, language: str | None = None) -> Call[Why]:
    """What a job, or one of its stages, waits for, and what would help."""
    params = given(stage=stage, language=language)
    return Call("GET", path("/v1/jobs/{job_id}/why", job_id=job_id), returns(Why), params)


def decisions(job_id: JobId, *, language: str | None = None) -> Call[list[Json]]:
    """What the boss decided on a job, oldest first."""
    return Call("GET", path("/v1/jobs/{job_id}/decisions", job_id=job_id), raw, given(language=language))


def steps(job_id: JobId) -> Call[Json]:
    """The status of a job and its steps, as a live picture shows them."""
    return Call("GET", path("/v1/jobs/{job_id}/steps", job_id=job_id), raw)


def tool_calls(job_id: JobId, *, texts: bool = False, step_id: JobId | None = None) -> Call[Json]:
    """What the steps of a job were granted, and what they called; for its owner also `journal`: what was asked of models and tools.
    `texts`: with prompts and answers."""
    return Call("GET", path("/v1/jobs/{job_id}/calls", job_id=job_id), raw, given(texts=texts or None, step_id=step_id))


def result(job_id: JobId, *, language: str | None = None) -> Call[Result]:
    """What came of a job. Raises `Conflict` while it has no result."""
    return Call("GET", path("/v1/jobs/{job_id}/result", job_id=job_id), returns(Result), given(language=language))


def report(job_id: JobId, *, form: str = "md", details: bool = False, page: int | None = None, language: str | None = None) -> Call[str]:
    """The result as Markdown (`md`) or as an HTML page (`html`)."""
    params = given(format=form, details=details, page=page, language=language)
    return Call("GET", path("/v1/jobs/{job_id}/result", job_id=job_id), text, params)


def deliverables(job_id: JobId) -> Call[list[Json]]:
    """All versions of what each stage yielded, without their contents."""
    return Call("GET", path("/v1/jobs/{job_id}/deliverables", job_id=job_id), raw)


def deliverable(job_id: JobId, stage: str, *, version: int | None = None, language: str | None = None) -> Call[Json]:
    """What a stage yielded: its current version, or this one."""
    place = path("/v1/jobs/{job_id}/deliverables/{stage}", job_id=job_id, stage=stage) + ("" if version is None else f"/{version}")
    return Call("GET", place, raw, given(language=language))


def answer(job_id: JobId, words: str, *, request_id: JobId | None = None) -> Call[Taken]:
    """Answer a question. The first answer counts. `request_id` may be left out when one question is open."""
    return Call("POST", path("/v1/jobs/{job_id}/answer", job_id=job_id), returns(Taken), body=given(text=words, request_id=request_id))


def run_item(job_id: JobId, item: int, *, request_id: JobId | None = None) -> Call[Json]:
    """Run the method of an item of a question on the system that the job has looked at, read-only; the rows."""
    return Call("POST", path("/v1/jobs/{job_id}/run", job_id=job_id), raw, body=given(item=item, request_id=request_id), timeout_s=60.0)


def take_back(job_id: JobId, *, request_id: JobId | None = None) -> Call[Json]:
    """Take back the last answer; or that to `request_id` and all later ones."""
    return Call("POST", path("/v1/jobs/{job_id}/answer/undo", job_id=job_id), raw, body=given(request_id=request_id))


def instruct(job_id: JobId, words: str, *, stage: str | None = None, idempotency_key: str | None = None) -> Call[Taken]:
    """Say what a running job should do differently."""
    headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
    body = given(text=words, stage=stage)
    return Call("POST", path("/v1/jobs/{job_id}/instruct", job_id=job_id), returns(Taken), body=body, headers=headers)


def feedback(job_id: JobId, words: Mapping[str, Any], *, preview: bool = False) -> Call[Json]:
    """Say whether a finished job was right; the fields are those of its kind. `preview`: only say what would be stored."""
    return Call("POST", path("/v1/jobs/{job_id}/feedback", job_id=job_id), raw, given(preview=preview or None), body=dict(words))


def replay(
    job_id: JobId,
    *,
    stage: str | None = None,
    step_id: JobId | None = None,
    edit: Mapping[str, Any] | None = None,
    from_call: int | None = None,
    dry_run: bool = False,
) -> Call[Replayed]:
    """Do a stage, a step, or what failed, again. `edit`: parameters of the stage to override. `from_call`: the step goes on from this
    model call, and `edit` is its prompt: `messages`, each with `role` and `text`."""
    body = given(stage=stage, step_id=step_id, edit=edit, from_call=from_call, dry_run=dry_run)
    return Call("POST", path("/v1/jobs/{job_id}/replay", job_id=job_id), returns(Replayed), body=body)


def revise(job_id: JobId, stage: str, content: Mapping[str, Any], *, dry_run: bool = False) -> Call[Revised]:
    """Replace what a stage yields by your own version; stage `input` is the request itself."""
    body = {"stage": stage, "content": dict(content), "dry_run": dry_run}
    return Call("POST", path("/v1/jobs/{job_id}/revise", job_id=job_id), returns(Revised), body=body)


def unpin(job_id: JobId, stage: str) -> Call[Json]:
    """Let the rules choose the current version of a stage again."""
    return Call("POST", path("/v1/jobs/{job_id}/unpin", job_id=job_id), raw, body={"stage": stage})


def fork(job_id: JobId, stage: str, *, edit: Mapping[str, Any] | None = None, dry_run: bool = False) -> Call[Forked]:
    """Copy a job; the copy does one stage, and what is below it, again."""
    body = given(stage=stage, edit=edit, dry_run=dry_run)
    return Call("POST", path("/v1/jobs/{job_id}/fork", job_id=job_id), returns(Forked), body=body)


def cancel(job_id: JobId) -> Call[Ended]:
    """End a job with its running steps and open questions."""
    return Call("POST", path("/v1/jobs/{job_id}/cancel", job_id=job_id), returns(Ended))


def files(job_id: JobId) -> Call[Json]:
    """The files that a job was given."""
    return Call("GET", path("/v1/jobs/{job_id}/files", job_id=job_id), raw)


def file(job_id: JobId, name: str) -> Call[None]:
    """A file that a job was given; `Client.download` writes it to a file."""
    return Call("GET", path("/v1/jobs/{job_id}/files/{name}", job_id=job_id, name=name), lambda _: None)


def rows(job_id: JobId, *, form: str = "csv", exact: bool = False) -> Call[Json]:
    """All rows of a result, as `csv` or `parquet`; `Client.save` writes them to a file, and returns how many there are."""
    place = path("/v1/jobs/{job_id}/rows", job_id=job_id)
    return Call("GET", place, _rows_written, {"format": form, "exact": exact}, timeout_s=LONG_S)


def _rows_written(answer: Answer) -> Json:
    """What the headers say of rows."""
    read = answer.headers.get
    return {"rows": int(read("x-bullpen-rows", "0")), "cut": read("x-bullpen-cut"), "guarded": int(read("x-bullpen-guarded", "0"))}


def find_id(words: str, things: Sequence[str]) -> Call[Json]:
    """The `id` that six or more characters of its beginning or end name. `things`: `job`, `step`, `session`, `quarantine entry`."""
    return Call("GET", "/v1/ids", raw, {"text": words, "thing": list(things)})


def failed_steps(
    *, role: str | None = None, kind: str | None = None, error: str | None = None, since: datetime | None = None
) -> Call[list[Json]]:
    """The last failed steps of failed jobs, which a replay would do again."""
    return Call("GET", "/v1/steps/failed", raw, given(role=role, kind=kind, error=error, since=since))


def step(step_id: JobId) -> Call[Json]:
    """One step."""
    return Call("GET", path("/v1/steps/{step_id}", step_id=step_id), raw)
