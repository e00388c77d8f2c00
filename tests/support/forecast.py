"""An extension for tests: a kind of job whose one stage reasons by a model or by its rules.

Load it with BULLPEN_EXTENSIONS=tests.support.forecast.
"""

from typing import Any, Literal

from contracts.base import Contract
from contracts.reports import Report, completed
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from tests.support.weather import PROMPT, Sky, Weather
from workers.coordinator.playbooks import Playbook, register_playbook
from workers.llm import ChatClient
from workers.roles.base import StepContext
from workers.roles.reasoning import reason
from workers.roles.registry import register_task

BY_RULES = Weather(sky=Sky.SUN, degrees=20)


class ForecastRequest(Contract):
    kind: Literal["forecast", "forecast_unsaid"] = "forecast"
    report: str = "wet"


def _by_model(ctx: StepContext, chat: ChatClient) -> Weather:
    report = ctx.need(ForecastRequest, INPUT).report
    return chat.ask(Weather, prompt=PROMPT, report=report, hints=None).value


def forecast(ctx: StepContext) -> Report[Any]:
    """As a role should: the report says who reasoned, and what a reader should know."""
    made = reason(ctx, lambda chat: _by_model(ctx, chat), lambda: BY_RULES)
    return completed(made.value, "done", engine=made.engine, notes=made.notes)


def forecast_unsaid(ctx: StepContext) -> Report[Any]:
    """A role that asks and says nothing of it."""
    assert ctx.chat is ctx.chat
    return completed(_by_model(ctx, ctx.chat) if ctx.chat else BY_RULES, "done")


register_task(RoleName.CLASSIFIER, "forecast", forecast)
register_task(RoleName.ANALYST, "forecast_unsaid", forecast_unsaid)
for _kind, _role in (("forecast", RoleName.CLASSIFIER), ("forecast_unsaid", RoleName.ANALYST)):
    register_playbook(Playbook(_kind, ForecastRequest, (StageSpec(name="forecast", role=_role, task=_kind, needs=(INPUT,)),)))
