"""The data of RAR's prompts: always the state of the dialogue, and as much of the tickets as fits.

The prompts themselves are `workers/kinds/diagnose/prompts/diagnoser/rar.j2` and `rerank.j2`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from contracts.diagnose.deliverables import RarAnswer, RarRanking
from workers.engines.tokens import CountTokens, clip_to, estimate_tokens
from workers.kinds.diagnose.rules.rar.case import LAST_TURNS, LEAN_TURNS, RarCase
from workers.kinds.diagnose.rules.rar.truncate import FENCE_TOKENS, lay_out, ticket_room
from workers.kinds.diagnose.rules.wording import brief
from workers.llm.brief import cut_rows

_FRAME_TOKENS = 1_200
"""What a prompt takes beside the data: its instructions, and the fences of all but the tickets."""
_PROBLEM_SHARE = 0.3
"""Part of the room for data that the problem may fill; the state may fill as much."""
_ENTRY = 2_000
_CONVERSATION_FROM = 2_000
"""Tokens of data from which the words of the dialogue have room; in a smaller window their findings and observations say it."""
_LEAST_ENTRY = 60
_ENTRY_SHARE = 0.1
"""Characters of one finding or observation, which is given as the person wrote it: as many as this part of the tokens for all of them, and
these at least."""
_OUTLINE_TOKENS = 120
"""Tokens of one ticket when tickets are ordered."""
_LEAST_OUTLINE_TOKENS = 40
"""With less of it a ticket cannot be judged."""
_NOTHING = "(nothing)"
_LANGUAGE = {"en": "English, or the language of the problem if that is another one", "zh": "Chinese"}

Prompt = dict[str, Any]
"""Values by the names that the prompt uses."""


def guidance(case: RarCase) -> str:
    """What the turn asks for: gather first, lean to a conclusion later, conclude at the end."""
    if case.must_conclude or case.turns >= LAST_TURNS:
        return 'You must answer "diagnose" now, even with a low confidence; say in the reasoning what is uncertain and what is missing.'
    if case.turns >= LEAN_TURNS:
        return 'Answer "diagnose" if the findings lean to one cause.'
    return "You may gather more."


def rar_prompt(case: RarCase, context_tokens: int, count: CountTokens = estimate_tokens) -> Prompt:
    """The data of `diagnoser/rar` for a model with prompts of at most this number of tokens."""
    prompt, left = _state(case, context_tokens, count)
    layers = lay_out(case.tickets, ticket_room(left, context_tokens), count)
    return prompt | {
        "tickets": tuple(shown.text for shown in layers.read),
        "others": "\n".join(shown.text for shown in layers.listed),
        "turns": case.turns,
        "max_turns": case.max_turns,
        "guidance": guidance(case),
        "widened": case.widened,
        "language": _LANGUAGE[case.lang],
        "prompt_cuts": [
            *prompt["prompt_cuts"],
            *cut_rows(
                ("tickets", len(layers.read) + len(layers.listed), len(case.tickets)),
                ("tickets in full or in short", len(layers.read), len(case.tickets)),
            ),
        ],
    }


def only_shown(answer: RarAnswer, case: RarCase, context_tokens: int, count: CountTokens = estimate_tokens) -> RarAnswer:
    """An answer without citations of tickets that its prompt had no room for: an id that was guessed is invented, even if
    it exists."""
    if answer.diagnosis is None:
        return answer
    unseen = not_shown(case, context_tokens, count)
    cited = tuple(ticket for ticket in answer.diagnosis.cited_tickets if ticket.strip() not in unseen)
    return answer.model_copy(update={"diagnosis": answer.diagnosis.model_copy(update={"cited_tickets": cited})})


def not_shown(case: RarCase, context_tokens: int, count: CountTokens = estimate_tokens) -> frozenset[str]:
    """The ids of the tickets that a prompt had no room for."""
    _, left = _state(case, context_tokens, count)
    return case.ticket_ids - lay_out(case.tickets, ticket_room(left, context_tokens), count).ticket_ids


def rerank_prompt(case: RarCase, context_tokens: int, count: CountTokens = estimate_tokens) -> Prompt:
    """The data of `diagnoser/rerank`: of each ticket as much as all of them leave, without its cause, which would decide
    before the symptoms do. Where that is too little, fewer tickets, the nearest."""
    prompt, left = _state(case, context_tokens, count)
    views = case.tickets[: left // (_LEAST_OUTLINE_TOKENS + FENCE_TOKENS)]
    each = min(left // max(len(views), 1) - FENCE_TOKENS, _OUTLINE_TOKENS)
    texts = (f"ticket_id: {view.ticket_id}\n{'; '.join((view.description, *view.phenomena))}" for view in views)
    return {name: prompt[name] for name in ("problem", "confirmed", "denied", "observations")} | {
        "prompt_cuts": [*prompt["prompt_cuts"], *cut_rows(("tickets", len(views), len(case.tickets)))],
        "tickets": tuple(clip_to(text, each, count) for text in texts),
    }


def reranked(case: RarCase, ranking: RarRanking) -> RarCase:
    """The case with its tickets in a model's order: only tickets that were shown count, the others follow as they were."""
    views = {view.ticket_id: view for view in case.tickets}
    first = [ticket for ticket in dict.fromkeys(text.strip() for text in ranking.ticket_ids) if ticket in views]
    return replace(case, tickets=tuple(views[ticket] for ticket in dict.fromkeys((*first, *views))))


def _state(case: RarCase, context_tokens: int, count: CountTokens) -> tuple[Prompt, int]:
    """Problem and findings, and the tokens that they leave for tickets."""
    room = max(context_tokens - _FRAME_TOKENS, 0)
    part = int(room * _PROBLEM_SHARE)
    problem = clip_to(case.problem, part, count)
    left = part
    prompt: Prompt = {"problem": problem}
    cuts = cut_rows(("problem", len(problem), len(case.problem)))
    for name, texts in (
        ("confirmed", case.confirmed),
        ("denied", case.denied),
        ("observations", case.observations),
        ("unknown", case.unknown),
        ("conversation", case.conversation if room >= _CONVERSATION_FROM else ()),
    ):
        prompt[name] = _entries(texts, left, count)
        cuts += cut_rows((name, prompt[name].count("\n- ") + prompt[name].startswith("- "), len(texts)))
        left = max(left - count(prompt[name]), 0)
    prompt["prompt_cuts"] = cuts
    return prompt, room - count(problem) - (part - left)


def _entries(texts: Sequence[str], room: int, count: CountTokens) -> str:
    """One line for each, the newest kept when there is no room for all."""
    lines: list[str] = []
    most = min(_LEAST_ENTRY + int(room * _ENTRY_SHARE), _ENTRY)
    for text in reversed(texts):
        line = f"- {brief(text, most)}"
        if count("\n".join((line, *lines))) > room:
            break
        lines.insert(0, line)
    return "\n".join(lines) or _NOTHING
