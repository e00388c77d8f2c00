"""Requirements in words as typed business steps, without a model."""

from workers.engines.requirements.described_keys import described_keys
from workers.engines.requirements.envelope import open_envelope
from workers.engines.requirements.facts import RequirementReading
from workers.engines.requirements.observed_keys import observed_keys
from workers.engines.requirements.outline import clarified, is_requirement, unplaced_words
from workers.engines.requirements.reading import read_requirement

__all__ = [
    "RequirementReading",
    "clarified",
    "described_keys",
    "is_requirement",
    "observed_keys",
    "open_envelope",
    "read_requirement",
    "unplaced_words",
]
