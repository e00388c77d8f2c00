"""A question about data, read without a model: one plan, several readings to choose from, or the words that have no place."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from contracts.queries import Aggregate, Operator, QueryPlan, TimeUnit
from contracts.questions import ConfirmedExample, QuestionReading, Reading, Verdict
from contracts.statements import Statement, name, names, quote, say
from contracts.tables import ColumnDetail, JoinEvidence, JoinPath, TableDetail
from contracts.times import TimeRange, TimeSettings
from workers.engines.questions.answerable import answerable
from workers.engines.questions.chinese import chinese_tokens, is_chinese
from workers.engines.questions.chinese_words import LEXICON, PHRASES
from workers.engines.questions.choosing import Choice, choices
from workers.engines.questions.compounds import compounded
from workers.engines.questions.defining import own_definitions
from workers.engines.questions.definitions import comments, is_measure_word, known_measures, metrics_in
from workers.engines.questions.doing import amounts_done
from workers.engines.questions.edges import Edges
from workers.engines.questions.examples import KnownQuestion, plan_by_example
from workers.engines.questions.frame import Frame, frame_of
from workers.engines.questions.items import Item, Kind, Link
from workers.engines.questions.known_by import key_columns
from workers.engines.questions.linking import Linker
from workers.engines.questions.list_readings import may_mean_all, said_severally
from workers.engines.questions.parts import AbsencePart, MeasurePart
from workers.engines.questions.places import CHINESE_NAMES
from workers.engines.questions.planning import plans
from workers.engines.questions.scope import Doubtful, NoPlan
from workers.engines.questions.tokens import plain_spelling, tokens_of, with_ages
from workers.engines.questions.understood import understood
from workers.engines.questions.units import Unit, asked_units, unit_of, units_of_numbers
from workers.engines.questions.vocabulary import LookUp, Vocabulary, keys_of
from workers.engines.questions.words import key, split_name
from workers.engines.sql.build_values import split
from workers.engines.sql.plan_check import plan_problems
from workers.engines.sql.plan_shape import multiplied
from workers.engines.times import TimeWords, find_times

_TIE = 0.08
"""Two readings whose scores differ by less are both shown."""
_WEAK_TIE = 0.35
"""The same where some words fit only in part, by a synonym or by a verb: of five wrong readings on a company that the rules had not seen,
all had such words and another reading this near."""
_TRENDS = frozenset({"trend", "trends", "trending", "development", "evolution", "趋势", "走势", "变化趋势"})
"""Words for a figure over time that leave open by which unit."""
_NOT_BUILT = re.compile(
    r"(?:median|percentile|quartile|deviation|variance|correlation|forecast|predict\w*|growth|grew|cumulative|rolling|moving)s?"
    r"|中位数|方差|标准差|相关性|预测|增长率?|增幅|同比|环比|累积",
    re.IGNORECASE,
)
"""What plans cannot compute, by the words for it."""
_MOST_READINGS = 3
_MOST_CHOICES = 40
_MOST_BRIDGES = 1
"""Tables in a chain of joins of which the question does not speak; with more of them the reading is shown to the user first."""
_MOST_CHARACTERS = 600

_Plans = list[tuple[Choice, QueryPlan]]


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
        definitions: Sequence[str] = (),
    ) -> None:
        """`now`: local time of the source. `paths`: joins that are known beside those that the tables declare.
        `look_up` finds a text among the values of the data. `synonyms`: other names of tables and of `table.column`.
        `definitions`: texts that define measures, such as a glossary."""
        self.tables, self._now = tuple(tables), now
        self._settings, self._look_up = settings or TimeSettings(), look_up
        self._vocabulary = Vocabulary(tables, synonyms)
        self._edges = Edges(tables, paths)
        values = {word: word for word in self._vocabulary.value_words if word not in LEXICON and word not in PHRASES}
        self._own_words = {name: name for name in CHINESE_NAMES} | values | self._vocabulary.own_words
        defined = metrics_in([*comments(tables), *definitions], Linker(self._vocabulary, look_up))
        self._metrics = known_measures(self._vocabulary.revenue) | defined

    def items(self, question: str, instructions: str = "") -> list[Item]:
        """The parts of a question: what each of its words is linked to, and what has no link."""
        text, own = own_definitions(with_ages(plain_spelling(question[:_MOST_CHARACTERS])))
        given = [*filter(None, [instructions]), *own]
        linker = Linker(self._vocabulary, self._look_up, self._metrics)
        metrics = {**self._metrics, **metrics_in(given, linker)} if given else self._metrics
        times = find_times(text, self._now, self._settings)
        words = self._own_words | {name: name for (name, *_) in metrics if is_chinese(name)}
        tokens = chinese_tokens(text, times, words) if is_chinese(text) else tokens_of(text, times)
        items = Linker(self._vocabulary, self._look_up, metrics).items(tokens)
        return self._with_weeks(_measured_units(compounded(items, self._vocabulary.tables)))

    def _with_weeks(self, items: list[Item]) -> list[Item]:
        """Weeks by which rows are grouped begin on the day of the settings, as `last week` does."""
        week = TimeWords(self._now, self._settings).unit(TimeUnit.WEEK)
        return [replace(item, payload=week) if item.payload is TimeUnit.WEEK else item for item in items]

    def read(self, question: str, instructions: str = "", *, examples: Sequence[ConfirmedExample] = ()) -> QuestionReading:
        """What the question means. `instructions` are definitions that the user gives along;
        `examples` are questions whose answers were confirmed."""
        question = question[:_MOST_CHARACTERS]
        items = self.items(question, instructions)
        known = [KnownQuestion(tuple(self.items(example.question, instructions)), example.plan) for example in examples]
        plan = plan_by_example(items, known)
        if plan is not None and not plan_problems(plan, self.tables):
            reading = Reading(plan=plan, understood=understood(plan))
            remark = say("questions.remark.example")
            return QuestionReading(verdict=Verdict.ANSWERED, readings=(reading,), remarks=(remark,), answerable=1.0)
        unknown = _joined([item for item in items if item.kind == Kind.UNKNOWN])
        trend = [item for item in unknown if item.text.lower() in _TRENDS]
        unknown, measured = _without_units(self._without_names_behind(unknown, items), items, question)
        if (verb := _asked_verb(question)) is not None and not any(item.begin == verb.begin for item in items):
            unknown = [*unknown, verb]
        if trend and any(item.kind == Kind.UNIT for item in items):
            unknown = [item for item in unknown if item not in trend]  # `the trend by quarter` is the figure of each quarter
        frame = frame_of(
            [item for item in items if item.kind != Kind.UNKNOWN], chinese=is_chinese(question), adds_up=self._vocabulary.adds_up
        )
        said_severally(frame, items)
        self._name_absences(frame)
        if _forbids_duplicates(instructions):
            frame.is_distinct = True
        lost = self._lost_values(items)
        found: _Plans = []
        if not frame.leftover and not lost:
            spoken = {key(word) for word in re.findall(r"[A-Za-z]+", question)}
            found = [made for made in self._plans(frame, spoken) if self._fits(made[1], unknown, measured, instructions)]
        if not found and not unknown and not frame.leftover and not lost and (ranked := self._of_parts(frame, question, items)) is not None:
            return ranked
        if not found:
            return self._unplaced(items, unknown, frame, lost)
        either = self._amounts_or_number(frame, found, question, items) or self._number_or_list(frame, found, question, items)
        if either is not None:
            return either
        if (other := self._in_another_unit(question, found[0][1])) is not None:
            remark = say("questions.remark.other_unit", column=name(other))
            return QuestionReading(
                verdict=Verdict.UNPLACED, remarks=(remark,), answerable=answerable(items, self._vocabulary, is_read=False)
            )
        return self._with_last_day(items, self._read(frame, found, answerable(items, self._vocabulary, is_read=True)))

    def _without_names_behind(self, unknown: Sequence[Item], items: Sequence[Item]) -> list[Item]:
        """The unknown words without the part of a column's name right behind its value: 医保支付, where 医保 is a 支付方式."""
        values = {item.stop: item for item in items if item.kind == Kind.VALUE}

        def is_name(item: Item) -> bool:
            columns = [self._vocabulary.column(link) for link in values[item.begin].links] if item.begin in values else []
            return len(item.text) > 1 and any(column is not None and item.text in column.description for column in columns)

        return [item for item in unknown if item.text.isascii() or not is_name(item)]

    def _of_parts(self, frame: Frame, question: str, items: Sequence[Item]) -> QuestionReading | None:
        """`the 5 customers with the highest amount`, of amounts of their bills: in total, or of a single one. Both are shown."""
        top = frame.top
        if top is None or top.is_latest or not isinstance(top.by, Item) or top.by.kind is not Kind.COLUMN:
            return None
        if top.by.payload is not None or not all(map(self._vocabulary.adds_up, top.by.links)):
            return None
        spoken = {key(word) for word in re.findall(r"[A-Za-z]+", question)}
        plans_: list[QueryPlan] = []
        for aggregate in (Aggregate.SUM, Aggregate.MAXIMUM if top.descending else Aggregate.MINIMUM):
            ranked = replace(frame, top=replace(top, by=MeasurePart(aggregate, top.by), limit=top.limit or 1))
            plans_ += [plan for _, plan in self._plans(ranked, spoken)[:1]]
        if len(plans_) < 2:
            return None
        return self._either(plans_, items)

    def _either(self, plans_: Sequence[QueryPlan], items: Sequence[Item]) -> QuestionReading:
        """Readings for the user to choose from."""
        readings = tuple(Reading(plan=plan, understood=understood(plan)) for plan in plans_)
        sure = answerable(items, self._vocabulary, is_read=True)
        return QuestionReading(verdict=Verdict.AMBIGUOUS, readings=readings, remarks=(say("questions.remark.readings"),), answerable=sure)

    def _amounts_or_number(self, frame: Frame, found: _Plans, question: str, items: Sequence[Item]) -> QuestionReading | None:
        """`Which crop sold the most?`: the most sales, or the most of what they amount to. All are shown."""
        spoken = {key(word) for word in re.findall(r"[A-Za-z]+", question)}
        others = [self._plans(other, spoken)[:1] for other in amounts_done(frame, self._vocabulary.tables)]
        plans_ = [plan for made in others for _, plan in made][: _MOST_READINGS - 1]
        if not plans_:
            return None
        return self._either([*plans_, found[0][1]], items)

    def _name_absences(self, frame: Frame) -> None:
        """`candidates who never applied`: without a row of the table whose rows all have that time."""
        if frame.head is None or frame.head.kind is not Kind.TABLE or frame.periods:
            return
        heads = {link.table for link in frame.head.links}
        for part in list(frame.conditions):
            if not part.is_event or part.operator is not Operator.IS_NULL or part.column is None or len(part.column.links) != 1:
                continue
            link = part.column.links[0]
            column = self._vocabulary.column(link)
            if link.table not in heads and column is not None and column.nulls == 0:
                frame.conditions.remove(part)
                frame.tables = [item for item in frame.tables if {named.table for named in item.links[:1]} != {link.table}]
                frame.absences.append(AbsencePart(replace(part.column, kind=Kind.TABLE, links=(Link(link.table),), payload=None)))

    def _number_or_list(self, frame: Frame, found: _Plans, question: str, items: Sequence[Item]) -> QuestionReading | None:
        """`bookings made through the app last month`, of rows without a name: their number or their keys, where no word says which."""
        plan, head = found[0][1], frame.head
        if head is None or head.kind is not Kind.TABLE or any(item.kind in (Kind.SHOW, Kind.ASK, Kind.TOP) for item in items):
            return None
        if plan.limit or any(item.value.aggregate is not None or not self._is_key(plan, item.value.column) for item in plan.selected):
            return None
        spoken = {key(word) for word in re.findall(r"[A-Za-z]+", question)}
        number = self._plans(replace(frame, outputs=[MeasurePart(Aggregate.COUNT, head)], head=None), spoken)[:1]
        plans_ = [plan for _, plan in (*number, *found[:1])]
        return self._either(plans_, items)

    def _is_key(self, plan: QueryPlan, column: str) -> bool:
        table_of = {source.alias: source.table for source in plan.sources}
        alias, own = split(column)
        return own in key_columns(self._vocabulary.tables[table_of[alias]])

    def _fits(self, plan: QueryPlan, unknown: Sequence[Item], measured: Sequence[tuple[Item, Unit]], instructions: str) -> bool:
        """Whether the plan accounts for all words and instructions. `measured`: units behind numbers; a compared column is in them."""
        units = {unit_of(self._detail(plan, condition.column)) for condition in plan.filters}
        are_its = all(unit in units or self._supports(plan, [item]) for item, unit in measured)
        return are_its and self._supports(plan, unknown) and self._obeys(plan, instructions)

    def _detail(self, plan: QueryPlan, column: str) -> ColumnDetail:
        table_of = {source.alias: source.table for source in plan.sources}
        alias, wanted = split(column)
        return next(known for known in self._vocabulary.tables[table_of[alias]].columns if known.name == wanted)

    def _in_another_unit(self, question: str, plan: QueryPlan) -> str | None:
        """A column that is not in the unit that the question wants it in, or that it compares it in."""
        for number, _, unit in units_of_numbers(question):
            for condition in plan.filters:
                own = unit_of(self._detail(plan, condition.column))
                if number in condition.values and own is not None and own[0] == unit[0] and own[1] != unit[1]:
                    return condition.column
        asked = dict(asked_units(question))
        if not asked:
            return None
        for shown in sorted(_columns_shown(plan)):
            unit = unit_of(self._detail(plan, shown))
            if unit is not None and asked.get(unit[0], unit[1]) != unit[1]:
                return shown
        return None

    def _with_last_day(self, items: Sequence[Item], reading: QuestionReading) -> QuestionReading:
        """Whether today belongs to `the last 7 days` is said: it is a setting."""
        rolling = [item for item in items if isinstance(item.payload, TimeRange) and item.payload.is_rolling]
        if not rolling:
            return reading
        today, yesterday = (name((self._now.date() - timedelta(days=days)).isoformat()) for days in (0, 1))
        statements = tuple(
            say("questions.understood.through_today", words=name(item.text), day=today)
            if self._settings.rolling_includes_today
            else say("questions.understood.through_yesterday", words=name(item.text), day=yesterday)
            for item in rolling
        )
        readings = tuple(found.model_copy(update={"understood": (*found.understood, *statements)}) for found in reading.readings)
        return reading.model_copy(update={"readings": readings})

    def _read(self, frame: Frame, found: _Plans, sure: float) -> QuestionReading:
        best = found[0][0]
        tie = _WEAK_TIE if best.is_weak else _TIE
        near = [(choice, plan) for choice, plan in found if choice.score > best.score - tie][:_MOST_READINGS]
        readings = tuple(Reading(plan=plan, understood=understood(plan)) for _, plan in near)
        if len(near) > 1:
            remark = say("questions.remark.readings")
        elif may_mean_all(frame, *near[0], self.tables):
            remark = say("questions.remark.any_of")
        elif best.bridges > _MOST_BRIDGES and not _only_upwards(near[0][1], self.tables):
            remark = say("questions.remark.long_way", tables=names(best.tables))
        elif len(best.tables) > 1 and (part := _by_a_part(best, frame)) is not None:
            remark = say("questions.remark.by_a_part", column=name(f"{part.table}.{part.column}"))
        else:
            return QuestionReading(verdict=Verdict.ANSWERED, readings=readings, answerable=sure)
        return QuestionReading(verdict=Verdict.AMBIGUOUS, readings=readings, remarks=(remark,), answerable=sure)

    def _unplaced(self, items: Sequence[Item], unknown: Sequence[Item], frame: Frame, lost: Sequence[Item]) -> QuestionReading:
        vague = [item for item in items if item.kind == Kind.TIME and item.payload is None]
        remarks: list[Statement] = [say("questions.remark.vague_time", words=quote(item.text)) for item in vague]
        remarks += [say("questions.remark.no_such_value", value=quote(item.text)) for item in lost]
        missing = [*unknown, *frame.leftover]
        if unknown and all(item.text.lower() in _TRENDS for item in unknown):
            remarks.append(say("questions.remark.which_unit", words=names(item.text for item in unknown)))
        elif unbuilt := [item.text for item in unknown if _NOT_BUILT.fullmatch(item.text)]:
            remarks.append(say("questions.remark.not_built", words=names(unbuilt)))
        elif undefined := [item.text for item in unknown if is_measure_word(item.text)]:
            remarks.append(say("questions.remark.no_definition", words=names(undefined), first=name(undefined[0])))
        elif unknown:
            remarks.append(say("questions.remark.unplaced", words=names(item.text for item in unknown)))
        elif frame.leftover:
            remarks.append(say("questions.remark.leftover", words=names(item.text for item in frame.leftover)))
        elif not remarks:
            remarks.append(say("questions.remark.no_plan"))
        words = tuple(dict.fromkeys(item.text for item in [*missing, *vague, *lost] if item.text))
        sure = answerable(items, self._vocabulary, is_read=False)
        return QuestionReading(verdict=Verdict.UNPLACED, unplaced=words, remarks=tuple(remarks), answerable=sure)

    def _lost_values(self, items: Sequence[Item]) -> list[Item]:
        """Values that the data do not have, where the data can be asked: a query for them would find nothing and look like an answer."""
        if self._look_up is None:
            return []
        contained = {items[place - 1].begin for place, item in enumerate(items) if place and item.kind == Kind.CONTAINS}
        behind = {items[place + 1].begin for place, item in enumerate(items[:-1]) if item.kind == Kind.CONTAINS}
        return [item for item in items if item.kind == Kind.VALUE and not item.links and item.begin not in contained | behind]

    def _plans(self, frame: Frame, spoken_words: Collection[str]) -> _Plans:
        made: _Plans = []
        for choice in choices(frame, self._edges, spoken_words)[:_MOST_CHOICES]:
            try:
                found = self._plans_of(frame, choice)
            except Doubtful:
                break
            for plan in found:
                if plan not in [known for _, known in made] and not plan_problems(plan, self.tables):
                    made.append((choice, plan))
        return made

    def _plans_of(self, frame: Frame, choice: Choice) -> list[QueryPlan]:
        try:
            return plans(frame, choice, self.tables, self._edges)
        except Doubtful:
            raise
        except NoPlan:
            return []

    def _obeys(self, plan: QueryPlan, instructions: str) -> bool:
        """Whether the plan joins what the instructions say is to be joined, where it uses some of it."""
        used = {source.table.lower() for source in plan.sources}
        for sentence in re.split(r"[.;。；\n]", instructions):
            if not re.search(r"\bjoin|连接|关联", sentence, re.IGNORECASE):
                continue
            named = {word.lower() for word in re.findall(r"\w+", sentence, re.ASCII)} & {name.lower() for name in self._vocabulary.tables}
            if len(named & used) > 1 and not named <= used:
                return False
        return True

    def _supports(self, plan: QueryPlan, unknown: Sequence[Item]) -> bool:
        """Whether every word without a link belongs to the description of a column that the plan uses: `credits earned`."""
        if not unknown:
            return True
        table_of = {source.alias: source.table for source in plan.sources}
        known: set[str] = set()
        for column_name in _columns(plan):
            alias, wanted = split(column_name)
            table = self._vocabulary.tables[table_of[alias]]
            column = next(column for column in table.columns if column.name == wanted)
            known |= {key(word) for word in (*re.findall(r"[A-Za-z]+", column.description), *split_name(column.name))}
        return all(known & set(keys_of(item.text)) for item in unknown)


_ASKED_VERB = re.compile(r"^\W*what (?:did|do|does|has|have|had) (?:\w+ ){1,4}(?P<verb>\w+)\W*$", re.IGNORECASE)


def _asked_verb(question: str) -> Item | None:
    """The verb of `What did the pickers earn?`: its object is asked for, so a list of the pickers is no answer."""
    match = _ASKED_VERB.match(question)
    return None if match is None else Item(Kind.UNKNOWN, match.start("verb"), match.end("verb"), match["verb"])


def _joined(items: Sequence[Item]) -> list[Item]:
    """Unknown Chinese words side by side as a single word: 流失率."""
    made: list[Item] = []
    for item in items:
        if made and made[-1].stop == item.begin and not item.text.isascii() and not made[-1].text.isascii():
            made[-1] = Item(Kind.UNKNOWN, made[-1].begin, item.stop, made[-1].text + item.text)
        else:
            made.append(item)
    return made


def _by_a_part(choice: Choice, frame: Frame) -> Link | None:
    """A column that was found by a part of its name only, in a table of which the question does not speak: `salary` is perhaps not the
    expected salary of the candidates."""
    spoken = {choice.links[item.begin].table for item in frame.tables}
    weak = [link for link in choice.links.values() if link.column and link.is_partial and link.table not in spoken]
    return weak[0] if weak else None


def _only_upwards(plan: QueryPlan, tables: Sequence[TableDetail]) -> bool:
    """Whether a chain of joins goes by declared keys from the rows that are measured to what these belong to, so that there is no other
    way to read it: the water of a meter of a customer of an area of a plant."""
    measured = {split(item.value.column)[0] for item in plan.selected if item.value.aggregate is not None and item.value.column}
    is_declared = all(join.evidence is JoinEvidence.DECLARED for join in plan.joins)
    return is_declared and len(measured) == 1 and not measured & multiplied(plan, tables)


def _measured_units(items: Sequence[Item]) -> list[Item]:
    """A unit of time right behind a number is what the number is measured in, and nothing to group by: 超过10年."""
    return [
        replace(item, kind=Kind.UNKNOWN, payload=None)
        if item.kind is Kind.UNIT and place and items[place - 1].kind is Kind.NUMBER and item.begin - items[place - 1].stop <= 1
        else item
        for place, item in enumerate(items)
    ]


def _without_units(unknown: Sequence[Item], items: Sequence[Item], question: str) -> tuple[list[Item], list[tuple[Item, Unit]]]:
    """The unknown words without units right behind a number, and these units: `100 mm`."""
    units = {word: unit for _, word, unit in units_of_numbers(question)}
    numbers = {place for place, item in enumerate(items) if item.kind == Kind.NUMBER}
    behind = {items[place + 1].begin for place in numbers if place + 1 < len(items)}
    found = [item for item in unknown if item.begin in behind and item.text in units]
    return [item for item in unknown if item not in found], [(item, units[item.text]) for item in found]


def _forbids_duplicates(instructions: str) -> bool:
    return bool(re.search(r"\b(?:not|no|without|remove) (?:return )?(?:any )?duplicates|去重|不要重复", instructions, re.IGNORECASE))


def _columns_shown(plan: QueryPlan) -> set[str]:
    measures = [measure for item in plan.selected for measure in (item.value, item.other) if measure is not None]
    return {column for measure in measures for column in (measure.column, measure.operand) if column}


def _columns(plan: QueryPlan) -> set[str]:
    measures = [measure for item in plan.selected for measure in (item.value, item.other) if measure is not None]
    measures += [*plan.group_by, *(order.value for order in plan.order_by if order.value is not None)]
    found = {column for measure in measures for column in (measure.column, measure.operand) if column}
    return found | {condition.column for condition in plan.filters} | {period.column for period in plan.periods}
