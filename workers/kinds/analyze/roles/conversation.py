"""Where the conversation is: the state that the last answer of the session left."""

from contracts.analyze.answer import AnalyzeAnswer
from contracts.analyze.request import AnalyzeRequest
from contracts.analyze.steps import State
from workers.errors import NotFound
from workers.roles.base import StepContext

KIND = "analyze"


def language_of_answer(ctx: StepContext, request: AnalyzeRequest) -> str:
    """The language in which the user is answered."""
    return request.language or ctx.language


def carried_from(ctx: StepContext) -> State | None:
    """The state after the newest answer of the session. What retention has removed is passed over."""
    for earlier in ctx.session.earlier():
        if earlier.kind != KIND:
            continue
        try:
            return ctx.session.read(AnalyzeAnswer, earlier).state
        except NotFound:
            continue
    return None
