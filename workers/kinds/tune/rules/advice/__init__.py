"""What to do about the findings: remedies by what is wrong (`remedies`), chosen and ranked (`plan`), in words (`wording`), with the
rewritten lines of the user's script (`rewrites`)."""

from workers.kinds.tune.rules.advice.objections import Objection
from workers.kinds.tune.rules.advice.plan import Estimate, advise, without_kinds

__all__ = ["Estimate", "Objection", "advise", "without_kinds"]
