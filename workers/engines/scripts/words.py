"""The words of PySpark and of Spark in Scala: which method does what to a table, what reads one, and how a table is called."""

import re

from contracts.code import OperationKind

GROUPING = {"groupBy", "groupby", "rollup", "cube", "reduceByKey", "groupByKey", "aggregateByKey", "combineByKey", "foldByKey", "agg"}
METHODS: dict[str, OperationKind] = {
    "join": OperationKind.JOIN,
    "crossJoin": OperationKind.JOIN,
    "cogroup": OperationKind.JOIN,
    **dict.fromkeys(("joinWith", "leftOuterJoin", "rightOuterJoin", "fullOuterJoin", "subtractByKey", "cartesian"), OperationKind.JOIN),
    "orderBy": OperationKind.SORT,
    "sort": OperationKind.SORT,
    "sortBy": OperationKind.SORT,
    "sortByKey": OperationKind.SORT,
    "distinct": OperationKind.DISTINCT,
    "dropDuplicates": OperationKind.DISTINCT,
    "drop_duplicates": OperationKind.DISTINCT,
    **dict.fromkeys(("intersect", "intersection", "subtract", "except"), OperationKind.DISTINCT),
    "repartition": OperationKind.REPARTITION,
    "repartitionByRange": OperationKind.REPARTITION,
    "partitionBy": OperationKind.REPARTITION,
    "repartitionAndSortWithinPartitions": OperationKind.REPARTITION,
    "coalesce": OperationKind.COALESCE,
    "cache": OperationKind.CACHE,
    "persist": OperationKind.CACHE,
    "checkpoint": OperationKind.CACHE,
    "localCheckpoint": OperationKind.CACHE,
    "filter": OperationKind.FILTER,
    "where": OperationKind.FILTER,
    "select": OperationKind.SELECT,
    "selectExpr": OperationKind.SELECT,
    "drop": OperationKind.SELECT,
    "withColumn": OperationKind.SELECT,
    "withColumns": OperationKind.SELECT,
    "map": OperationKind.MAP,
    "flatMap": OperationKind.MAP,
    "mapValues": OperationKind.MAP,
    **dict.fromkeys(("flatMapValues", "keyBy", "mapToPair", "flatMapToPair", "mapGroups", "flatMapGroups"), OperationKind.MAP),
    "mapPartitions": OperationKind.MAP,
    "mapPartitionsWithIndex": OperationKind.MAP,
    "mapInPandas": OperationKind.MAP,
    "mapInArrow": OperationKind.MAP,
    "applyInPandas": OperationKind.MAP,
    "foreach": OperationKind.ACTION,
    "foreachPartition": OperationKind.ACTION,
    "union": OperationKind.UNION,
    "unionAll": OperationKind.UNION,
    "unionByName": OperationKind.UNION,
    "count": OperationKind.ACTION,
    "collect": OperationKind.ACTION,
    "show": OperationKind.ACTION,
    "take": OperationKind.ACTION,
    "first": OperationKind.ACTION,
    "toPandas": OperationKind.ACTION,
    "toLocalIterator": OperationKind.ACTION,
    "reduce": OperationKind.ACTION,
    **dict.fromkeys(
        ("fold", "aggregate", "treeReduce", "treeAggregate", "countByKey", "countByValue", "collectAsMap"), OperationKind.ACTION
    ),
    **dict.fromkeys(("head", "top", "takeOrdered"), OperationKind.ACTION),
    "save": OperationKind.WRITE,
    "saveAsTable": OperationKind.WRITE,
    "insertInto": OperationKind.WRITE,
    "saveAsTextFile": OperationKind.WRITE,
    **dict.fromkeys(("saveAsObjectFile", "saveAsSequenceFile", "saveAsNewAPIHadoopFile"), OperationKind.WRITE),
    **dict.fromkeys(GROUPING, OperationKind.GROUP),
}
OF_NUMBERS = frozenset(("sum", "mean", "stats", "stdev", "variance", "min", "max", "sumApprox", "meanApprox"))
"""Actions of an RDD of numbers, without arguments; a grouped table has methods of these names too."""

COUNT_WORDS = ("numSlices", "numPartitions")
"""Keywords that say how many partitions there are."""

MADE = frozenset(("range", "createDataFrame", "parallelize", "emptyRDD"))
"""What makes a table without reading one."""

WRITERS = {"parquet", "csv", "json", "orc", "text", "jdbc"}
STARTS = ("start", "toTable")
"""What begins a stream that is written."""

READERS = WRITERS | {"load", "table", "textFile", "wholeTextFiles", "sequenceFile", "objectFile"}
COLUMN_FUNCTIONS = {"col", "column", "asc", "desc", "lit"}
AGGREGATES = frozenset(
    (
        *("sum", "avg", "mean", "min", "max", "count", "countDistinct", "count_distinct"),
        *("collect_list", "collect_set", "stddev", "variance"),
    )
)
"""Called by their plain names where all functions are imported, as in Scala."""

FUNCTION_MODULES = ("F", "functions", "fn")
VIEWS = ("createOrReplaceTempView", "createTempView", "createGlobalTempView", "createOrReplaceGlobalTempView", "registerTempTable")
"""What makes a table known to SQL under a name."""

SESSIONS = ("spark", "spark_session", "sqlContext", "sc", "sparkSession", "SparkSession", "SparkConf")
SQL_TABLE = re.compile(r"\b(?:from|join)\s+([\w.`]+)", re.IGNORECASE)
FILE_ENDING = re.compile(r"(?:\.(?:parquet|csv|json|orc|txt|gz|bz2|zst))+$")
SQL_COLUMN = re.compile(r"\b[A-Za-z_]\w*\b")

FRAME_NAME = re.compile(r"(?:^|_)(?:s?df|frame|table|data|dataset)\d*(?:$|_)", re.IGNORECASE)
"""How a parameter is called that takes a table, where its annotation does not say so."""


def table_of(path: str) -> str:
    """A table's own name: the last part of a path that is no partition (`dt=2026-11-28`), or of a dotted name, without a file's ending."""
    parts = path.rstrip("/*").split("/")
    last = next((part for part in reversed(parts) if "=" not in part), parts[-1])
    is_path = "/" in path or "\\" in path
    return FILE_ENDING.sub("", last) if is_path else last.replace("`", "").rsplit(".", 1)[-1]
