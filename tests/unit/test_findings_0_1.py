"""What version 0.1 stored, with finished sentences and without ids of figures, is still read and shown as it is."""

import json
from pathlib import Path
from typing import Any

import pytest

from contracts.bundles import ArtefactRead
from contracts.spark import LogReading
from contracts.verdicts import Findings
from contracts.whatif import Gain
from tests.support.said import said

STORED: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("findings_0_1.json").read_text("utf-8"))
"""Findings, readings and a gain, as the last release wrote them for two of the samples."""


@pytest.mark.parametrize("sample", STORED)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_sentences_of_the_last_release_are_shown_as_they_are(sample: str, language: str) -> None:
    stored = STORED[sample]["findings"]

    findings = Findings.model_validate(stored)

    assert [said(verdict.summary, language) for verdict in findings.verdicts] == [one["summary"] for one in stored["verdicts"]]
    assert [said(note, language) for note in findings.not_known] == stored["not_known"]
    for verdict, old in zip(findings.verdicts, stored["verdicts"], strict=True):
        shown = [(said(figure.name, language), figure.value, said(figure.source, language)) for figure in verdict.figures]
        assert shown == [(one["name"], one["value"], one["source"]) for one in old["figures"]]
        assert {figure.id for figure in verdict.figures} == {""}


@pytest.mark.parametrize("sample", STORED)
def test_what_the_last_release_has_read_is_shown_as_it_is(sample: str) -> None:
    for stored in STORED[sample]["read"]:
        read = ArtefactRead.model_validate(stored)

        assert (said(read.reason), said(read.summary), said(read.problem)) == (stored["reason"], stored["summary"], stored["problem"] or "")


def test_a_gain_and_a_reading_of_the_last_release_are_shown_as_they_are() -> None:
    stored = STORED["spark_skew"]

    gain, reading = Gain.model_validate(stored["gain"]), LogReading.model_validate(stored["reading"])

    assert [said(gain.method), *map(said, gain.assumptions)] == [stored["gain"]["method"], *stored["gain"]["assumptions"]]
    assert [said(note) for note in reading.notes] == stored["reading"]["notes"]
