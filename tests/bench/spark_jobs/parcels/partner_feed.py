"""The feed of a partner comes as one compressed file each night."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

FEED = "data/partner_feed.csv.gz"
COLUMNS = "tracking string, depot int, scanned_at string, event string, grams int, device string"


def feed(spark, path):
    return spark.read.option("header", "false").schema(COLUMNS).csv(path)


def fingerprints(rows):
    salted = F.concat("tracking", F.reverse("device"), "event")
    return rows.withColumn("print", F.sha2(F.concat(F.sha2(salted, 512), F.sha2("device", 512), F.sha2(F.upper("device"), 512)), 512))


def main():
    spark = SparkSession.builder.appName("feed").getOrCreate()
    result = fingerprints(feed(spark, FEED)).groupBy("depot").agg(F.max("print").alias("print"), F.sum("grams").alias("grams"))
    result.write.mode("overwrite").parquet("out/feed")


main()
