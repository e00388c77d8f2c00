"""Pictures of Vega-Lite specifications by vl-convert, the extra `charts`. It runs in the terminal, never in a worker."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, cast

from contracts.base import Json
from contracts.statements import code, say
from workers.errors import ConfigurationError, InvalidInput
from workers.extras import install_command
from workers.saying.reasons import reason_of

PictureFormat = Literal["svg", "png"]

_SCALE = 2.0
"""Pixels of a PNG for each unit of the drawing."""


def picture_of(spec: Json, form: PictureFormat) -> bytes:
    """The picture. Nothing is fetched: a specification with an address in it is refused, and none is allowed to the converter either.

    Raises `InvalidInput`, or `ConfigurationError` where the extra is missing."""
    if any(key.lower() in ("url", "href") for key in _keys(spec)):
        raise InvalidInput.of(say("refused.chart.address"))
    try:
        import vl_convert  # pyright: ignore[reportMissingImports] an extra, which may not be installed
    except ImportError:
        raise ConfigurationError.of(say("refused.chart.extra", command=code(install_command("charts")))) from None
    convert: Any = vl_convert
    try:
        if form == "svg":
            return str(convert.vegalite_to_svg(spec, allowed_base_urls=[])).encode()
        return bytes(convert.vegalite_to_png(spec, scale=_SCALE, allowed_base_urls=[]))
    except ValueError as error:
        raise InvalidInput.of(say("refused.chart.undrawn", reason=reason_of(error))) from error


def _keys(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inside in cast("Mapping[str, object]", value).items():
            yield str(key)
            yield from _keys(inside)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inside in cast("Sequence[object]", value):
            yield from _keys(inside)
