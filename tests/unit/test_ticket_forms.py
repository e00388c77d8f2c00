"""Files of tickets whose form is nearly one that is known: headers beside their lines, mixed content, odd names, broken documents."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from contracts.statements import Statement
from contracts.tickets import DrawnObservations, Ticket, TicketProblem
from workers.cli.ticket_mapping import import_lines
from workers.cli.tickets import _ask_model  # pyright: ignore[reportPrivateUsage] what the command asks before it imports
from workers.errors import InvalidInput
from workers.kinds.registry import load_kinds
from workers.llm.scripted import ScriptedChat
from workers.saying import text_of
from workers.tickets.by_model import has_prose, with_reading
from workers.tickets.mapping import read_mapping
from workers.tickets.proposing import propose
from workers.tickets.records import as_table
from workers.tickets.shape import field_lines, named_fields, shape_of
from workers.tickets.ticket_files import open_tickets
from workers.tickets.ticket_rows import to_ticket

FIELDS = ("no=ticket_id", "seen=description", "why=root_cause")
OTHER = {"no": 2, "seen": "mail bounces", "why": "relay"}
HALT = {"no": 1, "seen": "drive is read only", "why": "disk"}


def written(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def read(path: Path, *pairs: str) -> tuple[list[Ticket], list[TicketProblem]]:
    items = [item for _, item in open_tickets(path, read_mapping(pairs)).items]
    return [item for item in items if isinstance(item, Ticket)], [item for item in items if isinstance(item, TicketProblem)]


def causes(path: Path, *pairs: str) -> dict[str, str]:
    return {each.ticket_id: each.root_cause for each in read(path, *pairs)[0]}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Outages\n\nno,seen,why\n\n1,drive is read only,disk\n2,mail bounces,relay\n", "3-4"),
        ('Outages\n\nno,"seen\nby users",why\n1,drive is read only,disk\n2,mail bounces,relay\n', "3-4"),
        ('Outages\n\nno,"seen\nby users",why\n1,drive is read only,disk\n2,mail bounces,relay\n', "4"),
    ],
    ids=["a blank line", "a cell of two lines", "its second line"],
)
def test_the_row_below_a_header_is_a_ticket(tmp_path: Path, text: str, lines: str) -> None:
    seen = "seen by users" if "users" in text else "seen"

    assert causes(written(tmp_path, "own.csv", text), f"{lines}=header", "no=ticket_id", f"{seen}=description", "why=root_cause") == {
        "1": "disk",
        "2": "relay",
    }


def test_a_header_past_the_end_of_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="40 is no line of column names"):
        read(written(tmp_path, "own.csv", "no,seen,why\n1,a,b\n"), "40=header")


def test_text_of_mixed_content_is_whole(tmp_path: Path) -> None:
    rows = "".join(
        f"<c><no>{number}</no><seen>the <b>disk</b> is full</seen><why by='x'>a log <text>of May</text></why></c>" for number in (1, 2)
    )
    tickets, _ = read(written(tmp_path, "own.xml", f"<all>{rows}</all>"), "all.c=records", *FIELDS)
    inside, _ = read(tmp_path / "own.xml", "all.c=records", *FIELDS[:2], "why.text=root_cause")

    assert [(each.description, each.root_cause) for each in tickets] == [("the disk is full", "a log of May")] * 2
    assert [each.root_cause for each in inside] == ["of May"] * 2
    assert "why.(text)" in {each.path for each in shape_of(tmp_path / "own.xml").fields}


def test_a_model_may_name_a_column_with_a_number_sign(tmp_path: Path) -> None:
    load_kinds()
    path = written(tmp_path, "own.csv", "Ticket #,Told,Why it broke\n7,it hangs,a lock\n8,it is slow,no index\n")
    fields = [{"path": name, "holds": role} for name, role in (("Ticket #", "ticket_id"), ("Told", "description"))]

    found = propose(ScriptedChat({"fields": [*fields, {"path": "Why it broke", "holds": "root_cause"}]}), path)

    assert found is not None
    assert (found.seen.tickets, [pair for pair in found.pairs if pair.startswith("Ticket #")]) == (2, ["Ticket #=ticket_id"])


@pytest.mark.parametrize("drawn", [5, "observations", {"a": 1}, [1, None]])
def test_a_field_of_a_file_may_have_the_name_of_ours(drawn: Any) -> None:
    row = {"ticket_id": "a", "description": "The page is slow. The index is gone.", "metadata": {"drawn": drawn}}
    ticket = to_ticket(1, row, cause_later=True)

    assert isinstance(ticket, Ticket)
    assert ticket.metadata["drawn"] in (["root_cause"], ["observations", "root_cause"])
    given = Ticket(ticket_id="a", description="The index is gone.", root_cause="b", metadata={"drawn": drawn})
    assert has_prose(given)
    assert with_reading(given, DrawnObservations(observations=(), cause="The index is gone."), "m").root_cause == "b"


@pytest.mark.parametrize(
    ("name", "content", "refused"),
    [
        ("lines.json", f"{json.dumps(HALT)}\n{json.dumps(OTHER)}\n", 0),
        ("apart.json", f"{json.dumps(HALT, indent=1)}\n{json.dumps(OTHER, indent=1)}\n", 0),
        ("broken.json", f'[{json.dumps(HALT)}, {{"no": 3,}}, {json.dumps(OTHER)}]', 1),
        ("inside.json", f'{{"cases": [{json.dumps(HALT)}, {{"no": 3,}}, {json.dumps(OTHER)}]}}', 1),
    ],
)
def test_json_that_is_not_one_document_is_mapped(tmp_path: Path, name: str, content: str, refused: int) -> None:
    path = written(tmp_path, name, content)
    tickets, problems = read(path, ".=records", *FIELDS)

    assert ([each.root_cause for each in tickets], len(problems)) == (["disk", "relay"], refused)
    assert (shape_of(path).where, shape_of(path).number) == (".", 2)
    with pytest.raises(InvalidInput, match=r"no objects at cases\. There are some at: \."):
        read(path, "cases=records", *FIELDS)


def test_rows_of_which_none_is_json_are_problems(tmp_path: Path) -> None:
    assert [each.line for each in read(written(tmp_path, "own.jsonl", "{a}\n{b}\n"), ".=records", *FIELDS)[1]] == [1, 2]


def test_a_file_that_cannot_be_shown_is_no_question_for_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rows say what is wrong with it."""
    monkeypatch.setenv("BULLPEN_MODEL", "none")

    assert _ask_model(written(tmp_path, "own.json", "[nothing, here]"), "", "auto", cause_later=False) is None


POSTMORTEM = "# Mail was down\n\n## Root cause\n\nThe relay was missing.\n\n## Timeline\n\n| Time | What |\n|---|---|\n"


def test_a_table_within_a_postmortem_is_part_of_it(tmp_path: Path) -> None:
    page = written(tmp_path, "mail.md", f"{POSTMORTEM}| 9:00 | it bounces |\n| 9:10 | all bounce |\n| 9:40 | mended |\n")
    table = written(tmp_path, "table.md", "| Case | Told | Fault |\n|---|---|---|\n| 1 | it hangs | a lock |\n")

    assert causes(page) == {"mail": "The relay was missing."}
    assert causes(page, "Timeline=description") == {"mail": "The relay was missing."}
    assert (
        causes(
            written(tmp_path, "unknown.md", "| Case | Told | Fault |\n|---|---|---|\n| 1 | it hangs. The root cause was a lock. | x |\n")
        )
        == {}
    )
    assert causes(table, "Case=ticket_id", "Told=description", "Fault=root_cause") == {"1": "a lock"}


def test_a_single_record_of_objects_is_a_record(tmp_path: Path) -> None:
    record = "<ticket><no t='i'>{}</no><seen t='s'>drive is read only</seen><why t='s'>disk</why></ticket>"
    one = written(tmp_path, "one.xml", f"<ts>{record.format(1)}</ts>")
    two = written(tmp_path, "two.xml", f"<ts>{record.format(1)}{record.format(2)}</ts>")

    assert causes(one, "ts.ticket=records", *FIELDS) == {"1": "disk"}
    assert causes(two, "ts.ticket=records", *FIELDS) == {"1": "disk", "2": "disk"}


def test_names_with_blanks_around_them_are_mapped(tmp_path: Path) -> None:
    rows = [{"no ": number, "log ": {" seen": "it hangs", "Why ": "disk"}, "more": [{"k ": "a", "v": "b"}]} for number in (1, 2)]
    path = written(tmp_path, "own.json", rows)
    paths = [each.path for each in shape_of(path).fields]

    assert paths[:3] == ["no", "log.seen", "log.Why"]
    assert causes(path, ".=records", "no=ticket_id", "log.seen=description", "log.Why=root_cause") == {"1": "disk", "2": "disk"}


def test_one_long_list_does_not_widen_all_rows() -> None:
    headers, rows = as_table([[("id", "1"), *(("note", str(number)) for number in range(300))], [("id", "2"), ("note", "a")]])

    assert len(headers) == len(rows[1]) == 51
    assert rows[0][-1].split("\n\n") == [str(number) for number in range(49, 300)]


def test_what_is_looked_at_of_a_long_table_is_what_is_counted(tmp_path: Path) -> None:
    rows = "".join(f"{number},a{number},b\n" for number in range(2_500))
    shape = shape_of(written(tmp_path, "own.csv", f"Ticket ID,Told,Reason\n{rows}"))

    assert "in 2000 of 2000" in next(field_lines(shape))
    assert "Ticket ID" in named_fields(shape)


@pytest.mark.parametrize("name", ["o'brien.json", "~x[1].json", "a b.json", "$(id).json", "plain.json"])
def test_a_shell_reads_the_command_as_it_is_meant(name: str) -> None:
    lines = import_lines(Path(name), ["a[k='v'].b=root_cause"], encoding="utf-8", strict=True)

    assert shlex.split(" ".join(lines)) == [
        *("bullpen", "tickets", "import", name),
        *("--map", "a[k='v'].b=root_cause", "--encoding", "utf-8", "--strict"),
    ]
    assert shlex.quote(name) in lines[0]


def test_where_there_are_no_objects_none_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as refused:
        read(written(tmp_path, "own.json", {"no": 1}), "cases=records", *FIELDS)

    says = refused.value.says
    assert isinstance(says, Statement)
    assert text_of(says, "en") == "There are no objects at cases, and no list of objects elsewhere."
