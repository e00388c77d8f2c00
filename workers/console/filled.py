"""What a form of a page brings."""

from collections.abc import AsyncGenerator
from typing import Annotated, Any

from fastapi import Depends, Request
from starlette.datastructures import FormData

MOST_FIELDS = 300
MOST_BYTES = 4 << 20
"""Of one field; a tune bundle goes through uploads."""


async def _form(request: Request) -> AsyncGenerator[FormData]:
    async with request.form(max_files=5, max_fields=MOST_FIELDS, max_part_size=MOST_BYTES) as form:
        yield form


Filled = Annotated[FormData, Depends(_form)]


def texts_of(form: FormData) -> dict[str, Any]:
    """Its texts; the last of several with one name."""
    return {name: value for name, value in form.multi_items() if isinstance(value, str)}
