"""What tokens cost."""

from collections.abc import Mapping

from contracts.limits import MOST_COST_USD
from contracts.reports import COST_DIGITS, Usage

Prices = Mapping[str, tuple[float, float]]
"""Model → US dollars per million tokens, in and out."""

_MILLION = 1_000_000


def priced(usage: Usage, model: str, prices: Prices) -> Usage:
    """The same usage with its cost; a model without a price costs nothing."""
    into, out = prices.get(model, (0.0, 0.0))
    cost = (usage.input_tokens * into + usage.output_tokens * out) / _MILLION
    return usage.model_copy(update={"cost_usd": round(min(cost, MOST_COST_USD), COST_DIGITS)})


def affordable_output(left_usd: float, input_tokens: int, model: str, prices: Prices) -> float:
    """How many tokens of answer the money that is left pays for, after a prompt of that size; may be negative or infinite."""
    into, out = prices.get(model, (0.0, 0.0))
    rest = left_usd - input_tokens * into / _MILLION
    if rest <= 0 and into > 0:
        return -1.0
    return rest / out * _MILLION if out > 0 else float("inf")
