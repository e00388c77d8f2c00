"""Questions on a user's own documents, played as whole jobs beside the sample shop: `python -m tests.bench.handbook [--json FILE]`.

Five documents, three of them English, and questions of which the documents answer some and others not. Each is a job of `ask` without a
model, with the embedding model and by words alone. Right: the first passage is of the section that answers; of a question that no document
answers: no passage is given. Wrong: another section, or any passage where none answers. The trivial method: the nearest passage, always.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path

import yaml

from contracts.ask.results import PassagesFound
from contracts.ask.steps import AskPlan
from contracts.catalogue import Passage
from contracts.jobs import EngineChoice
from workers.catalogue import Catalogue, embed_catalogue, import_own_documents, offer_sample
from workers.catalogue.importing import Form, import_path
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.registry import load_kinds
from workers.settings import Settings

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what was found for it."""

    ask: str
    accept: str
    """Of the heading; empty: no document answers."""
    found: str
    """Heading of the first passage; empty: none was given."""
    outcome: str
    """How the job ended."""
    nearest: str
    score: float
    """Of the nearest passage."""

    def judged(self, found: str) -> str:
        """`right`, `wrong` or, where it is in the documents and nothing was given, `missed`."""
        if found:
            return "right" if self.accept and self.accept in found else "wrong"
        return "missed" if self.accept else "right"


def ask_all(bench: EmbeddedBench, catalogue: Catalogue, questions: Sequence[dict[str, str]]) -> Iterator[Asked]:
    """Each question as a job, outside of any conversation."""
    for question in questions:
        job = bench.run_job({"kind": "ask", "question": question["ask"]}, EngineChoice.RULES)
        plan = AskPlan.model_validate(job.result) if job.result is not None else None
        passages = _passages(plan)
        nearest = next(iter(catalogue.passages(question["ask"], owner="default", limit=1)), None)
        outcome = f"{job.status.value} {plan.answer.ends_with.value if plan is not None and plan.answer is not None else ''}".strip()
        yield Asked(
            question["ask"], question["accept"], _place(passages[0]) if passages else "", outcome,
            _place(nearest) if nearest else "", nearest.score if nearest else 0.0,
        )  # fmt: skip


def _passages(plan: AskPlan | None) -> tuple[Passage, ...]:
    """What the answer shows first; of documents beside tables nothing counts."""
    if plan is None or plan.answer is None:
        return ()
    return next((result.passages for result in plan.answer.results if isinstance(result, PassagesFound)), ())


def _place(passage: Passage) -> str:
    return f"{passage.path} {passage.heading}".strip() or passage.title


def figures(asked: Sequence[Asked]) -> dict[str, float]:
    """Counts of one way of ranking."""
    found = [each.judged(each.found) for each in asked]
    nearest = [each.judged(each.nearest) for each in asked]
    inside = [each for each in asked if each.accept]
    return {
        "questions": len(asked), "answered_by_documents": len(inside),
        "right": sum(each.judged(each.found) == "right" for each in inside), "missed": found.count("missed"),
        "wrong": found.count("wrong"), "said_not_to_be_there": sum(not each.found for each in asked if not each.accept),
        "right_nearest": sum(each.judged(each.nearest) == "right" for each in inside), "wrong_nearest": nearest.count("wrong"),
    }  # fmt: skip


def main() -> None:
    """Measure, print, and write the answers."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", type=Path, help="a file for the figures and each answer")
    options.add_argument("--questions", type=Path, default=FOLDER / "questions.yaml")
    options.add_argument("--documents", type=Path, default=FOLDER / "documents")
    given = options.parse_args()
    questions: list[dict[str, str]] = yaml.safe_load(given.questions.read_text("utf-8"))
    answers: dict[str, list[Asked]] = {}
    load_kinds()
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        bench = EmbeddedBench(Settings(home=home), stack, lambda *_: nullcontext(lambda _: None), print)
        offer_sample(bench.database, bench.settings.data_dir)
        import_own_documents(bench.database)
        import_path(bench.database, None, given.documents, form=Form.DOCUMENTS, source="", dialect="")
        answers["words"] = list(ask_all(bench, Catalogue(bench.database, None), questions))
        if (embedder := bench.embedder) is not None:
            embed_catalogue(bench.database, embedder)
            answers[embedder.model] = list(ask_all(bench, Catalogue(bench.database, embedder), questions))
    found = {name: figures(asked) for name, asked in answers.items()}
    for name, values in found.items():
        print(name, values)
        for each in answers[name]:
            if (judged := each.judged(each.found)) != "right":
                print(f"  {judged}: {each.ask} -> {each.found or each.outcome} (nearest {each.nearest}, {each.score:.2f})")
    if given.json:
        shown = {name: [{"ask": each.ask, "found": each.found, "outcome": each.outcome, "nearest": each.nearest, "score": each.score}
                        for each in asked] for name, asked in answers.items()}  # fmt: skip
        given.json.write_text(json.dumps({"figures": found, "answers": shown}, ensure_ascii=False, indent=1), "utf-8")


if __name__ == "__main__":
    main()
