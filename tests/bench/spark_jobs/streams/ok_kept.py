"""The evening's plays, kept in memory for three reports."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("evening").getOrCreate()
evening = spark.read.parquet("data/plays").filter("minute % 1440 >= 1080").select("viewer", "device", "seconds").cache()
for column in ("viewer", "device"):
    evening.groupBy(column).agg(F.sum("seconds").alias("seconds")).write.mode("overwrite").parquet(f"out/evening_{column}")
print(evening.count())
