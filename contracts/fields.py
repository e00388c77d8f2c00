"""What the annotation of a contract's field says to those who make a form or an option of it."""

import types
from typing import Annotated, Any, Union, get_args, get_origin


def bare_type(annotation: Any) -> tuple[Any, bool]:
    """The type of one value, and whether there may be several."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return bare_type(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        return bare_type(next(part for part in get_args(annotation) if part is not type(None)))
    if origin in (tuple, list):
        return bare_type(get_args(annotation)[0])[0], True
    return annotation, False
