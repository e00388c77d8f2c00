"""Chinese to the last word: the pages of a finished job of each kind hold no English sentence but what its data say."""

import html
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from contracts.tickets import Ticket
from tests.support.console import Browser, browser, console_on
from tests.support.finished_jobs import SHIPPED, done, prepare
from tests.support.tune_jobs import SAMPLES
from workers.app.services import ProcessServices
from workers.kinds.diagnose.samples import sample_tickets_path
from workers.reading.facts import read_job_facts
from workers.reading.jobs import read_request
from workers.reading.questions import read_questions
from workers.tickets import read_tickets

SENTENCE = 4
"""Latin words in a row from which a text is a sentence, and no name."""
_NOT_READ = re.compile(r"<(pre|code|textarea|script|style|svg)\b.*?</\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_WORDS = re.compile(r"[A-Za-z][A-Za-z']*")
_CUT = re.compile(r"[A-Za-z']+…")
"""A word that was cut with its text."""
_BETWEEN = re.compile(r"[\s,;:.\-/()'\"!?]*")


@pytest.fixture
def served(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[tuple[Browser, ProcessServices]]:
    with console_on(database_url, broker_url, home=tmp_path, artefact_store=str(tmp_path / "artefacts")) as (client, services):
        yield browser(client, services.database, "default"), services


def runs(text: str) -> Iterator[tuple[str, ...]]:
    """Latin words that follow each other with nothing but spaces and marks between them."""
    found: list[str] = []
    end = 0
    for word in _WORDS.finditer(text):
        if not _BETWEEN.fullmatch(text, end, word.start()):
            yield tuple(found)
            found = []
        found.append(word[0].lower())
        end = word.end()
    yield tuple(found)


def parts(text: str) -> Iterator[tuple[str, ...]]:
    """Every so many words in a row of a text."""
    for run in runs(text):
        for at in range(len(run) - SENTENCE + 1):
            yield run[at : at + SENTENCE]


def texts_in(value: Any) -> Iterator[str]:
    """All texts of a value, however deep."""
    if isinstance(value, dict):
        yield from (text for part in value.values() for text in texts_in(part))  # pyright: ignore[reportUnknownVariableType] JSON
    elif isinstance(value, list | tuple):
        yield from (text for part in value for text in texts_in(part))  # pyright: ignore[reportUnknownVariableType] JSON
    elif isinstance(value, str):
        yield value


def english_in(page: str, data: Iterable[str]) -> list[str]:
    """The English sentences of a page that the data do not have."""
    known = {part for text in data for part in parts(text)}
    main = _NOT_READ.sub(" § ", page.partition("<main")[2] or page)  # a part of a page has none
    shown = _CUT.sub("…", html.unescape(_TAG.sub(" § ", main)))
    return [" ".join(part) for part in parts(shown) if part not in known]


def data_of(services: ProcessServices, job: UUID) -> list[str]:
    """What the users of a job brought: the request, tickets, the catalogue, the files; and the finished texts that its stages hold."""
    db = services.database
    rows = db.statement("SELECT content FROM catalogue_nodes")
    tickets: Any = [ticket.to_json() for _, ticket in read_tickets(sample_tickets_path()) if isinstance(ticket, Ticket)]
    files = [path.read_text("utf-8", "replace") for path in (SAMPLES / "spark_skew").iterdir() if path.suffix in (".py", ".sql", ".md")]
    answers = [question.answer or "" for question in read_questions(db, job)]
    return [
        *texts_in(read_request(db, job)),
        *(text for row in rows for text in texts_in(row["content"])),
        *texts_in(tickets),
        *files,
        *answers,
        *(text for row in db.statement("SELECT content FROM deliverables") for text in texts_in(row["content"])),
    ]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", SHIPPED)
def test_the_pages_of_a_finished_job_hold_no_english_sentence(served: tuple[Browser, ProcessServices], kind: str) -> None:
    admin, services = served
    prepare(services, kind)
    job = done(services, kind)
    facts = read_job_facts(services.database, job)
    assert facts.job.status == "succeeded", json.dumps([kind, str(facts.job.error)])
    data = data_of(services, job)
    page = admin.get(f"/console/jobs/{job}", "zh").text
    parts_of_it = sorted(set(re.findall(rf'href="(/console/jobs/{job}/result/[a-z0-9-]+)"', page)))
    stages = [f"/console/jobs/{job}/inspect/{stage.name}" for stage in facts.stages[1:]]

    wrong = [
        f"{address.rpartition(str(job))[2]}: {found}"
        for address in (f"/console/jobs/{job}", *stages, *parts_of_it)
        for found in english_in(admin.get(address, "zh").text, data)
    ]

    assert wrong == []


def test_one_word_stands_for_each_thing_in_all_chinese_catalogues() -> None:
    """The table of docs/glossary.md says which words the catalogues do not use."""
    root = Path(__file__).parents[2]
    table = (root / "docs/glossary.md").read_text("utf-8").partition("## In Chinese")[2]
    refused = [word for row in re.findall(r"^\|[^|]*\|[^|]*\|([^|]*)\|$", table, re.MULTILINE) for word in row.strip().split(", ")]
    refused = [word for word in refused if not word.isascii()]
    assert len(refused) >= 5
    catalogues = [*root.glob("workers/**/locale/zh/LC_MESSAGES/*.po")]
    texts = {path.name: re.findall(r'^msgstr(?:\[\d\])? "(.*)"$', path.read_text("utf-8"), re.MULTILINE) for path in catalogues}

    assert [f"{name}: {text}" for name, said in texts.items() for text in said for word in refused if word in text] == []
