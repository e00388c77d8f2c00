"""The changes of a report as patches: what `git apply` takes."""

import subprocess
from pathlib import Path

import pytest

from contracts.tune.plan import Fix, FixKind, Risk, Setting, TuningReport
from contracts.tune.steps import Classification
from contracts.verdicts import TuningClass
from workers.kinds.registry import load_kinds
from workers.kinds.result_files import safe_files
from workers.kinds.tune.files import ADVISED, SETTINGS, files, patch_of
from workers.kinds.tune.rules.advice.rewrites.patches import diff_of

load_kinds(())

OLD = "".join(f"line {number}\n" for number in range(1, 41))


def changed(*pairs: tuple[str, str], old: str = OLD) -> str:
    new = old
    for before, after in pairs:
        new = new.replace(before, after)
    return new


def fix(number: int, diff: str, *instead_of: str, name: str = "jobs/nightly.py", settings: tuple[Setting, ...] = ()) -> Fix:
    return Fix(fix_id=f"F{number}", kind=FixKind.OTHER, title="t", what="w", verdicts=(number,), risk=Risk.LOW, diff=diff,
               artefact=name if diff else "", instead_of=instead_of, configuration=settings)  # fmt: skip


def held(*fixes: Fix) -> dict[str, str]:
    report = TuningReport(
        language="en", headline="x", classification=Classification(tuning_class=TuningClass.OTHER, scores=()), fixes=fixes
    )
    return {file.path: file.text for file in files(report.to_json())}


def applied(folder: Path, patch: str, old: str = OLD) -> str:
    script = folder / "jobs" / "nightly.py"
    script.parent.mkdir(exist_ok=True)
    script.write_bytes(old.encode())
    (folder / "x.patch").write_bytes(patch.encode())
    subprocess.run(["git", "apply", "x.patch"], cwd=folder, check=True, capture_output=True)
    return script.read_bytes().decode()


def test_the_changes_of_all_fixes_that_go_together_are_one_patch(tmp_path: Path) -> None:
    late = diff_of("jobs/nightly.py", OLD, changed(("line 30\n", "line thirty\nand more\n")))
    early = diff_of("jobs/nightly.py", OLD, changed(("line 3\n", "a\nb\nc\n"), ("line 20\n", "")))
    other = diff_of("jobs/nightly.py", OLD, changed(("line 3\n", "instead\n")))
    found = held(fix(1, late), fix(2, early), fix(3, other, "F2"))

    assert set(found) == {ADVISED, "fixes/F1.patch", "fixes/F2.patch", "fixes/F3.patch"}
    wanted = changed(("line 3\n", "a\nb\nc\n"), ("line 20\n", ""), ("line 30\n", "line thirty\nand more\n"))
    assert applied(tmp_path, found[ADVISED]) == wanted
    assert applied(tmp_path, found["fixes/F3.patch"]) == changed(("line 3\n", "instead\n"))


def test_of_two_changes_of_the_same_lines_the_first_one_is_taken(tmp_path: Path) -> None:
    first = diff_of("jobs/nightly.py", OLD, changed(("line 3\n", "first\n")))
    second = diff_of("jobs/nightly.py", OLD, changed(("line 4\n", "second\n")))

    assert applied(tmp_path, patch_of([first, second])) == changed(("line 3\n", "first\n"))


def test_what_two_fixes_change_in_the_same_way_is_in_the_patch_once(tmp_path: Path) -> None:
    """Both need an import: the second one was dropped."""
    first = diff_of("jobs/nightly.py", OLD, changed(("line 1\n", "line 1\nimport x\n"), ("line 20\n", "first\n")))
    second = diff_of("jobs/nightly.py", OLD, changed(("line 1\n", "line 1\nimport x\n"), ("line 30\n", "second\n")))
    wanted = changed(("line 1\n", "line 1\nimport x\n"), ("line 20\n", "first\n"), ("line 30\n", "second\n"))

    assert applied(tmp_path, patch_of([first, second])) == wanted
    assert applied(tmp_path, patch_of([second, first])) == wanted


def test_the_patch_knows_how_many_fixes_are_not_in_it() -> None:
    first = diff_of("jobs/nightly.py", OLD, changed(("line 3\n", "first\n")))
    second = diff_of("jobs/nightly.py", OLD, changed(("line 4\n", "second\n")))
    report = TuningReport(
        language="en", headline="x", classification=Classification(tuning_class=TuningClass.OTHER, scores=()),
        fixes=(fix(1, first), fix(2, second)),
    )  # fmt: skip

    assert {file.path: file.left_out for file in safe_files("tune", report.to_json())} == {
        ADVISED: 1, "fixes/F1.patch": 0, "fixes/F2.patch": 0,
    }  # fmt: skip


@pytest.mark.parametrize("old", [OLD.replace("\n", "\r\n"), OLD.rstrip("\n"), "only\n"])
def test_other_line_ends_and_a_last_line_without_one_apply_as_well(old: str, tmp_path: Path) -> None:
    new = old.replace("line 40", "the last").replace("only", "one").replace("line 2", "--- line\r\n+++ 2")
    patch = patch_of([diff_of("jobs/nightly.py", old, new)])

    assert applied(tmp_path, patch, old) == new


def test_settings_are_lines_of_a_file_and_a_notebook_has_no_patch() -> None:
    setting = Setting(name="spark.sql.shuffle.partitions", value="64")
    cell = diff_of("a.ipynb", OLD, changed(("line 3\n", "x\n")))

    assert held(fix(1, "", settings=(setting,))) == {SETTINGS: "spark.sql.shuffle.partitions 64\n"}
    assert held(fix(1, cell, name="a.ipynb")) == {}
    assert files({"root_cause": "disk"}) == ()
