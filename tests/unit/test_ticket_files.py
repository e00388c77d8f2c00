"""Ticket histories as people have them."""

import base64
import contextlib
import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.tickets import Ticket, TicketProblem
from tests.support.campaign import TIMES
from tests.support.texts import foreign_words
from tests.unit.test_source_folders import write_workbook
from workers.console.ticket_import import Brought
from workers.engines.encodings import decode
from workers.errors import InvalidInput, NotFound
from workers.saying import text_of
from workers.tickets.preview import preview
from workers.tickets.ticket_files import once_each, open_tickets, read_tickets, to_solved
from workers.tickets.ticket_rows import split_phenomena, to_ticket

DATA = ("column",)
"""`--map COLUMN=...` is typed as it stands."""

GOOD: dict[str, Any] = {"ticket_id": "T-1", "description": "it is slow", "root_cause": "a missing index"}


def read(tmp_path: Path, name: str, content: str | bytes) -> tuple[list[Ticket], list[TicketProblem]]:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    items = [item for _, item in read_tickets(path)]
    return [item for item in items if isinstance(item, Ticket)], [item for item in items if isinstance(item, TicketProblem)]


def lines(*rows: object) -> str:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.jsonl", lines(GOOD, {**GOOD, "ticket_id": "T-2"})),
        ("t.json", json.dumps([GOOD, {**GOOD, "ticket_id": "T-2"}], indent=2)),
        ("t.json", json.dumps({"version": [1], "tickets": [GOOD, {**GOOD, "ticket_id": "T-2"}]})),
        ("t.json", lines(GOOD, {**GOOD, "ticket_id": "T-2"})),
        ("t.csv", "ticket_id,description,root_cause\nT-1,it is slow,a missing index\nT-2,it is slow,a missing index\n"),
        ("t.csv", "\ufeffID;Description;Root Cause\r\nT-1;it is slow;a missing index\r\nT-2;it is slow;a missing index\r\n"),
        ("t.tsv", "ticket_id\tdescription\troot_cause\nT-1\tit is slow\ta missing index\nT-2\tit is slow\ta missing index"),
        ("export", "ticket_id|description|root_cause\nT-1|it is slow|a missing index\nT-2|it is slow|a missing index"),
        ("export", lines(GOOD, {**GOOD, "ticket_id": "T-2"})),
    ],
)
def test_every_form_of_a_history_gives_the_same_tickets(tmp_path: Path, name: str, content: str) -> None:
    """D4: tickets are taken as they are, without preparation."""
    tickets, problems = read(tmp_path, name, content)

    assert problems == []
    assert tickets == [Ticket(**GOOD), Ticket(**{**GOOD, "ticket_id": "T-2"})]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gbk", "gb18030"])
def test_chinese_is_read_in_every_usual_encoding(tmp_path: Path, encoding: str) -> None:
    row = {"ticket_id": "工单一", "description": "查询变慢，业务受到影响", "root_cause": "统计信息过期"}

    tickets, problems = read(tmp_path, "t.csv", ("工单号,描述,根因\n" + ",".join(row.values())).encode(encoding))

    assert problems == []
    assert tickets == [Ticket(**row)]


def test_a_broken_byte_in_a_long_utf8_file_does_not_turn_it_into_gibberish() -> None:
    assert decode("查询变慢，业务受到影响".encode() + b"\xff").text == "查询变慢，业务受到影响\ufffd"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('{"ticket_id": "T-9", "description": "d"}', "root_cause is missing"),
        ('{"ticket_id": "T-9", "description": "  ", "root_cause": "c"}', "description is empty"),
        ('{"ticket_id": "T-9", "description": ["d"], "root_cause": "c"}', "description must be a text"),
        ('{"ticket_id": true, "description": "d", "root_cause": "c"}', "ticket_id must be a text"),
        ('{"ticket_id": "T-9", "description": "d", "root_cause": "c", "x": NaN}', "NaN is not a JSON value"),
        ('{"ticket_id": "T-9", "description": "d", "root_cause": "c", "x": 1e999}', "1e999 is too large a number"),
        ('{"ticket_id": "T-9", "description": "d", "root_cause": "c", "x": ' + "9" * 5000 + "}", "too many digits"),
        ('{"ticket_id": "T-9", "description": "d", "root_cause": "c", "x": ' + "[" * 60 + "]" * 60 + "}", "nested deeper than 20"),
        ("[" * 100_000 + "]" * 100_000, "nested deeper than 20"),
        ('{"ticket_id": "T-9", "description": "d", "root_cause": "c", "metadata": 5}', "metadata is a number, not an object"),
        ('{"ticket_id": "T-9", "description": "d", "root_cause": "c", "anomalies": 5}', "anomalies is a number"),
        (
            '{"ticket_id": "T-9", "description": "d", "root_cause": "c", "anomalies": [{"text": "a"}]}',
            "anomalies.1.description is missing",
        ),
        (
            '{"ticket_id": "T-9", "description": "' + "d" * 20_001 + '", "root_cause": "c"}',
            "description must have 20,000 or fewer characters",
        ),
        ("[1, 2]", "is a list, not an object"),
        ('"text"', "is a text, not an object"),
        ("null", "is null, not an object"),
        ('{"ticket_id": "T-9"', "is not JSON"),
        ("garbage", "is not JSON"),
    ],
    ids=lambda value: value[:40],
)
def test_a_bad_row_is_reported_with_its_line_and_the_rest_is_read(tmp_path: Path, row: str, reason: str) -> None:
    tickets, problems = read(tmp_path, "t.jsonl", f"{lines(GOOD)}\n\n{row}\n{lines({**GOOD, 'ticket_id': 'T-3'})}")

    assert [ticket.ticket_id for ticket in tickets] == ["T-1", "T-3"]
    assert [problem.line for problem in problems] == [3]
    assert reason in text_of(problems[0].reason, "en")
    assert foreign_words(problems[0].reason, "zh", known=DATA) == []


@pytest.mark.parametrize(
    "broken",
    ['{"ticket_id": }', "NaN", "[" * 100_000 + "]" * 100_000, '{"a": "}", "b": nope}', "nope", "tru"],
    ids=lambda value: value[:20],
)
def test_a_broken_element_of_an_array_costs_itself_only(tmp_path: Path, broken: str) -> None:
    content = f"[\n{lines(GOOD)},\n{broken},\n{lines({**GOOD, 'ticket_id': 'T-3'})}\n]"

    tickets, problems = read(tmp_path, "t.json", content)

    assert [ticket.ticket_id for ticket in tickets] == ["T-1", "T-3"]
    assert [problem.line for problem in problems] == [3]


@pytest.mark.parametrize("indent", [None, 1])
def test_an_id_that_comes_again_is_a_problem_also_on_the_same_line(tmp_path: Path, indent: int | None) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps([GOOD, {**GOOD, "root_cause": "a lock"}, {**GOOD, "ticket_id": "T-2"}], indent=indent))
    kept = [item for _, item in once_each(read_tickets(path))]

    assert [(type(item), item.ticket_id) for item in kept] == [(Ticket, "T-1"), (TicketProblem, "T-1"), (Ticket, "T-2")]


def test_a_list_that_ends_too_early_says_so(tmp_path: Path) -> None:
    tickets, problems = read(tmp_path, "t.json", f"[\n{lines(GOOD)},\n")

    assert len(tickets) == 1
    assert "is the file complete?" in text_of(problems[0].reason, "en")


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (
            "ticket_id,description\nT-1,d\n",
            1,
            "the header names no column root_cause; --map COLUMN=root_cause says which column holds it"
            ', and --map "COLUMN#HEADING=root_cause" which part of a text. '
            "The columns: ticket_id, description",
        ),
        ("ticket_id,description,root_cause\nT-1,d,c,more\nT-2,d,c\n", 2, "has 4 columns, the header 3"),
        ('ticket_id,description,root_cause\nT-1,"two\nlines",c\n,d,c\nT-2,d,c\n', 4, "ticket_id is empty"),
    ],
)
def test_a_bad_row_of_a_csv_is_reported_with_its_line(tmp_path: Path, content: str, line: int, reason: str) -> None:
    _, problems = read(tmp_path, "t.csv", content)

    assert [(problem.line, text_of(problem.reason, "en")) for problem in problems] == [(line, reason)]
    assert foreign_words(problems[0].reason, "zh", known=DATA) == []


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ('["one", {"description": "two", "observation_method": null}]', ["one", "two"]),
        ("- one\n- two,\n  still two", ["one", "two,\nstill two"]),
        ("1. 查看日志\n2、连接失败", ["查看日志", "连接失败"]),
        ("one\ntwo", ["one", "two"]),
        ("CPU 很高。内存不足；磁盘写满", ["CPU 很高。", "内存不足；", "磁盘写满"]),
        ("The log grows. Writes wait.", ["The log grows.", "Writes wait."]),
        ("1.5 GB are used", ["1.5 GB are used"]),
        (
            "A query takes 40 s. pg_stat_activity shows a lock. e.g. on orders",
            ["A query takes 40 s.", "pg_stat_activity shows a lock.", "e.g. on orders"],
        ),
        ("看日志\n```\nERROR: 1\n- 2\n```\n再看连接", ["看日志\n```\nERROR: 1\n- 2\n```", "再看连接"]),
        ("[not json", ["[not json"]),
        ("---\n\n", []),
        ("", []),
    ],
)
def test_phenomena_in_free_text_are_taken_apart(tmp_path: Path, cell: str, expected: list[str]) -> None:
    ticket = to_ticket(1, {**GOOD, "symptoms": cell})

    assert isinstance(ticket, Ticket)
    assert [anomaly.description for anomaly in ticket.anomalies] == expected


def test_a_phenomenon_too_long_for_a_description_is_kept_whole_as_the_method() -> None:
    found = split_phenomena("看日志 " + "x" * 5_000)

    assert len(found[0]["description"]) == 4_000
    assert found[0]["observation_method"].endswith("x" * 5_000)


def test_other_columns_become_metadata_and_a_field_by_its_own_name_wins() -> None:
    ticket = to_ticket(1, {**GOOD, "id": "other", "severity": "high", "empty": "", "metadata": '{"version": "16"}'})

    assert isinstance(ticket, Ticket)
    assert ticket.ticket_id == "T-1"
    assert ticket.metadata == {"id": "other", "severity": "high", "version": "16"}


@pytest.mark.parametrize("column", ["cause_id", "Cause ID", "cause-code", "cause_code", "根因编码"])
def test_a_column_with_the_code_of_the_cause_reaches_its_metadata(tmp_path: Path, column: str) -> None:
    tickets, problems = read(tmp_path, "t.csv", f"ticket_id,description,root_cause,{column}\nT-1,slow,no index,IDX-1\n")

    assert problems == []
    assert [ticket.metadata for ticket in tickets] == [{"cause_id": "IDX-1"}]


def test_the_code_by_its_own_name_wins_and_a_blank_one_does_not() -> None:
    both = to_ticket(1, {**GOOD, "cause_code": "old", "cause_id": "new"})
    blank = to_ticket(1, {**GOOD, "cause_code": "old", "cause_id": ""})
    own = to_ticket(1, {**GOOD, "cause_code": "old", "metadata": {"cause_id": "new"}})

    assert [getattr(ticket, "metadata", None) for ticket in (both, blank, own)] == [
        {"cause_code": "old", "cause_id": "new"},
        {"cause_id": "old"},
        {"cause_id": "new"},
    ]


def test_a_number_may_be_a_ticket_id() -> None:
    assert to_ticket(1, {**GOOD, "ticket_id": 42}) == Ticket(**{**GOOD, "ticket_id": "42"})


def test_a_file_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="There is no file"):
        read_tickets(tmp_path / "absent.json")
    with pytest.raises(InvalidInput, match="holds no Markdown files"):
        read_tickets(tmp_path)
    (tmp_path / "nothing.csv").write_text("\n \n")
    with pytest.raises(InvalidInput, match=r"nothing\.csv is empty"):
        read_tickets(tmp_path / "nothing.csv")
    (tmp_path / "sheet.csv").write_bytes(bytes(range(32)) * 40)
    with pytest.raises(InvalidInput, match=r"sheet\.csv is not text"):
        read_tickets(tmp_path / "sheet.csv")


def test_the_first_sheet_of_a_workbook_with_rows_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused before for an encoding that nobody could name."""
    strings = ["Export | of; January", "N°", "Titre", "Cause racine", "Statut", "Imprimante hors ligne", "Le bail DHCP a expiré", "Clos"]
    rows = ['<c r="A1" t="s"><v>0</v></c>', "", cells(1, 2, 3, 4), f"<c><v>4411</v></c>{cells(5, 6, 7)}"]
    sheet = "".join(f"<row>{row}</row>" for row in rows)
    write_workbook(tmp_path / "incidents.xlsx", {"Cover": "", "Incidents": sheet}, strings)

    monkeypatch.chdir(tmp_path)  # another process opens it
    ((line, ticket),) = read_tickets(Path("incidents.xlsx"))

    assert line == 4
    assert isinstance(ticket, Ticket)
    assert (ticket.ticket_id, ticket.description, ticket.root_cause) == ("4411", "Imprimante hors ligne", "Le bail DHCP a expiré")


def cells(*strings: int) -> str:
    return "".join(f'<c t="s"><v>{string}</v></c>' for string in strings)


@pytest.mark.parametrize("start", [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"\x1f\x8b\x08\x00", b"%PDF-1.7\n"])
def test_a_file_that_is_no_text_is_refused_as_such_whatever_encodings_fit(tmp_path: Path, start: bytes) -> None:
    (tmp_path / "export.xls").write_bytes(start + b"Ursache;Beschreibung " * 200)

    with pytest.raises(InvalidInput, match=r"export\.xls is not text"):
        read_tickets(tmp_path / "export.xls")


@settings(max_examples=120 * TIMES)
@given(content=st.binary(max_size=300) | st.text(max_size=300).map(str.encode), name=st.sampled_from(["t.json", "t.jsonl", "t.csv", "t"]))
def test_no_file_content_crashes_the_reader(tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str) -> None:
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(content)

    with contextlib.suppress(InvalidInput):  # an empty file, or one that is no text
        assert all(line >= 1 for line, _ in read_tickets(path))


TWO_FIT = b'{"ticket_id": "T-9", "description": "\xe6\x97\xa5\xd1\x88\xfa", "root_cause": "x"}'
"""Shift JIS, or Windows-1251."""
WIDE = json.dumps(["é"], ensure_ascii=False).encode("utf-16-be")


@pytest.mark.parametrize("row", [TWO_FIT, WIDE])
@pytest.mark.parametrize(("name", "form"), [("t.jsonl", b"%b\n%b\n%b"), ("t.json", b"[%b,%b,%b]"), ("export", b"%b\n%b\n%b")])
def test_a_row_of_json_whose_encoding_is_unknown_costs_itself_alone(tmp_path: Path, name: str, form: bytes, row: bytes) -> None:
    tickets, problems = read(tmp_path, name, form % (lines(GOOD).encode(), row, lines({**GOOD, "ticket_id": "T-2"}).encode()))

    assert [ticket.ticket_id for ticket in tickets] == ["T-1", "T-2"]
    assert problems
    assert row is WIDE or ["--encoding" in text_of(problem.reason, "en") for problem in problems] == [True]


def test_a_table_whose_encoding_is_unknown_is_refused_as_a_whole(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="--encoding"):
        read(tmp_path, "t.csv", b"ticket_id,description,root_cause\nT-9,\xe6\x97\xa5\xd1\x88\xfa,x")


def test_a_lone_surrogate_that_json_spells_is_no_question_of_encodings(tmp_path: Path) -> None:
    tickets, problems = read(tmp_path, "t.jsonl", lines({**GOOD, "metadata": json.dumps({"a": "b"})[:-2] + '\\udc80"}'}))

    assert problems == []
    assert [ticket.metadata for ticket in tickets] == [{"a": "b\ufffd"}]


def test_hostile_json_is_taken_or_refused_row_by_row(tmp_path: Path, eval_data: Path) -> None:
    """Parser cases of others: as a whole file, as one line of many, as one element of an array."""
    rest = lines({**GOOD, "ticket_id": "T-2"}).encode()
    cases = [json.loads(line) for line in (eval_data / "hostile" / "json_cases.jsonl").read_text().splitlines()]
    for case in cases:
        if case["b64"] is None:  # too large for a list of cases; its like stands among the rows above
            continue
        content = base64.b64decode(case["b64"])
        if content.strip():
            read(tmp_path, "t.json", content)
        tickets, _ = read(tmp_path, "t.jsonl", lines(GOOD).encode() + b"\n" + content + b"\n" + rest)
        assert [ticket.ticket_id for ticket in tickets] in (["T-1", "T-2"], []), case["name"]
        tickets, _ = read(tmp_path, "t.json", b"[" + lines(GOOD).encode() + b"," + content + b"]")
        assert tickets == [Ticket(**GOOD)] or b"\xff" in content, case["name"]


@pytest.mark.parametrize(
    ("cell", "phenomena"),
    [
        ("1. lag grows; 2. disk full", ["lag grows", "disk full"]),
        ("1. a; 2. b", ["a", "b"]),
        ("1) lag grows 2) disk full", ["lag grows", "disk full"]),
        ("(1) lag grows (2) disk full", ["lag grows", "disk full"]),
        ("- lag grows\n- disk full", ["lag grows", "disk full"]),
        ("- lag grows; - disk full", ["lag grows", "disk full"]),
        ("①主从延迟②磁盘满", ["主从延迟", "磁盘满"]),
        ("1、主从延迟 2、磁盘满；3、CPU 高", ["主从延迟", "磁盘满", "CPU 高"]),
        ("1.主从延迟2.磁盘满", ["主从延迟", "磁盘满"]),
        ("（1）延迟（2）磁盘满", ["延迟", "磁盘满"]),
        ("1. lag of 1.5 s, 2.3 GB heap", ["lag of 1.5 s, 2.3 GB heap"]),
        ("version 1. 2 nodes are down", ["version 1. 2 nodes are down"]),
        ("3 of 4 nodes are down. 2 are up.", ["3 of 4 nodes are down.", "2 are up."]),
    ],
)
def test_a_list_in_one_line_is_several_phenomena(cell: str, phenomena: list[str]) -> None:
    """D4: as spreadsheets hold them; a figure in a sentence is no mark of a list."""
    assert [each["description"] for each in split_phenomena(cell)] == phenomena


@pytest.mark.parametrize("above", ["sep=;\n", "Störungen 2026\n\nStand: heute\n", "\n"])
def test_lines_above_the_header_are_no_rows_and_lines_keep_their_numbers(tmp_path: Path, above: str) -> None:
    tickets, problems = read(tmp_path, "t.csv", f"{above}ticket_id;description;root_cause\nT-1;slow, again;no index\nT-2;x;\n")

    assert [ticket.ticket_id for ticket in tickets] == ["T-1"]
    assert [problem.line for problem in problems] == [above.count("\n") + 3]


@pytest.mark.parametrize(
    ("solution", "cause", "helped"),
    [
        ("Cause: disk full. Solution: moved the archives", "disk full", "moved the archives"),
        ("Cause: disk full\nSolution: moved the archives\nand bought a disk", "disk full", "moved the archives\nand bought a disk"),
        ("moved the archives\nRoot cause: disk full", "disk full", "moved the archives"),
        ("原因：磁盘满。解决方案：清理归档", "磁盘满", "清理归档"),
    ],
)
def test_a_cause_that_is_left_in_the_solution_is_the_cause(tmp_path: Path, solution: str, cause: str, helped: str) -> None:
    """Where the names of fields label the whole text, or begin its lines."""
    quoted = solution.replace('"', '""')
    items, problems = read(tmp_path, "own.csv", f'id,description,solution\n1,nothing is written,"{quoted}"\n')

    assert problems == []
    assert [(ticket.root_cause, ticket.solution) for ticket in items] == [(cause, helped)]


def test_a_part_whose_field_is_filled_is_kept_beside_the_ticket() -> None:
    ticket = to_ticket(1, {**GOOD, "root_cause": "full disk", "solution": "Cause: archives pile up\nSolution: moved them"})

    assert isinstance(ticket, Ticket)
    assert (ticket.root_cause, ticket.solution) == ("full disk", "moved them")
    assert ticket.metadata["root_cause in solution"] == "archives pile up"


def test_a_name_of_a_field_within_a_line_is_left_as_it_is_and_the_preview_says_so(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("id,description,cause,solution\n1,nothing is written,disk full,We moved the archives. Cause: they pile up\n", "utf-8")

    found = preview(open_tickets(path))

    assert found.examples[0].solution == "We moved the archives. Cause: they pile up"
    assert found.labelled == {"solution": 1}


def test_a_configuration_item_in_a_file_of_our_own_form_is_the_system(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("id,description,cause,Affected CI\n1,slow,lock,Oracle\n2,slow,lock,PostgreSQL\n", "utf-8")

    found = preview(open_tickets(path))

    assert found.systems == {"Oracle": 1, "PostgreSQL": 1}
    assert ("Affected CI", "system") in found.columns


@pytest.mark.parametrize("title", ["东澜港航 ITSM 导出,,,导出人：王磊", "导出,2026 年 11 月,共 2 条,"])
@pytest.mark.parametrize("mapping", [None, {"归类": "metadata"}])
def test_a_title_with_as_many_cells_as_the_table_is_no_header(tmp_path: Path, title: str, mapping: dict[str, str] | None) -> None:
    """An export of 33 incidents was refused whole."""
    rows = f"{title}\n工单号,现象描述,归类,根本原因\nINC-1,登录很慢,网络,DNS 下线\nINC-2,报文堆积,数据库,锁等待\n"
    (tmp_path / "export.csv").write_text(rows, "utf-8")

    found = [ticket for _, ticket in read_tickets(tmp_path / "export.csv", mapping)]

    assert [(ticket.ticket_id, ticket.description) for ticket in found if isinstance(ticket, Ticket)] == [
        ("INC-1", "登录很慢"), ("INC-2", "报文堆积"),
    ]  # fmt: skip


QUERY = "SELECT count(*) FILTER (WHERE wait_event_type = 'Lock'), count(*) FROM pg_stat_activity"
OWN: dict[str, Any] = {
    "ticket_id": "T-1",
    "description": "Orders hang since noon. The cause was a lock queue. Sessions wait for locks.",
    "root_cause": "a lock queue behind ALTER TABLE",
    "solution": "cancelled it",
    "metadata": json.dumps({"db_type": "postgresql", "system": "orders"}),
    "anomalies": json.dumps([{"description": "sessions wait", "observation_method": QUERY, "why_relevant": "*why*"}]),
    "team": "shop",
}


def as_csv(row: dict[str, str]) -> str:
    made = io.StringIO()
    writer = csv.DictWriter(made, row)
    writer.writeheader()
    writer.writerow(row)
    return made.getvalue()


@pytest.mark.parametrize("mapping", [{"solution": "solution"}, {"team": "metadata"}, {"team": "ignore"}, {"team": "system"}])
def test_a_file_of_our_own_form_stays_one_with_what_a_person_says_of_its_columns(tmp_path: Path, mapping: dict[str, str]) -> None:
    path = tmp_path / "own.csv"
    path.write_text(as_csv(OWN))
    ((_, plain),) = open_tickets(path).items
    ((_, mapped),) = open_tickets(path, mapping).items
    assert isinstance(plain, Ticket)
    assert isinstance(mapped, Ticket)

    assert plain.anomalies[0].observation_method == QUERY
    kept = {"db_type": "postgresql", "system": "orders", "team": "shop"}
    if mapping.get("team") in ("ignore", "system"):
        del kept["team"]
    assert mapped.model_copy(update={"metadata": {}}) == plain.model_copy(update={"metadata": {}})
    assert mapped.metadata == kept


@pytest.mark.parametrize("name", ["own.json", "own.jsonl"])
def test_json_of_our_own_form_keeps_its_metadata_with_what_a_person_says(tmp_path: Path, name: str) -> None:
    row = {**OWN, "metadata": json.loads(OWN["metadata"]), "anomalies": json.loads(OWN["anomalies"])}
    path = tmp_path / name
    path.write_text(json.dumps(row if name.endswith("l") else [row]))

    ((_, plain),) = open_tickets(path).items
    ((_, mapped),) = open_tickets(path, {"team": "metadata"}).items
    assert mapped == plain


def test_the_page_that_imports_a_file_takes_the_same_tickets_as_the_command(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text(as_csv(OWN))
    seen = Brought("own.csv", path.read_bytes(), {}).look()
    form = {"columns-of": seen.mark, **{f"column-{number}": meaning for number, (_, meaning) in enumerate(seen.columns)}}

    assert Brought("own.csv", path.read_bytes(), form).items() == list(open_tickets(path).items)


def test_a_header_that_comes_twice_loses_no_cell(tmp_path: Path) -> None:
    header = "ticket_id,description,root_cause,solution,solution,note,note\n"
    (first, second), problems = read(tmp_path, "t.csv", f"{header}T-1,slow,lock,restart,,a,b\nT-2,slow,lock,,restart,a,a\n")

    assert (problems, first.solution, second.solution) == ([], "restart", "restart")
    assert (first.metadata, second.metadata) == ({"note": "a", "note (2)": "b"}, {"note": "a"})


@pytest.mark.parametrize("key", ["status", "Status", "State ", "状态"])
def test_an_incident_that_is_not_solved_is_no_history_in_any_case_of_its_key(tmp_path: Path, key: str) -> None:
    tickets, problems = read(tmp_path, "t.json", json.dumps([{**GOOD, key: "Open"}]))

    assert (tickets, len(problems)) == ([], 1)
    assert isinstance(to_solved(1, {**GOOD, key: "Open"}), TicketProblem)
    assert isinstance(to_solved(1, {**GOOD, key: "Closed"}), Ticket)
