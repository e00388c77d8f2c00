"""Feedback on a job in words, of any kind of job."""

import pytest

from contracts.base import Json
from workers.cli.job_view import judged_in
from workers.cli.voice import Voice


@pytest.mark.parametrize(
    ("detail", "english", "chinese"),
    [
        ({"verdict": "right", "cause": "disk", "ticket_id": "T-1"}, "right, it was disk (ticket T-1)", "正确，实际根因：disk（工单 T-1）"),
        ({"verdict": "bad", "example": ""}, "bad", "差"),
        ({"verdict": "useful"}, "useful", "useful"),
        ({"adopted": ["F1", "F2"], "ignored": ["F3"]}, "adopted F1, F2; ignored F3", "已采纳 F1、F2；已忽略 F3"),
        ({"ignored": ["F3"]}, "ignored F3", "已忽略 F3"),
    ],
)
def test_what_was_judged_is_said_in_words(detail: Json, english: str, chinese: str) -> None:
    judged = judged_in(detail)
    assert judged is not None
    assert [Voice(language).plain(judged) for language in ("en", "zh")] == [english, chinese]


def test_feedback_without_a_word_that_is_known_is_only_dated() -> None:
    assert judged_in({"stars": 5}) is None
