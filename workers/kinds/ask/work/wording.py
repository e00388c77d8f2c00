"""A model's words on what code has worked out: a result, a statement, passages. What a sentence says beyond its material is dropped."""

from collections.abc import Iterable, Sequence

from contracts.ask.answers import CitedSentence, DocumentAnswer, WordsAnswer
from contracts.ask.results import PassagesFound, Queried, SqlExplained
from contracts.catalogue import Passage
from contracts.statements import Sayable
from workers.engines.stray_figures import stray_figures
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.work.dialogue import conversation_text, session_text, turns_of
from workers.llm import ChatClient
from workers.llm.brief import Brief, today_text
from workers.llm.quotes import quoted
from workers.saying import text_of
from workers.saying.numbers import language_name

MOST_ROWS = 40
"""Rows of a result that a model is shown."""
LEAST_QUOTED = 6
"""Bytes of a quotation: "14 days", or two Chinese words. A letter or `is` is in every passage."""
SHARE_ROWS, SHARE_FACTS, SHARE_STATEMENT, SHARE_PASSAGES, SHARE_MESSAGE = 0.4, 0.2, 0.3, 0.5, 0.1
"""Shares of the model's window."""


def word_result(step: ToolStep, found: Queried, chat: ChatClient) -> tuple[str, ...]:
    """What the result says. Sentences with a figure that neither the rows nor the facts have are dropped."""
    brief = Brief.of(chat)
    facts = [_text(finding.text, step.language) for finding in found.findings]
    says = [_text(text, step.language) for text in found.says]
    assumed = list(found.made.assumed) if found.made is not None else []
    if len(found.rows) > MOST_ROWS:
        brief.note("rows", MOST_ROWS, len(found.rows))
    rows = [", ".join(found.columns), *(", ".join(_cell(cell) for cell in row) for row in found.rows[:MOST_ROWS])]
    answer = chat.ask(
        WordsAnswer,
        prompt="analyst/result",
        say_field="sentences",
        language=language_name(step.language),
        row_count=f"at least {found.row_count} (a limit ended the result)" if found.is_cut else found.row_count,
        is_cut=found.row_count > MOST_ROWS,
        rows=brief.items("rows", rows, SHARE_ROWS),
        facts=brief.items("facts", facts, SHARE_FACTS),
        says=brief.items("reading", says, SHARE_FACTS),
        assumed=brief.items("assumed", assumed, SHARE_MESSAGE),
        today=_today(step),
        session=session_text(step.ctx, brief),
        question=brief.text("question", step.understanding.question, SHARE_MESSAGE),
        prompt_cuts=brief.cut_rows(),
    ).value
    cells = (text for row in found.rows for cell in row for text in (str(cell), _cell(cell)))
    return _kept(
        answer.sentences,
        [*facts, *says, *assumed, *found.columns, step.understanding.question, *([] if found.is_cut else [str(found.row_count)]), *cells],
    )


def word_explanation(step: ToolStep, explained: SqlExplained, chat: ChatClient) -> tuple[str, ...]:
    """What a statement computes, from the code's own facts alone."""
    brief = Brief.of(chat)
    facts = [_text(text, step.language) for text in explained.says]
    facts += [_text(finding.summary, step.language) for finding in explained.review.findings]
    answer = chat.ask(
        WordsAnswer,
        prompt="developer/explain_sql",
        say_field="sentences",
        language=language_name(step.language),
        statement=brief.text("statement", explained.sql, SHARE_STATEMENT),
        facts=brief.items("facts", facts, SHARE_FACTS),
        today=_today(step),
        session=session_text(step.ctx, brief),
        words=brief.text("message", step.understanding.words, SHARE_MESSAGE),
        prompt_cuts=brief.cut_rows(),
    ).value
    return _kept(answer.sentences, [*facts, explained.sql, step.understanding.words])


def word_passages(step: ToolStep, found: Sequence[Passage], chat: ChatClient) -> PassagesFound:
    """An answer of sentences that each rest on quoted words of a passage; no passage where none of them holds."""
    brief = Brief.of(chat)
    texts = [f"{passage.title}{' > ' + passage.heading if passage.heading else ''}\n{passage.text}" for passage in found]
    shown = [brief.text("passage", text, SHARE_PASSAGES / len(texts)) for text in texts]
    answer = chat.ask(
        DocumentAnswer,
        prompt="retriever/documents",
        language=language_name(step.language),
        passages=shown,
        today=_today(step),
        session=session_text(step.ctx, brief, has_conversation=True),
        conversation=conversation_text(brief, turns_of(step.ctx)),
        question=brief.text("question", step.understanding.question, SHARE_MESSAGE),
        prompt_cuts=brief.cut_rows(),
    ).value
    kept = [sentence for sentence in answer.sentences if _holds(sentence, shown)]
    cited = list(dict.fromkeys(sentence.passage - 1 for sentence in kept))
    passages = tuple(found[place] for place in cited)
    return PassagesFound(
        passages=passages,
        cites=tuple(passage.place for passage in passages),
        answer=" ".join(sentence.text for sentence in kept),
        by=(chat.answered_by or chat.model) if kept else "",
    )


def _today(step: ToolStep) -> str:
    return today_text(step.ctx.now, step.ctx.services.settings.times)


def _holds(sentence: CitedSentence, passages: Sequence[str]) -> bool:
    """Whether the passage has the quoted words, and every figure of the sentence."""
    if sentence.passage > len(passages):
        return False
    passage = passages[sentence.passage - 1]
    if len(" ".join(sentence.quote.split()).encode()) < LEAST_QUOTED:
        return False
    return quoted(sentence.quote, passage) and not stray_figures(sentence.text, [passage])


def _kept(sentences: Iterable[str], material: Sequence[str]) -> tuple[str, ...]:
    return tuple(text for sentence in sentences if (text := " ".join(sentence.split())) and not stray_figures(text, material))


def _text(text: Sayable, language: str) -> str:
    return text if isinstance(text, str) else text_of(text, language)


def _cell(value: object) -> str:
    """A value as a model reads it: with two decimals, since nobody says more of it; below 1 with four, below 0.01 with six, so that what
    differs is not taken for the same or for nothing."""
    if isinstance(value, float):
        return f"{value:.{2 if abs(value) >= 1 else 4 if abs(value) >= 0.01 else 6}f}".rstrip("0").rstrip(".")
    return "NULL" if value is None else str(value)[:200]
