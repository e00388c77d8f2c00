"""Reading JSON from outside."""

import base64
import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.base import canonical_json, clean_text, content_hash
from contracts.wire import MAX_DEPTH, NotJson, read_json


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"{", "Not JSON"),
        (b"", "Not JSON"),
        (b"\xff\xfe{}", "Not UTF-8: byte 0 is 0xff"),
        (b'{"a": NaN}', "NaN is not a JSON number"),
        (b"[Infinity]", "Infinity is not"),
        (b"[1e999]", "too large"),
        (b"[" * 100_000, "Nested deeper than 64"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "Nested deeper than 64"),
        (b"9" * 5_000, "Not JSON"),
    ],
    ids=["half", "empty", "utf8", "nan", "infinity", "huge", "open", "deep", "digits"],
)
def test_what_is_not_json_is_refused_with_the_reason(body: bytes, reason: str) -> None:
    """F4."""
    with pytest.raises(NotJson, match=reason):
        read_json(body)


def test_a_message_over_the_limit_is_not_even_parsed() -> None:
    with pytest.raises(NotJson, match="has 11 bytes; 10 are allowed"):
        read_json(b'"123456789"', max_bytes=10)


def test_of_a_name_that_stands_twice_the_last_counts() -> None:
    assert read_json(b'{"a": 1, "a": 2}') == {"a": 2}


def test_nul_and_lone_surrogates_are_replaced() -> None:
    assert read_json(b'{"k\\u0000": ["a\\u0000b", "\\ud800x", "\\ud83d\\ude00"]}') == {"k\ufffd": ["a\ufffdb", "\ufffdx", "\U0001f600"]}


SCALARS = st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.text()


@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20))
def test_what_is_json_is_read_as_it_is(value: object) -> None:
    body = json.dumps(value).encode()

    read = read_json(body)

    assert canonical_json(read).encode("utf-8")
    assert content_hash(read) == content_hash(read_json(canonical_json(read).encode()))


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    with contextlib.suppress(NotJson):
        canonical_json(read_json(body)).encode()


@given(st.text(st.characters(exclude_categories=())))
def test_clean_text_can_always_be_stored(text: str) -> None:
    cleaned = clean_text(text)

    assert "\x00" not in cleaned
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned


def test_equal_values_have_one_spelling_and_one_hash() -> None:
    assert canonical_json({"b": 1, "a": [1.5, "é"]}) == '{"a":[1.5,"é"],"b":1}'
    assert content_hash({"a": 1, "b": 2}) == content_hash({"b": 2, "a": 1})
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(float("nan"))


def test_hostile_json_is_read_or_refused_as_it_should_be(eval_data: Path) -> None:
    cases = [json.loads(line) for line in (eval_data / "hostile" / "json_cases.jsonl").read_text("utf-8").splitlines()]
    wrong: list[str] = []
    for case in cases:
        try:
            read_json(base64.b64decode(case["b64"]) if case["b64"] else b"[" * 100_000)  # the one case too long for the file
            accepted = True
        except NotJson:
            accepted = False
        if (case["expect"] == "must_reject" and accepted) or (case["expect"] == "must_accept" and not accepted):
            wrong.append(case["name"])

    assert len(cases) > 100
    assert wrong == []
