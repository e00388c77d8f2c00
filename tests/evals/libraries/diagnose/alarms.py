"""`python -m tests.evals alarms`: alarms of metrics whose causes are known, each left out; their cause taken out of the history; two at
once.

Alarms of several causes are made of two recorded ones of different causes: of each metric the reading that is further from normal. The two
are left out of the history. Both halves of the runs (every other one) are reported.
"""

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field
from rich.console import RenderableType

from contracts.diagnose.deliverables import Diagnosis
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import CauseCard, PhenomenonCard, TicketCard, TicketEvidence
from workers.errors import InvalidInput
from workers.kinds.base import Bench, EvaluationResult
from workers.kinds.diagnose.rules.alarms import diagnose_alarm, readings_of
from workers.kinds.figures_shown import figures_table
from workers.tickets.metric_readings import Reading, alarm, is_reading
from workers.tickets.wording import phenomenon_id

_SURE = 0.7
_SEED = 20_260_101


class AlarmsEvaluation(BaseModel):
    """The options of `python -m tests.evals alarms`."""

    tickets: Path = Field(description="JSON lines of solved alarms: phenomena with metric, normal, abnormal and z, and root_causes.")
    pairs: int = Field(default=120, ge=1, le=10_000, description="Alarms that are made of two recorded ones.")


@dataclass(frozen=True)
class _Alarm:
    """One recorded alarm."""

    ticket_id: str
    readings: tuple[Reading, ...]
    causes: frozenset[str]

    @property
    def text(self) -> str:
        return alarm(self.readings)

    @property
    def phenomena(self) -> frozenset[str]:
        return frozenset(readings_of(self.text) or ())


def run_alarms(_bench: Bench, form: AlarmsEvaluation) -> EvaluationResult:
    """Diagnose every alarm without its own ticket, without its cause, and in pairs. Raises `InvalidInput` for a file without alarms."""
    alarms = _read(form.tickets)
    figures: dict[str, float] = {"alarms": float(len(alarms))}
    halves = [alarms[0::2], alarms[1::2]]
    for name, part in (("", alarms), ("_half_a", halves[0]), ("_half_b", halves[1])):
        figures |= {f"{key}{name}": value for key, value in _singles(part, alarms).items()}
        figures |= {f"{key}{name}": value for key, value in _pairs(part, alarms, form.pairs).items()}
    return EvaluationResult(figures=figures)


def show_alarms(report: EvaluationResult) -> Iterator[RenderableType]:
    """The figures."""
    yield figures_table(report.figures)


def _read(path: Path) -> list[_Alarm]:
    found: list[_Alarm] = []
    try:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            row: dict[str, Any] = json.loads(line)
            causes = row.get("root_causes") or [row["root_cause"]]
            readings = tuple(item for item in row["phenomena"] if is_reading(item))
            if readings:
                found.append(_Alarm(str(row.get("id", number)), readings, frozenset(map(str, causes))))
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise InvalidInput(f"{path} has no solved alarms: {error}") from None
    if len({cause for each in found for cause in each.causes}) < 2:
        raise InvalidInput(f"{path} has no alarms of different causes.")
    return found


def _singles(part: Sequence[_Alarm], alarms: Sequence[_Alarm]) -> dict[str, float]:
    right = near = sure = sure_right = strangers = 0
    for each in part:
        others = [other for other in alarms if other is not each]
        found = _diagnosed(each.text, others)
        right += _named(found) == each.causes
        near += _nearest(each.phenomena, others).causes == each.causes
        confident = found is not None and found.root_cause is not None and found.confidence >= _SURE
        sure += confident
        sure_right += confident and _named(found) == each.causes
        foreign = _diagnosed(each.text, [other for other in others if other.causes.isdisjoint(each.causes)])
        strangers += foreign is not None and foreign.root_cause is not None and foreign.confidence >= _SURE
    count = max(len(part), 1)
    return {
        "single": right / count,
        "single_nearest_alarm": near / count,
        "single_sure": sure / count,
        "single_sure_and_right": sure_right / max(sure, 1),
        "unknown_cause_named_at_0_7": strangers / count,
    }


def _pairs(part: Sequence[_Alarm], alarms: Sequence[_Alarm], wanted: int) -> dict[str, float]:
    chance = random.Random(_SEED)
    exact = near = done = 0
    while done < wanted:
        each, other = chance.sample(list(part), 2)
        if each.causes & other.causes:
            continue
        done += 1
        history = [known for known in alarms if known is not each and known is not other]
        both = _Alarm("both", _together(each, other), each.causes | other.causes)
        exact += _named(_diagnosed(both.text, history)) == both.causes
        near += _two_nearest(both.phenomena, history) == both.causes
    return {"pair_exact_set": exact / wanted, "pair_two_nearest_causes": near / wanted}


def _together(each: _Alarm, other: _Alarm) -> tuple[Reading, ...]:
    readings: dict[str, Reading] = {}
    for reading in (*each.readings, *other.readings):
        known = readings.get(reading["metric"])
        if known is None or abs(reading.get("z") or 0.0) > abs(known.get("z") or 0.0):
            readings[reading["metric"]] = reading
    return tuple(readings.values())


def _diagnosed(text: str, history: Sequence[_Alarm]) -> Diagnosis | None:
    return diagnose_alarm(DiagnoseRequest(description=text), _evidence(history))


def _named(found: Diagnosis | None) -> frozenset[str]:
    """The causes of the diagnosis: the ids are their texts here."""
    if found is None or found.root_cause is None:
        return frozenset()
    return frozenset(found.together or (str(found.cause_id),))


def _evidence(history: Sequence[_Alarm]) -> TicketEvidence:
    """The whole history as evidence: what the retriever makes of a history that is not larger than its limits."""
    tickets: defaultdict[str, list[str]] = defaultdict(list)
    shown: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for each in history:
        cause = "; ".join(sorted(each.causes))
        tickets[cause].append(each.ticket_id)
        for phenomenon in each.phenomena:
            shown[phenomenon][cause] += 1
    return TicketEvidence(
        causes=tuple(
            CauseCard(cause_id=cause, description=cause, solution="", ticket_count=len(ids), ticket_ids=tuple(ids[:10]))
            for cause, ids in sorted(tickets.items())
        ),
        phenomena=tuple(
            PhenomenonCard(
                phenomenon_id=phenomenon_id(text),
                description=text,
                observation_method="",
                similarity=0.0,
                cause_tickets=dict(counts),
                cause_count=len(counts),
            )
            for text, counts in sorted(shown.items())
        ),
        tickets=tuple(
            TicketCard(
                ticket_id=each.ticket_id,
                description=each.text,
                cause_id="; ".join(sorted(each.causes)),
                similarity=0.0,
                phenomenon_ids=tuple(sorted(map(phenomenon_id, each.phenomena))),
            )
            for each in history
        ),
        total_tickets=len(history),
        total_causes=len(tickets),
    )


def _likeness(each: frozenset[str], other: frozenset[str]) -> float:
    return len(each & other) / max(len(each | other), 1)


def _nearest(phenomena: frozenset[str], history: Sequence[_Alarm]) -> _Alarm:
    return max(history, key=lambda known: _likeness(phenomena, known.phenomena))


def _two_nearest(phenomena: frozenset[str], history: Sequence[_Alarm]) -> frozenset[str]:
    """The trivial reading of a pair: the causes of the nearest alarm and of the nearest one with another cause."""
    first = _nearest(phenomena, history)
    second = _nearest(phenomena, [known for known in history if known.causes.isdisjoint(first.causes)])
    return first.causes | second.causes
