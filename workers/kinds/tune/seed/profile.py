"""The `seed` profile as a recommender beside ours: the same inputs, as far as it knows them."""

from collections.abc import Mapping, Sequence

from contracts.bundles import Catalogue
from contracts.tune.steps import InformationCheck
from contracts.verdicts import TuningClass
from workers.engines.artefacts.kinds import ArtefactKind
from workers.kinds.tune.seed.choosing import files_of
from workers.kinds.tune.seed.feedback import judge
from workers.kinds.tune.seed.vocabulary import PROBLEM_TYPES


def check(
    tuning_class: TuningClass,
    description: str,
    catalogue: Catalogue,
    read: Sequence[tuple[str, str]],
    kinds: Mapping[str, ArtefactKind],
) -> InformationCheck:
    """Step 4 by the seed. `read` has name and text of what was read, in order; the analysis is the user's words and these texts."""
    analysis = "\n\n".join([description, *(f"【{name}】\n{content}" for name, content in read)])
    last = read[-1][1] if read else ""
    return judge(PROBLEM_TYPES[tuning_class], analysis, files_of(catalogue, kinds), [name for name, _ in read], last)
