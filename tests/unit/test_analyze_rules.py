"""The rules of `analyze`: what opens a gate, how a form is filled, which figures a model may say."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from contracts.analyze.answer import AnalyzeAnswer, Ending
from contracts.analyze.steps import ActOutcome, CheckItem, HeldSkill, Move, Option, ParamsRequest, State, Suggestion, ToolUse
from contracts.base import Json
from contracts.jobs import EngineChoice
from contracts.procedure_results import Compared, Found, HeldTable, NoNumber, Problem, Progress, Wishes
from contracts.procedures import CallStep, ChartSpec, CompareSpec, Procedure, Sides, SuggestStep, Vocabulary, in_language
from contracts.tools import CallOutcome, ToolAnswer
from tests.support.texts import catalogue_problems, codes_used
from tests.unit.test_procedures import SMALL
from workers.engines.procedures import read_procedure, scope_of
from workers.engines.procedures.computing import compare_tables, draw
from workers.engines.procedures.held import Held, HeldQuestion
from workers.engines.procedures.limits import Limit, Side
from workers.engines.stray_figures import stray_figures
from workers.kinds import analyze
from workers.kinds.analyze.rules.findings import Wording, answer_held, figure, say_compared, say_found
from workers.kinds.analyze.rules.forms import filled, in_message, is_cancelled
from workers.kinds.analyze.rules.moves import held_question, judge
from workers.kinds.analyze.rules.offering import offer
from workers.kinds.analyze.rules.replies import word_at_gate, yes_with
from workers.kinds.analyze.view import show_result
from workers.kinds.analyze.work.calling import call_tool
from workers.kinds.analyze.work.drawing import as_chart, undrawn
from workers.kinds.base import ShowOptions
from workers.saying import text_of
from workers.saying.terminal import to_lines

HOME = Path(analyze.__file__).parent


@pytest.mark.parametrize(
    "reply",
    [
        "需要", "是", "是的", "好的", "好啊，仿真一下", "可以的", "要！", "需要的，谢谢", "同意仿真", "请仿真", "进行优化仿真", "没问题",
        "Yes.", "yes, simulate it", "Sure, go ahead", "OK", "Please simulate it", "Let's do it", "Run the simulation",
        "No problem, go ahead",
    ],
)  # fmt: skip
def test_a_yes_is_a_yes(reply: str) -> None:
    """K20."""
    assert word_at_gate(reply) is True


@pytest.mark.parametrize(
    "reply",
    [
        "不用", "不需要", "不", "那就算了", "先不仿真", "暂时不需要", "算了，不用仿真", "No",
        "No, thank you", "No thanks", "please don't", "I don't want it",
        "not needed", "don't simulate it",
    ],
)  # fmt: skip
def test_a_no_is_a_no(reply: str) -> None:
    assert word_at_gate(reply) is False


@pytest.mark.parametrize(
    "reply",
    [
        "要是不好呢", "行不行", "好不好", "好看", "是什么意思", "需要多久？", "好的，但是先告诉我最差的", "先别急",
        "OK but show me the list first", "Yes? why", "please explain", "仿真大概要多久", "hmm", "如果需要的话", "", "可以不做吗",
        "yes for B2", "yes if it is idle", "run it tomorrow", "go back", "start over", "run me through the findings", "ok, no, yes",
        "需要先停机", "可以但仅限B2",
        "可以解释一下原因", "麻烦解释一下弱覆盖", "行政区有哪些", "开始时间是什么时候", "要点是什么", "嗯我想想",
        "要是行就做", "好是好",
        "yes?", "好吗", "行了", "对了", "which machines do not cool?", "不同机器差多少", "no problem with B2", "yes no",
    ],
)  # fmt: skip
def test_what_is_neither_opens_nothing(reply: str) -> None:
    """K20: a simulation needs an explicit yes, and that is the whole message: what only begins like one is none."""
    assert word_at_gate(reply) is None


def procedure() -> Procedure:
    read = read_procedure(SMALL)
    assert read.procedure is not None
    return read.procedure


def at_the_gate(**changed: object) -> State:
    found = Found(level="machine", column="temp_c", rows=2, problems=(Problem(key="m-1", value=95.0),))
    table = HeldTable(
        step="measured", level="machine", key="id", columns=("id", "temp_c"), rows=(("m-1", 95.0), ("m-2", 60.0)), row_count=2
    )
    progress = Progress(results={"hall": {"id": "H1"}, "measured": {}, "hot": found.to_json(), "cool": {}}, tables={"measured": table})
    skill = HeldSkill(name="cooling", title="Cooling", hash="h", text="", procedure=procedure())
    return State(question="hall 1 is hot", topic="heat", skill=skill, progress=progress, gate="cool").model_copy(update=changed)


def cooled() -> State:
    before = at_the_gate()
    compared = Compared(column="temp_c", rows=2, among=1).to_json()
    progress = before.progress.model_copy(
        update={"results": {**before.progress.results, "cooled": compared}, "gates": {"cool": True}, "tables": before.progress.tables}
    )
    return before.model_copy(update={"progress": progress, "gate": None})


SKILLS = Path(__file__).parents[2]
SHIPPED = [*sorted(SKILLS.glob("skills/*/procedure.yaml")), *sorted(SKILLS.glob("docs/examples/*/procedure.yaml"))]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.parent.name)
def test_a_suggestion_of_a_shipped_skill_is_understood_word_for_word(path: Path, language: str) -> None:
    """The example's "Which machine is the hottest?" was not."""
    known = read_procedure(path.read_text("utf-8")).procedure
    assert known is not None
    column = next(column.name for column in known.vocabulary.columns if column.better)
    shown = next(step for step in known.steps if isinstance(step, CallStep) and step.table is not None and not step.table.hidden)
    table = HeldTable(step=shown.id, key="id", columns=("id", column), rows=(("A", 1.0), ("B", 2.0)), row_count=2)
    progress = Progress(results={table.step: {}}, tables={table.step: table})
    state = State(
        question="x", skill=HeldSkill(name="s", title="S", hash="h", text="", procedure=known), progress=progress,
    )  # fmt: skip
    own = [
        Suggestion(text=in_language(spec.text, language), values=(spec.values,) if spec.values else (), worst=spec.worst)
        for step in known.steps
        if isinstance(step, SuggestStep)
        for spec in step.suggest
    ]
    offered = [*own, *offer(state, {"results": progress.results, "language": language}, language, ["S"]).items]
    with_all = state.model_copy(update={"offered": tuple(offered)})

    judged = {item.text: judge(item.text, with_all).move for item in offered}

    lost = {text: move for text, move in judged.items() if move not in (Move.HELD, Move.WISH, Move.SWITCH, Move.SMALL_TALK)}
    assert lost == {}
    for item in offered:
        if item.worst:
            found = held_question(item.text, with_all, (item,))
            assert found is not None
            assert (found.kind, found.column, found.many) == (Held.RANK, column, item.worst)


@pytest.mark.parametrize(
    ("words", "move"),
    [
        ("yes", Move.YES),
        ("不用了", Move.NO),
        ("OK, which machine is the worst", Move.HELD),
        ("第三差的呢", Move.HELD),
        ("draw a chart", Move.STAY),
        ("analyse the noise in hall 2", Move.START),
        ("I want to switch to another skill", Move.SWITCH),
        ("thanks", Move.SMALL_TALK),
        ("well", Move.STAY),
    ],
)
def test_a_message_at_a_gate_is_placed(words: str, move: Move) -> None:
    assert judge(words, at_the_gate()).move is move


@pytest.mark.parametrize(
    ("words", "move"),
    [("draw a chart", Move.WISH), ("换成折线图", Move.WISH), ("哪些变差了？", Move.HELD), ("pie chart", Move.WISH), ("yes", Move.STAY)],
)
def test_a_message_after_the_work_is_placed(words: str, move: Move) -> None:
    assert judge(words, cooled()).move is move


@pytest.mark.parametrize(
    ("words", "move"),
    [
        ("其实还是做仿真吧", Move.YES),
        ("yes", Move.YES),
        ("好的", Move.STAY),
        ("OK thanks", Move.STAY),
        ("tell me about the simulation", Move.STAY),
        ("解释一下优化", Move.STAY),
    ],
)
def test_an_ok_takes_back_no_no(words: str, move: Move) -> None:
    """A no can be taken back, but not by an OK to what was said last, or by naming what the gate opens."""
    state = at_the_gate(gate=None)
    refused = state.progress.model_copy(update={"gates": {"cool": False}})

    assert judge(words, state.model_copy(update={"progress": refused})).move is move


def test_a_suggestion_is_taken_by_its_words_and_several_by_lines() -> None:
    """K18."""
    offered = (
        Suggestion(text="高温机器", values=("burning",)),
        Suggestion(text="吵闹的机器", values=("loud",)),
        Suggestion(text="降温", gate=True),
    )
    state = at_the_gate(offered=offered)

    assert judge("降温", state).move is Move.YES
    several = judge("高温机器\n吵闹的机器", state)
    assert several.move is Move.HELD
    assert several.chosen == offered[:2]


@pytest.mark.parametrize(
    ("words", "move"),
    [
        ("yes", Move.YES), ("Yes.", Move.YES), ("yes, if it is idle", Move.STAY), ("yes and then B2", Move.STAY), ("yes?", Move.STAY),
        ("yes, no", Move.STAY), ("no", Move.NO), ("no, B2", Move.STAY),
    ],
)  # fmt: skip
def test_a_suggested_yes_with_more_in_the_message_is_none(words: str, move: Move) -> None:
    suggested = (Suggestion(text="Yes", gate=True), Suggestion(text="No", gate=False))

    assert judge(words, at_the_gate(offered=suggested)).move is move


def waits_for_a_call() -> State:
    skill = HeldSkill(name="ovens", title="Ovens", hash="h", text="")
    return State(question="q", skill=skill, pending_call=ToolUse(tool="restart_oven", arguments={"oven": "B1"}))


@pytest.mark.parametrize(
    ("words", "move", "given"),
    [
        ("yes", Move.YES, None),
        ("run it", Move.YES, None),
        ("no", Move.NO, None),
        ("yes oven=B2", Move.YES, {"oven": "B2"}),
        ('yes, oven="B 2", size=3', Move.YES, {"oven": "B 2", "size": "3"}),
        ('是 {"oven": "B2", "size": 3}', Move.YES, {"oven": "B2", "size": 3}),
        ("yes oven=B2, no wait, stop", Move.STAY, None),
        ("yes oven=B2 if it is idle", Move.STAY, None),
        ("yes oven=B2?", Move.STAY, None),
        ("yes {oven", Move.STAY, None),
        ('yes {"oven": "B2"} or {"oven": "B3"}', Move.STAY, None),
        ("yes for B2", Move.STAY, None),
        ("simulate it", Move.STAY, None),
        ("需要先停机", Move.STAY, None),
    ],
)
def test_a_call_that_waits_runs_on_a_yes_that_is_the_whole_message(words: str, move: Move, given: Json | None) -> None:
    assert judge(words, waits_for_a_call()).move is move
    assert yes_with(words) == given


@pytest.mark.parametrize(
    ("words", "move"),
    [
        ("next", Move.CHECK), ("done, next step please", Move.CHECK), ("上一步", Move.CHECK), ("step 3", Move.CHECK),
        ("done? no", Move.STAY), ("back to the first question", Move.STAY), ("next week I am away", Move.STAY), ("继续解释", Move.STAY),
    ],
)  # fmt: skip
def test_a_checklist_is_walked_by_messages_that_say_nothing_else(words: str, move: Move) -> None:
    skill = HeldSkill(name="ovens", title="Ovens", hash="h", text="")

    assert judge(words, State(question="q", skill=skill, checklist=(CheckItem(text="look"),))).move is move


def test_a_suggested_step_of_a_checklist_is_looked_at() -> None:
    skill = HeldSkill(name="ovens", title="Ovens", hash="h", text="")
    state = State(question="q", skill=skill, checklist=(CheckItem(text="look"),), offered=(Suggestion(text="Step 1"),))

    assert judge("Step 1", state).move is Move.CHECK


FORM = ParamsRequest(
    step="which", tool_name="measure", missing_params=("hall",),
    options={"hall": (Option(value="H-1", label="北车间 / North Hall"), Option(value="H-2", label="南车间 / South Hall"))},
)  # fmt: skip


@pytest.mark.parametrize(
    "reply", ['{"hall": "H-2"}', '{"params": {"hall": "H-2"}}', "2", "H-2", "南车间", "the South Hall, please", "hall: H-2"]
)
def test_a_form_is_filled_in_many_ways(reply: str) -> None:
    """K16."""
    assert filled(FORM, reply) == {"hall": "H-2"}


@pytest.mark.parametrize(
    "reply", ["", "3", "East Hall", '{"hall": "H-3"}', '{"hall": ["H-1"]}', "[1]", "North Hall or South Hall", "{" * 5_000]
)
def test_what_fills_no_form_is_not_guessed(reply: str) -> None:
    assert filled(FORM, reply) is None


HALLS = ParamsRequest(
    step="which", tool_name="measure", missing_params=("hall",), options={"hall": tuple(Option(value=value) for value in "234")}
)


@pytest.mark.parametrize(
    ("reply", "hall"),
    [
        ("2", "2"), ("hall=2", "2"), ("hall: 4", "4"), ('{"hall": "2"}', "2"), ('{"hall": 2}', "2"), ('{"params": {"hall": 3.0}}', "3"),
        ("1", "2"), ("the last one", "4"), ("hall=1", None), ('{"hall": 1}', None), ('{"hall": true}', None), ('{"hall": "last"}', None),
    ],
)  # fmt: skip
def test_an_option_is_taken_by_its_value_before_its_place_and_by_place_only_where_nothing_is_named(reply: str, hall: str | None) -> None:
    """A click on hall 2 in the console sends `hall=2`."""
    assert filled(HALLS, reply) == ({"hall": hall} if hall else None)


@pytest.mark.parametrize(
    ("values", "reply", "value"),
    [
        (("2.0", "3.0", "4.0"), "2", "2.0"), (("2.0", "3.0", "4.0"), '{"hall": 3}', "3.0"), (("3", "1", "2"), "3", "3"),
        (("A", "A; B"), "hall=A; B", "A; B"), (("third", "second", "first"), "second", "second"),
    ],
)  # fmt: skip
def test_a_value_is_the_same_however_its_number_is_written(values: tuple[str, ...], reply: str, value: str) -> None:
    form = HALLS.model_copy(update={"options": {"hall": tuple(Option(value=each) for each in values)}})

    assert filled(form, reply) == {"hall": value}


def test_values_in_the_order_of_the_form_may_be_places() -> None:
    form = ParamsRequest(
        step="which", tool_name="measure", missing_params=("hall", "limit"), types={"limit": "number"},
        options={"hall": (Option(value="H-1"), Option(value="H-2"))},
    )  # fmt: skip

    assert filled(form, "2 80") == {"hall": "H-2", "limit": 80}
    assert filled(form, "hall=H-2; limit=80") == {"hall": "H-2", "limit": 80}
    assert filled(form, "hall=2 limit=80") is None


MONTHS = ParamsRequest(
    step="which", tool_name="measure", missing_params=("month", "place"),
    options={"month": (Option(value="2026-09"), Option(value="2026-10")), "place": (Option(value="1"), Option(value="2"))},
)  # fmt: skip


@pytest.mark.parametrize(
    ("message", "found"),
    [("heat in 2026-10", {"month": "2026-10"}), ("2026-09 or 2026-10?", {}), ("the worst 2 machines", {})],
)
def test_a_question_may_name_an_option_and_not_by_a_number_in_it(message: str, found: Json) -> None:
    read = read_procedure("steps:\n  - {id: a, say: hello}\n")
    assert read.procedure is not None

    assert in_message(MONTHS, message, read.procedure) == found


def test_an_array_is_written_as_json() -> None:
    """K16."""
    form = ParamsRequest(step="which", tool_name="measure", missing_params=("halls", "level"))

    assert filled(form, 'halls=["a", "b"]\nlevel=machine') == {"halls": ["a", "b"], "level": "machine"}


@pytest.mark.parametrize(
    ("reply", "cancelled"), [('{"cancel": true}', True), ("取消", True), ("cancel", True), ("H-1", False), ('{"cancel": false}', False)]
)
def test_a_form_can_be_given_back(reply: str, cancelled: bool) -> None:
    assert is_cancelled(reply) is cancelled


def test_figures_that_nobody_found_are_noticed() -> None:
    findings = ["5 of 18 cells have a problem.", "The worst is 1104-3: RSRP -119.5."]

    assert stray_figures("Five cells; 1104-3 has -119.5 dBm, 5 of 18.", findings) == set()
    assert stray_figures("RSRP rises by 12.7 dB in 6 cells.", findings) == {"12.7", "6"}


def test_the_texts_are_in_both_languages() -> None:
    assert catalogue_problems(HOME / "locale", codes_used([HOME], {"analyze.ending": [Ending], "analyze.move": [Move]})) == []


def with_charts(*, has_after: bool) -> State:
    """After the work of a procedure with two steps that the same words draw."""
    chart = (
        "  - id: view\n    asked: [chart, 画]\n    title: Draw it\n"
        "    chart: {key: id, column: \"'temp_c'\", before: results.measured.rows, after: results.cooled.rows}\n"
    )
    read = read_procedure(SMALL.replace("  - id: next", chart + "  - id: next"))
    assert read.procedure is not None, read.faults
    state = cooled()
    assert state.skill is not None
    tables = dict(state.progress.tables)
    if has_after:
        tables["cooled"] = tables["measured"].model_copy(update={"step": "cooled"})
    skill = state.skill.model_copy(update={"procedure": read.procedure})
    return state.model_copy(update={"skill": skill, "progress": state.progress.model_copy(update={"tables": tables})})


def offered(state: State) -> list[str]:
    assert state.skill is not None
    assert state.skill.procedure is not None
    scope = scope_of(state.skill.procedure, state.progress, Wishes(), message="", language="en")
    return [item.text for item in offer(state, scope, "en", ()).items]


def test_a_chart_is_offered_once_where_there_is_something_to_compare_until_it_was_drawn() -> None:
    state = with_charts(has_after=True)
    drawn = state.progress.model_copy(update={"results": {**state.progress.results, "view": {}}})

    assert sum(text in ("Draw it", "chart") for text in offered(state)) == 1
    assert not {"Draw it", "chart"} & set(offered(with_charts(has_after=False)))
    assert not {"Draw it", "chart"} & set(offered(state.model_copy(update={"progress": drawn})))


def test_the_worst_rows_are_offered_by_what_a_row_is_and_only_where_there_are_rows() -> None:
    state = at_the_gate()
    table = state.progress.tables["measured"]

    def having(**changed: object) -> State:
        tables = {"measured": table.model_copy(update=changed)}
        return state.model_copy(update={"gate": None, "progress": state.progress.model_copy(update={"tables": tables})})

    assert "The worst 5 machines" in offered(having(level=""))
    assert not [text for text in offered(having(rows=())) if text.startswith("The worst")]


def test_no_rows_are_not_none_with_a_problem() -> None:
    words = Wording(procedure().vocabulary, "en")

    said = [text_of(statement, "en") for statement in say_found(Found(level="machine", rows=0), words)]

    assert said == ["There are no machines in the data, so there is nothing to look at."]


def test_rows_without_a_number_are_named_and_none_of_them_is_right() -> None:
    words = Wording(procedure().vocabulary, "en")
    found = Found(level="machine", column="temp_c", rows=3, unjudged=(NoNumber(column="temp_c", keys=("b",), texts=("n/a",)),))

    said = [text_of(statement, "en") for statement in say_found(found, words)]

    assert said == ["None of the 2 machines has a problem.", "Not judged, since temperature has no number there: b."]


def test_a_question_about_a_column_of_texts_is_not_answered_with_none() -> None:
    table = HeldTable(step="measured", level="machine", key="id", columns=("id", "temp_c"), rows=(("a", "91,5"), ("b", "n/a")), row_count=2)
    question = HeldQuestion(Held.WHERE, limits=(Limit("temp_c", Side.ABOVE, 80.0),))

    held = answer_held(question, [], [table], Wording(procedure().vocabulary, "en"))

    assert held is not None
    assert text_of(held.says[0], "en").startswith("temperature is text (“91,5”, “n/a”), so it cannot be compared")


def test_a_limit_that_can_be_read_in_two_ways_is_asked_about() -> None:
    table = HeldTable(step="measured", level="machine", key="id", columns=("id", "temp_c"), rows=(("a", 91.5),), row_count=1)

    held = answer_held(HeldQuestion(Held.OPEN), [], [table], Wording(procedure().vocabulary, "en"))

    assert judge("which machines do not have a temperature above 80?", at_the_gate()).move is Move.HELD
    assert held is not None
    assert [text_of(statement, "en").partition(".")[0] for statement in held.says] == [
        "It is not clear on which side of the limit the values are wanted"
    ]


HEAT = Vocabulary.model_validate({"columns": [{"name": "t", "better": "low"}]})


def said_of_comparison(before: list[Json], after: list[Json]) -> list[str]:
    spec = CompareSpec.model_validate({
        "before": "results.b.rows", "after": "results.a.rows", "key": "id", "level": "machines", "column": "'t'",
        "problems": [{"column": "t", "above": 80}],
    })  # fmt: skip
    compared = compare_tables(spec, HEAT, {"results": {"b": {"rows": before}, "a": {"rows": after}}})
    return [text_of(statement, "en") for statement in say_compared(compared, Wording(HEAT, "en"))]


def test_rows_without_a_figure_afterwards_are_named_and_none_of_them_is_mended() -> None:
    before = [{"id": str(n), "t": 95} for n in range(5)]
    after: list[Json] = [{"id": "0", "t": 70}, {"id": "1", "t": 70}, {"id": "2", "t": None}, {"id": "3", "t": "n/a"}]

    says = said_of_comparison(before, after)

    assert says[1:] == ["Not judged, since t has no number there: 2, 3, 4."]
    assert "None of them is a problem any more." in said_of_comparison(before, [{"id": str(n), "t": 70} for n in range(5)])


def test_a_name_of_several_rows_is_compared_only_where_they_have_one_figure() -> None:
    """Its last row counted, so that a 90 above the limit was no problem any more."""
    before = [{"id": "A", "t": 10}, {"id": "A", "t": 90}, {"id": "B", "t": 50}, {"id": "C", "t": 60}]
    after = [{"id": "A", "t": 90}, {"id": "A", "t": 20}, {"id": "B", "t": 50}, {"id": "C", "t": 60}, {"id": "C", "t": 60}]

    says = said_of_comparison(before, after)

    assert says[1:] == ["Left out, since several rows of this name have different numbers: A."]
    assert "2 machines" in says[0]
    assert "55" in says[0]


@pytest.mark.parametrize(("kind", "drawn_rows"), [("line_chart", 24), ("grouped_bar_chart", 24), ("scatter_plot", 100)])
def test_a_chart_says_what_it_does_not_draw(kind: str, drawn_rows: int) -> None:
    rows: list[Json] = [{"id": f"r{n}", "t": n} for n in range(100)] + [{"id": "x", "t": None}, {"id": "y", "t": 1}, {"id": "y", "t": 2}]
    spec = ChartSpec.model_validate({"type": f"'{kind}'", "key": "id", "column": "'t'", "before": "results.b.rows"})
    drawn = draw(spec, {"results": {"b": {"rows": rows, "row_count": 500}}}, HEAT)
    chart = as_chart(drawn, HEAT, "en")

    assert chart is not None
    assert (len(chart.data), chart.left_out) == (drawn_rows, 100 - drawn_rows)
    assert [text_of(statement, "en") for statement in undrawn(drawn, HEAT, "en")] == [
        "Only 103 of 500 rows are at hand. The others are not counted.",
        "Not judged, since t has no number there: x.",
        "Left out, since several rows of this name have different numbers: y.",
    ]
    answer = AnalyzeAnswer(question="q", language="en", ending=Ending.ANSWERED, charts=(chart,), state=State(), offers_skills=False)
    document = show_result(answer.to_json(), ShowOptions())
    assert document is not None
    shown = "\n".join(line.plain for line in to_lines(document, "en", 100))
    assert ("The chart shows 24 of 100 rows." in shown) is (drawn_rows == 24)


@pytest.mark.parametrize(
    "answer", [ToolAnswer(number=1, tool="p", outcome=CallOutcome.FAILED, message="the store is down"),
               ToolAnswer(number=1, tool="p", outcome=CallOutcome.ANSWERED, result={"error": "the store is down"})]
)  # fmt: skip
def test_a_table_whose_page_cannot_be_read_fails_as_a_call_does(answer: ToolAnswer) -> None:
    """It once was a table without rows: "There are no machines in the data"."""
    step = CallStep.model_validate({
        "id": "measured", "call": "measure", "table": {"reference": "ref", "pages": "read_table", "key": "id", "level": "machines"},
    })  # fmt: skip
    first = ToolAnswer(number=0, tool="measure", outcome=CallOutcome.ANSWERED, result={"ref": "x"})

    def call(name: str, _: Json) -> ToolAnswer:
        return first if name == "measure" else answer

    tools = SimpleNamespace(call=call, offers=tuple)
    ctx: Any = SimpleNamespace(tools=tools, edit=dict, engine=EngineChoice.RULES)
    place: Any = SimpleNamespace(procedure=procedure(), due=SimpleNamespace(arguments={}), scope={"language": "en"})

    made = call_tool(ctx, step, place, 1, "q").value

    assert (made.outcome, made.message, made.table) == (ActOutcome.FAILED, "the store is down", None)
    assert made.call is not None
    assert made.call.tool == "read_table"


def test_before_and_after_are_called_what_the_procedure_calls_them() -> None:
    compared = Compared(column="temp_c", rows=2, among=2, mean_before=90.0, mean_after=70.0)
    named = compared.model_copy(update={"labels": Sides(before={"zh": "降温前"}, after={"zh": "降温后"})})
    words = Wording(procedure().vocabulary, "zh")

    assert "之前 90.0，之后 70.0" in text_of(next(iter(say_compared(compared, words))), "zh")
    assert "mean of 2" in text_of(next(iter(say_compared(compared.model_copy(update={"is_of_all": True}), words))), "en")
    assert "降温前 90.0，降温后 70.0" in text_of(next(iter(say_compared(named, words))), "zh")


@pytest.mark.parametrize(("words", "stray"), [("共153行，占12%", {"153", "12"}), ("共40行", set()), ("v2的40行", set())])
def test_a_figure_behind_a_chinese_word_is_a_figure(words: str, stray: set[str]) -> None:
    """It once was none, so that nothing of a Chinese answer without blanks was checked."""
    assert stray_figures(words, ("一共40行",)) == stray


@pytest.mark.parametrize(
    ("value", "digits"),
    [(12.05, 2), (9.45, 2), (17.05 - 5, 2), (11.125, 3), (5.0, 1), (12.333333, 1), (-103.27, 2), (0.5, 1), (0.1234, 3), (0.0, 1), (7, 0)],
)
def test_a_figure_keeps_the_digits_of_its_row(value: float, digits: int) -> None:
    """9.4 and 12.1 stood beside rows with 9.45 and 12.05."""
    assert figure(value).digits == digits
