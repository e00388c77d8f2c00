"""Files of tickets in a form that nobody knows: a mapping that a person types or a model proposes, tried by code."""

import json
from pathlib import Path
from typing import Any

import pytest

from contracts.tickets import Ticket, TicketProblem
from workers.cli.ticket_mapping import import_lines, template
from workers.errors import InvalidInput, ModelAnswerUnusable
from workers.kinds.registry import load_kinds
from workers.llm.scripted import ScriptedChat
from workers.saying import text_of
from workers.tickets.mapping import form_of, read_mapping
from workers.tickets.paths import labels_of, leaves, values_at
from workers.tickets.proposing import is_understood, propose
from workers.tickets.shape import field_lines, shape_of, where_text
from workers.tickets.ticket_files import open_tickets

SERVICE_DESK = {
    "meta": [{"ok": True}],
    "cases": [
        {
            "ref": f"C-{number}",
            "title": title,
            "state": {"id": 9, "name": state},
            "extra": [{"label": "Came from", "value": cause}, {"label": "Done", "value": done}],
            "talk": [{"by": "desk", "text": report}, {"by": "ops", "text": "looking"}],
        }
        for number, title, state, cause, done, report in (
            (1, "Mail bounces", "Closed", "relay missing in SPF", "relay added", "All mail is rejected with 550."),
            (2, "Drive is read only", "Closed", "I/O error", "fsck", "Nobody can save."),
            (3, "Laptop is black", "Parked", "", "", "Nothing on the screen."),
        )
    ],
}
CASES = ("cases=records", "ref=ticket_id", "title=summary", "talk[by=desk].text=description", "state.name=status")
ANSWERS = ("extra[label=Came from].value=root_cause", "extra[label=Done].value=solution")


def written(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def read(path: Path, *pairs: str, cause_later: bool = False) -> tuple[list[Ticket], list[TicketProblem]]:
    items = [item for _, item in open_tickets(path, read_mapping(pairs), cause_later=cause_later).items]
    return [item for item in items if isinstance(item, Ticket)], [item for item in items if isinstance(item, TicketProblem)]


def answer(*pairs: str, **more: Any) -> dict[str, Any]:
    fields = [{"path": path, "holds": holds} for path, _, holds in (pair.rpartition("=") for pair in pairs)]
    return {"fields": fields, **more}


def test_paths_name_the_records_and_their_fields(tmp_path: Path) -> None:
    """What a mapping with a path to the records does not name is not kept."""
    path = written(tmp_path, "cases.json", SERVICE_DESK)

    tickets, problems = read(path, *CASES, *ANSWERS, "talk.text=comments")

    assert [(each.ticket_id, each.root_cause, each.solution) for each in tickets] == [
        ("C-1", "relay missing in SPF", "relay added"),
        ("C-2", "I/O error", "fsck"),
    ]
    assert tickets[0].description == "Mail bounces\nAll mail is rejected with 550."
    assert set(tickets[0].metadata) == {"status", "drawn", "comments"}
    assert ["Parked" in text_of(each.reason, "en") for each in problems if not isinstance(each.reason, str)] == [True]


def test_parts_of_a_path() -> None:
    record: dict[str, Any] = {"a.b": {"c": "dotted"}, "list": [{"k": "x]y", "v": 1}, {"k": "z", "v": 2}], "lines": ["two words", "more"]}

    assert values_at(record, "a.b.c") == ["dotted"]
    assert (values_at(record, "list.v"), values_at(record, "list[0].v"), values_at(record, "list[-1].v")) == (["1", "2"], ["1"], ["2"])
    assert (values_at(record, "list[k=x]y].v"), values_at(record, "list[k=no].v"), values_at(record, "nowhere")) == (["1"], [], [])
    assert values_at(record, "lines") == ["two words\nmore"]


def test_a_list_whose_elements_have_names_is_shown_by_these() -> None:
    """Custom fields are; comments are not, as their authors come again within a list."""
    records: list[dict[str, Any]] = [
        {
            "fields": [{"name": "Cause", "value": "a"}, {"name": "Fix", "value": "b"}],
            "notes": [{"by": "x", "t": "1"}, {"by": "x", "t": "2"}],
        },
        {"fields": [{"name": "Cause", "value": "c"}, {"name": "Fix", "value": "d"}], "notes": [{"by": "y", "t": "3"}]},
    ]
    labels = labels_of(records)

    assert labels == {"fields": "name"}
    assert dict(leaves(records[0], labels))["fields[name=Fix].value"] == "b"


def test_each_line_is_a_record_and_so_is_each_object_under_an_id(tmp_path: Path) -> None:
    """Of lines that hold lists the lines are the records."""
    line = {"_source": {"no": 1, "text": "pods restart", "why": "no memory", "acts": [{"a": 1}, {"a": 2}]}}
    lines = written(tmp_path, "hits.jsonl", "\n".join(map(json.dumps, [line, line])))
    keyed = written(tmp_path, "keyed.json", {"at": 1, "outages": {"O-1": {"what": "a", "why": "b"}, "O-2": {"what": "c", "why": "d"}}})

    hits, _ = read(lines, ".=records", "_source.no=ticket_id", "_source.text=description", "_source.why=root_cause")
    outages, _ = read(keyed, "outages=records", "(key)=ticket_id", "what=description", "why=root_cause")

    assert (shape_of(lines).where, shape_of(keyed).where) == (".", "outages")
    assert [each.description for each in hits] == ["pods restart"] * 2
    assert [(each.ticket_id, each.root_cause) for each in outages] == [("O-1", "b"), ("O-2", "d")]


def test_xml_is_read_by_paths(tmp_path: Path) -> None:
    bug = "<bug id='{0}'><title>{1}</title><note who='u'>seen {0}</note><why>{2}</why><note who='d'>done</note></bug>"
    text = "<?xml version='1.0' encoding='latin-1'?><!DOCTYPE all SYSTEM 'x.dtd'><all>{}{}</all>"
    path = written(tmp_path, "bugs.xml", text.format(bug.format(7, "A &amp; B", "ä"), bug.format(8, "C", "o")))

    pairs = ("all.bug=records", "bug=ignore", "@id=ticket_id", "title=summary", "note[0].(text)=description", "why=root_cause")
    with pytest.raises(InvalidInput, match="no column bug"):
        read(path, *pairs)
    tickets, _ = read(path, *(pair for pair in pairs if pair != "bug=ignore"))

    assert [(each.ticket_id, each.description, each.root_cause) for each in tickets] == [
        ("7", "A & B\nseen 7", "ä"),
        ("8", "C\nseen 8", "o"),
    ]


def test_xml_that_declares_entities_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "bomb.xml", "<!DOCTYPE a [<!ENTITY b 'bbbb'>]><a><r>&b;</r></a>")

    with pytest.raises(InvalidInput, match="entities are declared"):
        read(path)


def test_a_header_on_two_lines_below_titles(tmp_path: Path) -> None:
    sheet = "Outages,,\nas of May,,\nCase,,Analysis\nRef,Seen,Why\nP-1,load hangs,undo too short\nTotal,,1\n"
    path = written(tmp_path, "sheet.csv", sheet)

    tickets, problems = read(path, "3-4=header", "Case Ref=ticket_id", "Seen=description", "Analysis Why=root_cause")

    assert [(each.ticket_id, each.root_cause) for each in tickets] == [("P-1", "undo too short")]
    assert [each.line for each in problems] == [6]


def test_another_delimiter(tmp_path: Path) -> None:
    path = written(tmp_path, "odd.csv", "ticket_id~description~root_cause\nT-1~a, b; c~d\n")

    assert read(path, "~=delimiter")[0][0].description == "a, b; c"


def test_a_page_that_is_a_table_is_one(tmp_path: Path) -> None:
    page = "# Outages\n\n| No | Seen | Why |\n|---|:--|---|\n| N-1 | a \\| b | c |\n"
    path = written(tmp_path, "page.md", page)

    tickets, _ = read(path, "No=ticket_id", "Seen=description", "Why=root_cause")

    assert (tickets[0].ticket_id, tickets[0].description) == ("N-1", "a | b")


@pytest.mark.parametrize("pair", ["x=header", "4-2=header", "0=header", ";;=delimiter"])
def test_a_form_that_is_not_one_is_refused(pair: str) -> None:
    with pytest.raises(InvalidInput):
        read_mapping([pair])


def test_a_tabulator_has_a_name() -> None:
    assert form_of(read_mapping(["tab=delimiter"]))[0].delimiter == "\t"


def test_a_path_that_leads_nowhere_names_those_that_there_are(tmp_path: Path) -> None:
    path = written(tmp_path, "cases.json", SERVICE_DESK)

    with pytest.raises(InvalidInput) as lost:
        read(path, "cases=records", "reference=ticket_id")
    with pytest.raises(InvalidInput) as empty:
        read(path, "case=records", "ref=ticket_id")

    assert lost.value.says is not None
    assert "state.name" in text_of(lost.value.says, "en")
    assert empty.value.says is not None
    assert "cases" in text_of(empty.value.says, "en")


def test_the_shape_of_a_file_and_a_template(tmp_path: Path) -> None:
    shape = shape_of(written(tmp_path, "cases.json", SERVICE_DESK))
    lines = list(field_lines(shape))

    assert "`cases` (3)" in where_text(shape)
    assert 'state.name | in 3 of 3 | all values: "Closed" (2), "Parked" (1)' in lines
    assert any(line.startswith("extra[label=Came from].value | in 2 of 3") for line in lines)
    assert template(shape)[:3] == ["cases=records", "...=ticket_id", "title=summary"]


def test_a_model_says_what_the_fields_mean_and_what_is_wrong_goes_back_to_it(tmp_path: Path) -> None:
    """One call where the first answer holds; its mapping reads the file again without a model."""
    load_kinds()
    path = written(tmp_path, "cases.json", SERVICE_DESK)
    no_id, unsaid = answer("state.id=ticket_id", *CASES[2:], *ANSWERS, records="cases"), answer(*CASES[1:], *ANSWERS, records="cases")
    right = {**unsaid, "solved": ["Closed"], "not_solved": ["Parked"]}
    chat = ScriptedChat(no_id, unsaid, right)

    found = propose(chat, path)

    assert found is not None
    assert (found.seen.tickets, found.objection, len(chat.asked)) == (2, "", 3)
    assert "that field is no id" in chat.asked[1].data["problem"]
    assert "'Parked'" in chat.asked[2].data["problem"]
    assert [each.root_cause for each in read(path, *found.pairs)[0]] == ["relay missing in SPF", "I/O error"]


def test_the_fields_at_another_path_are_shown_with_what_is_wrong(tmp_path: Path) -> None:
    load_kinds()
    longer = {**SERVICE_DESK, "audit": [{"who": "x"}] * 9}
    path = written(tmp_path, "cases.json", longer)
    right = answer(*CASES[1:], *ANSWERS, records="cases", solved=["Closed"], not_solved=["Parked"])
    chat = ScriptedChat({"fields": [], "records": "cases"}, right)

    found = propose(chat, path)

    assert found is not None
    assert "extra[label=Came from].value" not in chat.asked[0].data["fields"]
    assert "extra[label=Came from].value" in chat.asked[1].data["fields"]


def test_of_answers_that_do_not_hold_the_best_is_shown(tmp_path: Path) -> None:
    load_kinds()
    path = written(tmp_path, "cases.json", SERVICE_DESK)
    nothing, unsaid = answer("nowhere=ticket_id", records="cases"), answer(*CASES[1:], *ANSWERS, records="cases")

    best = propose(ScriptedChat(nothing, unsaid, nothing, nothing), path)

    assert best is not None
    assert (best.seen.tickets, "Parked" in best.objection) == (2, True)
    assert propose(ScriptedChat(nothing, nothing, nothing, nothing), path) is None
    with pytest.raises(ModelAnswerUnusable):
        propose(ScriptedChat(*["no JSON"] * 4), path)


def test_columns_that_a_model_does_not_name_are_metadata(tmp_path: Path) -> None:
    """A name that the rules know, as `Cause` for a class, does not count beside what the model says."""
    load_kinds()
    path = written(tmp_path, "own.csv", "Case,Told,Why it broke,Status\n1,it hangs,a lock,x\n2,it is slow,no index,x\n")
    chat = ScriptedChat(answer("Case=ticket_id", "Told=description", "Why it broke=root_cause"))

    found = propose(chat, path)

    assert found is not None
    assert "Status=metadata" in found.pairs
    assert found.seen.examples[0].metadata["Status"] == "x"


def test_a_known_form_is_not_asked_about(tmp_path: Path) -> None:
    known = written(tmp_path, "own.jsonl", {"ticket_id": "1", "description": "a", "root_cause": "b"})
    unsolved = written(tmp_path, "open.csv", "Issue key,Summary,Status,Root cause\nA-1,slow,In Progress,\n")
    unknown = written(tmp_path, "cases.json", SERVICE_DESK)

    assert [is_understood(item for _, item in open_tickets(path).items) for path in (known, unsolved, unknown)] == [True, True, False]


def test_the_command_to_type_again_is_one_for_a_shell() -> None:
    lines = import_lines(Path("a b.json"), ["x=records", "a[k=$v].b=root_cause", "c=solution"], dry_run=True)

    assert lines == [
        "bullpen tickets import 'a b.json'",
        "--map x=records",
        "--map 'a[k=$v].b=root_cause'",
        "--map c=solution",
        "--dry-run",
    ]
