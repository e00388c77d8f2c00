"""Which questions are chosen, against the plain way: every one weighed again after each that was chosen."""

import math
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from contracts.tickets import TicketEvidence
from tests.support.cards import cause, evidence, phenomenon
from workers.kinds.diagnose.rules.families import Family, families
from workers.kinds.diagnose.rules.gains import Prospects
from workers.kinds.diagnose.rules.known import Known
from workers.kinds.diagnose.rules.posterior import Belief, Likelihood, believe
from workers.kinds.diagnose.rules.profiles import OURS, Profile
from workers.kinds.diagnose.rules.questions import choose

CAUSES = ("A", "B", "C", "D", "E")
WORDS = ("lock", "disk", "host", "wait", "pool", "page", "vacuum", "index", "query", "table", "redo", "latency")
SHOWN = st.dictionaries(st.sampled_from(CAUSES), st.integers(1, 5), max_size=4)
CARDS = st.lists(st.tuples(SHOWN, st.integers(1, 9), st.sampled_from((0.2, 0.5)), st.sampled_from(("", "look"))), max_size=len(WORDS))
PROFILE = replace(OURS, negligible=0.0, item_share=0.01, per_turn=4)


def chosen_plainly(about: TicketEvidence, belief: Belief, profile: Profile) -> list[str]:
    """Greedy, with nothing left out. All phenomena are told apart, and are in the user's language."""
    confidence = {one.cause_id: one.confidence for one in belief.hypotheses}
    weights = [*(confidence[one.cause_id] for one in about.causes), max(belief.none, 1e-12)]
    prospects = Prospects(Likelihood(about, profile), about.causes)
    branches = [(1.0, prospects.weigh([weight / math.fsum(weights) for weight in weights]))]
    pool = [family for family in families(about, profile) if prospects.of(family)]
    chosen: list[str] = []
    first = 0.0

    def worth(family: Family) -> float:
        prospect = prospects.of(family)
        assert prospect
        gain = math.fsum(share * branch.gain(prospect) for share, branch in branches)
        return gain / (1.0 if family.has_method else profile.effort_without_method)

    while pool and len(chosen) < profile.per_turn:
        best = min(pool, key=lambda family: (-worth(family), -family.similarity, family.key))
        first = first or worth(best)
        if worth(best) < max(profile.least_gain, profile.item_share * first if chosen else 0.0):
            break
        chosen.append(best.key)
        pool.remove(best)
        prospect = prospects.of(best)
        assert prospect
        split = [(share, branch.after(prospect)) for share, branch in branches]
        branches = [(share * yes, prospects.weigh(confirmed)) for share, (yes, confirmed, _) in split]
        branches += [(share * (1.0 - yes), prospects.weigh(denied)) for share, (yes, _, denied) in split]
    return chosen


@given(st.lists(st.integers(1, 9), min_size=len(CAUSES), max_size=len(CAUSES)), CARDS)
def test_what_need_not_be_weighed_again_changes_no_choice(sizes: list[int], cards: list[tuple[dict[str, int], int, float, str]]):
    """Also between phenomena that are worth the same."""
    causes = tuple(cause(name, tickets) for name, tickets in zip(CAUSES, sizes, strict=True))
    phenomena = (
        phenomenon(f"P{at}", shown, causes=count, near=near, text=WORDS[at], method=method)
        for at, (shown, count, near, method) in enumerate(cards)
    )
    about = evidence(causes, tuple(phenomena))
    belief = believe(about, (), PROFILE)

    found = choose(about, families(about, PROFILE), belief, Known(), PROFILE, "en")

    assert [family.key for family in found] == chosen_plainly(about, belief, PROFILE)
