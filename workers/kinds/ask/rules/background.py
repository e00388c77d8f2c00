"""Who asks (S38): facts such as `region=East`, by which "my region" in a question means East."""

import re
from collections.abc import Mapping

_FACT = re.compile(
    r"(?P<name>[^\s=:：＝,，;；、][^=:：＝,，;；、\n]{0,40}?)\s*[=:：＝]\s*(?P<value>[^,，;；\n]{1,100}?)\s*(?=[,，;；\n]|$)"
)
_OWN_CHINESE = r"(?:我们?|咱们?|本)(?:的|这个|所在的?)?"


def facts_in(about: str) -> Mapping[str, str]:
    """The facts of a background that are written `name=value` or `name: value`, separated by commas, semicolons or lines."""
    return {found["name"].strip(): found["value"].strip() for found in _FACT.finditer(about)}


def with_background(words: str, about: str) -> str:
    """The words with the user's own facts in place of "my region", "our region", "我的区域", "我们区域" or "本区域"."""
    for name, value in facts_in(about).items():
        escaped = re.escape(name)
        own = rf"\b(?:my|our)\s+(?:own\s+)?{escaped}(?!\w|\s*[=:])|{_OWN_CHINESE}{escaped}"
        words = re.sub(own, lambda _, value=value: value, words, flags=re.IGNORECASE)
    return words
