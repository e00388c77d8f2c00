"""The texts of RAR: single observations, rewordings, tokens, layers, and what the prompts are filled with."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.diagnose.deliverables import RarRanking
from contracts.diagnose.request import DiagnoseRequest
from tests.support.evidence import evidence_of
from tests.support.incidents import CAUSES, HISTORY, INCIDENT, REQUEST, asked, concludes, ticket
from workers.engines.tokens import clip_to, estimate_tokens
from workers.kinds.diagnose.rules.rar.case import RarCase, read_case
from workers.kinds.diagnose.rules.rar.prompt import guidance, only_shown, rar_prompt, rerank_prompt, reranked
from workers.kinds.diagnose.rules.rar.single import single_observations
from workers.kinds.diagnose.rules.rar.truncate import TICKET_TOKENS, lay_out
from workers.kinds.diagnose.rules.turn_brief import turn_brief

PROMPTS = Path(__file__).parents[2] / "workers" / "kinds" / "diagnose" / "prompts" / "diagnoser"
LONG = [ticket(n, "lock queue", "a sign " * 20, description=f"incident {n} " + "slow " * 150) for n in range(30)]


def case_of(*turns, description: str = INCIDENT, tickets=LONG) -> RarCase:
    return read_case(DiagnoseRequest(description=description), evidence_of(tickets, description), turns)


def size(prompt: dict[str, object]) -> int:
    texts = [text for value in prompt.values() for text in (value if isinstance(value, tuple) else (value,))]
    return sum(estimate_tokens(str(text)) for text in texts)


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("the CPU is high and the disk is full", ["the CPU is high", "the disk is full"]),
        ("1. CPU is high 2. disk full", ["CPU is high", "disk full"]),
        ("the pump is loud\n2. the room is cold", ["the pump is loud", "the room is cold"]),
        ("- look at locks\n- look at waits", ["look at locks", "look at waits"]),
        ("CPU 使用率很高，磁盘已满", ["CPU 使用率很高", "磁盘已满"]),
        ("锁等待会话很多；磁盘写满", ["锁等待会话很多", "磁盘写满"]),
        ("the lag between primary and standby grows", ["the lag between primary and standby grows"]),
        ("CPU usage is above 90 % and keeps rising", ["CPU usage is above 90 % and keeps rising"]),
        ("主库与备库之间的复制延迟超过 10 秒", ["主库与备库之间的复制延迟超过 10 秒"]),
        ("Version 14.2 is installed", ["Version 14.2 is installed"]),
        (" ;; ?", []),
    ],
)
def test_a_text_is_taken_apart_where_it_names_several_things(text, things):
    """D9."""
    assert list(single_observations(text)) == things


@given(st.text(max_size=300), st.integers(0, 60))
def test_a_clipped_text_fits(text, room):
    """D18."""
    assert estimate_tokens(clip_to(text, room)) <= max(room, estimate_tokens(""))


def test_the_estimate_of_tokens_counts_chinese_figures_and_signs_dearer_than_words():
    """D18: an estimate from above: by hand."""
    assert estimate_tokens("") == 1
    assert estimate_tokens("locking") == 1 + 3
    assert estimate_tokens("死锁") == 1 + 4
    assert estimate_tokens("a = 12") == 1 + 1 + 1 + 1 + 1 + 2


def test_nearest_tickets_stand_in_full_the_next_in_short_the_rest_in_one_line():
    """D18."""
    layers = lay_out(case_of().tickets, TICKET_TOKENS)

    assert [("observed:" in shown.text, "root cause:" in shown.text) for shown in layers.read] == [(True, True)] * 3 + [(False, True)] * 7
    assert len(layers.listed) == 10
    assert not any("\n" in shown.text for shown in layers.listed)


def test_where_there_is_room_every_ticket_that_is_read_stands_in_full():
    """D13, D18."""
    layers = lay_out(case_of().tickets, 100_000)

    assert ["observed:" in shown.text for shown in layers.read] == [True] * 10
    assert len(layers.listed) == 10


@given(st.integers(0, 6_000))
def test_layers_keep_to_their_room_and_every_ticket_its_line(room):
    """D18: a real limit: whatever does not fit falls to the layer below, the last ones out."""
    views = case_of().tickets
    layers = lay_out(views, room)
    shown = [*layers.read, *layers.listed]

    assert sum(estimate_tokens(one.text) for one in shown) <= room
    assert [one.ticket_id for one in shown] == [view.ticket_id for view in views[: len(shown)]]
    if room >= 1_500:
        assert len(shown) == len(views)


@pytest.mark.parametrize("context", [4_000, 8_000, 128_000])
@pytest.mark.parametrize("description", [INCIDENT, "slow " * 3_900, "慢" * 19_000])
def test_a_prompt_fits_and_always_holds_problem_and_state(context, description):
    """D18, D19: problem and state first, an answer only with the question that it answered, tickets within what is left and a quarter of
    the window."""
    case = case_of(asked(*CAUSES["bad plan"], answer="1 yes 2 no 3 don't know, also the dog barks"), description=description)

    prompt = rar_prompt(case, context)

    assert size(prompt) <= context
    assert prompt["problem"].startswith(description[:40])
    assert [prompt[name] for name in ("confirmed", "denied", "unknown")] == [f"- {sign}" for sign in CAUSES["bad plan"]]
    assert prompt["observations"] == "- the dog barks"
    assert prompt["conversation"].startswith("- asked: 1. row estimates are far off; ")
    assert "| answered: 1 yes 2 no 3 don't know, also the" in prompt["conversation"]
    assert "1 yes 2 no" not in str(prompt | {"conversation": ""})
    most = max(TICKET_TOKENS, context // 4)
    assert sum(estimate_tokens(text) for text in (*prompt["tickets"], prompt["others"])) <= most + len(case.tickets)


def test_guidance_leans_to_the_end_with_the_turns():
    """D21."""

    def after(turns: int, max_turns: int = 9) -> str:
        request = DiagnoseRequest(description=INCIDENT, max_turns=max_turns)
        dialogue = [asked(f"sign {n}", turn=n, answer="don't know") for n in range(1, turns + 1)]
        return guidance(read_case(request, evidence_of(HISTORY, INCIDENT), dialogue))

    assert after(0) == after(2) != after(3) == after(4)
    assert "must answer" in after(5)
    assert after(5) == after(2, max_turns=2)


@pytest.mark.parametrize("name", ["rar", "turn", "rerank"])
def test_a_prompt_file_uses_exactly_the_data_it_is_given_and_fences_what_others_wrote(name):
    """Decision 14."""
    jinja2 = pytest.importorskip("jinja2")
    meta = pytest.importorskip("jinja2.meta")
    description, dialogue = "slow {{ 7*7 }} {% raw %}", asked("red light", answer="1 yes, also {{ 7*7 }}")
    if name == "turn":
        evidence = evidence_of(LONG, description).model_copy(update={"reported": ("{{ 7*7 }}",), "looked_up": ("{{ 7*7 }}",)})
        prompt = turn_brief(DiagnoseRequest(description=description), evidence, [dialogue], "en", 8_000, may_ask=True).prompt
        data = prompt | {"today": "Now it is Thursday."}
    else:
        data = {"rar": rar_prompt, "rerank": rerank_prompt}[name](case_of(dialogue, description=description), 8_000)
    data = {part: value for part, value in data.items() if part != "prompt_cuts"}  # for those who look at the call later
    text = (PROMPTS / f"{name}.j2").read_text("utf-8")
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    environment.filters["fenced"] = lambda value, label: f"<<{label}>>{value}<<end>>"

    shown = environment.from_string(text).render(data)

    assert meta.find_undeclared_variables(environment.parse(text)) == data.keys()
    assert "49" not in re.sub(r"incident \d+", "", shown)
    outside = re.sub(r"<<[^>]*>>.*?<<end>>", "", shown, flags=re.DOTALL)
    assert "{{ 7*7 }}" in shown
    assert "7*7" not in outside
    assert "slow slow" in shown
    assert "slow slow" not in outside


def test_a_ranking_orders_what_was_shown_and_invents_nothing():
    """D7: unknown ids do not count, missing ones follow in the old order."""
    case = case_of(tickets=HISTORY)
    old = [view.ticket_id for view in case.tickets]

    new = reranked(case, RarRanking(ticket_ids=(old[3], "T-999", old[0], old[3], f" {old[5]} ")))

    assert [view.ticket_id for view in new.tickets] == [old[3], old[0], old[5], old[1], old[2], old[4], *old[6:]]


def test_tickets_are_ordered_without_their_causes():
    """Decision 8: what the causes are must not decide what is near."""
    prompt = rerank_prompt(case_of(tickets=HISTORY), 8_000)

    assert len(prompt["tickets"]) == len(HISTORY)
    assert not any("lock queue" in text for text in prompt["tickets"])


def test_a_ticket_for_which_the_prompt_had_no_room_may_not_be_cited():
    """D15: an id that was guessed is invented, even if it exists."""
    case = case_of()
    first, last = case.tickets[0].ticket_id, case.tickets[-1].ticket_id

    narrow = only_shown(concludes("lock queue", first, last, "T-999"), case, 1_500)
    wide = only_shown(concludes("lock queue", first, last, "T-999"), case, 100_000)

    assert narrow.diagnosis is not None
    assert wide.diagnosis is not None
    assert narrow.diagnosis.cited_tickets == (first, "T-999")
    assert wide.diagnosis.cited_tickets == (first, last, "T-999")


def test_requests_default_to_english_guidance():
    assert rar_prompt(read_case(REQUEST, evidence_of(HISTORY, INCIDENT), ()), 8_000)["guidance"] == "You may gather more."
