"""`/v1/openapi.json`: every route with its errors, and every registered kind's request and deliverables, those of extensions included."""

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from fastapi import FastAPI, Response
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from contracts.base import Json
from workers.gateway.access.caller import MayBeAnybody
from workers.gateway.bodies import answered
from workers.gateway.links import add_links
from workers.gateway.problems import CHAT_PATHS, MEDIA_TYPE, Problem
from workers.kinds.base import Kind
from workers.kinds.registry import all_kinds

ERRORS: Mapping[str, str] = {
    "400": "The value is wrong; `detail` names each field.",
    "401": "No key, or one that is not valid.",
    "403": "The key does not allow it.",
    "404": "It is not there, or not the caller's.",
    "409": "The state does not allow it.",
    "413": "The body is too large.",
    "422": "A parameter or field of the request is wrong.",
    "429": "The key calls too often: see `Retry-After`.",
    "503": "A server that is needed does not answer: see `Retry-After`.",
}
"""What any route may answer."""

REFS = "#/components/schemas/{model}"

EXAMPLES = Path(__file__).with_name("examples.json")
"""Route → a request, and its answer, as `tests.support.gateway_walk` got them from a gateway."""
UPLOADS: Mapping[str, Any] = {"application/octet-stream": "SELECT 1;\n", "multipart/form-data": {"file": ["SELECT 1;\n"]}}
"""Bodies that are files."""


def describe(app: FastAPI) -> None:
    """Give the application its description, and the route that shows it."""

    def openapi() -> Json:
        if app.openapi_schema is None:
            app.openapi_schema = _made(app)
        return app.openapi_schema

    app.openapi = openapi

    @app.get("/v1/openapi.json", include_in_schema=False)
    def openapi_json(_: MayBeAnybody) -> Response:
        """The description, for any key."""
        return answered(app.openapi())


def _made(app: FastAPI) -> Json:
    made = get_openapi(
        title="Bullpen",
        version=app.version,
        description="An event-driven fleet of workers: submit jobs, follow them, answer their questions, read what came of them. "
        "Every error is problem+json with the next move.",
        routes=app.routes,
    )
    schemas: Json = made.setdefault("components", {}).setdefault("schemas", {})
    schemas.pop("HTTPValidationError", None)
    schemas.pop("ValidationError", None)
    schemas["Problem"] = Problem.model_json_schema(ref_template=REFS)
    for path, operations in made["paths"].items():
        for operation in operations.values():
            _add_errors(operation, is_chat=path.startswith(CHAT_PATHS))
    add_links(made["paths"])
    _add_kinds(schemas)
    made["paths"]["/v1/jobs"]["post"]["requestBody"]["content"]["application/json"]["examples"] = _examples()
    _add_examples(made["paths"])
    return made


def _add_examples(paths: Json) -> None:
    """What each route takes and answers, from a walk over all of them."""
    walked: Json = {re.sub(r":\w+}", "}", name): found for name, found in json.loads(EXAMPLES.read_text("utf-8")).items()}
    for path, operations in paths.items():
        for method, operation in operations.items():
            found: Json = walked.get(f"{method.upper()} {path}", {})
            for media, content in operation.get("requestBody", {}).get("content", {}).items():
                value = UPLOADS.get(media, found.get("request"))
                if value is not None and "examples" not in content:
                    content["example"] = value
            for status, response in operation["responses"].items():
                for media, content in response.get("content", {}).items() if status.startswith("2") else ():
                    kept = {"application/json": "answer", "text/event-stream": "stream"}.get(media, "")
                    if kept in found:
                        content["example"] = found[kept]


def _examples() -> Json:
    """A submission of each kind, from the command that it shows to newcomers."""
    found: Json = {}
    for kind in all_kinds():
        text = next((part for part in shlex.split(kind.example) if " " in part), "")
        field, value = (kind.files, f"sha256:{'0' * 64}") if kind.files is not None else (kind.playbook.words, text)
        if field and value:
            found[kind.name] = {"summary": kind.summary, "value": {"job": {"kind": kind.name, field: value}}}
    return found


def _add_errors(operation: Json, *, is_chat: bool) -> None:
    responses: Json = operation.setdefault("responses", {})
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    if is_chat:  # as the OpenAI protocol has them
        content = {"application/json": {"schema": {"type": "object", "required": ["error"]}}}
    for status, text in ERRORS.items():
        responses[status] = {"description": text, "content": content}


def _add_kinds(schemas: Json) -> None:
    """The requests and deliverables of all kinds, and the choice between the requests in a submission."""
    kinds = all_kinds()
    models = {model.__name__: model for kind in kinds for model in _models(kind)}
    keys: list[tuple[type[BaseModel], Any]] = [(model, "validation") for model in models.values()]
    names, found = models_json_schema(keys, ref_template=REFS)
    del names
    schemas |= {name: schema for name, schema in cast("Json", found.get("$defs", {})).items() if name not in schemas}
    requests: dict[str, str] = {}
    for kind in kinds:
        own = f"Request of {kind.name}".replace(" ", "_")
        request: Json = dict(schemas[kind.request.__name__])
        request["properties"] = {**request.get("properties", {}), "kind": {"const": kind.name, "type": "string"}}
        request["required"] = sorted({"kind", *request.get("required", ())})
        request["description"] = kind.summary
        schemas[own] = request
        requests[kind.name] = REFS.format(model=own)
    schemas["Submission"]["properties"]["job"] = {
        "description": "The request; its `kind` says which other fields it has.",
        "oneOf": [{"$ref": ref} for ref in requests.values()],
        "discriminator": {"propertyName": "kind", "mapping": requests},
    }


def _models(kind: Kind) -> list[type[BaseModel]]:
    return [kind.request, *(ref.load() for ref in kind.yields.values())]
