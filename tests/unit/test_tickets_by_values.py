"""Exports of tools that are not known by name: what columns hold is seen in their values and in the ends of their names."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from contracts.tickets import Ticket, TicketProblem
from tests.support.said import said
from tests.support.workbooks import workbook
from workers.tickets.prose import take_apart
from workers.tickets.ticket_files import open_tickets


def _read(path: Path) -> tuple[dict[str, Ticket], list[str | None]]:
    items = [item for _, item in open_tickets(path).items]
    problems = [item.ticket_id for item in items if isinstance(item, TicketProblem)]
    return {item.ticket_id: item for item in items if isinstance(item, Ticket)}, problems


def _csv(path: Path, rows: Sequence[Mapping[str, str]], encoding: str = "utf-8", delimiter: str = ",") -> Path:
    written = io.StringIO()
    writer = csv.DictWriter(written, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(written.getvalue().encode(encoding))
    return path


def test_a_tracker_in_chinese_is_read_by_the_ends_of_its_names(tmp_path: Path) -> None:
    """Its column of solutions holds how bugs ended, and a form in brackets what should have come."""
    steps = "<p>[步骤]</p><p>打开门禁页面</p><p>[结果]</p><p>页面 20 秒后返回 502</p><p>[期望]</p><p>页面打开</p>"
    bug = {"Bug编号": "71", "所属模块": "/门禁", "Bug标题": "门禁页面打不开", "重现步骤": steps, "Bug状态": "已关闭"}
    note = "根本原因：证书过期导致网关拒绝连接。解决方法：更换证书"
    path = _csv(tmp_path / "bugs.csv", [
        {**bug, "解决方案": "已解决", "备注": note}, {**bug, "Bug编号": "72", "Bug状态": "激活", "解决方案": "", "备注": ""},
        {**bug, "Bug编号": "73", "解决方案": "重复Bug", "备注": note}, {**bug, "Bug编号": "74", "解决方案": "延期处理", "备注": note},
    ], "gbk")  # fmt: skip

    tickets, problems = _read(path)

    assert (set(tickets), problems) == ({"71"}, ["72", "73", "74"])
    assert tickets["71"].root_cause == "证书过期导致网关拒绝连接"
    assert tickets["71"].solution == "更换证书"
    assert [anomaly.description for anomaly in tickets["71"].anomalies] == ["页面 20 秒后返回 502"]


def test_a_desk_in_german_is_read_with_its_numbers(tmp_path: Path) -> None:
    row = {"Ticket-Nummer": "2024010100001", "Alter": "2 Tage", "Status": "erfolgreich geschlossen", "Titel": "Aufzug hält nicht",
           "Betreff": "Aufzug hält nicht", "Beschreibung": "Der Aufzug fährt am 3. Stock vorbei", "Ursache": "Endschalter verschmutzt",
           "Lösung": "Schalter gereinigt"}  # fmt: skip
    path = _csv(tmp_path / "desk.csv", [row, {**row, "Ticket-Nummer": "2024010100002", "Status": "offen"}], "cp1252", ";")

    tickets, problems = _read(path)

    assert problems == ["2024010100002"]
    assert tickets["2024010100001"].description == "Aufzug hält nicht\nDer Aufzug fährt am 3. Stock vorbei"
    assert tickets["2024010100001"].root_cause == "Endschalter verschmutzt"


def test_a_sheet_of_incidents_is_read(tmp_path: Path) -> None:
    head = ["故障编号", "故障标题", "故障现象", "根因分析", "状态"]
    path = tmp_path / "incidents.xlsx"
    path.write_bytes(workbook({"故障": [
        head, ["F-1", "水泵停机", "1. 水位下降\n2. 电流为 0", "断路器跳闸", "已复盘"], ["F-2", "阀门漏水", "地面有水", "", "处理中"],
    ]}))  # fmt: skip

    tickets, problems = _read(path)

    assert problems == ["F-2"]
    assert tickets["F-1"].root_cause == "断路器跳闸"
    assert [anomaly.description for anomaly in tickets["F-1"].anomalies] == ["水位下降", "电流为 0"]


def test_lists_of_fields_and_of_remarks_are_read_under_any_key(tmp_path: Path) -> None:
    """Trackers keep their fields as a list of names and values, and what people wrote as one of texts with a time."""
    fields = [{"name": "State", "value": {"name": "Fixed"}}, {"name": "Root cause", "value": {"text": "The belt was worn"}}]
    issue = {
        "id": "2-7", "idReadable": "LIFT-7", "summary": "Belt squeaks", "description": "A squeak at every start", "customFields": fields,
        "journals": [{"id": 1, "details": [{"name": "status", "old_value": "1"}], "notes": "Fix: new belt", "created_on": "2024-01-01"}],
    }  # fmt: skip
    is_open = [{"name": "State", "value": {"name": "Open"}}]
    path = tmp_path / "issues.json"
    path.write_text(json.dumps([issue, {**issue, "id": "2-8", "idReadable": "LIFT-8", "customFields": is_open}]))

    tickets, problems = _read(path)

    assert problems == ["LIFT-8"]
    assert (tickets["LIFT-7"].root_cause, tickets["LIFT-7"].solution) == ("The belt was worn", "new belt")


def test_fields_that_are_described_by_an_object_are_read(tmp_path: Path) -> None:
    def entry(name: str, value: str) -> dict[str, object]:
        return {"custom_field": {"id": "01", "name": name}, "values": [{"value_text": value}]}

    entries = [entry("Root cause", "Worn spring"), entry("Resolution", "New spring")]
    incident = {"id": "01F", "reference": "GATE-1", "name": "Gate", "summary": "The gate stays open", "custom_field_entries": entries}
    is_open = {**incident, "id": "01G", "reference": "GATE-2", "incident_status": {"name": "In progress"}}
    path = tmp_path / "incidents.json"
    path.write_text(json.dumps({"incidents": [{**incident, "incident_status": {"name": "Closed"}}, is_open]}))

    tickets, problems = _read(path)

    assert (tickets["GATE-1"].root_cause, tickets["GATE-1"].solution, problems) == ("Worn spring", "New spring", ["GATE-2"])


def test_a_field_of_an_installation_has_a_name_of_ours(tmp_path: Path) -> None:
    row = {"问题关键字": "OPS-1", "概要": "任务失败", "状态": "完成", "自定义字段 (根本原因)": "磁盘已满"}

    assert _read(_csv(tmp_path / "jira.csv", [row]))[0]["OPS-1"].root_cause == "磁盘已满"


@pytest.mark.parametrize("first", ["2024-01-01", "12.5", "Kiel"])
def test_what_is_no_code_is_no_id(tmp_path: Path, first: str) -> None:
    row = {"when": first, "description": "The lift stops", "root_cause": "Worn belt"}
    path = _csv(tmp_path / "desk.csv", [row, {**row, "when": "2024-01-02"}])

    assert not _read(path)[0]


def test_an_unload_in_xml_shows_what_people_see(tmp_path: Path) -> None:
    """A field that leads to another record holds its key, and its name in an attribute."""
    incident = (
        "<incident><number>INC1</number><short_description>No heat</short_description><description>All rooms are cold</description>"
        "<state>7</state><close_notes>Refilled</close_notes><cause>No water in the boiler</cause>"
        '<cmdb_ci display_value="boiler-2">b4fd7c</cmdb_ci></incident>'
    )
    path = tmp_path / "unload.xml"
    path.write_text(f"<unload>{incident}{incident.replace('INC1', 'INC2').replace('>7<', '>2<')}</unload>")

    tickets, problems = _read(path)

    assert problems == ["INC2"]
    assert tickets["INC1"].metadata["system"] == "boiler-2"


def test_marks_of_required_fields_are_no_part_of_a_name(tmp_path: Path) -> None:
    row = {
        "Incident ID*+": "INC1",
        "Summary*": "Gate stays open",
        "Status*": "Closed",
        "Root Cause": "Worn spring",
        "Resolution": "New spring",
    }
    path = _csv(tmp_path / "desk.csv", [row, {**row, "Incident ID*+": "INC2", "Status*": "Assigned"}])

    tickets, problems = _read(path)

    assert (tickets["INC1"].root_cause, tickets["INC1"].solution, len(problems)) == ("Worn spring", "New spring", 1)


def test_a_column_whose_texts_name_the_cause_is_one_of_remarks(tmp_path: Path) -> None:
    row = {"Id": "5", "Subject": "Gate stays open", "Ticket status": "Solved", "Agent notes": "Root cause: worn spring. Fix: new spring."}
    path = _csv(tmp_path / "desk.csv", [row, {**row, "Id": "6", "Ticket status": "Open", "Agent notes": ""}])

    tickets, problems = _read(path)

    assert (tickets["5"].root_cause, tickets["5"].solution, problems) == ("worn spring", "new spring", ["6"])


def test_a_time_to_fix_is_no_fix(tmp_path: Path) -> None:
    row = {"Nummer": "7", "Incident title": "Gate stays open", "Root cause": "Worn spring", "Time to fix": "3 h", "State": "Closed"}
    path = _csv(tmp_path / "desk.csv", [row, {**row, "Nummer": "8", "State": "Open"}])

    tickets, _ = _read(path)

    assert (tickets["7"].description, tickets["7"].solution) == ("Gate stays open", "")


_FILLED = {"Title": "Gate stays open", "Description": "The gate stays open", "Root cause": "Worn spring", "Solution": "New spring"}


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("Date", ("01/03/2024", "02/03/2024", "03/03/2024")),
        ("Created", ("01-03-2024", "02-03-2024", "03-03-2024")),
        ("Day", ("20240301", "20240302", "20240303")),
        ("Minutes", ("7", "14", "21")),
        ("Asset", ("SRV-001", "SRV-002", "SRV-003")),
        ("Customer No", ("4711", "4712", "4713")),
        ("Ticket-Nummer", ("01/03/2024", "02/03/2024", "03/03/2024")),
    ],
)
def test_a_column_that_is_not_called_the_id_of_a_ticket_is_none(tmp_path: Path, column: str, values: tuple[str, ...]) -> None:
    """Dates, minutes and servers were the ids of the tickets, without a word."""
    items = list(open_tickets(_csv(tmp_path / "desk.csv", [{column: value, **_FILLED} for value in values])).items)

    assert [isinstance(item, TicketProblem) and "ticket_id" in said(item.reason) for _, item in items] == [True]


@pytest.mark.parametrize("column", ["Case", "Ticket-Nummer", "Incident ID", "Issue No.", "Bug编号"])
def test_a_column_that_is_called_the_id_of_a_ticket_is_one_wherever_it_is(tmp_path: Path, column: str) -> None:
    rows = [{"Minutes": str(number * 7), **_FILLED, column: f"C-{number:05}"} for number in (1, 2)]

    assert open_tickets(_csv(tmp_path / "desk.csv", rows)).id_column == column, "and the import says which it took"
    assert set(_read(_csv(tmp_path / "desk.csv", rows))[0]) == {"C-00001", "C-00002"}


def test_an_id_stays_where_another_column_has_codes(tmp_path: Path) -> None:
    rows = [{"id": str(number), **_FILLED, "Asset": f"SRV-{number:03}"} for number in (1, 2)]

    assert set(_read(_csv(tmp_path / "desk.csv", rows))[0]) == {"1", "2"}


def test_what_comes_again_further_below_is_no_id(tmp_path: Path) -> None:
    """Of 500 rows each had its own number; then two tickets had one id."""
    rows = [{"Case": str(number), **_FILLED} for number in (*range(1, 601), 1)]

    assert _read(_csv(tmp_path / "desk.csv", rows)) == ({}, [None])


@pytest.mark.parametrize(("column", "taken"), [("Payment status", {"1", "2"}), ("Approval status", {"1", "2"}), ("Incident status", {"1"})])
def test_only_the_state_of_the_ticket_says_whether_it_is_solved(tmp_path: Path, column: str, taken: set[str]) -> None:
    """Tickets whose payment was pending were refused as not solved."""
    rows = [{"Number": "1", **_FILLED, column: "Closed"}, {"Number": "2", **_FILLED, column: "Pending"}]

    assert set(_read(_csv(tmp_path / "desk.csv", rows))[0]) == taken


@pytest.mark.parametrize(
    ("text", "cause", "fix"),
    [
        (
            "Root cause:\n[see screenshot]\nThe disk was full.\nSolution:\n[1]\nCleaned the disk.",
            "[see screenshot] The disk was full",
            "[1] Cleaned the disk",
        ),
        ("根因：\n【截图】\n磁盘已满\n解决方案：\n清理磁盘", "【截图】 磁盘已满", "清理磁盘"),
        (
            "[Root cause]\n[see screenshot]\nThe disk was full\n[Solution]\nCleaned the disk",
            "[see screenshot] The disk was full",
            "Cleaned the disk",
        ),
        ("Root cause:\n[ERROR] no space left on device\nSolution:\nCleaned", "[ERROR] no space left on device", "Cleaned"),
        ("【根因】磁盘已满\n【解决方案】清理磁盘", "磁盘已满", "清理磁盘"),
    ],
)
def test_brackets_end_a_cause_only_where_they_are_a_label(text: str, cause: str, fix: str) -> None:
    told = take_apart(text)

    assert (told.cause, told.fix) == (cause, fix)


def test_what_can_be_chosen_in_a_field_is_no_field(tmp_path: Path) -> None:
    """A list of options, each with an id and a value, was a column called `custom field 3`, and the cause was gone."""
    record = {"number": "INC1", "short_description": "API slow", "description": "API slow since noon", "state": "Closed"}
    path = tmp_path / "records.json"
    path.write_text(
        json.dumps({"result": [{**record, "close_notes": "Cleaned disk", "u_root_cause": [{"id": "3", "value": "Disk full"}]}]})
    )

    tickets, _ = _read(path)

    assert (tickets["INC1"].root_cause, tickets["INC1"].solution) == ("Disk full", "Cleaned disk")
