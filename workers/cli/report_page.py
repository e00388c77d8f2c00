"""A report as one page."""

from enum import StrEnum

from workers.cli.voice import Voice
from workers.saying.document import Document


class Form(StrEnum):
    """How a result is printed."""

    TERMINAL = "terminal"
    MARKDOWN = "md"
    HTML = "html"


def page_of(report: Document, voice: Voice, form: Form) -> str:
    """The report as Markdown or HTML."""
    from workers.saying.markdown import to_markdown
    from workers.saying.web_page import to_html

    return (to_markdown if form is Form.MARKDOWN else to_html)(report, voice.language)
