"""OpenAPI links: which field of an answer goes into the path of which other request, for generated clients and for tests that walk."""

from collections.abc import Mapping
from dataclasses import dataclass

from contracts.base import Json


@dataclass(frozen=True, slots=True)
class Source:
    """An answer that names things."""

    method: str
    path: str
    gives: Mapping[str, str]
    """Parameter of a path → where its value is in the answer, or in the request, as OpenAPI writes it (a runtime expression)."""
    statuses: tuple[str, ...] = ("200",)
    below: str = "/v1/"
    """Only paths that begin so: `name` is a source's here and a log's there."""


_JOB = {"job_id": "$response.body#/job_id"}

SOURCES = (
    Source("post", "/v1/jobs", _JOB, ("200", "201")),
    Source("get", "/v1/jobs", {"job_id": "$response.body#/jobs/0/id"}),
    Source("post", "/v1/jobs/{job_id}/fork", _JOB, ("201",)),
    Source("get", "/v1/jobs/{job_id}/steps", {"step_id": "$response.body#/steps/0/id"}),
    Source("get", "/v1/sessions", {"session_id": "$response.body#/0/id"}),
    Source("post", "/v1/sessions/{session_id}/messages", _JOB),
    Source("post", "/v1/chat/start", {**_JOB, "session_id": "$response.body#/session_id"}, ("201",)),
    Source("post", "/v1/sources", {"name": "$request.body#/name"}, ("201",), "/v1/sources/"),
    Source("post", "/v1/metrics", {"server": "$request.body#/name"}, ("201",), "/v1/metrics/"),
    Source("post", "/v1/checks", {"hash": "$response.body#/hash"}, ("201",)),
    Source("post", "/v1/logs", {"name": "$request.body#/name"}, ("201",), "/v1/logs/"),
    Source("get", "/v1/kinds", {"name": "$response.body#/0/name"}, below="/v1/kinds/"),
    Source("get", "/v1/quarantine", {"entry_id": "$response.body#/0/id"}),
    Source("post", "/v1/keys", {"key_id": "$response.body#/id"}, ("201",)),
)


def add_links(paths: Json) -> None:
    """Write the links into the description's `paths`."""
    for source in SOURCES:
        responses: Json = paths[source.path][source.method]["responses"]
        for status in source.statuses:
            responses[status].setdefault("links", {}).update(_links(paths, source))


def _links(paths: Json, source: Source) -> Json:
    """One link for each request that has one of the parameters in its path."""
    found: Json = {}
    for path, operations in paths.items():
        if not path.startswith(source.below):
            continue
        values = {f"path.{name}": where for name, where in source.gives.items() if f"{{{name}}}" in path}
        for operation in operations.values() if values else ():
            found[operation["operationId"]] = {"operationId": operation["operationId"], "parameters": values}
    return found
