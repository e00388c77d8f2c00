"""Three exports of one table that is kept."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("exports").getOrCreate()
per_depot = (
    spark.read.parquet("data/scans")
    .join(F.broadcast(spark.read.parquet("data/depots")), "depot")
    .groupBy("region", "depot", "event")
    .agg(F.count("*").alias("scans"), F.max("device").alias("device"))
    .persist()
)
for event in ("in", "out", "delivered"):
    per_depot.where(F.col("event") == event).write.mode("overwrite").csv(f"out/exports/{event}")
per_depot.unpersist()
