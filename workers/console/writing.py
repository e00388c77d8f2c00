"""The words of a model's answer on a job's page, while they are written. They are kept nowhere: the result takes their place."""

from collections.abc import Collection, Sequence

from markupsafe import escape

from contracts.base import Json
from workers.blackboard.live import ANSWER_DELTA
from workers.console.pages import Look
from workers.saying.harmless import clean


class Writing:
    """What one reader's page shows of it: the words of one step, the one that said something last."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._step = ""

    def message(self, live: Sequence[Json]) -> str:
        """A message of the stream that puts these words on the page; empty where none are among what was handed."""
        parts: list[str] = []
        for item in live:
            if item["kind"] != ANSWER_DELTA:
                continue
            text, step = str(item["text"]), str(item.get("step_id"))
            if item.get("first") or step != self._step:
                self._step = step
                begun = text if item.get("first") else f"… {text}"  # the page was opened while the answer was being written
                parts.append(_partial("job-writing", "innerHTML", self._look.render("job/writing.html", begun=begun)))
            else:
                parts.append(_partial("job-words", "beforeend", f"<span>{escape(clean(text))}</span>"))
        return _message(parts)

    def over(self, at_work: Collection[str]) -> str:
        """A message that takes the words off the page, once their step is not among those at work; empty before."""
        if not self._step or self._step in at_work:
            return ""
        self._step = ""
        return _message([_partial("job-writing", "innerHTML", "")])


def _partial(target: str, swap: str, html: str) -> str:
    return f'<hx-partial hx-target="#{target}" hx-swap="{swap}">{html}</hx-partial>'


def _message(parts: Sequence[str]) -> str:
    """Without an id: a browser that comes back asks for what is kept."""
    return "".join(f"data: {line}\n" for line in "".join(parts).split("\n")) + "\n" if parts else ""
