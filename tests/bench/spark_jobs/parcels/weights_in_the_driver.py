"""Weight of each depot, added up by hand."""

from pyspark.sql import SparkSession


def rows(spark):
    return spark.read.parquet("data/scans").select("tracking", "depot", "grams", "device").collect()


def add_up(found):
    sums = {}
    for row in found:
        sums[row["depot"]] = sums.get(row["depot"], 0) + row["grams"] * (2 if row["device"].endswith("0") else 1)
    return sums


spark = SparkSession.builder.appName("weights").getOrCreate()
for depot, grams in sorted(add_up(rows(spark)).items())[:5]:
    print(depot, grams)
