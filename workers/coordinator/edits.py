"""Edits by an operator: checked against what their stage takes or yields, before anything is written.

An edit may be given bare, or inside what `bullpen show JOB --stage STAGE --json` prints, so that a person can print a stage, change
a value in the file, and give the file back.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from contracts.base import Json, canonical_json, clean_json, content_hash
from contracts.stages import INPUT, Nothing, read_nothing
from contracts.statements import code, name, say
from contracts.wire import MAX_MESSAGE_BYTES
from workers.blackboard.board import Stage
from workers.blackboard.engine import Database
from workers.coordinator.intake import faults
from workers.coordinator.playbooks import find_playbook
from workers.coordinator.stage_contracts import find_contract
from workers.coordinator.want import StageView
from workers.errors import InvalidInput

PRINTED = frozenset({"stage", "version", "content", "content_hash"})
"""The fields by which the output of `show --stage --json` is recognised. No deliverable has all of them."""


@dataclass(frozen=True, slots=True)
class Change:
    """One value that an edit changes. None: the field is absent on that side."""

    field: str
    before: Any
    after: Any

    def to_json(self) -> Json:
        """As JSON."""
        return {"field": self.field, "before": self.before, "after": self.after}


@dataclass(frozen=True, slots=True)
class Edit:
    """A checked edit: what is to be stored, and what it changes."""

    value: Json
    changes: tuple[Change, ...]


def parameters_of(db: Database, job_id: UUID, stage: Stage) -> Json:
    """The parameters of a stage with the edits of earlier replays applied, the last one winning."""
    rows = db.statement(
        "SELECT payload->'edit' AS edit FROM requests WHERE job_id = %(job_id)s AND target = %(stage)s AND kind = 'replay' ORDER BY id",
        {"job_id": job_id, "stage": stage.name},
    )
    merged = dict(stage.params)
    for row in rows:
        merged.update(row["edit"] or {})
    return merged


def check_parameters(db: Database, job_id: UUID, stage: Stage, given: Json, *, fresh: bool = False) -> Edit:
    """The edit of a replay or a fork. `fresh`: edits of earlier replays do not apply, as in a fork. Raises `InvalidInput`, naming each
    wrong field."""
    before = dict(stage.params) if fresh else parameters_of(db, job_id, stage)
    edit = _cleaned(given)
    if _is_printed(edit):
        printed = _printed_parameters(stage.name, edit)
        edit = {name: value for name, value in printed.items() if name not in before or before[name] != value}
    contract = find_contract(stage.role, stage.task)
    if contract is not None and edit:
        form = contract.edits()
        if not form.model_fields:
            raise InvalidInput.of(
                say(
                    "refused.no_parameters",
                    stage=name(stage.name),
                    edited=name(", ".join(sorted(edit))[:200]),
                    own=code(f"bullpen revise JOB {stage.name} FILE"),
                    request=code(f"bullpen revise JOB {INPUT} FILE"),
                    why=contract.why_none or say("refused.none_to_edit"),
                )
            )
        try:
            form.model_validate(edit)
        except ValidationError as error:
            known = ", ".join(contract.parameters)
            raise InvalidInput.of(say("refused.edit_misfits", stage=name(stage.name), faults=faults(error), known=name(known))) from None
    _check_size(edit)
    changes = (Change(name, before.get(name), value) for name, value in sorted(edit.items()) if before.get(name) != value)
    return Edit(edit, tuple(changes))


def check_deliverable(db: Database, job_id: UUID, kind: str, seen: StageView, given: Any) -> Edit:
    """An operator's version of what a stage yields, in the form in which its role would store it. Raises `InvalidInput`, naming each
    wrong field."""
    stage = seen.stage
    if not isinstance(given, dict):
        raise InvalidInput.of(say("refused.no_object"))
    content = _cleaned(given)  # pyright: ignore[reportUnknownArgumentType] JSON from outside has no static type
    if _is_printed(content):
        content = _printed_content(db, job_id, stage, content)
    _check_size(content)
    content = _validated(kind, stage, content)
    before = _current_content(db, job_id, seen)
    names = sorted({*before, *content})
    return Edit(content, tuple(Change(n, before.get(n), content.get(n)) for n in names if before.get(n) != content.get(n)))


def _validated(kind: str, stage: Stage, content: Json) -> Json:
    if stage.name == INPUT:
        try:
            return find_playbook(kind).read_request({**content, "kind": kind})
        except ValidationError as error:
            raise InvalidInput.of(say("refused.no_request", kind=name(kind), faults=faults(error))) from None
    contract = find_contract(stage.role, stage.task)
    if contract is None:
        return content
    form = contract.yields()
    try:
        if stage.optional and read_nothing(content) is not None:
            form = Nothing
        return form.model_validate(content).model_dump(mode="json")
    except ValidationError as error:
        raise InvalidInput.of(say("refused.misfits", stage=name(stage.name), form=name(form.__name__), faults=faults(error))) from None


def _is_printed(value: Json) -> bool:
    return value.keys() >= PRINTED


def _check_stage(stage: str, printed: Json) -> None:
    if printed["stage"] != stage:
        raise InvalidInput.of(say("refused.other_stage", field=name("stage"), held=name(str(printed["stage"])[:80]), stage=name(stage)))


def _printed_parameters(stage: str, printed: Json) -> Json:
    _check_stage(stage, printed)
    if content_hash(printed["content"]) != printed["content_hash"]:
        command = code(f"bullpen revise JOB {stage} FILE")
        raise InvalidInput.of(say("refused.content_edited", field=name("content"), option=name("--edit"), command=command))
    params: Any = printed.get("params")
    if not isinstance(params, dict):
        raise InvalidInput.of(
            say("refused.no_parameters_held", field=name("params"), command=code("bullpen show JOB --stage STAGE --json"))
        )
    return _cleaned(params)  # pyright: ignore[reportUnknownArgumentType] JSON from outside has no static type


def _printed_content(db: Database, job_id: UUID, stage: Stage, printed: Json) -> Json:
    _check_stage(stage.name, printed)
    content, params = printed["content"], printed.get("params")
    if not isinstance(content, dict):
        raise InvalidInput.of(say("refused.no_object"))
    if params is not None and params != parameters_of(db, job_id, stage):
        command = code("bullpen replay STEP --edit FILE")
        raise InvalidInput.of(say("refused.parameters_revised", field=name("params"), revise=code("revise"), command=command))
    return _cleaned(content)  # pyright: ignore[reportUnknownArgumentType] JSON from outside has no static type


def _cleaned(value: Json) -> Json:
    cleaned: Json = clean_json(value)
    return cleaned


def _check_size(value: Json) -> None:
    size = len(canonical_json(value).encode("utf-8", "surrogatepass"))
    if size > MAX_MESSAGE_BYTES:
        raise InvalidInput.of(say("refused.too_many_bytes", n=name(size), most=name(MAX_MESSAGE_BYTES)))


def _current_content(db: Database, job_id: UUID, seen: StageView) -> Json:
    if seen.current is None:
        return {}
    row = db.row("SELECT content FROM deliverables WHERE id = %(id)s AND job_id = %(job_id)s", {"id": seen.current.id, "job_id": job_id})
    content: Any = None if row is None else row["content"]
    return _cleaned(content) if isinstance(content, dict) else {}  # pyright: ignore[reportUnknownArgumentType] JSON has no static type
