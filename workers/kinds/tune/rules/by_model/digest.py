"""What each of the six prompts is filled with: facts and excerpts within the tokens that the model takes, and what of them may be cited.

The prompts are in `workers/kinds/tune/prompts`: `classifier/tuning.j2`, `analyst/tuning-code.j2`, `diagnoser/tuning-causes.j2`,
`file-recommender/tuning-reading.j2`, `diagnoser/tuning-plan.j2` and `reviewer/tuning.j2`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from contracts.base import Json
from contracts.tune.plan import TuningPlan
from contracts.tune.steps import Causes, Classification, Evidence, Experience, Hypothesis, HypothesisFinding, KeyCode
from contracts.verdicts import Findings
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.by_model import facts, thoughts
from workers.kinds.tune.rules.by_model.code import code_shown, whole_lines
from workers.kinds.tune.rules.by_model.layers import Item, Section, lay_out
from workers.kinds.tune.rules.by_model.numbers import DESCRIPTION, Numbers, number_all, only
from workers.kinds.tune.rules.by_model.thoughts import Unread
from workers.kinds.tune.rules.clipping import clipped
from workers.kinds.tune.rules.code_leads import heavier_first
from workers.kinds.tune.rules.known import Known
from workers.llm.brief import cut_rows
from workers.saying.numbers import language_name

MOST_TOKENS = 12_000
"""The most tokens of data in a prompt, even if the model could hold more: with more it reads worse and costs more."""
FRAME_TOKENS = 1_000
"""What the instructions of a prompt take: plain English, four characters a token."""
LEADS = 10
"""Places in the code, where nothing was measured."""
NEEDED = ("description", "findings", "fixes")
"""Sections of which a prompt has to hold something, if there is anything."""


@dataclass(frozen=True)
class Digest:
    """One prompt's data, and what in it may be cited."""

    texts: dict[str, str]
    """By the names that the prompt uses."""
    left_out: tuple[str, ...]
    """What had no room, in our words."""
    numbers: Numbers
    language: str
    """In which the facts are shown and the answer is written."""
    lines: frozenset[tuple[int, int]] = frozenset()
    """(script, line) of the code that was shown in full width."""
    fixes: frozenset[str] = frozenset()
    """Ids of the fixes shown."""
    cuts: tuple[Json, ...] = ()
    """What had no room, as the journal keeps it."""
    is_enough: bool = True
    """Something of all that bears on the answer had room: a model is not asked about what it cannot see."""

    def for_prompt(self, session: str = "") -> dict[str, object]:
        """Values by the names that the prompt uses. `session`: what it remembers for the step's role."""
        return {
            **self.texts, "left_out": ", ".join(self.left_out), "language": language_name(self.language), "prompt_cuts": self.cuts,
            "session": session,
        }  # fmt: skip


def class_digest(known: Known, findings: Findings, by_rules: Classification, description: str, language: str, room: int) -> Digest:
    """For the class: what was read and found, and where nothing was measured the words and the places in the code."""
    numbers = number_all(findings, known.read)
    leads = tuple(
        Item((name, operation.line), f"{clipped(name)} line {operation.line}: {clipped(operation.text)}")
        for name, _, operation, _ in heavier_first(known.scripts)[:LEADS]
    )
    sections = (
        Section("findings", "findings", facts.findings_shown(findings, numbers, language), 0.4),
        _description(description, 0.2),
        Section("artefacts", "artefacts", facts.artefacts_shown(known.read, language), 0.1),
        Section("scores", "reasons", facts.scores_shown(by_rules.scores, by_rules.reasons, language), 0.1),
        Section("code", "places in the code", leads if by_rules.is_preliminary else (), 0.1),
        Section("stages", "stages", facts.stages_shown(known.run), 0.1),
    )
    return _digest(sections, numbers, language, room)


def code_digest(case: Case, by_rules: KeyCode, classified: Classification, description: str, language: str, room: int) -> Digest:
    """For the lines that matter: the code, what was measured, and the lines that the rules name."""
    numbers = number_all(case.findings)
    sections = (
        Section("findings", "findings", facts.findings_shown(case.findings, numbers, language), 0.3),
        _code(case, 0.35),
        Section("spots", "lines", thoughts.spots_shown(by_rules.spots, language), 0.1),
        Section("scores", "reasons", facts.scores_shown(classified.scores, classified.reasons, language), 0.05),
        _description(description, 0.1),
        Section("stages", "stages", facts.stages_shown(case.run), 0.1),
    )
    return _digest(sections, numbers, language, room, case)


def reading_digest(evidence: Evidence, causes: Causes, unread: Sequence[Unread], description: str, language: str, room: int) -> Digest:
    """For the information check: what is open, what was found, and by number what was not read."""
    numbers = replace(number_all(evidence.findings), artefacts={number: artefact.name for number, artefact in enumerate(unread, start=1)})
    sections = (
        Section("hypotheses", "hypotheses", thoughts.hypotheses_shown(causes.hypotheses, evidence.hypotheses, language=language), 0.25),
        Section("artefacts", "artefacts", thoughts.unread_shown(unread, language), 0.25),
        Section("findings", "findings", facts.findings_shown(evidence.findings, numbers, language), 0.3),
        Section("read", "artefacts that were read", facts.read_shown(evidence.read, language), 0.1),
        _description(description, 0.1),
    )
    return _digest(sections, numbers, language, room)


def causes_digest(
    case: Case, by_rules: Causes, classified: Classification, experience: Sequence[Experience], description: str, language: str, room: int
) -> Digest:
    """For the hypotheses: class, code, experience, and what was found so far."""
    numbers = number_all(case.findings)
    sections = (
        Section("findings", "findings", facts.findings_shown(case.findings, numbers, language), 0.25),
        Section("scores", "reasons", facts.scores_shown(classified.scores, classified.reasons, language), 0.05),
        Section("hypotheses", "hypotheses", thoughts.hypotheses_shown(by_rules.hypotheses, language=language), 0.15),
        Section("experience", "pieces of experience", thoughts.experience_shown(experience), 0.2),
        _code(case, 0.15),
        _description(description, 0.05),
        Section("stages", "stages", facts.stages_shown(case.run), 0.1),
        _settings(case),
    )
    return _digest(sections, numbers, language, room)


def plan_digest(
    case: Case,
    by_rules: TuningPlan,
    classified: Classification,
    evidence: Evidence,
    causes: Causes,
    experience: Sequence[Experience],
    instruction: str,
    language: str,
    room: int,
) -> Digest:
    """For the plan: findings and code above all, then what the rules advise already. `instruction`: the user's words."""
    numbers = number_all(case.findings)
    sections = (
        Section("findings", "findings", facts.findings_shown(case.findings, numbers, language), 0.25),
        Section("fixes", "fixes", thoughts.fixes_shown(by_rules.fixes, language), 0.1),
        Section("scores", "reasons", facts.scores_shown(classified.scores, classified.reasons, language), 0.05),
        _code(case, 0.2),
        _description(instruction, 0.05),
        Section("hypotheses", "hypotheses", _hypotheses(causes.hypotheses, evidence.hypotheses, language), 0.05),
        Section("experience", "pieces of experience", thoughts.experience_shown(experience), 0.1),
        Section("tables", "tables", facts.tables_shown(case.tables, case.findings), 0.1),
        Section("stages", "stages", facts.stages_shown(case.run), 0.05),
        _settings(case),
    )
    return _digest(sections, numbers, language, room, case)


def review_digest(case: Case, plan: TuningPlan, language: str, room: int) -> Digest:
    """For the review: the findings, and every fix in full."""
    numbers = number_all(case.findings)
    sections = (
        Section("findings", "findings", facts.findings_shown(case.findings, numbers, language), 0.3),
        Section("fixes", "fixes", thoughts.fixes_shown(plan.fixes, language, in_full=True), 0.35),
        _code(case, 0.1),
        Section("tables", "tables", facts.tables_shown(case.tables, case.findings), 0.1),
        _settings(case),
        Section("stages", "stages", facts.stages_shown(case.run), 0.1),
    )
    return _digest(sections, numbers, language, room, case)


def _digest(sections: Sequence[Section], numbers: Numbers, language: str, room: int, case: Case | None = None) -> Digest:
    layers = lay_out(sections, min(room - FRAME_TOKENS, MOST_TOKENS))
    artefacts = (*layers.keys.get("artefacts", ()), *layers.keys.get("description", ()))
    return Digest(
        texts=layers.texts,
        left_out=layers.left_out,
        cuts=tuple(cut_rows(*layers.cuts)),
        numbers=only(numbers, layers.keys.get("findings", ()), artefacts),
        language=language,
        lines=whole_lines(case.scripts, layers.keys["code"]) if case else frozenset(),
        fixes=frozenset(str(fix_id) for fix_id in layers.keys.get("fixes", ())),
        is_enough=all(layers.keys[section.name] for section in sections if section.items and section.name in NEEDED),
    )


def _code(case: Case, share: float) -> Section:
    return Section("code", "blocks of code", code_shown(case.scripts, case.findings), share, sort=lambda block: block.key)


def _settings(case: Case) -> Section:
    return Section("settings", "settings", facts.settings_shown(case), 0.05)


def _description(text: str, share: float) -> Section:
    items = (Item(DESCRIPTION, text.strip()),) if text.strip() else ()
    return Section("description", "descriptions", items, share, may_be_cut=True)


def _hypotheses(hypotheses: Sequence[Hypothesis], standings: Sequence[HypothesisFinding], language: str) -> tuple[Item, ...]:
    """With what the evidence says; refuted ones last, for they have to be known as well."""
    refuted = {finding.hypothesis_id for finding in standings if finding.standing == "refuted"}
    return thoughts.hypotheses_shown(
        sorted(hypotheses, key=lambda hypothesis: hypothesis.hypothesis_id in refuted), standings, language=language
    )
