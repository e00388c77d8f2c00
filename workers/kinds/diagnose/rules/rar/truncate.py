"""Layered truncation: the nearest three tickets in full, the next ones in short, the others as one line each, and all of
it within a number of tokens."""

from collections.abc import Sequence
from dataclasses import dataclass

from workers.engines.tokens import CountTokens, clip_to, estimate_tokens
from workers.kinds.diagnose.rules.rar.case import K
from workers.kinds.diagnose.rules.rar.view import TicketView
from workers.kinds.diagnose.rules.wording import brief

TICKET_TOKENS = 4_000
"""Tokens for the tickets of a prompt that are always enough for the nearest; a large window gives them a part of it."""
_WINDOW_SHARE = 0.25
"""The part of the model's window that tickets may fill: what they cost is paid with each turn."""
FENCE_TOKENS = 36
"""Tokens of the marks around one ticket; the one-line tickets share one block."""
FULL = 3
"""Tickets in full, where there is room for no more."""
_LINE = 60
"""Characters of a ticket in one line."""
_LINES_SHARE = 0.5
"""The part of the room that the lines may take before tickets are raised."""
_CUT_DESCRIPTION = 40
"""Tokens of a description that is cut because the ticket does not fit in short; the cause is given whole."""
_LEAST_DESCRIPTION = 20
"""Tokens of a description below which a ticket tells nothing."""
_LEAST_FULL = 300
"""Tokens below which a ticket in full is not worth its cut: it is given in short."""


@dataclass(frozen=True)
class Shown:
    """A ticket in the form of the prompt."""

    ticket_id: str
    text: str


@dataclass(frozen=True)
class Layers:
    """The tickets in a prompt."""

    read: tuple[Shown, ...]
    """In full or in short, best first."""
    listed: tuple[Shown, ...]
    """One line each."""

    @property
    def ticket_ids(self) -> frozenset[str]:
        """All tickets of which the prompt holds anything."""
        return frozenset(shown.ticket_id for shown in (*self.read, *self.listed))


def ticket_room(left: int, context_tokens: int) -> int:
    """Tokens for the tickets of a prompt, of those that are left."""
    return min(left, max(TICKET_TOKENS, int(context_tokens * _WINDOW_SHARE)))


def as_line(view: TicketView) -> str:
    """Its id and one line."""
    return f"{view.ticket_id}: {brief(view.description, _LINE)}"


def in_short(view: TicketView, description: str | None = None) -> str:
    """Description, or what is left of it, and cause."""
    text = view.description if description is None else description
    return f"ticket_id: {view.ticket_id}\ndescription: {text}\nroot cause: {view.root_cause}"


def in_full(view: TicketView) -> str:
    """All that the history has about the ticket."""
    observed = "".join(f"\n- {text}" for text in view.phenomena)
    return f"{in_short(view)}\nobserved:{observed or ' nothing written down'}\nsolution: {view.solution or 'not written down'}"


def lay_out(views: Sequence[TicketView], room: int, count: CountTokens = estimate_tokens) -> Layers:
    """The tickets within `room` tokens, in the order given, best first.

    Every ticket gets its line first, as far as half of the room goes; then the best are raised, one after the other, to full
    or short: the nearest three to full, and each further one that leaves the others their share. A ticket that does not fit in
    full is cut at its end, in the solution, or given in short; one that does not fit in short is cut in its description.
    """
    texts: list[str] = []
    left = room
    for view in views:
        line = as_line(view)
        if count(line) > left - room * (1 - _LINES_SHARE):
            break
        texts.append(line)
        left -= count(line)
    raised = 0
    for place, view in enumerate(views[:K]):
        left += count(texts[place]) if place < len(texts) else 0
        rest = max(min(len(views), K) - place, 1)
        is_full = place < FULL or count(in_full(view)) + FENCE_TOKENS <= left // rest
        better = _raised(view, left - FENCE_TOKENS, full=is_full, count=count)
        if better is None:
            break
        texts[place : place + 1] = [better]
        left -= count(better) + FENCE_TOKENS
        raised += 1
    shown = [Shown(view.ticket_id, text) for view, text in zip(views, texts, strict=False)]
    return Layers(tuple(shown[:raised]), tuple(shown[raised:]))


def _raised(view: TicketView, left: int, *, full: bool, count: CountTokens) -> str | None:
    """The ticket in full or in short within what is left; None when not even the latter fits."""
    short = in_short(view)
    if count(short) > left:
        room = min(left - count(in_short(view, "")), _CUT_DESCRIPTION)
        return in_short(view, clip_to(view.description, room, count)) if room >= _LEAST_DESCRIPTION else None
    if full and (count(text := in_full(view)) <= left or left >= _LEAST_FULL + count(short)):
        return clip_to(text, left, count)
    return short
