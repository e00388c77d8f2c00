"""What a model is consulted for: the case, the description or an answer goes into a prompt, and what comes back is judged by the rules."""

from collections.abc import Callable, Sequence

from contracts.diagnose.deliverables import (
    DiagnoserTurn,
    Finding,
    HeardAnswer,
    PhenomenonItem,
    PhenomenonQuestion,
    RarAnswer,
    RarRanking,
)
from contracts.statements import Sayable, name, quote, say
from workers.errors import ModelAnswerUnusable, ModelRequestRefused
from workers.kinds.diagnose.rules.differential.heard import NOTHING_HEARD, Heard, answer_prompt, hear_latest
from workers.kinds.diagnose.rules.known import Dialogue
from workers.kinds.diagnose.rules.rar import RarCase
from workers.kinds.diagnose.rules.rar.case import K
from workers.kinds.diagnose.rules.rar.prompt import Prompt, only_shown, rar_prompt, rerank_prompt, reranked
from workers.kinds.diagnose.rules.turn_brief import TurnBrief
from workers.llm.client import ChatClient

LEAST_READ = 2
"""Tickets that a prompt has to have room for: between fewer there is nothing to weigh."""


def _keep_quiet(note: Sayable) -> None:
    """For who does not care."""


def consult_with(chat: ChatClient, case: RarCase, *, rerank: bool = False, tell: Callable[[Sayable], None] = _keep_quiet) -> RarAnswer:
    """What the model says of the case. `rerank`: let it order the candidates first, if there are more than are read; when its
    order is of no use the retrieval's stays, and `tell` hears of it.

    Raises what `ChatClient.ask` raises, and `ModelRequestRefused` when the model's window has no room for the case.
    """
    room = chat.context_tokens
    if rerank:
        case = _ranked(chat, case, room, tell)
    prompt = _with_room(chat, case, rar_prompt)
    return only_shown(chat.ask(RarAnswer, prompt="diagnoser/rar", **prompt).value, case, room)


def lead_with(chat: ChatClient, shown: TurnBrief, today: str) -> DiagnoserTurn:
    """The model's turn. `today`: date and time, by which "since noon" and the times of what was looked up are read.

    Raises what `ChatClient.ask` raises, and `ModelRequestRefused` where the window has no room for the problem.
    """
    if not shown.prompt["problem"] or not shown.tickets:
        raise ModelRequestRefused(
            f"The window of {chat.model} leaves {chat.context_tokens} tokens for a prompt, too few for the problem and a ticket. "
            "Raise BULLPEN_MODEL_CONTEXT_TOKENS if the model takes more, or take a model with a larger window."
        )
    return chat.ask(DiagnoserTurn, prompt="diagnoser/turn", say_field="summary", today=today, **shown.prompt).value


def _with_room(chat: ChatClient, case: RarCase, prompt_of: Callable[[RarCase, int], Prompt]) -> Prompt:
    """The case, as much of it as the model's window takes. Raises `ModelRequestRefused` where that is too little."""
    room = chat.context_tokens
    prompt = prompt_of(case, room)
    if not prompt["problem"] or len(prompt["tickets"]) < min(LEAST_READ, len(case.tickets)):
        raise ModelRequestRefused(
            f"The window of {chat.model} leaves {room} tokens for a prompt, too few for the problem and {LEAST_READ} tickets. "
            "Raise BULLPEN_MODEL_CONTEXT_TOKENS if the model takes more, or take a model with a larger window."
        )
    return prompt


def hear_answer_with(chat: ChatClient, dialogue: Dialogue, *, tell: Callable[[Sayable], None] = _keep_quiet) -> Heard:
    """What the model hears in the latest answer, as far as the answer bears it. If its words are of no use the answer is not read,
    and `tell` hears of it. Raises what else `ChatClient.ask` raises."""

    def hear(question: PhenomenonQuestion, answer: str, earlier: Sequence[tuple[PhenomenonItem, Finding]]) -> HeardAnswer:
        return chat.ask(HeardAnswer, prompt="diagnoser/answer", **answer_prompt(question, answer, earlier)).value

    try:
        return hear_latest(dialogue, hear)
    except ModelAnswerUnusable as error:
        tell(say("diagnose.note.not_heard", model=name(chat.model), error=quote(str(error))))
        return NOTHING_HEARD


def _ranked(chat: ChatClient, case: RarCase, room: int, tell: Callable[[Sayable], None]) -> RarCase:
    """The case in the model's order."""
    prompt = rerank_prompt(case, room)
    if len(prompt["tickets"]) <= K:
        return case
    try:
        return reranked(case, chat.ask(RarRanking, prompt="diagnoser/rerank", **prompt).value)
    except ModelAnswerUnusable as error:
        tell(say("diagnose.note.not_ordered", model=name(chat.model), error=quote(str(error))))
        return case
