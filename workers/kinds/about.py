"""What a result carries wherever it is shown or written: what was asked, ids, times, versions and who wrote what; and, before anything
else, that a person wrote or edited what it rests on."""

from collections.abc import Callable, Iterator
from datetime import datetime

from contracts.base import Json
from contracts.statements import Shown, Statement, Term, Value, count, listing, name, passage, say, term
from workers.coordinator.playbooks import TEXT_FIELDS
from workers.reading.facts import JobFacts
from workers.reading.stages import StageFacts
from workers.release import RELEASE
from workers.saying.document import Block, Column, Document, Fact, Facts, Heading, Paragraph, Table, Tone

_MOST_WORDS = 2_000
"""Characters of the request in a report."""

_AUTHORS = {"human": term("fleet.about.person"), "fork": term("fleet.about.copied")}

Called = Callable[[StageFacts], Value]
"""What a stage is called: its name, or in a shell with words for stages, those."""


def by_name(stage: StageFacts) -> Value:
    """A stage by its name."""
    return name(stage.name)


def by_person(facts: JobFacts) -> tuple[StageFacts, ...]:
    """The stages that the result rests on, its own among them, whose version that counts a person wrote or edited, here or in the job that
    this one was forked from. Empty for an earlier result, which is shown while the job is done again."""
    stages = {stage.name: stage for stage in facts.stages}
    result = facts.result
    own = None if result is None else stages.get(result.stage)
    if own is None or result is None or own.version != result.version:
        return ()
    above, left = {own.name}, [own]
    while left:
        news = [need for need in left.pop().needs if need in stages and need not in above]
        above.update(news)
        left += [stages[need] for need in news]
    return tuple(stage for stage in facts.stages if stage.by_person and stage.name in above)


def marks_of(facts: JobFacts, called: Called = by_name) -> tuple[Statement, ...]:
    """What a reader sees first where a person wrote or edited the result, or what it rests on."""
    found = by_person(facts)
    own = "" if facts.result is None else facts.result.stage
    above = [called(stage) for stage in found if stage.name != own]
    marks = [say("fleet.about.result_by_person")] if len(above) < len(found) else []
    return (*marks, *([say("fleet.about.by_person", stages=listing(*above))] if above else []))


def marked(document: Document, facts: JobFacts, called: Called = by_name) -> Document:
    """The document with these marks above everything else."""
    marks = tuple(Paragraph(text=mark, tone=Tone.WARNING) for mark in marks_of(facts, called))
    return document.model_copy(update={"blocks": (*marks, *document.blocks)}) if marks else document


def with_about(report: Document, facts: JobFacts, request: Json, called: Called = by_name) -> Document:
    """The report with what it is of: request, ids, times, versions, and who wrote what."""
    return report.model_copy(update={"blocks": (*report.blocks, *_about(facts, request, called))})


def about_page(facts: JobFacts, request: Json, called: Called = by_name) -> Document:
    """The same as a page of its own, which goes with files."""
    blocks = tuple(block for block in _about(facts, request, called) if not isinstance(block, Heading))
    return marked(Document(title=term("fleet.about.title"), blocks=blocks), facts, called)


def exported(facts: JobFacts, request: Json) -> Json:
    """The result as JSON: `stage`, `version`, `content`, and `about` with what it is of. The job has a result."""
    return {**({} if facts.result is None else facts.result.to_json()), "about": _about_json(facts, request)}


def _about_json(facts: JobFacts, request: Json) -> Json:
    job, engines = facts.job, _engines(facts)
    return {
        "job_id": str(job.id), "kind": job.kind, "request": request, "owner": job.owner,
        "session_id": None if job.session_id is None else str(job.session_id),
        "forked_from": None if job.forked_from is None else str(job.forked_from),
        "submitted_at": job.created_at.isoformat(), "ended_at": None if job.finished_at is None else job.finished_at.isoformat(),
        "release": RELEASE,
        "by_person": [stage.name for stage in by_person(facts)],
        "stages": [
            {"stage": stage.name, "version": stage.version, "written_by": _author(stage, engines.get(stage.name))}
            for stage in _filled(facts)
        ],
    }  # fmt: skip


def _author(stage: StageFacts, engine: str | None) -> str:
    """`person`, `copy` from the job that this one was forked from, `rules`, or a model's name."""
    if stage.by_person:
        return "person"
    return "copy" if stage.origin == "fork" else engine or "rules"


def _about(facts: JobFacts, request: Json, called: Called) -> Iterator[Block]:
    job = facts.job
    words = next((str(request[field]) for field in TEXT_FIELDS if request.get(field)), "")
    pairs: list[tuple[Term, Shown]] = [(term("fleet.about.job"), say("fleet.about.kind_and_id", kind=name(job.kind), id=name(job.id)))]
    if words:
        pairs.insert(0, (term("fleet.about.request"), passage(_shortened(words))))
    if job.session_id is not None:
        pairs.append((term("fleet.about.session"), name(job.session_id)))
    if job.forked_from is not None:
        pairs.append((term("fleet.show.forked_from"), name(job.forked_from)))
    pairs.append((term("fleet.about.owner"), name(job.owner)))
    pairs.append((term("fleet.about.asked_at"), name(_moment(job.created_at))))
    if job.finished_at is not None:
        pairs.append((term("fleet.about.ended_at"), name(_moment(job.finished_at))))
    pairs.append((term("fleet.about.release"), name(RELEASE)))
    result = facts.result
    if result is not None:
        own = next((called(stage) for stage in facts.stages if stage.name == result.stage), name(result.stage))
        pairs.append((term("fleet.about.result"), say("fleet.show.of_stage", stage=own, version=count(result.version))))
    yield Heading(text=term("fleet.about.title"))
    yield Facts(facts=tuple(Fact(label=label, value=value) for label, value in pairs))
    engines = _engines(facts)
    rows = tuple((called(stage), name(stage.version), _by(stage, engines.get(stage.name))) for stage in _filled(facts))
    if rows:
        heads = (term("fleet.show.stage"), term("fleet.about.version"), term("fleet.about.author"))
        yield Table(columns=tuple(Column(title=head) for head in heads), rows=rows)


def _filled(facts: JobFacts) -> Iterator[StageFacts]:
    """The stages that a role fills and that hold a version that counts."""
    return (stage for stage in facts.stages if stage.version is not None and stage.role is not None)


def _engines(facts: JobFacts) -> dict[str, str]:
    """Stage → `rules`, or the model that its newest step asked."""
    return {step.stage: step.engine for step in facts.steps if step.engine}


def _by(stage: StageFacts, engine: str | None) -> Value:
    """Who wrote a stage's version: a person, rules, or a model by its name."""
    if stage.by_person:
        return _AUTHORS["human"]
    if stage.origin != "role":
        return _AUTHORS.get(stage.origin or "", name(stage.origin))
    return term("fleet.about.rules") if engine in (None, "rules") else name(engine)


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _MOST_WORDS else f"{flat[: _MOST_WORDS - 1]}…"


def _moment(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M:%S %z}"
