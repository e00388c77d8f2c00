"""What a fix has to bring before it is advised: more than 3 % of the run, more than its estimate is unsure by, and complete names.

Share and gain are both of the run's wall clock. Fixes for what made a job fail are held to their names alone.
"""

from math import floor

from contracts.statements import Name, Share, Statement, Value, milliseconds, say, share
from contracts.tune.plan import Fix, FixKind
from contracts.verdicts import Verdict
from contracts.whatif import Gain
from workers.kinds.tune.rules.classify import ENOUGH, has_failed
from workers.kinds.tune.rules.saying import parts_of, value_of

LEAST_GAIN = ENOUGH
"""Share of the run. A run differs by as much from one day to the next."""

PAID = ("spark.executor.memory", "spark.driver.memory")

MEMORY_GAIN = 0.1
MEMORY_WALL_MS = 60_000
"""More memory is paid for by the hour, so it has to save this share of a run that takes at least as long."""

BY_CHANCE = frozenset({FixKind.SPECULATION})
BY_CHANCE_GAIN = 0.1
"""Share of the run. A straggler without a cause in the data comes by chance, and a second attempt of every slow task is paid for."""

WITHOUT_TIME = frozenset({FixKind.RELEASE_EXECUTORS})
"""Fixes that save money and no time, and say so."""

MAY_LOSE_GAIN = 0.1
"""Share of the run that a fix has to save whose likely range reaches into a loss: a run differs by as much from the next, so that less
shows nothing."""

ONLY_SMALL = ("tune.gate.too_little", "tune.gate.unsure")
"""Reasons that are only about the size of a gain."""

UNKNOWN = "?"


def objection_to(fix: Fix, verdicts: tuple[Verdict, ...]) -> Statement | None:
    """Why a fix may not be advised; None if it may. `verdicts`: those that it answers, the first one first."""
    if any(_is_unknown(part) for text in (fix.title, fix.what) for part in parts_of(text)):
        return say("tune.gate.unknown_name")
    if fix.kind in WITHOUT_TIME or any(map(has_failed, verdicts)):
        return None
    if fix.gain is not None:
        return _too_little(fix, fix.gain)
    touched = max((verdict.run_share or verdict.share for verdict in verdicts), default=1.0)
    return say("tune.gate.small_problem", share=below(touched, LEAST_GAIN), least=share(LEAST_GAIN)) if touched < LEAST_GAIN else None


def _too_little(fix: Fix, gain: Gain) -> Statement | None:
    saved_ms = gain.before_ms - gain.after_ms
    unsure_ms = (gain.high_ms - gain.low_ms) / 2 if gain.unsure_ms is None else gain.unsure_ms
    if saved_ms <= 0:
        return say("tune.gate.slower", time=milliseconds(-saved_ms)) if saved_ms else say("tune.gate.nothing_saved")
    least = BY_CHANCE_GAIN if fix.kind in BY_CHANCE else LEAST_GAIN
    if gain.saved_share < least:
        return say("tune.gate.too_little", share=below(gain.saved_share, least), least=share(least))
    if saved_ms <= unsure_ms:
        return say("tune.gate.unsure", saved=milliseconds(saved_ms), unsure=milliseconds(unsure_ms))
    if gain.high_ms > gain.before_ms and gain.saved_share < MAY_LOSE_GAIN:
        times = {"low": milliseconds(gain.low_ms), "high": milliseconds(gain.high_ms), "before": milliseconds(gain.before_ms)}
        return say("tune.gate.may_lose", share=share(gain.saved_share), **times)
    if any(setting.name in PAID for setting in fix.configuration) and (gain.saved_share < MEMORY_GAIN or gain.before_ms < MEMORY_WALL_MS):
        return say("tune.gate.memory", share=share(gain.saved_share), wall=milliseconds(gain.before_ms))
    return None


def below(part: float, least: float) -> Share:
    """A share that is less than another one, also as it is shown: 2.8 % where both would be 3 %."""
    return share(floor(part * 1000) / 1000, 1) if round(part, 2) >= round(least, 2) else share(part)


def dropped(fix: Fix, reason: Statement) -> Statement:
    """A fix that was thought of and is not advised, with the reason."""
    return say("tune.gate.dropped", title=value_of(fix.title), reasons=reason)


def _is_unknown(part: Value | str) -> bool:
    match part:
        case Name(text=text):
            return text.strip() == UNKNOWN
        case str():
            return part.strip() == UNKNOWN
        case _:
            return False
