"""Kilograms that passed each gate, by the first part of the ticket."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType

spark = SparkSession.builder.appName("gates").getOrCreate()


def gate(ticket: str) -> str:
    kind, number, _ = ticket.split("/")
    return kind.upper() + "-" + number.zfill(3)


gate_of = F.udf(gate, StringType())

weighed = spark.read.parquet("data/weighings")
at_gate = weighed.select(gate_of(F.col("ticket")).alias("gate"), "grams")
at_gate.groupBy("gate").agg(F.sum("grams").alias("grams")).write.mode("overwrite").parquet("out/gates")
