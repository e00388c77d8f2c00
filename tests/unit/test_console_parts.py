"""Parts of the console that need no server: forms from contracts, the timeline of stages, messages of the stream, names of files."""

import html
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from contracts.analyze.steps import Option, ParamsRequest
from contracts.base import Contract, Text
from contracts.diagnose.deliverables import PhenomenonItem, PhenomenonQuestion
from contracts.jobs import StepStatus
from workers.console.fields import edit_fields, fields_of, read_edit_fields, read_fields
from workers.console.job_live import message
from workers.console.pages import MODULES, STATIC, Look, ticked
from workers.console.plain_content import content_blocks
from workers.console.routing import safe_next
from workers.console.timeline import reduced
from workers.errors import InvalidInput
from workers.kinds.registry import all_kinds, load_kinds
from workers.kinds.shown import question_form
from workers.reading.stages import StageFacts
from workers.saying.code_colours import LONGEST, LONGEST_LINE, coloured, coloured_diff, coloured_lines, language_of_file
from workers.saying.harmless import clean

LOOK = Look("en", "auto", "/console/jobs")
CHINESE = Look("zh", "auto", "/console/jobs")


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class ForeignRequest(Contract):
    """A request as an extension may define it."""

    kind: Literal["foreign"] = "foreign"
    wish: Text = Field(min_length=1, max_length=5_000)
    colour: Colour = Field(default=Colour.BLUE, description="Of the thing.")
    often: int = Field(default=3, ge=1, le=9, description="How often.")
    share: float | None = Field(default=None, description="A share.")
    loud: bool = Field(default=False, description="Say it loudly.")
    tags: tuple[Text, ...] = Field(default=(), description="One a line.")
    rest: dict[str, int] = Field(default_factory=dict, description="Anything else.")
    inner: str = ""


def test_a_contract_of_an_extension_is_a_form_whose_filling_it_accepts() -> None:
    fields = fields_of(ForeignRequest, LOOK)
    shapes = {field.name: field.shape for field in fields}
    assert shapes == {
        "wish": "area", "colour": "choice", "often": "number", "share": "number", "loud": "check", "tags": "lines", "rest": "json",
    }  # fmt: skip
    often = next(field for field in fields if field.name == "often")
    assert (often.low, often.high, often.value) == (1, 9, "3")
    filled = {"f-wish": "x", "f-colour": "red", "f-often": "4", "f-share": "", "f-loud": "true", "f-tags": "a\n\n b ", "f-rest": '{"n": 1}'}
    request = ForeignRequest.model_validate(read_fields(fields, filled))
    assert (request.colour, request.often, request.share, request.loud) == (Colour.RED, 4, None, True)
    assert (request.tags, request.rest) == (("a", "b"), {"n": 1})
    with pytest.raises(InvalidInput, match="Often"):
        read_fields(fields, {"f-often": "many"})


@pytest.mark.parametrize("kind", [kind for kind in all_kinds() if kind.locale is not None], ids=lambda kind: kind.name)
def test_every_kind_has_a_form_and_says_what_it_is_for_in_chinese(kind: object) -> None:
    from workers.kinds.base import Kind

    assert isinstance(kind, Kind)
    fields = fields_of(kind.request, CHINESE, leave_out=() if kind.files is None else (kind.files,))
    assert fields
    assert all(re.search(r"[\u4e00-\u9fff]|SQL", field.label) for field in fields), [field.label for field in fields]
    assert re.search(r"[\u4e00-\u9fff]", CHINESE.kind_summary(kind))


def stage(name: str, *needs: str, step: StepStatus | None = None, fresh: bool = False) -> StageFacts:
    """A stage of a plan."""
    return StageFacts(
        name=name, role="analyst", task="", maker=None, needs=needs, fresh=fresh, version=1 if fresh else None, versions=int(fresh),
        origin=None, pinned=False, drifted=False, why=None, step=step, step_id=None, deliverable_id=None,
    )  # fmt: skip


@st.composite
def plans(draw: st.DrawFn) -> list[StageFacts]:
    """Stages in dispatch order, each with some of those before it as needs."""
    names = [f"s{n}" for n in range(draw(st.integers(1, 8)))]
    return [stage(name, *draw(st.lists(st.sampled_from(names[:at]), unique=True) if at else st.just([]))) for at, name in enumerate(names)]


@given(plans())
def test_the_needs_on_a_timeline_say_the_same_with_the_fewest_lines(stages: list[StageFacts]) -> None:
    direct = reduced(stages)
    whole = {found.name: found.needs for found in stages}
    assert {name: closure(name, direct) for name in whole} == {name: closure(name, whole) for name in whole}
    for name, needs in direct.items():
        for need in needs:
            fewer = direct | {name: tuple(other for other in needs if other != need)}
            assert need not in closure(name, fewer)


def closure(name: str, needs: Mapping[str, tuple[str, ...]]) -> set[str]:
    """All stages that this one needs, through others too."""
    return {found for need in needs[name] for found in (need, *closure(need, needs))}


@pytest.mark.parametrize("look", [LOOK, CHINESE], ids=lambda look: look.language)
def test_every_kind_role_and_stage_of_the_shipped_kinds_has_a_name(look: Look) -> None:
    for kind in (kind for kind in all_kinds() if kind.locale is not None):
        assert look.kind(kind.name) != kind.name
        for role, task in kind.tasks:
            assert look.role(role) != role
            assert look.stage("x", task) != "X", task
    assert look.stage("script/2", "etl.write").endswith(" 2")
    assert look.stage("of_an_extension", "strange.task") == "Of an extension"


class Arguments(Contract):
    """The arguments of a tool."""

    sql: Text | None = Field(default=None, max_length=5_000)
    limit: int = 10


class StageEdit(Contract):
    """What may be edited in a stage of an extension."""

    colour: Colour | None = None
    arguments: Arguments = Arguments()


def test_the_form_of_a_stage_brings_only_what_was_changed_and_arguments_as_a_whole() -> None:
    fields = edit_fields(StageEdit, LOOK, {"colour": "red", "arguments": {"sql": "SELECT 1", "limit": 5}})
    assert [(field.name, field.value) for field in fields] == [("colour", "red"), ("arguments.sql", "SELECT 1"), ("arguments.limit", "5")]
    as_it_was = {"f-colour": "red", "f-arguments.sql": "SELECT 1", "f-arguments.limit": "5"}
    assert read_edit_fields(fields, as_it_was) == {}
    assert read_edit_fields(fields, as_it_was | {"f-colour": "blue"}) == {"colour": "blue"}
    assert read_edit_fields(fields, as_it_was | {"f-arguments.limit": "7"}) == {"arguments": {"sql": "SELECT 1", "limit": 7}}


def test_a_statement_is_coloured_and_nothing_in_it_becomes_markup() -> None:
    text = "SELECT '<b>' AS \"K\" -- <i>\nFROM t WHERE n > 1.5"
    made = coloured(text, "sql")
    assert '<span class="s">&#x27;&lt;b&gt;&#x27;</span>' in made
    assert html.unescape(re.sub(r"<[^>]+>", "", made)) == text
    assert "<b>" not in coloured("SELECT 'open <b>", "sql")
    assert coloured("SELECT '<b>'", "logql") == "SELECT &#x27;&lt;b&gt;&#x27;"


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        (
            "load.py",
            'def load(day):  # x\n    return "a"',
            '<span class="n">load</span>|<span class="c"># x</span>|<span class="s">a</span>',
        ),
        (
            "models/schema.yml",
            "name: paid  # x\nrows: 3",
            '<span class="n">name</span>|<span class="c"># x</span>',
        ),
        ("a.SQL", "SELECT 1", '<span class="k">SELECT</span>|<span class="m">1</span>'),
        ("a.json", '{"n": true}', '<span class="k">true</span>'),
    ],
)
def test_files_are_coloured_by_their_language(file: str, text: str, expected: str) -> None:
    made = coloured(text, language_of_file(file))

    assert [part for part in expected.split("|") if part not in made] == []
    assert html.unescape(re.sub(r"<[^>]+>", "", made)) == text


def test_a_text_over_several_lines_is_coloured_in_each_of_them_and_on_both_sides_of_a_diff() -> None:
    assert coloured_lines(['x = """a', "b", '""" + y'], "python")[1] == '<span class="s">b</span>'
    lines = dict(coloured_diff((' x = """a', "-b", "+c", ' """'), "python"))
    assert (lines["-"], lines["+"]) == ('<span class="s">b</span>', '<span class="s">c</span>')
    assert next(coloured_diff(("@@ -1 +1 @@", "-<b>", ""), "sql")) == ("@", "@ -1 +1 @@")


@pytest.mark.parametrize("text", ["%" * 20_000, "&a " * 7_000, "(" * 1_000_000])
def test_what_would_take_long_to_read_is_shown_plain(text: str) -> None:
    assert coloured(text, "yaml") == html.escape(text)
    assert LONGEST_LINE < LONGEST


@given(st.text(max_size=300), st.sampled_from(("sql", "python", "yaml", "json", "")))
def test_colours_change_nothing_of_a_text(text: str, language: str) -> None:
    lines = [line for line in text.splitlines() if line] or [""]

    made = coloured_lines(lines, language)

    assert [html.unescape(re.sub(r"<[^>]+>", "", line)) for line in made] == [clean(line) for line in lines]


def test_what_stands_between_backticks_is_code_and_nothing_else_becomes_markup() -> None:
    assert ticked("`bullpen jobs` lists them.") == "<code>bullpen jobs</code> lists them."
    assert ticked("`<b>` <i>") == "<code>&lt;b&gt;</code> &lt;i&gt;"
    assert ticked("it's 5` long") == "it&#39;s 5` long"


def test_a_message_of_the_stream_has_its_revision_and_only_data_lines() -> None:
    lines = message({"head": "<p>a\nb\r\nid: 99</p>", "why": ""}, 7).split("\n")
    assert lines[0] == "id: 7"
    assert lines[-2:] == ["", ""]
    assert all(line.startswith("data: ") for line in lines[1:-2])
    assert 'hx-target="#job-head"' in lines[1]


@pytest.mark.parametrize("page", ["/console", "/console/jobs", "/console/chat/x?at=1"])
def test_a_page_of_the_console_is_gone_on_to(page: str) -> None:
    assert safe_next(page) == page


def test_only_files_of_the_release_are_served() -> None:
    assert {"htmx.min.js", "console.css", "icon.svg", "plots.js", "vega.min.js"} <= set(STATIC)
    assert all(path.parent.name in ("static", "browser") for path in STATIC.values())
    ours = [path.read_text("utf-8") for path in STATIC.values() if path.suffix == ".js" and ".min." not in path.name]
    assert sum(text.count("\n") for text in ours) <= 1_000, "JavaScript of our own"
    imported = set(re.findall(r'^import (?:.* from )?"\./([^"]+)"', "\n".join(ours), re.MULTILINE))
    assert imported == set(MODULES), "what is imported is asked for by the page itself, so that it comes at once"


def test_questions_of_kinds_are_forms() -> None:
    item = PhenomenonItem(number=2, phenomenon_id="p", description="CPU is high", observation_method="top", why="it tells")
    asked = question_form("diagnose", PhenomenonQuestion(turn=1, items=(item,)).to_json())
    assert [found.number for found in asked.items] == [2]
    params = ParamsRequest(
        step="s1", tool_name="match_scenario", missing_params=("city",), options={"city": (Option(value="1", label="Expo"),)}
    )
    assert question_form("analyze", params.to_json()).fields[0].options == (("1", "Expo"),)
    assert question_form("diagnose", {"kind": "other"}).items == ()
    assert question_form("unknown", {}).fields == ()


def test_our_own_javascript_stays_small() -> None:
    """1,000 lines, with that of the exports' charts; what is vendored is minified and not counted."""
    own = [path for file, path in STATIC.items() if file.endswith(".js") and not file.endswith(".min.js")]

    assert len(own) > 8
    assert sum(len(path.read_text("utf-8").splitlines()) for path in own) <= 1_000


def test_members_of_enums_have_the_words_of_their_kind() -> None:
    load_kinds()
    content = {"causes": [{"kind": "data_skew", "severity": "problem"}], "kind": "no_such_kind", "question": "data_skew"}

    shown = str(content_blocks(content, CHINESE, "tune"))

    assert "数据倾斜" in shown
    assert "'problem'" not in shown
    assert "no_such_kind" in shown
    assert shown.count("data_skew") == 1
