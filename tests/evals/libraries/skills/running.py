"""The measurements of `bullpen eval skills`."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import log, sqrt
from pathlib import Path
from typing import Any

import yaml

from contracts.base import Contract
from tests.evals.libraries.json_lines import read_lines
from tests.evals.libraries.skills.cases import Query, read_others, read_queries, without_bodies, without_queries
from tests.evals.libraries.skills.form import SkillsEvaluation
from tests.evals.libraries.skills.threshold import cross_validated
from workers.errors import InvalidInput
from workers.kinds.base import Bench, EvaluationResult
from workers.retrieval.tokens import tokens
from workers.skills import Library, load_skills
from workers.skills.choosing import SkillVectors, choose, fits, vectors_of

Ranked = list[tuple[str, float]]
"""Names of skills with their scores, the best first."""

Rank = Callable[[str], Ranked]


class WrongCase(Contract):
    """A question, the skill that fits it, and the one that was found. An empty name is no skill."""

    part: str
    text: str
    gold: str
    found: str


class SkillsReport(EvaluationResult):
    """Figures, and the cases that were wrong."""

    skills: int
    left_out: tuple[str, ...]
    wrong: tuple[WrongCase, ...]


def run_evaluation(bench: Bench, form: SkillsEvaluation) -> SkillsReport:
    """Measure the parts that data was given for. Raises `InvalidInput`."""
    library = load_skills([form.folder])
    if not library.skills:
        raise InvalidInput(f"There is no skill in {form.folder}.")
    figures: dict[str, float] = {"skills": float(len(library.skills))}
    wrong: list[WrongCase] = []
    if form.labels is not None:
        figures |= _loaded(library, form, wrong)
    if form.queries is not None:
        queries = read_queries(form.queries)
        vectors = vectors_of(library.skills, bench.embedder)
        figures |= _chosen(library, queries, vectors, wrong)
        if form.others:
            figures |= _refused(library, queries, read_others(form.others), vectors, wrong)
    return SkillsReport(
        figures=figures, skills=len(library.skills), left_out=tuple(problem.place for problem in library.unread), wrong=tuple(wrong)
    )


def _loaded(library: Library, form: SkillsEvaluation, wrong: list[WrongCase]) -> dict[str, float]:
    """Skills whose name and description are exact; the baseline splits at `---` and loads the YAML."""
    rows = list(read_lines(form.labels or Path()))
    read = {skill.folder.name: (skill.name, skill.description) for skill in library.skills}
    plain = {row["folder"]: _read_plainly(form.folder / row["folder"] / "SKILL.md") for row in rows}
    for row in rows:
        if read.get(row["folder"]) != (row["name"], row["description"]):
            wrong.append(WrongCase(part="load", text=row["folder"], gold=row["name"], found=read.get(row["folder"], ("", ""))[0]))
    exact = sum(read.get(row["folder"]) == (row["name"], row["description"]) for row in rows)
    exact_plain = sum(plain[row["folder"]] == (row["name"], row["description"]) for row in rows)
    return {"labels": float(len(rows)), "loaded_exactly": exact / len(rows), "loaded_exactly_yaml": exact_plain / len(rows)}


def _read_plainly(path: Path) -> tuple[Any, Any]:
    with suppress(OSError, ValueError, IndexError, AttributeError, yaml.YAMLError):
        front: Any = yaml.safe_load(path.read_text(encoding="utf-8").split("---")[1])
        return front.get("name"), front.get("description")
    return None, None


def _chosen(library: Library, queries: Sequence[Query], vectors: SkillVectors | None, wrong: list[WrongCase]) -> dict[str, float]:
    """The right skill first, by each method, also with the skill's name taken out of the question."""
    fair, bare = without_queries(library, queries), without_bodies(library)
    methods: dict[str, Rank] = {
        "": _by_us(fair, vectors),
        "_tfidf": by_tfidf(library),
        "_descriptions": _by_us(bare, vectors),
        "_words": _by_us(fair, None),
        "_verbatim": _by_us(library, vectors),
    }
    figures: dict[str, float] = {"queries": float(len(queries))}
    started = time.perf_counter()
    for name, rank in methods.items():
        for mask in ("", "_masked"):
            found = [(query, [skill for skill, _ in rank(query.masked if mask else query.text)[:3]]) for query in queries]
            figures[f"hit1{mask}{name}"] = sum(names[:1] == [query.gold] for query, names in found) / len(queries)
            figures[f"hit3{mask}{name}"] = sum(query.gold in names for query, names in found) / len(queries)
            if not name and not mask:
                figures["ms_per_question"] = (time.perf_counter() - started) * 1000 / len(queries)
                wrong += [
                    WrongCase(part="choose", text=query.text, gold=query.gold, found=names[0])
                    for query, names in found
                    if names[0] != query.gold
                ]
    return figures


def _refused(
    library: Library, queries: Sequence[Query], others: Sequence[str], vectors: SkillVectors | None, wrong: list[WrongCase]
) -> dict[str, float]:
    """No skill for questions that none fits: by a threshold found on four fifths of the questions, and by the rule of this release."""
    fair = without_queries(library, queries)
    figures: dict[str, float] = {"others": float(len(others))}
    for name, rank in {"": _by_us(fair, vectors), "_tfidf": by_tfidf(library)}.items():
        judged = cross_validated([rank(query.masked)[0][1] for query in queries], [rank(text)[0][1] for text in others])
        figures[f"none_accuracy{name}"] = judged.balanced
        figures[f"none_refused{name}"] = judged.refused
        figures[f"none_kept{name}"] = judged.kept
        figures[f"none_threshold{name}"] = judged.threshold
    chosen = {text: choose(fair, text, vectors).skill for text in others}
    wrong += [WrongCase(part="none", text=text, gold="", found=skill.name) for text, skill in chosen.items() if skill is not None]
    kept = [choose(fair, query.text, vectors).skill for query in queries]
    figures["none_refused_shipped"] = sum(skill is None for skill in chosen.values()) / max(len(others), 1)
    figures["none_kept_shipped"] = sum(skill is not None for skill in kept) / len(queries)
    right = sum(skill is not None and skill.name == query.gold for skill, query in zip(kept, queries, strict=True))
    figures["chosen_right_shipped"] = right / len(queries)
    return figures


def _by_us(library: Library, vectors: SkillVectors | None) -> Rank:
    return lambda question: [(fit.skill.name, fit.score) for fit in fits(library, question, vectors)]


def by_tfidf(library: Library) -> Rank:
    """The trivial method: cosine of TF-IDF vectors over the words of name and description."""
    counts = [Counter(tokens(f"{skill.name} {skill.description}")) for skill in library.skills]
    holders = Counter(word for count in counts for word in count)
    weight = {word: log((1 + len(counts)) / (1 + held)) + 1 for word, held in holders.items()}
    rarest = log(1 + len(counts)) + 1
    texts = [{word: times * weight[word] for word, times in count.items()} for count in counts]
    norms = [sqrt(sum(value * value for value in text.values())) or 1.0 for text in texts]

    def rank(question: str) -> Ranked:
        asked = {word: weight.get(word, rarest) for word in tokens(question)}
        norm = sqrt(sum(value * value for value in asked.values())) or 1.0
        scores = [
            sum(value * text.get(word, 0.0) for word, value in asked.items()) / own / norm for text, own in zip(texts, norms, strict=True)
        ]
        return sorted(zip((skill.name for skill in library.skills), scores, strict=True), key=lambda hit: -hit[1])

    return rank
