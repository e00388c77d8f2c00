"""The chooser: finds the stage that an instruction to a running job is meant for. This task belongs to the fleet, not to a kind of job.

Without a model it chooses nothing, and the boss asks the human to choose from the stages.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.base import canonical_json
from contracts.choice import Choice, StageAnswer
from contracts.reports import Report, completed
from contracts.stages import INPUT
from contracts.statements import name, say
from workers.blackboard.board import UNROUTED
from workers.errors import ModelAnswerUnusable
from workers.roles.base import StepContext
from workers.roles.reasoning import reason

if TYPE_CHECKING:
    from workers.llm.client import ChatClient

PROMPT = "classifier/choose"
PROMPTS = Path(__file__).parent / "prompts"
"""Folder of the fleet's own prompts."""
SHOWN_CHARACTERS = 4_000
"""Length to which the instruction and the request are each cut. Their beginnings identify the stage, and the smallest window that can be
configured holds both."""


def choose_stage(ctx: StepContext) -> Report[Choice]:
    """Name one of the allowed moves, or no move."""
    moves: list[dict[str, Any]] = ctx.params["moves"]
    names = [move["stage"] for move in moves]

    def by_model(chat: "ChatClient") -> Choice:
        from workers.llm.brief import cut_rows
        from workers.llm.prompts import add_prompts

        add_prompts(PROMPTS)
        instruction, request = _instruction(ctx), canonical_json(ctx.needs[INPUT])
        answer = chat.ask(
            StageAnswer,
            prompt=PROMPT,
            instruction=instruction[:SHOWN_CHARACTERS],
            request=request[:SHOWN_CHARACTERS],
            prompt_cuts=cut_rows(
                ("instruction", min(len(instruction), SHOWN_CHARACTERS), len(instruction)),
                ("request", min(len(request), SHOWN_CHARACTERS), len(request)),
            ),
            stages="\n".join(f"{move['stage']}: filled by the {move['role']}, task {move['task']}" for move in moves),
        ).value
        if answer.stage is not None and answer.stage not in names:
            raise ModelAnswerUnusable(f"The model chose {answer.stage!r}, which is not a stage that may be instructed: {', '.join(names)}.")
        return Choice(stage=answer.stage, reason=answer.reasoning)

    made = reason(ctx, by_model, lambda: Choice(reason="Without a model nobody chooses; the human is asked."))
    chosen = made.value.stage
    summary = say("fleet.step.chosen", stage=name(chosen)) if chosen else say("fleet.step.not_chosen")
    return completed(made.value, summary, move=chosen, engine=made.engine, notes=made.notes)


def _instruction(ctx: StepContext) -> str:
    return "\n".join(str(r.payload.get("text", "")) for r in ctx.requests if r.target == UNROUTED)
