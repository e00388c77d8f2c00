"""What a remedy proposes, before it is ranked and written out; and what it thought of and does not propose."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from contracts.statements import Statement, Value
from contracts.tune.plan import FixKind, Risk, Setting
from contracts.verdicts import Verdict
from contracts.whatif import Change
from workers.kinds.tune.rules.advice.case import Case


@dataclass(frozen=True)
class Draft:
    """One remedy for one case."""

    kind: FixKind
    remedy: str
    """Its entry in `remedy_texts`."""
    place: int
    """Of the verdict that it answers."""
    risk: Risk
    confidence: float
    """0 to 1: how sure it is that the change does what it is meant to in this case."""
    saves: float
    """Part of the verdict's share that it takes away, for the order where no replay says."""
    values: Mapping[str, Value] = field(default_factory=dict[str, Value])
    """What the texts name beside what they may name of every verdict."""
    also: tuple[int, ...] = ()
    """Further verdicts that it rests on."""
    settings: tuple[Setting, ...] = ()
    changes: tuple[Change, ...] = ()
    artefact: str = ""
    diff: str = ""
    is_alternative: bool = True
    """One of several ways for the same verdict, of which one is enough."""


@dataclass(frozen=True)
class NotAdvised:
    """What was thought of, and why it is not proposed."""

    why: Statement
    forbids_broadcast: bool = False
    """The small side of the join is too large to be sent to every executor."""


Remedy = Callable[[Case, int, Verdict], Iterator[Draft | NotAdvised]]
"""(case, place of the verdict, verdict) → what to do about it."""
