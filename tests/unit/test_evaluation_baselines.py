"""What the nearest ticket by TF-IDF reaches, on the same terms as the methods."""

from contracts.tickets import Ticket
from tests.support.incident_cases import ticket
from workers.kinds.diagnose.evaluation.baselines import NearestTicket, baselines_of
from workers.kinds.diagnose.evaluation.cases import cause_of, make_cases

INDEX_1 = ticket("I1", "Missing index", "sequential scan on orders", description="orders page slow")
INDEX_2 = ticket("I2", "Missing index", "sequential scan on parts", description="orders list slow")
DISK = ticket("D1", "Disk full", "no space left on device", description="writes fail")
LOCKS = ticket("L1", "Lock contention", "sessions wait for locks", description="updates hang")
TICKETS = [INDEX_1, INDEX_2, DISK, LOCKS]


def nearest() -> NearestTicket:
    return NearestTicket(TICKETS, [one.description for one in TICKETS])


def causes(*tickets: Ticket) -> list[str]:
    return [cause_of(one) for one in tickets]


def test_causes_are_ranked_by_their_nearest_ticket_each_once() -> None:
    found = nearest().ranked_causes("writes fail slow")

    assert found == causes(DISK, INDEX_1, LOCKS)


def test_a_ticket_that_is_left_out_gives_no_cause() -> None:
    """D14."""
    assert nearest().ranked_causes(DISK.description)[0] == cause_of(DISK)
    assert cause_of(DISK) not in nearest().ranked_causes(DISK.description, without="D1")
    assert nearest().ranked_causes(INDEX_1.description, without="I1")[0] == cause_of(INDEX_2)


def test_a_ticket_whose_text_is_withheld_is_a_cause_that_nothing_speaks_for() -> None:
    """D14."""
    found = nearest().ranked_causes("writes fail orders", unread="D1")

    assert found[0] == cause_of(INDEX_1)
    assert cause_of(DISK) in found


def test_where_nothing_is_alike_the_order_does_not_depend_on_the_file() -> None:
    reordered = NearestTicket(TICKETS[::-1], [one.description for one in TICKETS[::-1]])

    assert nearest().ranked_causes("zebra") == reordered.ranked_causes("zebra") == sorted(set(causes(*TICKETS)))


def test_a_rare_word_weighs_more_than_a_frequent_one() -> None:
    tickets = [ticket("A", "a"), ticket("B", "b"), ticket("C", "c")]
    found = NearestTicket(tickets, ["slow report", "slow deadlock", "slow query"])

    assert found.ranked_causes("query slow")[0] == cause_of(tickets[2])


def test_the_shares_of_the_baselines_are_those_of_their_cases() -> None:
    """D14. By hand: each opening is a description of the history, but I1 and I2 are left out when they are asked."""
    to_descriptions, to_phenomena, told = baselines_of(make_cases(TICKETS))

    assert (to_descriptions.cases, to_descriptions.top1, to_descriptions.top3) == (4, 1.0, 1.0)
    assert to_phenomena.top1 < 1.0
    assert told.top1 == 1.0


def test_the_baseline_leaves_out_what_the_methods_leave_out() -> None:
    """D14. The only ticket of X1's words is X1: without it another cause is nearer than its own."""
    tickets = [
        ticket("X1", "X", description="alpha beta"),
        ticket("X2", "X", description="gamma delta"),
        ticket("Y1", "Y", description="alpha epsilon"),
        ticket("Y2", "Y", description="gamma zeta"),
    ]

    assert baselines_of(make_cases(tickets))[0].top1 == 0.0


def test_withholding_takes_the_description_from_the_baseline_as_from_the_methods() -> None:
    """D14. D1 and L1 stay and cannot be found by their descriptions any more; I1 and I2 find each other."""
    to_descriptions, _, told = baselines_of(make_cases(TICKETS), withhold=True)

    assert to_descriptions.top1 <= 0.75
    assert told.top1 == 1.0
    assert baselines_of(make_cases([DISK, INDEX_1]), withhold=True)[0].top1 <= 0.5


def test_by_group_the_baseline_too_knows_the_group_only() -> None:
    """D14. The nearest ticket of all is in the other group."""
    tickets = [
        ticket("H1", "here one", "alpha", description="alpha beta", symptom_group="here"),
        ticket("H2", "here two", "gamma", description="gamma delta", symptom_group="here"),
        ticket("T1", "there one", "alpha beta", description="alpha beta", symptom_group="there"),
    ]

    _, in_groups, _ = baselines_of(make_cases(tickets, by_group=True))
    _, among_all, _ = baselines_of(make_cases(tickets))

    assert (in_groups.top1, in_groups.cases) == (1.0, 3)
    assert among_all.top1 < 1.0
