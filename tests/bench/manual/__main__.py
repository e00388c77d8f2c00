"""Questions on how Bullpen is used, asked of its own documents beside those of the sample shop: `python -m tests.bench.manual [--json F]`.

By words alone, as in the first minutes of a fleet, and by the embedding model once all vectors are made (two minutes of CPU). Of questions
that the documents answer: the share whose first passage is right, and of the answered ones the share that is. Of questions that they do not
answer: the share of which that is said. The trivial method: the passage with the nearest words (or vector), always.
"""

import argparse
import json
import re
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import yaml

from contracts.catalogue import Passage
from workers.catalogue import Catalogue, embed_catalogue, import_own_documents, offer_sample
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.ask.work.documents import find_passages
from workers.settings import Settings

QUESTIONS = Path(__file__).with_name("questions.yaml")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what was found for it."""

    ask: str
    accept: str
    found: str
    """Page and heading of the first passage; empty: it is said not to be in the documents."""
    nearest: str
    """The same of the nearest passage."""

    def is_right(self, found: str) -> bool:
        """Whether this passage answers the question; of one that no document answers, whether there is none."""
        return bool(found and re.search(self.accept, found)) if self.accept else not found


def ask_all(catalogue: Catalogue, questions: Sequence[dict[str, str]]) -> list[Asked]:
    """Each question by itself, outside of any conversation."""
    asked: list[Asked] = []
    for question in questions:
        words = question["ask"]
        floor: Any = SimpleNamespace(catalogue=catalogue, owner="default")
        understanding = SimpleNamespace(words=words, question=words, is_follow_up=False, carried=None)
        step: Any = SimpleNamespace(understanding=understanding, request=SimpleNamespace(product=None))
        found = find_passages(floor, step).passages
        nearest = [*catalogue.own_passages(words, limit=1), *catalogue.passages(words, owner="default", limit=1)]
        nearest.sort(key=lambda passage: -passage.score)
        asked.append(Asked(words, question["accept"], _place(found), _place(nearest)))
    return asked


def _place(passages: Sequence[Passage]) -> str:
    return f"{passages[0].path or passages[0].title} {passages[0].heading}" if passages else ""


def figures(asked: Sequence[Asked]) -> dict[str, float]:
    """The figures of one set."""
    answerable, others = [each for each in asked if each.accept], [each for each in asked if not each.accept]
    answered = [each for each in asked if each.found]
    return {
        "right": _share([each.is_right(each.found) for each in answerable]),
        "right_of_answered": _share([each.is_right(each.found) and bool(each.accept) for each in answered]),
        "said_not_to_be_there": _share([each.is_right(each.found) for each in others]),
        "right_nearest": _share([each.is_right(each.nearest) for each in answerable]),
        "said_not_to_be_there_nearest": _share([each.is_right(each.nearest) for each in others]),
    }


def _share(flags: Sequence[bool]) -> float:
    return round(sum(flags) / len(flags), 3) if flags else 0.0


def main() -> None:
    """Measure, print, and write the answers."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", type=Path, help="a file for the figures and each answer")
    given = options.parse_args()
    sets: dict[str, list[dict[str, str]]] = yaml.safe_load(QUESTIONS.read_text("utf-8"))
    answers: dict[str, list[Asked]] = {}
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        bench = EmbeddedBench(Settings(home=home), stack, lambda *_: nullcontext(lambda _: None), print)
        offer_sample(bench.database, bench.settings.data_dir)
        import_own_documents(bench.database)
        for name, questions in sets.items():
            answers[f"{name}, words"] = ask_all(Catalogue(bench.database, None), questions)
        if (embedder := bench.embedder) is not None:
            embed_catalogue(bench.database, embedder)
            for name, questions in sets.items():
                answers[f"{name}, {embedder.model}"] = ask_all(Catalogue(bench.database, embedder), questions)
    found = {name: {"questions": len(asked), **figures(asked)} for name, asked in answers.items()}
    for name, values in found.items():
        print(name, values)
    if given.json:
        wrong = {
            name: [f"{each.ask} -> {each.found}" for each in asked if not each.is_right(each.found)] for name, asked in answers.items()
        }
        given.json.write_text(json.dumps({"figures": found, "not_right": wrong}, ensure_ascii=False, indent=1), "utf-8")


if __name__ == "__main__":
    main()
