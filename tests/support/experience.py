"""Pieces of experience and skill packs for tests, and jobs of kind `tune` that end in a given report."""

from pathlib import Path
from typing import Any

import pytest

from contracts.reports import Report, completed
from contracts.roles import RoleName
from contracts.stages import INPUT, StageSpec
from contracts.tune.plan import Fix, FixKind, Risk, TuningReport
from contracts.tune.request import TuneRequest
from contracts.tune.steps import Classification
from contracts.verdicts import TuningClass, VerdictKind
from workers.coordinator import playbooks
from workers.kinds.tune.experience.index import Piece
from workers.roles import registry
from workers.roles.base import StepContext

SHIPPED = Path(__file__).parents[2] / "skills"


def piece(slug: str, text: str = "something to do", **more: Any) -> Piece:
    """A piece of advice about skew by spark or scope, in English by default."""
    facts: dict[str, Any] = {
        "pack": "mine", "slug": slug, "language": "en", "title": slug, "tuning_class": TuningClass.DATA_SKEW,
        "kinds": (VerdictKind.DATA_SKEW,), "engines": ("spark", "scope"), "remedies": (FixKind.SALT,), "priority": 0, "text": text,
    }  # fmt: skip
    return Piece(**(facts | more))


def write_pack(folder: Path, name: str = "mine", *, front: str | None = None, **languages: str) -> Path:
    """A pack of kind tune in a folder, with experience files by language (`en="..."`)."""
    pack = folder / name
    pack.mkdir(parents=True)
    text = f"name: {name}\ndescription: Ours.\nmetadata:\n  title: Mine\n  kind: tune\n  class: data_skew\n" if front is None else front
    (pack / "SKILL.md").write_text(f"---\n{text}---\n\nHow to.\n", encoding="utf-8")
    for language, experience in languages.items():
        (pack / f"experience.{language}.md").write_text(experience, encoding="utf-8")
    return pack


def fix(number: int, kind: FixKind, *experience: str) -> Fix:
    """A fix of a report, taken from these pieces."""
    return Fix(fix_id=f"F{number}", kind=kind, title=f"Do {kind}", what="...", risk=Risk.LOW, experience=experience)


def tuning_report(*fixes: Fix) -> TuningReport:
    """A report on a skewed job that advises these fixes."""
    return TuningReport(
        language="en",
        headline="Stage 4 is skewed.",
        classification=Classification(tuning_class=TuningClass.DATA_SKEW, scores=()),
        fixes=fixes,
    )


def end_tune_jobs_in(report: TuningReport, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every job of kind `tune` be reviewed at once, with this report as its result."""

    def review(ctx: StepContext) -> Report[TuningReport]:
        return completed(report, "reviewed")

    stages = (StageSpec(name="review", role=RoleName.REVIEWER, task="review.given", needs=(INPUT,)),)
    monkeypatch.setitem(playbooks._playbooks, "tune", playbooks.Playbook("tune", TuneRequest, stages))
    monkeypatch.setitem(registry._tasks, (RoleName.REVIEWER, "review.given"), review)
