"""What holds of our recommender whatever a bundle has and whatever was read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.bundles import ArtefactRead, Catalogue
from contracts.tune.steps import ExperienceFound, KeyCode
from contracts.verdicts import TuningClass, VerdictKind
from tests.support.tune_bundles import KINDS, catalogue_of, findings_of, read_of, verdict_of
from tests.support.tune_steps import checked
from workers.kinds.tune.rules.causes import suppose
from workers.kinds.tune.rules.first_look import classify_by_words
from workers.kinds.tune.rules.recommend.choosing import MOST
from workers.kinds.tune.rules.recommend.needs import needs_of, score

artefacts = st.lists(st.tuples(st.sampled_from(sorted(KINDS)), st.integers(0, 1 << 34)), max_size=12).map(
    lambda drawn: catalogue_of(*((f"f{place}", kind, size) for place, (kind, size) in enumerate(drawn)))
)
verdicts = st.lists(st.builds(verdict_of, st.sampled_from(VerdictKind), st.floats(0, 1)), max_size=4)


@given(artefacts, verdicts, st.data())
def test_any_bundle_gives_bounded_scores_and_unread_artefacts(catalogue: Catalogue, found: list, data: st.DataObject) -> None:
    """T14, T22: of whatever kinds and sizes, whatever was read."""
    some = data.draw(st.lists(st.sampled_from(catalogue.artefacts), unique=True)) if catalogue.artefacts else []
    read = [read_of(one.name, one.kind, *sorted(KINDS[one.kind].tells)) for one in some if KINDS[one.kind].tells]

    result = checked(catalogue, read=read, findings=findings_of(*found))

    assert 0 <= result.score <= 1
    assert sum(one.weight for one in result.needs) == pytest.approx(1, abs=0.01)
    assert len(result.recommended) <= MOST
    assert not {one.name for one in read} & {one.name for one in result.recommended}
    assert len({one.name for one in result.recommended}) == len(result.recommended)
    assert all(0 <= one <= 1 for one in result.progress.values())
    assert not (result.sufficient and result.recommended)


@given(artefacts, st.data())
def test_reading_more_never_lowers_the_score(catalogue: Catalogue, data: st.DataObject) -> None:
    """T21: with the same class and hypotheses."""
    read = [read_of(one.name, one.kind, *sorted(KINDS[one.kind].tells)) for one in catalogue.artefacts if KINDS[one.kind].tells]
    part = read[: data.draw(st.integers(0, len(read)))]

    hypotheses = suppose(classify_by_words("", (), catalogue), KeyCode(), ExperienceFound(query=""), None, "").hypotheses

    for one in TuningClass:
        assert score(needs_of(one, hypotheses, part)) <= score(needs_of(one, hypotheses, read))


@given(artefacts, verdicts)
def test_following_the_recommendations_ends(catalogue: Catalogue, found: list) -> None:
    """T26: each round reads something new, so there are at most as many rounds as artefacts."""
    read: list[ArtefactRead] = []
    for _ in range(len(catalogue.artefacts) + 1):
        result = checked(catalogue, read=read, findings=findings_of(*found))
        if not result.recommended:
            break
        read += [ArtefactRead(name=one.name, kind=one.kind, round=1, reason=one.reason) for one in result.recommended]

    assert not checked(catalogue, read=read, findings=findings_of(*found)).recommended
