"""In which dialect a statement was written, by the words that only some dialects have."""

import re
from collections import Counter

from sqlglot import ErrorLevel, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import Token, TokenType

from workers.engines.sql.bounded import parse_one
from workers.engines.sql.trees import PARSER_FAULTS

MARKS: dict[str, tuple[str, ...]] = {
    "tsql": (
        r"\bSELECT\s+(?:DISTINCT\s+)?TOP\b",
        r"\bGETDATE\s*\(",
        r"\bDATEADD\s*\(",
        r"\bDATEPART\s*\(",
        r"\bDATEFROMPARTS\s*\(",
        r"\bEOMONTH\s*\(",
        r"\bDATEDIFF\s*\(\s*(?:YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE|SECOND)\s*,",
        r"\bISNULL\s*\([^()]*(?:\([^()]*\)[^()]*)?,",
        r"\bLEN\s*\(",
        r"\bCHARINDEX\s*\(",
        r"\[[A-Za-z_][\w ]*\]",
        r"\bCOLLATE\s+\w*_C[IS]_",
        r"\bOPTION\s*\(",
        r"\bNVARCHAR\b",
        r"\bTRY_(?:CAST|CONVERT)\s*\(",
        r"\bOUTER\s+APPLY\b",
        r"\bCROSS\s+APPLY\b",
        r"\bDATETRUNC\s*\(",
        r"\bCONVERT\s*\(\s*\w+(?:\(\d+\))?\s*,",
        r"\bDATENAME\s*\(",
        r"\bSYSDATETIME\s*\(",
        r"\bIIF\s*\(",
    ),
    "mysql": (
        r"`",
        r"\bINTERVAL\s+(?:'[^']*'|[^'\s]\S*)\s+[A-Z]",
        r"\bDATE_(?:ADD|SUB)\s*\(",
        r"\bCURDATE\s*\(",
        r"\bDATE_FORMAT\s*\([^()]*(?:\([^()]*\))?[^()]*'[^']*%",
        r"\bTIMESTAMPDIFF\s*\(",
        r"\bDAYOFWEEK\s*\(",
        r"\bWEEKDAY\s*\(",
        r"\bSTR_TO_DATE\s*\(",
        r"\bGROUP_CONCAT\s*\(.*\bSEPARATOR\b",
        r"\bREGEXP_LIKE\s*\(",
        r"\bRLIKE\b",
        r"\b(?:IFNULL\s*\(|ISNULL\s*\((?:[^(),]|\([^()]*\))*\))",
        r"\bLIMIT\s+\d+\s*,",
        r"\bUNIX_TIMESTAMP\s*\(",
        r"\bFROM_UNIXTIME\s*\(",
        r"\bDATEDIFF\s*\(",
        r"\bAS\s+(?:UN)?SIGNED\b",
        r"\bMONTHNAME\s*\(",
        r"\bDAYNAME\s*\(",
        r"\bSUBSTRING_INDEX\s*\(",
        r"\b(?:YEAR|MONTH|DAY|QUARTER|WEEK)\s*\(",
        r"\bLAST_DAY\s*\(",
        r"\bIF\s*\(",
        r"\bAS\s+(?:DATETIME|DOUBLE)\b",
        r"\bREGEXP\b",
    ),
    "sqlite": (
        r"\bSTRFTIME\s*\(\s*'%",
        r"\bJULIANDAY\s*\(",
        r"\b(?:DATE|DATETIME|TIME)\s*\([^()]*'now'",
        r"\b(?:DATE|DATETIME)\s*\([^()]*,",
        r"\bTOTAL\s*\(",
        r"\bGLOB\b",
        r"\bIIF\s*\(",
        r"\bIFNULL\s*\(",
        r"\bUNIXEPOCH\s*\(",
        r"'start of (?:day|month|year)'",
        r"\bPRINTF\s*\(",
        r"\bGROUP_CONCAT\s*\(",
    ),
    "postgres": (
        r"::\s*\w",
        r"\bILIKE\b",
        r"\bDATE_TRUNC\s*\(",
        r"\bINTERVAL\s+'[^']*[a-z]'",
        r"\bSTRING_AGG\s*\(",
        r"\bTO_CHAR\s*\(",
        r"\bEXTRACT\s*\(",
        r"\bDISTINCT\s+ON\b",
        r"\bAGE\s*\(",
        r"\bGENERATE_SERIES\s*\(",
        r"!?~\*?\s*'",
        r"\bARRAY_AGG\s*\(",
        r"\bFILTER\s*\(\s*WHERE\b",
        r"\bSPLIT_PART\s*\(",
        r"\bSIMILAR\s+TO\b",
        r"\bTO_DATE\s*\(",
        r"\bTO_TIMESTAMP\s*\(",
        r"\bREGEXP_REPLACE\s*\(",
        r"\bIS\s+(?:NOT\s+)?DISTINCT\s+FROM\b",
    ),
    "duckdb": (
        r"\bLIST_AGG\w*\s*\(",
        r"\bEXCLUDE\s*\(",
        r"\bSTRFTIME\s*\(\s*[^'\s]",
        r"\bDATE_DIFF\s*\(\s*'",
        r"\bDATEDIFF\s*\(\s*'",
        r"\bGROUP\s+BY\s+ALL\b",
    ),
    "oracle": (
        r"\bNVL2?\s*\(",
        r"\bSYSDATE\b",
        r"\bROWNUM\b",
        r"\bFROM\s+DUAL\b",
        r"\bDECODE\s*\(",
        r"\bADD_MONTHS\s*\(",
        r"\bLISTAGG\s*\(",
        r"\bTRUNC\s*\(\s*\w+\s*,\s*'",
        r"\bFETCH\s+FIRST\b",
        r"\bMINUS\b",
        r"\bVARCHAR2\b",
    ),
    "clickhouse": (
        r"\bto(?:Date|DateTime|StartOf\w+|String|U?Int\d+|Float\d+|YYYYMM|Year|Month)\s*\(",
        r"\b(?:count|sum|avg|min|max|uniq|any)If\s*\(",
        r"\buniq(?:Exact)?\s*\(",
        r"\bgroupArray\s*\(",
        r"\bcount\(\s*\)",
        r"\bformatDateTime\s*\(",
    ),
    "bigquery": (
        r"\bSAFE_DIVIDE\s*\(",
        r"\bSAFE_CAST\s*\(",
        r"\bTIMESTAMP_TRUNC\s*\(",
        r"\bDATE_TRUNC\s*\([^']*,\s*[A-Z]+\s*\)",
        r"\bFORMAT_DATE\s*\(",
        r"\bPARSE_DATE\s*\(",
        r"\bDATE_DIFF\s*\([^']*,\s*[A-Z]+\s*\)",
        r"\bCOUNTIF\s*\(",
        r"`[\w-]+\.[\w.-]+`",
        r"\bSTRUCT\s*\(",
        r"\bINT64\b",
    ),
    "snowflake": (
        r"\bIFF\s*\(",
        r"\bQUALIFY\b",
        r"\bDATEADD\s*\(\s*'",
        r"\bZEROIFNULL\s*\(",
        r"\bDIV0\s*\(",
        r"\bLATERAL\s+FLATTEN\b",
        r"\bTO_VARCHAR\s*\(",
    ),
    "spark": (
        r"\bLATERAL\s+VIEW\b",
        r"\bCOLLECT_(?:LIST|SET)\s*\(",
        r"\bDATE_FORMAT\s*\([^%]*?'[^'%]*(?:yy|MM|dd|HH)[^'%]*'",
        r"\bNVL\s*\(",
        r"\bDATE_SUB\s*\([^()]*,\s*\d+\s*\)",
        r"\bADD_MONTHS\s*\(",
        r"\bTRUNC\s*\(",
        r"\bSIZE\s*\(",
        r"\bCONCAT_WS\s*\(",
    ),
}
"""Words of each dialect that few others have. A mark counts whether or not the dialect is the only one with it."""

_MARK = "7070707"
"""Begins a text that is no unit, no zone and no form."""
PATTERNS = {name: tuple(re.compile(mark, re.IGNORECASE | re.DOTALL) for mark in marks) for name, marks in MARKS.items()}


def parsed(sql: str, dialect: str) -> exp.Expr | None:
    """The statement's tree; None where it is not SQL of the dialect."""
    try:
        tree = parse_one(sql, dialect)
    except PARSER_FAULTS:
        return None
    is_of_mysql = any(node.args.get("is_null") and not node.expressions for node in tree.find_all(exp.Coalesce))
    return None if is_of_mysql else tree


def keeps_texts(sql: str, tree: exp.Expr, dialect: str) -> bool:
    """Whether each text of the statement means something to the parser, which drops arguments that a function of the dialect does not
    take, such as the zone of `DATE(moment, 'Asia/Tokyo')`: that is not MySQL then. A text that the tree does not have may be a unit
    or a form in other words; one that was dropped may be any other text without a change of the tree."""
    texts = [token for token in Dialect.get_or_raise(dialect or None).tokenize(sql) if token.token_type is TokenType.STRING]
    there = Counter(node.name for node in tree.find_all(exp.Literal) if node.is_string)
    there.subtract(token.text for token in texts)
    doubtful = {f"{_MARK}{place:06}": token for place, token in enumerate(texts) if there[token.text] < 0}
    if not doubtful:
        return True
    marked = parsed(_with_texts(sql, doubtful), dialect)
    seen = "" if marked is None else printed(marked, dialect)
    return all(mark in seen or parsed(_with_texts(sql, {mark: token}), dialect) != tree for mark, token in doubtful.items())


def _with_texts(sql: str, texts: dict[str, Token]) -> str:
    """The statement with other texts in the places of its own; they come in order."""
    for text, token in reversed(texts.items()):
        sql = f"{sql[: token.start]}'{text}'{sql[token.end + 1 :]}"
    return sql


def printed(node: exp.Expr, dialect: str) -> str:
    """The text of a node. What the dialect lacks is written as it is: the dry run judges it."""
    return node.sql(dialect or None, unsupported_level=ErrorLevel.IGNORE)


def whole_text(node: exp.Expr, dialect: str) -> str:
    """The text of a node. Raises `UnsupportedError` where the printer would leave a part of it out, which no dry run notices."""
    return node.sql(dialect or None, unsupported_level=ErrorLevel.RAISE)


def likely_dialects(sql: str, target: str) -> tuple[str, ...]:
    """The dialects in which the statement may have been written, the likeliest first. The target is always among them."""
    marks = {name: sum(pattern.search(sql) is not None for pattern in patterns) for name, patterns in PATTERNS.items()}
    marked = sorted((name for name, count in marks.items() if count and name != target), key=lambda name: -marks[name])
    if marked and marks[marked[0]] > marks.get(target, 0):
        return (marked[0], target, *marked[1:])
    return (target, *marked)
