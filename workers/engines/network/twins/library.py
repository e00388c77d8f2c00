"""The twins that a deployment has: those of a folder, or the sample."""

import hashlib
import json
from functools import cached_property, lru_cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from contracts.base import Contract, Text
from contracts.network import ScenarioCard, ScenarioMatch, TwinId
from contracts.statements import Listing, names, passage, quote, say
from contracts.statements import name as identifier
from workers.engines.network.scenarios import Problem, make_scenario
from workers.engines.network.twins.cells_file import CELLS_NAME, read_network
from workers.engines.network.twins.computed import ComputedTwin
from workers.engines.network.twins.files import FileTwin
from workers.engines.network.twins.matching import every, match
from workers.engines.network.twins.twin import Twin
from workers.errors import InvalidInput, NotFound

SAMPLE = Path(__file__).parent / "sample.json"

LIST_NAME = "scenarios.json"
MOST_TWINS = 1_000


class Simulated(Contract):
    """How a twin is made."""

    problem: Problem
    seed: int


class TwinEntry(Contract):
    """An entry of `scenarios.json`."""

    digitaltwinsId: TwinId  # noqa: N815 the name that the tools of the field use
    name_zh: Text
    name_en: Text
    aliases: tuple[Text, ...] = ()
    problems: tuple[Text, ...] = ()
    """For people; it is not shown to a tool."""
    simulated: Simulated | None = None
    """None: its cells or its figures are in the folder `scenarios/<id>`."""


_ENTRIES: TypeAdapter[list[TwinEntry]] = TypeAdapter(list[TwinEntry])


class Library:
    """Twins by id."""

    def __init__(self, entries: list[TwinEntry], folder: Path) -> None:
        self._entries = {entry.digitaltwinsId: entry for entry in entries}
        self._folder = folder

    @cached_property
    def cards(self) -> tuple[ScenarioCard, ...]:
        """The names of all."""
        return tuple(
            ScenarioCard(digitaltwinsId=entry.digitaltwinsId, name_zh=entry.name_zh, name_en=entry.name_en, aliases=entry.aliases)
            for entry in self._entries.values()
        )

    def match(self, text: str) -> ScenarioMatch:
        """The twins that a text names; every twin for no text. Raises `NotFound`, which lists the known ones."""
        found = match(text, self.cards) if text.strip() else every(self.cards)
        if found is None:
            raise NotFound.of(say("network.refused.no_scenario_fits", text=quote(text[:80]), known=self._names()))
        return found

    def twin(self, twin_id: str) -> Twin:
        """A twin. Raises `NotFound`, which lists the known ones."""
        entry = self._entries.get(twin_id)
        if entry is None:
            raise NotFound.of(say("network.refused.no_scenario", id=quote(twin_id[:64]), known=self._names()))
        return _twin(entry.model_dump_json(), self._folder, _stamp(self._folder / "scenarios" / twin_id))

    def _names(self) -> Listing:
        return names(f"{card.digitaltwinsId} {card.name_zh} ({card.name_en})" for card in self.cards)


def _stamp(folder: Path) -> float:
    """When a file of the twin was last changed; 0 for a simulated one."""
    return max((path.stat().st_mtime for path in folder.glob("*.csv")), default=0.0)


@lru_cache(maxsize=16)
def _twin(entry_json: str, folder: Path, _changed: float) -> Twin:
    """Kept: a simulated twin takes a second, and a dialogue asks about the same again. A changed file makes a new twin."""
    entry = TwinEntry.model_validate_json(entry_json)
    card = ScenarioCard(digitaltwinsId=entry.digitaltwinsId, name_zh=entry.name_zh, name_en=entry.name_en, aliases=entry.aliases)
    own = folder / "scenarios" / entry.digitaltwinsId
    if (simulated := entry.simulated) is not None:
        return ComputedTwin(card, lambda: make_scenario(simulated.problem, simulated.seed).faulty, f"{simulated.problem} {simulated.seed}")
    if (cells := own / CELLS_NAME).is_file():
        return ComputedTwin(card, lambda: read_network(cells), hashlib.sha256(cells.read_bytes()).hexdigest())
    return FileTwin(card, own)


def open_library(folder: Path | None) -> Library:
    """The twins of a folder with `scenarios.json`; without a folder the sample. Raises `InvalidInput` if it cannot be read."""
    path = SAMPLE if folder is None else folder / LIST_NAME
    try:
        entries = _ENTRIES.validate_python(json.loads(path.read_text(encoding="utf-8-sig")))
    except (OSError, ValueError, ValidationError) as error:
        raise InvalidInput.of(
            say("network.refused.list", path=identifier(path), reason=passage(" ".join(str(error).split())[:400]))
        ) from None
    if len({entry.digitaltwinsId for entry in entries}) < len(entries):
        raise InvalidInput.of(say("network.refused.same_id", path=identifier(path)))
    return Library(entries[:MOST_TWINS], path.parent)
