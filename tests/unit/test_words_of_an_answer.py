"""The words of an answer while it is written."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.llm.words import Words


def said(text: str, cuts: list[int], field: str = "answer") -> list[str]:
    heard: list[str] = []
    words = Words(field, heard.append)
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    for begin, end in pairwise(places):
        words.feed(text[begin:end])
    return heard


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=12)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["answer", "a", '"']), inner, max_size=3)),
    max_leaves=8,
)


@given(
    answer=st.text(alphabet=st.characters(exclude_categories=["Cs"])),
    before=VALUES,
    after=VALUES,
    cuts=st.lists(st.integers(0, 400), max_size=30),
    plain=st.booleans(),
)
def test_the_text_of_the_field_comes_whole_however_it_is_cut(
    answer: str, before: object, after: object, cuts: list[int], plain: bool
) -> None:
    text = json.dumps({"first": before, "answer": answer, "last": after}, ensure_ascii=not plain)

    assert "".join(said(text, cuts)) == answer


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ('<think>{"answer": "no"}</think>{"answer": "yes"}', "yes"),
        ('```json\n{"answer": "yes"}\n```', "yes"),
        ('{"steps": [{"answer": "no"}], "answer": "yes', "yes"),
        ('{"answer": 3}', ""),
        ('{"answer": null, "other": "x"}', ""),
        ('{"other": "answer"}', ""),
        ("no JSON at all", ""),
        ('{"first": ["x"], "answer": ["a", "b c"], "last": ["y"]}', "a b c"),
        ('{"answer": [{"answer": "x"}, ["y"]], "last": "z"}', ""),
        ('{"answer": [], "last": ["z"]}', ""),
        ('{"answer": ["It is', "It is"),
        ('{"step": {"final": {"answer": "yes"}}}', "yes"),
        ('{"final": {"first": {"answer": "no"}, "answer": ["a", "b"]}}', "a b"),
        ('{"step": {"tool": "final", "arguments": {"answer": "no"}}}', ""),
        ('{"step": {"tool": "x"}, "answer": "yes"}', "yes"),
        ('{"answer": "a\\u00e9\\ud83d\\ude00\\ud800x"}', "aé😀\ufffdx"),
    ],
)
def test_only_the_field_is_heard(text: str, heard: str) -> None:
    assert "".join(said(text, list(range(len(text))))) == heard


def test_words_come_before_the_answer_is_complete() -> None:
    assert said('{"answer": "one two thr', [19]) == ["one two", " thr"]
