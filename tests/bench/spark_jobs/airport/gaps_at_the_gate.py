"""The longest wait between two scans of a flight, by gate."""

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("gaps").getOrCreate()
scans = spark.read.parquet("data/scans").filter("flight <> 7").select("flight", "gate", "minute")

spread = scans.repartition(2500, "flight")
before = F.lag("minute").over(Window.partitionBy("flight").orderBy("minute"))
gaps = spread.withColumn("gap", F.col("minute") - before)
gaps.groupBy("gate").agg(F.max("gap").alias("gap")).write.mode("overwrite").parquet("out/gaps")
