"""What to read at the very beginning, when no more is known than the user's words and what kinds of files there are."""

from collections.abc import Mapping

from contracts.bundles import Catalogue, Information
from contracts.tune.steps import Recommendation
from workers.engines.artefacts.kinds import ArtefactKind
from workers.kinds.tune.rules.first_look import classify_by_words
from workers.kinds.tune.rules.recommend.choosing import MOST, Wanted, choose
from workers.kinds.tune.rules.recommend.news import about_the_class

MUCH = 0.25
"""Bits on the class from which on an artefact of any kind is read at once. With less it can wait until the class is known, and what is
missing for it."""


def first_reads(
    catalogue: Catalogue,
    description: str,
    kinds: Mapping[str, ArtefactKind],
) -> tuple[Recommendation, ...]:
    """At most three artefacts, the one that tells most of the class for its time first; further ones where they tell much of it, or
    where their kind says of itself that it is to be read first. None when nothing in the bundle tells anything of the class."""
    question = about_the_class(classify_by_words(description, (), catalogue), frozenset())
    chosen = choose(catalogue.artefacts, Wanted((question,), {}), kinds, named_in=description)
    kept = [
        artefact
        for place, artefact in enumerate(chosen)
        if place == 0 or artefact.expected_information >= MUCH or kinds[artefact.kind].reads_first
    ]
    names = {artefact.name for artefact in kept}
    covered = frozenset[Information]().union(*(kinds[artefact.kind].tells for artefact in kept))
    others = [
        artefact
        for artefact in catalogue.artefacts
        if artefact.name not in names and artefact.kind in kinds and kinds[artefact.kind].reads_first
    ]
    further = choose(
        others, Wanted((), {information: 1.0 for information in Information if information not in covered}), kinds, named_in=description
    )
    return (*kept, *further)[:MOST]
