"""Questions about the parts of a requirement that were not read, with choices that can be."""

import re
from collections.abc import Sequence

from contracts.pipelines.analysis import Ambiguity, OpenPart
from contracts.statements import Join, count, listing, name, names, quote, say
from contracts.tables import TableDetail
from workers.engines.requirements.outline.parts import Attempt, Outline
from workers.engines.requirements.outline.per import grain_said, grains_with_times, has_open_hour, units_listed
from workers.engines.requirements.outline.proposals import proposals, things
from workers.engines.requirements.outline.reading import OutlineReader
from workers.engines.requirements.prose.nouns import plain

MOST_LETTERS = 900
"""Characters of sentences that are asked about at once."""
MOST_ROWS = 5
"""Things that are offered as what a row is."""


def open_point(reader: OutlineReader, outline: Outline, tables: Sequence[TableDetail]) -> Ambiguity | None:
    """The first part that is open: what a row is, then the columns, then a sentence or words that name no column. None: there is no target,
    or all parts were read and do not fit each other."""
    target = reader.target
    if not target:
        return None
    best = outline.best
    is_known = best is not None and reader.says_rows and (best.draft.entity is not None or bool(best.draft.keys))
    bases = {attempt.draft.base.base.full_name for attempt in outline.attempts if attempt.draft.base is not None}
    may_be_open = len(bases) > 1 and not outline.layout.is_grain_answered
    is_open_hour = has_open_hour(grain_said(reader.head)) and not outline.layout.is_grain_answered
    is_answer_unread = outline.layout.is_grain_answered and best is not None and best.draft.entity is None and not best.draft.keys
    if best is None or is_open_hour or is_answer_unread or (not best.read and len(best.failed) > 1 and not is_known):
        return _about_rows(target, reader, tables)
    if best.failed and may_be_open and (choices := grain_choices(reader, tables)):
        return _rows_to_choose(target, choices, is_chinese=reader.is_chinese)
    if best.failed and not any(item.name for item in best.failed):  # words that name no column
        words = [item.meaning for item in best.failed]
        is_listed = not outline.layout.columns or any(item in outline.layout.columns for item in best.failed)
        return _about_unnamed(words) if is_listed or not best.read else _about_sentences(words)
    if best.failed:
        answered = {item.name.lower() for item in best.failed} & set(outline.layout.answers)
        if answered and not (
            outline.layout.is_grain_answered or reader.says_rows
        ):  # what was said of them does not fit what a row was taken for
            return _about_rows(target, reader, tables)
        return _about_columns(reader, best)
    if outline.unread:
        return _about_sentences(outline.unread)
    if not best.read:
        return Ambiguity(question=say("requirements.ask.which_columns", table=name(target)), part=OpenPart.WORDS)
    if outline.doubtful:
        return _about_times(outline.doubtful)
    if outline.misfits:
        return _about_misfits(outline.misfits)
    if may_be_open and (choices := grain_choices(reader, tables)):
        return _rows_to_choose(target, choices, is_chinese=reader.is_chinese)
    return None


def _about_rows(target: str, reader: OutlineReader, tables: Sequence[TableDetail]) -> Ambiguity:
    is_chinese = reader.is_chinese
    rows = grain_choices(reader, tables) or [spoken_row(table, is_chinese=is_chinese) for table in things(tables, reader.words)[:MOST_ROWS]]
    return _rows_to_choose(target, rows, is_chinese=is_chinese)


def _rows_to_choose(target: str, rows: Sequence[str], *, is_chinese: bool) -> Ambiguity:
    labels = tuple(say("requirements.choice.name", name=name(f"每个 {row} 一行" if is_chinese else f"one row per {row}")) for row in rows)
    return Ambiguity(question=say("requirements.ask.rows", table=name(target)), choices=labels, words=target, part=OpenPart.GRAIN)


def grain_choices(reader: OutlineReader, tables: Sequence[TableDetail]) -> list[str]:
    """What is said of a row, with each time that its unit may be of, where that can be read; first those with which most columns are."""
    parts, found = grain_said(reader.head) or units_listed(reader.head), list[tuple[int, str]]()
    for words in grains_with_times(parts, things(tables, reader.words, others=True), is_chinese=reader.is_chinese) if parts else ():
        unread = reader.unread_with(f"每个 {words} 一行" if reader.is_chinese else f"one row per {words}")
        if unread is not None:
            found.append((unread, words))
        if sum(not left for left, _ in found) == MOST_ROWS:
            break
    return [words for _, words in sorted(found, key=lambda item: item[0])][:MOST_ROWS]


def spoken_row(table: TableDetail, *, is_chinese: bool) -> str:
    """A row of a table in words: `customer`, and `row of tkt_sls` where the name is no word."""
    word = plain(table.name)
    is_word = re.fullmatch(r"[a-z]{4,}", word) is not None and re.search(r"[aeiouy]", word[-3:]) is not None
    return table.name if is_chinese else word if is_word or word == table.name.lower() else f"row of {table.name}"


def _about_columns(reader: OutlineReader, best: Attempt) -> Ambiguity:
    failed = [item for item in best.failed if item.name] or best.failed
    open_ = [item for item in failed if not _needs(item.meaning, [other.name for other in failed if other is not item])] or failed
    offered = {
        item.name: proposals(item, best.draft, reader.phrases, lambda text, item=item: reader.can(best, item, text)) for item in open_
    }
    labels = [item.name or item.meaning for item in open_]
    if len(open_) == 1:
        texts = offered[open_[0].name]
    elif all(offered.values()) and len({texts[0] for texts in offered.values()}) == len(offered):  # two columns are not the same
        texts = ["; ".join(f"{item.name}: {offered[item.name][0]}" for item in open_)]
    else:
        texts = []
    spoken = [quote(words) for words in dict.fromkeys(item.meaning or item.spoken for item in open_) if words]
    text = (
        say("requirements.ask.columns_said", columns=names(labels), words=listing(*spoken, join=Join.PLAIN))
        if spoken
        else say("requirements.ask.columns", columns=names(labels), n=count(len(labels)))
    )
    choices = tuple(say("requirements.choice.name", name=name(item)) for item in texts)
    if best.read:  # a table needs a column
        choices += (say("requirements.choice.leave_out"),)
    return Ambiguity(question=text, choices=choices, words=", ".join(labels)[:500], part=OpenPart.COLUMN)


def _about_times(labels: Sequence[str]) -> Ambiguity:
    question = say("requirements.ask.doubtful_times", columns=names(labels), column=name(labels[0]))
    return Ambiguity(question=question, part=OpenPart.COLUMN, words=", ".join(labels))


def _about_misfits(labels: Sequence[str]) -> Ambiguity:
    """Columns that were read, and do not fit the others."""
    question = say("requirements.ask.misfits", columns=names(labels))
    return Ambiguity(question=question, words=", ".join(labels)[:500], part=OpenPart.COLUMN)


def _needs(meaning: str, others: Sequence[str]) -> bool:
    """Whether a column is defined by others that are open."""
    return any(other and re.search(rf"(?<!\w){re.escape(other)}(?!\w)", meaning, re.IGNORECASE) for other in others)


def _about_unnamed(words: Sequence[str]) -> Ambiguity:
    """Words in a list of columns. What is said of them takes their place."""
    question = say("requirements.ask.unnamed", words=listing(*map(quote, words), join=Join.PLAIN))
    return Ambiguity(question=question, choices=(say("requirements.choice.leave_out"),), words="\n".join(words), part=OpenPart.WORDS)


def _about_sentences(sentences: Sequence[str]) -> Ambiguity:
    """All of them at once: what is said again takes their place."""
    asked: list[str] = []
    for sentence in dict.fromkeys(sentences):
        if asked and sum(map(len, asked)) + len(sentence) > MOST_LETTERS:
            break
        asked.append(sentence)
    choices = (say("requirements.choice.leave_out"),)
    question = say(
        "requirements.ask.sentence", sentence=listing(*(quote(sentence) for sentence in asked), join=Join.PLAIN), n=count(len(asked))
    )
    return Ambiguity(question=question, choices=choices, words="\n".join(asked), part=OpenPart.SENTENCE)
