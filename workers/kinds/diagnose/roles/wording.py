"""Questions and conclusions in a model's words, as far as the rules bear them. Without them nothing is missing."""

from collections.abc import Callable

from contracts.diagnose.deliverables import Diagnosis, PhenomenonQuestion, WordedDiagnosis, WordedQuestion
from contracts.diagnose.request import DiagnoseRequest
from contracts.statements import Sayable, name, quote, say
from workers.engines.language import Lang, language_of
from workers.errors import ModelAnswerUnusable
from workers.kinds.diagnose.rules.known import Dialogue
from workers.kinds.diagnose.rules.model_words import may_be_shown, wants_words, worded_question
from workers.kinds.diagnose.rules.wording import brief
from workers.llm.client import ChatClient
from workers.saying import text_of

_LANGUAGE: dict[Lang, str] = {"en": "English", "zh": "Chinese"}
_PROBLEM = 1_500
_SOLUTION = 1_500
_ITEM = 400
"""Characters that a prompt shows."""


def in_model_words(
    chat: ChatClient, request: DiagnoseRequest, dialogue: Dialogue, made: Diagnosis | PhenomenonQuestion, tell: Callable[[Sayable], None]
) -> Diagnosis | PhenomenonQuestion:
    """The same move with a model's words where they help. If they are of no use it stays as it is, and `tell` hears of it. Raises what else
    `ChatClient.ask` raises."""
    lang = language_of("\n".join((request.description, *(answer for _, answer in dialogue))))
    try:
        if isinstance(made, Diagnosis):
            return _report(chat, request, made, lang)
        return _question(chat, made, lang)
    except ModelAnswerUnusable as error:
        tell(say("diagnose.note.not_worded", model=name(chat.model), error=quote(str(error))))
        return made


def _question(chat: ChatClient, question: PhenomenonQuestion, lang: Lang) -> PhenomenonQuestion:
    hard = [item for item in question.items if wants_words(item, lang)]
    if not hard:
        return question
    items = "\n".join(f"{item.number}. {brief(item.description, _ITEM)}" for item in hard)
    answer = chat.ask(WordedQuestion, prompt="diagnoser/question", language=_LANGUAGE[lang], items=items).value
    return worded_question(question, answer, lang)


def _report(chat: ChatClient, request: DiagnoseRequest, found: Diagnosis, lang: Lang) -> Diagnosis:
    """A conclusion that names a cause, in a few sentences. One that names none is short enough, and nothing is to be added to it."""
    if found.root_cause is None:
        return found
    findings, solution = text_of(found.explanation, lang), found.solution or ""
    problem = brief(request.description, _PROBLEM)
    answer = chat.ask(
        WordedDiagnosis, prompt="diagnoser/report", language=_LANGUAGE[lang], problem=problem, findings=findings,
        solution=solution[:_SOLUTION],
    ).value  # fmt: skip
    words = " ".join(answer.summary.split())
    material = (findings, found.root_cause, solution, problem)
    return found.model_copy(update={"words": words}) if may_be_shown(words, material, lang) else found
