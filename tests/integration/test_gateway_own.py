"""Every route of the gateway on the caller's own things: it answers a key of the right scopes, and no key with one of them less. Generated
from the application: a route that is not tried here fails the test. And the examples of the OpenAPI are what the routes answer."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from contracts.access import Scope
from tests.support.gateway import gateway_over, key_for, scopes_of
from tests.support.gateway_walk import OWNER, Step, walk
from workers.app.services import ProcessServices
from workers.gateway.app import create_gateway
from workers.settings import Settings

OF_TODAY = "the example is of an earlier release: run `python -m tests.support.gateway_walk`"
MAY_BE_EMPTY = (
    "GET /v1/catalogue/lineage answer 200", "GET /v1/sources/{name}/writable answer 200",  # the sample shop has neither
    "POST /v1/jobs/{job_id}/answer/undo request application/json", "POST /v1/history/undo request application/json",  # the last one
    "POST /v1/quarantine/{entry_id}/give-up request application/json", "POST /v1/quarantine/{entry_id}/replay request application/json",
)  # fmt: skip
"""Examples in which there is nothing to say."""


@pytest.fixture
def services(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[ProcessServices]:
    made = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, embeddings="none", home=tmp_path))
    yield made
    made.close()


@pytest.mark.timeout(900)
def test_each_route_answers_about_ones_own_things_for_the_right_scopes_and_no_fewer(services: ProcessServices) -> None:
    db = services.database
    keys = {scope: key_for(db, OWNER, scope) for scope in Scope}
    described = create_gateway(services).openapi()["paths"]
    with gateway_over(ProcessServices(services.settings)) as client:
        for step in walk(services):
            needed = scopes_of(step.route) or set()
            for scope in set(Scope) - {Scope.ADMIN} - (needed if len(needed) == 1 else set()) if needed else ():
                refused = step.ask(client, keys[scope])
                assert refused.status_code == 403, (step.name, scope, refused.text[:500])
            for missing in needed if len(needed) > 1 else ():
                refused = step.ask(client, key_for(db, OWNER, *(needed - {missing})))
                assert refused.status_code == 403, (step.name, missing, refused.text[:500])
            answer = step.ask(client, key_for(db, OWNER, *(needed or {Scope.READ})))
            assert answer.status_code in (200, 201, 202, 204), (step.name, answer.status_code, answer.text[:800])
            if answer.headers.get("content-type") == "application/json":
                example = _example_of(described, step, str(answer.status_code))
                assert example is None or _alike(example, answer.json()), (step.name, OF_TODAY)


def _example_of(described: Any, step: Step, status: str) -> Any:
    operation = next(
        (found[step.route.method.lower()] for path, found in described.items() if path == _plain(step.route.path)), {"responses": {}}
    )
    return operation["responses"].get(status, {}).get("content", {}).get("application/json", {}).get("example")


def _plain(path: str) -> str:
    """A path as the description writes it."""
    return path.replace(":path}", "}").replace(":uuid}", "}")


def _alike(example: Any, answer: Any) -> bool:
    """Whether an example has the fields of an answer."""
    if isinstance(example, dict) and isinstance(answer, dict):
        return example.keys() == answer.keys()
    if isinstance(example, list) and isinstance(answer, list):
        return not (example and answer) or _alike(example[0], answer[0])
    return type(example) is type(answer)


def test_every_request_and_answer_in_json_has_an_example_that_fits(services: ProcessServices) -> None:
    """None of them is empty where something is to be said."""
    described = create_gateway(services).openapi()
    faults: list[str] = []
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            for place, content in _contents(operation):
                known = content.get("examples") or ({"example": {"value": content["example"]}} if "example" in content else {})
                where = f"{method.upper()} {path} {place}"
                faults += [f"{where}: no example"] * (not known)
                schema = {**content["schema"], "components": described["components"]}
                for found in known.values():
                    faults += [
                        f"{where}: {error.message[:200]}" for error in jsonschema.Draft202012Validator(schema).iter_errors(found["value"])
                    ]
                    faults += [f"{where}: empty"] * (found["value"] in ({}, [], None) and where not in MAY_BE_EMPTY)
    assert not faults, "\n".join(faults)


def _contents(operation: Any) -> Iterator[tuple[str, Any]]:
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        yield f"request {media}", content
    for status, response in operation["responses"].items():
        if status.startswith("2") and "application/json" in response.get("content", {}):
            yield f"answer {status}", response["content"]["application/json"]
