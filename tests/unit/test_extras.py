"""Nobody is told to install from an index what is on none."""

import json
import re
from pathlib import Path

import pytest

from workers import extras

ROOT = Path(__file__).parents[2]


class Distribution:
    """What pip wrote down of an installation."""

    def __init__(self, written: str | None) -> None:
        self.written = written

    def read_text(self, _file: str) -> str | None:
        return self.written


@pytest.mark.parametrize(
    ("written", "command"),
    [
        ({"url": "file:///srv/my%20bullpen", "dir_info": {"editable": True}}, "pip install -e '/srv/my bullpen[otel]'"),
        ({"url": "file:///tmp/b-1-py3-none-any.whl", "archive_info": {}}, "pip install '/tmp/b-1-py3-none-any.whl[otel]'"),
        ({"url": "https://example.com/x.whl"}, "pip install 'bullpen-fleet[otel]'"),
        (None, "pip install 'bullpen-fleet[otel]'"),
    ],
)  # fmt: skip
def test_an_extra_comes_from_where_the_rest_came_from(monkeypatch: pytest.MonkeyPatch, written: object, command: str) -> None:
    monkeypatch.setattr(extras, "distribution", lambda _: Distribution(None if written is None else json.dumps(written)))
    extras._origin.cache_clear()
    try:
        assert extras.install_command("otel") == command
    finally:
        extras._origin.cache_clear()


def test_no_text_of_the_program_names_the_package_of_an_index() -> None:
    files = [*ROOT.glob("workers/**/*.py"), *ROOT.glob("bullpen_client/**/*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "README.md"]
    told = [file.name for file in files if re.search(r"pip install ['\"]?bullpen[-_]fleet(?!-\d)", file.read_text("utf-8"))]

    assert told == []
