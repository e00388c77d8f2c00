"""A brief: what a model is shown, as parts that are cut to a share of its window.

A prompt has what seldom changes first (instructions, tables, definitions) and the request last, so that a server that keeps the beginning
of a prompt reads only the rest. Each part may use a share of the window, and no more than the parts made before it have left: they fit
together, and what the user said is made first. What does not fit is left out from the least relevant end of a part, which says so.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from contracts.base import Json
from contracts.replies import Reply
from contracts.times import TimeSettings
from workers.llm.client import ChatClient
from workers.llm.token_count import cut_to_tokens, estimate_tokens
from workers.loggers import get_logger

log = get_logger(__name__)

MOST_LIKELY = 10
"""Tables that a prompt names as the likely ones."""
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
    """The parts of one prompt. `room`: tokens of the data. `used`: those of the parts so far."""

    room: int
    used: int = 0
    cuts: list[Cut] = field(default_factory=list[Cut])

    @classmethod
    def of(cls, chat: ChatClient) -> "Brief":
        """A brief for this model's window."""
        return cls(chat.context_tokens)

    def text(self, part: str, text: str, share: float) -> str:
        """The beginning of a text, within a share of the window."""
        most = self._most(share)
        if (tokens := estimate_tokens(text)) <= most:
            self.used += tokens
            return text
        kept = cut_to_tokens(text, max(most - _NOTE_TOKENS, 1))
        self.used += most
        self.note(part, len(kept), len(text))
        return f"{kept}\n({len(kept)} of {len(text)} characters are shown.)"

    def items(self, part: str, items: Sequence[str], share: float, *, separator: str = "\n", last_first: bool = False) -> str:
        """As many whole items as fit a share of the window, counted from the first one, or from the last one with `last_first`. They are
        shown in their order. The first that counts is shown in any case, cut if need be."""
        order = range(len(items) - 1, -1, -1) if last_first else range(len(items))
        kept = self._fitting(items, order, share)
        return self._joined(part, [items[place] for place in sorted(kept)], len(items), share, separator, note_first=last_first)

    def chosen(self, part: str, ranked: Sequence[tuple[str, str]], share: float, *, separator: str = "\n") -> str:
        """As many whole items as fit a share of the window, the most relevant, shown in the order of their names: two prompts with the
        same items show them alike. `ranked`: names and texts, the most relevant first."""
        kept = self._fitting([text for _, text in ranked], range(len(ranked)), share)
        shown = [text for _, text in sorted((ranked[place] for place in kept), key=lambda item: item[0])]
        return self._joined(part, shown, len(ranked), share, separator)

    def _most(self, share: float) -> int:
        """Tokens that a part may take."""
        return max(min(int(self.room * share), self.room - self.used), 0)

    def _fitting(self, items: Sequence[str], order: Sequence[int], share: float) -> list[int]:
        """Places of the items that fit, counted in this order. The first that counts is among them in any case."""
        most = self._most(share)
        kept: list[int] = []
        used = 0
        for place in order:
            used += estimate_tokens(items[place]) + 1
            if kept and used > most - _NOTE_TOKENS and not (used <= most and len(kept) + 1 == len(items)):
                break
            kept.append(place)
        return kept

    def _joined(self, part: str, shown: Sequence[str], of: int, share: float, separator: str, *, note_first: bool = False) -> str:
        """The items with what is not shown of them."""
        texts = [self.text(part, shown[0], share)] if len(shown) == 1 else list(shown)
        if len(shown) > 1:
            self.used += sum(estimate_tokens(text) + 1 for text in shown)
        if len(shown) < of:
            self.note(part, len(shown), of)
            note = f"({of - len(shown)} more are not shown.)"
            texts = [note, *texts] if note_first else [*texts, note]
        return separator.join(texts)

    def cut_rows(self) -> list[Json]:
        """What had no room, as the journal keeps it (`prompt_cuts` of `ChatClient.ask`)."""
        return cut_rows(*((cut.part, cut.kept, cut.of) for cut in self.cuts))

    def note(self, part: str, kept: int, of: int) -> None:
        """Say of a part that was cut elsewhere how much of it is shown: items or characters."""
        self.cuts.append(Cut(part, kept, of))
        log.info("brief_cut", part=part, kept=kept, of=of)


def cut_rows(*parts: tuple[str, int, int]) -> list[Json]:
    """The parts of which less is shown than there is, as the journal keeps them (`prompt_cuts` of `ChatClient.ask`). A part: its name, the
    items or characters that are shown, and all that there are."""
    return [{"name": part, "kept": kept, "of": of} for part, kept, of in parts if kept < of]


def moment_text(now: datetime) -> str:
    """Day, date, time and zone, as every prompt shows them in which times can matter. A zone's short name may stand for several zones, so
    that its offset is given too."""
    zone = getattr(now.tzinfo, "key", None) or now.tzname() or "local time"
    offset = f", UTC{text[:3]}:{text[3:5]}" if (text := f"{now:%z}") else ""
    return f"Now it is {now:%A}, {now:%Y-%m-%d %H:%M} ({zone}{offset})."


def today_text(now: datetime, times: TimeSettings) -> str:
    """The moment and the calendar, as prompts about data show them."""
    last = "includes today" if times.rolling_includes_today else "ends with yesterday"
    return (
        f"{moment_text(now)} Weeks begin on {times.week_start.name.capitalize()}. "
        f"A fiscal year begins in month {times.fiscal_year_start} and has the name of the year in which it ends. "
        f"`The last 7 days` {last}."
    )


def likely_text(likely: Sequence[str], every: Iterable[str]) -> str:
    """The names of the tables that are likely meant, the best first. Empty where they are all tables that the prompt is about: then they
    say nothing."""
    named = likely[:MOST_LIKELY]
    return "" if set(every) <= set(named) else ", ".join(named)


def replies_text(heard: Sequence[Reply]) -> str:
    """The questions of this job with their choices, numbered as people see them, and their answers, verbatim. The marks are the same in
    every language: the text between them is in the user's."""
    return "\n".join(
        "\n".join(
            [
                f"Q: {item.question}",
                *(f"{number}. {choice}" for number, choice in enumerate(item.choices, 1)),
                f"A: {item.reply}",
            ]
        )
        for item in heard
    )
