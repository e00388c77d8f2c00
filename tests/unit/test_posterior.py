"""The posterior over causes: what raises a confidence, what lowers it, and what each finding's share in it is."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.diagnose.deliverables import Finding, PhenomenonItem, PhenomenonQuestion
from contracts.tickets import CauseCard, ObservationMatch, PhenomenonCard, TicketCard, TicketEvidence
from workers.kinds.diagnose.rules.causes import merge_translations
from workers.kinds.diagnose.rules.families import families
from workers.kinds.diagnose.rules.known import gather, read_all
from workers.kinds.diagnose.rules.posterior import Belief, believe
from workers.kinds.diagnose.rules.profiles import OURS

LOCKS, DISK, PLAN = "locks", "disk", "plan"


def cause(cause_id: str, tickets: int = 4, description: str = "") -> CauseCard:
    return CauseCard(
        cause_id=cause_id,
        description=description or f"cause {cause_id}",
        solution="fix",
        ticket_count=tickets,
        ticket_ids=(f"{cause_id}-1",),
    )


def phenomenon(name: str, shown: dict[str, int], description: str = "", method: str = "") -> PhenomenonCard:
    return PhenomenonCard(
        phenomenon_id=name,
        description=description or f"{name} is seen",
        observation_method=method,
        similarity=0.1,
        cause_tickets=shown,
        cause_count=max(len(shown), 1),
    )


def ticket(cause_id: str, number: int, similarity: float, *shown: str) -> TicketCard:
    return TicketCard(ticket_id=f"{cause_id}-{number}", description="slow", cause_id=cause_id, similarity=similarity, phenomenon_ids=shown)


def history(**changes: object) -> TicketEvidence:
    """Three causes of four tickets; `waits` and `queue` speak for locks, `full` for disk, `scan` for plan."""
    evidence = TicketEvidence(
        causes=(cause(LOCKS), cause(DISK), cause(PLAN)),
        phenomena=(
            phenomenon("waits", {LOCKS: 4}),
            phenomenon("queue", {LOCKS: 3}),
            phenomenon("full", {DISK: 4}),
            phenomenon("scan", {PLAN: 4}),
            phenomenon("busy", {LOCKS: 2, DISK: 2, PLAN: 2}),
        ),
        tickets=tuple(ticket(name, 1, 0.4) for name in (LOCKS, DISK, PLAN)),
        total_tickets=12,
        total_causes=3,
    )
    return evidence.model_copy(update=changes)


def belief(evidence: TicketEvidence, answers: dict[str, str], said: tuple[str, ...] = ("slow",)) -> Belief:
    """The posterior after one question with these answers by phenomenon id."""
    cards = {card.phenomenon_id: card for card in evidence.phenomena}
    items = tuple(
        PhenomenonItem(number=n, phenomenon_id=name, description=cards[name].description, observation_method="", why="")
        for n, name in enumerate(answers, start=1)
    )
    text = ", ".join(f"{n} {answer}" for n, answer in enumerate(answers.values(), start=1))
    dialogue = [(PhenomenonQuestion(turn=1, items=items), text)] if answers else []
    known = gather(evidence, families(evidence, OURS), dialogue, read_all(dialogue), said, OURS)
    return believe(evidence, known.facts, OURS)


def confidence(found: Belief, cause_id: str) -> float:
    return next(one.confidence for one in found.hypotheses if one.cause_id == cause_id)


def test_the_posterior_is_a_distribution():
    """D3: a confidence is a probability among the causes and `none of them`."""
    found = belief(history(), {"waits": "yes", "full": "no"})

    assert math.isclose(sum(one.confidence for one in found.hypotheses) + found.none, 1.0)
    assert found.top is not None
    assert found.top.cause_id == LOCKS


def test_what_a_cause_shows_raises_it_and_its_denial_lowers_it():
    """D3: confirmed and denied findings move the confidence in opposite directions."""
    before = confidence(belief(history(), {}), LOCKS)

    assert confidence(belief(history(), {"waits": "yes"}), LOCKS) > 0.6 > before
    assert confidence(belief(history(), {"waits": "no"}), LOCKS) < before / 3


def test_not_knowing_changes_nothing():
    """D3: "don't know" is no evidence."""
    assert belief(history(), {"waits": "don't know"}).hypotheses == belief(history(), {}).hypotheses


def test_seven_denials_keep_the_order_of_causes():
    """Defect 1.3.4: a denial factor that reaches zero loses the order; here every denial still counts."""
    shown = {f"s{n}": {LOCKS: 4, DISK: 2} for n in range(9)}
    evidence = history(phenomena=tuple(phenomenon(name, counts) for name, counts in shown.items()))

    chances = [confidence(belief(evidence, dict.fromkeys(list(shown)[:n], "no")), LOCKS) for n in range(10)]

    assert chances == sorted(chances, reverse=True)
    assert chances[-1] > 0


def test_one_denied_shared_phenomenon_does_not_block_the_right_cause():
    """Defect 1.3.4: what many causes share says little when it is denied."""
    found = belief(history(), {"waits": "yes", "queue": "yes", "busy": "no"})

    assert found.top is not None
    assert found.top.cause_id == LOCKS
    assert found.top.confidence > 0.8


def test_a_confirmed_phenomenon_that_no_ticket_of_the_cause_lists_does_not_exclude_it():
    """D3: tickets list only what their author wrote, so absence there is weak evidence."""
    evidence = history(phenomena=(phenomenon("waits", {LOCKS: 4}), phenomenon("queue", {LOCKS: 4}), phenomenon("odd", {DISK: 1})))

    assert confidence(belief(evidence, {"waits": "yes", "queue": "yes", "odd": "yes"}), LOCKS) > 0.5


def test_one_ticket_is_less_sure_than_six():
    """Defect 1.3.6: counts of one must not weigh like counts of six."""
    few = history(causes=(cause(LOCKS, 1), cause(DISK, 1), cause(PLAN, 1)), phenomena=(phenomenon("waits", {LOCKS: 1}),))
    many = history(causes=(cause(LOCKS, 6), cause(DISK, 6), cause(PLAN, 6)), phenomena=(phenomenon("waits", {LOCKS: 6}),))

    assert confidence(belief(few, {"waits": "yes"}), LOCKS) < confidence(belief(many, {"waits": "yes"}), LOCKS)


def test_the_prior_follows_the_tickets():
    """D22: prior = tickets, smoothed; a rare cause stays possible."""
    found = belief(history(causes=(cause(LOCKS, 20), cause(DISK, 1), cause(PLAN, 1)), total_tickets=22), {})

    priors = {one.cause_id: one.prior for one in found.hypotheses}
    assert priors[LOCKS] > 5 * priors[DISK] > 0.1


def test_the_nearest_ticket_speaks_for_its_cause():
    """D2: the similarity of symptoms is evidence."""
    found = belief(history(tickets=(ticket(LOCKS, 1, 0.2), ticket(DISK, 1, 0.7), ticket(PLAN, 1, 0.3))), {})

    assert found.top is not None
    assert (found.top.cause_id, found.top.symptom_similarity) == (DISK, 0.7)


def test_every_finding_explains_its_weight():
    """D3: scoring grounds: each finding with its log likelihood ratio and the tickets that show it."""
    evidence = history(tickets=(ticket(LOCKS, 1, 0.4, "waits"), ticket(LOCKS, 2, 0.3, "waits"), ticket(DISK, 1, 0.4, "full")))

    found = belief(evidence, {"waits": "yes", "full": "no"})

    assert found.top is not None
    weights = {one.phenomenon_id: one for one in found.top.evidence}
    assert weights["waits"].weight > 1
    assert weights["waits"].tickets == ("locks-1", "locks-2")
    assert weights["full"].finding is Finding.DENIED
    assert weights["full"].weight > 0


def test_what_always_comes_together_counts_less_than_twice():
    """D3: correlated phenomena are not independent evidence."""
    together = history(tickets=(ticket(LOCKS, 1, 0.4, "waits", "queue"), ticket(DISK, 1, 0.4), ticket(PLAN, 1, 0.4)))
    apart = history(tickets=(ticket(LOCKS, 1, 0.4, "waits"), ticket(LOCKS, 2, 0.4, "queue"), ticket(DISK, 1, 0.4), ticket(PLAN, 1, 0.4)))
    answers = {"waits": "yes", "queue": "yes"}

    assert confidence(belief(together, answers), LOCKS) < confidence(belief(apart, answers), LOCKS)


def test_a_told_observation_is_a_softer_confirmation():
    """D7: what the user told of their own accord counts by how well it matches."""
    before = confidence(belief(history(), {}), LOCKS)

    def told(similarity: float) -> float:
        match = ObservationMatch(text="sessions hang", phenomenon_id="waits", similarity=similarity)
        return confidence(belief(history(observations=(match,)), {}), LOCKS)

    assert before < told(0.7) < told(0.95) <= confidence(belief(history(), {"waits": "yes"}), LOCKS) + 1e-9


def test_an_answer_beats_what_was_told():
    """D7: a denied item is denied although an observation resembled it."""
    match = ObservationMatch(text="sessions hang", phenomenon_id="waits", similarity=0.9)

    assert belief(history(observations=(match,)), {"waits": "no"}).hypotheses == belief(history(), {"waits": "no"}).hypotheses


def test_a_description_that_names_a_phenomenon_tells_it():
    """D7: nobody is asked for what the description already says in so many words."""
    card = phenomenon("waits", {LOCKS: 4}, "Sessions wait on a relation lock").model_copy(update={"similarity": 0.8})
    evidence = history(phenomena=(card,))

    found = belief(evidence, {}, said=("All is slow. Sessions wait on a relation lock since noon.",))
    opposite = belief(evidence, {}, said=("All is slow. Sessions do not wait on a relation lock.",))

    assert confidence(found, LOCKS) > 0.5 > confidence(opposite, LOCKS)


def test_an_answer_to_one_language_answers_the_other():
    """D6: an English and a Chinese wording with one observation method are one phenomenon; opposites are not."""
    method = "SELECT * FROM pg_locks WHERE NOT granted"
    evidence = history(
        phenomena=(
            phenomenon("en", {LOCKS: 2}, "Sessions wait for a lock", method),
            phenomenon("zh", {LOCKS: 2}, "会话在等待锁", method),
            phenomenon("high", {DISK: 2}, "CPU usage of the host is above 90 %"),
            phenomenon("low", {PLAN: 2}, "CPU usage of the host is below 20 %"),
        )
    )

    groups = {frozenset(family.ids) for family in families(evidence, OURS)}

    assert groups == {frozenset({"en", "zh"}), frozenset({"high"}), frozenset({"low"})}


def test_a_cause_told_in_two_languages_is_one():
    """D3: a history in two languages must not split the confidence of its causes."""
    methods = {name: f"grep {name} postgresql.log | tail" for name in ("waits", "queue", "full", "swap")}
    shown = {"waits": "l", "queue": "l", "full": "d", "swap": "d"}
    evidence = history(
        causes=tuple(
            cause(f"{key}{lang}", 2, text)
            for key, lang, text in (("l", "en", "lock queue"), ("l", "zh", "锁队列"), ("d", "en", "disk full"), ("d", "zh", "磁盘满"))
        ),
        phenomena=tuple(
            phenomenon(f"{name}{lang}", {f"{key}{lang}": 2}, f"{name} seen" if lang == "en" else f"出现 {name}", methods[name])
            for name, key in shown.items()
            for lang in ("en", "zh")
        ),
        tickets=(ticket("lzh", 1, 0.4, "waitszh"), ticket("len", 1, 0.4, "waitsen")),
        total_causes=4,
    )

    merged, groups = merge_translations(evidence, families(evidence, OURS), OURS, "zh")

    assert [(one.cause_id, one.ticket_count) for one in merged.causes] == [("lzh", 4), ("dzh", 4)]
    assert {one.cause_id for one in merged.tickets} == {"lzh"}
    assert [family.shown for family in groups] == [{"lzh": 4}, {"lzh": 4}, {"dzh": 4}, {"dzh": 4}]
    assert merged.total_causes == 2


def test_no_causes_is_none_of_them():
    """D27: nothing near means nothing believed."""
    found = belief(history(causes=(), phenomena=(), tickets=()), {})

    assert (found.hypotheses, found.none, found.top) == ((), 1.0, None)


@given(
    counts=st.lists(st.tuples(st.integers(1, 10_000), st.floats(-1, 1)), min_size=1, max_size=8),
    answers=st.lists(st.sampled_from(["yes", "no", "don't know"]), max_size=30),
    shown=st.data(),
)
def test_any_evidence_gives_a_distribution(counts, answers, shown):
    """D3: numerically stable whatever the counts, similarities and answers."""
    causes = tuple(cause(f"c{n}", tickets) for n, (tickets, _) in enumerate(counts))
    cards = tuple(
        phenomenon(f"p{n}", shown.draw(st.dictionaries(st.sampled_from([c.cause_id for c in causes]), st.integers(0, 20_000))))
        for n in range(len(answers))
    )
    evidence = history(
        causes=causes,
        phenomena=cards,
        tickets=tuple(ticket(f"c{n}", 1, similarity) for n, (_, similarity) in enumerate(counts)),
    )

    found = belief(evidence, {f"p{n}": answer for n, answer in enumerate(answers)})

    assert math.isclose(sum(one.confidence for one in found.hypotheses) + found.none, 1.0, abs_tol=1e-9)
    assert all(math.isfinite(one.weight) for hypothesis in found.hypotheses for one in hypothesis.evidence)
    assert [one.confidence for one in found.hypotheses] == sorted((one.confidence for one in found.hypotheses), reverse=True)


@pytest.mark.parametrize("order", [1, -1])
def test_the_order_of_answers_does_not_matter(order):
    """D3: the posterior depends on what is known, not on when it was said."""
    answers = list({"waits": "yes", "full": "no", "queue": "yes"}.items())[::order]

    found = belief(history(), dict(answers))

    assert math.isclose(confidence(found, LOCKS), confidence(belief(history(), {"waits": "yes", "full": "no", "queue": "yes"}), LOCKS))
