"""A contract and a prompt to ask a model about, for tests of the seam."""

from enum import StrEnum
from pathlib import Path

from pydantic import Field

from contracts.base import Contract
from workers.llm.prompts import add_prompts

PROMPT = "classifier/weather"

add_prompts(Path(__file__).parent / "prompts")


class Sky(StrEnum):
    SUN = "sun"
    RAIN = "rain"


class Weather(Contract):
    sky: Sky
    degrees: float = Field(ge=-100, le=100)
    words: tuple[str, ...] = ()


RAINY = {"sky": "rain", "degrees": 11.5, "words": ["wet"]}
EXPECTED = Weather(sky=Sky.RAIN, degrees=11.5, words=("wet",))
