"""A question as a whole: what is asked for, of what, under which conditions, by what grouped and ordered."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from contracts.queries import Aggregate
from workers.engines.questions.amounts import is_added_up
from workers.engines.questions.grammar import letters, reduce
from workers.engines.questions.items import OWN, TIMES, Item, Kind, Link
from workers.engines.questions.parts import (
    AbsencePart,
    ConditionPart,
    GroupCountPart,
    GroupPart,
    MeasurePart,
    OrderPart,
    PeriodPart,
    TopPart,
)
from workers.engines.questions.runs import conditions_in
from workers.engines.questions.words import key

Output = Item | MeasurePart

_COMMAS = (",", "，", "、")
_ASKING_WHICH = frozenset(
    [
        "是什么",
        "有哪些",
        "哪些",
        "是谁",
        "谁",
        "哪个",
        "哪家",
        "哪位",
        "哪名",
        "哪一个",
        "哪种",
        "哪座",
        "哪条",
        "哪门",
        "哪几个",
        "叫什么",
        "什么",
    ]
)
"""Chinese words that ask for the thing itself, rather than for an amount of it."""
_ASKING_HOW_MUCH = frozenset(["what is", "what was", "what's", "是多少", "多少", "为多少"])
_ASKING_WHEN = ("when", "什么时候", "何时", "什么时间", "哪天", "哪一天")
_BEFORE_OUTPUTS = (None, Kind.ASK, Kind.SHOW, Kind.AND, Kind.DISTINCT, Kind.LIMIT)
"""The words before a column that is asked for. Elsewhere, a column that no pattern took up has no place."""


@dataclass(slots=True)
class Frame:
    """The parts of a question."""

    outputs: list[Output] = field(default_factory=list[Output])
    tables: list[Item] = field(default_factory=list[Item])
    head: Item | None = None
    """What the question is about: `which street`, `customers`."""
    groups: list[GroupPart] = field(default_factory=list[GroupPart])
    conditions: list[ConditionPart] = field(default_factory=list[ConditionPart])
    periods: list[PeriodPart] = field(default_factory=list[PeriodPart])
    absences: list[AbsencePart] = field(default_factory=list[AbsencePart])
    havings: list[GroupCountPart] = field(default_factory=list[GroupCountPart])
    orders: list[OrderPart] = field(default_factory=list[OrderPart])
    top: TopPart | None = None
    is_distinct: bool = False
    is_listed: bool = False
    """A sentence of its own says what to return."""
    asks_for_several: bool = False
    """A Chinese word asks for more than a single row."""
    leftover: list[Item] = field(default_factory=list[Item])
    """Parts that have no place."""


def _by_name(link: Link) -> bool:
    return is_added_up(link.column)


def frame_of(items: Sequence[Item], *, chinese: bool = False, adds_up: Callable[[Link], bool] = _by_name) -> Frame:
    """The frame of a question's items, sentence by sentence. `adds_up`: whether the values of a column make sense as a sum."""
    frame = Frame()
    for number, sentence in enumerate(_sentences(items)):
        reduced = reduce(sentence, chinese=chinese)
        _read(frame, reduced, is_first=number == 0, chinese=chinese)
    _order_all(frame)
    _add_up(frame, items, adds_up)
    whens = [item for item in items if item.kind == Kind.ASK and item.text.lower().removeprefix("是").startswith(_ASKING_WHEN)]
    if whens and not any(_is_time(output) for output in frame.outputs):
        frame.leftover += whens  # the answer would not say when
    top = frame.top
    if top is not None and top.is_latest and isinstance(top.by, Item) and frame.head is not None and top.by.text != frame.head.text:
        frame.leftover.append(top.by)  # `their first order` is about each of them
    by_unit = bool(frame.groups) and all(item.kind == Kind.UNIT for part in frame.groups for item in part.of)
    if (
        by_unit
        and not top
        and all(isinstance(output, Item) and output.kind == Kind.COLUMN and output.payload is None for output in frame.outputs)
    ):
        frame.outputs = [MeasurePart(Aggregate.SUM, output, is_implied=True) for output in frame.outputs if isinstance(output, Item)]
    is_each = bool(frame.groups) and all(part.is_spoken_of_each for part in frame.groups)
    if is_each and not (top or frame.orders or frame.havings) and _are_amounts(frame.outputs, adds_up):
        # `the amount paid per area`, 各片区的应收金额: the sum of each
        frame.outputs = [MeasurePart(Aggregate.SUM, output, is_implied=True) for output in frame.outputs if isinstance(output, Item)]
    if is_each and frame.tables and not (frame.outputs or frame.havings or top):
        frame.outputs.append(MeasurePart(Aggregate.COUNT, frame.tables[0], is_implied=True))  # `orders per week`: their number
    return frame


def _are_amounts(outputs: Sequence[Output], adds_up: Callable[[Link], bool]) -> bool:
    """Whether all that is shown are columns that are added up, without a word for how."""
    return bool(outputs) and all(
        isinstance(output, Item) and output.kind is Kind.COLUMN and output.payload is None and all(map(adds_up, output.links))
        for output in outputs
    )


def _is_time(output: Output) -> bool:
    of = output.of if isinstance(output, MeasurePart) else output
    return of is not None and of.payload == TIMES


def _add_up(frame: Frame, items: Sequence[Item], adds_up: Callable[[Link], bool]) -> None:
    """`What was the freight in May?` is about all of it; of a single shipment the sum is its freight."""
    asked = next((item.text.lower() for item in items if item.kind == Kind.ASK), "")
    is_plain = not (frame.groups or frame.orders or frame.top or frame.havings or frame.is_distinct or frame.is_listed)
    is_phrase = not asked and bool(frame.periods) and not any(item.kind == Kind.SHOW for item in items)  # 上个月的销售金额
    if not is_plain or len(frame.outputs) != 1 or not (is_phrase or asked in (*_ASKING_HOW_MUCH, "what")):
        return
    output = frame.outputs[0]
    if isinstance(output, MeasurePart):
        return
    last = output.text.split()[-1]
    is_single = not last.isascii() or key(last) == last.lower()
    if output.kind == Kind.COLUMN and output.payload is None and is_single and all(map(adds_up, output.links)):
        if asked == "what":
            frame.leftover.append(output)  # `what did we pay out`: no list of amounts, and perhaps no sum
        frame.outputs = [MeasurePart(Aggregate.SUM, output, is_implied=True)]


def _order_all(frame: Frame) -> None:
    """`the longest rivers, from longest to shortest`: all rivers in that order, and not the longest alone."""
    top = frame.top
    plain = [order for order in frame.orders if order.by is None]
    if top is None or top.limit or top.is_latest or not isinstance(top.by, Item) or len(plain) != len(frame.orders) or not plain:
        return
    is_plural = frame.asks_for_several or (frame.head is not None and frame.head.text.lower().endswith("s"))
    if top.by.kind == Kind.COLUMN and is_plural and plain[0].descending == top.descending:
        frame.orders, frame.top = [OrderPart(top.by, top.descending)], None
        if not any(isinstance(output, Item) and output.text == top.by.text for output in frame.outputs) and frame.head is not None:
            frame.outputs += [*([frame.head] if not frame.outputs else []), top.by]


def _sentences(items: Sequence[Item]) -> list[list[Item]]:
    made: list[list[Item]] = [[]]
    for item in items:
        if item.kind == Kind.STOP:
            made.append([])
        else:
            made[-1].append(item)
    return [sentence for sentence in made if sentence]


def _read(frame: Frame, items: Sequence[Item], *, is_first: bool, chinese: bool) -> None:
    listed = not is_first and bool(items) and items[0].kind in (Kind.SHOW, Kind.ASK) and not {"T"} >= set(letters(items)) - {"L", "H"}
    outputs: list[Output] = []
    lists_in_sentence = False
    for place, item in enumerate(items):
        before = items[place - 1].kind if place else None
        if item.kind == Kind.SHOW and place > 1 and outputs and before in (Kind.AND, Kind.CONDITION, Kind.LIMIT, Kind.GROUP, Kind.TIME):
            lists_in_sentence = True
        if item.kind == Kind.MEASURE and isinstance(item.payload, MeasurePart):
            outputs.append(item.payload)
        elif item.kind == Kind.COLUMN:
            opens = before in _BEFORE_OUTPUTS or (before == Kind.GROUP and place == 1)
            if not opens and not _is_asked_behind(items, place, chinese):
                frame.leftover.append(item)
                continue
            if _is_own(items, place, chinese) and frame.head is not None and frame.head.kind == Kind.TABLE and not outputs:
                outputs.append(frame.head)
            outputs.append(item)
            frame.head = frame.head or item
        elif item.kind == Kind.TABLE:
            if (listed or lists_in_sentence) and before in (Kind.AND, Kind.SHOW):
                outputs.append(item)
            elif before == Kind.AND and items[place - 1].text not in _COMMAS:
                frame.leftover.append(item)  # `payments and returns` are two questions
            frame.tables.append(item)
            if chinese and before == Kind.ASK and items[place - 1].text.startswith("哪") and not outputs:
                frame.head = item  # 金额最大的发票属于哪个账户
            if chinese and not outputs and is_first and _is_asked_for(items, place):
                frame.head = item  # 有失败订单的客户有哪些
                frame.tables.insert(0, frame.tables.pop())
            if frame.head is None or frame.head.kind != Kind.TABLE:
                frame.head = item if is_first else frame.head
        else:
            _take(frame, item)
    if not outputs:
        return
    if listed:
        frame.outputs, frame.is_listed = outputs, True
    else:
        frame.outputs += outputs


def _is_asked_for(items: Sequence[Item], place: int) -> bool:
    """Whether the table is named right before the Chinese word that asks which, and behind another."""
    behind = items[place + 1] if place + 1 < len(items) else None
    return place > 0 and items[place - 1].kind == Kind.TABLE and behind is not None and behind.text in _ASKING_WHICH


def _is_own(items: Sequence[Item], place: int, chinese: bool) -> bool:
    """Whether a column is asked for beside the thing that has it: `the cheapest drug and its price`, 最贵的药品是什么，价格是多少."""
    if not place:
        return False
    before = items[place - 1]
    if before.payload == OWN:
        return place > 1  # `Return their name` lists what is asked for
    if not chinese:
        which = any(item.kind == Kind.ASK and after.kind == Kind.TABLE for item, after in pairwise(items[: place - 1]))
        return which and before.kind == Kind.ASK and place > 1  # `Which course ..., and what is its number`
    return before.kind == Kind.AND and any(item.kind == Kind.ASK and item.text in _ASKING_WHICH for item in items[:place])


def _is_asked_behind(items: Sequence[Item], place: int, chinese: bool) -> bool:
    """名字和评分是什么: the question word stands behind what is asked for."""
    behind = place + 1
    while behind < len(items) and items[behind].kind in (Kind.COLUMN, Kind.AND):
        behind += 1
    if behind == len(items):
        return chinese
    return items[behind].kind == Kind.ASK or (chinese and items[behind].kind in (Kind.ORDERING, Kind.GROUP))


def _take(frame: Frame, item: Item) -> None:
    payload = item.payload
    if item.kind in (Kind.ASK, Kind.SHOW, Kind.AND):
        frame.asks_for_several |= item.text in ("哪些", "有哪些", "列出")
        return
    if item.kind == Kind.DISTINCT:
        frame.is_distinct = True
    elif isinstance(payload, GroupPart):
        frame.groups.append(payload)
    elif item.kind == Kind.CONDITION:
        frame.conditions += conditions_in([item])
    elif isinstance(payload, PeriodPart):
        frame.periods.append(payload)
    elif item.kind == Kind.TIME:
        frame.periods.append(PeriodPart(payload))  # pyright: ignore[reportArgumentType] a TIME item holds a range or None
    elif isinstance(payload, AbsencePart):
        frame.absences.append(payload)
    elif isinstance(payload, GroupCountPart):
        frame.havings.append(payload)
    elif isinstance(payload, OrderPart):
        frame.orders.append(payload)
    elif isinstance(payload, TopPart) and frame.top is None and (payload.by is not None or payload.limit):
        frame.top = payload
    else:
        frame.leftover.append(item)
