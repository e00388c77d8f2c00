"""What is asked next: the most telling phenomena, never one that was asked, never two that say the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.diagnose.deliverables import PhenomenonItem, PhenomenonQuestion
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import CauseCard, PhenomenonCard, TicketCard, TicketEvidence
from tests.support.spoken import chinese, english
from workers.engines.language import language_of
from workers.kinds.diagnose.rules.conclude import next_move
from workers.kinds.diagnose.rules.wording import question_text

ENGLISH = DiagnoseRequest(description="Everything became slow after the nightly load")
CHINESE = DiagnoseRequest(description="夜间跑批之后所有查询都变慢了")


def evidence(phenomena: dict[str, dict[str, int]], *, tickets: int = 4, methods: dict[str, str] | None = None) -> TicketEvidence:
    """Causes A, B, C, D of equal size and likeness, and phenomena by description: cause → tickets that show it."""
    return TicketEvidence(
        causes=tuple(
            CauseCard(cause_id=name, description=f"cause {name}", solution="fix", ticket_count=tickets, ticket_ids=(f"{name}-1",))
            for name in "ABCD"
        ),
        phenomena=tuple(
            PhenomenonCard(
                phenomenon_id=f"P:{text}",
                description=text,
                observation_method=(methods or {}).get(text, "SELECT 1"),
                similarity=0.1,
                cause_tickets=shown,
                cause_count=len(shown),
            )
            for text, shown in phenomena.items()
        ),
        tickets=tuple(
            TicketCard(ticket_id=f"{name}-1", description="slow", cause_id=name, similarity=0.4, phenomenon_ids=()) for name in "ABCD"
        ),
        total_tickets=16,
        total_causes=4,
    )


def asked(text: str, phenomenon_id: str | None = None, answer: str = "1 don't know") -> tuple[PhenomenonQuestion, str]:
    item = PhenomenonItem(number=1, phenomenon_id=phenomenon_id or f"P:{text}", description=text, observation_method="", why="")
    return PhenomenonQuestion(turn=1, items=(item,)), answer


def texts(found: object) -> list[str]:
    assert isinstance(found, PhenomenonQuestion)
    return [item.description for item in found.items]


SIGNS = {"iowait is high": {"A": 4}, "locks are waited for": {"B": 4}, "replica lags": {"C": 4}, "temp files appear": {"D": 4}}


def test_a_turn_has_one_to_three_numbered_items_with_reasons():
    """D9: 1 to 3 items with how to observe them, why, and the causes they bear on."""
    found = next_move(ENGLISH, evidence(SIGNS), [])

    assert isinstance(found, PhenomenonQuestion)
    assert [item.number for item in found.items] == [1, 2, 3]
    for item in found.items:
        (shown,) = SIGNS[item.description]
        assert f"cause {shown}" in english(item.why)
        assert item.observation_method == "SELECT 1"


def test_what_separates_causes_is_asked_before_what_they_share():
    """D12: a phenomenon that all causes show tells nothing."""
    found = next_move(ENGLISH, evidence({"all is slow": dict.fromkeys("ABCD", 4), "half of them lock": {"A": 4, "B": 4}}), [])

    assert texts(found) == ["half of them lock"]


def test_an_item_with_a_method_is_asked_before_an_equal_one_without():
    """D9: expected information per effort."""
    found = next_move(ENGLISH, evidence({"alpha": {"A": 4}, "omega": {"B": 4}}, methods={"alpha": ""}), [])

    assert texts(found)[0] == "omega"


@pytest.mark.parametrize(
    "before",
    [
        asked("iowait is high"),
        asked("another wording altogether", "P:iowait is high"),
        asked("Iowait is HIGH!", "P:gone"),
        asked("the iowait is high", "P:gone"),
    ],
)
def test_nothing_is_asked_twice(before):
    """D3, D14, defect 1.3.3: not by id, not by text, not by a near-equal wording, whatever the answer was."""
    assert "iowait is high" not in texts(next_move(ENGLISH, evidence(SIGNS), [before]))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Sessions wait on the wait event transactionid", "Sessions wait on the wait event tuple"),
        ("CPU usage of the host is above 90 %", "CPU usage of the host is below 90 %"),
    ],
)
def test_another_thing_in_like_words_is_still_asked(one, other):
    """D14: the guard against repetition does not swallow a different phenomenon."""
    assert other in texts(next_move(ENGLISH, evidence({other: {"A": 4}, "replica lags": {"B": 4}}), [asked(one)]))


def test_a_turn_does_not_ask_the_same_thing_in_two_wordings():
    """D9: items of one turn are not redundant."""
    found = next_move(ENGLISH, evidence({"iowait is high on a host": {"A": 4}, "iowait is high on the host": {"A": 4}, **SIGNS}), [])

    assert len([text for text in texts(found) if text.startswith("iowait")]) == 1


def test_two_signs_of_one_cause_are_not_asked_when_others_tell_more():
    """D9: diversity: the second item counts by what it adds."""
    found = next_move(ENGLISH, evidence({"disk queue grows": {"A": 4}, "checkpoints take long": {"A": 4}, **SIGNS}), [])

    owners = ["A" if text in ("disk queue grows", "checkpoints take long", "iowait is high") else text for text in texts(found)]
    assert owners.count("A") <= 1


def test_the_question_speaks_the_language_of_the_user():
    """D13: Chinese for a Chinese message, and the Chinese wording of a phenomenon where the history has one."""
    both = evidence(
        {"Sessions wait for a lock": {"A": 2}, "会话在等待锁": {"A": 2}, "replica lags": {"B": 4}},
        methods=dict.fromkeys(("Sessions wait for a lock", "会话在等待锁"), "SELECT * FROM pg_locks WHERE NOT granted"),
    )

    of_chinese, of_english = next_move(CHINESE, both, []), next_move(ENGLISH, both, [])

    assert "会话在等待锁" in texts(of_chinese)
    assert "Sessions wait for a lock" in texts(of_english)
    assert isinstance(of_chinese, PhenomenonQuestion)
    assert chinese(of_chinese.items[0].why).startswith("若出现，支持「cause")
    assert "请按编号回答" in chinese(question_text(of_chinese))


def test_a_pasted_log_line_does_not_change_the_language():
    """D13: a Chinese sentence with an English log line is Chinese."""
    request = DiagnoseRequest(description="昨晚开始数据库一直报错，应用全部连不上：FATAL remaining connection slots are reserved")

    assert language_of(request.description) == "zh"


def test_text_of_tickets_is_data():
    """D29: braces and percent signs of a ticket are shown as they are."""
    found = next_move(ENGLISH, evidence({"{0.__class__} %s {x}": {"A": 4}}), [])

    assert isinstance(found, PhenomenonQuestion)
    assert "{0.__class__} %s {x}" in english(question_text(found))


@given(answers=st.lists(st.sampled_from(["1 yes", "all no", "1 no 2 yes", "?", "the disk is full", "1 yes 1 no", "9 yes"]), max_size=12))
def test_no_dialogue_repeats_a_question(answers):
    """D3, D14: over any dialogue no phenomenon is asked twice, and every item is one of the evidence."""
    signs = {
        f"{word} {noun}": {"ABCD"[n % 4]: 1 + n % 4}
        for n, (word, noun) in enumerate(
            (word, noun) for word in ("slow", "failed", "missing", "growing") for noun in ("commits", "index", "replica", "vacuum", "pool")
        )
    }
    held = evidence(signs)
    request = ENGLISH.model_copy(update={"max_turns": 20})
    dialogue: list[tuple[PhenomenonQuestion, str]] = []
    seen: set[str] = set()
    for answer in answers:
        found = next_move(request, held, dialogue)
        if not isinstance(found, PhenomenonQuestion):
            break
        ids = {item.phenomenon_id for item in found.items}
        assert not ids & seen
        assert ids <= {card.phenomenon_id for card in held.phenomena}
        assert len(found.items) <= 3
        assert found.turn == len(dialogue) + 1
        seen |= ids
        dialogue.append((found, answer))


def big() -> TicketEvidence:
    """60 causes and 200 phenomena of realistic wording."""
    names = [f"c{n:02d}" for n in range(60)]
    nouns = ("index", "commit", "replica", "vacuum", "buffer", "checkpoint", "sequence", "partition", "tablespace", "pool")
    words = [
        f"{verb} of the {nouns[n % 10]} number {n} is {'above' if n % 2 else 'below'} {n} percent during load"
        for n, verb in enumerate(("rate", "latency", "size", "share") * 50)
    ]
    return TicketEvidence(
        causes=tuple(
            CauseCard(cause_id=n, description=f"cause {n}", solution="s", ticket_count=1 + i % 6, ticket_ids=(f"{n}-1",))
            for i, n in enumerate(names)
        ),
        phenomena=tuple(
            PhenomenonCard(
                phenomenon_id=f"p{i}",
                description=text,
                observation_method="q",
                similarity=0.2,
                cause_tickets={names[(i * k) % 60]: 1 for k in (1, 7, 11)},
                cause_count=3,
            )
            for i, text in enumerate(words)
        ),
        tickets=tuple(
            TicketCard(ticket_id=f"{n}-1", description="d", cause_id=n, similarity=0.5 - i / 200, phenomenon_ids=(f"p{i}", f"p{i + 60}"))
            for i, n in enumerate(names)
        ),
        total_tickets=200,
        total_causes=60,
    )


def test_a_large_evidence_is_weighed():
    """D9: 60 causes and 200 phenomena, five turns in."""
    held, dialogue = big(), []
    for _ in range(4):
        found = next_move(ENGLISH, held, dialogue)
        assert isinstance(found, PhenomenonQuestion)
        dialogue.append((found, " ".join(("1 yes", "2 no", "3 no")[: len(found.items)])))
