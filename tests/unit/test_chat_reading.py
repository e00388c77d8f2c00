"""What a model says, read: the one JSON object, or the reason why there is none."""

import base64
import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.base import Contract, Json
from contracts.diagnose.deliverables import RarAnswer
from contracts.wire import NotJson
from tests.support.weather import EXPECTED, RAINY, Weather
from workers.llm.backend import Reply
from workers.llm.reading import WrongAnswer, find_object, read_reply
from workers.llm.schema import answer_schema

PLAIN = json.dumps(RAINY)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        f"  \n{PLAIN}\n",
        f"```json\n{PLAIN}\n```",
        f"```\n{PLAIN}\n```",
        f"Here is the answer you {{asked}} for:\n{PLAIN}\nI hope that helps {{}}.",
        f"<think>Maybe {{\"sky\": \"sun\"}}? No.</think>{PLAIN}",
        f"thinking aloud without an opening tag {{\"sky\": \"sun\"}}</think>\n\n{PLAIN}",
        f"{PLAIN}\n\n{PLAIN}",
        f"\ufeff{PLAIN}",
    ],
)  # fmt: skip
def test_the_one_object_is_found_whatever_stands_around_it(text: str) -> None:
    assert read_reply(Reply(text), Weather) == EXPECTED


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (Reply(""), "empty"),
        (Reply("   \n"), "empty"),
        (Reply("I cannot know the weather."), "no JSON object"),
        (Reply("", refusal="no"), "refused"),
        (Reply("", tool_names=("read_file",)), "no tools"),
        (Reply("<think>" + "so " * 100, cut_off=True), "used up all the room"),
        (Reply(PLAIN[:-5], cut_off=True), "cut off"),
        (Reply(PLAIN[:-5]), "Not JSON"),
        (Reply('{"sky": "rain", "degrees": NaN}'), "NaN is not a JSON number"),
        (Reply('{"sky": "rain", "degrees": 1e999}'), "too large"),
        (Reply('{"sky": "snow", "degrees": 1}'), "sky: Input should be 'sun' or 'rain'"),
        (Reply('{"sky": "rain"}'), "degrees: Field required"),
        (Reply('{"sky": "rain", "degrees": 1, "tool": "rm"}'), "tool: Extra inputs are not permitted"),
        (Reply('{"sky": "rain", "degrees": 1} or {"sky": "sun", "degrees": 2}'), "holds 2 JSON objects"),
        (Reply('{"broken": {"sky": "rain", "degrees": 1}, oops'), "Not JSON"),
        (Reply("[1, 2]"), "no JSON object"),
        (Reply('{"a":' * 100_000), "nested too deeply|bytes"),
        (Reply('{"a":' * 900 + "1" + "}" * 900), "eeper|deeply"),
        (Reply('{"a": "' + "x" * 300_000 + '"}'), "bytes"),
        (Reply('{"sky": "rain", "degrees": ' + "9" * 5000 + "}"), "Not JSON|too large|degrees"),
    ],
    ids=range(20),
)
def test_a_wrong_answer_says_what_is_wrong_with_it(reply: Reply, says: str) -> None:
    with pytest.raises(WrongAnswer, match=says):
        read_reply(reply, Weather)


@given(st.text(max_size=200) | st.text(alphabet='{}[]":,\\ntrue1eE.-<>/think', max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    with suppress(WrongAnswer):
        read_reply(Reply(text), Weather)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(1 - 2**63, 2**63 - 1) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_an_object_survives_the_prose_around_it(value: object) -> None:
    wrapped = {"value": value}

    assert find_object(f"Well:\n```json\n{json.dumps(wrapped)}\n```") == json.loads(json.dumps(wrapped).replace("\\u0000", "\\ufffd"))


def test_the_parser_cases_of_the_corpus_neither_crash_nor_pass_what_is_no_json(eval_data: Path) -> None:
    cases = [json.loads(line) for line in (eval_data / "hostile" / "json_cases.jsonl").read_text("utf-8").splitlines()]
    assert len(cases) > 100
    for case in (case for case in cases if case["b64"] is not None):
        text = base64.b64decode(case["b64"]).decode("utf-8", "replace")
        try:
            value = find_object(text)
        except NotJson:
            continue
        assert isinstance(value, dict), case["name"]


def test_a_schema_is_strict_where_the_contract_can_be() -> None:
    schema = answer_schema(RarAnswer)

    assert schema.strict
    assert set(schema.schema["required"]) == set(RarAnswer.model_fields)
    assert schema.schema["additionalProperties"] is False
    assert "default" not in json.dumps(schema.schema)
    assert "maxLength" not in json.dumps(schema.schema)


def test_a_contract_with_a_free_object_is_not_called_strict() -> None:
    class Titled(Contract):
        title: str = "x"
        extra: Json = {}

    schema = answer_schema(Titled)

    assert not schema.strict
    assert schema.schema["properties"]["title"] == {"type": "string"}
    assert schema.schema.get("required", []) == []
