"""When two wordings say one thing, and that the quick ways of finding out find the same as the plain ones."""

import re
import unicodedata
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from contracts.tickets import PhenomenonCard
from tests.support.cards import evidence, phenomenon
from workers.kinds.diagnose.rules.families import families
from workers.kinds.diagnose.rules.likeness import Wording, jaccard, normalised, overlap, wording
from workers.kinds.diagnose.rules.profiles import OURS

WORDS = ("lock", "locks", "disk", "host", "hosts", "full", "high", "below", "no", "90", "95", "wait_event", "磁盘", "写满")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)


def test_a_possessive_is_no_name_that_tells_two_wordings_apart():
    with_it = Wording("the host's disk is full of temporary files")
    without = Wording("the host disk is full of temporary file logs")

    assert with_it.asks_the_same(without, OURS.wording_bar)
    assert without.asks_the_same(with_it, OURS.wording_bar)


def test_figures_may_differ_in_a_rephrasing_and_names_on_one_side_only():
    one = Wording("most backends wait on wait event tuple above 90")

    assert one.asks_the_same(Wording("most backends wait on wait event tuple above 95"), OURS.wording_bar)
    assert one.asks_the_same(Wording("most backends of one user wait on wait event tuple above 90"), OURS.wording_bar)
    assert not one.asks_the_same(Wording("most backends wait on wait event vacuum above 90"), OURS.wording_bar)


@given(st.text(alphabet=st.characters(max_codepoint=127)) | st.text(alphabet="锁 aＡ1１，,：；（）！？％_\u0338é"))
def test_ascii_and_chinese_are_normalised_as_any_text_is(text: str):
    folded = unicodedata.normalize("NFKC", text).casefold()

    assert normalised(text) == re.sub(r"[\W_]+", " ", folded).strip()


@given(TEXTS, TEXTS)
def test_a_short_text_is_no_other_look_at_a_passage(one: str, other: str):
    """However the lengths are compared first, the answer is that of the trigrams."""
    mine, theirs = Wording(one), Wording(other)
    least = min(len(mine.grams), len(theirs.grams))

    for passage in (5, 20, 60):
        expected = least >= passage and len(mine.grams & theirs.grams) >= 0.5 * least
        assert mine.looks_again(theirs, 0.5, passage) == expected


@given(TEXTS | st.text(max_size=4), TEXTS | st.text(max_size=4))
def test_trigrams_that_are_counted_overlap_as_much_as_those_that_are_kept(one: str, other: str):
    mine, theirs = Wording(one), Wording(other)

    found = jaccard(mine.grams, theirs.grams)
    for above in (0.0, 0.3, 0.7):
        assert overlap(mine, theirs.plain, above) == (found if found > above else 0.0)


def cards_of(texts: list[str]) -> tuple[PhenomenonCard, ...]:
    return tuple(phenomenon(f"P-{at:03}", {"C": 1}, text=text) for at, text in enumerate(texts))


@given(st.lists(TEXTS, max_size=12, unique=True), st.integers(0, 60))
def test_families_are_the_near_equal_wordings_however_many_there_are(texts: list[str], others: int):
    """Few wordings are compared each with each, many by their rarest trigrams first; the families are the same."""
    stems = "no lock on the disk of the host"
    texts += [f"{stems} {'the ' * (at % 7)}a{'n' * (at % 5)} {'of ' * at}" for at in range(others)]  # one set of stems for all
    wordings = [wording(text) for text in texts]

    found = families(evidence((), cards_of(texts)), OURS)

    together = {frozenset(pair) for family in found for pair in combinations(family.ids, 2)}
    for one, other in combinations(range(len(texts)), 2):
        if wordings[one].is_same(wordings[other], OURS.same_bar):
            assert frozenset((f"P-{one:03}", f"P-{other:03}")) in together
    for family in found:
        for one in family.wordings:
            assert len(family.wordings) == 1 or any(one is not other and one.is_same(other, OURS.same_bar) for other in family.wordings)


@given(TEXTS, TEXTS)
def test_near_equal_wordings_share_what_the_bar_asks_for(one: str, other: str):
    mine, theirs = Wording(one), Wording(other)

    if mine.is_same(theirs, 0.8) and mine.plain != theirs.plain:
        assert jaccard(mine.grams, theirs.grams) >= 0.8
        assert mine.stems == theirs.stems
