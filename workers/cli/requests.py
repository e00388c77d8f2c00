"""A job's request, built from a command line: words or files, a JSON file, fields, options."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from contracts.base import Json
from contracts.statements import name as identifier
from contracts.statements import names, passage, quote, say
from contracts.wire import NotJson, read_json
from workers.cli.context import read_object
from workers.cli.reach.files import keep_files
from workers.coordinator.playbooks import TEXT_FIELDS, find_playbook
from workers.errors import InvalidInput
from workers.kinds.registry import find_kind

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
        raise InvalidInput.of(say("refused.cli.other_kind", given=quote(str(request["kind"])[:80]), kind=quote(kind)))
    for item in fields:
        _set(request, item)
    request.update({name: _content(playbook.request, name, value) for name, value in options.items()})
    if about:
        known = find_kind(kind)
        text = playbook.words or _text_field(playbook.request)
        if known is not None and known.files is not None:
            words = _text_field(playbook.request)
            if words is not None and len(about) == 1 and "\n" in about[0]:  # a pasted text
                request[words] = about[0]
            else:
                request[known.files] = bring_bundle(about, keep)
        elif text is None:
            known_fields = names(playbook.request.model_fields)
            raise InvalidInput.of(say("refused.cli.no_words", kind=identifier(kind), fields=known_fields))
        elif len(about) > 1:
            raise InvalidInput.of(say("refused.cli.one_text", kind=identifier(kind)))
        else:
            request[text] = about[0]
    return {**request, "kind": kind}


def _content(form: type[BaseModel], name: str, value: Any) -> Any:
    """The value of an option; of one that names a file, what is in it."""
    field = form.model_fields.get(name)
    extra = field.json_schema_extra if field is not None else None
    return read_text(str(value)) if isinstance(extra, dict) and extra.get("file") else value


def read_text(path: str) -> str:
    """The text of a file. Raises `InvalidInput`."""
    try:
        return Path(path).expanduser().read_text("utf-8-sig")
    except OSError as error:
        raise InvalidInput.of(
            say("refused.file.unreadable", file=identifier(str(path)), reason=passage(error.strerror or str(error)))
        ) from None
    except UnicodeDecodeError:
        raise InvalidInput.of(say("refused.cli.no_utf8", file=identifier(str(path)))) from None


def _read_file(path: str, words: str) -> Json:
    """The request in a file: a JSON object, or for a kind with words a text (`.md`, `.txt`), which becomes them."""
    if not words or Path(path).suffix.lower() not in TEXT_FILES:
        return read_object(path)
    return {words: read_text(path)}


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
        raise InvalidInput.of(say("refused.cli.set_form", given=quote(item[:80])))
    at: Json = request
    for folder in folders:
        inside: Any = at.setdefault(folder, {})
        if not isinstance(inside, dict):
            raise InvalidInput.of(say("refused.cli.set_taken", given=quote(item[:80]), field=identifier(folder)))
        at = inside  # pyright: ignore[reportUnknownVariableType] JSON has no static type
    at[name] = _value(raw)


def _value(raw: str) -> Any:
    """JSON where it is JSON, else the text itself."""
    try:
        return read_json(raw.encode("utf-8", "surrogatepass"))
    except NotJson:
        return raw
