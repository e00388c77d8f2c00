"""Questions about the parts of a requirement that were not read, with choices that can be."""

import re
from collections.abc import Sequence

from contracts.pipelines.analysis import Ambiguity, OpenPart
from contracts.statements import Join, listing, name, names, quote, say
from contracts.tables import TableDetail
from workers.engines.requirements.outline.proposals import proposals, things
from workers.engines.requirements.outline.reading import Attempt, Outline, OutlineReader
from workers.engines.requirements.prose.scope import plain

MOST_ROWS = 5
"""Things that are offered as what a row is."""


def open_point(reader: OutlineReader, outline: Outline, tables: Sequence[TableDetail]) -> Ambiguity | None:
    """The first part that is open: what a row is, then the columns, then a sentence. None: there is no target, or all parts were read and
    do not fit each other."""
    target = reader.target
    if not target:
        return None
    best = outline.best
    if best is None or (not best.read and len(best.failed) > 1):
        return _about_rows(target, reader, tables)
    if best.failed:
        return _about_columns(reader, best)
    if outline.unread:
        return _about_sentence(outline.unread[0])
    return None


def _about_rows(target: str, reader: OutlineReader, tables: Sequence[TableDetail]) -> Ambiguity:
    is_chinese = reader.is_chinese
    rows = [table.name if is_chinese else plain(table.name) for table in things(tables, reader.words)[:MOST_ROWS]]
    labels = tuple(say("requirements.choice.name", name=name(f"每个 {row} 一行" if is_chinese else f"one row per {row}")) for row in rows)
    return Ambiguity(question=say("requirements.ask.rows", table=name(target)), choices=labels, words=target, part=OpenPart.GRAIN)


def _about_columns(reader: OutlineReader, best: Attempt) -> Ambiguity:
    failed = [item for item in best.failed if item.name] or best.failed
    open_ = [item for item in failed if not _needs(item.meaning, [other.name for other in failed if other is not item])] or failed
    offered = {
        item.name: proposals(item, best.draft, reader.phrases, lambda text, item=item: reader.can(best, item, text)) for item in open_
    }
    labels = [item.name or item.meaning for item in open_]
    if len(open_) == 1:
        texts = offered[open_[0].name]
    elif all(offered.values()):
        texts = ["; ".join(f"{item.name}: {offered[item.name][0]}" for item in open_)]
    else:
        texts = []
    spoken = [quote(item.meaning or item.spoken) for item in open_ if item.meaning or item.spoken]
    text = (
        say("requirements.ask.columns_said", columns=names(labels), words=listing(*spoken, join=Join.PLAIN))
        if spoken
        else say("requirements.ask.columns", columns=names(labels))
    )
    choices = tuple(say("requirements.choice.name", name=name(item)) for item in texts)
    return Ambiguity(question=text, choices=choices, words=", ".join(labels)[:500], part=OpenPart.COLUMN)


def _needs(meaning: str, others: Sequence[str]) -> bool:
    """Whether a column is defined by others that are open."""
    return any(other and re.search(rf"(?<!\w){re.escape(other)}(?!\w)", meaning, re.IGNORECASE) for other in others)


def _about_sentence(sentence: str) -> Ambiguity:
    choices = (say("requirements.choice.leave_out"),)
    question = say("requirements.ask.sentence", sentence=quote(sentence))
    return Ambiguity(question=question, choices=choices, words=sentence[:500], part=OpenPart.SENTENCE)
