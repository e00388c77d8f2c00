"""The board in the office: a line for each lift, worded in Python."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def worded(valley, guests, waited):
    return f"{valley}: {guests:,} guests, {waited:.0f} s in the queue"


spark = SparkSession.builder.appName("board").getOrCreate()
scans, lifts = spark.read.parquet("data/scans"), spark.read.parquet("data/lifts")

figures = scans.groupBy("lift").agg(F.count("*").alias("guests"), F.avg("waited").alias("waited"), F.max("picture").alias("picture"))
board = figures.join(F.broadcast(lifts), "lift").withColumn("line", F.udf(worded)("valley", "guests", "waited"))
for row in board.orderBy(F.desc("guests")).collect():
    print(row["lift"], row["line"])
