"""The skill that fits a question, without a model: by its triggers, by words and by meaning, then by priority; or no skill."""

import re
from collections import Counter
from dataclasses import dataclass

from contracts.statements import Statement, name, names, say
from workers.engines.language import CJK, language_of
from workers.skills.choosing.meaning import SkillVectors
from workers.skills.choosing.wishes import read_wish
from workers.skills.choosing.words import head_of, index_of, triggers_in
from workers.skills.skill import Library, Skill, name_key

ENOUGH = 8.9
"""Score from which a skill fits. `bullpen eval skills` finds it by cross-validation over five folds: 94 % of the questions that no skill
fits get none, and 93 % of the questions that have a skill get one."""

ENOUGH_WITH_TRIGGER = ENOUGH / 2
"""The same for a question that has a trigger of the skill: its author said that such questions are for it."""

ENOUGH_ABROAD = 1.8
"""Points by meaning from which a skill fits a question in another language than its own, with which it shares no words. Measured with an
English library: of 127 Chinese texts that no skill fits, 3 get one; of 24 Chinese questions that have a skill, 16 have it first, and 6
get it. A wrong skill is worse than none, so authors who write for two languages give triggers or a description in both."""

MEANING = 15.0
"""Points for a similarity that is 1 above the usual. Between 10 and 20 the results are the same."""

TRIGGER = 5.0
"""Points for a trigger that only this skill has. Two of them are enough without any other word."""

CLEAR = 0.7
"""Part of the best skill's score up to which the next one is no rival. Of the questions of `bullpen eval skills`, up to here 95 % have the
right skill first, above it 69 %: there a model may help."""

_CJK_CHARACTER = re.compile(rf"[{CJK}]")

_ALIKE = 0.95
"""Skills whose score is at least this part of the best one fit equally well, and priority decides."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a skill fits a question."""

    skill: Skill
    score: float
    by_words: float
    by_meaning: float
    triggers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The skill for a question, or that there is none, and why."""

    skill: Skill | None
    reason: Statement
    fits: tuple[Fit, ...] = ()
    """All skills, the best first."""

    @property
    def is_clear(self) -> bool:
        """Whether nobody need be asked: the user named a skill (or wants none), the best skill has every trigger that any skill has in the
        message, or no other comes near."""
        if len(self.fits) < 2 or self.skill is None:
            return self.skill is not None or not self.fits
        best, *others = self.fits
        leads = bool(best.triggers) and all(name_key(trigger) in _keys(best) for other in others for trigger in other.triggers)
        return leads or all(other.score <= CLEAR * best.score for other in others)


def _keys(fit: Fit) -> set[str]:
    return {name_key(trigger) for trigger in fit.triggers}


def choose(library: Library, question: str, vectors: SkillVectors | None = None) -> Choice:
    """The skill for a question. A skill that the user asks for by name is taken; otherwise the best one, if it fits well enough.

    `vectors` are those of the skills of this library, in their order (`vectors_of`).
    """
    wish = read_wish(library, question)
    if wish is not None and (wish.skill is not None or wish.is_default):
        reason = say("skills.reason.wished", skill=name(wish.skill.title)) if wish.skill else say("skills.reason.without")
        return Choice(wish.skill, reason)
    ranked = fits(library, question, vectors)
    if not ranked or not _is_enough(ranked[0], question):
        return Choice(None, say("skills.reason.none_fits"), ranked)
    best = ranked[0]
    if best.triggers:
        return Choice(best.skill, say("skills.reason.triggers", skill=name(best.skill.title), triggers=names(best.triggers)), ranked)
    return Choice(best.skill, say("skills.reason.words", skill=name(best.skill.title)), ranked)


def _is_enough(best: Fit, question: str) -> bool:
    is_abroad = language_of(question) != language_of(head_of(best.skill))
    enough = ENOUGH_WITH_TRIGGER if best.triggers else ENOUGH
    return best.score >= enough or (is_abroad and best.by_meaning >= ENOUGH_ABROAD)


def fits(library: Library, question: str, vectors: SkillVectors | None = None) -> tuple[Fit, ...]:
    """All skills by how well they fit, the best first."""
    skills = library.skills
    if not question.strip() or not skills:
        return ()
    by_words = index_of(skills).scores(question)
    by_meaning = vectors.scores(question) if vectors else []
    shared = Counter(key for skill in skills for key in {name_key(trigger) for trigger in skill.triggers})
    found: list[Fit] = []
    for position, skill in enumerate(skills):
        triggers = triggers_in(question, skill)
        words, meaning = by_words.get(position, 0.0), MEANING * by_meaning[position] if by_meaning else 0.0
        score = words + meaning + sum(TRIGGER * _weight(trigger) / shared[name_key(trigger)] for trigger in triggers)
        found.append(Fit(skill, round(score, 4), round(words, 4), round(meaning, 4), triggers))
    best = max(fit.score for fit in found)
    alike = best * _ALIKE if best > 0 else best
    first = sorted((fit for fit in found if fit.score >= alike), key=lambda fit: (-fit.skill.priority, -fit.score, fit.skill.name))
    rest = sorted((fit for fit in found if fit.score < alike), key=lambda fit: (-fit.score, fit.skill.name))
    return (*first, *rest)


def _weight(trigger: str) -> float:
    """A trigger of one short word, such as 分析, says less than `weak coverage`."""
    return 0.5 if len(trigger) + len(_CJK_CHARACTER.findall(trigger)) <= 4 else 1.0
