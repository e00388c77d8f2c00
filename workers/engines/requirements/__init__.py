"""Requirements without a model: the closed form as typed steps, names and keys, and the tables that a target is probably made from."""

from workers.engines.requirements.closed import ClosedForm, closed_form, read_closed, target_in
from workers.engines.requirements.described_keys import described_keys
from workers.engines.requirements.facts import RequirementReading
from workers.engines.requirements.observed_keys import observed_keys
from workers.engines.requirements.upstream import rank_upstream

__all__ = [
    "ClosedForm",
    "RequirementReading",
    "closed_form",
    "described_keys",
    "observed_keys",
    "rank_upstream",
    "read_closed",
    "target_in",
]
