"""Refusals of the gateway: in the language that the request asks for, and for values that only look like what is asked for."""

import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient
from starlette.requests import Request

import tests.support.noop  # noqa: F401  registers the kind
from contracts.access import Scope
from tests.support.gateway import gateway_over, key_for
from workers.app.services import ProcessServices
from workers.gateway.languages import language_of

CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture
def client(services: ProcessServices) -> Iterator[TestClient]:
    with gateway_over(ProcessServices(services.settings, slots=4)) as found:
        yield found


def test_a_refusal_is_in_the_language_that_the_request_asks_for(client: TestClient, services: ProcessServices) -> None:
    admin, reader = key_for(services.database, "shop", Scope.ADMIN), key_for(services.database, "shop", Scope.READ)
    form = {"Content-Type": "multipart/form-data; boundary=b"}
    refused: tuple[tuple[int, str, str, dict[str, Any]], ...] = (
        (401, "GET", "/v1/jobs", {}),
        (403, "POST", "/v1/jobs", {"headers": reader, "json": {"job": {"kind": "noop"}}}),
        (405, "PATCH", "/v1/jobs", {"headers": admin}),
        (404, "GET", f"/v1/jobs/{uuid4()}", {"headers": admin}),
        (422, "POST", "/v1/jobs", {"headers": admin, "json": {"job": {"kind": "noop"}, "priority": "5"}}),
        (413, "POST", "/v1/jobs", {"headers": admin, "content": b"x" * (3 << 20)}),
        (400, "POST", "/v1/bundles", {"headers": admin, "content": b""}),
        (400, "POST", "/v1/bundles", {"headers": admin, "content": b"x", "params": {"name": "../x"}}),
        (400, "POST", "/v1/bundles", {"headers": {**admin, **form}, "content": b"--b--\r\n"}),
        (404, "GET", f"/v1/steps/{uuid4()}", {"headers": admin}),
        (404, "GET", "/v1/sources/nowhere", {"headers": admin}),
        (404, "GET", "/v1/skills/nothing", {"headers": admin}),
        (404, "GET", "/v1/kinds/nothing", {"headers": admin}),
        (404, "GET", "/v1/fleet/roles/nobody", {"headers": admin}),
        (404, "GET", "/v1/catalogue/table", {"headers": admin, "params": {"source": "x", "name": "y"}}),
        (404, "DELETE", "/v1/keys/nothing", {"headers": admin}),
        (400, "POST", "/v1/alerts", {"headers": admin, "json": {"nothing": 1}}),
        (404, "POST", "/v1/chat/completions", {"headers": admin, "json": {"model": "x", "messages": [{"role": "user", "content": "x"}]}}),
    )  # fmt: skip
    for status, method, path, sent in refused:
        headers = sent.pop("headers", {})
        for language, is_chinese in (("zh-CN,zh;q=0.9", True), ("en", False), ("fr, zh;q=0.5, en;q=0.4", True), ("", False)):
            answer = client.request(method, path, headers={**headers, "Accept-Language": language}, **sent)
            assert answer.status_code == status, (method, path, answer.text)
            detail = answer.json().get("detail") or answer.json()["error"]["message"]
            assert bool(CHINESE.search(detail)) is is_chinese, (method, path, language, detail)


@pytest.mark.parametrize(
    ("query", "header", "found"),
    [
        (b"", "zh", "zh"),
        (b"language=en", "zh", "en"),
        (b"language=zh-TW", "en", "zh"),
        (b"", "xx, yy;q=0.3", "en"),
        (b"", "en;q=0.1, zh;q=0.2", "zh"),
        (b"", "zh;q=0, en", "en"),
        (b"", "zh;q=nothing", "en"),
        (b"", "," * 1_000, "en"),
    ],
)
def test_the_language_of_a_request(query: bytes, header: str, found: str) -> None:
    scope = {"type": "http", "query_string": query, "headers": [(b"accept-language", header.encode())]}
    assert language_of(Request(scope)) == found


@pytest.mark.parametrize("wrong", ["yes", 1, "true", "false", 0])
def test_what_only_looks_like_a_boolean_is_refused(client: TestClient, services: ProcessServices, wrong: object) -> None:
    """ "yes" is no leave to query with an account that could write."""
    admin = key_for(services.database, "shop", Scope.ADMIN)
    bodies: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("POST", "/v1/sources", {"name": "orders", "kind": "duckdb", "insisted": wrong}),
        ("POST", "/v1/sources", {"name": "orders", "kind": "duckdb", "sample": wrong}),
        ("POST", "/v1/logs", {"name": "orders", "kind": "files", "sample": wrong}),
        ("PUT", "/v1/sources/orders/policies", {"owner": "shop", "table": "orders", "denied": wrong}),
        ("PUT", "/v1/sources/orders/policies", {"owner": "shop", "table": "orders", "hidden": ["x"], "exempt": wrong}),
        ("POST", "/v1/catalogue/source", {"source": "orders", "samples": wrong}),
    )
    for method, path, body in bodies:
        refused = client.request(method, path, headers=admin, json=body)
        assert refused.status_code == 422, (path, body, refused.text)
        assert "must be true or false" in refused.json()["detail"]


@pytest.mark.parametrize("wrong", ["5", True])
def test_what_only_looks_like_a_number_is_refused(client: TestClient, services: ProcessServices, wrong: object) -> None:
    admin = key_for(services.database, "shop", Scope.ADMIN)
    for path, kind, limits in (
        ("/v1/sources", "duckdb", ("timeout_s", "rows", "result_bytes", "cost")),
        ("/v1/logs", "files", ("timeout_s", "lines", "span_s", "scanned_bytes")),
    ):
        for limit in limits:
            refused = client.post(path, headers=admin, json={"name": "orders", "kind": kind, "limits": {limit: wrong}})
            assert refused.status_code == 422, (path, limit, refused.text)
            assert limit in refused.json()["detail"]
