"""What a contract refuses, in plain words: for people who write a file by hand and know nothing of types."""

import re
from collections.abc import Mapping
from typing import Any

_PLAIN = {
    "missing": "is missing",
    "extra_forbidden": "is not known here",
    "string_too_short": "is empty",
    "string_type": "must be a text",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "set_type": "must be a list",
    "frozen_set_type": "must be a list",
    "dict_type": "must be a mapping of names to values",
    "mapping_type": "must be a mapping of names to values",
    "model_type": "must be a mapping of names to values",
    "model_attributes_type": "must be a mapping of names to values",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
}

_OF_A_VALUE = re.compile(r"^[A-Z][a-z]+ should")
"""`Input should be ...`, `Tuple should have ...`: the types are the program's."""


def in_words(fault: Mapping[str, Any]) -> str:
    """What is wrong at one place, as the end of a sentence that begins with the place. `fault`: an item of `ValidationError.errors()`."""
    message = str(fault["msg"]).removeprefix("Value error, ")
    return _PLAIN.get(str(fault["type"])) or _lowered(_OF_A_VALUE.sub("must", message).partition(" after validation")[0])


def _lowered(message: str) -> str:
    return message[:1].lower() + message[1:]
