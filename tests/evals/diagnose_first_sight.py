"""Incidents seen for the first time, by a strong model whose server anybody can play: the product, the product without a model, and one
plain prompt, side by side, with a tired person who answers.

    python -m tests.evals.diagnose_first_sight CASES OUT --model NAME --base-url URL --user-url URL [--only TEXT] [--arms ...]

CASES is a folder of histories, each a folder with
  tickets.jsonl    solved tickets, in the product's own form
  incidents.yaml   a list of {id, opening, facts: [...], denies: [...], expect: [ids of tickets with the right cause]}; none where the
                   history does not have it

Every incident becomes a job of `diagnose`. Whoever plays the person at `--user-url` sees the question as a user does, and the facts of the
case. The plain prompt has the ten tickets that share most words with the incident, whole, and may ask three times. A case is right when the
named ticket has the right cause, or none is named where the history has none; `wrong` when another cause is named as the diagnosis; a guess
that is marked as one is neither.
OUT/results.jsonl has a line for each arm and case.
"""

import argparse
import json
import math
import os
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from random import Random
from typing import Any

import yaml
from openai import OpenAI

from contracts.base import Json
from contracts.diagnose.deliverables import Diagnosis, PhenomenonQuestion, Verdict
from contracts.jobs import EngineChoice, JobStatus, SubmitJob
from contracts.statements import read_stored
from tests.evals.ask_first_sight import run_until_it_stops, used
from tests.support.said import said
from workers.coordinator.actions import answer, open_questions
from workers.coordinator.intake import accept
from workers.engines.language import language_of
from workers.evaluation.bench import EmbeddedBench, embedded_bench
from workers.kinds.registry import load_kinds
from workers.retrieval.tokens import tokens
from workers.saying import text_of
from workers.settings import load_settings
from workers.tickets import embed_history, import_tickets, read_tickets

PERSON = """You are a tired operator at 3 a.m. with an incident. This is all that you know:
You wrote: {opening}
What you can see if somebody asks: {facts}
What is not so: {denies}
An assistant asks you:
{question}
Answer as such a person types: short, in the language in which you wrote, numbers where items are numbered (such as "1 yes, 2 no"),
"don't know" for what the lists do not decide. Tell only what is asked, and nothing that the lists do not say."""
PLAIN = """You are a DBA. Tickets solved before:
{tickets}
Incident: {incident}
{dialogue}
Name the ticket whose cause it is as `TICKET: id`, or ask one question as `ASK: ...` (at most three times), or answer `UNKNOWN`."""
NEAREST = 10
MOST_ASKED = 3
MOST_ANSWERS = 12
MOST_WORKERS = 16


class History:
    """One history with its incidents."""

    def __init__(self, folder: Path, bench: EmbeddedBench) -> None:
        self.name, self.bench = folder.name, bench
        self.cases: list[Json] = yaml.safe_load((folder / "incidents.yaml").read_text("utf-8"))
        path = folder / "tickets.jsonl"
        self.tickets: dict[str, Json] = {
            item["ticket_id"]: item for item in map(json.loads, path.read_text("utf-8").splitlines()) if item["ticket_id"]
        }
        report = import_tickets(bench.database, bench.embedder, read_tickets(path))
        left_out = {problem.ticket_id for problem in report.problems}  # without a cause, as a user's import leaves it out
        if wanted := left_out & {key for case in self.cases for key in case["expect"]}:
            raise ValueError(f"{path}: {', '.join(map(str, wanted))} are not imported: {report.problems[0]}")
        if bench.embedder is not None:  # an import leaves what takes long to a fleet, and there is none
            embed_history(bench.database, bench.embedder)
        self._words = {key: Counter(tokens(json.dumps(item, ensure_ascii=False))) for key, item in self.tickets.items()}

    def nearest(self, words: str) -> list[Json]:
        """The tickets that come first by BM25."""
        long = sum(sum(found.values()) for found in self._words.values()) / len(self._words)

        def score(key: str) -> float:
            found, total = self._words[key], 0.0
            for word in set(tokens(words)):
                having = sum(word in other for other in self._words.values())
                rare = math.log(1 + (len(self._words) - having + 0.5) / (having + 0.5))
                total += rare * found[word] * 2.2 / (found[word] + 1.2 * (0.25 + 0.75 * sum(found.values()) / long))
            return -total

        return [self.tickets[key] for key in sorted(self.tickets, key=score)[:NEAREST]]


class Person:
    """Who answers."""

    def __init__(self, client: OpenAI, case: Json) -> None:
        self._client, self._case = client, case
        self.dialogue: list[tuple[str, str]] = []

    def answer(self, question: str) -> str:
        """A reply in words."""
        prompt = PERSON.format(
            opening=self._case["opening"], facts="; ".join(self._case["facts"]), denies="; ".join(self._case["denies"]), question=question
        )
        reply = self._client.chat.completions.create(model="person", messages=[{"role": "user", "content": prompt}])
        text = (reply.choices[0].message.content or "").strip()
        self.dialogue.append((question, text))
        return text


def play_product(history: History, case: Json, person: Person, engine: EngineChoice) -> Json:
    """An incident as a job."""
    bench = history.bench
    request = {"kind": "diagnose", "description": case["opening"]}
    has_model = engine is EngineChoice.LLM
    job_id = accept(bench.database, SubmitJob(job=request, engine=engine), owner_cap=1_000, has_model=has_model).job_id
    items = 0
    while (done := run_until_it_stops(bench, job_id)).status is JobStatus.WAITING_HUMAN and len(person.dialogue) < MOST_ANSWERS:
        for row in open_questions(bench.database, job_id):
            asked = PhenomenonQuestion.model_validate(row["payload"]["detail"] if "detail" in row["payload"] else row["payload"])
            items += max(1, len(asked.items))
            text = text_of(read_stored(row["payload"]["text"]), language_of(case["opening"]))
            answer(bench.database, job_id, person.answer(text), request_id=row["id"])
    line: Json = {"kind": done.status.value, "items": items, "error": done.error, **used(bench, job_id)}
    if done.status is not JobStatus.SUCCEEDED:
        return line
    found = Diagnosis.model_validate(done.result)
    return line | {
        "verdict": found.verdict.value, "tickets": list(found.cited_tickets), "cause": found.root_cause, "confidence": found.confidence,
        "unread": list(found.unread), "explanation": said(found.explanation), "words": found.words,
    }  # fmt: skip


def play_plain(history: History, case: Json, person: Person, client: OpenAI, model: str) -> Json:
    """An incident as plain prompts."""
    tickets = "\n".join(json.dumps(item, ensure_ascii=False) for item in history.nearest(case["opening"]))
    calls = 0
    while True:
        dialogue = "\n".join(f"You asked: {question}\nThey answered: {reply}" for question, reply in person.dialogue)
        prompt = PLAIN.format(tickets=tickets, incident=case["opening"], dialogue=dialogue)
        calls += 1
        reply = client.chat.completions.create(model=model, messages=[{"role": "user", "content": prompt}])
        text = (reply.choices[0].message.content or "").strip()
        if text.upper().startswith("ASK:") and len(person.dialogue) < MOST_ASKED:
            person.answer(text[4:].strip())
            continue
        named = next((key for key in history.tickets if key in text), None) if "TICKET:" in text.upper() else None
        verdict = Verdict.DIAGNOSED if named else Verdict.UNKNOWN
        return {
            "kind": "succeeded", "verdict": verdict.value, "tickets": [named] if named else [], "cause": text,
            "items": len(person.dialogue), "calls": calls, "error": None,
        }  # fmt: skip


def judged(history: History, case: Json, found: Json) -> Json:
    """Whether the outcome is right; a cited ticket stands for its cause."""
    expected = set(case["expect"])
    causes = {history.tickets[key]["root_cause"] for key in expected}
    named = found.get("verdict") in (Verdict.DIAGNOSED, Verdict.UNCERTAIN) and bool(found.get("tickets"))
    first = (found.get("tickets") or [None])[0]
    hits = named and (first in expected or (first in history.tickets and history.tickets[first]["root_cause"] in causes))
    is_sure = found.get("verdict") == Verdict.DIAGNOSED
    is_right = found["kind"] == "succeeded" and (hits if expected else not (named and is_sure))
    return {"history": history.name, "case": case["id"], "known": bool(expected), "expect": sorted(expected), "right": bool(is_right),
            "wrong": bool(named and is_sure and not hits), "sure": bool(is_sure), **found}  # fmt: skip


def _silent(_what: str, _total: int | None = None) -> AbstractContextManager[Callable[[int], None]]:
    return nullcontext(lambda _: None)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--model", default="none")
    parser.add_argument("--base-url", default="http://127.0.0.1:9/v1")
    parser.add_argument("--user-url", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--arms", default="product,plain,rules")
    wanted = parser.parse_args()
    wanted.out.mkdir(parents=True, exist_ok=True)
    load_kinds()
    changed: dict[str, Any] = {
        "model": wanted.model, "model_base_url": wanted.base_url, "model_timeout_s": 7200.0, "model_first_timeout_s": 7200.0,
        "step_timeout_s": 14_400.0, "model_context_tokens": 128_000,
    }  # fmt: skip
    os.environ.setdefault("BULLPEN_MODEL_KEY", "none")
    model, people = (OpenAI(base_url=url, api_key="none", timeout=7200, max_retries=0) for url in (wanted.base_url, wanted.user_url))
    with ExitStack() as opened:
        histories = list[History]()
        for folder in sorted(wanted.cases.iterdir()):
            if (folder / "incidents.yaml").exists():
                settings = load_settings().model_copy(update=changed | {"home": wanted.out.resolve() / f"home-{folder.name}"})
                bench = opened.enter_context(embedded_bench(settings, _silent, print))
                histories.append(History(folder, bench))
        work = [(arm, history, case) for history in histories for case in history.cases for arm in wanted.arms.split(",")]
        work = [item for item in work if wanted.only in str(item[2]["id"])]
        Random(7).shuffle(work)
        lock, out = threading.Lock(), wanted.out / "results.jsonl"

        def play(item: tuple[str, History, Json]) -> Json:
            arm, history, case = item
            person = Person(people, case)
            try:
                if arm == "plain":
                    found = play_plain(history, case, person, model, wanted.model)
                else:
                    found = play_product(history, case, person, EngineChoice.LLM if arm == "product" else EngineChoice.RULES)
            except Exception as error:
                found = {"kind": "failed", "items": 0, "calls": 0, "error": repr(error)}
            line = {"arm": arm, **judged(history, case, found), "turns": len(person.dialogue), "dialogue": person.dialogue}
            with lock, out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False, default=str) + "\n")
            return line

        with ThreadPoolExecutor(MOST_WORKERS) as pool:
            lines = list(pool.map(play, work))
    for arm in wanted.arms.split(","):
        show(arm, [line for line in lines if line["arm"] == arm])


def show(arm: str, lines: Sequence[Json]) -> None:
    """The summary of an arm."""
    known, unknown = ([line for line in lines if line["known"] is which] for which in (True, False))
    named, left = sum(line["right"] for line in known), sum(line["right"] for line in unknown)
    sure = sum(line["right"] and line["sure"] for line in known)
    print(f"{arm:8} known: {named} of {len(known)} named, {sure} of them as the diagnosis; unknown: {left} of {len(unknown)} left unknown; "
          f"sure and wrong: {sum(line['wrong'] for line in lines)} of {len(lines)}")  # fmt: skip
    print(f"{arm:8} turns a case: {sorted(line['turns'] for line in lines)}; calls: {sorted(line['calls'] for line in lines)}; "
          f"errors: {sum(bool(line['error']) for line in lines)}")  # fmt: skip


if __name__ == "__main__":
    main()
