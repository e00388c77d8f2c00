"""Reads a drive test from a text: the table of its seconds, the table of the cells, the limits and the possible causes.

Columns are recognised by the words of their headings, in any order; other columns and other text are ignored.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from contracts.network import DriveFault
from contracts.statements import say
from workers.errors import InvalidInput

NO_TILT = 255
"""The value of a digital tilt that means the default."""
DEFAULT_TILT_DEG = 6.0
"""Used where the text does not say what the default is."""

FEWEST_COLUMNS = 4
"""A line with fewer delimiters is prose."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A neighbouring cell as it is measured in a second."""

    pci: int
    rsrp_dbm: float


@dataclass(frozen=True, slots=True)
class Second:
    """A row of the drive test. NaN: not measured."""

    longitude: float
    latitude: float
    speed_kmh: float
    pci: int | None
    rsrp_dbm: float
    sinr_db: float
    throughput_mbps: float
    blocks: float
    neighbours: tuple[Neighbour, ...]


@dataclass(frozen=True, slots=True)
class RadioCell:
    """A cell of the engineering table."""

    site: str
    pci: int
    longitude: float
    latitude: float
    tilt_deg: float
    """Mechanical and digital."""
    height_m: float
    beamwidth_deg: float
    """Vertical."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the text calls slow, far, fast and few."""

    throughput_mbps: float = 600.0
    distance_m: float = 1_000.0
    speed_kmh: float = 40.0
    blocks: float = 160.0


@dataclass(frozen=True, slots=True)
class DriveTest:
    """All that the rules need."""

    seconds: tuple[Second, ...]
    cells: dict[int, RadioCell]
    """By PCI."""
    limits: Limits
    options: tuple[tuple[str, DriveFault], ...]
    """Label → cause, as the text offers them. Empty: it offers none."""


def read_drive_test(text: str) -> DriveTest:
    """The drive test in a text. Raises `InvalidInput` if it has no table of measurements with a throughput."""
    tables = list(_tables(text))
    measured = next((table for table in tables if _find(table[0], *_THROUGHPUT) is not None and len(table) > 1), None)
    if measured is None:
        raise InvalidInput.of(say("network.refused.no_drive_test"))
    cells = next((table for table in tables if table is not measured and _find(table[0], *_TILT) is not None), None)
    default = _number_in(text, r"default[^.\n]*?downtilt[^.\n]*?255[^.\n]*?angle of (\d+(?:\.\d+)?)", DEFAULT_TILT_DEG)
    return DriveTest(
        seconds=tuple(_seconds(measured)),
        cells={cell.pci: cell for cell in _cells(cells, default)} if cells else {},
        limits=_limits(text),
        options=_options(text),
    )


_THROUGHPUT = (("throughput",), ("吞吐",), ("速率",))
_TILT = (("downtilt",), ("tilt",), ("下倾",))
_DELIMITERS = ("|", "\t", ";", ",")


def _tables(text: str) -> Iterator[list[list[str]]]:
    """Runs of lines that the same delimiter cuts into about the same number of columns; the first is the heading."""
    rows: list[list[str]] = []
    mark = ""
    for line in [*text.splitlines(), ""]:
        if not (mark and line.count(mark) >= FEWEST_COLUMNS):
            if rows:
                yield rows
            rows, mark = [], next((each for each in _DELIMITERS if line.count(each) >= FEWEST_COLUMNS), "")
        if not mark:
            continue
        cells = [cell.strip() for cell in line.strip().strip("|" if mark == "|" else "").split(mark)]
        if not all(re.fullmatch(r":?-{2,}:?", cell) for cell in cells):  # the rule below a heading in Markdown
            rows.append(cells)


def _find(heading: Sequence[str], *wanted: Sequence[str], without: Sequence[str] = ()) -> int | None:
    """The first column whose heading has all words of one of the sets, and none of `without`."""
    for words in wanted:
        for place, cell in enumerate(heading):
            lower = cell.lower()
            if all(word in lower for word in words) and not any(word in lower for word in without):
                return place
    return None


_NEIGHBOUR = ("neighbor", "neighbour", "邻区")


def _seconds(table: list[list[str]]) -> Iterator[Second]:
    heading = table[0]
    number = _columns(heading)
    pairs = [pair for rank in range(1, 21) if (pair := _neighbour_columns(heading, rank)) is not None]
    for row in table[1:]:
        pci = _value(row, number("pci"))
        yield Second(
            longitude=_value(row, number("longitude")),
            latitude=_value(row, number("latitude")),
            speed_kmh=_value(row, number("speed")),
            pci=None if math.isnan(pci) else int(pci),
            rsrp_dbm=_value(row, number("rsrp")),
            sinr_db=_value(row, number("sinr")),
            throughput_mbps=_value(row, number("throughput")),
            blocks=_value(row, number("blocks")),
            neighbours=tuple(
                Neighbour(int(_value(row, at_pci)), _value(row, at_rsrp))
                for at_pci, at_rsrp in pairs
                if not math.isnan(_value(row, at_pci)) and not math.isnan(_value(row, at_rsrp))
            ),
        )


def _columns(heading: Sequence[str]) -> Callable[[str], int | None]:
    found = {
        "longitude": _find(heading, ("longitude",), ("经度",), ("lon",)),
        "latitude": _find(heading, ("latitude",), ("纬度",), ("lat",)),
        "speed": _find(heading, ("speed",), ("车速",), ("速度",)),
        "pci": _find(heading, ("serving", "pci"), ("pci",), without=_NEIGHBOUR),
        "rsrp": _find(heading, ("serving", "rsrp"), ("rsrp",), without=_NEIGHBOUR),
        "sinr": _find(heading, ("sinr",), without=_NEIGHBOUR),
        "throughput": _find(heading, *_THROUGHPUT),
        "blocks": _find(heading, ("rb num",), ("resource block",), ("rb",), ("资源块",), without=("rsrp",)),
    }  # fmt: skip
    return lambda name: found[name]


def _neighbour_columns(heading: Sequence[str], rank: int) -> tuple[int, int] | None:
    """The columns of a neighbour's PCI and level by its rank; the set may itself be called `Top Set`."""
    at_pci = at_rsrp = None
    for place, cell in enumerate(heading):
        lower = cell.lower()
        ranks = re.findall(r"(?:top|no\.?|#|邻区)\s*(\d+)", lower)
        if not any(word in lower for word in _NEIGHBOUR) or not ranks or int(ranks[-1]) != rank:
            continue
        if "rsrp" in lower:
            at_rsrp = place
        elif "pci" in lower:
            at_pci = place
    return None if at_pci is None or at_rsrp is None else (at_pci, at_rsrp)


def _cells(table: list[list[str]], default_tilt: float) -> Iterator[RadioCell]:
    heading = table[0]
    site = _find(heading, ("gnodeb",), ("enodeb",), ("site",), ("基站",))
    pci = _find(heading, ("pci",))
    longitude, latitude = _find(heading, ("longitude",), ("经度",), ("lon",)), _find(heading, ("latitude",), ("纬度",), ("lat",))
    mechanical = _find(heading, ("mechanical", "tilt"), ("机械", "下倾"), ("tilt",))
    digital = _find(heading, ("digital tilt",), ("digital", "downtilt"), ("electr", "tilt"), ("电", "下倾"), ("数字", "下倾"))
    beam, height = _find(heading, ("beam",), ("波束",)), _find(heading, ("height",), ("高",))
    for row in table[1:]:
        number = _value(row, pci)
        if math.isnan(number):
            continue
        own, second = _value(row, mechanical), _value(row, digital)
        second = default_tilt if second == NO_TILT else second
        yield RadioCell(
            site=row[site] if site is not None and site < len(row) else "",
            pci=int(number),
            longitude=_value(row, longitude),
            latitude=_value(row, latitude),
            tilt_deg=(0.0 if math.isnan(own) else own) + (0.0 if math.isnan(second) or digital == mechanical else second),
            height_m=_value(row, height),
            beamwidth_deg=_beamwidth(row[beam] if beam is not None and beam < len(row) else ""),
        )


def _beamwidth(scenario: str) -> float:
    """Vertical beam width in degrees: 6 for the default and the scenarios 1 to 5, 12 for 6 to 11, 25 from 12 on."""
    found = re.search(r"(\d+)", scenario)
    number = int(found.group(1)) if found else 0
    if number <= 5:
        return 6.0
    return 12.0 if number <= 11 else 25.0


def _value(row: Sequence[str], place: int | None) -> float:
    """The number in a cell; NaN for `-`, for nothing, and for a text."""
    if place is None or place >= len(row):
        return math.nan
    found = re.fullmatch(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", row[place].replace(",", "").strip())
    return float(found.group(0)) if found else math.nan


def _number_in(text: str, pattern: str, default: float) -> float:
    found = re.search(pattern, text, re.IGNORECASE)
    return float(found.group(1)) if found else default


def _limits(text: str) -> Limits:
    plain = Limits()
    return Limits(
        throughput_mbps=_number_in(text, r"(?:below|under|less than|低于|小于)\s*(\d+(?:\.\d+)?)\s*Mbps", plain.throughput_mbps),
        distance_m=1000 * _number_in(text, r"(?:exceeds?|exceeding|over|超过|大于)\s*(\d+(?:\.\d+)?)\s*(?:km(?!/)|公里)", 1.0),
        speed_kmh=_number_in(text, r"(?:exceeds?|exceeding|over|超过|大于)\s*(\d+(?:\.\d+)?)\s*km/h", plain.speed_kmh),
        blocks=_number_in(text, r"RBs?[^.\n]{0,30}?(?:below|under|less than|低于|小于)\s*(\d+(?:\.\d+)?)", plain.blocks),
    )


_MEANINGS: tuple[tuple[DriveFault, str], ...] = (
    (DriveFault.PCI_MOD_30, r"mod\w*\s*30|模\s*30"),
    (DriveFault.HANDOVERS, r"frequent\W+hand-?overs?|hand-?over|切换"),
    (DriveFault.SPEED, r"speed|km/h|车速|速度"),
    (DriveFault.FEW_BLOCKS, r"\bRBs?\b|resource block|资源块|RB"),
    (DriveFault.OVERLAP, r"overlap|重叠"),
    (DriveFault.BETTER_NEIGHBOUR, r"neighbou?r[^.]*throughput|邻区[^。]*(?:吞吐|速率)"),
    (DriveFault.OVERSHOOT, r"over-?\s?shoot|coverage distance|\bkm\b|越区|过覆盖|覆盖距离"),
    (DriveFault.WEAK_FAR_END, r"down-?tilt|weak coverage|下倾|弱覆盖"),
)
"""What the text of an option speaks about, the most specific first."""


def _options(text: str) -> tuple[tuple[str, DriveFault], ...]:
    found: dict[str, DriveFault] = {}
    for label, words in re.findall(r"^\W{0,4}((?:C|选项|Option )?\s?[A-Z0-9]{1,2})\s*[:：.)、]\s*(\S.*)$", text, re.MULTILINE):
        fault = next((fault for fault, pattern in _MEANINGS if re.search(pattern, words, re.IGNORECASE)), None)
        if fault is not None and words.count("|") < FEWEST_COLUMNS and fault not in found.values():
            found.setdefault(label.strip(), fault)
    return tuple(found.items()) if len(found) > 1 else ()
