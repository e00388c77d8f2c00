"""Weighings in the order of each picker's day, one folder a gate."""

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("days").getOrCreate()
of_picker = Window.partitionBy("picker").orderBy("second", "ticket")

weighings = spark.read.parquet("data/weighings")
timed = weighings.withColumn("pause", F.col("second") - F.lag("second").over(of_picker)).drop("ticket")
timed.write.mode("overwrite").parquet("out/pauses")
