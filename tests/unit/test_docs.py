"""The docs describe what there is, and what they point at exists."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from contracts.events import EventKind
from contracts.jobs import JobStatus, StepStatus
from contracts.reports import Outcome
from contracts.roles import RoleName
from workers.blackboard.tables import metadata
from workers.kinds.registry import all_kinds, load_kinds
from workers.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "deploy" / "README.md",
    *sorted((ROOT / "workers").rglob("README.md")),
]


def table(page: str) -> str:
    return (ROOT / "docs" / page).read_text("utf-8")


@pytest.mark.parametrize("kind", EventKind)
def test_every_event_kind_is_described(kind: EventKind) -> None:
    assert re.search(rf"^\| `{kind}` \| \S", table("events.md"), re.MULTILINE)


@pytest.mark.parametrize("role", RoleName)
def test_every_role_is_in_the_glossary(role: RoleName) -> None:
    """F1."""
    assert role in table("glossary.md")


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_is_described(name: str) -> None:
    assert re.search(rf"^\| `BULLPEN_{name.upper()}` \| .+ \| \S.{{15,}} \|$", table("settings.md"), re.MULTILINE)


def test_settings_in_the_docs_exist() -> None:
    forms = [Settings, *(kind.settings.load() for kind in all_kinds() if kind.settings is not None)]
    known = {f"BULLPEN_{name.upper()}" for form in forms for name in form.model_fields} | {
        "BULLPEN_EVAL_DATA",
        "BULLPEN_CAMPAIGN",
        "BULLPEN_MODEL_FOLDER",
    }
    named = {name for page in PAGES for name in re.findall(r"BULLPEN_[A-Z_]+[A-Z]", page.read_text("utf-8"))}

    by_name = re.compile(r"BULLPEN_SOURCE(_[A-Z_]+_URL)?|BULLPEN_(LOG|METRICS)_[A-Z_]+_(URL|TOKEN|TENANT)")
    assert {name for name in named - known if not by_name.fullmatch(name)} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?://|#)([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8"))

    missing = [target for target in targets if not (page.parent / target).exists()]

    assert missing == []


def anchors(page: Path) -> set[str]:
    """What a link may name in a page: its headings as GitHub makes anchors of them."""
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_headings_lead_to_headings(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?://)([^)#\s]*)#([^)\s]+)\)", page.read_text("utf-8"))

    missing = [
        f"{target}#{anchor}"
        for target, anchor in targets
        if (where := page.parent / target if target else page).suffix == ".md" and anchor not in anchors(where)
    ]

    assert missing == []


def test_readme_and_docs_stay_short() -> None:
    """45,000 words together: what a page gains, it or another one loses. Bars and dashes of tables are not words."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]

    assert sum(bool(re.search(r"\w", word)) for page in pages for word in page.read_text("utf-8").split()) <= 45_000


def test_the_index_leads_to_every_page() -> None:
    linked = set(re.findall(r"\]\(([\w./-]+\.md)", table("index.md")))
    pages = {
        str(page.relative_to(ROOT / "docs"))
        for page in (ROOT / "docs").rglob("*.md")
        if "examples" not in page.parts and "adr" not in page.parts
    }

    assert pages - linked == {"index.md"}


def answers_of(page: str) -> list[str]:
    """The sections of a page of questions and answers."""
    return re.split(r"^## ", table(page), flags=re.MULTILINE)[1:]


def test_the_questions_and_answers_say_the_same_in_both_languages() -> None:
    """The commands, settings and pages of each answer."""

    def named(answer: str) -> tuple[set[str], set[str], set[str]]:
        commands = set(re.findall(r"`(?:export )?(?:bullpen|make) [a-z]+", answer))
        return commands, set(re.findall(r"BULLPEN_[A-Z_]+", answer)), set(re.findall(r"(?:docs/|deploy/)?\w+\.md", answer))

    english, chinese = answers_of("faq.md"), answers_of("faq.zh.md")

    assert len(english) == len(chinese) >= 30
    assert [named(answer) for answer in english] == [named(answer) for answer in chinese]
    assert all(re.search(r"(?:More:\s|详见 )", answer) for answer in (*english, *chinese))


def test_what_the_questions_and_answers_name_exists() -> None:
    from workers.cli.main import COMMANDS

    load_kinds()
    text = table("faq.md") + table("faq.zh.md")
    used = set(re.findall(r"`bullpen ([a-z]+)", text))

    assert used - set(COMMANDS) - {kind.name for kind in all_kinds() if kind.talks} == set()
    assert [page for page in re.findall(r"(?:docs/|deploy/)\w+\.md", text) if not (ROOT / page).exists()] == []


def test_code_named_in_the_architecture_exists() -> None:
    named = set(re.findall(r"`((?:workers|contracts|migrations)/[\w/.]+)`", table("architecture.md")))

    assert len(named) > 10
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_functions_of_the_walk_exist_in_their_files() -> None:
    """A file with its functions: `path.py`: `one`, `two`."""
    named = re.findall(r"`((?:workers|contracts)/[\w/]+\.py)`: ((?:`\w+`(?:, )?)+)", table("architecture.md"))
    missing = [
        (path, name)
        for path, names in named
        for name in re.findall(r"`(\w+)`", names)
        if not re.search(rf"^(?:async )?def {name}\b", (ROOT / path).read_text("utf-8"), re.MULTILINE)
    ]

    assert len(named) >= 3
    assert missing == []


def test_every_table_is_in_the_architecture() -> None:
    for module in (ROOT / "workers").rglob("tables.py"):
        import_module(".".join(module.relative_to(ROOT).with_suffix("").parts))

    section = table("architecture.md").split("## The tables")[1].split("\n## ")[0]

    assert len(metadata.tables) > 40
    assert sorted(set(metadata.tables) - set(re.findall(r"`(\w+)`", section))) == []


def test_words_for_states_are_the_ones_in_the_code() -> None:
    assert {status.value for status in JobStatus} == {"accepted", "running", "waiting_human", "succeeded", "failed", "cancelled"}
    assert {status.value for status in StepStatus} == {"queued", "running", "succeeded", "failed", "cancelled"}
    assert {outcome.value for outcome in Outcome} == {"completed", "needs_clarification", "needs_delegation", "failed"}
