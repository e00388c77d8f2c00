"""The readers of people's texts, attacked as wholes, in a process of its own: `python -m tests.support.attacked READER,READER [MOST]`.

Each attack is read within CPU time that a fixed piece of linear work sets, so that a slow machine allows more. What takes longer is broken
off and printed, a line of JSON each. A reading that cannot even be broken off ends with the process: the system sets its hard limit.
"""

# ruff: noqa: E402, T201 the recorder must be there before the readers compile their patterns; what is found is printed

from tests.support.attacks import PLAIN, Recorder, attacks_of

RECORDER = Recorder()
RECORDER.install()

import json
import re
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from types import FrameType
from typing import NamedTuple

from contracts.ask.request import AskRequest
from contracts.ask.steps import Carried
from contracts.limits import MOST_MESSAGE_CHARACTERS, MOST_WORD_CHARACTERS
from tests.unit.test_analyze_rules import at_the_gate
from tests.unit.test_differential import TWO, after
from tests.unit.test_feedback import LOCKS, RIGHT, ended
from tests.unit.test_log_searches import LOG
from tests.unit.test_question_grammar import DEFINITIONS, TABLES
from tests.unit.test_skills_choosing import LIBRARY
from workers.engines import questions
from workers.engines.logql.asking import read_log_search
from workers.engines.questions.reader import MOST_CHARACTERS
from workers.engines.requirements import closed_form
from workers.engines.requirements import read_closed as read_question
from workers.kinds.analyze.rules.moves import judge as judge_move
from workers.kinds.ask.rules.following import definitions_in, rewritten
from workers.kinds.ask.rules.intents import Grounds
from workers.kinds.ask.rules.intents import judge as judge_intent
from workers.kinds.diagnose.rules.closed import read_choice, read_closed, read_parts
from workers.kinds.diagnose.rules.feedback import confirmed_ticket
from workers.kinds.etl.rules.drafting import drafted
from workers.kinds.tune.rules.mentions import lists_all_classes, mentions
from workers.skills.choosing import fits, read_wish
from workers.tickets.prose import take_apart

LEAST_S = 0.6
"""CPU seconds that a reading may always take, on a machine where others work too. A reading of 20 KB takes 20 to 100 ms where it has a core
for itself; one that looks for each thing it knows at each place took a second, and a pattern that backtracks takes minutes."""
MOST_TIMES = 400
"""How many times as much as the fixed piece of work a reading may take where that is more."""
HARD_S = 300
SIZES = (400, 20_000)
FEW = 20
"""Up to so many attacks a plain one is made long, and one from a pattern short: enough to know a pattern that backtracks."""
RUNS = (
    "and ",
    "please ",
    "show ",
    "by channel and ",
    "in the app ",
    "app or ",
    "with fare over 20 and ",
    "number of tickets, ",
    "2026, ",
    "只看app",
    "按渠道",
    "各渠道的",
    "船票数量和",
    "的",
    "不是app",
    "only ",
    "SELECT ",
    "with ",
    "SELECT a FROM t;",
    "yes ",
    "好",
    "x=",
    "a = total fare / ",
)
LONG = tuple(run * (size // len(run)) for run in RUNS for size in (600, 20_000))
NAMED = {
    "answer": ("嗯" * 40 + "钱",),
    "feedback": ("嗯" * 40 + "钱",),
    "ticket": ("cpu" + "\n" * 150 + "x",),
    "question": (
        " " * 40 + "that,x",
        "only" + " " * 120,
        "number of tickets only" + " " * 120 + "x",
        "一" * 400 + "(a ,x",
        *LONG,
        *(f"how many tickets {run * (570 // len(run))}x" for run in RUNS),
    ),
    "message": LONG,
}
"""Texts that once took minutes, and long runs of what the grammar of questions accepts."""
NOW = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)
ASKED = questions.Reader(TABLES, NOW.replace(tzinfo=None), definitions=DEFINITIONS)
BEFORE = Carried(question="how many tickets per channel", sql="SELECT 1", source="line")
THERE = Grounds(has_sources=True, has_logs=True, has_documents=True)


class TooLong(BaseException):
    """A reading was broken off. No reader catches it."""


class Reader(NamedTuple):
    read: Callable[[str], object]
    packages: tuple[str, ...]
    frames: tuple[str, ...] = ("{}",)
    """Texts around an attack, so that it gets to the patterns behind."""


def _read_answer(text: str) -> None:
    items = ("the disk is full", "no lag above 5 s", "connections are refused")
    read_closed(text, items)
    read_parts(text, items)
    read_choice(text, items)


def _message(text: str) -> None:
    request = AskRequest(question="x")
    for carried in (None, BEFORE):
        rewritten(request, text, judge_intent(request, text, carried, lambda: THERE), carried, "en")
    ASKED.is_change(text[:MOST_CHARACTERS])
    questions.Reader(TABLES, NOW.replace(tzinfo=None), definitions=definitions_in(text))


def _question(text: str) -> None:
    short = text[:MOST_CHARACTERS]
    if len(text) > MOST_CHARACTERS:
        ASKED.read(text)
    ASKED.read(short)
    ASKED.named_tables(text)


def _requirement(text: str) -> None:
    form = closed_form(text)
    if form is not None:
        read_question(form, TABLES, (), NOW)
    drafted(text, TABLES, lambda _: (), ("shop", "duckdb"))


READERS = {
    "answer": Reader(_read_answer, ("workers.kinds.diagnose.rules",), ("{}", "1 yes, {}", "1 是，{}")),
    "opening": Reader(
        lambda text: after(TWO, text=text[:MOST_MESSAGE_CHARACTERS]),
        ("workers.kinds.diagnose.rules", "workers.tickets", "workers.retrieval"),
    ),
    "dialogue": Reader(lambda text: after(TWO, text[:MOST_WORD_CHARACTERS]), ("workers.kinds.diagnose.rules",)),
    "feedback": Reader(
        lambda text: confirmed_ticket(ended(description=text[:MOST_MESSAGE_CHARACTERS]), RIGHT, LOCKS),
        ("workers.kinds.diagnose.rules",),
    ),
    "ticket": Reader(lambda text: take_apart(text, by_people_at_work=True), ("workers.tickets",), ("{}", "Cause: {}", "原因：{}")),
    "requirement": Reader(
        _requirement,
        ("workers.engines.requirements", "workers.engines.questions"),
        ("{}", "Build result: {}", "建立 result：{}", "Build result: total fare {}"),
    ),
    "message": Reader(_message, ("workers.kinds.ask.rules",)),
    "question": Reader(_question, ("workers.engines.questions", "workers.engines.times"), ("{}", "number of tickets {}")),
    "logs": Reader(
        lambda text: read_log_search(text[:MOST_MESSAGE_CHARACTERS], LOG, NOW),
        ("workers.engines.logql",),
        ("{}", "app=billing {}", '{app="billing"} {}', "app={}", 'app=billing "{}'),
    ),
    "skill": Reader(lambda text: (fits(LIBRARY, text), read_wish(LIBRARY, text)), ("workers.skills.choosing",)),
    "walk": Reader(
        lambda text: judge_move(text, at_the_gate()), ("workers.kinds.analyze", "workers.engines.procedures", "workers.engines.network")
    ),
    "tuning": Reader(
        lambda text: (mentions(text), lists_all_classes(text)),
        ("workers.kinds.tune.rules.mentions", "workers.kinds.tune.rules.symptom_words"),
    ),
}


def _break_off(signum: int, frame: FrameType | None) -> None:
    raise TooLong


def _cpu_of(read: Callable[[str], object], text: str, most: float) -> tuple[float, str]:
    """CPU seconds of a reading, and where it was broken off."""
    begun = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, most)
    try:
        read(text)
    except TooLong as broken:
        places = [place for place in traceback.extract_tb(broken.__traceback__) if "/workers/" in place.filename]
        where = " < ".join(f"{place.filename.rpartition('/workers/')[2]}:{place.lineno}" for place in reversed(places[-3:]))
        return float("inf"), where
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - begun, ""


def _work() -> float:
    """CPU seconds of a fixed piece of linear work on 20 KB."""
    words, text = re.compile(r"\w+"), "a1 " * 7_000
    return min(_cpu_of(lambda text: words.findall(text), text, HARD_S)[0] for _ in range(5))


def attack(name: str, most: int) -> int:
    """Print what takes too long; how many attacks were made."""
    reader = READERS[name]
    bound = max(LEAST_S, MOST_TIMES * _work())
    for frame in reader.frames:  # what is made once, and the patterns that are compiled when they are used
        for plain in ("the disk is full since 2 days", "每个客户的订单数"):
            reader.read(frame.replace("{}", plain))
    named = [(text, "") for text in NAMED.get(name, ())]
    attacks = attacks_of(RECORDER.under(*reader.packages), most)
    made = [
        (reader.frames[number % len(reader.frames)].replace("{}", each.text(size)), f"{each} of {size}")
        for number, each in enumerate(attacks)
        for size in (SIZES if most > FEW else SIZES[number < len(PLAIN) :][:1])
    ]
    for text, label in (*named, *made):
        cpu, where = _cpu_of(reader.read, text, bound)
        if cpu > bound:
            print(json.dumps({"reader": name, "attack": label or text, "where": where}), flush=True)
    return len(named) + len(attacks)


if __name__ == "__main__":
    signal.signal(signal.SIGVTALRM, _break_off)
    resource.setrlimit(resource.RLIMIT_CPU, (HARD_S, HARD_S))
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    print(json.dumps({"attacks": sum([*map(partial(attack, most=most), sys.argv[1].split(","))])}))
