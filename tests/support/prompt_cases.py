"""Every prompt of the product with fixed data in English and in Chinese: `python -m tests.support.prompt_cases` writes what a model would
read to `tests/golden/prompts`, and a test compares. Somebody who changes a prompt can read it there as a model does.
"""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

from contracts.bundles import Catalogue
from contracts.diagnose.deliverables import Finding, PhenomenonItem, PhenomenonQuestion
from contracts.diagnose.request import DiagnoseRequest
from contracts.pipelines.analysis import CLARIFY_BELOW, MOST_QUESTIONS
from contracts.pipelines.script import CLARIFY_SCRIPT_BELOW
from contracts.replies import Reply
from contracts.tables import ColumnDetail, ForeignKey, JoinEvidence, JoinPath, TableDetail
from contracts.tickets import Anomaly, Ticket
from contracts.times import TimeSettings
from contracts.tune.steps import Causes, Evidence, Experience, ExperienceFound, Hypothesis, KeyCode
from contracts.verdicts import TuningClass, VerdictKind
from tests.support.advice import script_of
from tests.support.evidence import evidence_of
from tests.support.model_steps import checks_of_prompts
from tests.support.tune_bundles import KINDS as ARTEFACTS
from tests.support.tune_jobs import SAMPLES
from workers.engines.artefacts.tables import read_tables
from workers.engines.language import Lang
from workers.engines.spark.eventlog import read_run
from workers.engines.sql.schema_text import joins_text, overview_line, rows_text, table_text
from workers.engines.sql.traps import traps_of
from workers.kinds.ask.rules.by_model import FORBIDDEN, MEANINGS
from workers.kinds.ask.work.supervising import meanings_of
from workers.kinds.diagnose.rules.differential.heard import answer_prompt
from workers.kinds.diagnose.rules.rar.case import read_case
from workers.kinds.diagnose.rules.rar.prompt import rar_prompt, rerank_prompt
from workers.kinds.diagnose.rules.turn_brief import turn_brief
from workers.kinds.etl.roles.remarking import MOST_REMARKS
from workers.kinds.tune.roles.consult import FIX_KINDS, INFORMATION, KINDS
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.by_model import digest as digests
from workers.kinds.tune.rules.by_model.objections import RULES
from workers.kinds.tune.rules.by_model.thoughts import Unread
from workers.kinds.tune.rules.findings import find
from workers.kinds.tune.rules.first_look import classify_by_words
from workers.kinds.tune.rules.known import Known
from workers.kinds.tune.rules.recommend.choosing import MOST
from workers.llm.brief import moment_text, replies_text, today_text
from workers.llm.prompts import STANDING, add_prompts, render_prompt
from workers.llm.tool_steps import NATIVE_TEXT, how_to_answer
from workers.roles.choose import PROMPTS as FLEET
from workers.saying.numbers import language_name
from workers.sessions.summary import PROMPTS as SESSIONS
from workers.skills.choosing import CHOICE
from workers.tickets.shape import field_lines, shape_of, where_text

GOLDEN = Path(__file__).parents[1] / "golden" / "prompts"
LANGUAGES: tuple[Lang, ...] = ("en", "zh")
NOW = datetime(2026, 3, 5, 14, 30, tzinfo=ZoneInfo("Asia/Shanghai"))
TODAY = today_text(NOW, TimeSettings())
ROOM = 12_000
"""Tokens of a prompt's data: enough for all of it."""

Data = dict[str, Any]


def names_of_prompts() -> list[str]:
    """All prompts of the product, `role/purpose`."""
    add_prompts(FLEET)
    add_prompts(SESSIONS)
    return sorted([*checks_of_prompts(), "classifier/session_summary"])


def data_of(name: str, lang: Lang) -> Data:
    """What a prompt is filled with the first time: nothing was objected to so far."""
    return CASES[name](lang)


def rendered(name: str, lang: Lang, **changed: object) -> str:
    """A prompt as a model reads it; `changed`: values in the place of the first ones."""
    add_prompts(FLEET)
    add_prompts(SESSIONS)
    data: Data = {"how_to_answer": how_to_answer(native=False), **data_of(name, lang), **changed}
    return render_prompt(name, data) + "\n"


def golden_files() -> dict[Path, str]:
    """Path → what it must hold."""
    files = {
        GOLDEN / name.rpartition("/")[0] / f"{name.rpartition('/')[2]}.{lang}.txt": rendered(name, lang)
        for name in names_of_prompts()
        for lang in LANGUAGES
    }
    standing = [STANDING, NATIVE_TEXT, how_to_answer(native=False), how_to_answer(native=True)]
    return {**files, GOLDEN / "standing.txt": "\n----\n".join(text.strip() for text in standing) + "\n"}


def in_language(lang: Lang, english: str, chinese: str) -> str:
    """A text in one of the languages."""
    return chinese if lang == "zh" else english


# ---- ask and etl


def tables_of(lang: Lang) -> tuple[TableDetail, ...]:
    """Two tables with all that a table may have."""
    customers = TableDetail(
        name="customers",
        schema_name="main",
        description=in_language(lang, "One row for each customer", "每个客户一行"),
        columns=(
            ColumnDetail(name="customer_id", type="INTEGER", nullable=False),
            ColumnDetail(
                name="region", type="VARCHAR", description=in_language(lang, "Sales region", "大区"), values=("east", "west"), nulls=3
            ),
            ColumnDetail(name="since", type="DATE", minimum="2019-02-01", maximum="2026-03-04", distinct=1_204),
        ),
        primary_key=("customer_id",),
        rows=5_000,
    )
    orders = TableDetail(
        name="orders",
        schema_name="main",
        description=in_language(lang, "Orders, cancelled ones included", "订单，含已取消的"),
        columns=(
            ColumnDetail(name="order_id", type="INTEGER", nullable=False),
            ColumnDetail(name="customer_id", type="INTEGER", description=in_language(lang, "Who ordered", "下单客户")),
            ColumnDetail(name="status", type="VARCHAR", values=("cancelled", "delivered", "open")),
            ColumnDetail(
                name="amount", type="DECIMAL(12,2)", description=in_language(lang, "In CHF", "瑞士法郎"), minimum="0.50", maximum="910"
            ),
            ColumnDetail(name="ordered_at", type="TIMESTAMP", minimum="2024-01-02 08:15:00", maximum="2026-03-04 19:40:00"),
        ),
        primary_key=("order_id",),
        foreign_keys=(ForeignKey(columns=("customer_id",), table="main.customers", references=("customer_id",)),),
        rows=81_400,
    )
    return customers, orders


JOINS = (
    JoinPath(left="main.customers", right="main.orders", left_columns=("region",), right_columns=("status",), evidence=JoinEvidence.NAMES),
)


def _data(lang: Lang) -> Data:
    """What prompts that ask for SQL show of the data."""
    tables = tables_of(lang)
    turnover = in_language(
        lang, "turnover = SUM(orders.amount); only delivered orders count", "营业额 = SUM(orders.amount)；只算已送达的订单"
    )
    return {
        "dialect": "duckdb",
        "traps": traps_of("duckdb"),
        "tables": "\n\n".join(table_text(table, "duckdb") for table in tables),
        "joins": "\n".join(joins_text(JOINS, "duckdb")),
        "definitions": turnover,
        "today": TODAY,
        "looked_up": "",
    }


def _question(lang: Lang) -> str:
    return in_language(lang, "Turnover by region last month, most first", "上个月各大区的营业额，从高到低")


def _replies(lang: Lang) -> str:
    asked = in_language(lang, "With cancelled orders?", "是否包括已取消的订单？")
    choices = (in_language(lang, "with them", "包括"), in_language(lang, "without them", "不包括"))
    return replies_text([Reply(question=asked, choices=choices, reply=choices[1])])


def _session(lang: Lang) -> str:
    return in_language(lang, "asked (ask, succeeded): orders per channel", "asked (ask, succeeded): 各渠道的订单数")


def _conversation(lang: Lang) -> str:
    lines = (
        f"User: {in_language(lang, 'orders per channel', '各渠道的订单数')}",
        "Answered with: answer",
        "SQL over shop: SELECT channel, COUNT(*) AS orders FROM main.orders GROUP BY channel",
        "Result, 2 rows: channel, orders",
        "shop, 120",
        "web, 300",
    )
    return "\n".join(lines)


def _supervise(lang: Lang) -> Data:
    tables = tables_of(lang)
    return {
        "tools": meanings_of(tuple(MEANINGS), may_ask=True),
        "may_ask": True,
        "never": FORBIDDEN,
        "sources": [("shop", "duckdb")],
        "tables": "\n".join(overview_line(table) for table in tables),
        "definitions": _data(lang)["definitions"],
        "documents": in_language(lang, "Handbook: Returns", "手册：退货"),
        "logs": ["gateway"],
        "today": TODAY,
        "background": in_language(lang, "Sells in the east", "负责东区的销售"),
        "session": _session(lang),
        "conversation": _conversation(lang),
        "message": _question(lang),
        "likely": "main.orders, main.customers",
        "statement": "",
        "error": "",
        "replies": _replies(lang),
        "last": "",
        "problem": "",
    }


def _sql(lang: Lang) -> Data:
    rows = [(1, 17, "delivered", "19.90", "2026-03-04 10:00:00"), (2, 17, "open", None, "2026-03-04 11:00:00")]
    return {
        **_data(lang),
        "examples": f"{in_language(lang, 'Turnover of 2025', '2025 年的营业额')}\nSELECT SUM(amount) AS turnover FROM main.orders",
        "passages": in_language(lang, "Returns: A return is booked on the day it arrives.", "退货：退货按到达之日入账。"),
        "rows": rows_text(tables_of(lang)[1], rows, "duckdb"),
        "background": in_language(lang, "Sells in the east", "负责东区的销售"),
        "session": _session(lang),
        "conversation": _conversation(lang),
        "words": in_language(lang, "and turnover by region, last month?", "那上个月各大区的营业额呢？"),
        "replies": _replies(lang),
        "question": _question(lang),
        "likely": "main.orders, main.customers",
        "remarks": in_language(lang, "Name the regions in full.", "请写出大区的全名。"),
        "last": "",
        "problem": "",
    }


def _fix(lang: Lang) -> Data:
    return {
        **{part: _data(lang)[part] for part in ("dialect", "traps", "tables", "today")},
        "session": "",
        "statement": "SELECT chanel, COUNT(*) FROM main.orders GROUP BY chanel",
        "error": 'Binder Error: Referenced column "chanel" not found in FROM clause',
        "review": "",
        "words": in_language(lang, "fix this", "改一下"),
        "replies": "",
        "last": "",
        "problem": "",
    }


def _explain(lang: Lang) -> Data:
    facts = in_language(lang, "One row for each status.\nThe rows of orders are counted.", "每个状态一行。\n计数的是 orders 的行。")
    return {
        "language": language_name(lang),
        "statement": "SELECT status, COUNT(*) AS orders FROM main.orders GROUP BY status",
        "facts": facts,
        "today": TODAY,
        "session": "",
        "words": in_language(lang, "what does this do?", "这条语句在做什么？"),
    }


def _logql(lang: Lang) -> Data:
    return {
        "logs": ["gateway"],
        "labels": "app: checkout, search\nlevel: error, info",
        "fields": "duration (logfmt, number, ms)",
        "today": TODAY,
        "session": "",
        "before": '{app="checkout"} |= "timeout"',
        "words": in_language(lang, "how many per hour today?", "今天每小时有多少？"),
        "replies": "",
        "question": in_language(lang, "How many timeouts of checkout per hour today?", "今天 checkout 每小时有多少次超时？"),
        "last": "",
        "problem": "",
    }


def _documents(lang: Lang) -> Data:
    returns = in_language(lang, "Handbook > Returns\nA return is booked on the day it arrives.", "手册 > 退货\n退货按到达之日入账。")
    return {
        "language": language_name(lang),
        "passages": [returns, in_language(lang, "Handbook > Refunds\nA refund takes 14 days.", "手册 > 退款\n退款需要 14 天。")],
        "today": TODAY,
        "session": "",
        "conversation": "",
        "question": in_language(lang, "When is a return booked?", "退货什么时候入账？"),
    }


def _result(lang: Lang) -> Data:
    return {
        "language": language_name(lang),
        "row_count": 2,
        "is_cut": False,
        "rows": "region, turnover\neast, 90210.5\nwest, 4711",
        "facts": in_language(lang, "east has 95 % of the total", "east 占总额的 95 %"),
        "says": in_language(lang, "turnover = sum of amount, delivered orders only", "营业额 = amount 之和，只算已送达的订单"),
        "assumed": in_language(lang, "The year is 2026", "年份为 2026 年"),
        "today": TODAY,
        "session": "",
        "question": _question(lang),
    }


def _requirement(lang: Lang) -> str:
    return in_language(
        lang, "Build region_turnover: turnover by region and day, each morning", "建表 region_turnover：每天早上更新各大区的营业额"
    )


def _analyst(lang: Lang) -> Data:
    return {
        **_data(lang),
        "queries": "SELECT SUM(amount) AS turnover FROM main.orders",
        "memory": _session(lang),
        "likely": "main.orders, main.customers",
        "further": f"main.returns: {in_language(lang, 'Goods that came back', '退货')}",
        "requirement": _requirement(lang),
        "language": language_name(lang),
        "heard": _replies(lang),
        "remarks": "",
        "earlier": "",
        "asks_below": CLARIFY_BELOW,
        "most_questions": MOST_QUESTIONS,
        "last": "",
        "problem": "",
    }


def _architect(lang: Lang) -> Data:
    return {
        **{part: _data(lang)[part] for part in ("dialect", "tables", "joins", "today")},
        "queries": "SELECT SUM(amount) AS turnover FROM main.orders",
        "memory": "",
        "requirement": _requirement(lang),
        "target": "turnover_by_region",
        "mode": "upsert",
        "columns": f"- region VARCHAR: {in_language(lang, 'Sales region', '销售大区')}\n- day DATE\n- turnover DECIMAL(18,2)",
        "steps": in_language(lang, "1. Join orders with their customers\n2. Add the amounts up", "1. 把订单与客户关联\n2. 汇总金额"),
        "components": "HIVE: settings queue, engine\nSPARK_SQL: settings queue, executors, executor_memory\nSQL: settings connection",
        "settled": "",
        "usual": "SQL",
        "readers": "main.regional_targets",
        "intermediate": in_language(lang, "orders_with_region: each order with its region", "orders_with_region：带大区的订单"),
        "running": in_language(lang, "two retries, at most 20 minutes", "重试两次，最长 20 分钟"),
        "language": language_name(lang),
        "remarks": "",
        "last": "",
        "problem": "",
    }


def _developer(lang: Lang) -> Data:
    return {
        **_data(lang),
        "queries": "",
        "memory": "",
        "requirement": _requirement(lang),
        "steps": in_language(lang, "Join orders with their customers\nAdd the amounts up", "把订单与客户关联\n汇总金额"),
        "part": "",
        "columns": f"- region VARCHAR: {in_language(lang, 'Sales region', '销售大区')}\n- day DATE\n- turnover DECIMAL(18,2)",
        "key": "region, day",
        "valid_from": "",
        "closes_missing": False,
        "keeps_all": "main.customers",
        "demands": in_language(
            lang, "1. Turnover per region and day\n2. It runs every morning", "1. 每个大区每天的营业额\n2. 每天早上运行"
        ),
        "settings": "mode: upsert\nschedule: 0 5 * * *",
        "asks_below": CLARIFY_SCRIPT_BELOW,
        "remarks": "",
        "last": "",
        "problem": "",
    }


def _reviewer(lang: Lang) -> Data:
    return {
        **{part: text for part, text in _developer(lang).items() if part in _data(lang)},
        "memory": "",
        "requirement": _requirement(lang),
        "demands": in_language(lang, "Turnover per region and day", "每个大区每天的营业额"),
        "assumed": in_language(lang, "Which day counts? The day of the order", "按哪一天？下单日"),
        "parts": "",
        "target": "mart.turnover",
        "columns": "- region VARCHAR\n- day DATE\n- turnover DECIMAL(18,2)",
        "mode": "upsert",
        "key": "region, day",
        "scripts": "SELECT c.region, o.ordered_at AS day, SUM(o.amount) AS turnover\n"
        "FROM main.orders o JOIN main.customers c USING (customer_id)",
        "found": "",
        "raised": "",
        "most": MOST_REMARKS,
        "language": language_name(lang),
    }


# ---- analyze, the fleet, tickets


def _skill(lang: Lang) -> Data:
    return {
        "rules": "\n".join(CHOICE),
        "skills": in_language(
            lang,
            "- cell-coverage (Coverage): Why a cell has weak coverage.\n- handover (Handover): Why handovers fail.",
            "- cell-coverage (覆盖)：小区覆盖为什么弱。\n- handover (切换)：切换为什么失败。",
        ),
        "words": in_language(lang, "Cell 17 has weak signal since Monday", "17 号小区从周一起信号很弱"),
        "session": _session(lang),
    }


def _choose(lang: Lang) -> Data:
    return {
        "tool": "query_root_cause_analysis",
        "argument": "indicators",
        "options": "RSRP\nSINR\nhandover success",
        "question": _skill(lang)["words"],
        "session": _session(lang),
    }


def _follow(lang: Lang) -> Data:
    return {
        "skill": in_language(
            lang, "1. Look at the rows of the cell.\n2. Compare RSRP with the target.", "1. 查看该小区的数据。\n2. 把 RSRP 与目标比较。"
        ),
        "today": TODAY,
        "session": _session(lang),
        "question": _skill(lang)["words"],
        "words": _skill(lang)["words"],
        "sources": "cells: duckdb",
        "language": language_name(lang),
        "stray": [],
        "looked_up": "",
    }


def _words(lang: Lang) -> Data:
    return {
        "language": language_name(lang),
        "today": TODAY,
        "session": _session(lang),
        "question": _skill(lang)["words"],
        "given": in_language(lang, "district: Harbour", "district: 港区"),
        "findings": in_language(
            lang, "RSRP of cell 17 is -112 dBm, the target -105 dBm.", "17 号小区的 RSRP 为 -112 dBm，目标为 -105 dBm。"
        ),
        "rows": json.dumps({"cell": 17, "rsrp": -112}),
        "problem": "",
    }


def _stage(lang: Lang) -> Data:
    return {
        "stages": "analysis: filled by the analyst, task etl.analyse\nscript/1: filled by the developer, task etl.write",
        "request": json.dumps({"kind": "etl", "requirement": _requirement(lang)}, ensure_ascii=False),
        "instruction": in_language(lang, "only the last week", "只要最近一周"),
    }


def _summary(lang: Lang) -> Data:
    return {
        "before": in_language(lang, "Turnover means delivered orders.", "营业额只算已送达的订单。"),
        "turns": in_language(lang, "plan/1: The tables orders and customers were found.", "plan/1：找到了表 orders 和 customers。"),
        "most": 500,
    }


def _observations(lang: Lang) -> Data:
    return {
        "ticket": in_language(
            lang,
            "Orders hang since noon. pg_stat_activity shows 40 sessions waiting for a lock. An ALTER TABLE waited first; we cancelled it.",
            "订单从中午起卡住。pg_stat_activity 显示 40 个会话在等锁。最先等待的是一个 ALTER TABLE，取消后恢复。",
        ),
        "comments": "",
        "known": "(none)",
    }


def _mapping(lang: Lang) -> Data:
    with TemporaryDirectory() as folder:
        file = Path(folder, "outages.json")
        tickets = [
            {
                "ref": f"N-{number}",
                "seen": in_language(lang, "Cameras in hall B dark", "B 厂房摄像头黑屏"),
                "extra": [
                    {"name": in_language(lang, "Came from", "成因"), "value": in_language(lang, "a cable flaps", "网线接触不良")},
                    {"name": in_language(lang, "Done", "措施"), "value": in_language(lang, "cable replaced", "更换网线")},
                ],
            }
            for number in (30, 31)
        ]
        file.write_text(json.dumps({"outages": tickets}, ensure_ascii=False))
        shape = shape_of(file)
    fields = {"where": where_text(shape), "fields": "\n".join(field_lines(shape)), "records": shape.examples[0]}
    return {"file": "outages.json", **fields, "last": "", "problem": ""}


# ---- diagnose


def _incident(lang: Lang) -> DiagnoseRequest:
    return DiagnoseRequest(description=in_language(lang, "Orders hang since noon and the shop is slow", "订单从中午起卡住，商城很慢"))


def _tickets(lang: Lang) -> list[Ticket]:
    def ticket(number: int, cause: str, *signs: str) -> Ticket:
        observed = tuple(Anomaly(description=sign, observation_method="SELECT * FROM pg_stat_activity") for sign in signs)
        text = in_language(lang, "The shop is slow", "商城很慢")
        return Ticket(ticket_id=f"T-{number}", description=text, root_cause=cause, solution=f"repair: {cause}", anomalies=observed)

    return [
        ticket(1, in_language(lang, "lock queue", "锁队列"), in_language(lang, "sessions wait for a relation lock", "会话在等表锁")),
        ticket(2, in_language(lang, "full disk", "磁盘已满"), in_language(lang, "writes fail with no space", "写入因空间不足而失败")),
    ]


def _item(number: int, text: str) -> PhenomenonItem:
    return PhenomenonItem(number=number, phenomenon_id=f"p{number}", description=text, observation_method="", why="")


def _dialogue(lang: Lang) -> tuple[PhenomenonQuestion, str]:
    items = (
        _item(1, in_language(lang, "sessions wait for a relation lock", "会话在等表锁")),
        _item(2, in_language(lang, "writes fail with no space", "写入因空间不足而失败")),
    )
    question = PhenomenonQuestion(turn=1, items=items)
    return question, in_language(lang, "the first yes, about forty of them; the disk is fine", "第一个是，大约四十个；磁盘没问题")


def _turn(lang: Lang) -> Data:
    request = _incident(lang)
    shown = turn_brief(
        request, evidence_of(_tickets(lang), request.description), [_dialogue(lang)], lang, ROOM, may_ask=True, session=_session(lang)
    )
    return {**shown.prompt, "today": moment_text(NOW)}


def _rar(lang: Lang) -> Data:
    request = _incident(lang)
    return rar_prompt(read_case(request, evidence_of(_tickets(lang), request.description), [_dialogue(lang)]), ROOM)


def _rerank(lang: Lang) -> Data:
    request = _incident(lang)
    return rerank_prompt(read_case(request, evidence_of(_tickets(lang), request.description), [_dialogue(lang)]), ROOM)


def _answer(lang: Lang) -> Data:
    question, text = _dialogue(lang)
    return answer_prompt(question, text, [(_item(3, in_language(lang, "the CPU is saturated", "CPU 已满")), Finding.DENIED)])


# ---- tune


@cache
def skewed() -> Case:
    """The sample with one heavy task."""
    folder = SAMPLES / "spark_skew"
    script = script_of((folder / "nightly_engagement.py").read_text("utf-8"), "nightly_engagement.py")
    run = read_run(folder / "eventlog.zstd")
    tables = read_tables(json.loads((folder / "tables.json").read_text("utf-8")))
    return Case(find(run, script.facts, tables), run, [script], tables)


def _described(lang: Lang) -> str:
    return in_language(lang, "The nightly join takes an hour", "夜间的关联要跑一个小时")


def _classified(lang: Lang) -> Any:
    return classify_by_words(_described(lang), (), Catalogue(bundle="b", content_hash="0"))


def _hypotheses(lang: Lang) -> Causes:
    skew = Hypothesis(
        hypothesis_id="H1",
        kind=VerdictKind.DATA_SKEW,
        tuning_class=TuningClass.DATA_SKEW,
        statement=in_language(lang, "The join of page_views is skewed by visitor_id.", "page_views 的关联按 visitor_id 倾斜。"),
        how_to_verify=(in_language(lang, "Count the rows of each visitor_id.", "统计每个 visitor_id 的行数。"),),
        needs=(),
        prior=0.6,
    )
    return Causes(hypotheses=(skew,))


def _experience(lang: Lang) -> ExperienceFound:
    piece = Experience(
        experience_id="spark/salting",
        pack="spark",
        title=in_language(lang, "Salt a skewed key", "给倾斜的键加盐"),
        tuning_class=TuningClass.DATA_SKEW,
        language=lang,
        text=in_language(lang, "Where one key has most rows, split it by a random number.", "某个键占了大多数行时，用随机数把它拆开。"),
        score=1.0,
    )
    return ExperienceFound(query="skew", items=(piece,))


def _tune_class(lang: Lang) -> Data:
    return digests.class_digest(Known(), skewed().findings, _classified(lang), _described(lang), lang, ROOM).for_prompt()


def _tune_code(lang: Lang) -> Data:
    return digests.code_digest(skewed(), KeyCode(), _classified(lang), _described(lang), lang, ROOM).for_prompt()


def _tune_causes(lang: Lang) -> Data:
    made = digests.causes_digest(skewed(), _hypotheses(lang), _classified(lang), _experience(lang).items, _described(lang), lang, ROOM)
    return {**made.for_prompt(), "kinds": KINDS, "information": INFORMATION}


def _tune_reading(lang: Lang) -> Data:
    unread = [Unread("shuffle.log", ARTEFACTS["shuffle_log"], 12_000)]
    evidence = Evidence(read=(), findings=skewed().findings)
    return {**digests.reading_digest(evidence, _hypotheses(lang), unread, _described(lang), lang, ROOM).for_prompt(), "most": MOST}


def _rules_plan() -> Any:
    case = skewed()
    return advise(case.findings, case.run, case.scripts, case.tables)


def _tune_plan(lang: Lang) -> Data:
    evidence = Evidence(read=(), findings=skewed().findings)
    made = digests.plan_digest(
        skewed(), _rules_plan(), _classified(lang), evidence, _hypotheses(lang), _experience(lang).items, _described(lang), lang, ROOM
    )
    return {**made.for_prompt(), "kinds": FIX_KINDS, "remarks": ""}


def _tune_review(lang: Lang) -> Data:
    return {**digests.review_digest(skewed(), _rules_plan(), lang, ROOM).for_prompt(), "rules": tuple(RULES.items())}


CASES: Mapping[str, Callable[[Lang], Data]] = {
    "analyst/choose": _choose,
    "analyst/etl": _analyst,
    "analyst/follow": _follow,
    "analyst/result": _result,
    "analyst/tuning-code": _tune_code,
    "analyst/words": _words,
    "architect/etl": _architect,
    "classifier/choose": _stage,
    "classifier/session_summary": _summary,
    "classifier/skill": _skill,
    "classifier/supervise": _supervise,
    "classifier/tuning": _tune_class,
    "developer/etl": _developer,
    "developer/explain_sql": _explain,
    "developer/fix_sql": _fix,
    "developer/logql": _logql,
    "developer/sql": _sql,
    "diagnoser/answer": _answer,
    "diagnoser/rar": _rar,
    "diagnoser/rerank": _rerank,
    "diagnoser/tuning-causes": _tune_causes,
    "diagnoser/tuning-plan": _tune_plan,
    "diagnoser/turn": _turn,
    "file-recommender/tuning-reading": _tune_reading,
    "retriever/documents": _documents,
    "retriever/mapping": _mapping,
    "retriever/observations": _observations,
    "reviewer/etl": _reviewer,
    "reviewer/tuning": _tune_review,
}


def main() -> None:
    """Write them all."""
    for path, text in golden_files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
