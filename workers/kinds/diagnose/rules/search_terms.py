"""What a dialogue adds to the search of the history: observations besides the description, and confirmed phenomena."""

from collections.abc import Sequence

from contracts.diagnose.deliverables import Finding, PhenomenonQuestion
from workers.kinds.diagnose.rules.known import Dialogue, read_all
from workers.kinds.diagnose.rules.rar.items import OWN
from workers.kinds.diagnose.rules.replies import read_answer

_NOTHING_ASKED = PhenomenonQuestion(turn=1, items=())


def search_terms(dialogue: Dialogue) -> tuple[list[str], list[str]]:
    """Observations, and ids of confirmed phenomena. A phenomenon that the history has no id for is an observation. The name of a
    system is none: tickets that have it in their text are not nearer to the incident for it."""
    observations: list[str] = []
    confirmed: list[str] = []
    for (question, _), reading in zip(dialogue, read_all(dialogue), strict=True):
        observations.extend(reading.observations)
        found = [item for item in question.items if reading.findings.get(item.phenomenon_id) is Finding.CONFIRMED]
        confirmed.extend(item.phenomenon_id for item in found if not item.phenomenon_id.startswith(OWN))
        observations.extend(item.description for item in found if item.phenomenon_id.startswith(OWN))
    return observations, confirmed


def read_reported(texts: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """What a person tells a job without being asked: the texts as they are, and the systems that they name by "system: MySQL"."""
    readings = [read_answer(text, _NOTHING_ASKED) for text in texts]
    observations = dict.fromkeys(text for reading in readings for text in reading.observations)
    return tuple(observations), [reading.system for reading in readings if reading.system]


def systems_named(dialogue: Dialogue) -> list[str]:
    """The systems that the user has named, when asked or by themselves."""
    return list(dict.fromkeys(reading.system for reading in read_all(dialogue) if reading.system))
