"""The catalogues: which languages there are, and the message of a code in one of them.

A catalogue is a folder `<language>/LC_MESSAGES/*.po`; the fleet has one, and each kind registers its own by `add_catalogue`. Nothing is
read before the first lookup.
"""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from workers.saying.po import Message, read_po

DEFAULT_LANGUAGE = "en"
"""The language of a message that the reader's language lacks."""

FLEET_CATALOGUE = Path(__file__).with_name("locale")


class UnknownMessage(LookupError):
    """A code that no catalogue has, or a placeholder without a value. Raised in tests only; a user sees a visible stand-in."""


class _File:
    """A file of a catalogue."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def message(self, code: str) -> Message | None:
        """The message of a code, if the file has it."""
        return self.messages.get(code) if f'msgid "{code}"' in self._text else None

    @cached_property
    def messages(self) -> dict[str, Message]:
        """All that it holds, by code."""
        return read_po(self._path)

    @cached_property
    def _text(self) -> str:
        return self._path.read_text("utf-8")


class Catalogues:
    """Messages by language and code, out of several folders."""

    def __init__(self, *folders: Path) -> None:
        self._folders = list(folders)
        self._files: dict[str, list[_File]] = {}
        self._known: dict[str, dict[str, Message]] = {}
        self._languages: tuple[str, ...] | None = None
        self._lock = threading.Lock()
        self.is_strict = False
        """Whether what is missing is an error (in tests) instead of a visible stand-in."""

    def add(self, folder: Path) -> None:
        """Take a folder in; twice is once."""
        with self._lock:
            if folder not in self._folders:
                self._folders.append(folder)
                self._files, self._known, self._languages = {}, {}, None

    @property
    def folders(self) -> tuple[Path, ...]:
        """All folders, the fleet's first."""
        return tuple(self._folders)

    def languages(self) -> tuple[str, ...]:
        """Every language that some catalogue has, the default first."""
        known = self._languages
        if known is None:  # asked at every answer, and a look at the folders costs more than most answers
            with self._lock:
                found = {path.parent.name for folder in self._folders for path in folder.glob("*/LC_MESSAGES")}
                self._languages = known = tuple(sorted(found, key=lambda code: (code != DEFAULT_LANGUAGE, code)))
        return known

    def messages(self, language: str) -> dict[str, Message]:
        """All messages of a language; a code of an earlier folder wins."""
        found = dict[str, Message]()
        for file in reversed(self._files_of(language)):
            found |= file.messages
        return found

    def message(self, code: str, language: str) -> Message | None:
        """The message in the language, else in the default one; None (an error in tests) where neither has it."""
        found = self.own(code, language) or self.own(code, DEFAULT_LANGUAGE)
        if found is None and self.is_strict:
            raise UnknownMessage(f"No catalogue has {code!r}. Add it to every .po file of its kind (workers/saying/README.md).")
        return found

    def own(self, code: str, language: str) -> Message | None:
        """The message in this language; None where it lacks one. A file is read for the first of its codes that is asked for: a command
        that says three sentences reads three files of forty."""
        known = self._known.setdefault(language, {})
        if code not in known:
            found = next((message for file in self._files_of(language) if (message := file.message(code)) is not None), None)
            if found is None:
                return None
            known[code] = found
        return known[code]

    def _files_of(self, language: str) -> "list[_File]":
        found = self._files.get(language)
        if found is None:
            places = [folder / language / "LC_MESSAGES" for folder in self.folders]
            found = [_File(path) for place in places for path in sorted(place.glob("*.po"))]
            with self._lock:
                self._files[language] = found
        return found

    @contextmanager
    def strictly(self) -> Generator[None]:
        """What is missing is an error for a while."""
        before, self.is_strict = self.is_strict, True
        try:
            yield
        finally:
            self.is_strict = before


INSTALLED = Catalogues(FLEET_CATALOGUE)
"""The catalogues of this process."""


def add_catalogue(folder: Path) -> None:
    """Register the `locale` folder of a kind."""
    INSTALLED.add(folder)
