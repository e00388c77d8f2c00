"""How causes, verdicts and quantities are called, in the reader's language."""

from contracts.bundles import Information
from contracts.verdicts import Figure, TuningClass, Unit, VerdictKind
from workers.engines import human
from workers.engines.language import Lang
from workers.kinds.tune.rules import causes_en, causes_zh

_TABLES = {"en": causes_en, "zh": causes_zh}


def title(kind: VerdictKind, language: Lang) -> str:
    """A kind of verdict in a few words, to stand inside a sentence."""
    return _TABLES[language].TITLES[kind]


def statement(kind: VerdictKind, language: Lang) -> str:
    """The hypothesis, as a sentence. `KeyError` for a kind that is no problem."""
    return _TABLES[language].STATEMENTS[kind]


def verification(kind: VerdictKind, language: Lang) -> tuple[str, ...]:
    """How one would see whether it is so."""
    return _TABLES[language].VERIFICATION[kind]


def information(one: Information, language: Lang) -> str:
    """A kind of information, to stand inside a sentence."""
    return _TABLES[language].INFORMATION[one]


def class_name(one: TuningClass, language: Lang) -> str:
    """A class, to stand inside a sentence."""
    return _TABLES[language].CLASSES[one]


def listed(parts: list[str], language: Lang) -> str:
    """A list inside a sentence."""
    return ("、" if language == "zh" else ", ").join(parts)


def percent(share: float) -> str:
    """A share for a reader: with a digit behind the point below 10 %."""
    return human.share(share) if share >= 0.1 or not share else f"{100 * share:.1f} %" if share >= 0.001 else "< 0.1 %"


def quantity(figure: Figure, language: Lang) -> str:
    """A figure's value with its unit."""
    shown = {
        Unit.BYTES: human.size(figure.value) if figure.value else "0 B",
        Unit.SHARE: percent(figure.value),
        Unit.RATIO: f"{figure.value:.1f}",
    }.get(figure.unit, f"{figure.value:,.0f}")
    return _TABLES[language].UNITS[figure.unit].format(value=shown)
