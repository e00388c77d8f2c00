"""Figures of the shipping lines for three readers."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("lines").getOrCreate()
moves = spark.read.parquet("data/moves")
containers = spark.read.parquet("data/containers").select("box", "line", "size")

sealed = moves.withColumn("mark", F.col("position"))
for _ in range(6):
    sealed = sealed.withColumn("mark", F.sha2("mark", 512))

lines = sealed.join(containers, "box").groupBy("line", "size").agg(F.max("mark").alias("mark"), F.sum("kilograms").alias("kilograms"))

lines.write.mode("overwrite").parquet("out/lines")
lines.where("kilograms > 1000000").write.mode("overwrite").csv("out/lines_large")
print(lines.agg(F.max("mark")).first())
