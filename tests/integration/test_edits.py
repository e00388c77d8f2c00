"""Edits by an operator: a wrong edit is refused with its field, and the job stays as it was."""

from collections.abc import Callable, Iterator
from uuid import UUID

import pytest

from contracts.base import Json
from contracts.jobs import SubmitJob
from workers.app.in_process import run_all
from workers.app.run_step import move_on
from workers.app.services import ProcessServices
from workers.blackboard.board_rows import read_board
from workers.coordinator.actions import open_questions, plan_revision, revise
from workers.coordinator.edits import check_parameters, parameters_of
from workers.coordinator.freshness import look
from workers.coordinator.intake import accept
from workers.coordinator.replay import fork, plan_edit, replay_stage
from workers.errors import InvalidInput
from workers.kinds.diagnose.samples import sample_incident, sample_tickets_path
from workers.reading.deliverables import read_current
from workers.reading.jobs import read_job
from workers.settings import Settings
from workers.tickets import import_tickets, read_tickets

DESIGN = "Build orders_by_city: the number of orders per city"


@pytest.fixture
def services(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    made = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, embeddings="none"))
    import_tickets(made.database, None, read_tickets(sample_tickets_path()))
    yield made
    made.close()


@pytest.fixture
def job_id(services: ProcessServices) -> UUID:
    """A diagnosis that waits for its user, with its stage `tickets` done."""
    return submit(services, {"kind": "diagnose", "description": sample_incident().description})


def submit(services: ProcessServices, job: Json) -> UUID:
    found = accept(services.database, SubmitJob(job=job), owner_cap=100).job_id
    run_all(services)
    return found


def printed(services: ProcessServices, job_id: UUID, stage: str) -> Json:
    """What `bullpen show --stage --json` prints."""
    return read_current(services.database, job_id, stage).to_json()


def state(services: ProcessServices, job_id: UUID) -> tuple[object, ...]:
    db = services.database
    counted = db.row(
        "SELECT (SELECT count(*) FROM deliverables) AS d, (SELECT count(*) FROM requests) AS r, (SELECT count(*) FROM jobs) AS j, "
        "(SELECT rev FROM jobs WHERE id = %(id)s) AS rev",
        {"id": job_id},
    )
    assert counted is not None
    return (read_job(db, job_id).status, *counted.values())


def test_a_revision_that_does_not_fit_its_stage_is_refused_with_the_field(services: ProcessServices, job_id: UUID) -> None:
    """Any JSON was accepted, and a job that had succeeded then failed in the next stage."""
    before, content = state(services, job_id), printed(services, job_id, "tickets")["content"]
    name = next(iter(content))
    wrong: dict[str, Json] = {
        "nonsense is not known here": {**content, "nonsense": 1},
        name: {**content, name: {"not": "this"}},
        "TicketEvidence": {},
        "stage: The file holds stage diagnosis": {**printed(services, job_id, "tickets"), "stage": "diagnosis"},
        "nonsense": {**printed(services, job_id, "tickets"), "content": {**content, "nonsense": 1}},
        "params: ": {**printed(services, job_id, "tickets"), "params": {"limit": 3}},
    }

    for field, given in wrong.items():
        with pytest.raises(InvalidInput, match=field):
            revise(services.database, job_id, "tickets", given)

    assert state(services, job_id) == before


def test_what_show_prints_is_accepted_as_a_revision(services: ProcessServices, job_id: UUID) -> None:
    shown = printed(services, job_id, "tickets")
    edit, again = plan_revision(services.database, job_id, "tickets", shown)

    version = revise(services.database, job_id, "tickets", shown)
    move_on(services, job_id)
    run_all(services)

    assert (edit.changes, again, version) == ((), ("diagnosis",), 2)
    assert printed(services, job_id, "tickets")["content"] == shown["content"]
    assert len(open_questions(services.database, job_id)) == 1


def test_a_revision_says_which_fields_change(services: ProcessServices, job_id: UUID) -> None:
    request = printed(services, job_id, "input")
    request["content"]["description"] = "checkout is slow"

    edit, again = plan_revision(services.database, job_id, "input", request)

    assert [(change.field, change.after) for change in edit.changes] == [("description", "checkout is slow")]
    assert again == ("evidence", "tickets", "diagnosis")


def test_a_request_that_does_not_fit_its_kind_is_refused_with_the_field(services: ProcessServices, job_id: UUID) -> None:
    with pytest.raises(InvalidInput, match="no request of kind diagnose: description must be a text"):
        revise(services.database, job_id, "input", {"description": 3})


@pytest.mark.parametrize("again", [replay_stage, fork, plan_edit], ids=["replay", "fork", "plan"])
def test_a_stage_without_parameters_refuses_an_edit_and_says_what_to_do(services: ProcessServices, again: Callable[..., object]) -> None:
    job_id = submit(services, {"kind": "etl", "requirement": DESIGN})
    before = state(services, job_id)

    said = r"script has no parameter to edit, so limit would change nothing. It makes a stage for each job.*revise JOB script"
    with pytest.raises(InvalidInput, match=said):
        again(services.database, job_id, "script", edit={"limit": 3})

    assert state(services, job_id) == before


@pytest.mark.parametrize("again", [replay_stage, fork], ids=["replay", "fork"])
def test_a_parameter_that_a_stage_does_not_have_is_refused_with_the_field(services: ProcessServices, again: Callable[..., object]) -> None:
    job_id = submit(services, {"kind": "etl", "requirement": DESIGN})
    before = state(services, job_id)

    for given, field in (
        ({"requirements": "x"}, "requirements is not known here.*Its parameters are: requirement"),
        ({"requirement": 3}, "requirement must be a text"),
    ):
        with pytest.raises(InvalidInput, match=field):
            again(services.database, job_id, "analysis", edit=given)

    assert state(services, job_id) == before


def test_what_show_prints_is_accepted_as_an_edit_of_parameters(services: ProcessServices, job_id: UUID) -> None:
    shown = printed(services, job_id, "tickets")

    assert plan_edit(services.database, job_id, "tickets", shown).value == {}, "what is as it was is no edit"
    replay_stage(services.database, job_id, "tickets", edit=shown)
    with pytest.raises(InvalidInput, match="content: --edit changes parameters"):
        replay_stage(services.database, job_id, "tickets", edit={**shown, "content": {}})
    with pytest.raises(InvalidInput, match=r"limit is not known here.*Its parameters are: observations, systems"):
        replay_stage(services.database, job_id, "tickets", edit={**shown, "params": {"limit": 3}})


def test_what_an_operator_adds_is_searched_for(services: ProcessServices, job_id: UUID) -> None:
    shown = printed(services, job_id, "tickets")["content"]["tickets"]
    told = {ticket["ticket_id"]: ticket["similarity"] for ticket in shown}
    least = min(told, key=told.__getitem__)
    text = next(ticket["description"] for ticket in shown if ticket["ticket_id"] == least)

    replay_stage(services.database, job_id, "tickets", edit={"observations": [text]})
    move_on(services, job_id)
    run_all(services)
    again = {ticket["ticket_id"]: ticket["similarity"] for ticket in printed(services, job_id, "tickets")["content"]["tickets"]}

    assert again[least] > told[least]


def test_a_replay_says_what_it_changes_and_the_next_sees_it(services: ProcessServices) -> None:
    job_id = submit(services, {"kind": "etl", "requirement": DESIGN})

    first = replay_stage(services.database, job_id, "analysis", edit={"requirement": "one"})
    second = replay_stage(services.database, job_id, "analysis", edit={"requirement": "two"})
    copied = plan_edit(services.database, job_id, "analysis", {"requirement": "two"}, fork=True)

    assert [change.to_json() for change in first.changes] == [{"field": "requirement", "before": None, "after": "one"}]
    assert [change.to_json() for change in second.changes] == [{"field": "requirement", "before": "one", "after": "two"}]
    assert [change.before for change in copied.changes] == [None]
    stage = look(read_board(services.database, job_id)).stages["analysis"].stage
    assert check_parameters(services.database, job_id, stage, {"requirement": "two"}).changes == ()
    assert parameters_of(services.database, job_id, stage) == {**stage.params, "requirement": "two"}
