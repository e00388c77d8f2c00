"""Exports of ticket tools: columns, states, comments, and what is drawn from prose."""

from pathlib import Path

import pytest

from contracts.tickets import Ticket, TicketProblem
from tests.support.ticket_exports import JIRA, OWN, OWN_MAP, SERVICENOW
from workers.errors import InvalidInput
from workers.saying import text_of
from workers.tickets.columns import Role, understand
from workers.tickets.mapping import read_mapping
from workers.tickets.markup import comments_in, plain_text
from workers.tickets.preview import preview
from workers.tickets.prose import take_apart
from workers.tickets.ticket_files import open_tickets
from workers.tickets.ticket_rows import to_ticket


def read(folder: Path, content: str, *pairs: str) -> tuple[dict[str, Ticket], list[TicketProblem]]:
    path = folder / "export.csv"
    path.write_text(content, encoding="utf-8-sig")
    items = [item for _, item in open_tickets(path, read_mapping(pairs)).items]
    return (
        {item.ticket_id: item for item in items if isinstance(item, Ticket)},
        [item for item in items if isinstance(item, TicketProblem)],
    )


def seen(ticket: Ticket) -> list[str]:
    return [anomaly.description for anomaly in ticket.anomalies]


def test_a_jira_export_is_read_as_it_is(tmp_path: Path) -> None:
    """D4: without preparation."""
    tickets, _ = read(tmp_path, JIRA)

    invoice = tickets["OPS-311"]
    assert invoice.root_cause == "an open session with uncommitted updates blocked the batch"
    assert invoice.solution == ""
    assert invoice.description.startswith("Nightly invoice run hangs\n")
    assert seen(invoice) == [
        "The invoice run INV_NIGHT does not finish since 01:10",
        "Sessions of user BILL wait for `enq: TX - row lock contention`",
        "`SELECT * FROM v$lock WHERE block=1` shows one blocker, SID 412",
    ]
    assert invoice.anomalies[2].observation_method == "SELECT * FROM v$lock WHERE block=1"
    assert (invoice.metadata["system"], invoice.metadata["Labels"]) == ("Oracle", "billing, p1")
    assert invoice.metadata["drawn"] == ["root_cause", "observations"]
    assert "Assignee" not in invoice.metadata


@pytest.mark.parametrize("number", ["事件单号", "报修单号", "Outage number"])
def test_an_export_of_an_unknown_tool_is_read_without_its_people(tmp_path: Path, number: str) -> None:
    """The only column with codes whose name ends as that of an id is it; an empty cell is not called a missing column."""
    tickets, problems = read(
        tmp_path,
        f"{number},标题,报障人,处理人,负责人,故障描述,原因分析,状态\n"
        "INC-1,缴费慢,王芳,赵工,孙磊,缴费提交卡住,事务没提交,已关闭\n"
        "INC-2,报表空,李主任,孙磊,孙磊,收费日报是空的,,已关闭\n",
    )

    assert list(tickets) == ["INC-1"]
    assert tickets["INC-1"].metadata.keys().isdisjoint({"报障人", "处理人", "负责人"})
    (refused,) = problems
    assert "「原因分析」列在这一行没有写出根因" in text_of(refused.reason, "zh")


def test_logs_and_commands_are_observations_and_their_checks(tmp_path: Path) -> None:
    tickets, _ = read(tmp_path, JIRA)

    archive = tickets["OPS-318"]

    assert seen(archive) == [
        "Everything stands still",
        "ORA-00257: Archiver error. Connect AS SYSDBA only until resolved",
        "FRA is at 100 %",
    ]
    assert archive.anomalies[2].observation_method == "asmcmd lsdg"
    assert archive.root_cause == "the expired password of the tape library"
    assert archive.solution == ""


def test_what_is_not_solved_is_refused_with_the_reason(tmp_path: Path) -> None:
    _, problems = read(tmp_path, JIRA)

    assert {problem.ticket_id: text_of(problem.reason, "en") for problem in problems} == {
        "OPS-320": "is not solved: its status is “In Progress”",
        "OPS-319": "repeats another ticket: it was closed as a duplicate",
        "OPS-330": "names no root cause: no column is one, and no note says “Root cause: ...”. Add a column, name one with "
        "--map COLUMN=root_cause, or let a model read the notes (`--engine llm`)",
    }


def test_a_chinese_servicenow_export_is_read_as_it_is(tmp_path: Path) -> None:
    tickets, problems = read(tmp_path, SERVICENOW)

    report = tickets["INC100231"]
    assert report.root_cause == "夜间批量装载后统计信息没有更新"
    assert report.solution == "对 report_daily 执行 ANALYZE TABLE"
    assert seen(report) == [
        "从 8 点开始报表页面全部超时",
        "慢查询日志里 report_daily 的语句平均 38 秒",
        "执行计划从索引扫描变成全表扫描",
    ]
    assert report.metadata["system"] == "mysql-report"
    assert [text_of(problem.reason, "zh") for problem in problems] == ["尚未解决：状态为「处理中」"]


def test_a_table_of_ones_own_is_mapped_by_hand(tmp_path: Path) -> None:
    _, unmapped = read(tmp_path, OWN)
    tickets, problems = read(tmp_path, OWN, *OWN_MAP)

    assert "--map COLUMN=description" in text_of(unmapped[0].reason, "en")
    assert problems == []
    assert tickets["C-1"].root_cause == "Missing join condition in a report"
    assert seen(tickets["C-1"]) == ["Tempdb is 99 % full", "sp_who shows one session with a cartesian product"]


@pytest.mark.parametrize("pair", ["Case", "Case=nothing", "=ticket_id"])
def test_a_mapping_that_is_none_says_what_it_has_to_be(pair: str) -> None:
    with pytest.raises(InvalidInput, match="COLUMN=FIELD"):
        read_mapping([pair])


def test_a_mapping_of_a_column_that_is_not_there_names_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="It has: Case, Where"):
        read(tmp_path, OWN, "Number=ticket_id")


def test_a_preview_counts_what_was_understood(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_text(JIRA, encoding="utf-8")

    found = preview(open_tickets(path))

    assert (found.tool, found.tickets, found.causes, len(found.problems)) == ("Jira", 2, 2, 3)
    assert found.systems == {"Oracle": 2}
    assert found.drawn == {"root_cause": 2, "observations": 2}
    assert (found.observations, found.checks) == (6, 2)
    assert ("Issue key", "ticket_id") in found.columns
    assert ("Assignee", "ignore") in found.columns


@pytest.mark.parametrize(
    "line",
    [
        "Hi team,", "Please check the database", "Can you have a look?", "Version: 8.0.32", "Steps to reproduce:",
        "thanks a lot",
        "2024-05-01 10:00:00 INFO server started", "at com.example.Pool.get(Pool.java:12)",
        "各位好", "请尽快处理", "版本：8.0", "影响：财务",
    ],
)  # fmt: skip
def test_what_nobody_could_check_is_no_observation(line: str) -> None:
    assert take_apart(line).observations == ()


def test_a_comma_within_a_number_parts_no_sentence() -> None:
    told = take_apart("连接数达到1,024个以上,响应时间很慢")

    assert [each.description for each in told.observations] == ["连接数达到1,024个以上", "响应时间很慢"]


def test_what_names_the_cause_is_not_among_the_symptoms() -> None:
    """D4: the answer is never searched."""
    told = take_apart("Writes hang since noon.\nRoot cause: the volume was full.\nSolution: volume extended.")

    assert (told.symptoms, told.cause, told.fix) == ("Writes hang since noon.", "the volume was full", "volume extended")
    assert [one.description for one in told.observations] == ["Writes hang since noon"]


@pytest.mark.parametrize(
    "text",
    [
        "Run SELECT count(*) FILTER (WHERE state = 'idle'), count(*) FROM pg_stat_activity",
        "SELECT a.*, b.* FROM a, b",
        "rm /a/*/b/*/c and /var/log/*old*/x",
        "du -s /data/**/wal/**/old; x**2 + y**2",
        "```\n## a comment of the shell\nselect *x* from [a|b]\n```",
        "the answer of `select *x*, [a|b]`",
    ],
)
def test_code_is_no_markup(text: str) -> None:
    assert plain_text(text) == text


@pytest.mark.parametrize(
    ("newest", "older"),
    [
        ("2024-10-02 09:00:00", "2024-09-30 09:00:00"),
        ("02.10.2024 09:00:00", "30.09.2024 09:00:00"),
        ("01/02/2025 09:00:00", "12/30/2024 09:00:00"),
        ("02/01/2025 09:00:00", "30/12/2024 09:00:00"),
        ("10/02/2024 01:00:00 PM", "10/02/2024 11:00:00 AM"),
        ("01/02/2025 09:00:00", "02/01/2025 09:00:00"),
    ],
)
def test_a_journal_is_read_from_its_oldest_entry(newest: str, older: str) -> None:
    journal = f"{newest} - Ann (Work notes)\nfull disk\n\n{older} - Bob (Work notes)\nslow network"

    assert [comment.text for comment in comments_in(journal)] == ["slow network", "full disk"]


def test_markup_and_comment_frames_are_read() -> None:
    assert plain_text("h2. Title\n*bold* {{mono}} [link|http://x] !pic.png!\n{code:sql}SELECT 1{code}") == (
        "Title:\nbold `mono` link\n\n```\nSELECT 1\n```"
    )
    journal = "2025-01-08 10:20:11 - A B (Work notes)\nsecond\n\n2025-01-08 09:30:02 - C (Work notes)\nfirst"
    assert [comment.text for comment in comments_in(journal)] == ["first", "second"]


def test_the_own_headers_of_a_history_stay_what_they_were() -> None:
    columns = understand(["ticket_id", "system", "description", "root_cause", "priority"])

    assert not columns.is_export
    assert columns.roles == (Role.TICKET_ID, None, Role.DESCRIPTION, Role.ROOT_CAUSE, None)


@pytest.mark.parametrize(
    ("comment", "observed", "deeds"),
    [
        ("Heap dump shows the cart cache without a limit. Limit set to 5,000 entries.", (), "Limit set to 5,000 entries"),
        ("orders 表缺少 trade_no 索引，已添加 2 个索引", (), "已添加 2 个索引"),
        ("We raised the heap to 8 GB.", (), "We raised the heap to 8 GB"),
        ("Disk usage grows to 97 % within 2 hours", ("Disk usage grows to 97 % within 2 hours",), None),
        ("The log level is set to 7 there", ("The log level is set to 7 there",), None),
    ],
)
def test_what_somebody_did_is_no_observation(comment: str, observed: tuple[str, ...], deeds: str | None) -> None:
    """D7: nobody is asked whether the fix of another incident is present."""
    told = take_apart(comment, by_people_at_work=True)

    assert (tuple(each.description for each in told.observations), told.deeds) == (observed, deeds)


@pytest.mark.parametrize(
    ("text", "observed"),
    [
        ("slow again, see KP-101", ()),
        ("同 INC0200001，这次是人事库", ()),
        ("昨天还是20分钟。plan_hash_value 和昨天不同", ("plan_hash_value 和昨天不同",)),
        ("nodetool compactionstats: pending tasks: 1840", ("nodetool compactionstats: pending tasks: 1840",)),
        ("Queries sit in the queue for two minutes before they start.", ("Queries sit in the queue for two minutes before they start",)),
    ],
)
def test_what_nobody_can_see_on_a_system_is_no_observation(text: str, observed: tuple[str, ...]) -> None:
    """D7: a reference to another ticket and how it was before; the output of a command is one."""
    assert tuple(each.description for each in take_apart(text).observations) == observed


@pytest.mark.parametrize(
    "comment", ["Extended the volume by 200 GB", "扩容 200G", "重新初始化实例", "list shows 8.", "GET _cat/indices shows docs.count 0"]
)
def test_a_comment_is_no_phenomenon_and_no_solution(tmp_path: Path, comment: str) -> None:
    """Without a field that says so, code cannot tell what somebody did from what somebody saw: a fix would be asked as a phenomenon."""
    head = "Issue key,Summary,Status,Description,Root Cause,Comment\n"
    text = head + f'A-1,Reads,Done,Reads of 2 tables hang,disk too small,"03/Mar/26 6:08 AM;Bo;{comment}"\n'

    tickets, _ = read(tmp_path, text)

    assert tickets["A-1"].solution == ""
    assert seen(tickets["A-1"]) == ["Reads of 2 tables hang"]


def test_a_chinese_export_of_servicenow_is_read(tmp_path: Path) -> None:
    """D4: its headers, the journal with names before the text, and a cause in the notes, which are kept without it."""
    text = (
        "编号,简短描述,描述,状态,配置项,解决代码,解决说明,工作注释\n"
        "INC0001,网银查询失败,超出打开游标的最大数。,已关闭,ora-core,已解决（永久）,应用发版修复。根本原因：游标泄漏,"
        "2024-09-21 10:00 李工: RMAN 备份连续三天失败\n"
    )

    tickets, _ = read(tmp_path, text)

    ticket = tickets["INC0001"]
    assert (ticket.root_cause, ticket.solution, ticket.metadata["system"]) == ("游标泄漏", "应用发版修复。", "ora-core")
    assert [each.description for each in ticket.anomalies] == ["超出打开游标的最大数"]


def test_a_jira_field_of_the_form_that_is_called_fix_is_the_solution() -> None:
    """D4."""
    assert understand(["Issue key", "Custom field (Fix)"]).roles[1] is Role.SOLUTION


def test_a_short_journal_is_read_without_the_names_of_its_writers() -> None:
    """D4: a name before a sentence is no part of what was observed."""
    journal = "2026-02-01 10:30 - 张: show processlist 有 48 个 UPDATE\n2026-02-01 11:40 - 张: 已添加索引"

    assert [comment.text for comment in comments_in(journal)] == ["show processlist 有 48 个 UPDATE", "已添加索引"]


def test_a_preview_counts_an_id_once_as_the_import_does(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("ticket_id,description,root_cause\nF-1,slow,locks\nF-1,slow again,locks\nF-2,down,disk\n")
    seen = preview(open_tickets(path))

    assert seen.tickets == 2
    assert [(problem.line, text_of(problem.reason, "zh")) for problem in seen.problems] == [(3, "F-1 已出现在第 2 行；保留那一行")]


@pytest.mark.parametrize("blank", ["None", "N/A", "-", "无", "n.a.", "TBD", "暂无。", "Not applicable"])
def test_a_cell_that_is_filled_for_the_forms_sake_is_empty(blank: str):
    """D10: a fix of "None" is no fix, and a cause "unknown" no cause."""
    row = {"ticket_id": "1", "description": "late", "root_cause": "index dropped", "solution": blank}
    made = to_ticket(1, row)
    assert isinstance(made, Ticket)
    assert made.solution == ""
    assert isinstance(to_ticket(1, {**row, "root_cause": blank}), TicketProblem)


@pytest.mark.parametrize("fix", ["None of the replicas may be read", "No index: one added", "无索引，已添加"])
def test_a_text_that_begins_like_a_blank_is_a_text(fix: str):
    made = to_ticket(1, {"ticket_id": "1", "description": "late", "root_cause": "x dropped", "solution": fix})
    assert isinstance(made, Ticket)
    assert made.solution == fix


@pytest.mark.parametrize(
    ("cell", "cause"),
    [
        ("Root cause: path of the health check changed", "path of the health check changed"),
        ("RCA - path of the health check changed", "path of the health check changed"),
        ("根因：事务没有提交", "事务没有提交"),
        ("Kafka: broker full", "Kafka: broker full"),
    ],
)
def test_the_label_of_a_form_is_no_part_of_the_cause(cell: str, cause: str):
    made = to_ticket(1, {"ticket_id": "1", "description": "late", "root_cause": cell})
    assert isinstance(made, Ticket)
    assert made.root_cause == cause


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("All dashboards spin. CPU is at 30%. Queries queue behind a single COPY.", "Queries queue behind a single COPY"),
        ("Backups doubled in a week. Server load average: 0.8. Memory is fine.", "Backups doubled in a week"),
        ("CPU is at 97%. CPU and memory of the others are normal.", "CPU is at 97%"),
        ("订单页面一直转圈。CPU 使用率 30%。", "订单页面一直转圈"),
    ],
)
def test_a_sentence_is_drawn_whatever_its_verb_and_a_reading_that_says_all_is_well_is_not(text: str, drawn: str):
    found = [each.description for each in take_apart(text).observations]
    assert drawn in found
    assert not [each for each in found if "30" in each or "0.8" in each or "fine" in each]


def test_a_unit_of_one_letter_ends_a_sentence():
    found = [
        each.description
        for each in take_apart("The replica lags by 40 s. The archive is full since 3 h. pg_wal is growing fast.").observations
    ]
    assert found == ["The replica lags by 40 s", "The archive is full since 3 h", "pg_wal is growing fast"]


def test_a_journal_with_names_in_brackets_is_read_without_them():
    """As short exports of ServiceNow and copies by hand write it."""
    journal = (
        "2026-11-02 08:12 (J. Doe): head blocker is an SSMS window\n"
        "2026-11-02 08:40（王工）：已终止该会话\n2026-11-02 09:00 (ERROR): not a name"
    )

    assert [comment.text for comment in comments_in(journal)] == [
        "head blocker is an SSMS window",
        "已终止该会话\n2026-11-02 09:00 (ERROR): not a name",
    ]


HEAD = "ticket_id,description,root_cause,status\n"


@pytest.mark.parametrize(
    "cause",
    [
        "_No response_", "(to be filled in)", "[Detailed technical explanation of what caused the incident.]", "<describe the cause>",
        "[First line]\n[Second line]", "Unknown, still under investigation with the provider.", "TBD: wait for the vendor", "未知，待排查",
        "Unbekannt.", "**N/A**",
    ],
)  # fmt: skip
def test_what_a_form_or_a_template_holds_is_no_cause(tmp_path: Path, cause: str) -> None:
    tickets, problems = read(tmp_path, f'{HEAD}T-1,Orders hang,"{cause}",closed\n')

    assert (tickets, len(problems)) == ({}, 1)


@pytest.mark.parametrize(
    "cause", ["Unknown error 17 of the driver filled the log", "The pool (10 connections) was full", "[db] pool full (10)", '["disk full"]']
)
def test_a_cause_with_brackets_or_an_unknown_thing_is_one(tmp_path: Path, cause: str) -> None:
    quoted = cause.replace('"', '""')
    tickets, problems = read(tmp_path, f'{HEAD}T-1,Orders hang,"{quoted}",closed\n')

    assert (list(tickets), problems) == (["T-1"], [])


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("offen", "is not solved: its status is “offen”"),
        ("merged", "is not solved: its status is “merged”"),
        ("Won’t Do", "is not solved: its status is “Won’t Do”"),
        ("Under review", "the import does not know whether its status “Under review” is one of solved tickets; if so, give "
         '--map "Under review=solved"'),
        ("2", 'the import does not know whether its status “2” is one of solved tickets; if so, give --map "2=solved"'),
    ],
)  # fmt: skip
def test_only_a_status_that_is_known_to_be_solved_is(tmp_path: Path, status: str, reason: str) -> None:
    tickets, problems = read(tmp_path, f"{HEAD}T-1,Orders hang,disk full,{status}\nT-2,Orders hang,disk full,Erledigt\n")

    assert list(tickets) == ["T-2"]
    assert [text_of(row.reason, "en") for row in problems if not isinstance(row.reason, str)] == [reason]


def test_states_that_are_not_known_are_counted_and_can_be_said_to_be_solved(tmp_path: Path) -> None:
    content = f"{HEAD}T-1,Orders hang,disk full,5\nT-2,Orders hang,index missing,5\nT-3,Orders hang,no memory,3\n"
    path = tmp_path / "export.csv"
    path.write_text(content)

    assert preview(open_tickets(path)).unknown_states == {"5": 2, "3": 1}
    assert list(read(tmp_path, content, "5=solved")[0]) == ["T-1", "T-2"]


def test_a_status_of_its_own_is_no_fault_where_the_resolution_says_that_it_is_solved(tmp_path: Path) -> None:
    tickets, _ = read(tmp_path, "Issue key,Summary,Status,Resolution,Root cause\nOPS-1,Orders hang,In Prod,Done,disk full\n")

    assert list(tickets) == ["OPS-1"]


def test_an_open_ticket_in_json_of_our_own_form_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text('[{"ticket_id": "T-1", "description": "Orders hang", "root_cause": "perhaps the disk", "status": "open"}]')

    assert [type(item) for _, item in open_tickets(path).items] == [TicketProblem]


LANGUAGES = {
    "German": ("#;Status;Thema;Beschreibung;Ursache;Lösung", "Geschlossen", "Neu"),
    "French": ("N°;Statut;Titre;Description;Cause racine;Résolution", "Clos", "En cours"),
    "Spanish": ("Número;Estado;Asunto;Descripción;Causa raíz;Solución", "Cerrado", "Pendiente de usuario"),
    "Japanese": ("番号;ステータス;件名;現象;根本原因;対応内容", "完了", "対応中"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_headers_and_states_of_other_languages_are_read(tmp_path: Path, language: str) -> None:
    header, closed, still_open = LANGUAGES[language]
    export = tmp_path / "export.csv"
    export.write_text(f"{header}\n81;{closed};Doubled;Alarm A comes twice.;Two instances run;One stopped\n82;{still_open};B;C;;\n", "utf-8")

    (_, ticket), (_, problem) = open_tickets(export).items

    assert isinstance(ticket, Ticket)
    assert isinstance(problem, TicketProblem)
    assert (ticket.ticket_id, ticket.root_cause, ticket.solution) == ("81", "Two instances run", "One stopped")
    assert ticket.description == "Doubled\nAlarm A comes twice."
    assert still_open in text_of(problem.reason, "en")
