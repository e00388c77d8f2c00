"""The language that a job is shown in, and content for readers without a catalogue."""

import pytest

from contracts.base import Json
from contracts.statements import lines, passage, quote, say
from workers.coordinator.job_language import job_language
from workers.kinds.registry import load_kinds
from workers.saying.content import in_words

load_kinds()


@pytest.mark.parametrize(
    ("kind", "asked", "language"),
    [
        ("diagnose", {"description": "queries are slow"}, "en"),
        ("diagnose", {"description": "昨晚开始一直报错，应用全部连不上：FATAL remaining connection slots are reserved"}, "zh"),
        ("tune", {"description": "why is it slow?", "language": "zh"}, "zh"),
        ("tune", {"description": "为什么慢", "language": None}, "zh"),
        ("diagnose", None, "en"),
        ("nobody's", {"description": "为什么慢"}, "en"),
    ],
    ids=["english", "chinese with a log line", "asked for", "left open", "no request", "unknown kind"],
)
def test_a_job_is_shown_in_the_language_it_asks_for_or_is_written_in(kind: str, asked: Json | None, language: str) -> None:
    assert job_language(kind, None, asked) == language


def test_statements_in_content_become_text_and_nothing_else_changes() -> None:
    """Data that only looks like a statement stays data."""
    told = say("diagnose.rar.reasoning", words=quote("{x}"))
    like = [{"kind": "statement", "code": "No Code", "values": {}}, {"kind": "statement", "code": "a.b"}, {"kind": "bytes", "value": 1}]
    content = {"explanation": lines(told, passage("a\nb")).to_json(), "deep": [{"why": told.to_json()}], "like": like, "n": 1}

    assert in_words(content, "en") == {
        "explanation": "Reasoning: “{x}”\na\nb",
        "deep": [{"why": "Reasoning: “{x}”"}],
        "like": like,
        "n": 1,
    }
    assert in_words(content, "zh")["deep"] == [{"why": "推理：「{x}」"}]
