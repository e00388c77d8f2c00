"""The retriever's step of a tuning job, and `bullpen skills`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.bundles import ArtefactRead
from contracts.roles import RoleName
from contracts.tune.request import TuneRequest
from contracts.tune.steps import Classification, ExperienceFound, KeyCode, KeySpot
from contracts.verdicts import ClassScore, TuningClass, VerdictKind
from tests.support.commands import Commands
from tests.support.context import step_context
from tests.support.experience import write_pack
from workers.blackboard.engine import Database
from workers.llm import Embedder
from workers.roles.registry import find_task
from workers.settings import Settings


@dataclass
class Served:
    database: Database
    embedder: Embedder | None
    settings: Settings


def retrieved(db: Database, classification: Classification, code: KeyCode | None = None, **request: Any) -> ExperienceFound:
    needs = {
        "input": TuneRequest(bundle="x", **request).to_json(),
        "classification": classification.to_json(),
        "key_code": (code or KeyCode()).to_json(),
    }
    run = find_task(RoleName.RETRIEVER, "experience.retrieve")
    report = run(step_context(stage="experience", needs=needs, services=Served(db, None, Settings())))
    assert isinstance(report.deliverable, ExperienceFound)
    return report.deliverable


def classified(tuning_class: TuningClass, *kinds: VerdictKind, reasons: tuple[str, ...] = (), read: str = "") -> Classification:
    return Classification(
        tuning_class=tuning_class,
        scores=(ClassScore(tuning_class=tuning_class, score=0.7),),
        kinds=kinds,
        reasons=reasons,
        read=(ArtefactRead(name="x", kind=read, round=0, reason="first"),) if read else (),
    )


def test_the_step_indexes_the_packs_and_finds_by_class_reasons_and_code(database: Database) -> None:
    """T27: experience is there before the steps that use it."""
    spot = KeySpot(artefact="job.py", line=14, operation="join", text="a.join(b)", why="joins by customer_id, half of the keys are -1")

    found = retrieved(database, classified(TuningClass.DATA_SKEW, VerdictKind.DATA_SKEW), KeyCode(spots=(spot,)))

    assert found.items[0].experience_id == "tune-skew/sentinel-keys"
    assert "filter_sentinel" in found.items[0].remedies
    assert found.query.startswith("data_skew; data_skew; join joins by customer_id")


def test_before_anything_was_measured_the_users_words_choose(database: Database) -> None:
    found = retrieved(database, classified(TuningClass.NONE), description="作业写了太多小文件，任务只有几毫秒")

    assert found.items[0].experience_id == "tune-other/small-files"
    assert {item.language for item in found.items} == {"zh"}


def test_the_reports_language_is_that_of_the_request(database: Database) -> None:
    found = retrieved(database, classified(TuningClass.OTHER, VerdictKind.SPILL), description="数据倾斜", language="en")

    assert {item.language for item in found.items} == {"en"}


def test_a_scope_job_gets_no_advice_for_spark_alone(database: Database) -> None:
    skew = (TuningClass.DATA_SKEW, VerdictKind.DATA_SKEW)

    scope = retrieved(database, classified(*skew, read="scope_script", reasons=("adaptive execution aqe",)))
    either = retrieved(database, classified(*skew, reasons=("adaptive execution aqe",)))

    assert "tune-skew/aqe-skew-join" not in [item.experience_id for item in scope.items]
    assert "tune-skew/aqe-skew-join" in [item.experience_id for item in either.items]


def test_packs_of_ones_own_stand_beside_the_shipped_ones_and_replace_those_of_their_name(bullpen: Commands, tmp_path: Path) -> None:
    write_pack(tmp_path / "own", "tune-mine", en="## Mine {#mine}\n\nDo.\n")
    write_pack(tmp_path / "own", "tune-other", en="## Ours {#ours}\n\nDo.\n")
    bullpen.setenv(skills=f"shipped,{tmp_path / 'own'}")

    packs = bullpen.json("skills", "list")["packs"]
    listed = {pack["name"]: pack["pieces"] for pack in packs if pack["name"].startswith("tune-")}

    assert listed == {"tune-mine": 1, "tune-other": 1, "tune-shuffle": 11, "tune-skew": 10}
    assert "tune-mine" in bullpen.out("skills", "list")


def test_a_broken_pack_is_told_of_and_the_others_are_indexed(bullpen: Commands, tmp_path: Path) -> None:
    write_pack(tmp_path, "broken", front="name: [\n")
    write_pack(tmp_path, "whole", en="## Whole {#whole}\n\nDo.\n")
    bullpen.setenv(skills=str(tmp_path))

    result = bullpen("skills", "reindex")
    again = bullpen.json("skills", "reindex")

    assert result.exit_code == 0
    assert "1 pieces of 1 packs indexed" in result.stdout
    assert "broken/SKILL.md, line 2: The front matter is not YAML" in " ".join(result.stderr.split())
    assert (again["stored"], again["removed"], len(again["problems"])) == (1, 0, 1)
