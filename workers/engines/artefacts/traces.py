"""Where in the user's own code the traces of a log end: the innermost frame of each that is in no library."""

import re
from dataclasses import dataclass, field

from contracts.artefacts import LoggedFrame
from contracts.base import clean_text

PYTHON_FRAME = re.compile(r'^\s{0,40}File "([^"]{1,400}\.py)", line (\d{1,7})(?:, in ([\w<>]{1,100}))?')
JVM_FRAME = re.compile(r"^\s{0,40}at ([\w.$<>/@-]{1,300})\(([\w$-]{1,100}\.(?:scala|java|kt)):(\d{1,7})\)")
BEGINS = "Traceback (most recent call last)"

LIBRARY_FILE = re.compile(r"(?:^|[/\\])(?:site-packages|dist-packages|pyspark(?:\.zip)?|py4j[^/\\]{0,40}|lib[/\\]python[\d.]{1,8})[/\\]")
LIBRARY_CLASS = re.compile(
    r"^(?:(?:java|jdk|javax|scala|py4j|sun|akka|kotlin)\.|(?:org\.(?:apache|eclipse|glassfish|codehaus)|com\.(?:sun|google|fasterxml))\.|io\.netty\.)"
)
"""Of the JVM: Spark, Hadoop and what they run on."""

FRAMES = 20
TEXT_CHARS = 200


@dataclass
class Traces:
    """What the lines so far hold; bounded."""

    frames: list[LoggedFrame] = field(default_factory=list[LoggedFrame])
    """One for each trace that passes through code of the user, in their order."""
    _is_open: bool = False
    """The last frame is of the trace that is being read; a deeper one of Python takes its place."""
    _takes_text: bool = False
    """The next line is the code of the last frame."""

    def take(self, line: str) -> None:
        """The next line of the log."""
        takes_text, self._takes_text = self._takes_text, False
        if 'File "' in line and (found := PYTHON_FRAME.match(line)):
            if not LIBRARY_FILE.search(found[1]):
                self._add(LoggedFrame(file=_last(found[1]), line=max(1, int(found[2])), function=found[3] or ""), deeper=True)
                self._takes_text = True
        elif takes_text and line.startswith((" ", "\t")):
            self.frames[-1] = self.frames[-1].model_copy(update={"text": clean_text(line.strip()[:TEXT_CHARS])})
        elif BEGINS in line:
            self._is_open = False
        elif "at " in line and (found := JVM_FRAME.match(line)):
            if not self._is_open and not LIBRARY_CLASS.match(found[1].rpartition("/")[2]):
                self._add(LoggedFrame(file=found[2], line=max(1, int(found[3])), function=found[1].rpartition(".")[2]), deeper=False)
        elif line and not line[0].isspace() and not line.startswith(("at ", "...")):
            self._is_open = False

    def _add(self, frame: LoggedFrame, *, deeper: bool) -> None:
        if self._is_open and deeper:
            self.frames.pop()
        self._is_open = True
        self.frames.append(frame)
        del self.frames[:-FRAMES]


def _last(path: str) -> str:
    return clean_text(re.split(r"[/\\]", path)[-1])
