"""A job's request, built from a command line: words or files, a JSON file, fields, options."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from contracts.base import Json
from contracts.wire import NotJson, read_json
from workers.cli.context import read_object
from workers.cli.reach.files import keep_files
from workers.coordinator.playbooks import find_playbook
from workers.errors import InvalidInput
from workers.kinds.registry import find_kind

TEXT_FIELDS = ("description", "requirement", "question", "text")
"""Fields of a request that TEXT stands for, in this order, where its playbook names none."""

TEXT_FILES = frozenset({".md", ".markdown", ".txt"})
"""Endings of files that `--file` takes as the request's words."""

REFERENCE = re.compile(r"sha256:|[a-z][a-z0-9+.-]*://")
"""What names a bundle that is where the workers can reach it."""


def build_request(
    kind: str, about: list[str], file: str | None, fields: list[str], options: Json, keep: Callable[[list[Path]], str] = keep_files
) -> Json:
    """The request from file, fields, options that stand for fields, and words or paths; the later of these win. `keep`
    makes a bundle of files. Raises `InvalidInput`."""
    playbook = find_playbook(kind)
    request: Json = {} if file is None else _read_file(file, playbook.words)
    if request.get("kind", kind) != kind:
        raise InvalidInput(f"The file is a request of kind {str(request['kind'])[:80]!r}, not {kind!r}.")
    for item in fields:
        _set(request, item)
    request.update(options)
    if about:
        known = find_kind(kind)
        text = playbook.words or _text_field(playbook.request)
        if known is not None and known.files is not None:
            request[known.files] = bring_bundle(about, keep)
        elif text is None:
            fields_known = ", ".join(playbook.request.model_fields)
            raise InvalidInput(f"A request of kind {kind} has no field for words. Give its fields by --set or --file: {fields_known}.")
        elif len(about) > 1:
            raise InvalidInput(f"A request of kind {kind} takes one text: put it in quotation marks.")
        else:
            request[text] = about[0]
    return {**request, "kind": kind}


def _read_file(path: str, words: str) -> Json:
    """The request in a file: a JSON object, or for a kind with words a text (`.md`, `.txt`), which becomes them."""
    if not words or Path(path).suffix.lower() not in TEXT_FILES:
        return read_object(path)
    try:
        return {words: Path(path).expanduser().read_text("utf-8-sig")}
    except OSError as error:
        raise InvalidInput(f"Cannot read {path}: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not UTF-8 text. Save it as UTF-8.") from None


def _text_field(request: type[BaseModel]) -> str | None:
    return next((name for name in TEXT_FIELDS if name in request.model_fields), None)


def bring_bundle(about: list[str], keep: Callable[[list[Path]], str]) -> str:
    """The reference of a bundle: a reference or URL is returned unchanged; files and folders are stored first."""
    if len(about) == 1 and REFERENCE.match(about[0]):
        return about[0]
    return keep([Path(path) for path in about])


def _set(request: Json, item: str) -> None:
    path, sign, raw = item.partition("=")
    *folders, name = path.split(".")
    if not sign or not all([*folders, name]):
        raise InvalidInput(f"--set {item[:80]!r}: write name=value, or a.b=value for a field inside a.")
    at: Json = request
    for folder in folders:
        inside: Any = at.setdefault(folder, {})
        if not isinstance(inside, dict):
            raise InvalidInput(f"--set {item[:80]!r}: {folder} is already set to a value, so it cannot have fields.")
        at = inside  # pyright: ignore[reportUnknownVariableType] JSON has no static type
    at[name] = _value(raw)


def _value(raw: str) -> Any:
    """JSON where it is JSON, else the text itself."""
    try:
        return read_json(raw.encode("utf-8", "surrogatepass"))
    except NotJson:
        return raw
