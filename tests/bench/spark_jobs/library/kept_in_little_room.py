"""Three reports from one table that is kept, in less memory than it needs."""

from pyspark import StorageLevel
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("kept").getOrCreate()
loans = spark.read.parquet("data/loans")

seal = F.col("slip")
for _ in range(8):
    seal = F.sha2(seal, 512)
sealed = loans.withColumn("seal", seal).persist(StorageLevel.MEMORY_ONLY)
for name in ("reader", "branch", "day", "kept"):
    sealed.groupBy(name).agg(F.max("seal").alias("seal")).write.mode("overwrite").parquet(f"out/kept/{name}")
