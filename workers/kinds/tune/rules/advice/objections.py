"""What a reviewer has against a fix."""

from enum import StrEnum

from contracts.base import Contract
from contracts.statements import Sayable


class Rule(StrEnum):
    """What a fix alone must not do."""

    NO_VERDICT = "no_verdict"
    NO_FIGURE = "no_figure"
    OTHER_FIGURE = "other_figure"
    CLAIM = "claim"
    NOT_SPARK = "not_spark"
    VERSION = "version"
    SETTING_NAME = "setting_name"
    SETTING_UNKNOWN = "setting_unknown"
    SETTING_VALUE = "setting_value"
    SETTING_WAS = "setting_was"
    SETTING_ALREADY = "setting_already"
    DIFF = "diff"
    DIFF_BREAKS = "diff_breaks"
    GAIN = "gain"
    WORTH = "worth"
    CLASS = "class"


class PairRule(StrEnum):
    """What two fixes must not do to each other."""

    DUPLICATE = "duplicate"
    CONTRADICTION = "contradiction"
    OVERLAP = "overlap"
    NOT_EXCLUDED = "not_excluded"


class Objection(Contract):
    """One fix that must not go out as it is."""

    fix_id: str
    rule: str
    """The rule that it breaks: a `Rule`, a `PairRule`, or what a model may object to besides."""
    text: Sayable
    """What is wrong, with the number or the name."""
