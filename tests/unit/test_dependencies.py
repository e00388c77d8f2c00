"""The development packages bring every extra that tests use: a test that is skipped where CI runs proves nothing there."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BY_NAME = {"embedded", "s3"}
"""Extras that `make lock` names itself."""
NOT_TESTED_AGAINST_A_SERVER = {"trino", "clickhouse"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", sorted(set(EXTRAS) - BY_NAME - NOT_TESTED_AGAINST_A_SERVER))
def test_the_development_packages_bring_the_extra(extra: str) -> None:
    """The tests of traces and of Anthropic and Gemini were skipped in CI: nothing there installed them."""
    dev = PROJECT["dependency-groups"]["dev"]

    assert [requirement for requirement in EXTRAS[extra] if requirement not in dev] == []


@pytest.mark.parametrize("lock", sorted(path.name for path in ROOT.glob("requirements*.lock")))
def test_a_lock_names_hashes_and_no_host(lock: str) -> None:
    text = (ROOT / lock).read_text("utf-8")
    blocks = re.split(r"\n(?=\S)", text.strip())

    assert [block.splitlines()[0] for block in blocks if not re.match(r"[a-z0-9._-]+(\[[a-z0-9,-]+\])?==\S+", block)] == []
    assert [block.splitlines()[0] for block in blocks if "--hash=sha256:" not in block] == []
    assert re.findall(r"\S*(?:://|--index|--find-links)\S*", text) == []


@pytest.mark.parametrize("extra", sorted(set(EXTRAS) - NOT_TESTED_AGAINST_A_SERVER))
def test_the_lock_of_the_development_packages_has_the_extra(extra: str) -> None:
    locked = set(re.findall(r"^([a-z0-9._-]+)(?:\[[a-z0-9,-]+\])?==", (ROOT / "requirements-dev.lock").read_text("utf-8"), re.MULTILINE))
    wanted = {re.split(r"[\[<>=;,~! ]", requirement)[0].lower() for requirement in EXTRAS[extra]}

    assert wanted - locked == set()
