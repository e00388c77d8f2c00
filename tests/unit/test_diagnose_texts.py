"""What a diagnosis says: complete in each language, in no other language's words, and of the last release as it was written."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from contracts.base import Json, content_hash
from contracts.diagnose.deliverables import (
    AnswerProblemKind,
    Diagnosis,
    Evidence,
    Finding,
    Hypothesis,
    PhenomenonQuestion,
    Verdict,
)
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod, DiagnosisProfile
from contracts.reports import Question, asks
from contracts.roles import RoleName
from contracts.statements import Sayable, say
from tests.support.evidence import History
from tests.support.spoken import english, spoken
from tests.support.texts import catalogue_problems, codes_used, foreign_words, foreign_words_in
from workers.app.report_rows import as_result
from workers.blackboard.steps import Claim
from workers.kinds import diagnose
from workers.kinds.base import ShowOptions
from workers.kinds.diagnose.kind import KIND
from workers.kinds.diagnose.rules.methods import move
from workers.kinds.diagnose.rules.wording import question_text
from workers.kinds.diagnose.samples import sample_incident, sample_tickets_path
from workers.kinds.diagnose.view import question_standing, show_result
from workers.saying.document import Document
from workers.saying.markdown import to_markdown
from workers.saying.terminal import to_lines
from workers.saying.web_page import to_html
from workers.tickets import read_tickets

SAMPLES = [json.loads(line) for line in Path(__file__).with_name("diagnose_0_1.jsonl").read_text("utf-8").splitlines()]
"""Questions and diagnoses as release 0.1 stored them, with sentences inside."""

CLAIM = Claim(uuid4(), uuid4(), uuid4(), "diagnosis", RoleName.DIAGNOSER, "diagnose", "diagnosis.conclude", may_ask=True)

KEPT = ("RAR", "seed", "import", "FILE")
"""Names that a Chinese text keeps."""

CONTESTANTS = [
    (DiagnosisMethod.GAR, DiagnosisProfile.OURS),
    (DiagnosisMethod.GAR, DiagnosisProfile.SEED),
    (DiagnosisMethod.RAR, DiagnosisProfile.OURS),
    (DiagnosisMethod.HYBRID, DiagnosisProfile.OURS),
]


def test_each_code_has_a_message_in_each_language() -> None:
    enums = {
        "diagnose.note": [AnswerProblemKind],
        "diagnose.finding": [Finding],
        "diagnose.headline": [Verdict],
        "diagnose.rar.headline": [Verdict],
        "diagnose.step.concluded": [Verdict],
        "diagnose.step.no_cause": [Verdict],
    }

    assert KIND.locale is not None
    used = codes_used([Path(diagnose.__file__).parent], enums)
    for refusal in [code for code in used.values if code.startswith("refused.")]:
        used.values.pop(refusal)  # of the fleet's catalogue, held by test_saying_catalogues
    assert catalogue_problems(KIND.locale, used) == []


@pytest.fixture(scope="module")
def history() -> History:
    return History(tuple(ticket for _, ticket in read_tickets(sample_tickets_path())))  # pyright: ignore


def play(
    history: History, incident: str, method: DiagnosisMethod, profile: DiagnosisProfile, reply: Callable[[PhenomenonQuestion], str]
) -> tuple[list[PhenomenonQuestion], Diagnosis]:
    """A dialogue to its end."""
    request = DiagnoseRequest(description=incident, max_turns=4)
    turns: list[tuple[PhenomenonQuestion, str]] = []
    while True:
        made = move(request, history.evidence(incident, ["磁盘已满"]), turns, method=method, profile=profile, may_ask=len(turns) < 8)
        if isinstance(made, Diagnosis):
            return [question for question, _ in turns], made
        turns.append((made, reply(made)))


MUDDLED = ("1 yes 9 yes", "why? 进展", "1 no 2 yes, which causes are possible?", "all no, also it hums", "1 yes 1 no", "怀疑什么？")


def in_a_muddle(question: PhenomenonQuestion) -> str:
    """A user who says yes and no, names items that are not there, and asks back."""
    return (
        "1 yes 9 yes",
        "why? 进展",
        "1 no 2 yes, which causes are possible?",
        "all no, also it hums",
        "1 yes 1 no",
        "怀疑什么？",
    )[(question.turn + len(question.notes)) % 6]


def told(questions: list[PhenomenonQuestion], found: Diagnosis) -> Iterator[Sayable]:
    for question in questions:
        yield question_text(question)
        if (standing := question_standing(question.to_json())) is not None:
            yield standing
    yield found.explanation


@pytest.mark.parametrize(("method", "profile"), CONTESTANTS)
@pytest.mark.parametrize("incident", ["中午开始下单卡住，会话在等待锁", sample_incident().description, "x"])
@pytest.mark.parametrize("reply", [in_a_muddle, lambda question: "all no", lambda question: "1 yes, others no"])
def test_a_dialogue_says_nothing_in_the_other_language(
    history: History, method: DiagnosisMethod, profile: DiagnosisProfile, incident: str, reply: Callable[[PhenomenonQuestion], str]
) -> None:
    """D13: every word that is neither a quotation nor a name is in the reader's language."""
    questions, found = play(history, incident, method, profile, reply)
    report = show_result(found.to_json(), ShowOptions())

    assert report is not None
    for language in ("en", "zh"):
        for sayable in told(questions, found):
            assert foreign_words(sayable, language, known=KEPT) == [], spoken(sayable, language)
        assert foreign_words_in(report, language, known=KEPT) == []


FOUND = Diagnosis(
    verdict=Verdict.DIAGNOSED,
    root_cause="[red]stale[/] statistics",
    cause_id="C-1",
    confidence=0.97,
    solution="ANALYZE\nthe tables",
    evidence_for=(
        Evidence(phenomenon_id="P-1", description="row estimates are far off", finding=Finding.CONFIRMED, weight=2.04, tickets=("T-1",)),
        Evidence(phenomenon_id="P-2", description="pings take 80 ms", finding=Finding.DENIED, weight=0.06, source="unsaid"),
        Evidence(
            phenomenon_id="P-4", description="a nested loop", finding=Finding.CONFIRMED, weight=0.01, source="told", tickets=tuple("abcd")
        ),
    ),
    evidence_against=(Evidence(phenomenon_id="P-3", description="CPU is busy", finding=Finding.DENIED, weight=-1.2),),
    cited_tickets=("T-1",),
    alternatives=(Hypothesis(cause_id="C-2", root_cause="slow network", confidence=0.002, prior=0.1, symptom_similarity=0.2),),
    explanation="The first line.\nThe second line.",
    turns=2,
)


def shown(found: Diagnosis, language: str = "en", width: int = 80) -> list[str]:
    """The report on a terminal, without empty lines."""
    report = show_result(found.to_json(), ShowOptions())
    assert report is not None
    return [line.plain for line in to_lines(report, language, width) if line.plain]


def test_a_report_has_the_cause_first_and_every_finding_with_its_weight() -> None:
    """D10."""
    lines = shown(FOUND)

    assert lines[0] == "Diagnosed: “[red]stale[/] statistics”"
    assert lines[1:5] == ["confidence: 97%", "cause: C-1", "questions answered: 2", "method: gar"]
    assert [line for line in lines if line.startswith("•")] == ["• The first line.", "• The second line.", "• “slow network” (C-2), 0.2%"]
    assert "ANALYZE" in lines
    assert [line.split()[:3] for line in lines if line.strip()[:1] in "0123456789-"] == [
        ["2.04", "confirmed", "row"],
        ["0.06", "not", "mentioned"],
        ["0.01", "confirmed,", "unasked"],
        ["-1.20", "denied", "CPU"],
    ]
    assert any(line.endswith("a, b, c, ...") for line in lines)


def test_a_report_is_there_in_chinese_and_in_each_medium() -> None:
    """No text of a ticket becomes markup."""
    report = show_result(FOUND.to_json(), ShowOptions())

    assert report is not None
    assert shown(FOUND, "zh")[0] == "已确诊：「[red]stale[/] statistics」"
    assert "| 2.04 | confirmed | row estimates are far off | T-1 |" in to_markdown(report, "en")
    assert "<h2>核对结果</h2>" in to_html(report, "zh")


@pytest.mark.parametrize("width", [80, 200])
def test_a_report_keeps_within_the_width(width: int) -> None:
    long = FOUND.model_copy(update={"explanation": say("diagnose.no_history"), "solution": "first do this, and then that " * 20})

    assert max(map(len, shown(long, width=width))) <= width


def test_the_reason_of_a_downgrade_is_there_once() -> None:
    reason = say("diagnose.rar.why_proposed")
    for downgraded in ("its tickets have another cause", reason):
        own = FOUND.model_copy(update={"downgraded": downgraded})
        explained = own.model_copy(update={"explanation": downgraded})

        for found in (own, explained):
            assert " ".join(shown(found, width=200)).count(english(downgraded)) == 1


def test_a_diagnosis_without_a_cause_says_so() -> None:
    unknown = Diagnosis(verdict=Verdict.UNKNOWN, confidence=0.0, explanation=say("diagnose.no_history"), turns=0)

    assert shown(unknown)[0] == "Unknown: no root cause found"


def test_what_is_no_diagnosis_has_no_report_of_its_kind() -> None:
    assert show_result({"advice": "none"}, ShowOptions()) is None
    assert question_standing({"choices": ["yes", "no"]}) is None
    assert question_standing({"kind": "phenomena", "turn": 1, "items": []}) is None


def of_release_0_1(what: str) -> list[Json]:
    return [sample for sample in SAMPLES if sample["what"] == what]


@pytest.mark.parametrize("sample", of_release_0_1("diagnosis"))
def test_a_diagnosis_of_the_last_release_is_shown_as_it_was_written(sample: Json) -> None:
    report = show_result(sample["content"], ShowOptions())

    assert isinstance(report, Document)
    for written in sample["content"]["explanation"].splitlines():
        assert written in "\n".join(line.plain for line in to_lines(report, "en", 1_000))


@pytest.mark.parametrize("sample", of_release_0_1("question"))
def test_a_dialogue_that_the_last_release_began_goes_on(sample: Json) -> None:
    """Its question is read, its words are shown as they were, and the boss sees no other question than before."""
    question = PhenomenonQuestion.model_validate(sample["payload"]["detail"])
    request = DiagnoseRequest.model_validate(sample["request"])
    evidence = History(()).evidence(request.description)

    assert [english(note) for note in question.notes] == sample["payload"]["detail"]["notes"]
    assert isinstance(move(request, evidence, [(question, "1 yes")], method=DiagnosisMethod.GAR), Diagnosis)
    assert content_hash(sample["payload"]) == sample["payload_hash"]


@pytest.mark.parametrize("sample", of_release_0_1("question"))
def test_a_question_of_finished_sentences_is_stored_as_the_last_release_stored_it(sample: Json) -> None:
    """A kind of a third party that asks in sentences gets the same payload, and so the same hash."""
    payload = sample["payload"]
    report = asks(Question(text=payload["text"], payload=payload["detail"]))

    (row,) = as_result(report, CLAIM).requests

    assert row["payload"] == payload
    assert row["payload_hash"] == sample["payload_hash"]
