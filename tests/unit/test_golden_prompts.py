"""Every prompt as a model reads it, in English and Chinese, and what the prompts of one job have in common."""

import pytest

from tests.support.prompt_cases import CASES, GOLDEN, LANGUAGES, data_of, golden_files, names_of_prompts, rendered
from tests.support.prompts_alike import common_beginning
from workers.engines.language import Lang


def test_every_prompt_of_the_product_has_its_case() -> None:
    assert sorted(CASES) == names_of_prompts()


def test_the_prompts_are_those_that_were_read() -> None:
    """`python -m tests.support.prompt_cases` writes them again."""
    wanted = golden_files()

    changed = [str(path.relative_to(GOLDEN)) for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]

    assert changed == []
    assert sorted(GOLDEN.rglob("*.txt")) == sorted(wanted)


CHANGING = {
    "classifier/supervise": {"replies": "another answer", "last": "{}", "problem": "wrong"},
    "developer/sql": {"remarks": "another remark", "last": "{}", "problem": "wrong"},
    "developer/fix_sql": {"last": "{}", "problem": "wrong"},
    "developer/logql": {"last": "{}", "problem": "wrong"},
    "analyst/etl": {"heard": "another answer", "remarks": "a remark", "last": "{}", "problem": "wrong"},
    "developer/etl": {"remarks": "a remark", "last": "{}", "problem": "wrong"},
    "analyst/follow": {"stray": ["17"]},
    "analyst/words": {"problem": "17"},
    "diagnoser/tuning-plan": {"remarks": "no salting please"},
    "diagnoser/turn": {"dialogue": "Asked: x\nThe person answered: y", "today": "Now it is Friday.", "guidance": "2 of at most 5."},
}
"""What differs between two prompts of one job, by the prompt: everything before it stays."""


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", CHANGING)
def test_two_prompts_of_one_job_share_what_stays_byte_by_byte(name: str, lang: Lang) -> None:
    first, second = rendered(name, lang), rendered(name, lang, **CHANGING[name])

    shared = common_beginning(first, second)

    stays = [
        str(value)
        for part, value in data_of(name, lang).items()
        if part not in CHANGING[name] and isinstance(value, str) and len(value) > 12 and value in first
    ]
    later = [text for text in stays if text not in shared and first.index(text) < len(first) - len("Answer now, as one JSON object.\n")]
    assert stays
    assert later == []


def test_an_empty_block_says_that_there_is_nothing() -> None:
    assert "(none)" in rendered("classifier/tuning", "en", artefacts="")
