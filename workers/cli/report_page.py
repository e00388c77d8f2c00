"""A report as one page."""

from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum

from contracts.base import Json
from contracts.statements import Shown, Term, Value, count, name, passage, say, term
from workers.cli.display import shortened
from workers.cli.requests import TEXT_FIELDS
from workers.cli.voice import Voice
from workers.reading.facts import JobFacts
from workers.release import RELEASE
from workers.saying.document import Block, Column, Document, Fact, Facts, Heading, Table


class Form(StrEnum):
    """How a result is printed."""

    TERMINAL = "terminal"
    MARKDOWN = "md"
    HTML = "html"


def page_of(report: Document, voice: Voice, form: Form) -> str:
    """The report as Markdown or HTML."""
    from workers.saying.markdown import to_markdown
    from workers.saying.web_page import to_html

    return (to_markdown if form is Form.MARKDOWN else to_html)(report, voice.language)


_MOST_WORDS = 2_000
"""Characters of the request in a report."""


def with_about(report: Document, facts: JobFacts, request: Json) -> Document:
    """The report with what it is of: request, ids, times, versions, and who wrote what."""
    return report.model_copy(update={"blocks": (*report.blocks, *_about(facts, request))})


def _about(facts: JobFacts, request: Json) -> Iterator[Block]:
    job = facts.job
    words = next((str(request[field]) for field in TEXT_FIELDS if request.get(field)), "")
    pairs: list[tuple[Term, Shown]] = [(term("fleet.about.job"), say("fleet.about.kind_and_id", kind=name(job.kind), id=name(job.id)))]
    if words:
        pairs.insert(0, (term("fleet.about.request"), passage(shortened(words, _MOST_WORDS))))
    if job.session_id is not None:
        pairs.append((term("fleet.about.session"), name(job.session_id)))
    pairs.append((term("fleet.about.owner"), name(job.owner)))
    pairs.append((term("fleet.about.asked_at"), name(_moment(job.created_at))))
    if job.finished_at is not None:
        pairs.append((term("fleet.about.ended_at"), name(_moment(job.finished_at))))
    pairs.append((term("fleet.about.release"), name(RELEASE)))
    if facts.result is not None:
        pairs.append(
            (term("fleet.about.result"), say("fleet.show.of_stage", stage=name(facts.result.stage), version=count(facts.result.version)))
        )
    yield Heading(text=term("fleet.about.title"))
    yield Facts(facts=tuple(Fact(label=label, value=value) for label, value in pairs))
    engines = {step.stage: step.engine for step in facts.steps if step.engine}
    rows = tuple(
        (
            name(stage.name),
            name(stage.version),
            _AUTHORS.get(stage.origin or "", name(stage.origin)) if stage.origin != "role" else _by(engines.get(stage.name)),
        )
        for stage in facts.stages
        if stage.version is not None and stage.role is not None
    )
    if rows:
        heads = (term("fleet.show.stage"), term("fleet.about.version"), term("fleet.about.author"))
        yield Table(columns=tuple(Column(title=head) for head in heads), rows=rows)


_AUTHORS = {"human": term("fleet.about.person"), "fork": term("fleet.about.copied")}


def _by(engine: str | None) -> Value:
    """Who wrote a stage's version: rules, or a model by its name."""
    return term("fleet.about.rules") if engine in (None, "rules") else name(engine)


def _moment(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M:%S %z}"
