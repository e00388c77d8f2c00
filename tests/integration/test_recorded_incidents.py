"""Incidents that a strong model led at first sight, played again: what code makes of its words. Cases and answers are kept under
tests/recordings/incidents, each answer by its turn, so that a prompt may be worded in another way."""

import json
from pathlib import Path
from typing import Any

import pytest

from contracts.diagnose.deliverables import DiagnoserTurn, Diagnosis, PhenomenonQuestion, Verdict
from contracts.diagnose.request import DiagnoseRequest
from workers.blackboard.engine import Database
from workers.kinds.diagnose.rules.known import Dialogue, with_heard
from workers.kinds.diagnose.rules.search_terms import search_terms
from workers.kinds.diagnose.rules.turn import free_answers, led_move
from workers.kinds.diagnose.rules.turn_brief import TurnBrief
from workers.tickets import gather_evidence, import_tickets, read_tickets

RECORDED = Path(__file__).parents[1] / "recordings" / "incidents"
WINDOW = 128_000


def played(db: Database, case: dict[str, Any]) -> Diagnosis:
    """The dialogue of a case with the answers of its model and its person."""
    request, dialogue = DiagnoseRequest(description=case["opening"]), list[tuple[PhenomenonQuestion, str]]()
    for said in case["turns"]:
        given: Dialogue = with_heard(dialogue, free_answers(dialogue))
        evidence = gather_evidence(db, None, request.description, *search_terms(given))

        def lead(_: TurnBrief, said: Any = said) -> DiagnoserTurn:
            return DiagnoserTurn.model_validate(said)

        move = led_move(request, evidence, dialogue, lead, WINDOW)
        if isinstance(move, Diagnosis):
            return move
        dialogue.append((move, case["replies"][len(dialogue)]))
    raise AssertionError(f"{case['id']} did not end")


@pytest.mark.parametrize("history", ["grid", "wuliu", "parcel_lockers", "rural_bank"])
def test_a_recorded_model_names_what_the_history_has_and_nothing_else(database: Database, history: str) -> None:
    """D27, D29: Of 32 incidents in four histories 21 are known."""
    tickets = {item["ticket_id"]: item for item in map(json.loads, (RECORDED / history / "tickets.jsonl").read_text("utf-8").splitlines())}
    import_tickets(database, None, read_tickets(RECORDED / history / "tickets.jsonl"))
    cases = [json.loads(line) for line in (RECORDED / history / "incidents.jsonl").read_text("utf-8").splitlines()]

    outcomes = {case["id"]: played(database, case) for case in cases}

    for case in cases:
        found = outcomes[case["id"]]
        if not case["expect"]:
            assert found.verdict is Verdict.UNKNOWN, case["id"]
            continue
        assert found.verdict is Verdict.DIAGNOSED, (case["id"], found.explanation)
        causes = {tickets[ticket]["root_cause"] for ticket in case["expect"]}
        assert found.root_cause in causes
        assert set(found.cited_tickets) & set(case["expect"])
        assert found.evidence_for, "something shows it"
