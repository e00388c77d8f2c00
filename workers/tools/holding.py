"""What a step holds: the pointers and the skills in the deliverables that it needs.

Only two fields count, `pointers` and `active_skill` at the top of a deliverable. Contracts refuse unknown fields, so a role's code
wrote these two. Texts, rows, comments and documents are deeper in a deliverable, or in the request, and give nothing.
"""

from collections.abc import Mapping

from pydantic import ValidationError

from contracts.base import Json
from contracts.pointers import POINTERS, AnyPointer
from contracts.stages import INPUT
from contracts.tools import ActiveSkill
from workers.loggers import get_logger

log = get_logger(__name__)

POINTERS_FIELD = "pointers"
SKILL_FIELD = "active_skill"


def held_pointers(needs: Mapping[str, Json]) -> tuple[AnyPointer, ...]:
    """The pointers in the needed deliverables. The request (`input`) is the user's text, so it holds none."""
    found: list[AnyPointer] = []
    for stage, content in needs.items():
        value = content.get(POINTERS_FIELD)
        if stage == INPUT or not isinstance(value, list):
            continue
        try:
            found.extend(POINTERS.validate_python(tuple(value)))  # pyright: ignore[reportUnknownArgumentType] JSON has no static type
        except ValidationError as error:
            log.warning("pointers_unreadable", stage=stage, faults=error.error_count())
    return tuple(found)


def active_skills(needs: Mapping[str, Json]) -> tuple[ActiveSkill, ...]:
    """The skills in the needed deliverables. An unreadable one allows nothing."""
    found: list[ActiveSkill] = []
    for stage, content in needs.items():
        value = content.get(SKILL_FIELD)
        if stage == INPUT or value is None:
            continue
        try:
            found.append(ActiveSkill.model_validate(value))
        except ValidationError:
            log.warning("skill_unreadable", stage=stage)
            found.append(ActiveSkill(name="unreadable", allowed_tools=()))
    return tuple(found)
