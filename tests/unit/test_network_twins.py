"""Digital twins: names in a text, files and simulations, tables by reference, charts."""

import json
import shutil
from pathlib import Path

import pytest

from contracts.charts import Mark
from contracts.network import MOST_PAGE, SAMPLE_ROWS, Cause, ChartType, Level
from tests.support.said import said
from workers.engines.network.answers import analyse, chosen_indicators, compare, page_of, simulate
from workers.engines.network.twins import Library, Twin, open_library
from workers.errors import InvalidInput, NotFound
from workers.saying import message_of

COVERAGE, INTERFERENCE, CAPACITY = ("rsrp_dbm", "mr_coverage_pct"), ("sinr_db", "rsrq_db", "overlap_degree"), ("prb_util_pct",)


@pytest.fixture(scope="module")
def sample() -> Library:
    return open_library(None)


@pytest.fixture
def files(eval_data: Path) -> Library:
    return open_library(eval_data / "analyze")


@pytest.mark.parametrize(
    ("text", "candidates"),
    [
        ("帮我分析一下港湾新区的弱覆盖问题", ("NET-01",)),
        ("分析港湾的覆盖", ("NET-01", "NET-02")),
        ("Which cells of the Harbour Old Town are disturbed?", ("NET-02",)),
        ("capacity at the sports centre, please", ("NET-04",)),
        ("what about NET-03?", ("NET-03",)),
        ("Campus Valey", ("NET-05",)),
        ("the Televison Tower", ("NET-03",)),
    ],
)
def test_a_text_names_a_twin_or_several(sample: Library, text: str, candidates: tuple[str, ...]) -> None:
    found = sample.match(text)

    assert found.candidates == candidates
    assert found.digitaltwinsId == (candidates[0] if len(candidates) == 1 else None)


@pytest.mark.parametrize("text", ["分析一下火星基地的干扰", "the base on Mars", "…", "a" * 2_000])
def test_an_unknown_place_is_a_business_error_that_names_the_known_ones(sample: Library, text: str) -> None:
    with pytest.raises(NotFound) as raised:
        sample.match(text)
    assert "港湾新区" in message_of(raised.value)


def test_an_unknown_twin_or_indicator_is_a_business_error_that_lists_the_known_ones(sample: Library) -> None:
    with pytest.raises(NotFound) as unknown:
        sample.twin("NET-99")
    with pytest.raises(InvalidInput) as not_of_cells:
        chosen_indicators(sample.twin("NET-01"), Level.CELL, ("satisfaction",))
    with pytest.raises(InvalidInput) as not_of_grids:
        chosen_indicators(sample.twin("NET-01"), Level.GRID, ("ho_success_pct",))
    assert "NET-01" in message_of(unknown.value)
    assert "rsrp_dbm" in message_of(not_of_cells.value)
    assert "at grid level" in message_of(not_of_grids.value)
    assert "栅格级" in message_of(not_of_grids.value, "zh")


@pytest.mark.parametrize(
    ("twin", "indicators", "cause"),
    [
        ("NET-01", COVERAGE, Cause.WEAK_COVERAGE),
        ("NET-02", INTERFERENCE, Cause.OVERLAP_INTERFERENCE),
        ("NET-03", ("far_share_pct", "overlap_degree"), Cause.OVERSHOOT),
        ("NET-04", CAPACITY, Cause.HIGH_LOAD),
    ],
)
def test_each_sample_shows_its_problem_and_the_simulation_mends_it(
    sample: Library, twin: str, indicators: tuple[str, ...], cause: Cause
) -> None:
    found = analyse(sample.twin(twin), Level.CELL, indicators)
    mended = simulate(sample.twin(twin), Level.CELL, indicators)

    assert cause in {group.cause for group in found.groups}
    assert len(found.table.sample) == SAMPLE_ROWS
    assert found.table.sample[0][-1] != "none", "the table begins with a problem"
    assert mended.changes
    assert all(promise.is_kept for promise in mended.promises)
    assert any(effect.problem_count > len(effect.still_problem) for effect in mended.effects)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_all_is_said_in_both_languages(sample: Library, language: str) -> None:
    for card in sample.cards:
        twin = sample.twin(card.digitaltwinsId)
        for level in Level:
            indicators = chosen_indicators(twin, level, ())
            found, mended = analyse(twin, level, indicators), simulate(twin, level, indicators)
            sentences = [*found.says, *(item.says for item in found.items), *mended.says, *(change.says for change in mended.changes)]
            assert all(said(sentence, language) and "‹" not in said(sentence, language) for sentence in sentences)


def test_all_rows_are_read_by_reference_page_by_page(sample: Library) -> None:
    twin = sample.twin("NET-01")
    table = analyse(twin, Level.GRID, ("rsrp_dbm",)).table

    pages = [page_of(sample.twin, table.reference, offset, MOST_PAGE) for offset in range(0, table.row_count, MOST_PAGE)]

    rows = [row for page in pages for row in page.rows]
    assert len(rows) == table.row_count == len(twin.level(Level.GRID).ids)
    assert tuple(rows[:SAMPLE_ROWS]) == table.sample
    assert len({row[0] for row in rows}) == len(rows)
    assert page_of(sample.twin, table.reference, table.row_count + 5, 10).rows == ()


@pytest.mark.parametrize("reference", ["NET-01", "NET-01/x/cell/before", "NET-01/x/street/before/rsrp_dbm", "../../etc/passwd/1/2"])
def test_a_malformed_reference_is_refused(sample: Library, reference: str) -> None:
    with pytest.raises((InvalidInput, NotFound)):
        page_of(sample.twin, reference, 0, 10)


@pytest.mark.parametrize("chart_type", list(ChartType))
def test_a_comparison_is_drawn_in_each_of_the_six_types(sample: Library, chart_type: ChartType) -> None:
    """K23."""
    found = compare(sample.twin("NET-01"), Level.CELL, COVERAGE, chart_type, only_problems=True)

    wanted = {
        ChartType.GROUPED_BAR: Mark.BAR, ChartType.STACKED_BAR: Mark.BAR, ChartType.LINE: Mark.LINE, ChartType.SCATTER: Mark.POINT,
        ChartType.HEATMAP: Mark.HEAT, ChartType.TABLE: None,
    }  # fmt: skip
    assert (found.chart.mark if found.chart else None) is wanted[chart_type]
    assert found.chart is None or found.chart.is_stacked is (chart_type is ChartType.STACKED_BAR)
    assert found.table.row_count == len(sample.twin("NET-01").level(Level.CELL).ids)


@pytest.mark.parametrize(
    ("twin", "indicators", "cause", "ids", "worst"),
    [
        ("DTW-11", COVERAGE, Cause.WEAK_COVERAGE, ("1102-2", "1102-3", "1103-3", "1104-3", "1105-3"), ("1104-3", -119.5)),
        ("DTW-12", INTERFERENCE, Cause.OVERLAP_INTERFERENCE, ("1201-2", "1202-1", "1202-2", "1204-2"), ("1204-2", -4.9)),
        ("DTW-13", CAPACITY, Cause.HIGH_LOAD, ("1301-3", "1302-1", "1302-2", "1303-2", "1304-3", "1306-1"), ("1301-3", 94.2)),
    ],
)
def test_causes_of_twins_in_files_are_derived(
    files: Library, twin: str, indicators: tuple[str, ...], cause: Cause, ids: tuple[str, ...], worst: tuple[str, float]
) -> None:
    group = analyse(files.twin(twin), Level.CELL, indicators).groups[0]

    assert (group.cause, group.ids, (group.worst_id, group.worst_value)) == (cause, ids, worst)


def test_derived_causes_are_those_of_the_hidden_column(files: Library, eval_data: Path) -> None:
    right = total = 0
    for card in files.cards:
        for level in Level:
            own = files.twin(card.digitaltwinsId).level(level)
            lines = (eval_data / "analyze" / "scenarios" / card.digitaltwinsId / f"{level.value}_rca.csv").read_text().splitlines()
            hidden = [line.rsplit(",", 1)[1] for line in lines[1:]]
            right += sum(cause.value == each for cause, each in zip(own.causes, hidden, strict=True))
            total += len(hidden)

    assert right / total >= 0.95


def test_before_and_after_of_files_are_compared_and_who_got_worse_is_named(files: Library) -> None:
    effect = simulate(files.twin("DTW-11"), Level.CELL, COVERAGE).effects[0]

    assert (effect.mean_before, effect.mean_after, effect.still_problem) == (-116.7, -104.7, ("1104-3",))
    assert [item.id for item in effect.worse] == ["1101-1"]


def test_changed_files_make_another_version_and_old_references_say_so(eval_data: Path, tmp_path: Path) -> None:
    shutil.copytree(eval_data / "analyze", tmp_path / "own", copy_function=shutil.copyfile)
    (tmp_path / "own").chmod(0o755)
    for folder in (tmp_path / "own").rglob("*"):
        folder.chmod(0o755 if folder.is_dir() else 0o644)
    library = open_library(tmp_path / "own")
    reference = analyse(library.twin("DTW-11"), Level.CELL, COVERAGE).table.reference

    table = tmp_path / "own" / "scenarios" / "DTW-11" / "cell_rca.csv"
    table.write_text(table.read_text().replace("-119.5", "-120.5"))
    import os

    os.utime(table, (4_000_000_000, 4_000_000_000))

    with pytest.raises(NotFound) as changed:
        page_of(library.twin, reference, 0, 5)
    assert "have changed" in message_of(changed.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "cannot be read"),
        ('[{"digitaltwinsId": "../up", "name_zh": "x", "name_en": "x"}]', "cannot be read"),
        (json.dumps([{"digitaltwinsId": "A", "name_zh": "x", "name_en": "x"}] * 2), "same id"),
    ],
)
def test_a_broken_list_of_twins_says_what_is_wrong(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "scenarios.json").write_text(content)

    with pytest.raises(InvalidInput, match=message):
        open_library(tmp_path)


def test_a_twin_whose_file_is_missing_or_broken_says_which(tmp_path: Path) -> None:
    (tmp_path / "scenarios.json").write_text('[{"digitaltwinsId": "A", "name_zh": "甲", "name_en": "Alpha"}]')
    twin = open_library(tmp_path).twin("A")

    with pytest.raises(InvalidInput, match=r"cell_rca\.csv of A cannot be read"):
        twin.level(Level.CELL)

    folder = tmp_path / "scenarios" / "A"
    folder.mkdir(parents=True)
    (folder / "cell_rca.csv").write_text("name,rsrp_dbm\nx,-100\n")
    with pytest.raises(InvalidInput, match="no column cell_id"):
        open_library(tmp_path).twin("A").level(Level.CELL)


OWN = "cell_id,site,longitude,latitude,height_m,azimuth_deg,tilt_deg,power_dbm"


def own_network(folder: Path, *rows: str, heading: str = OWN) -> Library:
    (folder / "scenarios" / "N").mkdir(parents=True, exist_ok=True)
    (folder / "scenarios.json").write_text('[{"digitaltwinsId": "N", "name_zh": "北区", "name_en": "North"}]', encoding="utf-8")
    (folder / "scenarios" / "N" / "cells.csv").write_text("\n".join([heading, *rows]), encoding="utf-8-sig")
    return open_library(folder)


def site_rows(name: str, longitude: float, latitude: float, tilt: float = 5) -> list[str]:
    return [f"{name}-{sector},{name},{longitude},{latitude},30,{sector * 120},{tilt},46" for sector in range(3)]


def test_the_cells_of_an_own_network_are_simulated(tmp_path: Path) -> None:
    places = [(9.0 + 0.0075 * column, 48.0 + 0.005 * row) for column in range(4) for row in range(4)]

    def twin_with(name: str, tilt: float) -> Twin:
        rows = [
            line for number, place in enumerate(places) for line in site_rows(f"S{number}", *place, tilt=tilt if number in (5, 6) else 5)
        ]
        return own_network(tmp_path / name, *rows).twin("N")

    fitting, steep = twin_with("fitting", 5), twin_with("steep", 30)

    before, after = fitting.level(Level.GRID), steep.level(Level.GRID)
    assert len(fitting.level(Level.CELL).ids) == 48
    assert before.ids == after.ids
    assert float(after.indicators["rsrp_dbm"].mean()) < float(before.indicators["rsrp_dbm"].mean())
    assert fitting.version() != steep.version()


def test_a_lone_cell_is_a_network(tmp_path: Path) -> None:
    twin = own_network(tmp_path, "A,S,0,0,30,0,5", heading="cell_id,site,x_m,y_m,height_m,azimuth_deg,tilt_deg").twin("N")

    assert analyse(twin, Level.CELL, COVERAGE).table.row_count == 1
    assert simulate(twin, Level.GRID, ("rsrp_dbm",)).table.row_count > 0


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((), "has 0 cells"),
        (("A,S,9,48,30,0,5,46", "A,S,9,48,30,120,5,46"), "same cell_id"),
        (("A,S,9,48,tall,0,5,46",), "line 2: height_m is “tall”"),
        (("A,S,9,48,30,0,nan,46",), "tilt_deg"),
        (("A,,9,48,30,0,5,46",), "cell_id and site"),
        (("A,S,9,48,30,0,5,46", "B,T,99,48,30,0,5,46"), "coordinate"),
    ],
)
def test_a_broken_file_of_cells_names_the_line(tmp_path: Path, rows: tuple[str, ...], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        own_network(tmp_path, *rows).twin("N").level(Level.CELL)
