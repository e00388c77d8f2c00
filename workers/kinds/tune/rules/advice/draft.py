"""What a remedy proposes, before it is ranked and written out; and what it thought of and does not propose."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from contracts.statements import Statement, Value
from contracts.tune.plan import FixKind, Risk, Setting
from contracts.verdicts import Verdict
from contracts.whatif import Change
from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.advice.case import Case


class Patch(NamedTuple):
    """Lines of a script that are rewritten; both parts are empty where none are."""

    artefact: str = ""
    diff: str = ""


NO_PATCH = Patch()


def patch_of(script: NamedScript | None, diff: str) -> Patch:
    """The diff with the script that it changes."""
    return Patch(script.name, diff) if script and diff else NO_PATCH


@dataclass(frozen=True)
class Draft:
    """One remedy for one case."""

    kind: FixKind
    remedy: str
    """Its entry in `remedy_texts`."""
    risk: Risk
    confidence: float
    """0 to 1: how sure it is that the change does what it is meant to in this case."""
    saves: float
    """Part of the verdict's share that it takes away, for the order where no replay says."""
    values: Mapping[str, Value] = field(default_factory=dict[str, Value])
    """What the texts name beside what they may name of every verdict."""
    place: int = 0
    """Of the verdict that it answers; set when the remedy is asked."""
    also: tuple[int, ...] = ()
    """Further verdicts that it rests on."""
    settings: tuple[Setting, ...] = ()
    changes: tuple[Change, ...] = ()
    patch: Patch = NO_PATCH
    is_unsure: bool = False
    """Its gain is small or unsure, and it is the best there is for the run's main problem; the report says so."""
    is_proved: bool = False
    """The run, or the metadata of its tables, proves that the change can be made as it is replayed. Without that only settings and lines
    of a script are promised to save time: words may ask for what this job cannot have, like a built-in function for one in Python."""
    is_alternative: bool = True
    """One of several ways for the same verdict, of which one is enough."""

    @property
    def may_promise(self) -> bool:
        """What the replay says of it may be shown."""
        return self.is_proved or bool(self.settings or self.patch.diff)


@dataclass(frozen=True)
class NotAdvised:
    """What was thought of, and why it is not proposed."""

    why: Statement
    forbids_broadcast: bool = False
    """The small side of the join is too large to be sent to every executor."""


Remedy = Callable[[Case, Verdict], Iterator[Draft | NotAdvised]]
"""What to do about a verdict of a case."""
