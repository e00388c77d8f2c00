"""A brief: what a model is shown, as parts that are cut to a share of its window.

A prompt has what seldom changes first (instructions, tables, definitions) and the request last, so that a server that keeps the beginning
of a prompt reads only the rest. Each part may use a share of the window; what does not fit is left out from its least relevant end, and
the part says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from contracts.base import Json
from contracts.replies import Reply
from contracts.times import TimeSettings
from workers.llm.client import ChatClient
from workers.llm.token_count import cut_to_tokens, estimate_tokens
from workers.loggers import get_logger

log = get_logger(__name__)

_NOTE_TOKENS = 24
"""Room for the sentence that says what was left out."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A part that was too long."""

    part: str
    kept: int
    """Items or characters that are shown."""
    of: int


@dataclass(slots=True)
class Brief:
    """The parts of one prompt. `room`: tokens of the data."""

    room: int
    cuts: list[Cut] = field(default_factory=list[Cut])

    @classmethod
    def of(cls, chat: ChatClient) -> "Brief":
        """A brief for this model's window."""
        return cls(chat.context_tokens)

    def text(self, part: str, text: str, share: float) -> str:
        """The beginning of a text, within a share of the window."""
        most = int(self.room * share)
        if estimate_tokens(text) <= most:
            return text
        kept = cut_to_tokens(text, max(most - _NOTE_TOKENS, 1))
        self._note(part, len(kept), len(text))
        return f"{kept}\n({len(kept)} of {len(text)} characters are shown.)"

    def items(self, part: str, items: Sequence[str], share: float, *, separator: str = "\n", last_first: bool = False) -> str:
        """As many whole items as fit a share of the window, counted from the first one, or from the last one with `last_first`. They are
        shown in their order. The first that counts is shown in any case, cut if need be."""
        if not items:
            return ""
        most = int(self.room * share)
        order = range(len(items) - 1, -1, -1) if last_first else range(len(items))
        kept: list[int] = []
        used = 0
        for place in order:
            used += estimate_tokens(items[place]) + 1
            if kept and used > most - _NOTE_TOKENS and not (used <= most and len(kept) + 1 == len(items)):
                break
            kept.append(place)
        shown = [items[place] for place in sorted(kept)]
        if len(kept) == 1:
            shown = [self.text(part, shown[0], share)]
        if len(kept) < len(items):
            self._note(part, len(kept), len(items))
            note = f"({len(items) - len(kept)} more are not shown.)"
            shown = [note, *shown] if last_first else [*shown, note]
        return separator.join(shown)

    def cut_rows(self) -> list[Json]:
        """What had no room, as the journal keeps it (`prompt_cuts` of `ChatClient.ask`)."""
        return [{"name": cut.part, "kept": cut.kept, "of": cut.of} for cut in self.cuts]

    def _note(self, part: str, kept: int, of: int) -> None:
        self.cuts.append(Cut(part, kept, of))
        log.info("brief_cut", part=part, kept=kept, of=of)


def moment_text(now: datetime) -> str:
    """Day, date, time and zone, as every prompt shows them in which times can matter."""
    return f"Now it is {now:%A}, {now:%Y-%m-%d %H:%M} ({now.tzname() or 'local time'})."


def today_text(now: datetime, times: TimeSettings) -> str:
    """The moment and the calendar, as prompts about data show them."""
    last = "includes today" if times.rolling_includes_today else "ends with yesterday"
    return (
        f"{moment_text(now)} Weeks begin on {times.week_start.name.capitalize()}. "
        f"A fiscal year begins in month {times.fiscal_year_start} and has the name of the year in which it ends. "
        f"`The last 7 days` {last}."
    )


def replies_text(heard: Sequence[Reply]) -> str:
    """The questions of this job with their answers, verbatim."""
    return "\n".join("\n".join([f"Asked: {item.question}", *item.choices, f"The user answered: {item.reply}"]) for item in heard)
