"""The rules that name the cause of a drive test's fault.

Each rule is a measured fact of the slow seconds. Several may hold, so they are asked in the order of how much they explain: handovers,
speed and distance disturb every other figure; few resource blocks are a scheduler's limit that radio does not explain; then signals that
are confused; then the beam, outside of which neighbours look strong; then overlap.
A better neighbour is what remains: a cell of the same site that is as strong as the serving one.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from contracts.network import DriveFault, DriveFeatures, DriveTestCause
from contracts.statements import Statement, count, number, say
from workers.engines.network.drive_tests.features import Features, features_of
from workers.engines.network.drive_tests.reading import DriveTest, Limits


@dataclass(frozen=True, slots=True)
class Margins:
    """From where on a rule holds. The text of a question gives the other limits. Each value is in the middle of a gap: on the half of the
    drive tests on which they were chosen, no test is nearer than a decibel or two degrees to one."""

    handovers: int = 2
    """More changes of the serving cell in about ten seconds are frequent."""
    as_strong_db: float = -7.0
    """A neighbour with the same PCI modulo 30 disturbs the reference signals if it is within 6 dB, the usual margin of overlap; a decibel
    is left for the error of the measurement."""
    overlap_db: float = -6.0
    """Cells of other sites overlap when one of them is within 6 dB of the serving cell during all slow seconds."""
    outside_beam_deg: float = 2.5
    """The vehicle is outside of the main beam when it is this far above its upper edge; tilt and height are not known better."""


USUAL = Margins()


def find_cause(test: DriveTest, margins: Margins = USUAL) -> DriveTestCause:
    """The cause of the fault, with features and reason."""
    features = features_of(test)
    offered = [fault for _, fault in test.options] or list(DriveFault)
    held = [fault for fault, holds in RULES if fault in offered and holds(features, test.limits, margins)]
    fault = held[0] if held else _nearest(features, offered)
    return DriveTestCause(
        fault=fault,
        option=next((label for label, meant in test.options if meant is fault), ""),
        also=tuple(held[1:]),
        features=DriveFeatures(
            seconds=len(test.seconds),
            slow_seconds=features.slow_seconds,
            limit_mbps=test.limits.throughput_mbps,
            values=features.values(),
        ),
        says=(_drop(features, test.limits), _reason(fault, features, test.limits)),
    )


Rule = Callable[[Features, Limits, Margins], bool]

RULES: tuple[tuple[DriveFault, Rule], ...] = (
    (DriveFault.HANDOVERS, lambda found, _, margins: found.handovers > margins.handovers),
    (DriveFault.SPEED, lambda found, limits, _: found.speed_kmh > limits.speed_kmh),
    (DriveFault.OVERSHOOT, lambda found, limits, _: found.distance_m > limits.distance_m),
    (DriveFault.FEW_BLOCKS, lambda found, limits, _: found.blocks < limits.blocks),
    (DriveFault.PCI_MOD_30, lambda found, _, margins: found.same_mod_db >= margins.as_strong_db),
    (DriveFault.WEAK_FAR_END, lambda found, _, margins: found.above_beam_deg > margins.outside_beam_deg),
    (DriveFault.OVERLAP, lambda found, _, margins: found.other_site_db >= margins.overlap_db),
    (DriveFault.BETTER_NEIGHBOUR, lambda found, _, margins: found.any_site_db >= margins.overlap_db),
)
"""The rules in the order in which they decide. A comparison with a missing figure is false."""


def _nearest(found: Features, offered: list[DriveFault]) -> DriveFault:
    """Where no rule holds: the cell of a strong neighbour, else the beam, else the first that is offered."""
    beam = found.above_beam_deg if not math.isnan(found.above_beam_deg) else -math.inf
    order = (DriveFault.WEAK_FAR_END, DriveFault.BETTER_NEIGHBOUR) if beam > 0 else (DriveFault.BETTER_NEIGHBOUR, DriveFault.WEAK_FAR_END)
    return next((fault for fault in order if fault in offered), offered[0])


def _drop(found: Features, limits: Limits) -> Statement:
    return say(
        "network.drive.drop", n=count(found.slow_seconds), limit=number(limits.throughput_mbps, 0),
        slow=number(_known(found.throughput_mbps), 0), rest=number(_known(found.other_throughput_mbps), 0),
    )  # fmt: skip


def _known(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def _reason(fault: DriveFault, found: Features, limits: Limits) -> Statement:
    match fault:
        case DriveFault.HANDOVERS:
            return say("network.drive.handovers", n=count(found.handovers))
        case DriveFault.SPEED:
            return say("network.drive.speed", speed=number(_known(found.speed_kmh), 0), limit=number(limits.speed_kmh, 0))
        case DriveFault.OVERSHOOT:
            return say("network.drive.overshoot", distance=number(_known(found.distance_m), 0), limit=number(limits.distance_m, 0))
        case DriveFault.FEW_BLOCKS:
            return say("network.drive.blocks", blocks=number(_known(found.blocks), 0), limit=number(limits.blocks, 0))
        case DriveFault.PCI_MOD_30:
            return say("network.drive.mod", difference=number(found.same_mod_db, 1))
        case DriveFault.OVERLAP:
            return say("network.drive.overlap", difference=number(found.other_site_db, 1))
        case DriveFault.WEAK_FAR_END:
            return say("network.drive.beam", tilt=number(_known(found.tilt_deg), 0), above=number(_known(found.above_beam_deg), 1))
        case DriveFault.BETTER_NEIGHBOUR:
            return say("network.drive.neighbour", difference=number(found.any_site_db, 1))
