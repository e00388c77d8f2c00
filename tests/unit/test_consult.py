"""The diagnoser with a model: what it is asked, what comes back, and which method a job gets."""

from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from typer.testing import CliRunner

from contracts.diagnose.deliverables import RarAnswer, RarRanking
from contracts.diagnose.request import DiagnosisMethod
from contracts.reports import Outcome, Usage
from tests.support.context import step_context
from tests.support.evidence import evidence_of
from tests.support.incidents import EVIDENCE, INCIDENT, REQUEST, concludes, recommends, ticket
from workers.cli.main import app
from workers.cli.requests import build_request
from workers.kinds.diagnose.roles.consult import consult_with
from workers.kinds.diagnose.roles.diagnoser import conclude_diagnosis
from workers.kinds.diagnose.rules.rar.case import read_case
from workers.kinds.diagnose.settings import DiagnoseSettings
from workers.llm.client import Answer, ChatClient
from workers.roles.base import Services


@dataclass
class WrittenChat:
    """Answers written beforehand, by prompt; keeps what it was asked."""

    answers: dict[str, Any]
    context_tokens: int = 16_000
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])

    def ask(self, contract: type[Any], *, prompt: str, **data: Any) -> Answer[Any]:
        self.asked.append((prompt, data))
        return Answer(contract.model_validate(self.answers[prompt].to_json()), Usage(), "written")


@dataclass
class Deployment:
    own: DiagnoseSettings

    def settings_of(self, form: type[DiagnoseSettings]) -> DiagnoseSettings:
        assert form is DiagnoseSettings
        return self.own


def asking(answers: dict[str, Any]) -> tuple[WrittenChat, ChatClient]:
    chat = WrittenChat(answers)
    return chat, cast("ChatClient", chat)


def test_a_model_is_asked_with_the_case_and_its_answer_comes_back():
    """D8, D13."""
    chat, client = asking({"diagnoser/rar": recommends("red light")})

    found = consult_with(client, read_case(REQUEST, EVIDENCE, ()))

    assert isinstance(found, RarAnswer)
    assert found == recommends("red light")
    assert [prompt for prompt, _ in chat.asked] == ["diagnoser/rar"]
    assert chat.asked[0][1]["problem"] == INCIDENT
    assert len(chat.asked[0][1]["tickets"]) == 10


def test_a_ranking_decides_which_tickets_are_read_in_full():
    """D7: 2k candidates, ordered by the model, the best k read."""
    chat, client = asking(
        {"diagnoser/rerank": RarRanking(ticket_ids=("T-16", "T-404")), "diagnoser/rar": concludes("slow network", "T-16")}
    )

    consult_with(client, read_case(REQUEST, EVIDENCE, ()), rerank=True)

    assert [prompt for prompt, _ in chat.asked] == ["diagnoser/rerank", "diagnoser/rar"]
    assert "ticket_id: T-16\n" in chat.asked[1][1]["tickets"][0]
    assert "T-404" not in str(chat.asked[1][1])


def test_few_tickets_are_not_ordered():
    chat, client = asking({"diagnoser/rar": recommends("red light")})
    few = evidence_of([ticket(1, "a", "red light")], INCIDENT)

    consult_with(client, read_case(REQUEST, few, ()), rerank=True)

    assert [prompt for prompt, _ in chat.asked] == ["diagnoser/rar"]


@pytest.mark.parametrize("named", [None, *DiagnosisMethod])
def test_a_job_names_its_method_and_else_the_deployment_does(named):
    """D23: by job option, by default the setting."""
    services = cast("Services", Deployment(DiagnoseSettings(diagnose_method=DiagnosisMethod.RAR)))
    needs = {"input": REQUEST.model_copy(update={"method": named}).to_json(), "tickets": EVIDENCE.to_json()}

    report = conclude_diagnosis(step_context(stage="diagnosis", needs=needs, services=services))

    assert report.outcome is Outcome.NEEDS_CLARIFICATION
    assert report.question is not None
    expected = {None: DiagnosisMethod.RAR, DiagnosisMethod.HYBRID: DiagnosisMethod.GAR}.get(named, named)  # a hybrid begins with GAR
    assert report.question.payload["method"] == expected


def test_method_and_profile_are_fields_of_a_diagnosis():
    """D23: `bullpen submit diagnose ... --method rar --profile ours`."""
    found = build_request("diagnose", ["slow"], None, ["max_turns=3"], {"method": "rar", "profile": "ours"})

    assert found == {"kind": "diagnose", "description": "slow", "max_turns": 3, "method": "rar", "profile": "ours"}


def test_an_option_that_the_kind_does_not_have_is_refused():
    """The options of `submit KIND` are the fields of that kind's request."""
    ran = CliRunner().invoke(app, ["submit", "diagnose", "slow", "--attempt", "2"])

    assert ran.exit_code == 2
    assert "No such option" in ran.output
