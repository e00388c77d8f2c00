"""The texts of `tune`: each code that the source uses is in the catalogues of both languages, and each remedy says what they take."""

import re
from enum import StrEnum
from pathlib import Path

import pytest

from contracts.bundles import Information
from contracts.scope import PlanOperatorKind
from contracts.spark_time import TimePart
from contracts.statements import name, say
from contracts.tune.plan import FixKind, OrderedBy, Risk
from contracts.tune.runs import RunEnd
from contracts.verdicts import Severity, TuningClass, VerdictKind
from tests.support.said import said
from tests.support.texts import CodesUsed, catalogue_problems, codes_used
from workers.kinds.tune.kind import KIND
from workers.kinds.tune.rules.advice.objections import PairRule, Rule
from workers.kinds.tune.rules.advice.remedy_texts import TEXTS
from workers.kinds.tune.rules.advice.settings import AGAINST, KNOWN, setting_text
from workers.kinds.tune.rules.by_model.fixes import Dropped
from workers.kinds.tune.rules.known_causes import KNOWN as CAUSES
from workers.kinds.tune.rules.refuting import MEASURES
from workers.saying.po import read_po

LANGUAGES = ("en", "zh")
TUNE = Path(KIND.locale or "").parent


def members(name: str, kinds: list[VerdictKind]) -> type[StrEnum]:
    """An enum of some of the kinds."""
    return StrEnum(name, {kind.name: kind.value for kind in kinds})


ENUMS = {
    "tune.class": [TuningClass],
    "tune.kind": [VerdictKind],
    "tune.severity": [Severity],
    "tune.risk": [Risk],
    "tune.time": [TimePart],
    "tune.run_end": [RunEnd],
    "tune.ordered": [OrderedBy],
    "tune.generated": [PlanOperatorKind],
    "tune.fix_kind": [FixKind],
    "tune.information": [Information],
    "tune.objection": [Rule],
    "tune.objection.pair": [PairRule],
    "tune.model.dropped": [Dropped],
    "tune.cause": [members("Cause", list(CAUSES))],
    "tune.verify": [members("Verified", list(CAUSES))],
    "tune.measure": [members("Measured", list(MEASURES))],
}


STORED = {"tune.headline.by_plan": frozenset[str](), "tune.headline.by_script": frozenset({"finding"})}
"""Said no longer, while stored reports have them: a code keeps its placeholders."""


def used_codes() -> CodesUsed:
    used = codes_used([TUNE], ENUMS)
    for code, names in STORED.items():
        used.add(code, names)
    for remedy, texts in TEXTS.items():
        for part, names in texts.named():
            used.add(f"tune.fix.{remedy}.{part}", frozenset(names.split()))
    for part, settings in (("why", KNOWN), ("con", AGAINST)):
        for setting in settings:
            used.add(setting_text(part, setting).code, frozenset())
    return used


def test_every_code_of_tune_is_in_the_catalogues_of_both_languages() -> None:
    assert catalogue_problems(TUNE / "locale", used_codes()) == []


def test_the_first_sentence_of_a_stored_report_has_no_hole() -> None:
    finding = name("three reads of visits")

    assert "{" not in said(say("tune.headline.by_plan"))
    assert said(say("tune.headline.by_script", finding=finding)) == "By the script alone: three reads of visits"


@pytest.mark.parametrize("remedy", TEXTS)
def test_the_texts_of_a_remedy_take_the_values_that_it_declares(remedy: str) -> None:
    for language in LANGUAGES:
        messages = read_po(TUNE / "locale" / language / "LC_MESSAGES" / "fixes.po")
        for part, names in TEXTS[remedy].named():
            assert messages[f"tune.fix.{remedy}.{part}"].placeholders == frozenset(names.split()), (language, part)


def test_a_word_of_spark_is_written_one_way_in_chinese() -> None:
    """Stage and stage, Driver and driver stood in one report, and SCOPE's vertex was English where its files call it 顶点."""
    folders = (TUNE / "locale", TUNE.parents[1] / "engines" / "locale")
    texts = [
        line
        for folder in folders
        for path in folder.glob("zh/LC_MESSAGES/*.po")
        if path.stem in OF_TUNE
        for line in path.read_text("utf-8").splitlines()
    ]
    prose = [PLACED.sub("", text) for text in texts if text.startswith("msgstr")]

    assert [text for text in prose if OTHERWISE.search(text)] == []


OF_TUNE = ("advice", "causes", "fixes", "report", "runs", "steps", "terms", "spark", "verdicts", "scope")
PLACED = re.compile(r"\{[^}]*\}|`[^`]*`|^msgstr\S* ")
OTHERWISE = re.compile(r"(?<![\w.-])(?:stages?|Driver|Shuffle|Executor|Task|vertex|action)(?![\w.-])", re.ASCII)
