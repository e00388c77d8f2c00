"""The languages in which a user reads results."""

from typing import Literal

Lang = Literal["en", "zh"]
