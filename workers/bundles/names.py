"""The name of an artefact kind inside a sentence."""

from contracts.statements import Name, Statement, name
from workers.engines.artefacts.descriptions import NAMES
from workers.engines.scope.descriptions import NAMES as SCOPE_NAMES


def kind_name(kind: str) -> Statement | Name:
    """The catalogue's word for it; of a kind that users have added, its name."""
    return NAMES.get(kind) or SCOPE_NAMES.get(kind) or name(kind)
