"""An incident told in the words of an old ticket."""

import pytest

from contracts.diagnose.deliverables import Diagnosis, Verdict
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import CauseCard, TicketCard, TicketEvidence
from workers.kinds.diagnose.rules.conclude import next_move
from workers.kinds.diagnose.rules.profiles import OURS
from workers.kinds.diagnose.rules.retold import retold


def card(number: int, cause: str, similarity: float, description: str) -> TicketCard:
    return TicketCard(ticket_id=f"T-{number}", description=description, cause_id=cause, similarity=similarity, phenomenon_ids=())


def evidence(*tickets: TicketCard) -> TicketEvidence:
    causes = {ticket.cause_id: [other.ticket_id for other in tickets if other.cause_id == ticket.cause_id] for ticket in tickets}
    cards = tuple(
        CauseCard(cause_id=cause, description=cause, solution="", ticket_count=len(ids), ticket_ids=tuple(ids))
        for cause, ids in causes.items()
    )
    return TicketEvidence(causes=cards, phenomena=(), tickets=tickets, total_tickets=len(tickets), total_causes=len(cards))


def test_a_close_likeness_counts_and_a_slight_one_does_not():
    found = retold(
        evidence(card(1, "disk", 0.95, "Writes stop at noon"), card(2, "lock", 0.6, "Sessions hang")), "Nothing is written", OURS
    )

    assert found == pytest.approx({"disk": 0.95 - OURS.retold_from})


def test_words_that_other_causes_are_told_in_too_are_shared_out():
    """ "The database is slow" tells no cause from another, however exactly it is repeated."""
    told = (card(1, "disk", 0.9, "Slow."), card(2, "lock", 0.9, "slow"), card(3, "lock", 0.9, "SLOW"))

    found = retold(evidence(*told), "everything drags", OURS)

    assert found == pytest.approx({"disk": 0.2 / 3, "lock": 0.4 / 3})


def test_only_words_of_its_own_support_a_diagnosis_without_a_phenomenon():
    """D11: a clearly matching ticket concludes; a common complaint does not."""
    own = evidence(card(1, "disk", 1.0, "Writes stop at noon"), card(2, "lock", 0.1, "Sessions hang"))
    common = evidence(card(1, "disk", 1.0, "slow"), card(2, "lock", 1.0, "slow"))

    clear = next_move(DiagnoseRequest(description="Writes stop at noon"), own, [], may_ask=False)
    vague = next_move(DiagnoseRequest(description="slow"), common, [], may_ask=False)

    assert isinstance(clear, Diagnosis)
    assert isinstance(vague, Diagnosis)
    assert (clear.verdict, clear.root_cause) == (Verdict.DIAGNOSED, "disk")
    assert vague.verdict is not Verdict.DIAGNOSED


def test_a_line_of_a_description_is_enough_to_tell_a_ticket_again():
    """D4: a corrected incident that is asked again finds its correction, whatever else its ticket holds."""
    corrected = card(1, "disk", 0.4, "The shop hangs since noon\nwrites fail on the archive\nand the log grows")

    found = retold(evidence(corrected, card(2, "lock", 0.5, "Sessions hang")), "The shop hangs since noon.", OURS)

    assert found == pytest.approx({"disk": 1.0 - OURS.retold_from})
