"""Rank of each weighing among all of the season."""

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("ranks").getOrCreate()
weighings = spark.read.parquet("data/weighings").select("picker", "grams", "second")

heaviest_first = Window.orderBy(F.desc("grams"), F.asc("second"))
ranked = weighings.withColumn("place", F.row_number().over(heaviest_first))
ranked.write.mode("overwrite").parquet("out/ranks")
