"""What was typed, as values of ours."""

from typing import Any, TypeVar

from pydantic import ValidationError

from contracts.base import Contract
from contracts.statements import name as identifier
from contracts.statements import quote, say
from workers.coordinator.intake import faults
from workers.errors import InvalidInput

C = TypeVar("C", bound=Contract)


def contract_of(form: type[C], **fields: Any) -> C:
    """A contract from its fields. Raises `InvalidInput`."""
    try:
        return form.model_validate(fields)
    except ValidationError as error:
        raise InvalidInput.of(faults(error)) from None


def seconds_of(text: str, option: str) -> float:
    """Seconds of a duration such as `30m` or `7d`. Raises `InvalidInput`, which names the option."""
    from workers.engines.logql import duration_ns  # loads the parser of LogQL, which most commands do without

    found = duration_ns(text)
    if not found:
        raise InvalidInput.of(say("refused.cli.duration", option=identifier(option), given=quote(text[:60])))
    return found / 1e9
