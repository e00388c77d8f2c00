"""The gateway against its own OpenAPI, by schemathesis: every parameter and body at its edges, right and wrong.

The short form, which runs always, tries the examples and the edges of each field, a few random requests, and a few sequences in which one
answer's ids go into the next request. With BULLPEN_CAMPAIGN set there are many of these.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from contracts.access import Scope
from tests.support.gateway import bearer, served
from workers.app.services import ProcessServices
from workers.gateway.access.keys import create_key
from workers.settings import Settings

CAMPAIGN = bool(os.environ.get("BULLPEN_CAMPAIGN"))
PHASES = "examples,coverage,fuzzing,stateful"
EXAMPLES = "50" if CAMPAIGN else "2"
ENDLESS = "/events$|/sse$|/completions$"
"""Addresses that answer for as long as a job works."""
RULES_BEYOND = "positive_data_acceptance"
"""A body of the right form may still be refused: a source that there is not, a reply_to that is not allowed."""


@pytest.fixture
def services(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[ProcessServices]:
    made = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, embeddings="none", home=tmp_path), slots=6)
    yield made
    made.close()


@pytest.mark.timeout(3600 if CAMPAIGN else 900)
@pytest.mark.parametrize("scope", [Scope.ADMIN, Scope.READ] if CAMPAIGN else [Scope.ADMIN])
def test_no_request_breaks_what_the_description_says(services: ProcessServices, tmp_path: Path, scope: Scope) -> None:
    _, key = create_key(services.database, "shop", scopes=[scope])
    with served(ProcessServices(services.settings, slots=6)) as base:
        httpx.get(f"{base}/v1/openapi.json", headers=bearer(key), timeout=120)  # it is made once, and schemathesis waits for 10 s only
        command = [
            str(Path(sys.executable).with_name("schemathesis")), "run", f"{base}/v1/openapi.json", "-H", f"Authorization: Bearer {key}",
            "--phases", PHASES, "--max-examples", EXAMPLES, "--seed", "1", "--exclude-path-regex", ENDLESS,
            "--exclude-checks", RULES_BEYOND, "--request-timeout", "60",
        ]  # fmt: skip
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    failures = done.stdout.partition("= FAILURES =")[2].partition("= WARNINGS =")[0]
    assert done.returncode == 0, (failures or done.stdout + done.stderr)[:6_000]
    assert "Tested: 0" not in done.stdout
    assert re.search(r"Stateful.*[1-9]", done.stdout), done.stdout[-3_000:]
