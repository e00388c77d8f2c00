"""What a model reads in a description counts as far as the description bears it, and makes no diagnosis by itself."""

import pytest

from contracts.diagnose.deliverables import Diagnosis, Finding, OpeningAnswer, PhenomenonQuestion, ReadFinding, StatedPhenomenon
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod
from contracts.tickets import CauseCard, PhenomenonCard, TicketCard, TicketEvidence
from workers.kinds.diagnose.rules.differential import Assist
from workers.kinds.diagnose.rules.differential.stated import candidates, checked, opening_prompt
from workers.kinds.diagnose.rules.methods import move

TEXT = "Billing: one of twelve partitions has millions of messages waiting. The brokers do not drop out. 消费延迟很高"
LAG, ISR, KEY = "Only partition 7 is behind", "brokers drop out of the ISR", "most records have one key"


def card(key: str, text: str, cause: str, similarity: float = 0.2) -> PhenomenonCard:
    return PhenomenonCard(
        phenomenon_id=key, description=text, observation_method="", similarity=similarity, cause_tickets={cause: 1}, cause_count=1
    )


CARDS = (card("P-lag", LAG, "C-key"), card("P-isr", ISR, "C-gc"), card("P-key", KEY, "C-key"))
EVIDENCE = TicketEvidence(
    causes=tuple(
        CauseCard(cause_id=cause, description=text, solution="mend it", ticket_count=1, ticket_ids=(ticket,))
        for cause, text, ticket in (("C-key", "hot key", "T-1"), ("C-gc", "long pauses", "T-2"))
    ),
    phenomena=(*CARDS, card("P-step", "Check the version:", "C-gc")),
    tickets=(
        TicketCard(ticket_id="T-1", description="late", cause_id="C-key", similarity=0.3, phenomenon_ids=("P-lag", "P-key")),
        TicketCard(ticket_id="T-2", description="late", cause_id="C-gc", similarity=0.3, phenomenon_ids=("P-isr",)),
    ),
    total_tickets=2,
    total_causes=2,
)


def answer(*stated: tuple[int, bool, str]) -> OpeningAnswer:
    return OpeningAnswer(stated=tuple(StatedPhenomenon(number=number, present=present, quote=quote) for number, present, quote in stated))


def moved(*found: ReadFinding, dialogue: tuple[tuple[PhenomenonQuestion, str], ...] = ()) -> Diagnosis | PhenomenonQuestion:
    request = DiagnoseRequest(description=TEXT)
    return move(request, EVIDENCE, dialogue, method=DiagnosisMethod.DIFFERENTIAL, assist=Assist(read=lambda _request, _evidence: found))


SEEN = ReadFinding(phenomenon_id="P-lag", finding=Finding.CONFIRMED, quote="one of twelve partitions")


def test_what_the_text_says_word_for_word_is_read():
    """D12, D27."""
    found = checked(answer((1, True, "one of twelve  partitions has millions"), (2, False, "do not drop out")), TEXT, CARDS)

    assert [(each.phenomenon_id, each.finding) for each in found] == [("P-lag", Finding.CONFIRMED), ("P-isr", Finding.DENIED)]


@pytest.mark.parametrize(
    "stated",
    [
        (1, True, "two of twelve partitions"),
        (1, True, ""),
        (1, True, "of"),
        (0, True, "one of twelve partitions"),
        (4, True, "one of twelve partitions"),
        (2, True, "The brokers do not drop out"),
        (1, False, "one of twelve partitions"),
    ],
    ids=["not in the text", "empty", "too short", "number 0", "not shown", "says the opposite", "denies nothing"],
)
def test_what_the_text_does_not_bear_is_not_read(stated: tuple[int, bool, str]):
    """D27: the quote is checked, and a denial has to be one."""
    assert checked(answer(stated), TEXT, CARDS) == ()


def test_a_step_and_a_heading_are_not_looked_for():
    assert [each.phenomenon_id for each in candidates(EVIDENCE)] == ["P-lag", "P-isr", "P-key"]


def test_a_small_window_shows_fewer_phenomena():
    whole, shown = opening_prompt(TEXT, CARDS, 8_000)
    small, fewer = opening_prompt(TEXT, CARDS, 560)

    assert (shown, whole["phenomena"].splitlines()[1]) == (3, f"2. {ISR}")
    assert fewer < shown
    assert small["phenomena"].splitlines() == whole["phenomena"].splitlines()[:fewer]


def test_what_was_read_counts_is_not_asked_and_goes_on_to_the_next_turn():
    """D12, D27: it speaks for its cause, marked as read by a model, and is asked neither now nor later."""
    made, without = moved(SEEN), moved()

    assert isinstance(made, PhenomenonQuestion)
    assert isinstance(without, PhenomenonQuestion)
    assert LAG not in [item.description for item in made.items]
    assert made.read == (SEEN,)
    after, before = (next(each for each in asked.hypotheses if each.cause_id == "C-key") for asked in (made, without))
    assert [(each.source, each.bears) for each in after.evidence] == [("read", False)]
    assert after.confidence > before.confidence
    later = moved(dialogue=((made, "1 don't know"),))
    assert isinstance(later, Diagnosis)
    told = [*later.evidence_for, *(each for other in later.alternatives for each in other.evidence)]
    assert {(each.source, each.phenomenon_id) for each in told} == {("read", "P-lag")}


def test_readings_alone_never_make_a_diagnosis():
    """D27: an obedient model that reads all of a cause's phenomena into a text."""
    all_of_it = tuple(
        ReadFinding(phenomenon_id=key, finding=Finding.CONFIRMED, quote=quote)
        for key, quote in (("P-lag", "one of twelve"), ("P-key", "millions of messages"))
    )

    made = moved(*all_of_it)

    assert not (isinstance(made, Diagnosis) and made.verdict == "diagnosed")
