"""What a user asks back in an answer is told apart from what they answer and what they observe."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.diagnose.deliverables import AnswerProblemKind, Finding, PhenomenonItem, PhenomenonQuestion, UserQuery
from workers.kinds.diagnose.rules.answers import read_answer
from workers.kinds.diagnose.rules.asking_back import only_asks_back

WHY, PROGRESS, HYPOTHESES = UserQuery.WHY, UserQuery.PROGRESS, UserQuery.HYPOTHESES

ASKED = {
    WHY: (
        "why?",
        "Why",
        "but why?",
        "why do you ask 2?",
        "Why do you ask 2, 3?",
        "why are you asking this",
        "why 2?",
        "2 why?",
        "why is this important?",
        "how is that relevant?",
        "can you explain why you ask 1?",
        "What is the reason for asking this?",
        "what for?",
        "为什么",
        "为什么？",
        "为什么问这个",
        "请问为什么要查这个呢？",
        "为啥问第二个",
        "依据是什么",
        "问2的依据是什么",
    ),
    PROGRESS: (
        "what do you know so far?",
        "What have we found out so far",
        "status",
        "Status?",
        "where do we stand?",
        "what is the current status",
        "what has been ruled out so far?",
        "目前知道什么",
        "进展",
        "现在情况如何",
        "现在什么情况？",
        "你已经知道了哪些",
        "总结一下",
        "说说目前的进展",
    ),
    HYPOTHESES: (
        "which causes are possible?",
        "What are the most likely root causes?",
        "what do you suspect",
        "what could it be?",
        "hypotheses?",
        "可能的原因有哪些",
        "怀疑什么",
        "你目前怀疑的是什么？",
        "最可能的根因是什么",
        "还有哪些可能",
    ),
}
EACH = [(text, query) for query, texts in ASKED.items() for text in texts]
QUERIES = st.sampled_from(EACH)


def question(size: int) -> PhenomenonQuestion:
    items = tuple(
        PhenomenonItem(number=n, phenomenon_id=f"P{n}", description=f"sign {n}", observation_method="", why="") for n in range(1, size + 1)
    )
    return PhenomenonQuestion(turn=1, items=items)


@pytest.mark.parametrize(("text", "query"), EACH)
@pytest.mark.parametrize("size", [0, 3])
def test_a_question_to_us_is_no_finding_and_no_observation(text, query, size):
    """D16: whether phenomena were asked, or a key symptom."""
    reading = read_answer(text, question(size))

    assert reading.queries == (query,)
    assert (reading.findings, reading.observations, reading.problems) == ({}, (), ())
    assert only_asks_back(reading)


@pytest.mark.parametrize(
    ("text", "signs", "observations", "queries"),
    [
        ("1 yes, why?", "1+", (), (WHY,)),
        ("1 yes why?", "1+", (), (WHY,)),
        ("1 yes 2 why?", "1+", (), (WHY,)),
        ("1确认 2否定 为什么问3", "1+ 2-", (), (WHY,)),
        ("why do you ask 2? 1 yes", "1+", (), (WHY,)),
        ("1 yes 2 no. What do you know so far? Which causes are possible?", "1+ 2-", (), (PROGRESS, HYPOTHESES)),
        ("which causes are possible, and why?", "", (), (WHY, HYPOTHESES)),
        ("死锁，目前知道什么", "", ("死锁",), (PROGRESS,)),
        ("the disk is full. why?", "", ("the disk is full",), (WHY,)),
    ],
)
def test_a_question_beside_an_answer_takes_nothing_from_it(text, signs, observations, queries):
    """D16, D7."""
    reading = read_answer(text, question(3))

    found = " ".join(f"{key[1:]}{'+' if finding is Finding.CONFIRMED else '-'}" for key, finding in reading.findings.items())
    assert (found, reading.observations, reading.queries) == (signs, observations, queries)
    assert not only_asks_back(reading) or not (signs or observations)


@pytest.mark.parametrize(
    "text",
    [
        "why is the disk full",
        "为什么磁盘满了",
        "为什么会这样",
        "怀疑是磁盘问题",
        "status 500",
        "the status is degraded",
        "progress stalls at 50 percent",
        "what we see is a lock queue",
        "don't know why",
        "不知道为什么",
        "that is why it hangs",
        "死锁",
        "status\nrunning\nidle in transaction",
    ],
)
@pytest.mark.parametrize("size", [0, 3])
def test_a_symptom_that_looks_like_a_question_stays_a_symptom(text, size):
    """D7: what the user tells is never lost."""
    reading = read_answer(text, question(size))

    assert reading.queries == ()
    assert "\n".join(reading.observations) == text


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("why do you ask about the pool while the disk is full", WHY),
        ("为什么要查死锁日志", WHY),
        ("what do you know about the replica that lags", PROGRESS),
        ("which causes do long lock queues have", HYPOTHESES),
    ],
)
def test_in_doubt_a_question_is_an_observation_too(text, query):
    """D7."""
    reading = read_answer(text, question(3))

    assert (reading.queries, reading.observations, reading.findings) == ((query,), (text,), {})


def test_a_question_about_a_number_does_not_confirm_it():
    """D16: "why do you ask 2" is no bare number; "1, why" is one, and said so."""
    assert read_answer("why do you ask 2 and 3?", question(3)).findings == {}
    assert read_answer("1, why?", question(3)).problems[0].kind is AnswerProblemKind.ASSUMED


def test_an_answer_that_ends_in_a_full_stop_is_an_answer():
    """D16: "no." at the end of a line is no prose, "no. of sessions" is."""
    assert read_answer("1 yes 2 no.", question(2)).observations == ()
    assert read_answer("no. of sessions is high", question(2)).findings == {}


@given(text=st.text(max_size=60), asked=QUERIES, size=st.integers(0, 4))
def test_a_question_on_a_line_of_its_own_changes_nothing_else(text, asked, size):
    """D16: whatever was told before it is read as if nobody had asked."""
    before = read_answer(text, question(size))

    after = read_answer(f"{text}\n{asked[0]}", question(size))

    if before.observations and " " not in asked[0] and "?" not in asked[0]:
        return  # a mere noun beside prose may be part of it
    assert set(after.queries) == {*before.queries, asked[1]}
    assert (after.findings, after.observations, after.problems) == (before.findings, before.observations, before.problems)


@given(
    signs=st.lists(st.sampled_from("+-?"), min_size=1, max_size=5),
    lang=st.sampled_from(["en", "zh"]),
    separator=st.sampled_from([", ", "; ", "\n", "，", "。"]),
    asked=QUERIES,
    first=st.booleans(),
)
def test_a_numbered_answer_with_a_question_is_read_back(signs, lang, separator, asked, first):
    """D16."""
    words = {"en": {"+": " yes", "-": " no", "?": " don't know"}, "zh": {"+": "确认", "-": "否定", "?": "不清楚"}}[lang]
    numbered = separator.join(f"{number}{words[sign]}" for number, sign in enumerate(signs, start=1))
    parts = (asked[0], numbered) if first else (numbered, asked[0])

    reading = read_answer(("\n" if first else separator).join(parts), question(len(signs)))

    kinds = {"+": Finding.CONFIRMED, "-": Finding.DENIED, "?": Finding.UNKNOWN}
    assert reading.findings == {f"P{number}": kinds[sign] for number, sign in enumerate(signs, start=1)}
    assert (reading.observations, reading.problems, reading.queries) == ((), (), (asked[1],))


PIECES = st.sampled_from(
    [text for text, _ in EACH]
    + ["1", "2", "3", "yes", "no", "all", "except", "don't", "know", "死锁", "disk", ",", ".", "?", "，", "为什么磁盘满了", "why", "the"]
)


@given(st.lists(PIECES, max_size=10).map(" ".join), st.integers(0, 4))
def test_any_mixture_is_read(text, size):
    """D29."""
    reading = read_answer(text, question(size))

    assert set(reading.findings) <= {f"P{number}" for number in range(1, size + 1)}
    assert all(observation.strip() for observation in reading.observations)
    assert list(reading.queries) == [query for query in UserQuery if query in reading.queries]


@pytest.mark.parametrize(
    "unit", ["why ", "why, ", "ok ", "explain ", "为什么还要", "1 yes why, ", "why 1 and ", "which possible causes are ", "目前"]
)
def test_a_repeated_question_is_read_in_linear_time(unit):
    """D29: no answer keeps a worker busy (the suite's timeout would)."""
    read_answer(unit * (20_000 // len(unit)), question(3))
