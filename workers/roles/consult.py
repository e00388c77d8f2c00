"""RAR's step of reasoning by a model: the case goes into a prompt, the answer comes back for the guardrails to judge."""

from contracts.diagnosis import RarAnswer, RarRanking
from workers.engines.diagnosis.rar import RarCase
from workers.engines.diagnosis.rar.case import K
from workers.engines.diagnosis.rar.prompt import only_shown, rar_prompt, rerank_prompt, reranked
from workers.llm.client import ChatClient


def consult_with(chat: ChatClient, case: RarCase, *, rerank: bool = False) -> RarAnswer:
    """What the model says of the case. `rerank`: let it order the candidates first, if there are more than are read.

    Raises what `ChatClient.ask` raises.
    """
    room = chat.context_tokens
    if rerank and len(case.tickets) > K:
        case = reranked(case, chat.ask(RarRanking, prompt="diagnoser/rerank", **rerank_prompt(case, room)).value)
    answer = chat.ask(RarAnswer, prompt="diagnoser/rar", **rar_prompt(case, room)).value
    return only_shown(answer, case, room)
