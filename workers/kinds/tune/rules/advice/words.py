"""What a remedy's entry in the tables of wording holds. The templates are ours; what comes from users is only put into them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of one remedy in one language, with {placeholders}."""

    title: str
    what: str
    pros: tuple[str, ...] = ()
    cons: tuple[str, ...] = ()
    risk: str = ""
    verify: tuple[str, ...] = ()
