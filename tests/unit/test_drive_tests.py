"""Causes of drive tests: tables in any order and form, the rules, the options."""

from pathlib import Path

import pytest

from contracts.network import DriveFault
from tests.evals.libraries.network.drive_tests import measure_drive_tests
from tests.evals.libraries.network.form import TelecomEvaluation
from tests.support.said import said
from workers.engines.network.drive_tests import find_cause, read_drive_test
from workers.errors import InvalidInput

OPTIONS = """
C1: The vehicle is faster than 40km/h.
C2: Average scheduled RBs are below 160.
C3: Frequent handovers degrade performance.
C4: The serving cell's downtilt angle is too large, causing weak coverage at the far end.
C5: Neighbor cell and serving cell have the same PCI mod 30.
C6: Non-colocated co-frequency neighboring cells cause severe overlapping coverage.
C7: The serving cell's coverage distance exceeds 1km, resulting in over-shooting.
C8: A neighboring cell provides higher throughput.
"""
HEADING = (
    "Time|Longitude|Latitude|Speed (km/h)|Serving PCI|Serving RSRP|Serving SINR|Throughput|Neighbor Top 1 PCI|Neighbor Top 1 RSRP|RB Num"
)
CELLS = """
Site|Cell|Longitude|Latitude|Mechanical Downtilt|Digital Tilt|Beam Scenario|Height|PCI
A|1|10.000|50.000|{tilt}|{digital}|DEFAULT|30|31
A|2|10.000|50.000|2|6|DEFAULT|30|45
B|1|10.004|50.003|2|6|DEFAULT|25|61
B|2|10.004|50.003|2|6|DEFAULT|25|77
"""


def drive(*, speed: float = 20, blocks: float = 200, latitude: float = 50.001, neighbour: str = "45|-100", tilt: float = 4,
          digital: int = 3, pcis: tuple[int, ...] = (31,) * 6, options: str = OPTIONS) -> str:  # fmt: skip
    """Two fast seconds and four slow ones."""
    rows = [
        f"{second}|10.0|{latitude}|{speed}|{pci}|-85|8|{900 if second < 2 else 300}|{neighbour}|{blocks}" for second, pci in enumerate(pcis)
    ]
    return "\n".join(["Why did throughput drop below 600Mbps?", options, HEADING, *rows, CELLS.format(tilt=tilt, digital=digital)])


@pytest.mark.parametrize(
    ("text", "fault", "option"),
    [
        (drive(speed=55), DriveFault.SPEED, "C1"),
        (drive(blocks=100), DriveFault.FEW_BLOCKS, "C2"),
        (drive(pcis=(31, 45, 31, 45, 31, 45)), DriveFault.HANDOVERS, "C3"),
        (drive(tilt=30), DriveFault.WEAK_FAR_END, "C4"),
        (drive(neighbour="61|-88"), DriveFault.PCI_MOD_30, "C5"),
        (drive(neighbour="77|-88"), DriveFault.OVERLAP, "C6"),
        (drive(latitude=50.02), DriveFault.OVERSHOOT, "C7"),
        (drive(neighbour="45|-83"), DriveFault.BETTER_NEIGHBOUR, "C8"),
    ],
)
def test_each_fault_is_found_and_its_option_named(text: str, fault: DriveFault, option: str) -> None:
    found = find_cause(read_drive_test(text))

    assert (found.fault, found.option) == (fault, option)
    for language in ("en", "zh"):
        assert all(said(sentence, language) for sentence in found.says)


def test_a_neighbour_that_is_strong_for_a_moment_only_is_not_the_cause() -> None:
    lines = drive(tilt=30).splitlines()
    slow = next(number for number, line in enumerate(lines) if line.startswith("3|"))
    lines[slow] = lines[slow].replace("45|-100", "77|-80")

    assert find_cause(read_drive_test("\n".join(lines))).fault is DriveFault.WEAK_FAR_END


def test_the_default_tilt_is_that_of_the_text() -> None:
    other_default = (
        drive(tilt=2, digital=255) + "\nThe default electronic downtilt value is 255, representing a downtilt angle of 40 degrees."
    )

    assert find_cause(read_drive_test(other_default)).fault is DriveFault.WEAK_FAR_END
    assert find_cause(read_drive_test(drive(tilt=2, digital=255))).fault is not DriveFault.WEAK_FAR_END


def test_columns_are_found_by_their_headings_in_any_order_with_any_delimiter() -> None:
    head, *rows = [line.split("|") for line in drive(speed=55).splitlines() if line.count("|") == HEADING.count("|")]
    turned = "\n".join("\t".join(reversed(row)) for row in (head, *rows))

    assert find_cause(read_drive_test(turned)).fault is DriveFault.SPEED


def test_without_options_and_without_cells_the_fault_is_still_named() -> None:
    text = drive(blocks=100, options="").partition("Site|Cell")[0]

    found = find_cause(read_drive_test(text))

    assert (found.fault, found.option) == (DriveFault.FEW_BLOCKS, "")


def test_only_offered_causes_are_chosen() -> None:
    offered = "C1: Average scheduled RBs are below 160.\nC2: Frequent handovers degrade performance."

    assert find_cause(read_drive_test(drive(speed=55, options=offered))).fault in (DriveFault.FEW_BLOCKS, DriveFault.HANDOVERS)


@pytest.mark.parametrize("text", ["", "no table", "a|b|c|d|e\n1|2|3|4|5", "throughput|b|c|d|e"])
def test_a_text_without_a_drive_test_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="No drive test"):
        read_drive_test(text)


def test_empty_cells_are_missing_values() -> None:
    found = find_cause(read_drive_test(drive().replace("|8|", "|-|").replace("45|-100", "-|-")))

    assert found.features.slow_seconds == 4


def test_drive_tests_with_known_causes_are_solved_also_with_shuffled_options(eval_data: Path) -> None:
    figures = measure_drive_tests(None, TelecomEvaluation(drive_tests=eval_data / "telecom" / "telelogs.jsonl")).figures  # type: ignore[arg-type]

    assert min(figures["accuracy_first_half"], figures["accuracy_second_half"], figures["accuracy_shuffled"]) >= 0.97
