"""What a kind of artefact is called in a sentence."""

from workers.engines.artefacts.descriptions import DESCRIPTIONS
from workers.engines.scope.descriptions import DESCRIPTIONS as SCOPE_DESCRIPTIONS

COLON = {"en": ":", "zh": "："}


def kind_name(kind: str, language: str) -> str:
    """The beginning of its description; of a kind that users have added, its name."""
    described = {**DESCRIPTIONS, **SCOPE_DESCRIPTIONS}.get(kind)
    return described[language].partition(COLON[language])[0].rstrip(".。") if described else kind
