"""Charts on a terminal: lines, points and fields are drawn as such, at every width."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from contracts.charts import Channel, Chart, Mark
from workers.saying.document import Document
from workers.saying.terminal import to_lines
from workers.saying.terminal_bars import Scale


def chart(mark: Mark, values: tuple[float, ...] = (-101.5, -96.0, -99.25, -92.0)) -> Chart:
    data = tuple(
        {"key": f"10{place // 2:02}-1", "state": "after" if place % 2 else "before", "value": value} for place, value in enumerate(values)
    )
    return Chart(
        title="Levels",
        mark=mark,
        x=Channel(field="key", title="cell"),
        y=Channel(field="value", type="quantitative", title="RSRP (dBm)"),
        color=Channel(field="state", title="state"),
        data=data,
    )


def drawn(shown: Chart, width: int, language: str = "en") -> list[str]:
    return [line.plain for line in to_lines(Document(title="t", blocks=(shown,)), language, width)][2:]


@pytest.mark.parametrize("width", [80, 200])
def test_a_line_chart_has_axes_and_a_mark_for_each_series(width: int) -> None:
    lines = drawn(chart(Mark.LINE), width)

    assert lines[-1] == "● before   ○ after"
    assert lines[-2].split() == ["1000-1", "1001-1"]
    assert sum(line.count("●") for line in lines[:-1]) == 2
    assert sum(line.count("○") for line in lines[:-1]) == 2
    assert any("⠀" < letter <= "⣿" for line in lines for letter in line)
    assert any(line.lstrip().startswith("-100 ┤") for line in lines)
    assert not any("█" in line for line in lines)


@pytest.mark.parametrize("width", [80, 200])
def test_a_scatter_plot_has_a_point_for_each_row_and_numbers_on_both_axes(width: int) -> None:
    data = ({"before": -110.0, "after": -100.0}, {"before": -100.0, "after": -90.0})
    x = Channel(field="before", type="quantitative", title="before")
    y = Channel(field="after", type="quantitative", title="after")

    lines = drawn(Chart(title="Levels", mark=Mark.POINT, x=x, y=y, data=data), width)

    assert sum(line.count("●") for line in lines) == 2
    assert "-110" in lines[-1]
    assert not any("█" in line for line in lines)


@pytest.mark.parametrize("width", [80, 200])
def test_a_heat_map_has_a_row_for_each_name_and_a_field_for_each_series(width: int) -> None:
    lines = drawn(chart(Mark.HEAT), width)

    assert [line.split() for line in lines[-3:]] == [
        ["before", "after"], ["1000-1", "░░░░", "-101.5", "▓▓▓▓", "-96.0"], ["1001-1", "░░░░", "-99.2", "████", "-92.0"],
    ]  # fmt: skip


def test_without_room_for_a_drawing_the_values_are_bars() -> None:
    assert any("█" in line for line in drawn(chart(Mark.LINE), 24))


def test_bars_of_levels_far_below_zero_begin_below_the_smallest_and_say_so() -> None:
    """In dBm all bars from zero would have nearly the same length."""
    lines = drawn(chart(Mark.BAR), 80)

    bars = [line.count("█") for line in lines[-5:-1]]
    assert bars[0] < bars[2] < bars[1] < bars[3]
    assert lines[-1] == "The bars begin at -102, not at zero."
    assert drawn(chart(Mark.BAR), 80, "zh")[-1] == "条形从 -102 开始，而非从零开始。"


@pytest.mark.parametrize("values", [(-5.0, -100.0), (-5.0, 3.0), (4.0, 2.0), (0.0,), ()])
def test_other_bars_begin_at_zero(values: tuple[float, ...]) -> None:
    assert Scale(values, 40).begins == 0.0


@example(mark=Mark.LINE, values=[0.0, 5e-324], width=80)
@example(mark=Mark.BAR, values=[-1e-323, -5e-324], width=80)
@given(
    mark=st.sampled_from(list(Mark)),
    values=st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=1, max_size=30),
    width=st.integers(20, 220),
)
def test_no_values_break_the_drawing_or_its_width(mark: Mark, values: list[float], width: int) -> None:
    lines = drawn(chart(mark, tuple(values)), width)
    if mark is Mark.BAR:
        lines += drawn(chart(mark, tuple(values)).model_copy(update={"is_stacked": True}), width)

    assert lines
    assert all(cell_len(line) <= width for line in lines)


@pytest.mark.parametrize("width", [80, 200])
def test_stacked_bars_are_one_bar_for_each_name_with_its_parts(width: int) -> None:
    lines = drawn(chart(Mark.BAR, (30.0, 10.0, 20.0, 20.0)).model_copy(update={"is_stacked": True}), width)

    assert lines[-1] == "█ before   ▒ after"
    first, second = lines[2:-1]
    assert first.startswith("1000-1")
    assert "30 + 10" in first
    assert abs(first.count("█") - 3 * first.count("▒")) <= 3
    assert abs(second.count("█") - second.count("▒")) <= 1
    assert first.count("█") + first.count("▒") == second.count("█") + second.count("▒")


def test_stacks_of_amounts_below_zero_are_separate_bars() -> None:
    lines = drawn(chart(Mark.BAR).model_copy(update={"is_stacked": True}), 80)

    assert len([line for line in lines if line.startswith("10")]) == 4
    assert not any("▒" in line for line in lines)
