"""What users said of advice moves it: adopted up, ignored down, in jobs of the same class."""

from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.tune.plan import FixKind
from contracts.verdicts import TuningClass
from tests.support.experience import piece
from workers.blackboard.engine import Database
from workers.kinds.tune.experience.feedback import FixFeedback, Votes, VotesOfClass, keep_feedback
from workers.kinds.tune.experience.finding import ExperienceQuery, find_experience
from workers.kinds.tune.experience.index import index_experience

SKEW = TuningClass.DATA_SKEW
PIECES = [
    piece("a", "hot key"),
    piece("b", "hot key", remedies=(FixKind.BROADCAST_JOIN,)),
    piece("c", "hot key", remedies=(FixKind.BROADCAST_JOIN, FixKind.REPARTITION)),
]


@pytest.fixture
def db(database: Database) -> Database:
    index_experience(database, None, PIECES)
    return database


def say(db: Database, verdict: str, *ids: str, kind: FixKind = FixKind.SALT, job: UUID | None = None, of: TuningClass = SKEW) -> None:
    word = FixFeedback("F1", ids, kind, "adopted" if verdict == "adopted" else "ignored")
    with db.session() as connection, connection.transaction():
        keep_feedback(connection, job or uuid4(), of, [word])


def found(db: Database, tuning_class: TuningClass = SKEW) -> list[tuple[str, int, int]]:
    items = find_experience(db, None, ExperienceQuery({tuning_class: 1.0, SKEW: 0.9}, words="hot key")).items
    return [(item.experience_id.removeprefix("mine/"), item.adopted, item.ignored) for item in items]


def test_adopted_advice_rises_and_ignored_advice_sinks(db: Database) -> None:
    """T30: what users took and what they left changes the later rank."""
    assert found(db) == [("a", 0, 0), ("b", 0, 0), ("c", 0, 0)]

    say(db, "adopted", "mine/c")
    say(db, "ignored", "mine/a")

    assert found(db) == [("c", 1, 0), ("b", 0, 0), ("a", 0, 1)]


def test_a_second_word_on_a_fix_of_a_job_takes_the_place_of_the_first(db: Database) -> None:
    job = uuid4()
    say(db, "ignored", "mine/a", job=job)
    say(db, "ignored", "mine/a", job=job)
    say(db, "adopted", "mine/a", job=job)

    assert found(db)[0] == ("a", 1, 0)


def test_a_fix_without_experience_speaks_for_every_piece_with_its_remedy(db: Database) -> None:
    say(db, "adopted", kind=FixKind.BROADCAST_JOIN)

    assert found(db) == [("b", 1, 0), ("c", 1, 0), ("a", 0, 0)]


def test_a_word_in_jobs_of_one_class_says_nothing_in_another(db: Database) -> None:
    say(db, "adopted", "mine/c", of=TuningClass.OTHER)

    assert found(db)[0] == ("a", 0, 0)
    assert found(db, TuningClass.OTHER)[0] == ("c", 1, 0)


def test_feedback_outlives_the_wording_and_the_index(db: Database) -> None:
    say(db, "adopted", "mine/c")

    index_experience(db, None, [])
    index_experience(db, None, [*PIECES[:2], piece("c", "hot key, told anew")])

    assert found(db)[0] == ("c", 1, 0)


def test_advice_that_does_not_fit_does_not_come_first_by_being_liked(db: Database) -> None:
    liked = piece("liked", "memory and garbage", tuning_class=TuningClass.OTHER, kinds=())
    index_experience(db, None, [*PIECES, liked])
    for _ in range(200):
        say(db, "adopted", "mine/liked")

    assert [name for name, _, _ in found(db)] == ["a", "b", "c"], "nothing of it fits, so it is not even ranked"


counts = st.integers(min_value=0, max_value=10_000)


@given(counts, counts)
def test_a_factor_is_neutral_without_words_and_bounded_with_many(adopted: int, ignored: int) -> None:
    assert Votes().factor == 1
    assert 0.5 < Votes(adopted, ignored).factor < 1.5
    assert (Votes(adopted, ignored).factor > 1) == (adopted > ignored)


@given(st.lists(st.tuples(st.floats(min_value=0.001, max_value=1), counts, counts), min_size=2, max_size=8), st.data())
def test_one_more_adoption_never_lowers_a_piece_and_one_more_refusal_never_raises_it(
    pieces: list[tuple[float, int, int]], data: st.DataObject
) -> None:
    chosen = data.draw(st.integers(min_value=0, max_value=len(pieces) - 1))

    def place(more: Votes) -> int:
        """Of the chosen piece, after more was said of it."""
        votes = VotesOfClass({str(n): Votes(a, i) for n, (_, a, i) in enumerate(pieces)}, {})
        votes.of_pieces[str(chosen)] += more
        scores = [score * votes.of(str(n), ()).factor for n, (score, _, _) in enumerate(pieces)]
        return sum(score > scores[chosen] for score in scores)

    assert place(Votes(adopted=1)) <= place(Votes()) <= place(Votes(ignored=1))
