"""Commands that prose names without marks, and that only look: drawn as checks, and named when a user asks how to check."""

import pytest

from contracts.tickets import Anomaly, Ticket
from tests.support.evidence import evidence_of
from tests.support.spoken import chinese, english
from tests.unit.test_asking_back import asked
from workers.tickets.looking import commands_in
from workers.tickets.prose import take_apart


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("ran sp_who2, 40 sessions are blocked by spid 71", ["sp_who2"]),
        ("用sp_who2查到阻塞", ["sp_who2"]),
        ("smartctl -a /dev/sdb shows 14 reallocated sectors", ["smartctl -a /dev/sdb"]),
        ("ceph osd df: osd.3 is 96 % full, ceph -s says HEALTH_ERR", ["ceph osd df", "ceph -s"]),
        ("show processlist has 300 rows", ["show processlist"]),
        ("执行 jstat -gcutil 4711，老年代 99%", ["jstat -gcutil 4711"]),
        ("ethtool eth0 says 100Mb/s", ["ethtool eth0"]),
        ("kubectl describe pod says OOMKilled, journalctl -u kubelet too", ["kubectl describe", "journalctl -u kubelet"]),
        ("ethtool -s eth0 speed 1000", []),
        ("systemctl restart nginx", []),
        ("the top of the list, free memory is low", []),
    ],
)
def test_commands_that_only_look_are_found(text, commands):
    assert commands_in(text) == commands


@pytest.mark.parametrize("note", ["Ran sp_who2 and saw 40 sessions blocked by 71.", "sp_who2 显示 40 个会话被 71 阻塞"])
def test_a_note_with_such_a_command_has_a_check(note):
    assert [each.method for each in take_apart(note, by_people_at_work=True).observations] == ["sp_who2"]


def test_who_asks_how_is_told_the_commands_of_the_tickets():
    causes = {"failing disk": ("writes stall on node 3", "smartctl -A /dev/sdb shows 14 pending sectors"),
              "full pool": ("reads are slow", "ceph osd df is uneven")}  # fmt: skip
    history = [
        Ticket(ticket_id=f"S-{cause[:4]}-{n}", description="The storage is slow", root_cause=cause,
               anomalies=tuple(Anomaly(description=sign) for sign in signs))
        for cause, signs in causes.items() for n in range(3)
    ]  # fmt: skip
    evidence = evidence_of(history, "The storage is slow")
    first = asked([], incident="The storage is slow", evidence=evidence)
    stalls = next(item.number for item in first.items if item.description == "writes stall on node 3")

    again = asked([(first, f"how do I check {stalls}?")], incident="The storage is slow", evidence=evidence)

    assert "smartctl -A /dev/sdb" in english(again.notes[1])
    assert "S-fail-" in english(again.notes[1])
    assert "只读命令" in chinese(again.notes[1])
    assert again.items == first.items


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("smartctl /dev/sdk: Reallocated_Sector_Ct 1840", "smartctl /dev/sdk"),
        ("we ran smartctl /dev/nvme0n1, all is well", "smartctl /dev/nvme0n1"),
        ("iostat: 80 % await", ""),
    ],
)
def test_a_device_is_named_whole_also_before_a_colon(text: str, command: str) -> None:
    assert commands_in(text)[:1] == ([command] if command else [])
