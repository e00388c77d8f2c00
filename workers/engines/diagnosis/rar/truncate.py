"""Layered truncation: the nearest three tickets in full, the next ones in short, the others as one line each, and all of
it within a number of tokens."""

from collections.abc import Sequence
from dataclasses import dataclass

from workers.engines.diagnosis.rar.case import K
from workers.engines.diagnosis.rar.tokens import CountTokens, clip_to, estimate_tokens
from workers.engines.diagnosis.rar.view import TicketView
from workers.engines.diagnosis.wording import brief

TICKET_TOKENS = 4_000
"""What the tickets of a prompt may take, however much the model could hold."""
FULL = 3
"""Tickets in full."""
_LINE = 60
"""Characters of a ticket in one line."""
_LEAST_FULL = 300
"""Tokens below which a ticket in full is not worth its cut: it is given in short."""


@dataclass(frozen=True)
class Shown:
    """A ticket as the prompt has it."""

    ticket_id: str
    text: str


@dataclass(frozen=True)
class Layers:
    """What of the tickets the prompt holds."""

    read: tuple[Shown, ...]
    """In full or in short, best first."""
    listed: tuple[Shown, ...]
    """One line each."""

    @property
    def ticket_ids(self) -> frozenset[str]:
        """All tickets of which the prompt holds anything."""
        return frozenset(shown.ticket_id for shown in (*self.read, *self.listed))


def as_line(view: TicketView) -> str:
    """Its id and one line."""
    return f"{view.ticket_id}: {brief(view.description, _LINE)}"


def in_short(view: TicketView) -> str:
    """Description and cause."""
    return f"ticket_id: {view.ticket_id}\ndescription: {view.description}\nroot cause: {view.root_cause}"


def in_full(view: TicketView) -> str:
    """Everything that the history has of it."""
    observed = "".join(f"\n- {text}" for text in view.phenomena)
    return f"{in_short(view)}\nobserved:{observed or ' nothing written down'}\nsolution: {view.solution or 'not written down'}"


def lay_out(views: Sequence[TicketView], room: int, count: CountTokens = estimate_tokens) -> Layers:
    """The tickets within `room` tokens, in the order given, best first.

    Every ticket gets its line first, as far as the room goes; then the best are raised, one after the other, to full or
    short. A ticket that does not fit in full is cut at its end, in the solution, or given in short.
    """
    texts: list[str] = []
    left = room
    for view in views:
        line = as_line(view)
        if count(line) > left:
            break
        texts.append(line)
        left -= count(line)
    raised = 0
    for place, view in enumerate(views[: min(len(texts), K)]):
        left += count(texts[place])
        better = _raised(view, left, full=place < FULL, count=count)
        if better is None:
            break
        texts[place] = better
        left -= count(better)
        raised += 1
    shown = [Shown(view.ticket_id, text) for view, text in zip(views, texts, strict=False)]
    return Layers(tuple(shown[:raised]), tuple(shown[raised:]))


def _raised(view: TicketView, left: int, *, full: bool, count: CountTokens) -> str | None:
    """The ticket in full or in short within what is left; None when not even the latter fits."""
    short = in_short(view)
    if full and (count(text := in_full(view)) <= left or left >= _LEAST_FULL + count(short)):
        return clip_to(text, left, count)
    return short if count(short) <= left else None
