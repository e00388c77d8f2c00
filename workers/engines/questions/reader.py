"""A question about data, read without a model: a plan, several to choose from, or what of it was not read."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from datetime import datetime, timedelta
from operator import itemgetter

from contracts.queries import QueryPlan, TimeUnit
from contracts.questions import ConfirmedExample, Meaning, OpenWord, QuestionReading, Reading, Verdict
from contracts.statements import Join, Statement, listing, name, names, quote, say
from contracts.tables import JoinPath, TableDetail
from contracts.times import FoundTime, TimeRange, TimeSettings
from workers.engines.definitions.beside import Beside
from workers.engines.definitions.definition import Definition, by_words, definition_in
from workers.engines.definitions.like_names import passes_over_a_definition
from workers.engines.definitions.words import MOST_MEANINGS, Word, first_sentence, word_of
from workers.engines.questions.asked import (
    Asked,
    Figure,
    NotAsked,
    asked_in,
    changed,
    conditions_in,
    formula_in,
    is_new_question,
    says_change,
    terms_of,
)
from workers.engines.questions.edges import Edges
from workers.engines.questions.grammar import Chart, Edge, Node
from workers.engines.questions.lexing import Lexed, Lexer, LookUp, phrases_in
from workers.engines.questions.names import Names, Phrase, chinese_names, phrase_of
from workers.engines.questions.plans import plans_of
from workers.engines.questions.spoken import named
from workers.engines.questions.understood import understood
from workers.engines.sql.plan_check import plan_problems
from workers.engines.times import TimeWords, find_times

MOST_CHARACTERS = 600
"""Of a question, and of a formula; a longer one is not read."""
_MOST_READINGS = 3
_MOST_ASKED = 8
_AS_LIKELY = 0.4
"""Ways to read the same words whose costs differ by less are all looked at."""
_TIE = 0.25
"""Of those that make a plan, the ones whose costs differ by less are as likely: a whole name comes before a part of one."""


class Reader:
    """Reads questions over a set of tables. Making it costs a pass over all names and values; it can be kept and shared."""

    def __init__(
        self,
        tables: Sequence[TableDetail],
        now: datetime,
        paths: Sequence[JoinPath] = (),
        *,
        settings: TimeSettings | None = None,
        look_up: LookUp | None = None,
        synonyms: Mapping[str, Sequence[str]] | None = None,
        definitions: Sequence[Definition | str] = (),
    ) -> None:
        """`now`: local time of the source. `paths`: joins that are known beside those that the tables declare.
        `look_up` finds a text among the values of the data. `synonyms`: other names of tables and of `table.column`.
        `definitions`: of words; a text is `NAME = FORMULA`, and counts before all others of its word."""
        self.tables, self._now, self._settings = tuple(tables), now, settings or TimeSettings()
        self._names, self._edges = Names(tables, synonyms), Edges(tables, paths)
        self._lexer = Lexer(self._names, now, self._settings, look_up)
        self._beside = Beside(Lexer(self._names, now, self._settings, None))
        self._week = TimeWords(now, self._settings).unit(TimeUnit.WEEK)
        self._define_by(list(_definitions(definitions)))

    def _define_by(self, definitions: Sequence[Definition]) -> None:
        self._definitions = definitions
        self._waiting = by_words(definitions)
        """The definitions of a word, until a text has it: most words of a glossary are in no question."""
        self._metrics: dict[Phrase, Figure] = {}
        self._words: dict[Phrase, Word] = {}
        """The words that were read, by their phrases."""

    def under(self, name: str, meaning: Meaning) -> "Reader":
        """The same reader for which a word means this, in the place of its definitions."""
        chosen = Definition(name, formula=meaning.formula, restriction=meaning.restriction, is_settled=True)
        before = [each for each in self._definitions if phrase_of(name) in map(phrase_of, (each.name, *each.others))]
        if before:
            chosen = replace(chosen, place=before[0].place)
        other = copy(self)
        other._define_by([chosen, *self._definitions])
        return other

    def _lexed(self, text: str) -> Lexed:
        """What the words of a text may be, those with a definition among them."""
        self._learn(text)
        return self._lexer.lex(text, self._metrics)

    def _learn(self, text: str) -> None:
        """Read the formulas of the words of a text."""
        spoken = phrases_in(text)
        for phrase in sorted(spoken & self._waiting.keys()):
            self._define(phrase)
        for word, phrase in () if text.isascii() else chinese_names():
            if (word,) in spoken:
                self._define(phrase)
                if phrase in self._metrics:
                    self._metrics.setdefault((word,), self._metrics[phrase])

    def _define(self, phrase: Phrase) -> None:
        given = self._waiting.pop(phrase, None)  # it may use another word's formula, and not its own
        if given:
            word = word_of(phrase, given, self._figure_of, self._beside)
            self._words[phrase] = word
            if word.figure is not None:
                self._metrics[phrase] = word.figure

    def _figure_of(self, definition: Definition) -> Figure | None:
        """What a definition computes; None: the grammar does not read it."""
        first = first_sentence(definition.formula or definition.description)
        if max(len(first), len(definition.conditions)) > MOST_CHARACTERS:
            return None
        for node in self._parsed("formula", self._lexed(first)):
            with suppress(NotAsked):
                return self._restricted(formula_in(node, self._metrics), definition.conditions)
        return None

    def _restricted(self, figure: Figure, conditions: str) -> Figure:
        """A figure, and the one that it is divided by, for the rows of which conditions hold. Raises `NotAsked` where they are not read."""
        if not conditions:
            return figure
        for node in self._parsed("edit", self._lexed(conditions)):
            with suppress(NotAsked):
                found = conditions_in(node, self._metrics)
                over = replace(figure.over, filters=(*figure.over.filters, *found)) if figure.over is not None else None
                return replace(figure, filters=(*figure.filters, *found), over=over)
        raise NotAsked

    def _parsed(self, start: str, lexed: Lexed) -> list[Node]:
        """The cheapest ways to read the whole text."""
        if lexed.unknown or lexed.missing:
            return []
        found = Chart(len(lexed.text), lexed.edges, lexed.blanks).parse(start)
        return [node for node in found if node.cost <= found[0].cost + _AS_LIKELY]

    def read(self, text: str, *, examples: Sequence[ConfirmedExample] = ()) -> QuestionReading:
        """What a question means. Each line below it changes it, or is another question in its place. `examples`: questions whose answers
        were confirmed. Where it is open what a word means, there is a reading for each of its meanings."""
        found = self._read(text, examples)
        return found if found.open_word is None else self._under_each(text, found, found.open_word)

    def _under_each(self, text: str, found: QuestionReading, word: OpenWord) -> QuestionReading:
        read = [(meaning, self.under(word.name, meaning).read(text).readings) for meaning in word.meanings]
        readings = tuple(reading for _, some in read for reading in some)[:MOST_MEANINGS]
        meanings = tuple(meaning for meaning, some in read if some)
        remark = _of_word(word)
        return found.model_copy(
            update={
                "verdict": Verdict.AMBIGUOUS, "readings": readings, "remarks": (remark,),
                "open_word": word.model_copy(update={"meanings": meanings}),
            }
        )  # fmt: skip

    def _read(self, text: str, examples: Sequence[ConfirmedExample]) -> QuestionReading:
        if len(text) > MOST_CHARACTERS:
            return QuestionReading(verdict=Verdict.UNPLACED, unplaced=(text[:MOST_CHARACTERS],), answerable=0.0)
        if (plan := self._by_example(text, examples)) is not None:
            reading = Reading(plan=plan, understood=understood(plan))
            return QuestionReading(
                verdict=Verdict.ANSWERED, readings=(reading,), remarks=(say("questions.remark.example"),), answerable=1.0
            )
        asked: list[_Costed] = []
        lexed = Lexed("", (), (), (), ())
        for line in filter(None, map(str.strip, text.splitlines())):
            lexed = self._lexed(line)
            asked = (self._changed(asked, lexed) if asked and self._changes(lexed) else []) or self._asked(lexed)
        return self._planned(asked, lexed) if asked else self._not_read(lexed, ())

    def has_term(self, name: str) -> bool:
        """Whether a word means something by its definition: one whose formula was read."""
        self._learn(name)
        return phrase_of(name) in self._metrics

    def defined_words(self, text: str) -> tuple[Word, ...]:
        """The words of a text that have a formula, the longest of those that overlap, without those that are names of tables."""
        self._learn(text)
        phrases = phrases_in(text)
        spoken = [phrase for phrase in phrases if phrase in self._words and self._words[phrase].has_formula]
        longest = [phrase for phrase in spoken if not any(phrase != other and set(phrase) < set(other) for other in spoken)]
        return tuple(self._words[phrase] for phrase in sorted(longest) if not self._names.of_tables.get(phrase))

    def is_change(self, line: str) -> bool:
        """Whether a message says nothing but how the question before it is to be changed. A question that is read whole is a new one,
        unless a word such as `and` or `only` says that it changes another."""
        return len(line) <= MOST_CHARACTERS and self._changes(self._lexed(line.strip()))

    def worded_changes(self, line: str) -> list[Asked]:
        """What a message changes, for each way to read it."""
        return [asked for _, asked in self._changed([(0.0, Asked())], self._lexed(line.strip()))]

    def _changes(self, lexed: Lexed) -> bool:
        edits = self._edits(lexed)
        if not edits or any(map(says_change, edits)):
            return bool(edits)
        return self._planned(self._asked(lexed), lexed).verdict is Verdict.UNPLACED

    def named_tables(self, text: str) -> tuple[str, ...]:
        """The tables that words of a text name, or a column or value of which only they have, without doubt."""
        return named(self._lexed(text[:MOST_CHARACTERS]))

    def _asked(self, lexed: Lexed) -> list["_Costed"]:
        found: list[_Costed] = []
        for node in self._parsed("question", lexed):
            with suppress(NotAsked):
                found.append((node.cost, replace(asked_in(node, self._metrics), text=lexed.text.rstrip(" ?.？。"))))
        return found

    def _edits(self, lexed: Lexed) -> list[Node]:
        return [node for node in self._parsed("edit", lexed) if not is_new_question(node)]

    def _changed(self, before: Sequence["_Costed"], lexed: Lexed) -> list["_Costed"]:
        found: list[_Costed] = []
        for node in self._edits(lexed) if before else ():
            for cost, asked in before:
                with suppress(NotAsked):
                    found.append((cost + node.cost, changed(asked, node, self._metrics)))
        return found[:_MOST_ASKED]

    def _planned(self, found: Sequence["_Costed"], lexed: Lexed) -> QuestionReading:
        plans: list[QueryPlan] = []
        used: dict[int, tuple[Phrase, ...]] = {}
        last_days: list[Statement] = []
        remarks: list[Statement] = []
        best: float | None = None
        for cost, asked in sorted(found, key=itemgetter(0)):
            if best is not None and cost > best + _TIE:
                break
            if passes_over_a_definition(asked, self._words):
                continue
            try:
                made = plans_of(asked, self._names, self._edges, self._week)
                best = cost if best is None else best
                fresh = [plan for plan in made if plan not in plans]
                used |= {len(plans) + place: terms_of(asked) for place in range(len(fresh))}
                plans += fresh
                last_days += [statement for statement in self._last_days(asked) if statement not in last_days]
            except NotAsked as not_asked:
                remarks += [not_asked.remark] if not_asked.remark is not None else []
        if not plans:
            return self._not_read(lexed, [remark for place, remark in enumerate(remarks) if remark not in remarks[:place]])
        words = [[self._words[phrase] for phrase in used[place]] for place in range(len(plans))]
        readings = tuple(
            Reading(plan=plan, understood=(*understood(plan), *last_days), definitions=tuple(word.used for word in some))
            for plan, some in zip(plans[:_MOST_READINGS], words, strict=False)
        )
        unclear = next((word.open for some in words[:_MOST_READINGS] for word in some if word.open is not None), None)
        if len(plans) == 1:
            return QuestionReading(verdict=Verdict.ANSWERED, readings=readings, open_word=unclear, answerable=1.0)
        remark = say("questions.remark.readings")
        return QuestionReading(verdict=Verdict.AMBIGUOUS, readings=readings, remarks=(remark,), open_word=unclear, answerable=1.0)

    def _last_days(self, asked: Asked) -> Iterator[Statement]:
        """Whether today belongs to `the last 7 days` is a setting, so it is stated."""
        today = self._now.date()
        for _, words in asked.times:
            if isinstance(words.meant, TimeRange) and words.meant.is_rolling and self._settings.rolling_includes_today:
                yield say("questions.understood.through_today", words=name(words.text), day=name(today.isoformat()))
            elif isinstance(words.meant, TimeRange) and words.meant.is_rolling:
                yesterday = today - timedelta(days=1)
                yield say("questions.understood.through_yesterday", words=name(words.text), day=name(yesterday.isoformat()))

    def _not_read(self, lexed: Lexed, remarks: Sequence[Statement]) -> QuestionReading:
        """What of the question was not read, with what is to be done about it."""
        left = tuple(dict.fromkeys(lexed.unknown))
        unread = {word for text in left for word in phrase_of(text)}
        unread |= {word for edge in lexed.edges if self._is_not_computed(edge) for word in phrase_of(edge.text)}
        prose = {phrase for phrase, word in self._words.items() if word.prose}
        defined = [phrase for phrase in sorted(phrases_in(lexed.text) & prose, key=lambda each: (len(each), each)) if unread & set(phrase)]
        if not remarks and lexed.missing:
            remarks = [say("questions.remark.no_such_value", value=quote(text)) for text in lexed.missing]
        elif not remarks and defined:
            word = self._words[defined[-1]]
            remarks = [say("questions.remark.no_definition", words=name(word.used.name), says=quote(word.prose[:200]))]
        elif not remarks and left:
            remarks = [say("questions.remark.unplaced", words=names(left))]
        if not remarks:
            chart = Chart(len(lexed.text), lexed.edges, lexed.blanks)
            chart.parse("question")
            rest = lexed.text[chart.furthest :].strip(" ?.？。")
            left = (rest,) if rest else ()
            remarks = [say("questions.remark.leftover", words=names(left)) if left else say("questions.remark.no_plan")]
        known = sum(edge.stop - edge.begin for edge in lexed.edges if edge.links)
        share = min(1.0, known / max(1, sum(not sign.isspace() for sign in lexed.text)))
        return QuestionReading(
            verdict=Verdict.UNPLACED, unplaced=left or lexed.missing, remarks=tuple(remarks), answerable=0.0 if left else share
        )

    def _is_not_computed(self, edge: Edge) -> bool:
        """Whether a word that names a column has a formula that is not read: the column is another thing."""
        word = self._words.get(phrase_of(edge.text)) if edge.kind == "COLUMN" else None
        return word is not None and word.has_formula and word.figure is None

    def _by_example(self, question: str, examples: Sequence[ConfirmedExample]) -> QueryPlan | None:
        """The plan of the same question, which somebody has confirmed; of the same in another time with that time."""
        own, times = self._without_times(question)
        for example in examples:
            other, before = self._without_times(example.question)
            if own != other or len(times) != len(before) or plan_problems(example.plan, self.tables):
                continue
            if times == before:
                return example.plan
            if len(times) == 1 and len(example.plan.periods) == 1 and times[0].range is not None:
                period = example.plan.periods[0].model_copy(update={"start": times[0].range.start, "end": times[0].range.end})
                return example.plan.model_copy(update={"periods": (period,)})
        return None

    def _without_times(self, text: str) -> tuple[str, list[FoundTime]]:
        times = find_times(text, self._now, self._settings)
        for found in reversed(times):
            text = text[: found.begin] + "\0" + text[found.stop :]
        nowhere = {"begin": 0, "stop": 0, "text": ""}
        return " ".join(text.casefold().strip(" ?.？。").split()), [found.model_copy(update=nowhere) for found in times]


_Costed = tuple[float, Asked]
"""What a reading of the words costs, and what it asks."""


def _definitions(given: Sequence[Definition | str]) -> Iterator[Definition]:
    """The definitions, texts among them; a description that is `NAME = FORMULA` defines that name as well."""
    for each in given:
        if isinstance(each, str):
            if (found := definition_in(each)) is not None:
                yield found
            continue
        yield each
        if not each.formula and (found := definition_in(each.description)) is not None:
            yield replace(found, place=each.place, is_settled=each.is_settled)


def _of_word(word: OpenWord) -> Statement:
    """Why it has to be asked what a word means."""
    meanings = listing(*(quote(meaning.text) for meaning in word.meanings), join=Join.PLAIN)
    if not word.says:
        return say("questions.remark.differing", name=quote(word.name), formulas=meanings)
    says = listing(*(quote(text[:200]) for text in word.says), join=Join.PLAIN)
    return say("questions.remark.beside", name=quote(word.name), formulas=meanings, says=says)
