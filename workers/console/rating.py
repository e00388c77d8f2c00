"""What can be rated where it is shown: buttons at each fix, below an answer; each as HTML that the report holds."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from markupsafe import Markup

from contracts.access import Scope
from contracts.jobs import JobStatus
from workers.console.fields import Field, fields_of
from workers.console.pages import Look
from workers.kinds.base import FeedbackChoice
from workers.kinds.registry import find_kind
from workers.kinds.shown import feedback_places
from workers.reading.facts import JobFacts


@dataclass(frozen=True, slots=True)
class Rated:
    """The places of a result that can be rated."""

    behind: Mapping[str, str] = field(default_factory=dict[str, str])
    """Anchor of a heading of the report → what follows it."""
    below: tuple[Markup, ...] = ()
    """What the report has no place for."""


NOT_RATED = Rated()


def rated_of(facts: JobFacts, look: Look, anchors: frozenset[str]) -> Rated:
    """The places of a job's result. `anchors`: those of the document that shows it."""
    kind = find_kind(facts.job.kind)
    if facts.result is None or kind is None or kind.feedback is None or not look.who.may(Scope.ANSWER):
        return NOT_RATED
    if facts.job.status != JobStatus.SUCCEEDED:
        return NOT_RATED
    given = None if facts.feedback is None else facts.feedback.detail
    places = feedback_places(facts.job.kind, facts.result.content, given)
    inputs = {item.name: item for item in fields_of(kind.feedback.form.load(), look)} if places else {}
    behind: dict[str, str] = {}
    below: list[Markup] = []
    for number, place in enumerate(places, 1):
        choices = tuple(_shown(choice, inputs, number, at) for at, choice in enumerate(place.choices))
        is_inside = place.anchor in anchors and place.anchor not in behind
        made = look.render("job/rate.html", job=facts.job, number=number, about=None if is_inside else place.about, choices=choices)
        if is_inside:
            behind[place.anchor] = made
        else:
            below.append(Markup(made))  # noqa: S704  rendered by a template that escapes
    return Rated(behind, tuple(below))


def _shown(choice: FeedbackChoice, inputs: Mapping[str, Field], number: int, at: int) -> dict[str, Any]:
    """A choice as its template needs it: what it says, and the inputs that belong to it."""
    asked = tuple(_asked(inputs[name], choice, number, at) for name in choice.asks if name in inputs)
    fixed = {name: value for name, value in choice.values.items() if name not in choice.asks}
    return {
        "label": choice.label, "values": json.dumps(fixed, ensure_ascii=False), "asked": asked, "suggested": choice.suggested,
        "is_given": choice.is_given,
    }  # fmt: skip


def _asked(item: Field, choice: FeedbackChoice, number: int, at: int) -> Field:
    needed = choice.needs and item.name == choice.asks[0] and not choice.suggested
    return replace(item, value=str(choice.values.get(item.name) or ""), required=needed, place=f"{number}-{at}-")


def filled_values(form: Mapping[str, Any], known: Iterable[Field]) -> dict[str, str]:
    """What was typed of the inputs of a choice; a suggestion that was picked stands for the first that is empty."""
    texts = {item.name: str(form.get(item.input) or "").strip() for item in known if item.input in form}
    picked, first = str(form.get("pick") or ""), str(form.get("pick-for") or "")
    if picked and first in texts and not texts[first]:
        texts[first] = picked
    return {name: text for name, text in texts.items() if text}
