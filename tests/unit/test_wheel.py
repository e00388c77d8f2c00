"""What is installed from a wheel: every file that the checkout has, and it works without the checkout."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("bullpen_client", "contracts", "workers", "migrations")
SKILLS, SKILLS_INSTALLED = "skills", "workers/skill_packs"
INSTALLED = {SKILLS: SKILLS_INSTALLED, "docs": "workers/documents"}
"""Folders at the top of a checkout, and where a wheel has them."""
MUST_HAVE = (
    "bullpen_client/py.typed",
    "bullpen_client/calls/jobs.py",
    "contracts/schema",
    "migrations/env.py",
    "migrations/versions/0037_schema.py",
    "migrations/versions/0037_schema.sql",
    "workers/cli/main.py",
    "workers/engines/sql/traps/sqlite.txt",
    "workers/console/static/htmx.min.js",
    "workers/console/static/console.js",
    "workers/console/static/console.css",
    "workers/console/templates/login.html",
    "workers/console/locale/en/LC_MESSAGES/console.po",
    "workers/console/locale/zh/LC_MESSAGES/console.po",
    "workers/saying/locale/zh/LC_MESSAGES/refused.po",
    "workers/kinds/diagnose/locale/zh/LC_MESSAGES/diagnose.po",
    f"{SKILLS_INSTALLED}/",
    "workers/documents/faq.md",
    "workers/documents/faq.zh.md",
)
"""One of each sort of file, by the beginning of its name: what an operator would miss first."""

PROBE = """
import json
from pathlib import Path
import bullpen_client, migrations, workers
from alembic.script import ScriptDirectory
from workers.catalogue.own_documents import documents_folder
from workers.console.pages import environment
from workers.console.pages import STATIC
from workers.kinds.registry import all_kinds, load_kinds
from workers.saying import text_of
from workers.settings import Settings
from workers.skills import load_skills, skill_folders
from contracts.statements import say
load_kinds()
print(json.dumps({
    "places": [str(Path(module.__file__).parents[1]) for module in (bullpen_client, migrations, workers)],
    "heads": ScriptDirectory(str(Path(migrations.__file__).parent)).get_heads(),
    "kinds": [kind.name for kind in all_kinds()],
    "purposes": [text_of(kind.purpose, "zh") for kind in all_kinds() if kind.purpose is not None],
    "refusal": text_of(say("refused.empty_body"), "zh"),
    "assets": [name for name, path in STATIC.items() if path.is_file()],
    "templates": environment().list_templates(),
    "documents": sorted(path.name for path in documents_folder().glob("*.md")),
    "skills": sorted(skill.name for skill in load_skills(skill_folders(Settings())).skills),
}))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    built = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(built, cwd=ROOT, check=True, capture_output=True)
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def test_every_file_of_the_packages_is_in_the_wheel(wheel: zipfile.ZipFile) -> None:
    found = {path.relative_to(ROOT) for folder in (*PACKAGES, *INSTALLED) for path in (ROOT / folder).rglob("*") if path.is_file()}
    plain = {path.as_posix() for path in found if "__pycache__" not in path.parts and not path.name.startswith(".")}
    expected = {"/".join((INSTALLED.get(top, top), rest)) for top, _, rest in (path.partition("/") for path in plain)}
    there = {name for name in wheel.namelist() if ".dist-info/" not in name}

    assert there == expected
    assert [start for start in MUST_HAVE if not any(name.startswith(start) for name in there)] == []


def test_nothing_but_the_packages_is_in_the_wheel(wheel: zipfile.ZipFile) -> None:
    tops = {name.partition("/")[0] for name in wheel.namelist()}

    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)
    entry = next(name for name in wheel.namelist() if name.endswith("/entry_points.txt"))
    assert "bullpen = workers.cli.main:main" in wheel.read(entry).decode()


def test_an_installed_wheel_needs_no_checkout(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    installed = tmp_path / "site"
    wheel.extractall(installed)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BULLPEN_")}
    run = subprocess.run(
        [sys.executable, "-P", "-c", PROBE], cwd=tmp_path, env={**kept, "PYTHONPATH": str(installed)}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    said = json.loads(run.stdout)

    assert set(said["places"]) == {str(installed)}
    assert len(said["heads"]) == 1
    assert {"analyze", "ask", "diagnose", "etl", "tune"} <= set(said["kinds"])
    assert said["refusal"] == "请求体为空。请将文件作为请求体发送，或发送带文件的表单。"
    assert all(not text.isascii() for text in said["purposes"])
    assert {"htmx.min.js", "console.css", "console.js"} <= set(said["assets"])
    assert "login.html" in said["templates"]
    assert said["documents"] == sorted(path.name for path in (ROOT / "docs").glob("*.md"))
    assert said["skills"] == sorted(path.parent.name for path in (ROOT / SKILLS).glob("*/SKILL.md"))
