"""The constants of the engine, each with its meaning and its source, as one value that can be exchanged."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Profile:
    """One set of constants. `OURS` is the default; another set is another instance, measured against it."""

    name: str

    # When to conclude
    conclude_bar: float = 0.80
    """Posterior from which a supported cause is the diagnosis (probability; the bar of the source documents)."""
    guess_bar: float = 0.25
    """Posterior from which a forced conclusion names a cause at all."""
    guess_lead: float = 1.5
    """How many times more likely than the next one it must be then, below `lean_bar`."""
    lean_bar: float = 0.40
    """Posterior that leaves room for one other at most: "it is this or that one" is worth saying, though it is no diagnosis."""
    strong_symptom: float = 0.85
    """Cosine of the description to a ticket that supports a diagnosis without any phenomenon."""
    stuck_turns: int = 2
    """Turns in a row with everything denied after which a key symptom is asked for as well."""

    # The model
    none_prior: float = 0.05
    """Prior of `none of them`: that the incident has a cause which the evidence does not hold."""
    prior_tickets: float = 1.0
    """Tickets added to each cause before its share is taken (Laplace), so that a rare cause stays possible."""
    symptom_weight: float = 2.0
    """Nats per unit of cosine between description and the cause's nearest ticket."""
    retold_from: float = 0.7
    """Cosine from which the description counts as a repetition of a ticket."""
    retold_weight: float = 10.0
    """Nats per unit of cosine beyond that, in addition."""
    none_rank: float = 0.5
    """`none of them` resembles the incident like this quantile of the causes does (0 worst, 1 best)."""
    rate_strength: float = 1.0
    """Weight, in tickets, of a phenomenon's rate in the whole history against its count in one cause."""
    listing: float = 1.0
    """Exponent of the share of a cause's tickets that list a phenomenon: below 1, a ticket that leaves it out says less against it."""
    rate_floor: float = 0.02
    rate_ceiling: float = 0.5
    """Bounds of that rate, the share of the history's causes which show the phenomenon."""
    sight_floor: float = 0.04
    """P(confirmed) of a phenomenon that the cause does not bring: tickets list only what their author wrote."""
    sight_ceiling: float = 0.90
    """P(confirmed) of one that it always brings: users overlook, or cannot see, some."""
    overlap_discount: float = 0.1
    """How much a finding counts less for each other one of the same tickets: weight 1 / (1 + this × Σ overlap)."""
    volunteered_from: float = 0.50
    """Cosine of an observation to a phenomenon at which it begins to count."""
    sentence_bar: float = 0.75
    """The share of a phenomenon's trigrams in a sentence of the description from which the sentence reports it (observations already
    have their matches)."""
    volunteered_full: float = 0.90
    """Cosine from which it counts like a confirmation."""

    silence: float = 0.3
    """Weight of a phenomenon left out of an opening that is a list of phenomena, against one that was denied."""

    translated_bar: float = 0.45
    """Cosine of the phenomena of an English and a Chinese cause from which they are one cause in two languages."""

    # What to ask
    per_turn: int = 3
    """Items in one question at most."""
    wording_bar: float = 0.60
    """Trigram Jaccard from which a description was asked before (unless it says the opposite)."""
    seen_bar: float = 0.50
    """Part of the shorter one's trigrams from which a passage (a log, a command's output) is another look at one that was
    confirmed."""
    passage: int = 60
    """Trigrams from which a phenomenon is a passage. In shorter ones, which name one thing each, the names tell."""
    same_bar: float = 0.80
    """Trigram Jaccard from which two phenomena are one, so that an answer to one answers the other: stricter."""
    least_gain: float = 0.01
    """Nats of expected information below which an item is not worth asking."""
    item_share: float = 0.20
    """A second or third item must bring this share of the first one's gain."""
    effort_without_method: float = 1.3
    """Effort of an item without a query or command, against 1.0 with one."""
    effort_other_language: float = 1.2
    """Factor on the effort of an item in another language than the user's."""
    candidates: int = 40
    """Phenomena, best first, among which a turn is put together (bounds the work)."""
    negligible: float = 0.001
    """Posterior below which a cause is left out of the choice of questions."""


OURS = Profile(name="ours")
"""The default, tuned by simulated dialogues (leave one ticket out, description only)."""

DIFFERENTIAL = Profile(
    name="differential",
    conclude_bar=0.80,
    none_prior=0.15,
    rate_strength=0.15,
    listing=0.5,
    rate_ceiling=0.3,
    sight_floor=0.06,
    sight_ceiling=0.93,
    per_turn=2,
    item_share=0.6,
    least_gain=0.03,
)
"""The differential method. Its opening is weighed in `differential/opening.py`, and what is stated in `differential/confidence.py`. Of what
the right cause shows 142 of 148 answers were a yes in simulated dialogues over four histories (5 % of the answers false on purpose), and of
what it does not show 10 of 240."""
