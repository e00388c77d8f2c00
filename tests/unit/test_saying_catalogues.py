"""Catalogues: the `.po` files, the languages they make available, and the checks that other tests rely on."""

from pathlib import Path

import pytest

import workers
from contracts import charts, refusals, reports, statements
from contracts.events import EventKind
from contracts.jobs import JobStatus, StepStatus
from contracts.sql_review import ReviewCheck
from contracts.statements import name, quote, say
from tests.support import texts
from tests.support.texts import catalogue_problems, codes_used, foreign_words
from workers import app, cli, coordinator, roles, saying
from workers.kinds import about
from workers.reading import words
from workers.saying import Catalogues, UnknownLanguage, check_language, find_language, text_of
from workers.saying.catalogues import FLEET_CATALOGUE
from workers.saying.document import CalloutKind
from workers.saying.po import BadCatalogue, read_po
from workers.saying.vega_lite import Form

LOCALE = Path(texts.__file__).with_name("locale")
HEADER = 'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n\n'
SAID_BY_RENDERERS = frozenset({"saying.quoted", "saying.times", "saying.join.clauses", "saying.join.reasons", "saying.join.sentences"})


def po(folder: Path, text: str, language: str = "en") -> Path:
    path = folder / language / "LC_MESSAGES" / "x.po"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HEADER + text, "utf-8")
    return path


SHELL = Path(cli.__file__).parent
"""Commands whose texts are in the fleet's catalogue."""


def test_the_fleet_s_catalogues_have_exactly_the_codes_that_are_said() -> None:
    folders = [Path(package.__file__).parent for package in (saying, coordinator, roles, app)]
    enums = {
        "saying.callout": [CalloutKind],
        "saying.chart.form": [Form],
        "saying.review.check": [ReviewCheck],
        "fleet.status": [JobStatus, StepStatus],
        "fleet.event.kind": [EventKind],
    }
    modules = [Path(str(module.__file__)) for module in (words, statements, charts, refusals, about, reports)]
    used = codes_used([*folders, SHELL, *modules], enums)
    for code, names in codes_used([Path(workers.__file__).parent]).values.items():
        if code.startswith(("refused.", "fleet.operation.")):
            used.add(code, names)
    for code in SAID_BY_RENDERERS:
        used.add(code, None)

    assert catalogue_problems(FLEET_CATALOGUE, used) == []


def test_a_catalogue_reads_texts_of_several_lines_and_escapes(tmp_path: Path) -> None:
    path = po(tmp_path, '#. A comment.\nmsgid "a.b"\nmsgstr ""\n"first \\"{x}\\" "\n"second\\n"\n\n#~ msgid "a.old"\n#~ msgstr "gone"\n')

    messages = read_po(path)

    assert messages.keys() == {"a.b"}
    assert messages["a.b"].forms == ('first "{x}" second\n',)
    assert messages["a.b"].placeholders == {"x"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('msgid "a.b"\nmsgstr "x"\n\nmsgid "a.b"\nmsgstr "y"\n', "is there twice"),
        ('msgid "a.b"\nmsgstr x\n', "cannot be read"),
        ('msgid "a.b"\nmsgid_plural "n"\nmsgstr[0] "x"\n', "1 forms, but the language has 2"),
        ('msgid "a.b"\n', "no msgstr"),
        ('"lost"\n', "belongs to no entry"),
    ],
)
def test_a_broken_catalogue_names_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(BadCatalogue, match=complaint):
        read_po(po(tmp_path, text))


def test_an_entry_without_a_text_is_not_translated_yet(tmp_path: Path) -> None:
    assert read_po(po(tmp_path, 'msgid "a.b"\nmsgstr ""\n')) == {}


def test_the_catalogues_say_which_languages_there_are(tmp_path: Path) -> None:
    po(tmp_path, 'msgid "a.b"\nmsgstr "x"\n', "pt_BR")
    catalogues = Catalogues(FLEET_CATALOGUE)
    assert catalogues.languages() == ("en", "zh")

    catalogues.add(tmp_path)

    assert catalogues.languages() == ("en", "pt_BR", "zh")
    assert check_language("pt-br", catalogues) == "pt_BR"


@pytest.mark.parametrize(
    ("wanted", "found"), [("zh", "zh"), ("zh-CN", "zh"), ("zh_Hans_CN", "zh"), ("EN-us", "en"), ("sv", "en"), ("", "en"), (None, "en")]
)
def test_the_nearest_available_language_is_shown(wanted: str | None, found: str) -> None:
    assert find_language(wanted) == found


def test_a_language_that_nobody_translated_is_refused_by_name() -> None:
    with pytest.raises(UnknownLanguage, match=r"no catalogue for 'sv'.*en, zh"):
        check_language("sv")


def test_a_catalogue_registered_later_is_found(tmp_path: Path) -> None:
    catalogues = Catalogues(FLEET_CATALOGUE)
    assert text_of(say("a.b"), "en", catalogues) == "a.b"
    po(tmp_path, 'msgid "a.b"\nmsgstr "hello"\n')

    catalogues.add(tmp_path)

    assert text_of(say("a.b"), "en", catalogues) == "hello"


def test_the_walk_over_codes_finds_every_kind_of_gap(tmp_path: Path) -> None:
    po(tmp_path, 'msgid "a.b"\nmsgstr "{x} {y}"\n\nmsgid "a.spare"\nmsgstr "x"\n')
    po(tmp_path, 'msgid "a.b"\nmsgstr "{x}"\n', "zh")
    (tmp_path / "made.py").write_text('say("a.b", x=1)\nsay("a.c", z=2)\nsay(f"a.{x}")\nmember_term("a.kind", kind)\nterm("a.spare")\n')

    problems = catalogue_problems(tmp_path, codes_used([tmp_path / "made.py"]))

    assert problems == [
        f"{tmp_path}/made.py:3: the code is not a literal",
        f"{tmp_path}/made.py:4 (declare the enum of a.kind): the code is not a literal",
        "en: a.c is missing",
        "en: a.b has {y}, which the source does not give",
        "zh: a.c is missing",
        "zh: a.spare is missing",
        "zh: a.b has other placeholders than in en",
        "a.c is given {z}, which no language shows",
    ]


def test_words_of_another_language_are_found_but_in_data() -> None:
    catalogues = Catalogues(FLEET_CATALOGUE, LOCALE)

    assert foreign_words(say("test.tasks", n=name("3"), stage=quote("慢")), "en", catalogues=catalogues) == []
    assert foreign_words("慢 task", "en") == ["慢"]
    assert foreign_words(say("test.only_english", word=name("stage")), "zh", known=["been"], catalogues=catalogues) == [
        "this",
        "has",
        "not",
        "translated",
    ]
    assert foreign_words("用 Spark 的 shuffle 写了 2.3 GiB", "zh") == []


def test_a_folder_that_comes_later_brings_its_languages(tmp_path: Path) -> None:
    (tmp_path / "xx" / "LC_MESSAGES").mkdir(parents=True)
    catalogues = Catalogues(FLEET_CATALOGUE)
    before = catalogues.languages()

    catalogues.add(tmp_path)

    assert sorted(catalogues.languages()) == sorted([*before, "xx"])


def test_the_languages_are_looked_up_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are asked for at every answer of the gateway."""
    catalogues = Catalogues(FLEET_CATALOGUE)
    before = catalogues.languages()

    def again(_folder: Path, _pattern: str) -> None:
        pytest.fail("the folders again")

    monkeypatch.setattr(Path, "glob", again)

    assert catalogues.languages() == before
