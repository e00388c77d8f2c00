"""The default method of `diagnose` on histories of an unusual make: one ticket a cause, one cause of nearly all tickets, openings that say
nothing."""

from contracts.diagnose.deliverables import Diagnosis, PhenomenonQuestion, Verdict
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod
from contracts.tickets import Anomaly, Ticket
from tests.support.evidence import evidence_of
from workers.kinds.diagnose.rules.methods import move

CAUSES = (
    ("lock queue", "sessions wait for a relation lock", "checkout hangs during a schema change"),
    ("full disk", "writes fail with no space left", "inserts fail since midnight"),
    ("bad plan", "row estimates are far off", "a report takes hours"),
    ("slow network", "pings take eighty ms", "remote clients are slow"),
    ("memory leak", "resident memory grows every hour", "the backend is killed at night"),
    ("clock skew", "the clock is ahead by a minute", "tokens are rejected as expired"),
    ("dns outage", "names do not resolve", "service cannot reach its peer"),
    ("expired certificate", "the certificate ended yesterday", "TLS handshakes are refused"),
    ("thread pool", "all worker threads are busy", "requests time out at the gateway"),
    ("vacuum", "dead rows are the most of a table", "index scans have become slower"),
)


def ticket(number: int, cause: str, description: str, *signs: str) -> Ticket:
    seen = tuple(Anomaly(description=sign, observation_method="SELECT 1") for sign in signs)
    return Ticket(ticket_id=f"T-{number}", description=description, root_cause=cause, solution="x", anomalies=seen)


ONCE_EACH = [ticket(number, cause, description, sign) for number, (cause, sign, description) in enumerate(CAUSES)]
LONG = [
    *ONCE_EACH,
    *(ticket(100 + n, f"fault {n} of module m{n}", f"module m{n} prints {n * 37}", f"file f{n} lacks {n * 91}") for n in range(50)),
]


def played(history: list[Ticket], description: str, so: str = "", *, otherwise: str = "no") -> tuple[list[PhenomenonQuestion], Diagnosis]:
    """The questions and the end, for a user who sees one thing. What is asked in free words brings nothing."""
    found, request = evidence_of(history, description), DiagnoseRequest(description=description)
    dialogue: list[tuple[PhenomenonQuestion, str]] = []
    while isinstance(made := move(request, found, dialogue, method=DiagnosisMethod.DIFFERENTIAL), PhenomenonQuestion):
        answers = [f"{item.number} {'yes' if item.description == so else otherwise}" for item in made.items]
        dialogue.append((made, ", ".join(answers) or "nothing else"))
    return [question for question, _ in dialogue], made


def test_the_only_sign_of_a_cause_with_one_ticket_makes_it_the_diagnosis() -> None:
    """Its ticket shows nothing else that could be asked, and no other cause shows it."""
    _, ended = played(LONG, "requests time out at the gateway in the evening", "all worker threads are busy")

    assert (ended.verdict, ended.root_cause) == (Verdict.DIAGNOSED, "thread pool")


def test_an_opening_that_says_nothing_is_asked_for_words_after_two_turns_in_vain() -> None:
    """And not for five turns of things out of the air."""
    asked, ended = played(LONG, "数据库有问题")

    assert any(not question.items and not question.systems for question in asked[:3])
    assert ended.verdict is Verdict.UNKNOWN


def test_the_cause_of_nearly_all_tickets_is_named_as_a_guess() -> None:
    """Nothing makes it likelier than it is of any incident, and that is likely."""
    many = [ticket(n, "full disk", f"inserts of table t{n} fail since {n} o'clock", "writes fail with no space left") for n in range(20)]
    _, ended = played([*many, *ONCE_EACH[2:5]], "inserts fail in the orders database", otherwise="don't know")

    assert (ended.verdict, ended.root_cause) == (Verdict.UNCERTAIN, "full disk")
