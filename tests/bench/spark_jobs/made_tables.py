"""Tables made of row numbers by hashing, so that they are the same each time. Runs beside `on_spark.py`."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn


@dataclass(frozen=True)
class Tables:
    """The tables that a set of jobs reads."""

    names: tuple[str, ...]
    """Those that SQL statements see as views, and of which statistics are kept."""
    references: tuple[str, ...]
    """Columns of text that are keys, or look like keys."""
    made: Callable[[SparkSession, int], dict[str, DataFrame]]
    """Name → table, of a number of rows of the largest."""
    others: Callable[[SparkSession, Path], None]
    """Writes further files into the folder of the tables."""
    warming: Callable[[SparkSession], DataFrame]
    """A query that needs what every job needs."""


def spread(keys: int, salt: int = 0) -> Column:
    """A key with evenly spread values."""
    return fn.pmod(fn.xxhash64("id", fn.lit(salt)), fn.lit(keys)).cast("int")


def numbered(spark: SparkSession, rows: int, files: int = 8) -> DataFrame:
    """Row numbers."""
    return spark.range(0, rows, 1, files)


def text() -> Column:
    """64 characters without a pattern."""
    return fn.sha2(fn.col("id").cast("string"), 256)


def as_gzip(table: DataFrame, folder: Path, name: str) -> None:
    """One compressed CSV file."""
    plain = folder / "csv"
    table.coalesce(1).write.mode("overwrite").option("compression", "gzip").csv(str(plain))
    next(plain.glob("*.gz")).replace(folder / name)
    for file in plain.iterdir():
        file.unlink()
    plain.rmdir()
