"""`bullpen purge` and the artefact store: what no job needs goes, what one of them shares stays."""

import os
import time
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import fsspec
import pytest

from tests.support.bundles import folder_of
from tests.support.commands import Commands
from tests.support.tune_jobs import SAMPLES
from workers.blackboard import quarantine
from workers.bundles import bring, open_job_bundle, open_store, purge_store
from workers.bundles.keys import BLOBS, BUNDLES
from workers.cli import context
from workers.errors import NotFound

SHARED = {"lib.py": b"import pyspark\n"}
DAY_S = 86_400


def upload(tmp_path: Path, name: str, files: dict[str, bytes]) -> str:
    settings = context.settings()
    return bring(context.database(), settings, [folder_of(tmp_path / name, files)], owner="default").ref


def grow_old(tmp_path: Path, days: int = 40) -> None:
    """Everything in the store is as old as this."""
    then = time.time() - days * DAY_S
    for file in (tmp_path / "home" / "artefacts").rglob("*"):
        os.utime(file, (then, then))


def ended_long_ago(bullpen: Commands, job_id: UUID, days: int = 40) -> None:
    bullpen.out("cancel", job_id)
    told = {"id": job_id, "days": days}
    bullpen.db.statement("UPDATE jobs SET finished_at = finished_at - make_interval(days => %(days)s) WHERE id = %(id)s", told)


def kept(bullpen: Commands) -> tuple[int, int]:
    """Bundles and files of the store."""
    store = open_store(context.settings())
    return len(list(store.keys(BUNDLES))), len(list(store.keys(BLOBS)))


def contents(ref: str) -> dict[str, bytes]:
    bundle = open_job_bundle(ref, context.settings())
    return {one.name: bundle.source(one.name).path.read_bytes() for one in bundle.catalogue.artefacts}


def test_the_files_of_a_purged_job_go_and_a_file_that_another_shares_stays(bullpen: Commands, tmp_path: Path) -> None:
    live_files = SHARED | {"b.py": b"b = 1\n"}
    old, live = upload(tmp_path, "old", SHARED | {"a.py": b"a = 1\n"}), upload(tmp_path, "live", live_files)
    ended, goes_on = bullpen.submit(old, kind="tune"), bullpen.submit(live, kind="tune")
    ended_long_ago(bullpen, ended)
    grow_old(tmp_path)

    plan = bullpen.json("purge", "--older-than", "30d", "--dry-run")
    before = kept(bullpen)
    done = bullpen.json("purge", "--older-than", "30d", "--yes")

    assert plan["artefacts"] == done["artefacts"] == {"bundles": 1, "files": 1, "bytes": 6}
    assert (before, kept(bullpen)) == ((2, 3), (1, 2))
    assert contents(live) == live_files
    assert [row["id"] for row in bullpen.json("jobs")] == [str(goes_on)]
    with pytest.raises(NotFound):
        open_job_bundle(old, context.settings())


def test_what_a_live_job_took_in_from_a_path_stays(bullpen: Commands, tmp_path: Path) -> None:
    bullpen.setenv(bundle_roots=str(SAMPLES))
    job_id = bullpen.submit("--set", f"bundle={SAMPLES / 'spark_skew'}", kind="tune")
    bullpen.run_all()
    grow_old(tmp_path)
    before = kept(bullpen)

    bullpen.out("purge", "--older-than", "30d", "--yes")
    stays = kept(bullpen)
    bullpen.db.statement("UPDATE jobs SET finished_at = now() - interval '31 days' WHERE id = %(id)s", {"id": job_id})
    bullpen.out("purge", "--older-than", "30d", "--yes")

    assert stays == before
    assert before[0] == 1
    assert kept(bullpen) == (0, 0)


def test_an_upload_that_no_job_names_yet_is_spared_for_a_day(bullpen: Commands, tmp_path: Path) -> None:
    upload(tmp_path, "young", SHARED)

    young = bullpen.json("purge", "--older-than", "1m", "--yes")["artefacts"]
    grow_old(tmp_path, days=2)
    old = bullpen.json("purge", "--older-than", "1m", "--yes")["artefacts"]

    assert young == {"bundles": 0, "files": 0, "bytes": 0}
    assert old == {"bundles": 1, "files": 1, "bytes": 15}


def test_what_is_uploaded_again_is_young_again(bullpen: Commands, tmp_path: Path) -> None:
    upload(tmp_path, "old", SHARED)
    grow_old(tmp_path)
    ref = upload(tmp_path, "again", SHARED)

    bullpen.out("purge", "--older-than", "30d", "--yes")

    assert contents(ref) == SHARED


def test_a_submission_in_quarantine_keeps_its_files(bullpen: Commands, tmp_path: Path) -> None:
    ref = upload(tmp_path, "later", SHARED)
    body = f'{{"job": {{"kind": "later", "bundle": "{ref}"}}}}'.encode()
    entry = quarantine.put(bullpen.db, source="test", cause="InvalidSubmission", message="why", body=body)
    grow_old(tmp_path)

    bullpen.out("purge", "--older-than", "30d", "--yes")
    stays = contents(ref)
    bullpen.out("quarantine", "give-up", entry)
    bullpen.out("purge", "--older-than", "30d", "--yes")

    assert stays == SHARED
    assert kept(bullpen) == (0, 0)


def test_the_store_may_be_left_alone_and_nothing_goes_without_a_yes(bullpen: Commands, tmp_path: Path) -> None:
    upload(tmp_path, "old", SHARED)
    grow_old(tmp_path)

    told = bullpen.fails("purge", "--older-than", "30d", code=2)
    bullpen.out("purge", "--older-than", "30d", "--keep-files")

    assert "of the artefact store 1 bundle and 1 file (15 B). Say --yes, or --dry-run" in told
    assert kept(bullpen) == (1, 1)


def test_a_far_store_is_purged_as_a_folder_is(bullpen: Commands, tmp_path: Path) -> None:
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    bullpen.setenv(artefact_store="memory://bucket/purged")
    old, live = upload(tmp_path, "old", SHARED | {"a.py": b"a = 1\n"}), upload(tmp_path, "live", SHARED)
    bullpen.submit(live, kind="tune")
    for file in memory.store.values():
        file.modified -= timedelta(days=40)
    again = upload(tmp_path, "again", {"c.py": b"c = 1\n"})

    done = purge_store(bullpen.db, open_store(context.settings()), timedelta(days=30))

    assert (done.bundles, done.files) == (1, 1)
    assert contents(live) == SHARED
    assert contents(again) == {"c.py": b"c = 1\n"}
    with pytest.raises(NotFound):
        open_job_bundle(old, context.settings())
