"""The memory of a session is small, and its extractive summary keeps what says most."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.jobs import JobStatus
from contracts.roles import RoleName
from contracts.sessions import MEMORY_BYTES, Asked, Decided, RoleMemory, RoleTurn, SessionMemory
from workers.sessions.fitting import MOST_JOBS, fitted, role_context, roles_to_compress, size
from workers.sessions.summary import SUMMARY_CHARACTERS, extractive

NOW = datetime(2026, 1, 1, tzinfo=UTC)
texts = st.text(max_size=200)


def turn(summary: str, number: int = 0) -> RoleTurn:
    return RoleTurn(job_id=uuid4(), stage=f"s{number}", summary=summary, at=NOW + timedelta(seconds=number))


def memory(turns: int, text: str = "x" * 150, *, asked: int = 5) -> SessionMemory:
    known = RoleMemory(turns=tuple(turn(text, number) for number in range(turns)))
    return SessionMemory(
        asked=tuple(Asked(job_id=uuid4(), kind="ask", title=text[:100], status=JobStatus.SUCCEEDED) for _ in range(asked)),
        decided=(Decided(job_id=uuid4(), question="which?", answer="the first"),),
        roles={RoleName.ANALYST: known, RoleName.RETRIEVER: RoleMemory(turns=known.turns[:2])},
    )


@given(st.lists(texts, max_size=60), st.lists(texts, max_size=40), st.lists(texts, max_size=40), st.lists(texts, max_size=30))
def test_the_document_stays_within_its_size(asked: list[str], decided: list[str], turns: list[str], selected: list[str]) -> None:
    """E12: 5 to 8 KB."""
    document = SessionMemory(
        asked=tuple(Asked(job_id=uuid4(), kind="ask", title=text[:100], status=JobStatus.FAILED) for text in asked),
        decided=tuple(Decided(job_id=uuid4(), question=text[:100], answer=text[:160]) for text in decided),
        selected=tuple(selected),
        roles={role: RoleMemory(summary="s" * 400, turns=tuple(map(turn, turns))) for role in RoleName},
    )

    small = fitted(document)

    assert size(small) <= MEMORY_BYTES
    assert small.asked == document.asked[len(document.asked) - len(small.asked) :]
    assert all(small.roles[role].summary == document.roles[role].summary for role in RoleName)


def test_a_small_document_stays_as_it_is() -> None:
    document = memory(3)

    assert fitted(document) is document


@pytest.mark.parametrize(("turns", "tokens", "roles"), [(3, 0, []), (MOST_JOBS + 1, 0, ["analyst"]), (5, 799, []), (5, 800, ["analyst"])])
def test_turns_are_compressed_when_they_are_many_or_fill_80_percent_of_the_window(turns: int, tokens: int, roles: list[str]) -> None:
    """E15: automatic at 80 % of the window."""
    found = roles_to_compress(memory(turns), {RoleName.ANALYST: tokens, RoleName.RETRIEVER: tokens}, 1000)

    assert found == roles


def test_an_extractive_summary_keeps_the_sentences_that_say_most_in_their_order() -> None:
    turns = [turn("done", number) for number in range(20)]
    turns[4] = turn("chose warehouse.orders because the join with customers has a declared key", 4)
    turns[12] = turn("revenue fell by 31 % in week 14 after the price change of shampoo", 12)

    summary, engine = extractive("The user wants the net revenue without returns.", turns)

    assert engine == "rules"
    assert len(summary) <= SUMMARY_CHARACTERS
    places = [summary.index(words) for words in ("net revenue", "warehouse.orders", "31 %")]
    assert places == sorted(places)


def test_an_extractive_summary_of_chinese_turns_is_within_its_length() -> None:
    turns = [turn(f"第{number}步：按月统计华东区域的订单金额，剔除退款。共{number * 7}行", number) for number in range(40)]

    summary, _ = extractive("", turns)

    assert 0 < len(summary) <= SUMMARY_CHARACTERS


def test_a_role_s_context_shows_what_was_asked_and_its_own_turns() -> None:
    text = role_context(memory(1, "counted orders"), RoleName.ANALYST)

    assert "asked (ask, succeeded): counted orders" in text
    assert "decided: which? -> the first" in text
    assert text.endswith("s0: counted orders")


def test_a_prompt_is_not_told_its_own_job_as_something_from_before() -> None:
    known = memory(2, "counted orders", asked=2)
    job = known.asked[0].job_id
    own = turn("wrote a script").model_copy(update={"job_id": job})
    known = known.model_copy(update={"roles": {RoleName.ANALYST: RoleMemory(turns=(*known.roles[RoleName.ANALYST].turns, own))}})

    text = role_context(known, RoleName.ANALYST, without={job})

    assert text.count("asked (") == 1
    assert "wrote a script" not in text
    assert "s1: counted orders" in text
