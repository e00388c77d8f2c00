"""Marks the readings whose checksum does not fit, row by row."""

import zlib

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("checksums").getOrCreate()


def check(row):
    body, _, crc = row.payload.rpartition(";crc=")
    return row.meter, row.day, zlib.crc32(body.encode()) % 1000 == int(crc, 16) % 1000


readings = spark.read.parquet("data/readings").select("meter", "day", "payload")
checked = spark.createDataFrame(readings.rdd.map(check), "meter string, day date, fits boolean")
checked.groupBy("day", "fits").count().write.mode("overwrite").parquet("out/checked")
