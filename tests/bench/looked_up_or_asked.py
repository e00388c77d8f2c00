"""Planted faults, diagnosed with a look at the server and by dialogue alone: `python -m tests.bench.looked_up_or_asked`.

Each fault is paired with a cause of the shipped history that names the same thing. The description of one ticket of that cause is the
incident, and the history holds that ticket (`--withheld`: without its description; `--left-out`: nothing of it). A simulated user
confirms all that any ticket of that cause shows: the best case of a dialogue. With a look, the fault is planted on a real server, and
what the checks find decides as in the fleet: a severe cause at once, else beside the dialogue.
"""

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg

from contracts.checks import Gathered
from contracts.diagnose.deliverables import Diagnosis, PhenomenonQuestion, Verdict
from contracts.diagnose.request import DiagnoseRequest
from contracts.sources import SourceKind
from contracts.tickets import Ticket, TicketEvidence
from tests.support.planted_faults import FAULTS, FaultyServer
from tests.support.servers import Servers
from workers.app.services import ProcessServices
from workers.blackboard.schema import migrate
from workers.checks.library import library
from workers.checks.looking import look_at_postgres
from workers.checks.reading import read_safely, with_reasons
from workers.kinds.diagnose.evaluation.cases import Case
from workers.kinds.diagnose.evaluation.play import Dialogue, History, play
from workers.kinds.diagnose.evaluation.user import SimulatedUser
from workers.kinds.diagnose.rules.by_data import by_data, is_acute
from workers.kinds.diagnose.rules.differential import differential_move
from workers.kinds.diagnose.samples import sample_tickets_path
from workers.kinds.registry import load_kinds
from workers.settings import Settings

PAIRS = {
    "idle_reader_blocks_ddl_and_what_follows": "Lock queue behind a waiting DDL statement",
    "ddl_waits_behind_a_long_reader": "Lock queue behind a waiting DDL statement",
    "one_row_is_hot": "Hot row contention on a counter update",
    "idle_transaction_holds_vacuum_back": "Table bloat because a long transaction blocks vacuum cleanup",
    "bulk_load_was_not_analysed": "Stale planner statistics after a bulk load",
    "nobody_reads_a_slot": "Inactive replication slot retains WAL",
    "synchronous_standby_is_away": "Synchronous standby unavailable",
    "archiver_fails": "Failing archive_command retains WAL",
    "one_application_leaks_connections": "Connection exhaustion by leaked idle in transaction sessions",
    "index_is_missing": "Missing index after a schema change",
    "foreign_key_has_no_index": "Foreign key without an index on the referencing column",
    "index_is_invalid": "Invalid index left by a failed concurrent build",
    "one_sort_fills_the_disk": "work_mem too small for large sorts and hashes",
    "work_mem_is_tiny": "work_mem too small for large sorts and hashes",
    "checkpoints_come_too_often": "Checkpoint storm because max_wal_size is too small",
    "sequence_is_near_its_end": "Exhausted int4 primary key sequence",
    "collation_has_another_version": "Index order broken by a collation library upgrade",
}
"""A planted fault → the root cause of the sample history that it is an instance of."""
_TURNS = 5
LEFT_OUT, WITHHELD = ("--left-out" in sys.argv), ("--withheld" in sys.argv)
CHECKS = library(SourceKind.POSTGRES)
_NOTHING = TicketEvidence(causes=(), phenomena=(), tickets=(), total_tickets=0, total_causes=0)


@dataclass(frozen=True)
class Run:
    """One fault in one arm."""

    right: bool
    wrong: bool
    """Another cause was named, as diagnosed or as a guess."""
    questions: int
    turns: int


def move(request: DiagnoseRequest, evidence: TicketEvidence, dialogue: Dialogue) -> Diagnosis | PhenomenonQuestion:
    """The default method without a model."""
    return differential_move(request, evidence, dialogue, may_ask=True)


def asked(history: History, known: list[Ticket], ticket: Ticket) -> Run:
    """By dialogue alone."""
    case = Case(ticket=ticket, opening=ticket.description, history="", left_out=LEFT_OUT)
    signs = tuple(sign for each in known if each.root_cause == ticket.root_cause for sign in each.anomalies)
    user = SimulatedUser(ticket.model_copy(update={"anomalies": signs}))
    played = play(case, history, move, user, max_turns=_TURNS, withhold=WITHHELD)
    return Run(played.top1, played.named is not None and not played.top1, played.questions, played.turns)


def looked(server: FaultyServer, fault: str) -> Gathered:
    """What the checks find in a fresh database with the fault."""
    planted = FAULTS[fault]
    checks = [check.model_copy(update={"sql": check.sql.replace("now()", f"(now() + interval '{planted.later_s} s')")}) for check in CHECKS]
    with server.plot() as plot:
        planted.plant(plot)
        url = server.url("watcher", plot.database)
        findings = with_reasons((read_safely(each) for each in look_at_postgres(url, checks if planted.later_s else CHECKS)), CHECKS)
    return Gathered(system="shop", source="shop", engine=SourceKind.POSTGRES, findings=findings)


def with_a_look(dialogue: Run, ticket: Ticket, gathered: Gathered, root: str) -> Run:
    """A severe cause is the diagnosis; else the dialogue goes on, and what was found is the guess where it names nothing."""
    request = DiagnoseRequest(description=ticket.description, max_turns=_TURNS)
    found = by_data(request, gathered, _NOTHING, 0)
    is_right = found is not None and found.cause_id == f"postgres.{root}"
    if found is not None and is_acute(gathered):
        named = found.verdict in (Verdict.DIAGNOSED, Verdict.UNCERTAIN)
        return Run(is_right, named and not is_right, 0, 0)
    if found is not None and not (dialogue.right or dialogue.wrong):
        return Run(is_right, not is_right, dialogue.questions, dialogue.turns)
    return dialogue


def tickets() -> Iterator[Ticket]:
    """The shipped history."""
    for line in Path(sample_tickets_path()).read_text("utf-8").splitlines():
        yield Ticket.model_validate_json(line)


def main() -> int:
    """Print each fault and the totals of both arms."""
    load_kinds()
    known = list(tickets())
    with tempfile.TemporaryDirectory(prefix="bullpen-looked-") as folder, Servers(Path(folder)) as servers:
        with psycopg.connect(servers.postgres.url, autocommit=True) as admin:
            admin.execute("CREATE DATABASE looked")
        services = ProcessServices(
            Settings(database_url=servers.database_url("looked"), broker_url=servers.valkey.url, home=Path(folder), log_level="error")
        )
        migrate(services.database)
        history = History(services.database, services.embedder, known)
        arms: dict[str, list[Run]] = {"dialogue": [], "look": []}
        with FaultyServer(Path(folder) / "faulty") as server:
            for fault, cause in PAIRS.items():
                ticket = next(each for each in known if each.root_cause == cause)
                arms["dialogue"].append(asked(history, known, ticket))
                arms["look"].append(with_a_look(arms["dialogue"][-1], ticket, looked(server, fault), FAULTS[fault].root))
                sys.stdout.write(f"{fault}: dialogue {arms['dialogue'][-1]}, look {arms['look'][-1]}\n")
                sys.stdout.flush()
        for arm, runs in arms.items():
            n = len(runs)
            sys.stdout.write(
                f"{arm}: n {n}, right {sum(run.right for run in runs)}, wrong {sum(run.wrong for run in runs)}, "
                f"questions {sum(run.questions for run in runs) / n:.2f}, turns {sum(run.turns for run in runs) / n:.2f}\n"
            )
        services.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
