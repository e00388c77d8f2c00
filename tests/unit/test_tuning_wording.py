"""The texts of plans and verdicts in both languages."""

import string
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.tune.plan import Risk
from contracts.verdicts import Figure, Severity, TuningClass, Unit, Verdict, VerdictKind
from tests.support.advice import generated_cases
from workers.engines import human
from workers.kinds.tune.rules import wording
from workers.kinds.tune.rules.advice.objection_words import TEXTS
from workers.kinds.tune.rules.advice.settings import KNOWN
from workers.kinds.tune.rules.advice.wording import NOT_ADVISED, PHRASES, REMEDIES, SETTING_CONS, SETTINGS
from workers.kinds.tune.rules.advice.words import Words


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def all_of(words: Words) -> set[str]:
    texts = chain((words.title, words.what, words.risk), words.pros, words.cons, words.verify)
    return set[str]().union(*(placeholders(text) for text in texts))


def test_both_languages_have_the_same_texts_with_the_same_placeholders() -> None:
    """T27."""
    for tables in (PHRASES, SETTINGS, SETTING_CONS, NOT_ADVISED, TEXTS):
        english, chinese = tables["en"], tables["zh"]
        assert english.keys() == chinese.keys()
        assert {name: placeholders(english[name]) for name in english} == {name: placeholders(chinese[name]) for name in chinese}
    assert REMEDIES["en"].keys() == REMEDIES["zh"].keys()
    for name, words in REMEDIES["en"].items():
        other = REMEDIES["zh"][name]
        assert all_of(words) == all_of(other), name
        for part in ("pros", "cons", "verify"):
            assert len(getattr(words, part)) == len(getattr(other, part)), (name, part)


def test_every_setting_that_is_known_has_its_reason() -> None:
    """T31."""
    assert SETTINGS["en"].keys() == KNOWN.keys()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_word_of_a_report_has_a_name(language: str) -> None:
    """T27."""
    assert wording.CLASSES[language].keys() == set(TuningClass)
    assert wording.SEVERITIES[language].keys() == set(Severity)
    assert wording.RISKS[language].keys() == set(Risk)
    assert wording.KINDS[language].keys() == set(VerdictKind)
    assert set(wording.wording_zh.SENTENCES) == set(VerdictKind)


def test_every_verdict_of_the_generated_cases_is_told_in_chinese_with_its_numbers(eval_data: Path) -> None:
    """T27: and no figure goes without a Chinese name."""
    for case in generated_cases(eval_data):
        for verdict in case.findings.verdicts:
            told = wording.summary(verdict, "zh")
            assert any(char.isdigit() for char in told), told
            assert told != verdict.summary
            assert wording.summary(verdict, "en") == verdict.summary
            for figure in verdict.figures:
                assert wording.figure_name(figure, "zh") != figure.name, figure.name


def test_a_verdict_without_its_usual_figures_is_still_named() -> None:
    """T27."""
    verdict = Verdict(kind=VerdictKind.SPILL, severity=Severity.PROBLEM, summary="Spilled.")

    assert wording.summary(verdict, "zh") == "内存溢写（spill）。"


@given(st.text(max_size=50), st.floats(min_value=0, max_value=1e15), st.sampled_from(list(VerdictKind)), st.sampled_from(list(Unit)))
def test_any_figure_can_be_told(name: str, value: float, kind: VerdictKind, unit: Unit) -> None:
    """T27: braces in a name are no placeholders."""
    figure = Figure(name=name, value=value, unit=unit, source="log")
    verdict = Verdict(kind=kind, severity=Severity.HINT, summary="One.", figures=(figure,))

    assert wording.summary(verdict, "zh")
    assert wording.figure_text(figure, "en").startswith(figure.name)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (human.count(1_500_000, "en"), "1.5 million"),
        (human.count(1_500_000, "zh"), "150 万"),
        (human.count(9_999, "en"), "9,999"),
        (human.count(150_001, "en"), "150,001"),
        (human.count(1_635_061, "en"), "1.64 million"),
        (human.count(2_900_000_000, "en"), "2.9 billion"),
        (human.duration(3_465_000, "en"), "58 min"),
        (human.duration(3_465_000, "zh"), "58 分钟"),
        (human.duration(599_000, "en"), "9 min 59 s"),
        (human.counted(1, "warning"), "1 warning"),
        (human.counted(12_416, "task attempt"), "12,416 task attempts"),
        (human.counted(2, "vertex"), "2 vertices"),
        (human.share(0.381), "38 %"),
        (human.share(0.004), "0.4 %"),
        (human.size(2.3 * (1 << 30)), "2.3 GiB"),
        (human.duration(250_000, "en"), "4 min 10 s"),
        (human.duration(250_000, "zh"), "4 分 10 秒"),
        (human.duration(7_500_000, "en"), "2 h 5 min"),
        (human.duration(12_340, "en"), "12.3 s"),
        (human.figure_value(71.2, Unit.RATIO, "zh"), "71.2 倍"),
    ],
)
def test_numbers_are_told_as_people_read_them(told: str, expected: str) -> None:
    """T27."""
    assert told == expected
