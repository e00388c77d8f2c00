"""Which ticket is hidden, what remains of the history, and what the user says first."""

import pytest

from tests.support.incident_cases import ticket
from workers.errors import InvalidInput
from workers.kinds.diagnose.evaluation.cases import Case, Evaluation, make_cases

A1, A2 = ticket("A1", "Missing index", group="x"), ticket("A2", "missing  index.")
ALONE = ticket("B1", "Disk full")
GROUPED = [
    ticket("G1", "Wrong port", symptom_group="start"),
    ticket("G2", "Bad rights", symptom_group="start"),
    ticket("G3", "Bad rights", symptom_group="install"),
    ticket("G4", "No group"),
]


def left_out(evaluation: Evaluation) -> dict[str, bool]:
    return {case.ticket.ticket_id: case.left_out for case in evaluation.cases}


def test_a_ticket_is_left_out_where_its_cause_has_others_and_else_it_stays() -> None:
    """D14. Causes are one in whatever spelling."""
    assert left_out(make_cases([A1, A2, ALONE])) == {"A1": True, "A2": True, "B1": False}


def test_a_cause_is_told_by_its_code_where_tickets_have_one() -> None:
    coded = [ticket("A1", "Missing index", cause_id="IX"), ticket("A2", "An index was dropped", cause_id="IX")]

    evaluation = make_cases(coded)

    assert left_out(evaluation) == {"A1": True, "A2": True}
    assert len({case.cause_id for case in evaluation.cases}) == 1


def test_by_group_only_the_causes_of_the_group_are_told_apart() -> None:
    """D14. A cause's ticket in another group is no other ticket."""
    evaluation = make_cases(GROUPED, by_group=True)

    histories = {name: [one.ticket_id for one in history] for name, history in evaluation.histories.items()}
    assert histories == {"start": ["G1", "G2"], "install": ["G3"]}
    assert left_out(evaluation) == {"G1": False, "G2": False, "G3": False}


def test_tickets_that_are_no_cases_are_counted() -> None:
    """D14."""
    assert make_cases(GROUPED, by_group=True).dropped == 1
    assert make_cases([ticket("A", "a", symptom="slow"), ticket("B", "b"), ticket("C", "c", symptom=" ")], opening="symptom").dropped == 2
    assert make_cases(GROUPED).dropped == 0


def test_histories_without_a_case_are_not_counted() -> None:
    evaluation = make_cases(GROUPED, [GROUPED[0]], by_group=True)

    assert list(evaluation.histories) == ["start"]


@pytest.mark.parametrize("value", [None, "", "  ", 7, ["start"]])
def test_a_group_is_a_text(value: object) -> None:
    with pytest.raises(InvalidInput, match="no ticket has a symptom_group"):
        make_cases([ticket("G1", "Wrong port", symptom_group=value)], by_group=True)  # type: ignore[arg-type]


def test_the_user_opens_with_the_description_or_a_field_of_the_metadata() -> None:
    """D14."""
    tickets = [ticket("A", "a", description="Queries hang", symptom="slow")]

    assert make_cases(tickets).cases[0].opening == "Queries hang"
    assert make_cases(tickets, opening="symptom").cases[0].opening == "slow"


@pytest.mark.parametrize(
    "opening", ["title", "Title", "path", "solution", "root_cause", "cause_id", "short_cause", "cause_class", "cause_code"]
)
def test_the_user_never_opens_with_the_answer(opening: str) -> None:
    """D14. A ticket's title, root cause, solution and path are never shown."""
    with pytest.raises(InvalidInput, match="tells, the answer"):
        make_cases([ticket("A", "a", **{opening: "the answer"})], opening=opening)


def test_without_a_case_the_evaluation_says_what_is_missing() -> None:
    with pytest.raises(InvalidInput, match="no ticket has a metadata field 'symptom'"):
        make_cases([A1], opening="symptom")
    with pytest.raises(InvalidInput, match="symptom_group that the history has and a metadata field 'symptom'"):
        make_cases([A1], opening="symptom", by_group=True)


def test_incidents_beside_the_history_leave_it_whole() -> None:
    incident = ticket("NEW", "Missing index")

    assert make_cases([A1, A2, ALONE], [incident]).cases == (Case(incident, incident.description, "", left_out=False),)


def test_an_incident_with_the_id_of_a_ticket_is_that_ticket() -> None:
    """D14. Its twin in the history must not give the answer away, whatever the incident's words are."""
    reworded = A1.model_copy(update={"description": "Reports take hours"})

    assert left_out(make_cases([A1, A2, ALONE], [reworded])) == {"A1": True}


def test_an_incident_whose_ticket_has_another_cause_there_needs_one_other_ticket_of_its_own() -> None:
    relabelled = ALONE.model_copy(update={"root_cause": "Missing index"})

    assert left_out(make_cases([A1, ALONE], [relabelled])) == {"B1": True}


def test_an_incident_of_another_group_than_its_ticket_is_not_taken_out_of_a_history_it_is_not_in() -> None:
    moved = GROUPED[2].model_copy(update={"metadata": {"symptom_group": "start"}})

    assert left_out(make_cases(GROUPED, [moved], by_group=True)) == {"G3": False}


def test_a_hidden_tickets_twin_is_refused() -> None:
    """D14. A copy under the same id would count as another ticket of the cause."""
    with pytest.raises(InvalidInput, match="come more than once: A1"):
        make_cases([A1, ALONE, A1])
