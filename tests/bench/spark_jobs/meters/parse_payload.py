"""Voltage per feeder and day, out of the raw payload of each reading."""

import re

from pyspark.sql import SparkSession
from pyspark.sql.functions import avg, col, udf
from pyspark.sql.types import DoubleType

PATTERN = re.compile(r"v=(\d+)\.(\d+)")


def voltage_of(payload):
    found = PATTERN.search(payload)
    return float(f"{found.group(1)}.{found.group(2)}") if found else None


if __name__ == "__main__":
    spark = SparkSession.builder.appName("voltage").getOrCreate()
    voltage = udf(voltage_of, DoubleType())
    readings = spark.read.parquet("data/readings")
    volts = readings.select("day", "feeder", voltage(col("payload")).alias("volts"))
    volts.groupBy("feeder", "day").agg(avg("volts").alias("volts")).write.mode("overwrite").parquet("out/volts")
