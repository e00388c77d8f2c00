"""How well the cause of a drive test is found: on both halves, with the options in another order, and beside trivial methods."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from contracts.base import Contract
from contracts.network import DriveFault
from tests.evals.libraries.network.form import TelecomEvaluation
from workers.engines.network.drive_tests import Margins, find_cause, read_drive_test
from workers.engines.network.drive_tests.features import features_of
from workers.errors import InvalidInput
from workers.kinds.base import Bench, EvaluationResult

_OPTION = re.compile(r"^C(\d+):(.*)$", re.MULTILINE)

MOVED = (
    Margins(outside_beam_deg=1.5), Margins(outside_beam_deg=3.5), Margins(as_strong_db=-6.5), Margins(as_strong_db=-8.0),
    Margins(overlap_db=-5.0), Margins(overlap_db=-7.0),
)  # fmt: skip
"""The margins moved by a degree or a decibel, each by itself (half a decibel where the gap is narrow)."""


class WrongDriveTest(Contract):
    """A test and what was found."""

    id: str
    label: str
    answer: str


class TelecomReport(EvaluationResult):
    """Figures, and the tests that were wrong."""

    wrong: tuple[WrongDriveTest, ...] = ()


@dataclass(frozen=True, slots=True)
class _Case:
    id: str
    question: str
    label: str


def measure_drive_tests(_bench: Bench, form: TelecomEvaluation) -> TelecomReport:
    """Measure. Raises `InvalidInput` if the file cannot be read."""
    cases = list(_read(form.drive_tests))
    if not cases:
        raise InvalidInput(f"{form.drive_tests} has no drive tests.")
    found = [_answer(case) for case in cases]
    right = [answer == case.label for case, answer in zip(cases, found, strict=True)]
    figures: dict[str, float] = {
        "drive_tests": float(len(cases)),
        "accuracy": _mean(right),
        "accuracy_first_half": _mean(right[0::2]),
        "accuracy_second_half": _mean(right[1::2]),
        "accuracy_shuffled": _mean([_answer(other) == other.label for other in map(_shuffled, cases)]),
        "accuracy_margins_moved": min(_mean([_answer(case, margins) == case.label for case in cases]) for margins in MOVED),
    }
    for label in sorted({case.label for case in cases}):
        figures[f"recall_{label.lower()}"] = _mean([ok for case, ok in zip(cases, right, strict=True) if case.label == label])
    figures |= {f"{name}_accuracy": value for name, value in _trivial(cases).items()}
    wrong = tuple(
        WrongDriveTest(id=case.id, label=case.label, answer=answer)
        for case, answer in zip(cases, found, strict=True)
        if answer != case.label
    )
    return TelecomReport(figures=figures, wrong=wrong)


def _read(path: Path) -> Iterator[_Case]:
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                row: dict[str, Any] = json.loads(line)
                yield _Case(str(row["id"]), str(row["question"]), str(row["label"]))
    except (OSError, ValueError, KeyError) as error:
        raise InvalidInput(f"{path} cannot be read as drive tests: {error!r}") from None


def _answer(case: _Case, margins: Margins | None = None) -> str:
    try:
        test = read_drive_test(case.question)
    except InvalidInput:
        return ""
    return find_cause(test, margins).option if margins else find_cause(test).option


def _shuffled(case: _Case) -> _Case:
    """The same test with its options in another order, and the label of the right one."""
    texts = dict(_OPTION.findall(case.question))
    numbers = list(texts)
    order = numbers[:]
    random.Random(case.id).shuffle(order)
    place = dict(zip(order, numbers, strict=True))
    """Old number → new number."""
    old = dict(zip(numbers, order, strict=True))
    question = _OPTION.sub(lambda option: f"C{option[1]}:{texts[old[option[1]]]}", case.question)
    return replace(case, question=question, label=f"C{place[case.label.removeprefix('C')]}")


def _trivial(cases: Sequence[_Case]) -> dict[str, float]:
    """Trained on the other half of the tests."""
    return {
        "commonest": _halved(cases, lambda train: _commonest(train)),
        "limits_alone": _halved(cases, lambda train: _limits_alone(train)),
        "commonest_shuffled": _halved([*map(_shuffled, cases)], lambda train: _commonest(train)),
    }


def _halved(cases: Sequence[_Case], train: Callable[[Sequence[_Case]], Callable[[_Case], str]]) -> float:
    halves = (cases[0::2], cases[1::2])
    right = [
        train(other)(case) == case.label for half, other in ((halves[0], halves[1] or halves[0]), (halves[1], halves[0])) for case in half
    ]
    return _mean(right)


def _commonest(train: Sequence[_Case]) -> Callable[[_Case], str]:
    label = Counter(case.label for case in train).most_common(1)[0][0]
    return lambda _: label


def _limits_alone(train: Sequence[_Case]) -> Callable[[_Case], str]:
    """What the text of the question gives away: speed, distance, resource blocks; else the commonest label."""
    otherwise = _commonest(train)

    def answer(case: _Case) -> str:
        test = read_drive_test(case.question)
        features, labels = features_of(test), {fault: label for label, fault in test.options}
        rules = (
            (features.speed_kmh > test.limits.speed_kmh, DriveFault.SPEED),
            (features.distance_m > test.limits.distance_m, DriveFault.OVERSHOOT),
            (features.blocks < test.limits.blocks, DriveFault.FEW_BLOCKS),
        )
        return next((labels.get(fault, "") for holds, fault in rules if holds), otherwise(case))

    return answer


def _mean(right: Sequence[bool]) -> float:
    return sum(right) / len(right) if right else 0.0
