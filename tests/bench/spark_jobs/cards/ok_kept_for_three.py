"""One table, kept, and three uses."""

from pyspark import StorageLevel
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("kept").getOrCreate()
sums = (
    spark.read.parquet("data/payments")
    .groupBy("merchant", "currency")
    .agg(F.sum("cents").alias("cents"))
    .persist(StorageLevel.MEMORY_AND_DISK)
)
print(sums.count())
for currency in ("EUR", "SEK"):
    sums.where(F.col("currency") == currency).write.mode("overwrite").parquet(f"out/kept/{currency}")
sums.unpersist()
