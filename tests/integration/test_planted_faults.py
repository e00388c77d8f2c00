"""The checks of Postgres find the root of faults that are planted on a real server, and name no cause of a healthy load.

Most of the time goes by while planted sessions wait, so three servers are used in parallel; each test reads what was found in its plot.
"""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import psycopg
import pytest

from contracts.checks import Check, CheckOutcome, Gathered, SensorKind
from contracts.diagnose.deliverables import Verdict
from contracts.diagnose.request import DiagnoseRequest
from contracts.sources import SourceKind
from contracts.tickets import TicketEvidence
from tests.support.campaign import sample
from tests.support.planted_faults import FAULTS, HEALTHY, FaultyServer, Plot, text
from workers.checks import LOCALE
from workers.checks.library import library, sensor_library
from workers.checks.looking import look_at_postgres
from workers.checks.reading import read_rows, with_reasons
from workers.kinds.diagnose.rules.by_data import BAR, LEAST_SEVERE, by_data
from workers.saying import text_of
from workers.saying.po import read_po

SERVERS = 3
NO_TICKETS = TicketEvidence(causes=(), phenomena=(), tickets=(), total_tickets=0, total_causes=0)
CHECKS = library(SourceKind.POSTGRES)
LANGUAGES = ("en", "zh")

ENDS_A_MESSAGE = (".", "。")
STATEMENTS_OF_OTHERS = re.compile(r"user=watcher LOG:  (?:statement|execute)")


@dataclass(frozen=True)
class Seen:
    """What two accounts found in a plot."""

    by_watcher: tuple[Gathered, ...]
    """A member of pg_monitor; once for each time that is asked for."""
    by_stranger: Gathered
    """One without rights."""


def look(url: str, checks: tuple[Check, ...] = CHECKS) -> Gathered:
    """A look, as a diagnosis takes it."""
    findings = with_reasons((read_rows(looked) for looked in look_at_postgres(url, checks)), checks)
    return Gathered(system="shop", source="shop", engine=SourceKind.POSTGRES, findings=findings)


def at_later(seconds: float) -> tuple[Check, ...]:
    """The checks as if so much time had gone by since now."""
    if not seconds:
        return CHECKS
    return tuple(check.model_copy(update={"sql": check.sql.replace("now()", f"(now() + interval '{seconds} s')")}) for check in CHECKS)


def in_plot(server: FaultyServer, plant: Callable[[Plot], None], later_s: tuple[float, ...]) -> Seen:
    """Plants, looks and clears up."""
    with server.plot() as plot:
        plant(plot)
        watcher, stranger = (server.url(role, plot.database) for role in ("watcher", "stranger"))
        return Seen(tuple(look(watcher, at_later(seconds)) for seconds in later_s), look(stranger))


class Garden:
    """The servers, each of which has one plot at a time."""

    def __init__(self, servers: list[FaultyServer], names: set[str]) -> None:
        self._idle: SimpleQueue[FaultyServer] = SimpleQueue()
        for server in servers:
            self._idle.put(server)
        self._pool = ThreadPoolExecutor(len(servers))
        self.seen: dict[str, Future[Seen]] = {}
        for name, load in HEALTHY.items():
            if name in names:
                self.seen[name] = self._pool.submit(self._work, load.begin, (0.0, *load.later_s))
        for name, fault in sorted(FAULTS.items(), key=lambda item: item[1].is_last):
            if name in names:
                self.seen[name] = self._pool.submit(self._work, fault.plant, (fault.later_s,), is_last=fault.is_last)

    def _work(self, plant: Callable[[Plot], None], later_s: tuple[float, ...], *, is_last: bool = False) -> Seen:
        server = self._idle.get()
        try:
            return in_plot(server, plant, later_s)
        finally:
            if not is_last:
                self._idle.put(server)

    def close(self) -> None:
        """Waits for what still runs."""
        self._pool.shutdown(cancel_futures=True)


@pytest.fixture(scope="module")
def garden(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Garden]:
    """Plants what the tests of this run ask for."""
    names = {str(item.callspec.params["name"]) for item in request.session.items if isinstance(item, pytest.Function) and _is_planted(item)}
    with ExitStack() as stack:
        folders = [tmp_path_factory.mktemp("planted") for _ in range(min(SERVERS, max(1, len(names))))]
        made = Garden([stack.enter_context(FaultyServer(folder)) for folder in folders], names)
        stack.callback(made.close)
        yield made


def _is_planted(item: pytest.Function) -> bool:
    return item.path == Path(__file__) and "garden" in item.fixturenames


@pytest.fixture
def quiet_plot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plot]:
    """A plot of a server on which nothing else happens."""
    with FaultyServer(tmp_path_factory.mktemp("quiet")) as server, server.plot() as plot:
        yield plot


@pytest.mark.parametrize("name", sample([*FAULTS], every=2))
def test_the_root_of_a_fault_is_found(garden: Garden, name: str) -> None:
    (found,) = garden.seen[name].result().by_watcher

    causes = [(cause.check, cause.severity) for cause in found.causes]
    assert causes, [(item.check, item.because_of) for item in found.of(CheckOutcome.CONFIRMED)]
    assert causes[0][0] == FAULTS[name].root, causes
    assert not [item for item in found.of(CheckOutcome.UNDECIDED) if item.check != "top_statement"]


@pytest.mark.parametrize("name", FAULTS)
def test_a_diagnosis_names_the_root(garden: Garden, name: str) -> None:
    """Without a question and without a ticket: as the diagnosis where it is acute and alone, else as a guess."""
    (found,) = garden.seen[name].result().by_watcher

    made = by_data(DiagnoseRequest(description="the shop hangs"), found, NO_TICKETS, 0)

    if found.causes[0].severity < LEAST_SEVERE:  # seconds old, it weighs nothing yet
        assert made is None
        return
    assert made is not None
    assert made.cause_id == f"postgres.{FAULTS[name].root}"
    assert made.verdict is Verdict.UNCERTAIN or found.causes[0].severity > BAR


@pytest.mark.parametrize("name", HEALTHY)
def test_a_diagnosis_names_nothing_in_a_healthy_server(garden: Garden, name: str) -> None:
    for found in garden.seen[name].result().by_watcher:
        assert by_data(DiagnoseRequest(description="the shop hangs"), found, NO_TICKETS, 0) is None


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_hidden_is_not_denied(garden: Garden, name: str) -> None:
    """An account without pg_monitor finds the fault, or says that it cannot see."""
    found = {item.check: item.outcome for item in garden.seen[name].result().by_stranger.findings}

    assert found[FAULTS[name].root] is not CheckOutcome.DENIED


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_load_has_no_cause(garden: Garden, name: str) -> None:
    for found in garden.seen[name].result().by_watcher:
        assert [(cause.check, cause.severity, cause.says) for cause in found.causes if cause.severity >= 0.3] == []
        assert not [item for item in found.of(CheckOutcome.UNDECIDED) if item.check != "top_statement"]


@pytest.mark.parametrize("name", [*FAULTS, *HEALTHY])
def test_each_finding_is_said_in_both_languages(garden: Garden, name: str) -> None:
    seen = garden.seen[name].result()

    for found in (*seen.by_watcher, seen.by_stranger):
        for item in found.findings:
            assert all(text_of(shown, language) for shown in (item.says, item.advice) if shown for language in LANGUAGES)


def test_a_fresh_start_is_healthy(tmp_path: Path) -> None:
    server = FaultyServer(tmp_path)
    with server, server.plot() as plot:
        plot.orders(20_000)
        plot.churn(20_000, times=1)
        plot.work("VACUUM (ANALYZE) orders")
        plot.admin.close()
        server.postgres.stop()
        server.postgres.start()
        plot.open_admin()

        found = look(server.url("watcher", plot.database))

    assert [cause.check for cause in found.causes] == []
    assert "server_started" in {item.check for item in found.of(CheckOutcome.CONFIRMED)}


def test_a_look_writes_nothing(quiet_plot: Plot) -> None:
    plot = quiet_plot
    plot.orders()
    plot.work("CREATE TABLE visits (id serial)", "INSERT INTO visits DEFAULT VALUES", "GRANT SELECT ON SEQUENCE visits_id_seq TO watcher")
    plot.until("count(*) FILTER (WHERE n_tup_ins > 0) = 2 FROM pg_stat_user_tables")
    counters = "SELECT sum(n_tup_ins), sum(n_tup_upd), sum(n_tup_del), sum(seq_scan), sum(idx_scan) FROM pg_stat_user_tables"
    transactions = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text"
    before = plot.rows(counters), plot.rows(transactions)

    look(plot.server.url("watcher", plot.database))

    plot.until("count(*) = 0 FROM pg_stat_activity WHERE usename = 'watcher'")
    assert (plot.rows(counters), plot.rows(transactions)) == before
    assert not STATEMENTS_OF_OTHERS.search(plot.log())


def test_every_check_gives_the_values_of_its_texts(quiet_plot: Plot) -> None:
    """Both languages have the texts of each check and nothing else, with columns of its statement as their placeholders."""
    plot = quiet_plot
    plot.admin.execute(  # as the extension has it, which is not installed here
        "CREATE VIEW pg_stat_statements AS SELECT oid AS dbid, '' AS query, 1::bigint AS calls, 1::float8 AS total_exec_time, "
        "1::float8 AS mean_exec_time FROM pg_database"
    )
    plot.admin.execute("GRANT SELECT ON pg_stat_statements TO watcher")
    catalogues = {language: read_po(LOCALE / language / "LC_MESSAGES" / "postgres.po") for language in LANGUAGES}
    codes: set[str] = set()
    with psycopg.connect(plot.server.url("watcher", plot.database), autocommit=True) as connection:
        for check in CHECKS:
            columns = [column.name for column in connection.execute(text(check.sql)).description or ()]
            assert columns[0] == "severity"
            stem = f"check.postgres.{check.name}"
            codes |= {f"{stem}.found", f"{stem}.fine", *([f"{stem}.advice"] if check.is_cause else [])}
            for messages in catalogues.values():
                assert messages[f"{stem}.found"].placeholders <= set(columns), check.name
                assert not messages[f"{stem}.fine"].placeholders
                assert not check.is_cause or messages[f"{stem}.advice"].placeholders <= set(columns), check.name
    assert {frozenset(messages) for messages in catalogues.values()} == {frozenset(codes)}


def test_consequences_form_no_circle() -> None:
    """In a circle each finding would be because of another, and no cause would be left."""
    every = (*CHECKS, *(check for kind in SensorKind for check in sensor_library(kind)))
    explains = {check.name: set(check.explains) for check in every}
    assert set().union(*explains.values()) <= explains.keys()
    assert all(check.is_cause for check in every if check.explains)

    reached = {name: _reachable(name, explains) for name in explains}
    assert [name for name, others in reached.items() if name in others] == []


def _reachable(name: str, explains: dict[str, set[str]]) -> set[str]:
    found, ahead = set[str](), set(explains[name])
    while ahead:
        found |= ahead
        ahead = {further for other in ahead for further in explains[other]} - found
    return found


def test_messages_end_like_sentences_or_with_a_statement() -> None:
    for language in LANGUAGES:
        for message in read_po(LOCALE / language / "LC_MESSAGES" / "postgres.po").values():
            assert all(form.endswith((*ENDS_A_MESSAGE, "_sql}")) for form in message.forms), message.code
