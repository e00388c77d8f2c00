"""What tokens cost."""

from collections.abc import Mapping

from contracts.limits import MOST_COST_USD
from contracts.reports import COST_DIGITS, Usage

Prices = Mapping[str, tuple[float, float]]
"""Model → US dollars per million tokens, in and out."""

_MILLION = 1_000_000


def priced(usage: Usage, model: str, prices: Prices) -> Usage:
    """The usage with its cost, and its calls counted as priced if a price is set. A model without a price costs nothing."""
    if model not in prices:
        return usage
    into, out = prices[model]
    cost = (usage.input_tokens * into + usage.output_tokens * out) / _MILLION
    return usage.model_copy(update={"cost_usd": round(min(cost, MOST_COST_USD), COST_DIGITS), "priced_calls": usage.model_calls})


def affordable_output(left_usd: float, input_tokens: int, model: str, prices: Prices) -> float:
    """Tokens of an answer that the remaining money pays for after a prompt of that size. May be negative or infinite."""
    into, out = prices.get(model, (0.0, 0.0))
    rest = left_usd - input_tokens * into / _MILLION
    if rest <= 0 and into > 0:
        return -1.0
    return rest / out * _MILLION if out > 0 else float("inf")
