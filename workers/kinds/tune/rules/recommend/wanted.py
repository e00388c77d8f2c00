"""What the user could add: information that no file of the bundle gives, with the kinds of files that would give it."""

from collections.abc import Iterator, Mapping, Sequence

from contracts.bundles import ArtefactRead, Information
from contracts.statements import Join, Statement, listing, member_term, say
from contracts.tune.steps import InformationCheck
from workers.bundles.names import kind_name
from workers.engines.artefacts.kinds import ArtefactKind

LEAST_WEIGHT = 0.1
"""Of all that has to be known: less is not worth a request."""

MOST_KINDS = 3
SCOPE = "scope_"


SAID_ELSEWHERE = {Information.SCRIPT_LOGIC}
"""That no script was given, the findings say."""


def wanted(
    check: InformationCheck, kinds: Mapping[str, ArtefactKind], read: Sequence[ArtefactRead], *, is_scope: bool
) -> tuple[Statement, ...]:
    """A line for each kind of information that is missing and matters; the heaviest first. What a file that was `read` could have held
    and did not, another file of its kind seldom holds: nobody is asked for it."""
    return tuple(_lines(check, kinds, read, is_scope=is_scope))


def _lines(
    check: InformationCheck, kinds: Mapping[str, ArtefactKind], read: Sequence[ArtefactRead], *, is_scope: bool
) -> Iterator[Statement]:
    weights = {need.information: need.weight for need in check.needs}
    could_tell = [artefact for artefact in read if artefact.kind in kinds and (artefact.tells or not artefact.problem)]
    looked_for = SAID_ELSEWHERE.union(*(kinds[artefact.kind].tells for artefact in could_tell))
    missing = [
        information for information in check.not_in_bundle if weights.get(information, 0) >= LEAST_WEIGHT and information not in looked_for
    ]
    for information in sorted(missing, key=lambda information: -weights[information]):
        telling = _telling(information, kinds, is_scope=is_scope)
        if telling:
            shown = listing(*map(kind_name, telling[:MOST_KINDS]), join=Join.OR)
            yield say("tune.not_known.wanted", information=member_term("tune.information", information), kinds=shown)


def _telling(information: Information, kinds: Mapping[str, ArtefactKind], *, is_scope: bool) -> Sequence[str]:
    """Kinds of the job's own platform, those first that tell least beside it: they are the ones that are kept for it."""
    telling = [kind for kind in kinds.values() if information in kind.tells and (is_scope or not kind.name.startswith(SCOPE))]
    return [
        kind.name for kind in sorted(telling, key=lambda kind: (is_scope and not kind.name.startswith(SCOPE), len(kind.tells), kind.name))
    ]
