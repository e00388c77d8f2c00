"""Which berth was open when a crane moved a box."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("windows").getOrCreate()
m = spark.read.parquet("data/moves").alias("m")
w = spark.read.parquet("data/windows").alias("w")

inside = (F.col("m.second") >= F.col("w.opens")) & (F.col("m.second") < F.col("w.closes"))
in_window = m.join(w, inside)

in_window.groupBy("berth", "crane").agg(F.count("*").alias("moves"), F.sum("kilograms").alias("kilograms")).write.mode("overwrite").parquet(
    "out/windows"
)
