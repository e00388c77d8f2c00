"""A stage of a job: what it yields, its versions and what differs between them, and the ways to change it."""

import difflib
import json
from typing import Any
from uuid import UUID

from fastapi import APIRouter, Response

from contracts.stages import INPUT
from contracts.statements import name
from workers.blackboard.engine import Database
from workers.console.pages import Look, Reading
from workers.console.routing import PageRoute
from workers.gateway.access.caller import Here
from workers.kinds.shown import deliverable_document
from workers.reading.deliverables import Content, Version, read_current, read_version, read_versions
from workers.reading.facts import read_job_facts
from workers.saying.document import CodeBlock, Diff, Document
from workers.saying.markdown import to_markdown

router = APIRouter(prefix="/console/jobs/{job_id}/stages", include_in_schema=False, route_class=PageRoute)


@router.get("/{stage:path}")
def stage(here: Here, look: Reading, job_id: UUID, stage: str, version: int | None = None, against: int | None = None) -> Response:
    """The page of a stage."""
    look.who.job(here.db, job_id)
    facts = read_job_facts(here.db, job_id)
    seen = next((found for found in facts.stages if found.name == stage), None)
    versions = [found for found in read_versions(here.db, job_id) if found.stage == stage]
    content = _content(here.db, job_id, stage, version, versions)
    before = _before(versions, content, against)
    task = None if seen is None else seen.task
    return look.html(
        "stage.html", job=facts.job, stage=stage, seen=seen, versions=versions, content=content, before=before,
        shown=None if content is None else look.document(_yielded(stage, content, look)),
        report=None if content is None or (made := _report(facts.job.kind, task, content)) is None else look.document(made),
        diff=None if content is None or before is None else _diff(facts.job.kind, task, _old(here.db, job_id, before), content, look),
        params=_params(content, look), text="" if content is None else _json(content.content), is_input=stage == INPUT,
    )  # fmt: skip


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


def _yielded(stage: str, content: Content, look: Look) -> Document:
    return Document(title=name(f"{stage} {content.version}"), blocks=(CodeBlock(text=look.json(content.content), language="json"),))


def _report(kind: str, task: str | None, content: Content) -> Document | None:
    """The content as its kind shows it; None where it has no report of it."""
    made = deliverable_document(kind, task, content.content)
    return None if made is None else made.model_copy(update={"title": name(f"{content.stage} {content.version}")})


def _old(db: Database, job_id: UUID, before: Version) -> Content:
    return read_version(db, job_id, before.stage, before.version)


def _diff(kind: str, task: str | None, old: Content, new: Content, look: Look) -> Any:
    """What a version changed, line by line: in the report where the kind makes one, else in the JSON."""
    lines = difflib.unified_diff(
        _lines(kind, task, old, look), _lines(kind, task, new, look), f"{old.stage} {old.version}", f"{new.stage} {new.version}",
        lineterm="", n=2,
    )  # fmt: skip
    text = "\n".join(lines)
    return look.document(Document(title=name(f"{old.version} → {new.version}"), blocks=(Diff(text=text),))) if text else ""


def _lines(kind: str, task: str | None, content: Content, look: Look) -> list[str]:
    report = _report(kind, task, content)
    text = look.json(content.content) if report is None else to_markdown(report, look.language).split("\n", 1)[-1]  # the title differs
    return text.splitlines()


def _params(content: Content | None, look: Look) -> str:
    return "" if content is None or not content.params else _json(content.params)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
