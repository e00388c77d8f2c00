"""The texts of all remedies, by language. Templates are ours; `telling` puts values into them."""

from workers.kinds.tune.rules.advice.wording import (
    en_failures,
    en_other,
    en_phrases,
    en_shuffle,
    en_skew,
    zh_failures,
    zh_other,
    zh_phrases,
    zh_shuffle,
    zh_skew,
)
from workers.kinds.tune.rules.advice.words import Words

REMEDIES: dict[str, dict[str, Words]] = {
    "en": {**en_skew.SKEW, **en_shuffle.SHUFFLE, **en_failures.FAILURES, **en_other.OTHER},
    "zh": {**zh_skew.SKEW, **zh_shuffle.SHUFFLE, **zh_failures.FAILURES, **zh_other.OTHER},
}
PHRASES: dict[str, dict[str, str]] = {"en": en_phrases.PHRASES, "zh": zh_phrases.PHRASES}
SETTINGS: dict[str, dict[str, str]] = {"en": en_phrases.SETTINGS, "zh": zh_phrases.SETTINGS}
SETTING_CONS: dict[str, dict[str, str]] = {"en": en_phrases.SETTING_CONS, "zh": zh_phrases.SETTING_CONS}
NOT_ADVISED: dict[str, dict[str, str]] = {"en": en_phrases.NOT_ADVISED, "zh": zh_phrases.NOT_ADVISED}

__all__ = ["NOT_ADVISED", "PHRASES", "REMEDIES", "SETTINGS", "SETTING_CONS"]
