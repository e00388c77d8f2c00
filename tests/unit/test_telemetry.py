"""Logs: one line an event, ids bound, no secrets."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import structlog

from workers.loggers import bind_step, clear_step, get_logger
from workers.secrets import redact_url
from workers.settings import Settings, load_settings
from workers.telemetry import configure_logging

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://me:secret@host/db", "postgresql://me:***@host/db"),
        ("amqp://u:p%40ss@h:5672//", "amqp://u:***@h:5672//"),
        ("redis://:hush@h:6379/0", "redis://:***@h:6379/0"),
        ("two redis://a:b@c and amqp://d:e@f", "two redis://a:***@c and amqp://d:***@f"),
        ("https://host/path", "https://host/path"),
        ("no url: at all", "no url: at all"),
    ],
)
def test_the_password_of_a_url_is_never_shown(text: str, shown: str) -> None:
    assert redact_url(text) == shown


def test_a_line_is_json_with_the_steps_ids_and_without_passwords(capsys: pytest.CaptureFixture[str]) -> None:
    """F10."""
    configure_logging("json", "info")
    bind_step(job_id="j1", step_id="s1", role="diagnoser", attempt=2)
    structlog.get_logger().info("something_happened", url="redis://u:secret@h/0", count=3)
    clear_step()
    structlog.get_logger().info("after")
    configure_logging("console", "warning")

    first, second = (json.loads(line) for line in capsys.readouterr().err.splitlines())
    assert first["event"] == "something_happened"
    assert (first["job_id"], first["role"], first["attempt"], first["count"]) == ("j1", "diagnoser", 2, 3)
    assert first["url"] == "redis://u:***@h/0"
    assert "job_id" not in second


def test_a_module_that_has_written_a_line_writes_the_next_one_as_logging_is_set_up_then(capsys: pytest.CaptureFixture[str]) -> None:
    """A fork of `bullpen up`, which shows warnings alone, kept silent about what its supervisor had logged of before."""
    log = get_logger("workers.tried")
    configure_logging("json", "warning")
    log.warning("first")
    log.info("left_out")

    configure_logging("json", "info")
    log.info("second")
    configure_logging("console", "warning")

    assert [json.loads(line)["event"] for line in capsys.readouterr().err.splitlines()] == ["first", "second"]


def test_a_wrong_setting_is_named_with_what_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    from workers.errors import ConfigurationError

    monkeypatch.setenv("BULLPEN_LEASE_S", "-1")
    monkeypatch.setenv("BULLPEN_BROKER_URL", "kafka://x")
    load_settings.cache_clear()
    with pytest.raises(ConfigurationError, match=r"(?s)BULLPEN_BROKER_URL.*redis://.*BULLPEN_LEASE_S"):
        load_settings()
    load_settings.cache_clear()


def test_every_setting_says_what_it_does() -> None:
    silent = [name for name, field in Settings.model_fields.items() if not (field.description or "").strip()]

    assert silent == []


def test_secrets_are_not_in_the_settings_text() -> None:
    shown = repr(Settings(flower_basic_auth="admin:hush"))

    assert "hush" not in shown


FIRST_LINES = """
import logging, sys
from workers.loggers import get_logger, set_up_later
from workers.telemetry import configure_logging

set_up_later(lambda: configure_logging("json", "warning"), logging.WARNING)
get_logger("workers.one").info("left_out")
logging.getLogger("somebody").info("left out")
WRITE
"""


@pytest.mark.parametrize(
    ("write", "events"),
    [
        ('get_logger("workers.one").warning("mine", url="redis://u:hush-hush@h/0")', ["workers.one mine"]),
        ('logging.getLogger("somebody").warning("theirs")', ["somebody theirs"]),
        ('logging.getLogger("somebody").error("theirs"); get_logger("workers.one").error("mine")', ["somebody theirs", "workers.one mine"]),
        ('configure_logging("json", "info"); get_logger("workers.one").info("mine")', ["workers.one mine"]),
    ],
)
def test_logging_is_set_up_with_the_first_line_of_either_kind_of_logger(write: str, events: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_LINES.replace("WRITE", write)], capture_output=True, text=True, timeout=180, check=True
    )

    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert done.stdout == ""
    assert [f"{line['logger']} {line['event']}" for line in lines] == events
    assert "hush-hush" not in done.stderr


def test_only_the_module_that_sets_logging_up_imports_structlog() -> None:
    """Else each command pays for it at its start."""
    importing = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.joinpath("workers").rglob("*.py")
        if re.search(r"^(import|from) structlog", path.read_text(encoding="utf-8"), re.M)
    }

    assert importing == {"workers/telemetry.py"}
