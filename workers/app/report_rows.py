"""A role's report in the form in which it is written: checked against the plan, cleaned, hashed, its requests as rows."""

from collections.abc import Set
from typing import Any

from contracts.base import canonical_json, clean_json, content_hash
from contracts.events import EventKind
from contracts.jobs import StepStatus
from contracts.reports import ErrorInfo, Outcome, Report
from contracts.stages import StageSpec, is_family, is_member, read_nothing
from contracts.statements import Sayable, as_stored
from contracts.wire import MAX_DELIVERABLE_BYTES
from workers.blackboard.ids import new_id
from workers.blackboard.steps import Claim, StepResult
from workers.errors import AskedTooOften, InvalidReport
from workers.saying.catalogues import DEFAULT_LANGUAGE

MOST_SAID = 4_000
"""Characters of a statement, or of the notes, in an event. Longer ones are there as text alone, which is cut."""


def as_result(done: Report[Any], held: Claim, *, notes: tuple[Sayable, ...] = ()) -> StepResult:
    """A role's report in the form in which it is written, its texts in the language of the job; `notes` come after its own. Raises
    `InvalidReport` or `AskedTooOften`."""
    stage, ancestors = held.stage, held.ancestors
    summary = _text(done.summary, held)
    if done.outcome == Outcome.FAILED:
        error = done.error or ErrorInfo(type="RoleFailed", message=summary or "The role gave no reason.")
        return StepResult(StepStatus.FAILED, done.outcome, EventKind.STEP_FAILED, summary, error=error, detail={"error": error.type})
    if (done.question or done.delegation) and not held.may_ask:
        raise AskedTooOften(f"Stage {stage} asked again although it may not ask any more.")
    content = None if done.deliverable is None else clean_json(done.deliverable.to_json())
    if not held.optional and read_nothing(content) is not None:
        raise InvalidReport(f"Stage {stage} yields nothing, and is not optional. Say so in its playbook: optional=True.")
    asked = {Outcome.NEEDS_CLARIFICATION: done.question, Outcome.NEEDS_DELEGATION: done.delegation}
    if done.outcome in asked and asked[done.outcome] is None:
        raise InvalidReport(f"Stage {stage} reports {done.outcome} but does not say what it needs.")
    if done.outcome == Outcome.COMPLETED and content is None:
        raise InvalidReport(f"Stage {stage} reports completed without a deliverable.")
    if content is not None and len(canonical_json(content).encode()) > MAX_DELIVERABLE_BYTES:
        raise InvalidReport(f"The deliverable of {stage} is larger than {MAX_DELIVERABLE_BYTES} bytes; hand over a reference to it.")
    effects: dict[str, Any] = {}
    if done.stages:
        effects["stages"] = [spec.to_json() for spec in done.stages]
        _check_contributed(done, stage, ancestors)
    if done.move is not None:
        effects["move"] = done.move
    return StepResult(
        status=StepStatus.SUCCEEDED,
        outcome=done.outcome,
        event=EventKind.STEP_SUCCEEDED,
        summary=summary,
        deliverable_id=None if content is None else new_id(),
        content=content,
        content_hash=None if content is None else content_hash(content),
        effects=effects or None,
        requests=tuple(_requests(done, stage, ancestors)),
        draft=done.draft,
        usage=done.usage.model_dump(mode="json", exclude_defaults=True),
        engine=done.engine,
        notes=tuple(_text(note, held) for note in (*done.notes, *notes)),
        detail={"outcome": done.outcome.value, "summary": summary[:300], **_said(done.summary, (*done.notes, *notes))},
    )


def _said(summary: Sayable, notes: tuple[Sayable, ...]) -> dict[str, Any]:
    """Summary and notes as statements, for readers of other languages than the job's: `says`, and `notes` in their order. Without
    statements, and where one is long, there is the text alone."""
    stored = {"says": as_stored(summary), "notes": [as_stored(note) for note in notes]}
    parts = {name: value for name, value in stored.items() if isinstance(value, dict) or (isinstance(value, list) and value)}
    return {name: value for name, value in parts.items() if len(canonical_json(value)) <= MOST_SAID}


def _text(shown: Sayable, held: Claim) -> str:
    """A statement as text in the language of the job; a text unchanged."""
    if isinstance(shown, str):
        return shown
    from workers.saying import text_of  # loads locale data, which a role without statements does not need

    return text_of(shown, held.language or DEFAULT_LANGUAGE)


def _check_contributed(done: Report[Any], stage: str, ancestors: frozenset[str]) -> None:
    names = {spec.name for spec in done.stages}
    others = {name for name in ancestors if "/" not in name} - {stage.partition("/")[0]}
    known = {stage, *ancestors, *names}
    for spec in done.stages:
        wrong = [need for need in spec.needs if not _may_need(need, spec, known)]
        if wrong or "/" not in spec.name or spec.name == stage or spec.name.partition("/")[0] in others:
            raise InvalidReport(
                f"Stage {stage} may add stages NAME/n that need it, its ancestors or each other, NAME not being another stage's; "
                f"{spec.name} (needs {', '.join(spec.needs) or 'nothing'}) is not one."
            )


def _may_need(need: str, spec: StageSpec, known: Set[str]) -> bool:
    """A known stage, or a family that has a known member, the stage itself not counted."""
    if not is_family(need):
        return need in known
    return not is_member(spec.name, need) and any(is_member(name, need) for name in known)


def _requests(done: Report[Any], stage: str, ancestors: frozenset[str]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []

    def add(
        kind: str, target: str, payload: dict[str, Any], also: tuple[str, ...] = (), role: str | None = None, task: str | None = None
    ) -> None:
        payload = clean_json(payload)
        rows.append(
            {
                "id": str(new_id()), "kind": kind, "target": target, "also": list(also), "payload": payload,
                "payload_hash": content_hash(payload), "role": role, "task": task,
            }
        )  # fmt: skip

    def above(name: str) -> str:
        if name not in ancestors:
            raise InvalidReport(f"Stage {stage} may turn to the stages above it ({', '.join(sorted(ancestors))}), not to {name!r}.")
        return name

    for remark in done.remarks:
        add("remark", above(remark.stage), {**remark.payload, "text": remark.text})
    if done.question is not None:
        question = done.question.to_json()
        detail = question["payload"]
        shown = {part: question[part] for part in ("text", "choices", "guidance")}
        payload = {"kind": detail.get("kind", "question"), **shown, "detail": detail}
        add("question", "human", payload, also=tuple(above(name) for name in done.question.also))
    if done.delegation is not None:
        asked = done.delegation
        if asked.stage is not None:
            add("delegation", above(asked.stage), asked.payload)
        elif asked.role is not None and asked.task:
            add("delegation", "", asked.payload, role=asked.role.value, task=asked.task)
        else:
            raise InvalidReport(f"Stage {stage} delegates to neither a stage nor a role with a task.")
    return rows
