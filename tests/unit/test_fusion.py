"""Several rankings made into one."""

import pytest

from workers.retrieval.fusion import best_first, fuse, ranks, with_lead
from workers.retrieval.pointers import in_line
from workers.retrieval.words import idf, worth_searching

GOOD, WEAK = [("a", 3.0), ("b", 2.0)], [("c", 9.0), ("b", 1.0)]


def test_a_weak_ranking_weighs_as_little_as_it_is_given():
    assert fuse((1.0, GOOD), (0.1, WEAK))["a"] > fuse((1.0, GOOD), (0.1, WEAK))["c"]
    assert fuse((0.1, GOOD), (1.0, WEAK))["a"] < fuse((0.1, GOOD), (1.0, WEAK))["c"]
    assert fuse((1.0, GOOD), (0.0, WEAK)) == fuse((1.0, GOOD))


def test_first_in_every_ranking_is_1():
    assert fuse((1.0, GOOD), (0.5, GOOD))["a"] == 1.0
    assert fuse((1.0, GOOD), k=10)["b"] == pytest.approx(11 / 12, abs=1e-6)


def test_equal_scores_share_a_place():
    assert ranks([("a", 2.0), ("b", 2.0), ("c", 1.0)]) == {"a": 1, "b": 1, "c": 3}


def test_a_pointer_says_one_line():
    """E6: a pointer is a light card."""
    assert in_line("slow\n  since noon") == "slow since noon"
    assert len(in_line("x" * 500)) == 160


def test_the_rarest_words_are_searched_first_and_always():
    counts = {"slow": 900, "deadlock": 3, "disk": 80, "gone": 0}

    assert worth_searching(counts, counts, visits=100) == ["deadlock", "disk"]
    assert worth_searching(counts, ["slow"], visits=100) == ["slow"]
    assert idf(1_000, 3) > idf(1_000, 900) > 0


def test_what_is_first_by_meaning_is_among_the_first_together():
    words = [(f"w{place}", 1 - place / 100) for place in range(30)]
    meaning = [("m", 0.9), *((f"w{place}", 0.8 - place / 100) for place in range(5))]
    fused = fuse((1.0, [*words, ("m", 0.1)]), (0.5, meaning))
    led = with_lead(fused, meaning, 3)

    assert best_first(fused.items()).index("m") > 2
    assert best_first(led.items())[2] == "m"
    assert [hit for hit in best_first(led.items()) if hit != "m"] == [hit for hit in best_first(fused.items()) if hit != "m"]
    assert with_lead(led, meaning, 3) == led
    assert with_lead(fused, [], 3) == fused
