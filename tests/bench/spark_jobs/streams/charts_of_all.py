"""A place in the charts for each play, of all plays together."""

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("charts").getOrCreate()
order = Window.orderBy(F.desc("seconds"), "minute", "viewer")

ranked = spark.read.parquet("data/plays").withColumn("place", F.row_number().over(order))
ranked.filter("place <= 300000").write.mode("overwrite").parquet("out/charts")
