"""What a page offers for a click: the form of a question for parameters, and what may be said after an answer."""

from pydantic import ValidationError

from contracts.analyze.answer import AnalyzeAnswer
from contracts.analyze.steps import ParamsRequest
from contracts.base import Json
from contracts.statements import Sayable
from workers.kinds.base import AskedField, AskedForm


def question_form(detail: Json) -> AskedForm | None:
    """A field for each parameter that is missing; None for a question of another form."""
    try:
        asked = ParamsRequest.model_validate(detail)
    except ValidationError:
        return None
    fields = (
        AskedField(
            name,
            tuple((option.value, option.label or option.value) for option in asked.options.get(name, ())),
            asked.labels.get(name, ""),
        )
        for name in asked.missing_params
    )
    return AskedForm(fields=tuple(fields))


def suggestions(content: Json) -> tuple[Sayable, ...]:
    """The messages that continue an analysis."""
    try:
        return tuple(suggestion.text for suggestion in AnalyzeAnswer.model_validate(content).suggestions)
    except ValidationError:
        return ()
