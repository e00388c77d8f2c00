"""Which language a report is shown in."""

from workers.saying.catalogues import DEFAULT_LANGUAGE, INSTALLED, Catalogues


class UnknownLanguage(ValueError):
    """A language that no catalogue has; the message names those there are."""


def find_language(wanted: str | None) -> str:
    """The available language nearest to the wanted one: `zh-CN` is shown in `zh`, a language nobody has translated in English."""
    return _nearest(wanted, INSTALLED) or DEFAULT_LANGUAGE


def check_language(wanted: str, catalogues: Catalogues = INSTALLED) -> str:
    """The available language nearest to the wanted one; `UnknownLanguage` when there is none."""
    found = _nearest(wanted, catalogues)
    if found is None:
        raise UnknownLanguage(f"There is no catalogue for {wanted!r}. Languages: {', '.join(catalogues.languages())}.")
    return found


def _nearest(wanted: str | None, catalogues: Catalogues) -> str | None:
    by_code = {_normal(code): code for code in catalogues.languages()}
    parts = _normal(wanted or "").split("-")
    return next((by_code[code] for end in range(len(parts), 0, -1) if (code := "-".join(parts[:end])) in by_code), None)


def _normal(code: str) -> str:
    """`zh_CN` and `zh-cn` are the same language."""
    return code.replace("_", "-").lower()
