"""The collector's work is done between steps."""

import gc

from workers.app.garbage import tidy


def test_many_new_objects_are_looked_at_and_few_are_left_for_later():
    gc.collect()
    gc.disable()
    try:
        few = [[number] for number in range(100)]
        before = gc.get_count()[0]
        tidy()
        assert gc.get_count()[0] >= before

        many = [[number] for number in range(10_000)]
        tidy()
        assert gc.get_count()[0] < 4_000
    finally:
        gc.enable()
    assert len(few) + len(many) == 10_100
