"""Tickets in the JSON of ticket tools, and postmortems in Markdown."""

import json
from pathlib import Path
from typing import Any

import pytest

from contracts.tickets import Ticket, TicketProblem
from workers.errors import InvalidInput
from workers.saying import text_of
from workers.tickets.mapping import read_mapping
from workers.tickets.preview import preview
from workers.tickets.ticket_files import open_tickets


def read(path: Path, content: object, *pairs: str) -> tuple[dict[str, Ticket], dict[str | None, str]]:
    if content is not None:
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), encoding="utf-8")
    items = [item for _, item in open_tickets(path, read_mapping(pairs)).items]
    tickets = {item.ticket_id: item for item in items if isinstance(item, Ticket)}
    return tickets, {item.ticket_id: text_of(item.reason, "en") for item in items if isinstance(item, TicketProblem)}


def adf(*lines: str) -> dict[str, Any]:
    return {"type": "doc", "version": 1, "content": [{"type": "paragraph", "content": [{"type": "text", "text": line}]} for line in lines]}


def issue(key: str, **fields: Any) -> dict[str, Any]:
    usual = {"status": {"name": "Done"}, "resolution": {"name": "Fixed"}, "components": [{"name": "mysql"}], "labels": ["db", "p1"]}
    return {"id": "1", "key": key, "self": "https://jira.example.com/1", "fields": usual | fields}


JIRA = {
    "total": 3,
    "issues": [
        issue(
            "WEB-7",
            summary="Cart is slow",
            description=adf("Cart takes 12 s since noon.", "SHOW PROCESSLIST has 300 threads in 'Waiting for table metadata lock'."),
            customfield_7="An ALTER TABLE waited behind a long transaction",
            customfield_8=adf("Killed the transaction", "ALTER moved to the night"),
            comment={"comments": [{"author": {"displayName": "A"}, "body": adf("Innodb_row_lock_waits is at 4,000")}]},
        ),
        issue("WEB-8", summary="Cart slow again", description=adf("see WEB-7"), resolution={"name": "Duplicate"}),
        issue("WEB-9", summary="Cart?", description=adf("looking"), status={"name": "In Progress"}, resolution=None),
    ],
    "names": {"customfield_7": "Root cause", "customfield_8": "Resolution details"},
}


def test_a_search_result_of_jira_is_read_with_its_own_fields_and_documents(tmp_path: Path) -> None:
    """Case 07."""
    tickets, problems = read(tmp_path / "jira.json", JIRA)

    ticket = tickets["WEB-7"]
    assert ticket.root_cause == "An ALTER TABLE waited behind a long transaction"
    assert ticket.solution == "Killed the transaction\nALTER moved to the night"
    assert ticket.description.startswith("Cart is slow\nCart takes 12 s since noon.")
    assert ticket.metadata["system"] == "mysql"
    assert ticket.metadata["labels"] == "db, p1"
    assert problems == {
        "WEB-8": "repeats another ticket: it was closed as a duplicate",
        "WEB-9": "is not solved: its status is “In Progress”",
    }


def test_columns_of_json_can_be_mapped(tmp_path: Path) -> None:
    """Case 07: `--map` was refused for JSON."""
    unnamed = {key: value for key, value in JIRA.items() if key != "names"}

    tickets, _ = read(tmp_path / "jira.json", unnamed, "customfield_7=root_cause", "customfield_8=solution")
    own, _ = read(
        tmp_path / "own.jsonl",
        '{"nr": 5, "what": "Queue is full", "why": "Disk full"}\n',
        "nr=ticket_id",
        "what=description",
        "why=root_cause",
    )

    assert tickets["WEB-7"].root_cause == "An ALTER TABLE waited behind a long transaction"
    assert own["5"].root_cause == "Disk full"
    with pytest.raises(InvalidInput, match="customfield_9"):
        read(tmp_path / "jira.json", unnamed, "customfield_9=root_cause")


def test_fields_that_jira_migrated_are_read_as_the_fields_that_they_were(tmp_path: Path) -> None:
    """Case 08."""
    file = tmp_path / "jira.csv"
    file.write_text(
        "Summary;Issue key;Issue Type;Status;Description;Custom field (Root Cause (migrated));Custom field (Steps to Resolve)\n"
        "Login träge;DB-3;Incident;Done;Anmeldung dauert 9 s;Index fehlt nach Umbau;CREATE INDEX\n",
        encoding="cp1252",
    )

    tickets, problems = read(file, None)

    assert problems == {}
    assert (tickets["DB-3"].root_cause, tickets["DB-3"].solution) == ("Index fehlt nach Umbau", "CREATE INDEX")


def test_a_column_that_looks_like_the_cause_is_offered(tmp_path: Path) -> None:
    """Case 08."""
    file = tmp_path / "jira.csv"
    file.write_text("Summary,Issue key,Issue Type,Status,Failure reason (L2),Comment\nSlow,DB-3,Incident,Done,Index is missing,ok\n")

    assert preview(open_tickets(file)).offers == (("Failure reason (L2)", "root_cause"),)
    assert read(file, None, "Failure reason (L2)=root_cause")[0]["DB-3"].root_cause == "Index is missing"


def test_issues_of_github_are_read_with_the_sections_of_their_form(tmp_path: Path) -> None:
    usual = {"state": "closed", "state_reason": "completed", "labels": [{"name": "incident"}], "comments": 2, "user": {"login": "x"}}
    body = "Uploads fail with 503 since 09:10.\n\n### Root cause\nProxy closed idle connections\n\n### Fix\nKeep-alive raised to 75 s\n"
    issues = [
        {**usual, "number": 31, "title": "Uploads fail", "body": body, "html_url": "https://github.com/acme/web/issues/31"},
        {
            **usual,
            "number": 32,
            "title": "Dup",
            "body": "x",
            "state_reason": "duplicate",
            "html_url": "https://github.com/acme/web/issues/32",
        },
        {**usual, "number": 33, "title": "Open", "body": "x", "state": "open", "html_url": "https://github.com/acme/web/issues/33"},
    ]

    tickets, problems = read(tmp_path / "issues.json", issues)

    ticket = tickets["acme/web#31"]
    assert ticket.description == "Uploads fail with 503 since 09:10."
    assert (ticket.root_cause, ticket.solution) == ("Proxy closed idle connections", "Keep-alive raised to 75 s")
    assert set(problems) == {"acme/web#32", "acme/web#33"}


def test_issues_as_the_command_line_of_github_lists_them_are_read_with_bold_labels(tmp_path: Path) -> None:
    issue = {
        "number": 12, "title": "Checkout hangs", "state": "CLOSED", "url": "https://github.com/acme/web/issues/12",
        "body": "Sessions wait on locks.\n\n**Root cause**: idle transaction\n\n**Fix:** terminated it", "comments": [{"body": "done"}],
    }  # fmt: skip

    tickets, _ = read(tmp_path / "issues.json", [issue])

    ticket = tickets["acme/web#12"]
    assert (ticket.root_cause, ticket.solution) == ("idle transaction", "terminated it")
    assert "Sessions wait on locks." in ticket.description
    assert "idle transaction" not in ticket.description


def test_a_list_that_lies_deeper_is_found(tmp_path: Path) -> None:
    issue = {"number": 5, "title": "Slow", "body": "## Root cause\nNo index", "url": "https://github.com/acme/web/issues/5"}

    tickets, _ = read(tmp_path / "graphql.json", {"data": {"repository": {"name": "web", "issues": {"nodes": [issue]}}}})

    assert tickets["acme/web#5"].root_cause == "No index"


UNDERLINED = """API errors
==========

Summary
-------
500s for 10 minutes

Root cause
----------
Bad deploy
"""
WITH_A_HEAD = """---
title: Queue stuck
severity: SEV2
---

## What happened
The queue stopped.

## Root cause
Disk full
"""


def test_postmortems_with_underlined_headings_or_a_head_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(UNDERLINED)
    (tmp_path / "b.md").write_text(WITH_A_HEAD)

    tickets = {item.ticket_id: item for _, item in open_tickets(tmp_path).items if isinstance(item, Ticket)}

    assert (tickets["a"].root_cause, tickets["b"].root_cause) == ("Bad deploy", "Disk full")
    assert tickets["a"].description.splitlines()[0] == "API errors"
    assert tickets["b"].description.splitlines()[0] == "Queue stuck"


def test_incidents_of_pagerduty_are_read_with_custom_fields_and_notes(tmp_path: Path) -> None:
    incident = {
        "id": "PX1", "incident_number": 812, "title": "Kafka lag above 100k", "status": "resolved", "service": {"summary": "ingest"},
        "body": {"type": "incident_body", "details": "Consumer group orders lags by 240k."},
        "notes": [{"content": "kafka-consumer-groups --describe shows 240k"}],
        "custom_fields": [{"display_name": "Root cause", "value": "Rebalance loop"}, {"name": "Fix", "value": "Session timeout raised"}],
    }  # fmt: skip

    tickets, problems = read(tmp_path / "pd.json", {"incidents": [incident, {**incident, "incident_number": 813, "status": "triggered"}]})

    assert (tickets["812"].root_cause, tickets["812"].solution) == ("Rebalance loop", "Session timeout raised")
    assert tickets["812"].metadata["system"] == "ingest"
    assert "{" not in tickets["812"].description
    assert problems == {"813": "is not solved: its status is “triggered”"}


def test_tickets_of_zendesk_are_read_with_the_names_of_their_fields(tmp_path: Path) -> None:
    ticket = {
        "id": 4411, "subject": "Export is empty", "description": "The CSV export has no rows.", "status": "solved", "requester_id": 9,
        "custom_fields": [{"id": 77, "value": "Wrong time zone in the filter"}, {"id": 78, "value": None}],
    }  # fmt: skip

    tickets, _ = read(tmp_path / "zd.json", {"tickets": [ticket], "ticket_fields": [{"id": 77, "title": "Root cause"}]})

    assert tickets["4411"].root_cause == "Wrong time zone in the filter"


def test_records_of_servicenow_are_read_with_display_values(tmp_path: Path) -> None:
    record = {
        "number": "INC9", "short_description": "Mail is late", "description": "Mail takes 2 h.", "state": {"display_value": "Closed"},
        "close_notes": "Queue flushed", "cause": "DNS timeout", "cmdb_ci": {"display_value": "mx-1", "link": "https://x"},
    }  # fmt: skip

    tickets, _ = read(tmp_path / "sn.json", {"result": [record]})

    assert (tickets["INC9"].root_cause, tickets["INC9"].solution) == ("DNS timeout", "Queue flushed")
    assert tickets["INC9"].metadata["system"] == "mx-1"


POSTMORTEM = """# Checkout down for 40 minutes
Date: 2026-04-02
**Status:** resolved

## Summary
Checkout returned 500 from 10:00 to 10:40. `SELECT count(*) FROM pg_locks` was above 9,000.

## Root cause
A migration took an exclusive lock on orders.

```
# not a heading
ALTER TABLE orders ADD COLUMN x int;
```

## Resolution
The migration was cancelled.

## Lessons learned
Set lock_timeout.
"""


def test_a_folder_of_postmortems_is_read_by_their_headings(tmp_path: Path) -> None:
    folder = tmp_path / "postmortems"
    (folder / "2026").mkdir(parents=True)
    (folder / "2026" / "checkout.md").write_text(POSTMORTEM)
    (folder / "README.md").write_text("# Postmortems\nHow we write them.\n")
    (folder / "search.md").write_text("# Search empty\n## Impact\nNo hits.\n## What went wrong\nIndex alias moved too early\n")

    tickets, problems = read(folder, None)
    mapped, _ = read(folder, None, "What went wrong=root_cause")

    ticket = tickets["2026/checkout"]
    assert ticket.description.startswith("Checkout down for 40 minutes\nCheckout returned 500")
    assert ticket.root_cause.startswith("A migration took an exclusive lock on orders.")
    assert "# not a heading" in ticket.root_cause
    assert ticket.solution == "The migration was cancelled."
    assert (ticket.metadata["Date"], ticket.metadata["Lessons learned"]) == ("2026-04-02", "Set lock_timeout.")
    assert set(problems) == {"README", "search"}
    assert mapped["search"].root_cause == "Index alias moved too early"


def test_a_folder_without_markdown_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="holds no Markdown files"):
        open_tickets(tmp_path)


@pytest.mark.parametrize("depth", [70, 3_000])
def test_a_document_that_is_nested_too_deeply_costs_itself_only(tmp_path: Path, depth: int) -> None:
    deep: Any = {"type": "text", "text": "x"}
    for _ in range(min(depth, 200)):
        deep = {"type": "doc", "content": [deep]}
    text = json.dumps({"issues": [issue("A-1", summary="s", description=deep, customfield_7="c")], "names": JIRA["names"]})
    if depth > 200:
        text = text.replace('"s"', "[" * depth + "]" * depth)

    tickets, problems = read(tmp_path / "deep.json", text)

    assert len(tickets) + len(problems) == 1


@pytest.mark.parametrize(
    "text",
    [
        "# Prices\n\nWrong.\n\n### Root cause(s)\n\nThe key had no currency.\n\n## How we fixed it\n\nIt has one.",
        "# Prices\n\n**Root Causes**: The key had no currency.\n\n**Trigger**: Release 4.\n\n**Resolution**: It has one.",
        "---\ntitle: Prices\n---\n# Prices\n**Impact**: Wrong.\n\n**Root cause**\n\nThe key had no currency.\n\n"
        "**How was it fixed?**\n\nIt has one.",
        "# Prices\n\nWrong.\n\n## 3. Root-Cause:\nThe key had no currency.\n\n## 4. The fix\nIt has one.",
    ],
)
def test_headings_are_compared_without_their_dress(tmp_path: Path, text: str) -> None:
    (tmp_path / "prices.md").write_text(text)

    tickets, problems = read(tmp_path, None)

    assert problems == {}
    assert (tickets["prices"].root_cause, tickets["prices"].solution) == ("The key had no currency.", "It has one.")


def test_a_template_is_no_ticket(tmp_path: Path) -> None:
    (tmp_path / "template.md").write_text("# [TITLE]\n\n## Summary\n\n[What happened]\n\n## Root cause\n\n[Explain it.]\n")

    assert list(read(tmp_path, None)[1]) == ["template"]


def test_a_list_under_any_key_is_found_and_nested_fields_are_columns(tmp_path: Path) -> None:
    """A desk that is not known by name."""
    case = {"ref": "C-1", "headline": "Orders hang", "state": "closed", "cf": {"why": "Disk full", "more": {"done": "Cleaned"}}}
    file = tmp_path / "desk.json"
    file.write_text(json.dumps({"total": 1, "cases": [case, {**case, "ref": "C-2", "state": "open"}]}))

    opened = open_tickets(file)
    reasons = [
        text_of(item.reason, "en") for _, item in opened.items if isinstance(item, TicketProblem) and not isinstance(item.reason, str)
    ]
    pairs = ("ref=ticket_id", "headline=summary", "cf.why=root_cause", "cf.more.done=solution")
    tickets, problems = read(file, None, *pairs)

    assert len(reasons) == 1
    assert "--map COLUMN=ticket_id" in reasons[0]
    assert "ref, headline, state, cf.why, cf.more.done" in reasons[0]
    assert (tickets["C-1"].root_cause, tickets["C-1"].solution, list(problems)) == ("Disk full", "Cleaned", ["C-2"])


def test_a_ticket_with_lists_of_its_own_is_one_ticket(tmp_path: Path) -> None:
    ticket = {"ticket_id": "T-1", "description": "Orders hang", "root_cause": "Disk full", "steps": [{"did": "looked"}]}

    tickets, problems = read(tmp_path / "own.json", ticket)

    assert (list(tickets), problems) == (["T-1"], {})


@pytest.mark.parametrize(
    "text",
    [
        "Orders hang.\n\n## Why did it break?\n\nDisk full.\n\n## Later\n\nMore space.",
        "Orders hang.\n\nh3. Why did it break\nDisk full.\n\nh3. Later\nMore space.",
        "Orders hang.\n\n**Why did it break:** Disk full.\n\n**Later:** More space.",
    ],
)
def test_a_section_of_a_text_can_be_named_as_the_cause(tmp_path: Path, text: str) -> None:
    file = tmp_path / "desk.csv"
    file.write_text(f'ref,text,state\nC-1,"{text}",closed\n')

    tickets, problems = read(file, None, "ref=ticket_id", "text=description", "text#Why did it break=root_cause")

    assert problems == {}
    assert tickets["C-1"].root_cause == "Disk full."
    assert "Disk full" not in tickets["C-1"].description
    assert "More space" in tickets["C-1"].description


def test_a_section_of_a_column_that_is_not_there_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "desk.csv"
    file.write_text("ref,text\nC-1,Orders hang\n")

    with pytest.raises(InvalidInput, match="no column body#why"):
        open_tickets(file, {"ref": "ticket_id", "body#Why": "root_cause"})


def test_causes_under_headings_of_the_description_need_no_column(tmp_path: Path) -> None:
    """GitLab's export."""
    file = tmp_path / "issues.csv"
    body = "## What happened\n\nOrders hang.\n\n## Root cause\n\nDisk full.\n\n## Resolution\n\nCleaned."
    file.write_text(f'Title,Description,Issue ID,State,Author Username\nOrders,"{body}",41,Closed,x\nOrders,"{body}",42,Open,x\n')

    tickets, problems = read(file, None)

    assert (tickets["41"].root_cause, tickets["41"].solution, list(problems)) == ("Disk full", "Cleaned", ["42"])


def work_item(number: int, **fields: str) -> dict[str, Any]:
    usual = {"System.Id": number, "System.WorkItemType": "Bug", "System.State": "Closed", "System.Reason": "Fixed and verified"}
    return {"id": number, "rev": 3, "fields": usual | fields}


def test_work_items_of_azure_devops_are_read_by_their_reference_names(tmp_path: Path) -> None:
    cause = {
        "Custom.RootCause": "<div>Backup and refresh run at the same hour&nbsp;</div>",
        "Custom.Resolution": "<div>Refresh at 04:00</div>",
    }
    steps = {"System.Title": "Refresh fails", "Microsoft.VSTS.TCM.ReproSteps": "<div>Fails with <b>timeout</b>.</div><div>At 02:00.</div>"}
    items = [
        work_item(771, **steps, **cause), work_item(772, **steps, **{"System.State": "Active", "System.Reason": "New"}),
        work_item(773, **steps, **{"System.Reason": "Duplicate"}),
    ]  # fmt: skip

    tickets, problems = read(tmp_path / "items.json", {"count": 3, "value": items})

    assert tickets["771"].root_cause == "Backup and refresh run at the same hour"
    assert tickets["771"].solution == "Refresh at 04:00"
    assert tickets["771"].description == "Refresh fails\nFails with timeout.\nAt 02:00."
    assert "status is “Active”" in problems["772"]
    assert "duplicate" in problems["773"]


def test_a_field_without_a_name_is_mapped_by_its_number(tmp_path: Path) -> None:
    ticket = {"id": 1, "subject": "No VAT", "description": "Invoices have a VAT of 0.", "status": "solved", "raw_subject": "No VAT"}
    fields = [{"id": 36001, "value": "Tax table missing"}, {"id": 36002, "value": "Table loaded"}]

    tickets, problems = read(tmp_path / "t.ndjson", json.dumps({**ticket, "custom_fields": fields}), "36001=root_cause", "36002=solution")

    assert problems == {}
    assert (tickets["1"].root_cause, tickets["1"].solution) == ("Tax table missing", "Table loaded")


def test_numbered_headings_of_a_chinese_postmortem_are_read_and_a_table_is_no_phenomenon(tmp_path: Path) -> None:
    text = (
        "# 下单超时复盘\n\n## 1. 事故概要\n\n| 指标 | 数值 |\n|---|---|\n| Requests failed | 41,000 |\n\n"
        "## 二、故障现象\n\n下单接口大量超时，连接数达到上限。\n\n"
        "### 2.3. 事故根因分析\n\n营销任务的长事务占满连接池。\n\n## 3. 处理过程\n\n终止长事务。\n"
    )

    tickets, problems = read(tmp_path / "复盘.md", text)

    assert problems == {}
    (ticket,) = tickets.values()
    assert (ticket.root_cause, ticket.solution) == ("营销任务的长事务占满连接池。", "终止长事务。")
    assert all("|" not in anomaly.description for anomaly in ticket.anomalies)


def test_issues_of_gitlab_have_the_number_that_people_know(tmp_path: Path) -> None:
    known = {
        "project_id": 5,
        "labels": [],
        "author": {"username": "a", "name": "A"},
        "web_url": "https://gitlab.example.com/o/c/-/issues/12",
    }
    text = "Jobs wait 40 minutes.\n\n## Root cause\n\nQuota used up"
    done = {"id": 9001, "iid": 12, "title": "Jobs wait", "description": text, "state": "closed"}

    tickets, problems = read(tmp_path / "issues.json", [done | known, {**done, "id": 9002, "iid": 13, "state": "opened"} | known])

    assert [(key, ticket.root_cause) for key, ticket in tickets.items()] == [("12", "Quota used up")]
    assert "status is “opened”" in problems["13"]
