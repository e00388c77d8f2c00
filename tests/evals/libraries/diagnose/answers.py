"""`python -m tests.evals answers`: replies to numbered questions whose meaning is labelled, read by the closed grammar and by trivial
readers. What the grammar does not read counts as lost; with `--engine llm` a model reads it."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field
from rich.console import RenderableType
from rich.markup import escape

from contracts.base import Contract
from contracts.diagnose.deliverables import PhenomenonItem, PhenomenonQuestion
from contracts.roles import RoleName
from workers.errors import InvalidInput
from workers.kinds.base import Bench, EvaluationResult
from workers.kinds.diagnose.evaluation.by_model import ByModel
from workers.kinds.diagnose.evaluation.form import Reasoner
from workers.kinds.diagnose.rules.differential import Heard
from workers.kinds.diagnose.rules.replies import read_answer
from workers.kinds.figures_shown import figures_table

Case = dict[str, Any]
Findings = Mapping[str, str]
_FIRM = frozenset({"confirmed", "denied"})
_NO_SYMPTOM = ("question_back", "chat", "stop", "take_back")
_YES = r"yes|y|yep|yeah|true|confirmed|right|correct|是|有|对|确认|嗯"
_NO = r"no|n|nope|nah|false|none|neither|not|否|没|不|无|都没|都不"
_NUMBERED = re.compile(rf"([1-9])[^0-9a-z\u4e00-\u9fff]{{0,3}}({_NO}|{_YES})(?![a-z])")


class AnswersEvaluation(BaseModel):
    """The options of `python -m tests.evals answers`."""

    cases: Path = Field(description="JSON lines: items, reply, expect (item → finding), kind, new_observations.")
    engine: Reasoner = Field(default=Reasoner.RULES, description="`llm`: read by the grammar and the configured model too.")
    sample: int | None = Field(default=None, ge=1, description="Number of replies, drawn at random.")
    seed: int = Field(default=0, description="Of the draw.")


class WrongReply(Contract):
    """A reply with an item that was read wrong."""

    id: str
    reply: str
    read: dict[str, str]
    expected: dict[str, str]


class AnswersReport(EvaluationResult):
    """The figures, and the replies read wrong."""

    wrong: tuple[WrongReply, ...] = ()


def run_answers(bench: Bench, form: AnswersEvaluation) -> AnswersReport:
    """Read every reply. Raises `InvalidInput` for a file that has no such cases, and `ConfigurationError` for `--engine llm`
    without a model."""
    cases = list(_cases(form.cases))
    if form.sample is not None and form.sample < len(cases):
        cases = random.Random(form.seed).sample(cases, form.sample)
    figures: dict[str, float] = {"replies": float(len(cases))}
    wrong: list[WrongReply] = []
    for suffix, read in (("", _ours), ("_first_word", _first_word), ("_number_verdict", _number_verdict), ("_silent", _silent)):
        figures |= {f"{name}{suffix}": value for name, value in _score(cases, read, wrong if read is _ours else []).items()}
    if form.engine is Reasoner.LLM:
        model = ByModel(bench.open_chat(RoleName.DIAGNOSER, bench.empty_database("answers")))
        wrong = []
        heard: list[Heard] = []
        figures |= {f"{name}_with_model": value for name, value in _score(cases, _with_model(model, heard), wrong).items()}
        figures |= {
            "model_calls": float(model.usage.model_calls),
            "model_of_no_use": float(model.faults),
            "items_heard": float(sum(len(each.turn.findings) for each in heard if each.turn)),
            "items_asked_again": float(sum(len(each.disputed) for each in heard)),
        }
    return AnswersReport(figures=figures, wrong=tuple(wrong))


def show_answers(report: AnswersReport) -> Iterator[RenderableType]:
    """The figures, and the replies that were read wrong."""
    yield figures_table(report.figures)
    for case in report.wrong:
        yield escape(f"{case.id}: {case.reply[:100]!r} read as {case.read}, meant {case.expected}")


def _cases(path: Path) -> Iterator[Case]:
    try:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                case = json.loads(line)
                yield {**case, "expect": dict(case["expect"]), "items": list(case["items"])}
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise InvalidInput(f"{path} has no labelled replies: {error}") from None


def _question(items: list[str]) -> PhenomenonQuestion:
    asked = tuple(
        PhenomenonItem(number=number, phenomenon_id=str(number), description=text, observation_method="", why="")
        for number, text in enumerate(items, 1)
    )
    return PhenomenonQuestion(turn=1, items=asked)


def _ours(case: Case) -> tuple[Findings, bool]:
    reading = read_answer(case["reply"], _question(case["items"]))
    return {number: finding.value for number, finding in reading.findings.items()}, bool(reading.observations)


def _with_model(model: ByModel, heard: list[Heard]) -> Callable[[Case], tuple[Findings, bool]]:
    """The grammar and a model: what only the model reads counts as read, and where they disagree the person is asked."""

    def read(case: Case) -> tuple[Findings, bool]:
        question = _question(case["items"])
        found, noted = _ours(case)
        by_model = model.hear([(question, case["reply"])])
        heard.append(by_model)
        more = {each.phenomenon_id: each.finding.value for each in by_model.turn.findings} if by_model.turn else {}
        noted = noted or bool(by_model.turn and by_model.turn.remarks)
        return {**found, **more, **{each.phenomenon_id: "asked" for each in by_model.disputed}}, noted

    return read


def _silent(_case: Case) -> tuple[Findings, bool]:
    return {}, False


def _first_word(case: Case) -> tuple[Findings, bool]:
    text = case["reply"].strip().lower()
    for pattern, finding in ((_NO, "denied"), (_YES, "confirmed")):
        if re.match(rf"(?:{pattern})(?![a-z])", text):
            return dict.fromkeys(case["expect"], finding), False
    return {}, False


def _number_verdict(case: Case) -> tuple[Findings, bool]:
    found = {
        number: "denied" if re.fullmatch(_NO, word) else "confirmed"
        for number, word in _NUMBERED.findall(case["reply"].lower())
        if number in case["expect"]
    }
    return (found, False) if found else _first_word(case)


def _score(cases: list[Case], read: Callable[[Case], tuple[Findings, bool]], wrong: list[WrongReply]) -> dict[str, float]:
    counted: Counter[str] = Counter()
    for case in cases:
        found, noted = read(case)
        right = [
            _judge(found.get(item, "unsaid"), gold, case.get("accept", {}).get(item, [gold]), counted)
            for item, gold in case["expect"].items()
        ]
        counted["replies_read"] += bool(found)
        counted["replies_right"] += all(right)
        if not all(right):
            wrong.append(WrongReply(id=str(case.get("id", "")), reply=case["reply"], read=dict(found), expected=case["expect"]))
        new = bool(case.get("new_observations"))
        counted["no_symptom"] += case.get("kind") in _NO_SYMPTOM and not new
        counted["symptom_invented"] += case.get("kind") in _NO_SYMPTOM and not new and noted
        counted["with_new"] += new
        counted["new_found"] += new and noted
    return {
        "items_right": counted["right"] / max(counted["items"], 1),
        "replies_read": counted["replies_read"] / max(len(cases), 1),
        "replies_right": counted["replies_right"] / max(len(cases), 1),
        "wrong_polarity": float(counted["wrong_polarity"]),
        "wrong_polarity_share": counted["wrong_polarity"] / max(counted["firm"], 1),
        "lost": float(counted["lost"]),
        "invented": float(counted["invented"]),
        "symptom_out_of_no_symptom": counted["symptom_invented"] / max(counted["no_symptom"], 1),
        "new_observations_found": counted["new_found"] / max(counted["with_new"], 1),
    }


def _judge(answer: str, gold: str, accept: list[str], counted: Counter[str]) -> bool:
    """Whether one item was read right; what kind of error it is goes into the counts."""
    counted["items"] += 1
    counted["right"] += answer in accept
    if len(accept) == 1 or _FIRM.isdisjoint(accept):
        if gold in _FIRM:
            counted["firm"] += 1
            counted["wrong_polarity"] += answer in _FIRM and answer != gold
            counted["lost"] += answer not in _FIRM
        else:
            counted["invented"] += answer in _FIRM
    elif answer in _FIRM and answer not in accept:
        counted["wrong_polarity"] += 1
    return answer in accept
