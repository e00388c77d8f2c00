"""Rating a finished job: what would be learnt is shown first, and kept when the person agrees."""

from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import BaseModel, ValidationError

from contracts.base import Json
from contracts.statements import Sayable, name, passage, say
from contracts.wire import NotJson, read_json_text
from workers.console.fields import Field, fields_of, read_fields
from workers.console.filled import Filled, texts_of
from workers.console.pages import Answering, Look
from workers.console.rating import filled_values
from workers.console.routing import PageRoute
from workers.coordinator.intake import faults
from workers.errors import Conflict, InvalidInput
from workers.gateway.access.caller import Here
from workers.kinds.base import Feedback, Giving
from workers.kinds.registry import find_kind

router = APIRouter(prefix="/console/jobs/{job_id}/feedback", include_in_schema=False, route_class=PageRoute)


@router.get("")
def feedback_page(here: Here, look: Answering, job_id: UUID) -> Response:
    """The form of a kind whose results have no place for it."""
    job = look.who.job(here.db, job_id)
    return look.html("feedback.html", job=job, fields=fields_of(_feedback(job.kind).form.load(), look))


@router.post("/preview")
def preview(here: Here, look: Answering, job_id: UUID, form: Filled) -> Response:
    """What would be kept. Nothing is."""
    job = look.who.job(here.db, job_id)
    feedback = _feedback(job.kind)
    values = _values(texts_of(form), fields_of(feedback.form.load(), look), look)
    filled = _read(feedback, values)
    giving = Giving(here.db, here.services.embedder, job_id, here.settings.data_dir)
    shown: tuple[Sayable, ...] = () if feedback.preview is None else feedback.preview.load()(giving, filled)
    agreed = dict.fromkeys(feedback.agreed, True)
    return look.html("rated.html", job=job, lines=[look.rich(line) for line in shown], values={**values, **agreed}, raw=values)


@router.post("")
def give(here: Here, look: Answering, job_id: UUID, form: Filled) -> Response:
    """Learn from it."""
    job = look.who.job(here.db, job_id)
    feedback = _feedback(job.kind)
    values = _values(texts_of(form), fields_of(feedback.form.load(), look), look)
    given = feedback.give.load()(Giving(here.db, here.services.embedder, job_id, here.settings.data_dir), _read(feedback, values))
    here.services.notifier.changed(job_id)
    return look.html("notice.html", status=200, detail="\n".join(look.text(line) for line in given.lines))


def _values(filled: dict[str, Any], fields: list[Field], look: Look) -> Json:
    """What was said: by a button, in its inputs, or in the whole form. Raises `InvalidInput` where nothing was."""
    if "values" not in filled:
        values = {key: value for key, value in read_fields(fields, filled).items() if value is not False}
    else:
        values = {**_json(str(filled["values"])), **filled_values(filled, fields)}
    if not values:
        raise InvalidInput(look("console.feedback.empty"))
    return values


def _json(text: str) -> Json:
    try:
        value: Any = read_json_text(text)
    except NotJson as error:
        raise InvalidInput.of(say("refused.no_json", fault=passage(str(error)))) from None
    return cast("Json", value) if isinstance(value, Mapping) else {}


def _read(feedback: Feedback, values: Json) -> BaseModel:
    try:
        return feedback.form.load().model_validate(values)
    except ValidationError as error:
        raise InvalidInput.of(faults(error)) from None


def _feedback(kind: str) -> Feedback:
    known = find_kind(kind)
    if known is None or known.feedback is None:
        raise Conflict.of(say("refused.no_feedback", kind=name(kind)))
    return known.feedback
