"""Server-sent events as texts."""

import json

from contracts.base import Json


def message(name: str, data: Json, rev: int | None) -> str:
    """One server-sent event; `rev` becomes its id."""
    line = "" if rev is None else f"id: {rev}\n"
    return f"{line}event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
