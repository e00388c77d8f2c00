"""The steps of the thinking before the information check, made as a role would make them."""

from collections.abc import Sequence

from contracts.bundles import ArtefactRead, Catalogue
from contracts.tune.steps import Classification, Evidence, ExperienceFound, InformationCheck, KeyCode
from contracts.verdicts import Findings
from tests.support.tune_bundles import KINDS, findings_of
from workers.engines.artefacts.kinds import ArtefactKind
from workers.kinds.tune.rules.causes import suppose
from workers.kinds.tune.rules.first_look import classification, classify_by_words
from workers.kinds.tune.rules.recommend import check
from workers.kinds.tune.rules.standing import judge_hypotheses


def checked(
    catalogue: Catalogue,
    read: Sequence[ArtefactRead] = (),
    findings: Findings | None = None,
    description: str = "",
    kinds: dict[str, ArtefactKind] = KINDS,
    key_code: KeyCode | None = None,
) -> InformationCheck:
    """The check after the steps before it, as a role would make it."""
    known: Classification = classification(findings, classify_by_words(description, (), catalogue), read)
    code = key_code or KeyCode()
    causes = suppose(known, code, ExperienceFound(query=""), findings, description)
    evidence = Evidence(read=tuple(read), findings=findings or findings_of(), hypotheses=judge_hypotheses(causes, findings, read))
    return check(
        classification=known,
        causes=causes,
        evidence=evidence,
        key_code=code,
        catalogue=catalogue,
        kinds=kinds,
        description=description,
    )
