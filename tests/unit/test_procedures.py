"""Procedures: read with their lines, followed in order, drawn."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.procedure_results import Cell, HeldTable, Progress, Wishes
from contracts.procedures import (
    AskStep,
    CallStep,
    ChartSpec,
    ChartType,
    Choice,
    CompareSpec,
    Condition,
    FindSpec,
    FormField,
    GateStep,
    SayStep,
    StepBase,
    SuggestionSpec,
    SuggestStep,
    TableSpec,
)
from tests.support.said import said
from workers.engines.procedures import as_mermaid, as_text, find_due, reachable, read_procedure, scope_of, suggestions
from workers.engines.procedures.checklist import steps_in
from workers.engines.procedures.computing import compare_tables, draw, find_problems, lacking_all
from workers.engines.procedures.due import in_order
from workers.engines.procedures.held import Held, rank, read_held, within
from workers.engines.procedures.limits import Side, read_limits
from workers.engines.procedures.tables import fullest, sides_of, visible_tables
from workers.engines.procedures.values import read_date, read_number
from workers.engines.procedures.words import asked_together, read_wishes, unknown_columns
from workers.kinds.analyze.rules.columns_named import column_faults

SMALL = """\
topic: heat
vocabulary:
  topics:
    - {name: heat, label: {en: heat, zh: 高温}, words: [hot]}
    - {name: noise, label: {en: noise, zh: 噪声}}
  columns:
    - {name: temp_c, label: {en: temperature, zh: 温度}, better: low}
    - {name: noise_db, label: {en: loudness, zh: 响度}, better: low}
  values:
    - {name: burning, label: {en: burning, zh: 过热}}
  levels:
    - {name: machine, label: {en: machines, zh: 机器}, words: [machine]}
let:
  hall: params.hall || results.hall.id
steps:
  - id: hall
    call: find_hall
    with: {text: message}
  - id: which
    when: "!hall"
    ask: {en: "Which hall?", zh: "哪个车间？"}
    tool: measure
    missing: [{name: hall, options: results.hall.candidates}]
  - id: measured
    call: measure
    with: {hall: hall, columns: "unknown || ['temp_c']"}
    table: {rows: rows, key: id, level: machine}
  - id: hot
    find: {rows: results.measured.rows, key: id, level: machine, any: [{column: temp_c, above: 80}], column: temp_c}
  - id: cool
    gate: {en: "Cool it down?", zh: "是否降温？"}
  - id: cooled
    call: cool
    with: {hall: hall}
    table: {rows: rows, key: id}
  - id: picture
    asked: [chart, 画]
    call: draw
    with: {hall: hall, type: chart_type}
  - id: next
    suggest: [{text: {en: "The hot ones", zh: "高温机器"}, when: results.hot.problems}]
"""


def small():
    read = read_procedure(SMALL)
    assert read.faults == ()
    assert read.procedure is not None
    return read.procedure


def due(progress: Progress, wishes: Wishes | None = None, done: tuple[str, ...] = ()):
    procedure, wished = small(), wishes or Wishes()
    return find_due(procedure, progress, wished, scope_of(procedure, progress, wished, message="hall 3", language="en"), done)


MEASURED = HeldTable(
    step="measured", level="machine", key="id", columns=("id", "temp_c"), rows=(("a", 95.5), ("b", 60), ("c", 88.0)), row_count=3
)
AT_THE_GATE = Progress(
    results={"hall": {"id": "H3"}, "measured": {}, "hot": {"problems": [{"key": "a"}]}, "cool": {}}, tables={"measured": MEASURED}
)


def test_steps_are_due_in_their_order_with_arguments_from_earlier_results() -> None:
    first = due(Progress())
    third = due(Progress(results={"hall": {"id": "H3"}}))

    assert (first.step and first.step.id, first.arguments) == ("hall", {"text": "hall 3"})
    assert (third.step and third.step.id, third.arguments) == ("measured", {"hall": "H3", "columns": ["temp_c"]})


def test_a_form_is_due_only_while_its_parameters_are_missing() -> None:
    """K16."""
    asked = due(Progress(results={"hall": {"candidates": ["H1", "H2"]}}))
    filled = due(Progress(results={"hall": {"candidates": ["H1", "H2"]}}, params={"hall": "H2"}))

    assert asked.step
    assert asked.step.id == "which"
    assert filled.step
    assert filled.step.id == "measured"
    assert filled.arguments["hall"] == "H2"


def test_nothing_behind_a_gate_is_due_without_a_yes() -> None:
    """K20."""
    waits, closed = due(AT_THE_GATE), due(AT_THE_GATE.model_copy(update={"gates": {"cool": False}}))
    opened = due(AT_THE_GATE.model_copy(update={"gates": {"cool": True}}))

    assert waits.step is None
    assert waits.gate
    assert waits.gate.id == "cool"
    assert closed.is_closed
    assert opened.step
    assert opened.step.id == "cooled"


def test_a_wish_opens_no_gate() -> None:
    wish = Wishes(asked=("picture",))
    opened = AT_THE_GATE.model_copy(update={"gates": {"cool": True}, "results": {**AT_THE_GATE.results, "cooled": {}}})

    assert due(AT_THE_GATE, wish).step is None
    assert due(opened).step is None
    assert getattr(due(opened, wish).step, "id", None) == "picture"
    assert due(opened, wish, done=("picture",)).step is None


def test_only_what_can_be_done_now_is_offered() -> None:
    procedure = small()
    scope = scope_of(procedure, AT_THE_GATE, Wishes(), message="", language="en")
    opened = AT_THE_GATE.model_copy(update={"gates": {"cool": True}, "results": {**AT_THE_GATE.results, "cooled": {}}})

    assert reachable(procedure, AT_THE_GATE, scope) == ()
    assert [step.id for step in reachable(procedure, opened, scope)] == ["picture"]
    assert [item.text["en"] for item in suggestions(procedure, scope)[0]] == ["The hot ones"]


@given(
    st.dictionaries(st.sampled_from(["hall", "measured", "hot", "cool", "cooled", "picture"]), st.just({"id": "x"}), max_size=6),
    st.booleans(),
)
def test_no_state_makes_a_step_behind_an_unanswered_gate_due(results: dict, wants: bool) -> None:
    found = due(Progress(results=results), Wishes(asked=("picture",) if wants else ()))

    assert found.step is None or found.step.id not in ("cooled", "picture")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("steps: [", 1, "not YAML"),
        ("- a", 1, "list `steps`"),
        ("steps:\n  - id: a\n", 2, "exactly one of"),
        ("steps:\n  - id: a\n    call: t\n    with:\n      x: results.b\n", 5, "not a step before this one"),
        ("steps:\n  - id: a\n    call: t\n    with: {x: 'a['}\n", 4, "not JMESPath"),
        ("steps:\n  - id: a\n    call: t\n    with: {x: weather}\n", 4, "there is no weather"),
        ("steps:\n  - id: a\n    say: hello\n  - id: a\n    say: you\n", 4, "two steps"),
        ("steps:\n  - id: a\n    say: hello\n    colour: red\n", 4, "not known here"),
        ("steps:\n  - id: a\n    find: {rows: results, key: k, any: [{column: c}]}\n", 2, "exactly one of below"),
        ("steps:\n  - id: a\n    id: b\n    say: hello\n", 3, "there twice"),
        ("steps: &x\n  - *x\n", 2, "aliases"),
        ("color: red\nsteps:\n  - id: a\n    say: hello\n", 1, "color is not known here. There are: topic"),
        ("topic: rain\nsteps:\n  - id: a\n    say: hello\n", 1, "no topic rain"),
        ("steps:\n  - id: a\n    call: t\n    table: {key: k}\n", 4, "a table needs"),
        ("steps:\n  - id: A b\n    say: hello\n", 2, "id"),
    ],
)
def test_a_fault_is_named_with_its_line(text: str, line: int, words: str) -> None:
    read = read_procedure(text)

    assert read.procedure is None
    assert any(fault.line == line and words in said(fault.message) for fault in read.faults), read.faults


@given(st.text(max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    read = read_procedure(text)

    assert (read.procedure is None) == bool(read.faults)


def test_a_bom_and_windows_line_ends_are_read() -> None:
    assert read_procedure("\ufeff" + SMALL.replace("\n", "\r\n")).faults == ()


def test_a_procedure_is_drawn_as_text_and_as_mermaid() -> None:
    lines, chart = as_text(small()), as_mermaid(small(), "zh")

    assert [line.split()[1] for line in lines if line.strip()[:1].isdigit()] == [step.id for step in small().steps]
    assert chart.startswith("flowchart TD\n")
    assert 'cool{{"是否降温？"}}' in chart
    assert '-->|"yes"| cooled' in chart


def test_problems_are_found_the_worst_first() -> None:
    procedure = small()
    scope = scope_of(procedure, AT_THE_GATE, Wishes(), message="", language="en")
    found = find_problems(procedure.step("hot").find, procedure.vocabulary, scope)  # pyright: ignore

    assert [(problem.key, problem.value) for problem in found.problems] == [("a", 95.5), ("c", 88.0)]
    assert found.rows == 3


@pytest.mark.parametrize(
    ("values", "is_lacking", "problems", "unjudged"),
    [
        (("91,5", "n/a", "104,25"), True, [], ["a", "b", "c"]),
        ((None, None, None), True, [], ["a", "b", "c"]),
        ((91.5, "n/a", None), False, ["a"], ["b", "c"]),
        ((60, 70, 79.9), False, [], []),
    ],
)
def test_what_is_no_number_is_neither_right_nor_wrong(
    values: tuple[Cell, ...], is_lacking: bool, problems: list[str], unjudged: list[str]
) -> None:
    """Texts of a column with words among its numbers were compared with a limit, and none was above it."""
    procedure = small()
    table = MEASURED.model_copy(update={"rows": tuple(zip("abc", values, strict=True))})
    scope = scope_of(procedure, AT_THE_GATE.model_copy(update={"tables": {"measured": table}}), Wishes(), message="", language="en")
    spec = procedure.step("hot").find  # pyright: ignore
    found = find_problems(spec, procedure.vocabulary, scope)

    assert (lacking_all(spec, scope) is not None) is is_lacking
    assert [problem.key for problem in found.problems] == problems
    assert [key for lack in found.unjudged for key in lack.keys] == unjudged


def test_a_comparison_names_what_is_left_and_what_got_worse() -> None:
    read = read_procedure(
        SMALL.replace(
            "  - id: next",
            "  - id: effect\n    compare: {before: results.measured.rows, after: results.cooled.rows, key: id, column: \"'temp_c'\", "
            "also: [noise_db], among: 'results.hot.problems[].key', problems: [{column: temp_c, above: 80}]}\n  - id: next",
        )
    )
    assert read.procedure is not None
    after = HeldTable(step="cooled", key="id", columns=("id", "temp_c"), rows=(("a", 85.0), ("b", 70), ("c", 60.0)), row_count=3)
    progress = AT_THE_GATE.model_copy(
        update={
            "tables": {"measured": MEASURED, "cooled": after},
            "results": {**AT_THE_GATE.results, "hot": {"problems": [{"key": "a"}, {"key": "c"}]}, "cooled": {}},
        }
    )
    scope = scope_of(read.procedure, progress, Wishes(), message="", language="en")
    done = compare_tables(read.procedure.step("effect").compare, read.procedure.vocabulary, scope)  # pyright: ignore

    assert (done.among, done.mean_before, done.mean_after) == (2, 91.75, 72.5)
    assert done.still == ("a",)
    assert done.is_judged
    without = read.procedure.step("effect").compare.model_copy(update={"problems": ()})  # pyright: ignore
    assert not compare_tables(without, read.procedure.vocabulary, scope).is_judged
    assert [(item.key, item.before, item.after) for item in done.worse] == [("b", 60.0, 70.0)]
    assert done.better == 2


@pytest.mark.parametrize("kind", list(ChartType))
def test_each_type_of_chart_is_drawn_from_the_same_figures(kind: ChartType) -> None:
    """K23."""
    read = read_procedure(
        SMALL.replace(
            "  - id: next",
            f"  - id: view\n    chart: {{type: \"'{kind.value}'\", key: id, column: \"'temp_c'\",\n"
            "      before: results.measured.rows}\n  - id: next",
        )
    )
    assert read.procedure is not None
    scope = scope_of(read.procedure, AT_THE_GATE, Wishes(), message="", language="en")
    drawn = draw(read.procedure.step("view").chart, scope)  # pyright: ignore

    assert drawn.type is kind
    assert [row.key for row in drawn.rows] == ["a", "b", "c"]


def test_a_message_is_read_with_the_vocabulary() -> None:
    """K21."""
    procedure = small()

    assert read_wishes(procedure, "噪声很大").topic == "noise"
    assert read_wishes(procedure, "hello").topic == "heat"
    assert read_wishes(procedure, "what is the temperature of each machine?").wanted == ("temp_c",)
    assert read_wishes(procedure, "as a line chart").chart_type is ChartType.LINE
    assert read_wishes(procedure, "给我看看热力图").chart_type is ChartType.HEATMAP
    assert read_wishes(procedure, "画张图").asked == ("picture",)


def test_steps_that_the_same_words_ask_for_are_done_together() -> None:
    again = small().steps[-2].model_copy(update={"id": "again"})
    other = small().steps[-2].model_copy(update={"id": "other", "asked": ("rows",)})
    steps = (*small().steps, again, other)

    assert asked_together(steps, ("picture",)) == ("picture", "again")
    assert asked_together(steps, ("hot",)) == ("hot",)
    assert asked_together(steps, ()) == ()


@pytest.mark.parametrize(
    ("message", "unknown"),
    [
        ("查一下各机器的满意度", ("满意度",)),
        ("show me the happiness of each machine", ("happiness",)),
        ("查一下各机器的温度", ()),
        ("show the temperature of all machines", ()),
        ("各机器的问题", ()),
    ],
)
def test_what_is_no_column_is_noticed(message: str, unknown: tuple[str, ...]) -> None:
    assert unknown_columns(message, small().vocabulary) == unknown


@pytest.mark.parametrize(
    ("message", "kind", "first", "many", "ascending"),
    [
        ("第二差的是哪个？", Held.RANK, 2, 1, False),
        ("which is the worst machine?", Held.RANK, 1, 1, False),
        ("the third worst one", Held.RANK, 3, 1, False),
        ("温度最低的 3 个", Held.RANK, 1, 3, True),
        ("top 5 highest temperature", Held.RANK, 1, 5, False),
        ("那些变差的有哪些？", Held.WORSE, 1, 1, True),
        ("which are still a problem?", Held.STILL, 1, 1, True),
        ("过热的有哪些", Held.KINDS, 1, 1, True),
        ("tell me about a", Held.ROW, 1, 1, True),
    ],
)
def test_questions_about_what_was_found_are_read(message: str, kind: Held, first: int, many: int, ascending: bool) -> None:
    question = read_held(message, small().vocabulary, keys=["a"], column="temp_c", has_comparison=True)

    assert question is not None
    assert (question.kind, question.first, question.many) == (kind, first, many if kind is Held.RANK else 1)
    assert kind is not Held.RANK or question.is_ascending == ascending


@pytest.mark.parametrize(
    ("message", "after"),
    [("the worst 3 machines after the optimisation", True), ("优化后最差的3台", True), ("the worst 3 machines", False)],
)
def test_a_ranking_may_be_by_the_figures_after(message: str, after: bool) -> None:
    question = read_held(message, small().vocabulary, keys=[], column="temp_c", has_comparison=True)

    assert question is not None
    assert (question.kind, question.many, question.is_after) == (Held.RANK, 3, after)


def test_a_ranking_takes_the_rows_in_order() -> None:
    question = read_held("the second worst", small().vocabulary, keys=[], column="temp_c", has_comparison=False)
    assert question is not None

    assert [row["id"] for row in rank(MEASURED, question).rows] == ["c"]


def test_steps_of_a_text_are_its_numbered_headings_lists_or_headings() -> None:
    headings = steps_in("# T\n\n## Step 1: Look\nUse `search`.\n\n## Step 2: Do\ntext\n", ("search",))
    listed = steps_in("# T\n\n1. **Look** at it\n2. Do it\n\n```\n1. not this\n```\n")
    plain = steps_in("# T\n\n## Look\na\n\n## Do\nb\n")

    assert [(step.text, step.tools) for step in headings] == [("Step 1: Look", ("search",)), ("Step 2: Do", ())]
    assert [step.text for step in listed] == ["Look at it", "Do it"]
    assert [step.text for step in plain] == ["Look", "Do"]
    assert steps_in("") == ()


@pytest.mark.parametrize("path", sorted((Path(__file__).parents[2] / "skills").glob("*/procedure.yaml")), ids=lambda path: path.parent.name)
def test_the_shipped_procedures_are_read_and_gate_the_simulation(path: Path) -> None:
    """K19, K20."""
    read = read_procedure(path.read_text("utf-8"))
    assert read.faults == ()
    assert read.procedure is not None
    names = [step.id for step in read.procedure.steps]

    assert names.index("optimise") < names.index("simulation")
    gate = read.procedure.step("optimise")
    assert gate is not None
    assert gate.gate["zh"] == "根因分析完成。是否需要对该场景进行优化仿真？"  # pyright: ignore


@pytest.mark.parametrize("skill", ["coverage-analysis", "network-optimisation"])
def test_weak_coverage_is_a_level_below_110_dbm_or_few_reports_of_coverage(skill: str) -> None:
    """K24."""
    read = read_procedure((Path(__file__).parents[2] / "skills" / skill / "procedure.yaml").read_text("utf-8"))
    assert read.procedure is not None
    spec = read.procedure.step("weak").find  # pyright: ignore
    rows = [
        {"cell_id": "good", "rsrp_dbm": -110.0, "mr_coverage_pct": 70.0},
        {"cell_id": "low", "rsrp_dbm": -110.1, "mr_coverage_pct": 99.0},
        {"cell_id": "few", "rsrp_dbm": -80.0, "mr_coverage_pct": 69.9},
    ]

    found = find_problems(spec, read.procedure.vocabulary, {"results": {"cells": {"rows": rows}}})

    assert [problem.key for problem in found.problems] == ["low", "few"]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("{hall: hall, columns", "{hall: results.hal.id.more, columns", "hal is not a step before this one. Perhaps hall"),
        ('when: "!hall"', 'when: "!params.hall"', "Write `!(a.b)`"),
        ("with: {text: message}", "with: {text: factory}", "A text in an expression has quotation marks of its own: \"'factory'\""),
        ("above: 80", "above: eighty", "find.any.1.above: there is no eighty. Write a number, or an expression for one"),
        ('ask: {en: "Which hall?"', "ask: {en: Which: hall?", "a text that holds a colon and a space needs quotation marks"),
    ],
)
def test_a_fault_says_what_to_write_instead(old: str, new: str, fault: str) -> None:
    assert SMALL.count(old) == 1
    (found, *_) = read_procedure(SMALL.replace(old, new)).faults

    assert fault in said(found.message)


MEANING = """\
  - id: meaning
    asked: ["what does * mean", 什么意思]
    call: look_up
    with: {query: words}
"""


@pytest.mark.parametrize("words", ["What does temp_c mean?", "温度是什么意思"])
def test_a_step_before_the_main_line_can_be_asked_for_at_any_time_and_begins_nothing(words: str) -> None:
    procedure = read_procedure(SMALL.replace("steps:\n", f"steps:\n{MEANING}")).procedure
    assert procedure is not None
    wishes = read_wishes(procedure, words).model_copy(update={"asked_alone": True})
    waiting = Progress(results={"cool": {}, "hall": {"id": 1}, "measured": {}, "hot": {}})

    for progress in (Progress(), waiting):
        scope = scope_of(procedure, progress, wishes, message="hall 2 is hot", language="en")
        due = find_due(procedure, progress, wishes, scope)
        after = find_due(procedure, progress, wishes, scope, {"meaning"})
        assert due.step is not None
        assert (due.step.id, due.arguments) == ("meaning", {"query": words})
        assert after.step is None
        assert (after.gate is not None) == (progress is waiting)


@pytest.mark.parametrize(
    ("words", "is_asked"),
    [
        ("What is temp_c?", True),
        ("and what's a temp_c", True),
        ("temp_c是什么？", True),
        ("What is the temp_c?", False),
        ("What is temp_c in hall 2?", False),
        ("What is wrong?", False),
        ("What is the matter with temp_c?", False),
    ],
)
def test_what_a_thing_is_asks_for_its_meaning_and_what_the_thing_is_for_its_figure(words: str, is_asked: bool) -> None:
    """ "What is X?", of a word of the vocabulary alone, is "what does X mean?"."""
    procedure = read_procedure(SMALL.replace("steps:\n", f"steps:\n{MEANING}")).procedure
    assert procedure is not None

    assert ("meaning" in read_wishes(procedure, words).asked) is is_asked


def test_a_message_that_names_no_thing_has_no_subject() -> None:
    procedure = read_procedure(SMALL).procedure
    assert procedure is not None
    for message, subject in (("hot", ""), ("hot machines in hall 2", "hot machines in hall 2")):
        scope = scope_of(procedure, Progress(), Wishes(topic="heat"), message=message, language="en")
        assert scope["subject"] == subject


COMPARED = SMALL.replace(
    "  - id: next",
    "  - id: effect\n    compare: {before: results.measured.rows, after: results.cooled.rows, key: id, column: \"'temp_c'\",\n"
    "      labels: {before: {en: before, zh: 降温前}, after: {en: after, zh: 降温后}}}\n"
    "  - id: view\n    asked: [chart, 画]\n    chart: {key: id, column: \"'temp_c'\", before: results.measured.rows,\n"
    "      after: results.cooled.rows}\n  - id: next",
)


def compared(rows: tuple[tuple[str, float, float], ...] = (("a", 85.0, 3.0), ("b", 70.0, 4.0))):
    """A procedure with two tables of the same columns, and the tables."""
    read = read_procedure(COMPARED)
    assert read.procedure is not None, read.faults
    before = MEASURED.model_copy(update={"columns": ("id", "temp_c", "wait_min"), "rows": (("a", 95.5, 1.0), ("b", 60.0, 2.0))})
    after = HeldTable(step="cooled", level="machine", key="id", columns=("id", "temp_c", "wait_min"), rows=rows, row_count=len(rows))
    progress = AT_THE_GATE.model_copy(update={"tables": {"measured": before, "cooled": after}, "gates": {"cool": True}})
    return read.procedure, progress


@pytest.mark.parametrize(
    ("message", "limits"),
    [
        ("how many machines have a temperature above 50 %?", [("temp_c", Side.ABOVE, 50.0)]),
        ("温度低于-105的机器有几个", [("temp_c", Side.BELOW, -105.0)]),
        ("温度50度以上的有哪些", [("temp_c", Side.AT_LEAST, 50.0)]),
        ("温度不超过60的", [("temp_c", Side.AT_MOST, 60.0)]),
        ("温度不足 10 的机器", [("temp_c", Side.BELOW, 10.0)]),
        ("temperature at least 80 and loudness below 3.5", [("temp_c", Side.AT_LEAST, 80.0), ("noise_db", Side.BELOW, 3.5)]),
        ("温度超过50且低于80的机器", [("temp_c", Side.ABOVE, 50.0), ("temp_c", Side.BELOW, 80.0)]),
        ("how many are over 1,000?", [("temp_c", Side.ABOVE, 1000.0)]),
        ("the worst 3 machines", []),
        ("tell me more than that", []),
    ],
)
def test_a_condition_in_a_message_is_a_column_a_side_and_a_number(message: str, limits: list[tuple[str, Side, float]]) -> None:
    read = read_limits(message, small().vocabulary.columns, "temp_c")

    assert [(limit.column, limit.side, limit.value) for limit in read.limits] == limits
    assert not read.is_open


@pytest.mark.parametrize(
    "message",
    [
        "温度没有超过50%的机器有哪些", "哪些机器的温度没超过50", "哪些机器温度未超过50%", "温度不是低于10的", "温度不会超过50的机器有几个",
        "which machines have a temperature that isn't above 50", "which machines do not have a temperature above 50 %",
        "which machines have a temperature that isn’t above 50", "how many machines have no temperature above 50",
        "which machines' temperature has not exceeded 50 %?", "which machines have a temperature above 80 or below 10?",
        "温度超过80或低于10的机器", "temperature above 80 or loudness below 3.5", "温度没达到50的有几个",
    ],
)  # fmt: skip
def test_a_limit_behind_a_denial_or_with_an_or_is_not_read_in_any_sense(message: str) -> None:
    read = read_limits(message, small().vocabulary.columns, "temp_c")
    question = read_held(message, small().vocabulary, keys=[], column="temp_c", has_comparison=False)

    assert (read.limits, read.is_open) == ((), True)
    assert question is not None
    assert question.kind is Held.OPEN


@pytest.mark.parametrize(
    "message",
    [
        "有没有温度超过50的机器", "是不是有机器温度超过50", "which machines are not new, and which have a temperature above 50",
        "machines or rooms with a temperature above 50", "温度不低于50的机器", "which machines are not above 50",
        "无线机器温度超过50的有哪些",
    ],
)  # fmt: skip
def test_what_denies_something_else_leaves_a_limit_as_it_is(message: str) -> None:
    read = read_limits(message, small().vocabulary.columns, "temp_c")

    assert [limit.value for limit in read.limits] == [50.0]
    assert not read.is_open


def test_rows_are_counted_by_the_condition_in_the_message() -> None:
    question = read_held("how many machines have a temperature above 80?", small().vocabulary, keys=[], column="", has_comparison=False)

    assert question is not None
    assert question.kind is Held.WHERE
    assert [row["id"] for row in within(MEASURED, question.limits).rows] == ["a", "c"]


def test_the_level_that_a_message_names_is_read() -> None:
    question = read_held("the worst 3 machines", small().vocabulary, keys=[], column="temp_c", has_comparison=False)

    assert question is not None
    assert (question.level, question.many) == ("machine", 3)


def test_two_compared_tables_of_the_same_columns_are_shown_side_by_side() -> None:
    procedure, progress = compared()

    table = visible_tables(procedure, progress)["cooled"]

    assert table.columns == ("id", "temp_c", "temp_c_before", "wait_min", "wait_min_before")
    assert table.rows == (("a", 85.0, 95.5, 3.0, 1.0), ("b", 70.0, 60.0, 4.0, 2.0))
    assert "measured" not in visible_tables(procedure, progress)
    assert sides_of(procedure).after["zh"] == "降温后"


def test_a_row_is_taken_from_the_newest_table_that_has_more_than_a_part_of_another() -> None:
    procedure, progress = compared()
    part = HeldTable(step="picture", level="machine", key="id", columns=("id", "temp_c"), rows=(("a", 95.5),), row_count=1)
    tables = [*visible_tables(procedure, progress).values(), part]

    found = fullest(tables, ("a",))
    question = read_held("details of a", procedure.vocabulary, keys=["a", "a", "a"], column="", has_comparison=True)

    assert found is not None
    assert found.step == "cooled"
    assert question is not None
    assert question.keys == ("a",)


@pytest.mark.parametrize(
    ("words", "column", "missing"),
    [("draw a chart", "temp_c", ""), ("a chart of wait min", "wait_min", ""), ("画响度的图", "noise_db", "noise_db")],
)
def test_the_column_that_a_message_names_is_drawn_or_said_to_be_missing(words: str, column: str, missing: str) -> None:
    procedure, progress = compared()
    wishes = read_wishes(procedure, words)
    scope = scope_of(procedure, progress, wishes, message="", language="en")
    drawn = draw(procedure.step("view").chart, scope, procedure.vocabulary)  # pyright: ignore

    assert (drawn.column, drawn.missing) == (column, missing)
    assert bool(drawn.rows) is not bool(missing)


@pytest.mark.parametrize(
    ("words", "unknown"),
    [
        ("draw the footfall", "footfall"), ("画客流量的图", "客流量"), ("draw it", ""), ("draw a chart", ""),
        ("画图对比", ""), ("画张图", ""),
        ("plot the results again", ""), ("draw a picture for the boss", ""), ("换成折线图", ""), ("draw a pie", ""),
    ],
)  # fmt: skip
def test_what_is_to_be_drawn_and_nobody_knows_is_named(words: str, unknown: str) -> None:
    procedure, progress = compared()
    scope = scope_of(procedure, progress, read_wishes(procedure, words), message="", language="en")

    drawn = draw(procedure.step("view").chart, scope, procedure.vocabulary)  # pyright: ignore

    assert drawn.missing == unknown
    assert drawn.column == "temp_c"
    assert drawn.rows


def test_which_of_several_conditions_hold_is_counted_and_the_one_in_the_message_orders_the_rows() -> None:
    procedure, progress = compared()
    spec = FindSpec(
        rows="results.cooled.rows",
        key="id",
        any=(Condition(column="temp_c", above=80), Condition(column="wait_min", above=2), Condition(column="temp_c", above=500)),
        column="temp_c",
    )
    scope = scope_of(procedure, progress, Wishes(), message="", language="en")

    found = find_problems(spec, procedure.vocabulary, scope)
    by_wait = find_problems(spec, procedure.vocabulary, {**scope, "wanted": ["wait_min"]})

    assert [(reason.condition.column, reason.keys) for reason in found.reasons] == [("temp_c", ("a",)), ("wait_min", ("a", "b"))]
    assert [problem.key for problem in found.problems] == ["a", "b"]
    assert by_wait.column == "wait_min"
    assert [(problem.key, problem.value) for problem in by_wait.problems] == [("b", 4.0), ("a", 3.0)]


def test_a_hidden_table_is_for_expressions_only() -> None:
    read = read_procedure(SMALL.replace("key: id, level: machine}\n  - id: hot", "key: id, hidden: true}\n  - id: hot"))
    assert read.procedure is not None, read.faults

    scope = scope_of(read.procedure, AT_THE_GATE, Wishes(), message="", language="en")

    assert in_order(read.procedure, AT_THE_GATE)[1] == []
    assert [row["id"] for row in scope["results"]["measured"]["rows"]] == ["a", "b", "c"]


def test_rows_that_are_lists_of_cells_are_objects_too() -> None:
    progress = Progress(results={"hall": {"columns": ["id", {"name": "floor"}], "rows": [["H1", 2], ["H2", 3]]}})

    scope = scope_of(small(), progress, Wishes(), message="", language="en")

    assert scope["results"]["hall"]["objects"] == [{"id": "H1", "floor": 2}, {"id": "H2", "floor": 3}]
    assert scope["results"]["hall"]["rows"] == [["H1", 2], ["H2", 3]]


def test_the_faults_of_all_parts_are_reported_together() -> None:
    text = (
        "topics: heat\n"
        "vocabulary:\n"
        "  columns: [{name: c, better: lower}]\n"
        "let: {a: results.b.x}\n"
        "steps:\n"
        "  - {id: a, cal: t, with: {limit: 500}}\n"
        "  - {id: b, say: hello, when: results.later}\n"
        "  - {id: c, ask: Which, tol: t, missing: [{name: x}]}\n"
        "  - {id: d, gate: Go, nope: n}\n"
        "  - {id: e, find: {rows: results.a, key: k, any: [{colum: c, above: 1}]}}\n"
        "  - {id: f, compare: {befor: results.a, after: results.a, key: k, column: wanted}}\n"
        "  - {id: g, chart: {before: results.a, key: k, column: wanted, level: x}}\n"
    )

    faults = {(fault.line, said(fault.message)) for fault in read_procedure(text).faults}

    assert faults >= {
        (1, "topics is not known here. Perhaps topic"),
        (3, "vocabulary.columns.1.better must be 'high' or 'low'"),
        (6, "cal is not known here. Perhaps call"),
        (6, "with.limit: write a number between backquotes: `500`"),
        (8, "tol is not known here. Perhaps tool"),
        (9, "nope is not known here. Perhaps no"),
        (10, "find.any.1.colum is not known here. Perhaps column"),
        (11, "compare.befor is not known here. Perhaps before"),
        (12, "chart.level is not known here. There are: type, title, key, column, before, after, after_suffix, among, and labels"),
    }
    assert not any("missing" in message for _, message in faults), faults


def test_each_fault_is_said_in_chinese() -> None:
    (fault,) = read_procedure("steps:\n  - {id: a, say: hello, colour: red}\n").faults

    assert said(fault.message, "zh") == "colour 在此处不存在，可用的有：id、title、when、asked 和 say"


OWN = """\
let:
  areas: "'WITH a AS (SELECT area FROM late), '"
  rest: "'b AS (SELECT area FROM a) SELECT area, count(*) AS n FROM b GROUP BY area'"
  both: join('', [areas, rest])
steps:
  - id: counted
    call: query_source
    with: {source: "'depots'", sql: both}
    table: {rows: rows, key: area}
  - id: many
    find: {rows: results.counted.rows, key: area, any: [{column: n, above: params.limit}], column: n}
  - id: drawing
    chart: {key: area, column: "'n'", before: results.counted.rows}
"""


@pytest.mark.parametrize(
    ("old", "new", "faults"),
    [
        ("", "", []),
        ("{rows: rows, key: area}", "{rows: rows, key: are}", [(9, "The rows have no column are. Perhaps area is meant.")]),
        ("any: [{column: n,", "any: [{column: parcels,", [(11, "The rows have no column parcels. They have: area, n.")]),
        ("above: params.limit}], column: n", "above: 1}], column: m", [(11, "The rows have no column m. They have: area, n.")]),
        ("column: \"'n'\"", "column: \"'m'\"", [(13, "The rows have no column m. They have: area, n.")]),
        ("SELECT area, count(*) AS n", "SELECT *", []),
        ("(SELECT area FROM a)", "(SELECT area FROM a WHERE n = :n OR n = 0 || x)", []),
    ],
)
def test_a_column_that_a_statement_does_not_select_is_a_fault(old: str, new: str, faults: list[tuple[int, str]]) -> None:
    read = read_procedure(OWN.replace(old, new) if old else OWN)
    assert read.procedure is not None, read.faults

    assert [(line, said(fault)) for line, fault in column_faults(read, read.procedure)] == faults


def test_a_statement_may_be_long_and_one_that_is_too_long_is_one_fault() -> None:
    long, too_long = (OWN.replace("FROM late", f"FROM late /* {'x' * n} */") for n in (5_000, 10_000))
    (fault,) = read_procedure(too_long).faults

    assert read_procedure(long).procedure is not None
    assert said(fault.message) == "let.areas must have 10,000 or fewer characters"


KEYS = {
    "every step": (StepBase,),
    "call": (CallStep, Choice, TableSpec),
    "ask": (AskStep, FormField),
    "gate": (GateStep,),
    "say": (SayStep,),
    "find": (FindSpec, Condition),
    "compare": (CompareSpec,),
    "chart": (ChartSpec,),
    "suggest": (SuggestStep, SuggestionSpec),
}


@pytest.mark.parametrize("step", list(KEYS))
def test_the_docs_name_every_key_of_a_step(step: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "procedures.md").read_text("utf-8")
    head = "| every step |" if step == "every step" else f"| `{step}` |"
    row = next(line for line in page[page.index("### The keys of each step") :].splitlines() if line.startswith(head))
    given = set(re.findall(r"`(\w+)`", row.split("|")[2]))
    common = set() if step == "every step" else {"kind", step, *StepBase.model_fields}
    fields = {"with" if name == "arguments" else name for contract in KEYS[step] for name in set(contract.model_fields) - common}

    assert given == fields | (given & set(StepBase.model_fields) & {"title", "when"} if step in ("chart", "suggest") else set())


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2.5", 2.5),
        ("2,5", 2.5),
        (" 2.5 % ", 2.5),
        ("-3", -3.0),
        ("0,125", 0.125),
        (7, 7.0),
        ("1,234", None),
        ("five", None),
        ("nan", None),
        ("1_0", None),
        (True, None),
        (None, None),
    ],
)
def test_a_number_is_read_as_people_write_it_unless_it_could_be_two(text: object, number: float | None) -> None:
    assert read_number(text) == number


@pytest.mark.parametrize(
    ("text", "date"),
    [("2026-11-30", "2026-11-30"), ("30.11.2026", "2026-11-30"), ("2026年11月30日", "2026-11-30"), ("3/4/2026", None), ("Monday", None)],
)
def test_a_date_is_read_in_the_forms_that_mean_one_day(text: str, date: str | None) -> None:
    assert read_date(text) == date
