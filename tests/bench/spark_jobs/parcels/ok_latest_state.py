"""The state of each parcel: its last event."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("state").getOrCreate()
state = spark.table("scans") if spark.catalog.tableExists("scans") else spark.read.parquet("data/scans")
state.groupBy("tracking").agg(F.max_by("event", "scanned_at").alias("event")).write.mode("overwrite").parquet("out/state")
