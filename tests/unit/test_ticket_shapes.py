"""Shapes of postmortems and exports: wrapped lines, joined headings, people, ids that people read, XML of Jira Server."""

import json
from pathlib import Path

import pytest

from contracts.tickets import Ticket, TicketProblem
from workers.tickets.columns import understand
from workers.tickets.sections import postmortem_cells
from workers.tickets.ticket_files import open_tickets


def read(path: Path, text: str) -> tuple[dict[str, Ticket], set[str | None]]:
    path.write_text(text, encoding="utf-8")
    items = [item for _, item in open_tickets(path).items]
    problems = {item.ticket_id for item in items if isinstance(item, TicketProblem)}
    return {item.ticket_id: item for item in items if isinstance(item, Ticket)}, problems


WRAPPED = """Title: Order queue not consumed
Status: Resolved
Root cause: The consumer group was stuck in a rebalance loop, since one consumer
  exceeded its limit: 5 minutes
  and was evicted again.
Resolution: Limit raised to 15 minutes and
batches made smaller.

Nobody was paged.
"""


def test_a_field_of_a_postmortem_goes_on_in_the_lines_below_it() -> None:
    cells = dict(postmortem_cells("q.md", WRAPPED))

    assert cells["Root cause"].splitlines() == [
        "The consumer group was stuck in a rebalance loop, since one consumer", "exceeded its limit: 5 minutes", "and was evicted again."
    ]  # fmt: skip
    assert cells["Resolution"] == "Limit raised to 15 minutes and\nbatches made smaller."
    assert cells["overview"] == "Nobody was paged."


def test_a_label_in_bold_goes_on_and_a_cause_may_begin_below_its_name() -> None:
    bold = dict(postmortem_cells("b.md", "# Down\n\n**Summary**: Search was down in a time\nof high interest.\n\n**Status**: Complete\n"))
    below = dict(postmortem_cells("c.md", "Title: Down\nCause:\n\nThe disk\nwas full.\n\nAnd so was the other.\nSeverity: 2\n"))

    assert bold["Summary"] == "Search was down in a time\nof high interest."
    assert below["Cause"] == "The disk\nwas full.\nAnd so was the other."
    assert below["Severity"] == "2"


def test_a_sentence_below_a_field_is_no_part_of_it() -> None:
    text = "# Checkout outage\nDate: 2024-01-02\nCustomers could not log in for an hour.\n\n## Root cause\n\nA lock.\n"

    cells = dict(postmortem_cells("s.md", text))

    assert (cells["Date"], cells["overview"].strip()) == ("2024-01-02", "Customers could not log in for an hour.")
    assert cells["Root cause"] == "A lock."


@pytest.mark.parametrize(
    ("header", "is_one"),
    [
        ("Resolution/Close date", False),
        ("Resolution / Status", False),
        ("Resolution and owner", False),
        ("Fix/Resolution", True),
        ("Workaround / Fix", True),
    ],
)
def test_a_column_with_a_joined_name_is_the_solution_where_all_names_say_so(tmp_path: Path, header: str, is_one: bool) -> None:
    cell = "Raised the limit of the pool to 50"

    tickets, _ = read(tmp_path / "own.csv", f"ticket_id,description,root_cause,{header}\nT-1,Logins fail,Pool of 5,{cell}\n")

    assert (tickets["T-1"].solution == cell) is is_one


def test_a_column_of_a_cause_and_its_class_is_not_the_cause() -> None:
    assert understand(["ticket_id", "description", "Cause/Category", "Fix"]).roles[2] is None


def test_a_head_in_yaml_has_longer_texts_and_its_title_is_that_of_the_first_heading() -> None:
    head = "---\ntitle: Out of disk\nseverity: 2\nroot_cause: |\n  note: old indices\n\n  were kept.\n---\n\n"
    text = f"{head}# Postmortem: Out of disk\n\nRead-only at 3.\n"

    cells = postmortem_cells("y.md", text)

    assert ("root_cause", "note: old indices\nwere kept.") in cells
    assert [text for column, text in cells if column == "title"] == ["Out of disk"]
    assert ("overview", "Read-only at 3.") in [(column, text.strip("-\n ")) for column, text in cells]


def test_headings_that_join_two_names_and_those_with_parts_are_read(tmp_path: Path) -> None:
    text = """# Search down

## Executive summary

Search was read-only.

## Root Cause Analysis

### 5 Whys

1. Why? Disks were full.

## Mitigation / Resolution

Old indices deleted.

## Root cause and fix

See above.
"""
    tickets, _ = read(tmp_path / "pm.md", text)

    ticket = tickets["pm"]
    assert ticket.description == "Search down\nSearch was read-only."
    assert "Disks were full" in ticket.root_cause
    assert ticket.solution == "Old indices deleted."


def test_people_of_an_interface_are_not_kept(tmp_path: Path) -> None:
    issue = {
        "id": 4711, "subject": "Load hangs", "description": "The load hangs.", "status": {"id": 5, "name": "Closed"},
        "author": {"id": 9, "name": "Jane Doe"}, "assigned_to": {"id": 1, "name": "Max Muster"},
        "custom_fields": [{"id": 7, "name": "Root cause", "value": "A lock"}],
    }  # fmt: skip

    tickets, _ = read(tmp_path / "issues.json", json.dumps({"issues": [issue]}))

    assert tickets["4711"].root_cause == "A lock"
    assert not any(name in str(tickets["4711"].metadata) for name in ("Jane", "Max"))


def test_the_id_that_people_read_goes_before_that_of_the_database(tmp_path: Path) -> None:
    node = {
        "id": "7c3f3f5a-11aa-4c51-9a2e-0d0f5e6a1b01", "identifier": "ENG-101", "title": "Checkout fails", "state": {"name": "Done"},
        "description": "500 since noon.\n\n## Root cause\n\nPool of 5.",
    }  # fmt: skip

    tickets, _ = read(tmp_path / "linear.json", json.dumps({"data": {"issues": {"nodes": [node]}}}))

    assert list(tickets) == ["ENG-101"]


def test_a_number_sign_behind_the_word_for_a_ticket_is_its_id(tmp_path: Path) -> None:
    header = "Ticket#;Titel;Status;Beschreibung;DynamicField_Ursache"
    rows = f"{header}\n20260101;Läufe hängen;erfolgreich geschlossen;Die Läufe hängen;Eine Sperre\n"

    tickets, _ = read(tmp_path / "otrs.csv", rows)

    assert tickets["20260101"].root_cause == "Eine Sperre"


JIRA_SERVER = """<rss version="0.92"><channel><title>JIRA</title><item>
 <title>[OPS-7] Disk full</title>
 <description>&lt;p&gt;Disk at 100 %.&lt;/p&gt;</description><key id="7">OPS-7</key><summary>Disk full</summary>
 <status id="6">Closed</status><resolution id="1">Fixed</resolution>
 <customfields>
  <customfield id="c1" key="k"><customfieldname>Root Cause</customfieldname>
   <customfieldvalues><customfieldvalue>&lt;p&gt;Retention was -1&lt;/p&gt;</customfieldvalue></customfieldvalues></customfield>
  <customfield id="c2" key="k"><customfieldname>Workaround / Fix</customfieldname>
   <customfieldvalues><customfieldvalue>Set to 3 days</customfieldvalue></customfieldvalues></customfield>
 </customfields></item>
 <item><title>[OPS-8] Lag</title><description>Lag grows.</description><key id="8">OPS-8</key><summary>Lag</summary>
 <status id="3">In Progress</status><customfields/></item>
</channel></rss>"""


def test_fields_of_jira_server_in_xml_have_their_names_in_tags_of_their_own(tmp_path: Path) -> None:
    tickets, problems = read(tmp_path / "SearchRequest.xml", JIRA_SERVER)

    assert (tickets["OPS-7"].root_cause, tickets["OPS-7"].solution) == ("Retention was -1", "Set to 3 days")
    assert tickets["OPS-7"].description == "[OPS-7] Disk full\nDisk at 100 %."
    assert problems == {"OPS-8"}


def test_a_section_of_a_form_that_nobody_filled_in_is_left_out(tmp_path: Path) -> None:
    body = "### What happened?\n\nLogins failed.\n\n### Root cause\n\nKey rotated\n\n### Severity\n\n_No response_"
    issue = {"number": 8, "title": "Logins fail", "state": "CLOSED", "stateReason": "COMPLETED", "body": body}

    tickets, _ = read(tmp_path / "gh.json", json.dumps([issue]))

    assert "No response" not in tickets["8"].description
    assert "Logins failed." in tickets["8"].description
