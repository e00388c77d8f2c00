"""How the engines word their errors, and the kind of each. The first pattern that is found in a message decides.

Groups: `name`, `other` and `using` are names that the message speaks of, `near` is where the engine stopped, `proposal` is what it
proposes.
"""

import re

from contracts.sql_errors import SqlErrorKind as Kind

SQLITE: tuple[tuple[str, Kind], ...] = (
    (r"near \"(?P<near>[\s\S]*?)\": syntax error|incomplete input|unrecognized token: \"(?P<other>.*?)\"?$", Kind.SYNTAX),
    (r"no such table: (?P<name>\S+)", Kind.UNKNOWN_TABLE),
    (r"unknown database (?P<name>\S+)", Kind.UNKNOWN_SCHEMA),
    (r"no such column: (?P<name>.+?)(?: - should this be a string literal.*)?$", Kind.UNKNOWN_COLUMN),
    (r"cannot join using column (?P<name>\S+) - column not present", Kind.UNKNOWN_COLUMN),
    (r"no such function: (?P<name>\S+)", Kind.UNKNOWN_FUNCTION),
    (r"unable to use function (?P<name>\S+) in the requested context", Kind.UNKNOWN_FUNCTION),
    (r"no such collation sequence: (?P<name>\S+)", Kind.UNKNOWN_COLLATION),
    (r"ambiguous column name: (?P<name>\S+)", Kind.AMBIGUOUS_NAME),
    (r"duplicate (?:column|WITH table) name: (?P<name>\S+)", Kind.DUPLICATE_NAME),
    (r"misuse of aliased aggregate (?P<name>\S+)", Kind.MISPLACED_AGGREGATE),
    (r"misuse of (?:aggregate|aggregate function)(?:: ?|\s)(?P<name>\w+)", Kind.MISPLACED_AGGREGATE),
    (r"misuse of window function (?P<name>\w+)|no such window: (?P<other>\w+)", Kind.WINDOW),
    (r"wrong number of arguments to function (?P<name>\w+)", Kind.WRONG_ARGUMENTS),
    (
        r"do not have the same number of result columns|sub-select returns \d+ columns|row value misused|values for \d+ columns",
        Kind.COLUMN_COUNT,
    ),
    (r"ORDER BY term does not match|(?:ORDER|GROUP) BY term out of range", Kind.GROUPING),
    (r"a GROUP BY clause is required before HAVING|HAVING clause on a non-aggregate query", Kind.GROUPING),
    (r"aggregate functions are not allowed in the GROUP BY", Kind.MISPLACED_AGGREGATE),
    (r"integer overflow", Kind.OVERFLOW),
    (r"attempt to write a readonly database|not authorized|access to .* is prohibited", Kind.PERMISSION),
    (r"interrupted|too many|too big|out of memory", Kind.LIMITS),
    (r"ORDER BY clause should come after", Kind.SYNTAX),
)

POSTGRES: tuple[tuple[str, Kind], ...] = (
    (r"syntax error at or near \"(?P<near>.*?)\"|syntax error at end of input|unterminated quoted|zero-length delimited", Kind.SYNTAX),
    (r"relation \"(?P<name>.*?)\" does not exist", Kind.UNKNOWN_TABLE),
    (
        r"missing FROM-clause entry for table \"(?P<name>.*?)\""
        r"|invalid reference to FROM-clause entry for table \"(?P<other>.*?)\"",
        Kind.UNKNOWN_TABLE,
    ),
    (r"schema \"(?P<name>.*?)\" does not exist|cross-database references are not implemented: \"?(?P<other>[^\"]*)", Kind.UNKNOWN_SCHEMA),
    (
        r"column (?:\"(?P<name>.*?)\"|(?P<other>\S+)) (?:of relation \".*?\" )?does not exist"
        r"|column \"(?P<using>.*?)\" specified in USING",
        Kind.UNKNOWN_COLUMN,
    ),
    (r"function (?P<name>[\w.]+)\(.*?\) (?:does not exist|is not unique)", Kind.UNKNOWN_FUNCTION),
    (r"type \"(?P<name>.*?)\" does not exist", Kind.UNKNOWN_TYPE),
    (r"collation \"(?P<name>.*?)\".* does not exist", Kind.UNKNOWN_COLLATION),
    (r"column reference \"(?P<name>.*?)\" is ambiguous|(?P<other>\S+) is ambiguous", Kind.AMBIGUOUS_NAME),
    (
        r"table name \"(?P<name>.*?)\" specified more than once"
        r"|(?:column|WITH query) (?:name )?\"(?P<other>.*?)\" specified more than once",
        Kind.DUPLICATE_NAME,
    ),
    (r"(?:subquery|VALUES) in FROM must have an alias", Kind.MISSING_ALIAS),
    (r"column \"(?P<name>.*?)\" must appear in the GROUP BY|uses ungrouped column \"(?P<other>.*?)\"", Kind.NOT_GROUPED),
    (
        r"for SELECT DISTINCT, ORDER BY expressions must appear"
        r"|SELECT DISTINCT ON expressions must match|(?:GROUP|ORDER) BY position",
        Kind.GROUPING,
    ),
    (r"aggregate function(?:s| calls) (?:are not allowed|cannot be nested)", Kind.MISPLACED_AGGREGATE),
    (r"window function(?:s| calls)? |window \"(?P<name>.*?)\" does not exist", Kind.WINDOW),
    (r"operator does not exist: (?P<name>.+)|operator is not unique: (?P<other>.+)", Kind.TYPE_MISMATCH),
    (
        r"cannot be matched|cannot cast type|must be type|is of type .* but expression is"
        r"|could not (?:determine|identify)|argument of .* must be",
        Kind.TYPE_MISMATCH,
    ),
    (r"(?:UNION|INTERSECT|EXCEPT) types? .* cannot be matched|COALESCE types|CASE types", Kind.TYPE_MISMATCH),
    (
        r"each (?:UNION|INTERSECT|EXCEPT) query must have the same number"
        r"|subquery (?:must return only one|has too (?:many|few)) column|has \d+ columns available",
        Kind.COLUMN_COUNT,
    ),
    (r"more than one row returned by a subquery|subquery uses", Kind.SUBQUERY),
    (r"division by zero", Kind.DIVISION_BY_ZERO),
    (r"invalid input syntax for|invalid input value|date/time field value out of range|invalid value \"", Kind.BAD_VALUE),
    (r"out of range|numeric field overflow", Kind.OVERFLOW),
    (
        r"invalid regular expression|LIKE pattern must not end|unit \"(?P<name>.*?)\" not (?:recognized|supported)|time zone \"",
        Kind.BAD_PATTERN,
    ),
    (r"(?:LIMIT|OFFSET) must not be negative|argument of LIMIT", Kind.LIMIT),
    (r"permission denied|read-only transaction|must be (?:owner|superuser)", Kind.PERMISSION),
    (r"statement timeout|canceling statement|out of memory|too many|stack depth", Kind.LIMITS),
    (r"not (?:supported|implemented)", Kind.UNSUPPORTED),
)

DUCKDB: tuple[tuple[str, Kind], ...] = (
    (r"syntax error at or near \"(?P<near>.*?)\"|syntax error at end of input|Parser Error", Kind.SYNTAX),
    (r"Table with name (?P<name>\S+) does not exist|Referenced table \"(?P<other>.*?)\" not found", Kind.UNKNOWN_TABLE),
    (r"(?:Schema|Catalog) with name (?P<name>\S+) does not exist|Catalog \"(?P<other>.*?)\" does not exist", Kind.UNKNOWN_SCHEMA),
    (
        r"Referenced column \"(?P<name>.*?)\" not found|does not have a column named \"(?P<other>.*?)\""
        r"|Column \"(?P<using>.*?)\" does not exist on (?:left|right) side",
        Kind.UNKNOWN_COLUMN,
    ),
    (r"(?:Scalar|Aggregate|Table|Macro)?\s*Function with name (?P<name>\S+) does not exist", Kind.UNKNOWN_FUNCTION),
    (r"Type with name (?P<name>\S+) does not exist", Kind.UNKNOWN_TYPE),
    (r"Ambiguous reference to (?:column name|table) \"(?P<name>.*?)\"", Kind.AMBIGUOUS_NAME),
    (r"Duplicate (?:alias|CTE name|column name) \"(?P<name>.*?)\"", Kind.DUPLICATE_NAME),
    (r"column \"(?P<name>.*?)\" must appear in the GROUP BY", Kind.NOT_GROUPED),
    (r"(?:WHERE|GROUP BY) clause cannot contain aggregates|aggregate function calls cannot", Kind.MISPLACED_AGGREGATE),
    (r"clause cannot contain window|window functions? ", Kind.WINDOW),
    (r"No function matches the given name and argument types '?(?P<name>\w+)", Kind.TYPE_MISMATCH),
    (r"Cannot (?:compare|mix) values of type|Cannot cast|Could not (?:choose|deduce)", Kind.TYPE_MISMATCH),
    (r"Conversion Error: .*(?:out of range|overflow)|Out of Range Error", Kind.OVERFLOW),
    (r"Conversion Error|Could not convert", Kind.BAD_VALUE),
    (r"(?:Set operations|subquery).*(?:same number|columns)", Kind.COLUMN_COUNT),
    (r"More than one row returned by a subquery", Kind.SUBQUERY),
    (r"read-only|Permission Error", Kind.PERMISSION),
    (r"Out of Memory|INTERRUPT", Kind.LIMITS),
    (r"Not implemented", Kind.UNSUPPORTED),
)

MYSQL: tuple[tuple[str, Kind], ...] = (
    (r"You have an error in your SQL syntax.*?near '(?P<near>.*?)' at line", Kind.SYNTAX),
    (r"Table '(?P<name>.*?)' doesn't exist|Unknown table '(?P<other>.*?)'", Kind.UNKNOWN_TABLE),
    (r"Unknown database '(?P<name>.*?)'", Kind.UNKNOWN_SCHEMA),
    (r"Unknown column '(?P<name>.*?)' in", Kind.UNKNOWN_COLUMN),
    (r"FUNCTION (?P<name>\S+) does not exist", Kind.UNKNOWN_FUNCTION),
    (r"Unknown collation: '(?P<name>.*?)'", Kind.UNKNOWN_COLLATION),
    (r"Column '(?P<name>.*?)' in .* is ambiguous", Kind.AMBIGUOUS_NAME),
    (r"Not unique table/alias: '(?P<name>.*?)'|Duplicate column name '(?P<other>.*?)'", Kind.DUPLICATE_NAME),
    (r"Every derived table must have its own alias", Kind.MISSING_ALIAS),
    (r"nonaggregated column '(?P<name>.*?)'|'(?P<other>\S+?)' isn't in GROUP BY", Kind.NOT_GROUPED),
    (r"Invalid use of group function", Kind.MISPLACED_AGGREGATE),
    (r"You cannot use the window function", Kind.WINDOW),
    (r"used SELECT statements have a different number of columns|Operand should contain", Kind.COLUMN_COUNT),
    (r"Subquery returns more than 1 row", Kind.SUBQUERY),
    (r"Incorrect parameter count in the call to native function '(?P<name>.*?)'", Kind.WRONG_ARGUMENTS),
    (r"Division by 0", Kind.DIVISION_BY_ZERO),
    (r"Out of range value|value is out of range", Kind.OVERFLOW),
    (r"Incorrect \w+ value: '(?P<near>.*?)'|Truncated incorrect", Kind.BAD_VALUE),
    (r"Got error .* from regexp|Illegal mix of collations", Kind.BAD_PATTERN),
    (r"command denied|Access denied|read.only", Kind.PERMISSION),
    (r"maximum statement execution time|Query execution was interrupted", Kind.LIMITS),
    (r"doesn't yet support", Kind.UNSUPPORTED),
)

SPARK: tuple[tuple[str, Kind], ...] = (
    (
        r"Syntax error at or near '?(?P<near>[^':]+)'?|mismatched input '(?P<other>.*?)'"
        r"|extraneous input|no viable alternative at input '(?P<name>.*?)'",
        Kind.SYNTAX,
    ),
    (r"Table or view not found: (?P<name>[\w.`]+)|The table or view (?P<other>\S+) cannot be found", Kind.UNKNOWN_TABLE),
    (r"(?:Database|The schema) '?(?P<name>[\w.`]+)'? (?:not found|cannot be found)", Kind.UNKNOWN_SCHEMA),
    (
        r"cannot resolve '(?P<name>.*?)' given input columns: \[(?P<proposal>.*?)\]"
        r"|with name (?P<other>`\S+`) cannot be resolved",
        Kind.UNKNOWN_COLUMN,
    ),
    (r"Undefined function: '?(?P<name>[\w.]+)|Cannot resolve (?:function|routine) (?P<other>\S+)", Kind.UNKNOWN_FUNCTION),
    (r"Reference '?(?P<name>\S+?)'? is ambiguous, could be: \[?(?P<proposal>[^\]]*)", Kind.AMBIGUOUS_NAME),
    (r"expression '(?P<name>.*?)' is neither present in the group by", Kind.NOT_GROUPED),
    (r"(?:due to )?data type mismatch", Kind.TYPE_MISMATCH),
    (r"Invalid number of arguments for function (?P<name>\S+?)\.|requires \d+ parameters? but the actual number", Kind.WRONG_ARGUMENTS),
    (r"can only be performed on (?:tables|inputs) with (?:the same number of|compatible) column", Kind.COLUMN_COUNT),
    (r"Division by zero|divide by zero", Kind.DIVISION_BY_ZERO),
    (r"cannot be cast to .* because it is malformed", Kind.BAD_VALUE),
    (r"overflow", Kind.OVERFLOW),
    (r"[Ww]indow function", Kind.WINDOW),
    (r"[Aa]ggregate (?:functions?|expressions?) .*(?:not allowed|WHERE)", Kind.MISPLACED_AGGREGATE),
    (r"Correlated (?:scalar subquer|column)", Kind.SUBQUERY),
)

TSQL: tuple[tuple[str, Kind], ...] = (
    (r"Incorrect syntax near (?:the keyword )?'(?P<near>.*?)'", Kind.SYNTAX),
    (r"Invalid object name '(?P<name>.*?)'", Kind.UNKNOWN_TABLE),
    (r"Invalid column name '(?P<name>.*?)'|The multi-part identifier \"(?P<other>.*?)\" could not be bound", Kind.UNKNOWN_COLUMN),
    (r"'(?P<name>.*?)' is not a recognized (?:built-in )?function name", Kind.UNKNOWN_FUNCTION),
    (r"Ambiguous column name '(?P<name>.*?)'", Kind.AMBIGUOUS_NAME),
    (r"Column '(?P<name>.*?)' is invalid in the (?:select list|HAVING clause|ORDER BY clause)", Kind.NOT_GROUPED),
    (r"An aggregate may not appear in the WHERE", Kind.MISPLACED_AGGREGATE),
    (r"Windowed functions can only appear in the SELECT or ORDER BY", Kind.WINDOW),
    (r"Divide by zero", Kind.DIVISION_BY_ZERO),
    (r"Conversion failed", Kind.BAD_VALUE),
    (r"Arithmetic overflow", Kind.OVERFLOW),
    (r"Operand type clash|is incompatible with", Kind.TYPE_MISMATCH),
)

ORACLE: tuple[tuple[str, Kind], ...] = (
    (r"ORA-009(?:33|36|23|07|17|05|00|06)", Kind.SYNTAX),
    (r"ORA-00942", Kind.UNKNOWN_TABLE),
    (r"ORA-00904: (?P<name>[^:]+): invalid identifier", Kind.UNKNOWN_COLUMN),
    (r"ORA-00918", Kind.AMBIGUOUS_NAME),
    (r"ORA-00979|ORA-00937", Kind.NOT_GROUPED),
    (r"ORA-00934", Kind.MISPLACED_AGGREGATE),
    (r"ORA-30483", Kind.WINDOW),
    (r"ORA-01476", Kind.DIVISION_BY_ZERO),
    (r"ORA-01722|ORA-018\d\d", Kind.BAD_VALUE),
    (r"ORA-00932", Kind.TYPE_MISMATCH),
    (r"ORA-01427", Kind.SUBQUERY),
)

TRINO: tuple[tuple[str, Kind], ...] = (
    (r"mismatched input '(?P<near>.*?)'", Kind.SYNTAX),
    (r"Table '(?P<name>.*?)' does not exist", Kind.UNKNOWN_TABLE),
    (r"Schema '(?P<name>.*?)' does not exist", Kind.UNKNOWN_SCHEMA),
    (r"Column '(?P<name>.*?)' cannot be resolved", Kind.UNKNOWN_COLUMN),
    (r"Function '(?P<name>.*?)' not registered", Kind.UNKNOWN_FUNCTION),
    (r"Column '(?P<name>.*?)' is ambiguous", Kind.AMBIGUOUS_NAME),
    (r"'(?P<name>.*?)' must be an aggregate expression or appear in GROUP BY", Kind.NOT_GROUPED),
    (r"WHERE clause cannot contain aggregations, window functions", Kind.WINDOW),
    (r"Cannot apply operator|Unexpected parameters|must evaluate to", Kind.TYPE_MISMATCH),
    (r"Division by zero", Kind.DIVISION_BY_ZERO),
)

SNOWFLAKE: tuple[tuple[str, Kind], ...] = (
    (r"syntax error.*unexpected '(?P<near>.*?)'|syntax error line \d+ at position \d+", Kind.SYNTAX),
    (r"(?:Object|Table|View) '(?P<name>[^'\n]{1,300})' does not exist or not authorized", Kind.UNKNOWN_TABLE),
    (r"(?:Schema|Database) '(?P<name>[^'\n]{1,300})' does not exist or not authorized", Kind.UNKNOWN_SCHEMA),
    (r"invalid identifier '(?P<name>[^'\n]{1,300})'", Kind.UNKNOWN_COLUMN),
    (r"Unknown function (?P<name>\S+)", Kind.UNKNOWN_FUNCTION),
    (r"ambiguous column name '(?P<name>.*?)'", Kind.AMBIGUOUS_NAME),
    (r"'\[?(?P<name>[^']*?)\]?' (?:in select clause is neither an aggregate|is not a valid group by expression)", Kind.NOT_GROUPED),
    (r"Invalid aggregate function in where clause|Aggregate functions cannot be nested", Kind.MISPLACED_AGGREGATE),
    (r"Window function .*appears outside of|window functions? (?:is|are) not allowed", Kind.WINDOW),
    (r"Single-row subquery returns more than one row", Kind.SUBQUERY),
    (r"Division by zero", Kind.DIVISION_BY_ZERO),
    (r"'(?P<near>.*?)' is not recognized|Failed to cast", Kind.BAD_VALUE),
    (r"Invalid argument types for function '(?P<name>\w+)'|Can not convert parameter", Kind.TYPE_MISMATCH),
    (r"Insufficient privileges", Kind.PERMISSION),
    (r"reached its statement or warehouse timeout", Kind.LIMITS),
)

BIGQUERY: tuple[tuple[str, Kind], ...] = (
    (r"Syntax error: (?:Unexpected|Expected .* but got) (?:\w+ )?(?P<near>\S+)|Syntax error", Kind.SYNTAX),
    (r"Not found: Table (?P<name>\S+)|Table \"(?P<other>.*?)\" must be qualified", Kind.UNKNOWN_TABLE),
    (r"Not found: (?:Dataset|Project) (?P<name>\S+)", Kind.UNKNOWN_SCHEMA),
    (
        r"Unrecognized name: (?P<name>[\w`.]+)(?:; Did you mean (?P<proposal>[\w`.]+)\?)?|Name (?P<other>\S+) not found inside",
        Kind.UNKNOWN_COLUMN,
    ),
    (r"Function not found: (?P<name>[\w.]+)", Kind.UNKNOWN_FUNCTION),
    (r"Column name (?P<name>\S+) is ambiguous", Kind.AMBIGUOUS_NAME),
    (r"references (?:column )?(?P<name>\S+) which is neither (?:grouped|GROUPed) nor aggregated", Kind.NOT_GROUPED),
    (r"Aggregate function \S+ not allowed in", Kind.MISPLACED_AGGREGATE),
    (r"Analytic function \S*\s*not allowed in", Kind.WINDOW),
    (r"Scalar subquery (?:produced more than one|cannot have more than one)", Kind.SUBQUERY),
    (r"[Dd]ivision by zero", Kind.DIVISION_BY_ZERO),
    (r"No matching signature for", Kind.TYPE_MISMATCH),
    (r"Bad \w+ value|Could not cast|Invalid (?:date|datetime|timestamp)", Kind.BAD_VALUE),
    (r"Access Denied", Kind.PERMISSION),
)

BY_ENGINE = {
    "sqlite": SQLITE,
    "postgres": POSTGRES,
    "duckdb": DUCKDB,
    "mysql": MYSQL,
    "spark": SPARK,
    "databricks": SPARK,
    "tsql": TSQL,
    "oracle": ORACLE,
    "trino": TRINO,
    "snowflake": SNOWFLAKE,
    "bigquery": BIGQUERY,
}

OF_THE_FLEET: tuple[tuple[str, Kind], ...] = (
    (r"^There is no table (?P<name>\S+?)\.(?:$|\s)", Kind.UNKNOWN_TABLE),
    (r"^There is no column (?P<name>\S+?)(?: in \S+)?, or it is not clear whose it is", Kind.UNKNOWN_COLUMN),
)
"""What the locks between a statement and a source say (`workers/sources`), for every engine."""

WORDINGS = {
    engine: tuple((re.compile(pattern, re.MULTILINE), kind) for pattern, kind in (*OF_THE_FLEET, *wordings))
    for engine, wordings in BY_ENGINE.items()
}
"""Engine → its patterns."""
