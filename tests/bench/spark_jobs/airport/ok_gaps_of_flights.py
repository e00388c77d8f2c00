"""The longest wait between two scans of a flight. One flight has two scans of a hundred, which is no burden to its task."""

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("gaps of flights").getOrCreate()
scans = spark.read.parquet("data/scans").select("flight", "gate", "minute", "mark")

in_order = Window.partitionBy("flight").orderBy("minute", "mark")
seal = F.lag("mark").over(in_order)
for _ in range(6):
    seal = F.sha2(seal, 512)
gaps = scans.select("gate", (F.col("minute") - F.lag("minute").over(in_order)).alias("gap"), seal.alias("seal"))
gaps.groupBy("gate").agg(F.max("gap").alias("gap"), F.max("seal").alias("seal")).write.mode("overwrite").parquet("out/gaps_of_flights")
