"""How a diagnosis is told on a terminal: the cause first, each figure once, nothing of a nested dump."""

import pytest

from contracts.diagnose.deliverables import Diagnosis, Evidence, Finding, Hypothesis, Verdict
from workers.cli.context import console
from workers.cli.diagnosis import percent, print_diagnosis, question_standing, read_diagnosis

FOUND = Diagnosis(
    verdict=Verdict.DIAGNOSED,
    root_cause="[red]stale[/] statistics",
    cause_id="C-1",
    confidence=0.97,
    solution="ANALYZE\nthe tables",
    evidence_for=(
        Evidence(phenomenon_id="P-1", description="row estimates are far off", finding=Finding.CONFIRMED, weight=2.04, tickets=("T-1",)),
        Evidence(phenomenon_id="P-2", description="pings take 80 ms", finding=Finding.DENIED, weight=0.06, source="unsaid"),
    ),
    evidence_against=(Evidence(phenomenon_id="P-3", description="CPU is busy", finding=Finding.DENIED, weight=-1.2),),
    cited_tickets=("T-1",),
    alternatives=(Hypothesis(cause_id="C-2", root_cause="slow network", confidence=0.002, prior=0.1, symptom_similarity=0.2),),
    explanation="The first line.\nThe second line.",
    turns=2,
)


def told(found: Diagnosis) -> str:
    with console.capture() as capture:
        print_diagnosis(found)
    return capture.get()


def test_a_report_tells_the_cause_first_and_every_finding_with_its_weight() -> None:
    """D4."""
    lines = told(FOUND).splitlines()

    assert lines[0] == "diagnosed: [red]stale[/] statistics (C-1)"
    assert lines[1] == "  confidence 97%, 2 questions answered, method gar"
    assert "  what helped then: ANALYZE the tables" in lines
    assert [line.split()[:2] for line in lines if line.strip().startswith(("+", "-"))] == [
        ["+2.04", "confirmed"], ["+0.06", "not"], ["-1.20", "denied"]
    ]  # fmt: skip
    assert lines[-1] == "  also considered: slow network <1%"


def test_a_reason_for_a_downgrade_is_told_once() -> None:
    own = FOUND.model_copy(update={"downgraded": "its tickets have another cause"})
    explained = own.model_copy(update={"explanation": "its tickets have another cause\nThe guess."})

    assert told(own).count("its tickets have another cause") == 1
    assert told(explained).count("its tickets have another cause") == 1


@pytest.mark.parametrize(("share", "said"), [(0.0, "0%"), (0.004, "<1%"), (0.25, "25%"), (0.997, ">99%"), (1.0, "100%")])
def test_a_share_is_never_rounded_to_never_or_always(share: float, said: str) -> None:
    assert percent(share) == said


def test_what_is_no_diagnosis_is_not_read_as_one() -> None:
    assert read_diagnosis({"advice": "none"}) is None
    assert question_standing({"choices": ["yes", "no"]}) == ""
    assert question_standing(None) == ""
