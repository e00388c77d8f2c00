"""A stage of a job: who made what it holds and from what, its versions with what each changed, its calls, and the ways to change it.

The inspector of a job's page shows it beside the result; a page of its own has the same.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast
from uuid import UUID

from fastapi import APIRouter, Response
from markupsafe import Markup

from contracts.base import Json
from contracts.reports import Usage
from contracts.stages import INPUT
from contracts.statements import Sayable, Statement, name, passage, say
from workers.blackboard.engine import Database
from workers.console.fields import Field, edit_fields
from workers.console.pages import Look, Reading
from workers.console.plain_content import content_blocks, request_blocks
from workers.console.routing import PageRoute
from workers.console.timeline import StageLine, timeline_of
from workers.console.version_diff import version_diff
from workers.coordinator.stage_contracts import find_contract
from workers.errors import NotFound
from workers.gateway.access.caller import Here
from workers.gateway.access.prompts import may_read_prompts
from workers.kinds.shown import deliverable_document
from workers.loggers import get_logger
from workers.reading.calls import CallFacts, read_calls
from workers.reading.deliverables import Content, Version, read_current, read_version, read_versions
from workers.reading.events import read_step_said
from workers.reading.facts import JobFacts, read_job_facts
from workers.reading.lists import files_of
from workers.reading.stages import StageFacts
from workers.saying.document import Block, CodeBlock, Document
from workers.saying.markdown import to_markdown

router = APIRouter(prefix="/console/jobs/{job_id}", include_in_schema=False, route_class=PageRoute)

log = get_logger(__name__)

MOST_CALLS = 60
"""Calls of a step that are listed, the newest."""


@router.get("/stages/{stage:path}")
def stage(here: Here, look: Reading, job_id: UUID, stage: str, version: int | None = None, against: int | None = None) -> Response:
    """The page of a stage."""
    look.who.job(here.db, job_id)
    return look.html("stage.html", **inspected(here.db, look, job_id, stage, version, against), in_bench=False)


@router.get("/inspect/{stage:path}")
def inspect(here: Here, look: Reading, job_id: UUID, stage: str, version: int | None = None) -> Response:
    """A stage as a part of its job's page."""
    look.who.job(here.db, job_id)
    return look.html("job/inspector.html", **inspected(here.db, look, job_id, stage, version), in_bench=True)


@router.get("/calls/{step_id}/{number}")
def call(here: Here, look: Reading, job_id: UUID, step_id: UUID, number: int) -> Response:
    """The prompt of a model call and its answer, for the job's owner."""
    job = look.who.job(here.db, job_id)
    if not may_read_prompts(look.who, job):
        raise NotFound.of(say("console.refused.no_part"))
    calls = read_calls(here.db, job_id, step_id=step_id, texts=True)
    found = next((call for call in calls if call.call == number and call.kind == "model"), None)
    if found is None:
        raise NotFound.of(say("console.refused.no_part"))
    return look.html("job/call.html", call=found, answer=_answer(found, look))


def stage_fields(db: Database, look: Look, job_id: UUID, stage: str) -> list[Field]:
    """The inputs of what may be changed when a stage is done again, as its form had them. Raises `NotFound`."""
    seen = next((found for found in read_job_facts(db, job_id).stages if found.name == stage), None)
    return _fields(seen, read_current(db, job_id, stage), look)


def inspector(db: Database, look: Look, job_id: UUID, stage: str, version: int | None) -> Markup:
    """The inspector of a job's page that opens with a stage selected."""
    values = inspected(db, look, job_id, stage, version)
    return Markup(look.render("job/inspector.html", **values, in_bench=True))  # noqa: S704  rendered by templates that escape


def inspected(db: Database, look: Look, job_id: UUID, stage: str, version: int | None = None, against: int | None = None) -> dict[str, Any]:
    """What the inspector shows of a stage. Raises `NotFound` for a version that there is not."""
    facts = read_job_facts(db, job_id)
    lines = {line.stage.name: line for line in timeline_of(facts, {})}
    line = lines.get(stage)
    seen = None if line is None else line.stage
    versions = [found for found in read_versions(db, job_id) if found.stage == stage]
    content = _content(db, job_id, stage, version, versions)
    before = _before(versions, content, against)
    task, step = None if seen is None else seen.task, None if line is None else line.step
    fields = _fields(seen, content, look)
    below = _below(facts, stage)
    summary, notes = (None, ()) if step is None else read_step_said(db, job_id, step.id)
    is_last = content is not None and seen is not None and seen.version == content.version and not content.pinned
    report = None if content is None else _for_reader(db, look, facts, task, content, summary if is_last else None)
    return {
        "job": facts.job, "stage": stage, "label": look.stage(stage, task), "state": None if line is None else line.state, "seen": seen,
        "step": step, "notes": () if step is None else (notes or step.notes),
        "by_person": content is not None and _by_person(content), "is_input": stage == INPUT,
        "needs": [(need, lines[need].stage.task) for need in (() if line is None else line.needs)],
        "versions": versions, "content": content, "before": before,
        "shown": None if content is None else look.document(_yielded(content, look)),
        "report": None if report is None else look.document(report),
        "diff": None if content is None or before is None else _diff(facts.job.kind, task, _old(db, job_id, before), content, look),
        "calls": () if step is None or not may_read_prompts(look.who, facts.job) else read_calls(db, job_id, step_id=step.id)[-MOST_CALLS:],
        "fields": fields, "params": _params(content), "text": "" if content is None else _json(content.content),
        "below": [look.stage(name, lines[name].stage.task) for name in below], "cost": _cost(lines, (stage, *below)),
    }  # fmt: skip


def _content(db: Database, job_id: UUID, stage: str, version: int | None, versions: list[Version]) -> Content | None:
    if not versions:
        return None
    return read_current(db, job_id, stage) if version is None else read_version(db, job_id, stage, version)


def _before(versions: list[Version], content: Content | None, against: int | None) -> Version | None:
    """The version to compare with: the one that is asked for, else the one before."""
    if content is None:
        return None
    if against is not None:
        return next((found for found in versions if found.version == against and against != content.version), None)
    return next((found for found in reversed(versions) if found.version < content.version), None)


def _fields(seen: StageFacts | None, content: Content | None, look: Look) -> list[Field]:
    """The form of what may be changed when the stage is done again; empty where any object may be given, or nothing."""
    if seen is None or seen.role is None or content is None or content.params is None:
        return []
    contract = find_contract(seen.role, seen.task)
    return [] if contract is None else edit_fields(contract.edits(), look, content.params)


def _below(facts: JobFacts, stage: str) -> list[str]:
    """The stages that are done again with this one: all that need it, directly or through others."""
    found = {stage}
    for other in facts.stages:  # needs come before their consumers
        if found.intersection(other.needs):
            found.add(other.name)
    return [other.name for other in facts.stages if other.name in found and other.name != stage]


def _cost(lines: Mapping[str, StageLine], stages: Sequence[str]) -> Usage | None:
    """What these stages used of models when they were last done; None: they asked none."""
    total = Usage()
    for stage in stages:
        step = lines[stage].step if stage in lines else None
        if step is not None and step.usage is not None:
            total = total.plus(step.usage)
    return total if total.model_calls else None


def _yielded(content: Content, look: Look) -> Document:
    return Document(title=_version(content), blocks=(CodeBlock(text=look.json(content.content), language="json"),))


def _by_person(found: Content | Version) -> bool:
    """Whether a person wrote or edited a version. In a fork the copy of one that counts is known by its pin."""
    return found.stage != INPUT and (found.origin == "human" or found.pinned)


def _version(content: Content) -> Statement:
    return say("console.graph.version", n=passage(str(content.version)))


def _for_reader(db: Database, look: Look, facts: JobFacts, task: str | None, content: Content, summary: Sayable | None) -> Document | None:
    """The content below its summary. None: it is not an object, or cannot be shown other than as JSON."""
    if content.stage == INPUT and isinstance(content.content, dict):
        request, files = cast("Json", content.content), files_of(db, facts.job.id)
        asked = _made(content, lambda: request_blocks(facts.job.kind, request, files, look))
        return None if asked is None else Document(title=passage(look.kind(facts.job.kind)), blocks=asked)
    blocks = _blocks(facts.job.kind, task, content, look)
    return None if blocks is None else Document(title=_version(content) if summary is None else summary, blocks=blocks)


def _blocks(kind: str, task: str | None, content: Content, look: Look) -> tuple[Block, ...] | None:
    """The content as its kind shows it, else by what its fields are called. None: as for `_for_reader`."""

    def made() -> tuple[Block, ...] | None:
        report = deliverable_document(kind, task, content.content)
        if report is not None:
            return report.blocks
        return content_blocks(cast("Json", content.content), look, kind) if isinstance(content.content, dict) else None

    return _made(content, made)


def _made(content: Content, make: Callable[[], tuple[Block, ...] | None]) -> tuple[Block, ...] | None:
    try:
        return make()
    except Exception as error:  # the report may be of an extension, and the content a person's; the page has its JSON
        log.warning("stage_not_shown", stage=content.stage, error=type(error).__name__, exc_info=error)
        return None


def _old(db: Database, job_id: UUID, before: Version) -> Content:
    return read_version(db, job_id, before.stage, before.version)


def _diff(kind: str, task: str | None, old: Content, new: Content, look: Look) -> Any:
    """What a version changed, line by line; empty: nothing."""
    before, after = _lines(kind, task, old, look), _lines(kind, task, new, look)
    blocks = version_diff(old.content, new.content, None if before is None or after is None else (before, after))
    return look.document(Document(title=name(f"{old.version} → {new.version}"), blocks=blocks)) if blocks else ""


def _lines(kind: str, task: str | None, content: Content, look: Look) -> list[str] | None:
    blocks = _blocks(kind, task, content, look)
    if blocks is None:
        return None
    return to_markdown(Document(title=_version(content), blocks=blocks), look.language).splitlines()[1:]


def _answer(call: CallFacts, look: Look) -> str:
    """The answer of a call: its words, and what else it held."""
    if call.answer is None:
        return look("console.stage.no_texts")
    text = call.answer.get("text")
    rest = {name: value for name, value in call.answer.items() if name not in ("text", "usage", "tool_names") and value}
    return "\n".join(part for part in (text if isinstance(text, str) else "", _json(rest) if rest else "") if part)


def _params(content: Content | None) -> str:
    return "" if content is None or not content.params else _json(content.params)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
