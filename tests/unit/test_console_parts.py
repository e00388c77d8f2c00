"""Parts of the console that need no server: forms from contracts, the drawing of stages, messages of the stream, names of files."""

import re
import xml.etree.ElementTree as ElementTree
from enum import StrEnum
from typing import Literal

import pytest
from pydantic import Field

from contracts.analyze.steps import Option, ParamsRequest
from contracts.base import Contract, Text
from contracts.diagnose.deliverables import PhenomenonItem, PhenomenonQuestion
from contracts.jobs import StepStatus
from workers.console import graph
from workers.console.fields import fields_of, read_fields
from workers.console.graph import draw_stages, placed
from workers.console.job_live import message
from workers.console.pages import Look, ticked
from workers.console.routes.assets import FILES
from workers.console.routing import safe_next
from workers.errors import InvalidInput
from workers.kinds.registry import all_kinds
from workers.kinds.shown import question_form
from workers.reading.stages import StageFacts

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
    """A stage of a drawing."""
    return StageFacts(
        name=name, role="analyst", task="", maker=None, needs=needs, fresh=fresh, version=1 if fresh else None, versions=int(fresh),
        origin=None, pinned=False, drifted=False, why=None, step=step, step_id=None, deliverable_id=None,
    )  # fmt: skip


def test_a_stage_is_drawn_right_of_what_it_needs_and_no_two_boxes_meet() -> None:
    stages = [stage("input", fresh=True), stage("a", "input"), stage("b", "input"), stage("c", "a", "b"), stage("d", "c", "input")]
    boxes = {box.stage.name: box for box in placed(stages)}
    for found in stages:
        assert all(boxes[need].column < boxes[found.name].column for need in found.needs)
    assert len({(box.column, box.row) for box in boxes.values()}) == len(stages)


def test_the_drawing_is_well_formed_escaped_and_without_styles() -> None:
    evil = 'x"><script>alert(1)</script>'
    drawn = draw_stages("J", [stage("input", fresh=True), stage(evil, "input", step=StepStatus.RUNNING)], [], LOOK)
    root = ElementTree.fromstring(drawn)  # noqa: S314  our own drawing
    assert not [element for element in root.iter() if element.tag == "script" or "style" in element.attrib]
    assert "stage running" in drawn
    assert "edge fresh" in drawn


def test_lines_between_the_lines_of_a_long_plan_stay_inside_the_drawing() -> None:
    stages = [stage("input", fresh=True), *(stage(f"s{n}", f"s{n - 1}" if n > 1 else "input") for n in range(1, 8))]
    boxes = placed(stages)
    drawn = ElementTree.fromstring(draw_stages("J", stages, [], LOOK))  # noqa: S314  our own drawing
    turn = max(box.left for box in boxes) + graph.WIDTH + graph.GAP_X // 3
    assert int(drawn.attrib["width"]) > turn


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
    assert {"htmx.min.js", "console.css", "icon.svg"} <= set(FILES)
    assert all(path.parent.name == "static" for path in FILES.values())


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
