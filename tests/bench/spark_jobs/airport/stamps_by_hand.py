"""Scans of each quarter of an hour and gate; the stamp is a text, and a helper of the team reads it."""

from datetime import UTC, datetime, timedelta

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("stamps by hand").getOrCreate()
scans = spark.read.parquet("data/scans")


@F.udf("string")
def quarter_of(stamp):
    moment = datetime.strptime(stamp, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    return (moment - timedelta(minutes=moment.minute % 15)).strftime("%m-%d %H:%M")


placed = scans.withColumn("quarter", quarter_of("stamp"))
placed.groupBy("gate", F.substring("quarter", 7, 5).alias("quarter")).agg(F.count("*").alias("scans")).write.mode("overwrite").parquet(
    "out/stamps"
)
